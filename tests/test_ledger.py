from __future__ import annotations

import itertools
import random
import sqlite3
import threading
from pathlib import Path

import pytest

from kg.errors import NotFoundError, StoreError
from kg.ledger import Ledger
from kg.ledger_file import FILE
from kg.ledger_rows import source_of
from kg.read.items import WITHDRAWN, Read, Rejected
from kg.records import Entity, Extraction, Mention, Paper, Source, content_id, digest


def read(file: str, position: int, text: str, id: str = "", notes: tuple[str, ...] = ()) -> Read:
    return Read(Paper(id or content_id(text), text, source=Source(file, position)), notes)


def found(paper: Paper) -> Extraction:
    word = paper.text.split()[0]
    mention = Mention(paper.id, "text", 0, len(word), word, "Model", word, 0.9, "r")
    return Extraction(paper.id, (Entity(word, word, "Model", (word,)),), (mention,))


def extract_all(ledger: Ledger, extractor: str = "e1") -> int:
    pending = list(ledger.pending(extractor))
    ledger.add_extractions([(p, found(p)) for p in pending], extractor)
    return len(pending)


def fill(ledger: Ledger, *items: Read | Rejected) -> None:
    for file, group in itertools.groupby(items, key=lambda i: source_of(i).file):
        ledger.replace_file(file, group)
    ledger.settle()


def test_every_record_has_an_outcome(tmp_path: Path) -> None:
    with Ledger(tmp_path / "g", create=True) as ledger:
        fill(
            ledger,
            read("a", 1, "BERT is good"),
            read("a", 2, "BERT  is GOOD"),
            Rejected(Source("a", 3), "line 7: broken JSON", "broken"),
            Rejected(Source("a", 4), "no abstract", "empty"),
        )
        assert ledger.outcomes() == {"duplicate": 1, "empty": 1, "read": 1, "rejected": 1}
        extract_all(ledger)
        assert [(s.position, o, r) for s, o, r, _ in ledger.records()] == [
            (1, "extracted", ""),
            (2, "duplicate", "same text as a:1"),
            (3, "rejected", "line 7: broken JSON"),
            (4, "empty", "no abstract"),
        ]


def test_reading_the_same_file_again_changes_nothing(tmp_path: Path) -> None:
    items = [read("a", 1, "BERT is good"), Rejected(Source("a", 2), "broken", "broken")]
    with Ledger(tmp_path, create=True) as ledger:
        assert ledger.replace_file("a", items) == 2
        ledger.settle()
        extract_all(ledger)
        before = ledger.state()
        assert ledger.replace_file("a", items) == 0
        ledger.settle()
        assert list(ledger.pending("e1")) == []
        assert ledger.state() == before
        assert ledger.outcomes() == {"extracted": 1, "rejected": 1}


def test_changed_paper_replaces_what_it_said(tmp_path: Path) -> None:
    with Ledger(tmp_path, create=True) as ledger:
        fill(ledger, read("a", 1, "BERT is good", "1"), read("a", 2, "T5 is too", "2"))
        extract_all(ledger)
        fill(ledger, read("a", 1, "RoBERTa is good", "1"))
        assert [p.id for p in ledger.pending("e1")] == ["1"]
        extract_all(ledger)
        assert [e.entities[0].name for e in ledger.extractions()] == ["RoBERTa"]


def test_new_extractor_version_extracts_again(tmp_path: Path) -> None:
    with Ledger(tmp_path, create=True) as ledger:
        fill(ledger, read("a", 1, "BERT is good"))
        assert extract_all(ledger, "e1") == 1
        assert extract_all(ledger, "e1") == 0
        assert extract_all(ledger, "e2") == 1


def test_order_of_files_does_not_count(tmp_path: Path) -> None:
    items = [
        read("a", 1, "BERT is good", "x"),
        read("b", 1, "bert is good"),
        read("b", 2, "T5 is good", "x"),
        read("c", 1, "ELMo was good", "y"),
        read("d", 1, "ELMo was good", "z"),
    ]
    states = set()
    for seed in range(6):
        random.Random(seed).shuffle(items)
        with Ledger(tmp_path / str(seed), create=True) as ledger:
            fill(
                ledger,
                *sorted(items, key=lambda i: (digest(seed, source_of(i).file), source_of(i))),
            )
            extract_all(ledger)
            states.add((ledger.state(), tuple(map(str, ledger.records()))))
    assert len(states) == 1


