"""Extractions as Parquet: written, read, and assembled as if they had been extracted here."""

from __future__ import annotations

import dataclasses
import io
import json
import subprocess
import sys
import zipfile
from collections.abc import Iterator
from datetime import date
from itertools import islice
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from killed_builds import Stub
from nasty import SEEN_TO_BREAK

import kg
from kg import extract
from kg.directory import Plan
from kg.errors import InputError
from kg.extract.partitions import extract_file, extracted, output_of, partitions
from kg.parquet import columns, metadata, rejections, write
from kg.project.json_lines import write_json
from kg.read import WITHDRAWN, Read, Rejected, read, read_file
from kg.read.items import Kind
from kg.records import Extraction, Mention, Paper, Source
from kg.resources import CORPUS

pa = pytest.importorskip("pyarrow")
pq = pytest.importorskip("pyarrow.parquet")

ONE, TWO, THREE = "Alpha1Net and Alpha2Net", "Alpha2Net and Alpha3Net", "Alpha1Net or Alpha3Net"


@pytest.fixture
def stub(monkeypatch: pytest.MonkeyPatch) -> type[Stub]:
    """Extract with :class:`Stub`, which knows no language, and is quick."""

    class Own(Stub):
        version = "stub@1"

    monkeypatch.setattr(extract, "load", lambda name="": Own())
    return Own


def lines(path: Path, *records: tuple[str, str]) -> Path:
    path.write_text("".join(json.dumps({"id": i, "text": t}) + "\n" for i, t in records))
    return path


def extract_all(paths: list[Path], directory: Path, engine: object) -> Path:
    directory.mkdir(exist_ok=True)
    for file in partitions(paths):
        extract_file(file, directory, engine)  # type: ignore[arg-type]
    return directory


def exported(directory: Path) -> bytes:
    out = io.BytesIO()
    write_json(kg.load(directory), out)
    return out.getvalue()


def test_columns_are_those_of_the_records() -> None:
    """Whoever changes them changes the files that people have: raise LAYOUT."""
    assert columns().names == [
        *("file", "position", "id", "text", "title", "date", "venue", "authors", "url", "doi"),
        *("notes", "problem", "reason", "extractor"),
        *("entities", "mentions", "statements", "results", "warnings"),
    ]
    mention = columns().field("mentions").type.value_type
    assert [f.name for f in mention] == [f.name for f in dataclasses.fields(Mention)]
    assert mention.field("start").type == pa.int64()
    assert mention.field("confidence").type == pa.float64()
    evidence = columns().field("statements").type.value_type.field("evidence").type.value_type
    assert evidence.field("negated").type == pa.bool_()


def test_what_is_written_is_read_again(tmp_path: Path) -> None:
    engine = extract.load("patterns")
    found = [*islice(read([CORPUS]), 40), Rejected(Source("x.txt", 3), "no abstract", "empty")]
    found += [
        Read(Paper(f"n{n}", f"We use BERT. {t}", t, source=Source("n", n)), (t,))
        for n, t in enumerate(SEEN_TO_BREAK, 1)
        if t.encode("utf-8", "ignore").decode() == t  # the readers let no surrogate through
    ]
    found.append(Read(Paper("w", "This paper is withdrawn.", source=Source("w", 1)), (WITHDRAWN,)))
    items = list(extracted(found, engine))
    path = tmp_path / "a.parquet"
    write(path, items, {"extractor": engine.version})
    assert list(read([path])) == items
    rows = str(len(items))
    assert metadata(path) == {"layout": "1", "extractor": engine.version, "rows": rows}
    assert [r and r.kind for r in rejections(path)].count("empty") == 1
    assert sum(i.extraction is not None for i in items if isinstance(i, Read)) == len(items) - 2
    assert pq.ParquetFile(path).metadata.row_group(0).column(0).compression == "ZSTD"


text = st.text(st.characters(exclude_categories=["Cs"]), max_size=20)


papers = st.builds(Paper, text.filter(bool), text, text, authors=st.lists(text).map(tuple))
kinds = st.sampled_from(Kind.__args__)  # type: ignore[attr-defined]


