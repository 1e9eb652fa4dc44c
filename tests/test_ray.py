"""Extraction by two processes of Ray gives what one process gives.

Without Ray these tests skip; ``KG_REQUIRE_RAY=1`` makes that a failure.
"""

from __future__ import annotations

import json
import os
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from importlib.util import find_spec
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

import kg
from kg.cli import cli
from kg.errors import InputError
from kg.extract import on_ray
from kg.extract.on_ray import extract_to_parquet
from kg.extract.partitions import Outcome, output_of
from kg.read import Rejected
from kg.read.places import File
from kg.resources import CORPUS

pytestmark = pytest.mark.filterwarnings("ignore::DeprecationWarning:ray")


@pytest.fixture(scope="session")
def ray() -> Iterator[None]:
    """A Ray of two processes, started as :func:`extract_to_parquet` starts it, once."""
    if find_spec("ray") is None:
        if os.environ.get("KG_REQUIRE_RAY") == "1":
            pytest.fail("KG_REQUIRE_RAY=1, but Ray is not installed")
        pytest.skip("Ray is not installed: pip install 'sotagraph[ray]'")
    with pytest.MonkeyPatch.context() as patch:
        patch.delenv("RAY_ADDRESS", raising=False)
        module = on_ray._ray()
        with on_ray._running(module, None, 2):
            yield


@pytest.fixture
def parts(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Forty abstracts in four files, a bad record in one, a duplicate in another."""
    monkeypatch.chdir(tmp_path)
    folder = Path("parts")
    folder.mkdir()
    lines = CORPUS.read_text(encoding="utf-8").splitlines()[:40]
    for number in range(4):
        records = lines[10 * number : 10 * number + 10]
        if number == 1:
            records.insert(3, '{"id": "bad", "text": ')
        if number == 2:
            records.append(lines[0])
        (folder / f"{number}.jsonl").write_text("\n".join(records) + "\n", encoding="utf-8")
    return folder


def run(*arguments: str | Path) -> Result:
    return CliRunner().invoke(cli, [*map(str, arguments)])


@pytest.mark.usefixtures("ray")
def test_two_processes_give_the_same_bytes_as_one(parts: Path) -> None:
    import ray

    assert ray.cluster_resources()["CPU"] == 2
    patterns = ("--extractor", "patterns")
    done = run("extract", parts, "no.txt", "--engine", "ray", "-o", "out", *patterns)
    assert done.exit_code == 1  # a record was rejected
    assert done.stdout == ""
    assert "parts/1.jsonl:4: line 4: broken JSON" in done.stderr
    assert "kg: no.txt: no such file" in done.stderr
    assert "41 papers of 5 files are in out" in done.stderr
    given = json.loads(run("build", "out", "-o", "given", *patterns, "--json").stdout)
    whole = json.loads(run("build", parts, "no.txt", "-o", "whole", *patterns, "--json").stdout)
    assert (given.pop("given"), given.pop("extracted")) == (40, 0)
    assert (whole.pop("given"), whole.pop("extracted")) == (0, 40)
    assert {p["file"] for p in given["problems"]} == {"parts/1.jsonl", "no.txt"}
    for report in (given, whole):
        report.pop("directory")
    assert given == whole
    one, two = (run("export", "jsonl", "-g", g).stdout_bytes for g in ("given", "whole"))
    assert one == two
    assert one.count(b'"record":"statement"') > 20

    again = run("extract", parts, "no.txt", "--engine", "ray", "-o", "out", *patterns)
    assert again.exit_code == 1
    assert "5 files from before" in again.stderr
    assert "parts/1.jsonl:4: line 4: broken JSON" in again.stderr


@dataclass(frozen=True)
class Dying(on_ray._Task):
    """Does what the real task does, but its process dies at the first try of one file."""

    def extract(self, file: File | Rejected) -> Outcome:
        assert isinstance(file, File)
        once = Path(self.directory) / ".once"
        if file.path.name == "1.jsonl" and not once.exists():
            once.touch()
            os._exit(1)
        if file.path.name == "2.jsonl":
            raise OSError("the disk is full")
        return on_ray._Task.extract(self, file)


@pytest.mark.usefixtures("ray")
def test_a_task_that_dies_is_done_again(parts: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    from ray import cloudpickle

    cloudpickle.register_pickle_by_value(sys.modules[__name__])
    (parts / "0.jsonl").unlink()
    with monkeypatch.context() as patch:
        patch.setattr(on_ray, "_Task", Dying)
        report = extract_to_parquet([parts], "out", extractor="patterns", workers=2)
    assert Path("out/.once").exists()
    assert [f.papers for f in report.files] == [10, 0, 10]
    (failed,) = report.failed
    assert failed.file == "parts/2.jsonl"
    assert failed.failure == "OSError: the disk is full"
    assert not output_of("parts/2.jsonl", Path("out")).exists()
    assert not list(Path("out").glob("*.tries"))
    report = extract_to_parquet([parts], "out", extractor="patterns", workers=2)
    assert [f.kept for f in report.files] == [True, False, True]
    assert (report.papers, report.failed) == (31, ())
    kg.build(["out"], "given", extractor="patterns")
    kg.build([parts], "whole", extractor="patterns")
    assert kg.load("given") == kg.load("whole")


@pytest.mark.usefixtures("ray")
def test_ray_reports_no_usage() -> None:
    assert os.environ["RAY_USAGE_STATS_ENABLED"] == "0"


def test_what_goes_wrong_in_a_file_is_told(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "a.txt").write_text("We use BERT.")
    file = File(tmp_path / "a.txt", "a.txt")
    version = kg.extract.load("patterns").version
    other = on_ray._Task(str(tmp_path), "patterns", "patterns@0", None, "r")(file)
    assert "install the same sotagraph" in other.failure
    mark = output_of("a.txt", tmp_path)
    mark = mark.with_name(f".{mark.name}.r.tries")
    mark.write_bytes(b"xxxx")
    dead = on_ray._Task(str(tmp_path), "patterns", version, None, "r")(file)
    assert "died again and again" in dead.failure
    assert not mark.exists()
    nowhere = on_ray._Task(str(tmp_path / "none"), "patterns", version, None, "r")(file)
    assert "FileNotFoundError" in nowhere.failure
    good = on_ray._Task(str(tmp_path), "patterns", version, None, "r")(file)
    assert (good.papers, good.failure) == (1, "")
    assert len(list(tmp_path.iterdir())) == 2


@pytest.mark.skipif(find_spec("ray") is None, reason="Ray is not installed")
def test_wrong_use(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    source = tmp_path / "a.txt"
    source.write_text("We use BERT.")
    out = tmp_path / "out"
    for options, message in (
        ({"workers": 0}, "workers"),
        ({"format": "pdf"}, "format"),
        ({"extractor": "none"}, "no extractor"),
    ):
        with pytest.raises(InputError, match=message):
            extract_to_parquet([source], out, **options)  # type: ignore[arg-type]
    with pytest.raises(InputError, match="standard input"):
        extract_to_parquet(["-"], out)
    with pytest.raises(InputError, match="another directory"):
        extract_to_parquet([source], tmp_path)
    assert run("extract", source, "-o", out).exit_code == 2
    assert run("extract", source, "--engine", "ray").exit_code == 2
    assert not out.exists()
    monkeypatch.setitem(sys.modules, "ray", None)
    done = run("extract", source, "--engine", "ray", "-o", out)
    assert done.exit_code == 2
    assert "pip install 'sotagraph[ray]'" in done.stderr
