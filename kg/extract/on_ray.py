"""Extract on many machines, or on the cores of this one, with Ray Data.

Each input file is one row of a Ray dataset, and each row a task: :func:`kg.extract.partitions.
extract_file`, which writes one Parquet file. Ray shares the tasks out, and does a task again if its
process or machine died. ``docs/scale.md`` shows how to use it.

Ray (``pip install 'sotagraph[ray]'``) is imported where it is used, here and nowhere else. It is
told to report no usage, and to start no dashboard.
"""

from __future__ import annotations

import logging
import os
import pickle
import uuid
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass, replace
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from kg import extract
from kg.errors import InputError, KgError, StoreError
from kg.extract.parallel import available
from kg.extract.partitions import Outcome, extract_file, output_of, partitions
from kg.parquet import require
from kg.read import FORMATS, Rejected
from kg.read.places import File, Paths

if TYPE_CHECKING:
    from kg.extract.pipeline import Extractor

__all__ = ["Report", "extract_to_parquet"]

_LOST: Final = "the process that did it died again and again; is memory short, or a node broken?"


@dataclass(frozen=True, slots=True)
class Report:
    """What an extraction did.

    Attributes
    ----------
    directory : where the Parquet files are.
    files : what became of each input file, by name.
    """

    directory: Path
    files: tuple[Outcome, ...]

    @property
    def papers(self) -> int:
        """Number of papers in all files."""
        return sum(f.papers for f in self.files)

    @property
    def failed(self) -> tuple[Outcome, ...]:
        """The files that could not be done."""
        return tuple(f for f in self.files if f.failure)


def extract_to_parquet(
    paths: Paths,
    directory: str | Path,
    *,
    extractor: str = extract.DEFAULT,
    workers: int | None = None,
    format: str | None = None,
    address: str | None = None,
    progress: Callable[[str, int, int | None], None] | None = None,
) -> Report:
    """Extract each file into a Parquet file in ``directory``, by the processes of Ray.

    ``kg build DIRECTORY`` assembles them. A file whose result is there already is not done again.

    Parameters
    ----------
    paths : files, directories and globs, as for :func:`kg.read.read`; each file is a unit of work.
    directory : made if it is not there; for one run at a time. On a cluster, all machines see it
        under this path, and the files under theirs.
    extractor : name of the extractor, or path of a trained model.
    workers : number of files that are done at a time; None is all cores.
    format : one of :data:`kg.read.FORMATS` for every file, instead of what its content tells.
    address : of a running Ray cluster, as for ``ray.init``; None is what ``RAY_ADDRESS`` names,
        else a Ray of its own on this machine. A Ray that this process has started is used as it is.
    progress : called with ``extract``, the number of files that are done, and of all.

    Returns
    -------
    Report
        With what could not be done: a file that fails does not stop the others.

    Raises
    ------
    InputError
        If Ray or pyarrow is not installed, a path, the format or the extractor cannot be used, or
        an input file lies in ``directory``.
    StoreError
        If the Ray cluster cannot be reached or is lost, or ``directory`` cannot be written.
    """
    if workers is not None and workers < 1:
        raise InputError(f"workers must be at least 1, not {workers}")
    if format is not None and format not in FORMATS:
        raise InputError(f"unknown format {format!r}: one of {', '.join(FORMATS)}")
    require()
    ray = _ray()
    version = extract.load(extractor).version
    if extractor not in ("model", "patterns"):
        extractor = str(Path(extractor).absolute())
    target = Path(directory).absolute()
    task = _Task(str(target), extractor, version, format, uuid.uuid4().hex)
    found = [_absolute(file) for file in partitions(paths)]
    for file in found:
        if isinstance(file, File) and file.path.parent.resolve() == target.resolve():
            raise InputError(f"{file.name} lies in {directory}: write to another directory")
    try:
        target.mkdir(parents=True, exist_ok=True)
        for left in [*target.glob(".*.part"), *target.glob(".*.tries")]:  # by a run that was killed
            left.unlink(missing_ok=True)
    except OSError as error:
        raise StoreError(f"cannot write {directory}: {error.strerror}") from error
    outcomes = {n: Outcome(n, failure=_LOST) for n in sorted(map(_name, found))}
    with _running(ray, address, workers):
        results = _outcomes(ray, sorted(found, key=_by_size), task, workers)
        for done, outcome in enumerate(results, 1):
            outcomes[outcome.file] = outcome
            if progress is not None:
                progress("extract", done, len(found))
    return Report(Path(directory), tuple(outcomes.values()))


