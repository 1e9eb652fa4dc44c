"""Run a target over many inputs in a process of its own, which may hang or die."""

from __future__ import annotations

import faulthandler
import multiprocessing
import signal
import sys
import time
import traceback
from dataclasses import dataclass, field
from multiprocessing.connection import Connection
from random import Random

from .targets import TARGETS

__all__ = ["Report", "one", "run"]

BOUND = 60
"""Seconds of processor time that one input may take; a usual one takes some milliseconds,
a hundred thousand characters of brackets half a minute with the trained model."""

WAIT = 600
"""Seconds that one input may take by the clock."""

MOST = 20
"""Findings after which a target is left."""


class HangError(Exception):
    """An input took more than :data:`BOUND` seconds."""


@dataclass
class Report:
    """What came of a target: how many inputs, how long, what was found, by number of the input."""

    target: str
    seed: int
    inputs: int = 0
    seconds: float = 0.0
    slowest: tuple[float, int] = (0.0, 0)
    findings: dict[int, str] = field(default_factory=dict)

    def add(self, what: str) -> None:
        """Note that something was found in the input that comes next, and tell it at once."""
        self.findings[self.inputs] = what
        print(f"{self.target} {self.inputs}: {what.splitlines()[-1][:200]}", file=sys.stderr)

    def __str__(self) -> str:
        slowest, at = self.slowest
        lines = [f"{self.target:17}{self.inputs:6} inputs {self.seconds:7.1f} s"]
        lines[0] += f"   slowest {slowest:5.2f} s (input {at})   {len(self.findings)} findings"
        for number, what in self.findings.items():
            lines.append(
                f"  python -m tests.fuzz --seed {self.seed} --only {self.target} --input {number}"
            )
            lines += [f"    {line[:300]}" for line in what.splitlines()[-12:]]
        return "\n".join(lines)


def one(target: str, seed: int, number: int) -> None:
    """Run one input of a target in this process; what is found is raised."""
    TARGETS[target][1](Random(f"{seed}/{target}/{number}"))


def run(target: str, seed: int, inputs: int) -> Report:
    """Run ``inputs`` inputs of a target; a process that dies or hangs is a finding, too."""
    report = Report(target, seed)
    began = time.perf_counter()
    context = multiprocessing.get_context("spawn")
    while report.inputs < inputs and len(report.findings) < MOST:
        here, there = context.Pipe(duplex=False)
        child = context.Process(target=_work, args=(there, target, seed, report.inputs, inputs))
        child.start()
        there.close()
        try:
            while here.poll(WAIT):
                what, seconds = here.recv()
                report.slowest = max(report.slowest, (seconds, report.inputs))
                if what:
                    report.add(what)
                report.inputs += 1
                if report.inputs >= inputs or len(report.findings) >= MOST:
                    break
            else:
                report.add(f"nothing came for {WAIT} s")
                report.inputs += 1
        except EOFError:
            child.join()
            report.add(f"the process ended with code {child.exitcode}")
            report.inputs += 1
        child.kill()
        child.join()
    report.seconds = time.perf_counter() - began
    return report


def _hang(*_: object) -> None:
    raise HangError(f"more than {BOUND} s")


def _work(pipe: Connection, target: str, seed: int, first: int, inputs: int) -> None:
    faulthandler.enable()
    if hasattr(signal, "setitimer"):
        signal.signal(signal.SIGPROF, _hang)
    _timed(target, seed, 0)  # what is loaded once shall not count
    for number in range(first, inputs):
        pipe.send(_timed(target, seed, number))


def _timed(target: str, seed: int, number: int) -> tuple[str, float]:
    """Return what was found, and how many seconds of processor time it took."""
    timed = hasattr(signal, "setitimer")
    began = time.process_time()
    what = ""
    try:
        if timed:
            signal.setitimer(signal.ITIMER_PROF, BOUND)
        one(target, seed, number)
    except Exception:
        what = traceback.format_exc()
    finally:
        if timed:
            signal.setitimer(signal.ITIMER_PROF, 0)
    return what, time.process_time() - began