@settings(max_examples=20, deadline=None, suppress_health_check=list(HealthCheck))
@given(
    st.sampled_from(["a.jsonl", "é", ""]),
    st.lists(st.tuples(papers | kinds, text, st.booleans()), min_size=1, max_size=5),
)
def test_any_item_comes_back(
    tmp_path_factory: pytest.TempPathFactory,
    file: str,
    drawn: list[tuple[Paper | Kind, str, bool]],
) -> None:
    items: list[Read | Rejected] = []
    for position, (what, words, done) in enumerate(drawn):
        source = Source(file, position * 2**60)
        if isinstance(what, Paper):
            item = Read(dataclasses.replace(what, source=source), (words,))
            found = Extraction(what.id, warnings=(words,))
            items.append(
                dataclasses.replace(item, extraction=found, extractor="x@1") if done else item
            )
        else:
            items.append(Rejected(source, words, what))
    path = tmp_path_factory.getbasetemp() / "any.parquet"
    write(path, items, {})
    assert list(read([path])) == items


def test_a_build_takes_extractions_as_its_own(tmp_path: Path, stub: type[Stub]) -> None:
    a = lines(tmp_path / "a.jsonl", ("1", ONE), ("2", TWO), ("3", "nothing"))
    b = lines(tmp_path / "b.jsonl", ("4", THREE))
    b.write_text(b.read_text() + "{broken\n")
    parts = extract_all([a, b, tmp_path / "missing"], tmp_path / "parts", stub())
    plans: list[Plan] = []
    report = kg.build([parts], tmp_path / "g", before=plans.append)
    assert plans == [Plan("stub@1", 0, {}, 4)]
    assert str(plans[0]) == "papers that came extracted by stub@1: 4"
    assert (report.extracted, report.given, report.changed) == (0, 4, True)
    assert report.outcomes == {"empty": 1, "extracted": 3, "rejected": 1}
    assert ("missing", 0) in {(Path(file).name, position) for file, position, _ in report.problems}
    whole = kg.build([a, b, tmp_path / "missing"], tmp_path / "whole")
    assert (whole.outcomes, whole.counts) == (report.outcomes, report.counts)
    assert set(whole.problems) == set(report.problems)
    assert exported(tmp_path / "g") == exported(tmp_path / "whole")
    before = {p.name: p.read_bytes() for p in (tmp_path / "g").iterdir()}
    again = kg.build([parts], tmp_path / "g")
    assert (again.records_changed, again.given, again.changed) == (0, 0, False)
    kg.build([a, b], tmp_path / "g")
    assert {p.name: p.read_bytes() for p in (tmp_path / "g").iterdir()} == before


def test_another_extractor_does_it_again_and_says_so(tmp_path: Path, stub: type[Stub]) -> None:
    a = lines(tmp_path / "a.jsonl", ("1", ONE), ("2", TWO))
    parts = extract_all([a], tmp_path / "parts", stub())
    stub.version = "stub@2"
    plans: list[Plan] = []
    report = kg.build([parts], tmp_path / "g", before=plans.append)
    assert str(plans[0]) == "papers to extract by stub@2: 2 again that were done by stub@1"
    assert (report.extracted, report.given) == (2, 0)
    kg.build([a], tmp_path / "whole")
    assert exported(tmp_path / "g") == exported(tmp_path / "whole")
    again = kg.build([parts], tmp_path / "g", before=plans.append)
    assert (again.extracted, again.changed) == (0, False)  # what is there is not made worse


@pytest.mark.parametrize("order", [(0, 1, 2), (2, 1, 0)])
def test_duplicates_are_settled_as_ever(
    tmp_path: Path, stub: type[Stub], order: tuple[int, ...]
) -> None:
    files = [
        lines(tmp_path / "a.jsonl", ("1", ONE), ("1", TWO)),
        lines(tmp_path / "b.jsonl", ("1", THREE), ("2", ONE)),
        lines(tmp_path / "c.jsonl", ("3", TWO)),
    ]
    parts = extract_all(files, tmp_path / "parts", stub())
    outputs = [output_of(str(f), parts) for f in files]
    report = kg.build([outputs[n] for n in order], tmp_path / "g")
    whole = kg.build(files, tmp_path / "whole")
    assert (report.extracted, report.given) == (0, 2)
    assert report.outcomes == whole.outcomes
    assert exported(tmp_path / "g") == exported(tmp_path / "whole")
    assert not kg.build(outputs, tmp_path / "g").given