def test_the_own_id_of_a_source_wins_over_a_hash(tmp_path: Path) -> None:
    with Ledger(tmp_path, create=True) as ledger:
        fill(ledger, read("a", 1, "BERT is good"), read("b", 1, "BERT is good", "1810.04805"))
        assert [p.id for p in ledger.papers()] == ["1810.04805"]


def test_removed_paper_is_gone(tmp_path: Path) -> None:
    with Ledger(tmp_path, create=True) as ledger:
        fill(ledger, read("a", 1, "BERT is good", "1"), read("a", 2, "T5 is too", "2"))
        extract_all(ledger)
        assert ledger.remove(["1"]) == 1
        assert [p.id for p in ledger.papers()] == ["2"]
        assert [x.paper for x in ledger.extractions()] == ["2"]
        with pytest.raises(NotFoundError, match="no paper has the id '1'"):
            ledger.remove(["1"])


def test_removed_paper_does_not_come_back_under_another_id(tmp_path: Path) -> None:
    same = "BERT is good"
    with Ledger(tmp_path, create=True) as ledger:
        fill(
            ledger,
            read("a", 1, same, "1"),
            read("b", 1, same),
            read("c", 1, same, "2"),
            read("d", 1, "T5 is too", "1"),
            read("e", 1, "T5 is too", "3"),
        )
        extract_all(ledger)
        assert ledger.remove(["1"]) == 4
        assert [(s.file, o) for s, o, _, _ in ledger.records()] == [("e", "extracted")]


def test_texts_that_are_lost_are_clashes(tmp_path: Path) -> None:
    with Ledger(tmp_path, create=True) as ledger:
        fill(
            ledger,
            read("a", 1, "BERT is good", "1"),
            read("a", 2, "bert is good", "1"),
            read("a", 3, "T5 is good", "1"),
            read("a", 4, "ELMo is good", "1"),
            read("a", 5, "ELMo is good", "2"),
        )
        assert ledger.clashes() == [(Source("a", 3), "same id, another text, as a:1")]


def test_papers_that_are_gone_are_counted(tmp_path: Path) -> None:
    with Ledger(tmp_path, create=True) as ledger:
        fill(ledger, read("a", 1, "BERT is good"), read("a", 2, "T5 is good", "2"))
        extract_all(ledger)
        ledger.replace_file("b", [read("b", 1, "BERT is good", "1")])
        assert ledger.settle() == 0  # it has another id now
        ledger.replace_file("a", [read("a", 1, "ELMo is good")])
        assert ledger.settle() == 1
        assert ledger.settle() == 0


def test_extraction_of_what_changed_or_went_meanwhile_is_not_stored(tmp_path: Path) -> None:
    with Ledger(tmp_path, create=True) as one, Ledger(tmp_path) as other:
        fill(one, read("a", 1, "BERT is good", "1"), read("a", 2, "T5 is good", "2"))
        pending = [(p, found(p)) for p in one.pending("e")]
        fill(other, read("a", 1, "ELMo is good", "1"))
        one.add_extractions(pending, "e")
        assert list(one.extractions()) == []
        assert one.outcomes() == {"read": 1}


