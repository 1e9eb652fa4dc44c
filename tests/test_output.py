"""What tables look like for people."""

from __future__ import annotations

import os
import pty
import subprocess
import sys
from pathlib import Path

import pytest

from kg.cli.output import print_table, with_unit

CODE = """
from kg.cli.output import print_table
print_table(["name", "belief", "sentence"], [
    ["AlphaNet", 0.123456, "AlphaNet outperforms BERT on GLUE by a large margin, as we show."],
    ["[MASK]", None, ["It is a token:", True]],
])
"""


def on_a_terminal(columns: int) -> list[str]:
    """Return the lines that CODE prints on a terminal of so many columns."""
    ours, theirs = pty.openpty()
    # on a dumb terminal rich believes in 80 columns
    settings = {"COLUMNS": str(columns), "NO_COLOR": "1", "TERM": "xterm"}
    with subprocess.Popen(
        [sys.executable, "-c", CODE],
        stdout=theirs,
        env={**os.environ, **settings},
        cwd=Path(__file__).parents[1],
    ) as program:
        os.close(theirs)
        printed = b""
        try:
            while piece := os.read(ours, 4096):
                printed += piece
        except OSError:  # so Linux tells the end
            pass
        os.close(ours)
    assert program.returncode == 0
    plain = printed.decode().replace("\x1b[1m", "").replace("\x1b[0m", "")
    return [line.rstrip() for line in plain.splitlines() if line.strip()]


def test_a_wide_terminal_has_a_table() -> None:
    lines = on_a_terminal(120)
    assert lines[0].split() == ["name", "belief", "sentence"]
    assert lines[2] == (
        "  AlphaNet   0.12     AlphaNet outperforms BERT on GLUE by a large margin, as we show."
    )


def test_on_a_narrower_one_only_prose_is_broken() -> None:
    lines = on_a_terminal(60)
    assert max(map(len, lines)) <= 60
    assert lines[0].split() == ["name", "belief", "sentence"]
    assert lines[2] == "  AlphaNet   0.12     AlphaNet outperforms BERT on GLUE by"
    assert lines[3].split() == ["a", "large", "margin,", "as", "we", "show."]


def test_on_a_very_narrow_one_rows_are_records() -> None:
    lines = on_a_terminal(40)
    assert max(map(len, lines)) <= 40
    assert [line.split()[0] for line in lines if not line.startswith(" ")] == [
        "name", "belief", "sentence", "name", "sentence",
    ]  # fmt: skip
    assert lines[1] == "belief    0.12"
    assert "[MASK]" in "".join(lines)
    assert lines[-1] == "sentence  It is a token:, yes"


@pytest.mark.parametrize("cells", [[], [["", ""]], [["a" * 300, "词" * 300]]])
def test_any_cells_are_printed(cells: list[list[str]], capsys: pytest.CaptureFixture[str]) -> None:
    print_table(["a", ""], cells, "title")
    printed = capsys.readouterr().out
    assert printed.startswith("title")
    for text in (text for row in cells for text in row):
        assert printed.count(text[:1]) >= len(text)


@pytest.mark.parametrize(
    ("value", "unit", "said"),
    [
        (91.5, "%", "91.5%"),
        (2.0, "x", "2x"),
        (7.7, "points", "7.7 points"),
        (1234567.0, "", "1234567"),
        (0.00012345678, "", "0.000123457"),
    ],
)
def test_figures(value: float, unit: str, said: str) -> None:
    assert with_unit(value, unit) == said