def test_a_changed_text_replaces_what_it_said(tmp_path: Path, stub: type[Stub]) -> None:
    a = lines(tmp_path / "a.jsonl", ("1", ONE), ("2", TWO))
    kg.build([extract_all([a], tmp_path / "parts", stub())], tmp_path / "g")
    lines(a, ("1", THREE))
    report = kg.build([extract_all([a], tmp_path / "parts", stub())], tmp_path / "g")
    assert (report.extracted, report.given, report.counts["papers"]) == (0, 1, 1)
    kg.build([a], tmp_path / "whole")
    assert exported(tmp_path / "g") == exported(tmp_path / "whole")


def test_what_does_not_fit_its_text_is_refused(tmp_path: Path, stub: type[Stub]) -> None:
    a = lines(tmp_path / "a.jsonl", ("1", ONE), ("2", TWO))
    path = output_of(str(a), extract_all([a], tmp_path / "parts", stub()))
    table = pq.read_table(path)
    rows = table.to_pylist()
    rows[0]["text"] = "Another " + rows[0]["text"]
    about = {**table.schema.metadata, "sotagraph.rows": "2"}
    pq.write_table(pa.Table.from_pylist(rows, table.schema.with_metadata(about)), path)
    bad, good = read([path])
    assert isinstance(bad, Rejected)
    assert (bad.kind, bad.source.position) == ("broken", 1)
    assert isinstance(good, Read)


def test_a_file_that_was_edited_is_refused(tmp_path: Path, stub: type[Stub]) -> None:
    a = lines(tmp_path / "a.jsonl", ("1", ONE), ("2", TWO), ("3", THREE))
    path = output_of(str(a), extract_all([a], tmp_path / "parts", stub()))
    kg.build([path], tmp_path / "g")
    table = pq.read_table(path)
    pq.write_table(table.slice(1, 2), path)  # pyarrow keeps what it was told of the whole
    (item,) = read([path])
    assert isinstance(item, Rejected)
    assert item.kind == "broken"
    assert kg.build([path], tmp_path / "g").counts["papers"] == 3
    pq.write_table(table.replace_schema_metadata(None).slice(1, 2), path)
    assert [r.paper.id for r in read([path]) if isinstance(r, Read)] == ["2", "3"]


def test_a_file_that_is_done_is_not_done_again(tmp_path: Path, stub: type[Stub]) -> None:
    a = lines(tmp_path / "a.jsonl", ("1", ONE), ("2", ""))
    a.write_text(a.read_text() + "{broken\n")
    (file,) = partitions([a])
    first = extract_file(file, tmp_path, stub())
    assert (first.papers, first.rejected, first.kept) == (1, 1, False)
    assert first.problems[0][:2] == (str(a), 3)
    again = extract_file(file, tmp_path, stub())
    assert again == dataclasses.replace(first, kept=True)
    assert not extract_file(file, tmp_path, stub(), "jsonl").kept
    assert extract_file(file, tmp_path, stub(), "jsonl").kept
    stub.version = "stub@2"
    assert not extract_file(file, tmp_path, stub(), "jsonl").kept
    lines(a, ("1", TWO))
    assert not extract_file(file, tmp_path, stub(), "jsonl").kept
    path = output_of(str(a), tmp_path)
    path.write_bytes(path.read_bytes()[:-9])
    assert not extract_file(file, tmp_path, stub(), "jsonl").kept
    assert extract_file(file, tmp_path, stub(), "jsonl").kept


def test_equal_inputs_give_equal_files(tmp_path: Path, stub: type[Stub]) -> None:
    a = lines(tmp_path / "a.jsonl", *((str(n), ONE) for n in range(1100)))
    one, two = (extract_all([a], tmp_path / d, stub()) for d in ("one", "two"))
    (x,), (y,) = one.iterdir(), two.iterdir()
    assert x.read_bytes() == y.read_bytes()
    assert pq.ParquetFile(x).num_row_groups == 2


def test_a_file_is_written_whole_or_not_at_all(tmp_path: Path) -> None:
    path = tmp_path / "a.parquet"
    item = Read(Paper("1", ONE, source=Source("a", 1)))
    write(path, [item], {})

    def broken() -> Iterator[Read]:
        yield from [item] * 3000
        raise ZeroDivisionError

    with pytest.raises(ZeroDivisionError):
        write(path, broken(), {})
    assert list(read([path])) == [item]
    assert list(tmp_path.iterdir()) == [path]