def test_a_write_waits_for_that_of_another(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("kg.ledger_file._TIMEOUT", 0.01)
    Ledger(tmp_path, create=True).close()
    writing, waiting = threading.Event(), threading.Event()
    monkeypatch.setattr("kg.ledger_file._log.warning", lambda *_: waiting.set())

    def write() -> None:
        with Ledger(tmp_path) as ledger, ledger.transaction():
            writing.set()
            assert waiting.wait(10)

    thread = threading.Thread(target=write)
    thread.start()
    assert writing.wait(10)
    with Ledger(tmp_path) as ledger:
        ledger.set("a", "b")
        assert ledger.get("a") == "b"
    thread.join()
    monkeypatch.setattr("kg.ledger_file._PATIENCE", 0.0)
    refused = pytest.raises(StoreError, match="another kg process is writing to it; run this again")
    with Ledger(tmp_path) as one, Ledger(tmp_path) as other, one.transaction(), refused:
        other.set("a", "c")


def test_a_database_that_another_one_writes_to_is_not_deleted(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("kg.ledger_file._TIMEOUT", 0.01)
    monkeypatch.setattr("kg.ledger_file._PATIENCE", 0.0)
    file = tmp_path / "other.sqlite"
    other = sqlite3.connect(file, isolation_level=None)
    other.execute("CREATE TABLE t (x)")
    other.execute("BEGIN EXCLUSIVE")
    refused = pytest.raises(StoreError, match=r"other\.sqlite cannot be used: database is locked")
    with Ledger(tmp_path, create=True) as ledger, refused:
        ledger.attach(file.name, "other", lambda _: True)
    assert file.exists()
    other.close()


def test_full_disk_is_told_and_undone(tmp_path: Path) -> None:
    with Ledger(tmp_path, create=True) as ledger:
        fill(ledger, read("a", 1, "BERT is good"))
        (pages,) = ledger._db.execute("PRAGMA page_count").fetchone()
        ledger._db.execute(f"PRAGMA max_page_count = {pages:d}")
        with pytest.raises(StoreError, match=r"ledger\.sqlite cannot be used: .*disk full\?"):
            fill(ledger, *(read("b", n, f"Paper {n} " * 50) for n in range(1, 100)))
        assert ledger.outcomes() == {"read": 1}


def test_damage_is_told_by_every_command(tmp_path: Path) -> None:
    with Ledger(tmp_path, create=True) as ledger:
        fill(ledger, read("a", 1, "BERT is good"))
    raw = (tmp_path / FILE).read_bytes()
    (tmp_path / FILE).write_bytes(raw[:4096] + b"A" * (len(raw) - 4096))
    told = pytest.raises(StoreError, match=r"ledger\.sqlite cannot be used: .* restore it")
    with told, Ledger(tmp_path) as ledger:
        ledger.outcomes()


def test_withdrawn_paper_keeps_its_metadata_and_states_nothing(tmp_path: Path) -> None:
    with Ledger(tmp_path, create=True) as ledger:
        fill(ledger, read("a", 1, "BERT is good", "1"))
        extract_all(ledger)
        fill(ledger, read("a", 1, "BERT is good. Withdrawn.", "1", (WITHDRAWN,)))
        assert extract_all(ledger) == 0
        assert [p.id for p in ledger.papers()] == ["1"]
        assert list(ledger.extractions()) == []
        assert [(o, r) for _, o, r, _ in ledger.records()] == [("empty", "withdrawn")]


def test_file_that_cannot_be_read_any_more_keeps_what_it_held(tmp_path: Path) -> None:
    with Ledger(tmp_path, create=True) as ledger:
        fill(ledger, read("a", 1, "BERT is good"))
        fill(ledger, Rejected(Source("a", 0), "no such file", "missing"))
        assert len(list(ledger.papers())) == 1
        fill(ledger, read("a", 1, "BERT is good"))
        assert ledger.outcomes() == {"read": 1}


def test_standard_input_adds(tmp_path: Path) -> None:
    with Ledger(tmp_path, create=True) as ledger:
        fill(ledger, read("-", 1, "BERT is good"))
        fill(ledger, read("-", 1, "T5 is good"))
        fill(ledger, read("-", 1, "BERT is good"))
        assert len(list(ledger.papers())) == 2
        fill(ledger, Rejected(Source("-", 0), "there is no record in it", "empty-file"))
        assert ledger.outcomes() == {"read": 2}


def test_failed_write_leaves_the_ledger_as_it_was(tmp_path: Path) -> None:
    def items() -> list[Read]:
        return [read("a", 1, "T5 is good")]

    def failing():  # type: ignore[no-untyped-def]
        yield read("a", 1, "BERT is good")
        raise RuntimeError("killed")

    with Ledger(tmp_path, create=True) as ledger:
        fill(ledger, *items())
        before = ledger.state()
        with pytest.raises(RuntimeError, match="killed"):
            ledger.replace_file("a", failing())
        assert ledger.state() == before


def test_no_ledger_and_no_database_are_told_apart(tmp_path: Path) -> None:
    with pytest.raises(NotFoundError, match="kg build"):
        Ledger(tmp_path)
    (tmp_path / FILE).write_bytes(b"this is no database, whatever its name says " * 50)
    with pytest.raises(StoreError, match="cannot be used: file is not a database; restore it"):
        Ledger(tmp_path)


def test_newer_ledger_is_refused(tmp_path: Path) -> None:
    Ledger(tmp_path, create=True).close()
    db = sqlite3.connect(tmp_path / FILE)
    db.execute("PRAGMA user_version = 99")
    db.close()
    with pytest.raises(StoreError, match="newer sotagraph"):
        Ledger(tmp_path)
