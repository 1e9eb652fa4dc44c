from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest

SCRIPT = Path(__file__).parent / "killed_builds.py"


@pytest.mark.skipif(not hasattr(__import__("os"), "fork"), reason="kill -9 needs a POSIX system")
def test_build_killed_at_any_moment_comes_to_the_same_bytes(tmp_path: Path) -> None:
    done = subprocess.run(
        [sys.executable, SCRIPT, tmp_path, "20"], capture_output=True, text=True, check=True
    )
    found = json.loads(done.stdout)
    assert found["different"] == 0
    assert found["killed"] >= 10
    assert found["bytes"] > 10_000