def test_each_input_file_has_a_name_of_its_own(tmp_path: Path) -> None:
    names = ["a/x.jsonl", "b/x.jsonl", "*.txt", "..", "é", "z" * 300, "a b", "a_b"]
    outputs = {output_of(n, tmp_path) for n in names}
    assert len(outputs) == len(names)
    assert all(p.parent == tmp_path and len(p.name) < 120 for p in outputs)
    assert not any(p.name.startswith(".") for p in outputs)
    one = tmp_path / "x.txt"
    one.write_text(ONE)
    assert len(list(partitions([one, tmp_path, str(tmp_path / "*.txt")]))) == 1
    assert len(list(partitions(str(one)))) == 1
    with pytest.raises(InputError, match="standard input"):
        list(partitions(["-"]))


def test_one_file_is_read_as_all_files_are(tmp_path: Path) -> None:
    lines(tmp_path / "a.jsonl", ("1", ONE), ("2", ""))
    (tmp_path / "README").write_text("not abstracts")
    with zipfile.ZipFile(tmp_path / "z.zip", "w") as z:
        z.writestr("x.txt", ONE)
        z.writestr("y.txt", TWO)
    paths = [tmp_path, tmp_path / "none"]
    one_by_one: list[Read | Rejected] = []
    for file in partitions(paths):
        one_by_one += [file] if isinstance(file, Rejected) else read_file(file)
    assert one_by_one == list(read(paths))


def test_papers_of_others_are_read(tmp_path: Path) -> None:
    path = tmp_path / "papers.parquet"
    rows = [
        {
            "arxiv_id": "2401.00001", "Title": "On parsing", "abstract": "We study parsing.",
            "authors": ["Ada Lovelace", "Alan Turing"], "published": date(2024, 1, 2),
            "embedding": [0.5] * 8, "pdf": b"%PDF", "n": None,
        },
        {"abstract": None, "Title": "Without"},
    ]  # fmt: skip
    pq.write_table(pa.Table.from_pylist(rows), path)
    first, second = read([path])
    assert isinstance(first, Read)
    assert first.paper == Paper(
        "2401.00001", "We study parsing.", "On parsing", "2024-01-02",
        authors=("Ada Lovelace", "Alan Turing"), source=Source(path.as_posix(), 1),
    )  # fmt: skip
    assert first.extraction is None
    assert isinstance(second, Rejected)
    assert second.kind == "empty"


def test_parquet_that_cannot_be_used_says_why(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def kind(path: Path) -> tuple[str, int, str]:
        *_, item = read([path])
        assert isinstance(item, Rejected)
        return item.kind, item.source.position, item.reason

    path = tmp_path / "a.parquet"
    pq.write_table(pa.Table.from_pylist([{"n": 1}]), path)
    assert kind(path)[:2] == ("no-text", 1)
    pq.write_table(pa.Table.from_pylist([{"text": ONE}]).slice(0, 0), path)
    assert kind(path)[:2] == ("empty-file", 0)
    write(path, [Read(Paper("1", ONE, source=Source("a", 1)))], {})
    raw = path.read_bytes()
    (tmp_path / "zip.zip").write_bytes(b"")
    with zipfile.ZipFile(tmp_path / "zip.zip", "w") as z:
        z.writestr("a.parquet", raw)
    assert "give the path" in kind(tmp_path / "zip.zip")[2]
    for length in (4, 5, 100, len(raw) // 2, len(raw) - 1):
        path.write_bytes(raw[:length])
        assert kind(path)[0] == "truncated"
    future = columns().with_metadata({"sotagraph.layout": "2"})
    pq.write_table(future.empty_table(), path)
    assert kind(path)[0] == "unsupported"
    assert "layout 2" in kind(path)[2]
    monkeypatch.setitem(sys.modules, "pyarrow", None)
    assert "pip install 'sotagraph[parquet]'" in kind(path)[2]


def test_nothing_else_imports_pyarrow_or_ray() -> None:
    code = (
        "import sys, kg.directory, kg.read.parquet, kg.extract.on_ray;"
        "print([m for m in ('pyarrow', 'ray') if m in sys.modules]);"
        "import kg.cli; print('ray' in sys.modules)"  # neo4j imports pyarrow if it is there
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.split() == ["[]", "False"]