@dataclass(frozen=True, slots=True)
class _Task:
    """What is the same for every file of a run.

    Ray Data does a task whose process died again without end. So each try leaves a mark in the
    directory, and the last one finds too many.
    """

    directory: str
    extractor: str
    version: str
    format: str | None
    run: str
    tries: int = 4

    def __call__(self, file: File | Rejected) -> Outcome:
        """Extract ``file``; whatever goes wrong is told, so that the other files go on."""
        path = output_of(_name(file), Path(self.directory))
        mark = path.with_name(f".{path.name}.{self.run}.tries")
        try:
            with mark.open("ab") as marks:
                marks.write(b"x")
            tried = mark.stat().st_size > self.tries
            outcome = Outcome(_name(file), failure=_LOST) if tried else self.extract(file)
            mark.unlink()
        except Exception as error:
            why = str(error) if isinstance(error, KgError) else f"{type(error).__name__}: {error}"
            outcome = Outcome(_name(file), failure=" ".join(why.split()))
            mark.unlink(missing_ok=True)
        return outcome

    def extract(self, file: File | Rejected) -> Outcome:
        """Extract ``file``."""
        engine = _engine(self.extractor, self.version)
        return extract_file(file, Path(self.directory), engine, self.format)


@cache
def _engine(name: str, version: str) -> Extractor:
    """Return the extractor of this process, which goes on from file to file."""
    engine = extract.load(name)
    if engine.version != version:
        raise InputError(
            f"this machine has the extractor {engine.version}, not {version}: install the same "
            "sotagraph, and the same model, on all machines"
        )
    return engine


def _outcomes(
    ray: Any, found: list[File | Rejected], task: _Task, workers: int | None
) -> Iterator[Outcome]:
    """Yield what became of each file as it is done; nothing of those whose process died."""
    if not found:
        return
    # Ray Data's rows hold simple values; pickled bytes are one.
    rows = [{"file": pickle.dumps(file)} for file in found]
    data = ray.data.from_items(rows, override_num_blocks=len(rows))
    data.context.enable_progress_bars = False
    data.context.max_errored_blocks = -1
    data = data.map(_do, fn_kwargs={"task": task}, num_cpus=1, concurrency=workers)
    try:
        for row in data.iter_rows():
            yield pickle.loads(row["outcome"])
    except ray.exceptions.RayError as error:
        why = " ".join(str(error).split())[:300]
        raise StoreError(f"Ray stopped ({why}); run the same again to go on") from error


def _do(row: dict[str, Any], task: _Task) -> dict[str, Any]:
    return {"outcome": pickle.dumps(task(pickle.loads(row["file"])))}


def _absolute(file: File | Rejected) -> File | Rejected:
    """Return ``file`` with a path that does not depend on the directory of a process."""
    return file if isinstance(file, Rejected) else replace(file, path=file.path.absolute())


def _name(file: File | Rejected) -> str:
    return file.source.file if isinstance(file, Rejected) else file.name


def _by_size(file: File | Rejected) -> tuple[int, str]:
    """Order the longest first, so that no core has to wait for a long one at the end."""
    size = 0
    if isinstance(file, File):
        with suppress(OSError):
            size = file.path.stat().st_size
    return -size, _name(file)


def _ray() -> Any:
    """Return the module ``ray``.

    Raises
    ------
    InputError
        If it is not installed.
    """
    os.environ["RAY_USAGE_STATS_ENABLED"] = "0"
    try:
        import ray
        import ray.data
    except ImportError as error:
        raise InputError(f"Ray is not installed ({error}): pip install 'sotagraph[ray]'") from None
    logging.getLogger("ray.data").setLevel(logging.CRITICAL)
    return ray


@contextmanager
def _running(ray: Any, address: str | None, workers: int | None) -> Iterator[None]:
    """Connect to Ray, or start one on this machine; leave one that is connected as it is."""
    if ray.is_initialized():
        yield
        return
    where = address or os.environ.get("RAY_ADDRESS") or "local"
    own: dict[str, Any] = {}
    if where == "local":
        own = {"num_cpus": workers or available(), "include_dashboard": False}
    try:
        ray.init(where, log_to_driver=False, logging_level=logging.ERROR, **own)
    except (OSError, RuntimeError, ValueError) as error:
        why = " ".join(str(error).split())
        raise StoreError(f"cannot use Ray at {where} ({why}); is it running?") from error
    try:
        yield
    finally:
        ray.shutdown()
