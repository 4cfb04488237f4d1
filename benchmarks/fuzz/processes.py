"""Units of mutants, tried in a process of their own, which a mutant may hang or end."""

import logging
import multiprocessing
import random
import resource
import tempfile
import warnings
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from multiprocessing.connection import Connection
from pathlib import Path

from benchmarks.fuzz import functions, logs
from benchmarks.fuzz.logs import Outcome

KEPT = Path(".cache") / "fuzz"
MEMORY = 6 << 30  # bytes of address space for a process that tries mutants
DIED = "the process died"


@dataclass(frozen=True)
class Unit:
    """Some mutants of one source."""

    source: str
    index: int
    seed: int
    mutants: int

    @property
    def key(self) -> str:
        """Name of the unit in the store."""
        return f"{self.source}:{self.index}:{self.seed}:{self.mutants}"

    @property
    def kept(self) -> Path:
        """The folder for its mutants that must be examined."""
        return KEPT / "found" / self.source.replace(":", "-") / f"{self.seed}-{self.index}"


def cases(unit: Unit, place: Path) -> Iterator[Callable[[], Outcome]]:
    """The mutants of a unit, in the order of its seed."""
    rng = random.Random(unit.key)
    found = functions.functions().get(unit.source)
    if found is not None:
        return functions.cases(unit.source, found, rng, unit.mutants)
    return logs.cases(
        logs.sources(place)[unit.source], place / "copy", rng, unit.mutants, unit.kept
    )


def try_mutants(pipe: Connection) -> None:
    """Send the outcome of every mutant of the requested units; runs in a separate process."""
    resource.setrlimit(resource.RLIMIT_AS, (MEMORY, MEMORY))
    warnings.simplefilter("ignore")
    logging.disable()
    while (asked := pipe.recv()) is not None:
        unit, first = asked
        with tempfile.TemporaryDirectory() as temporary:
            try:
                for at, case in enumerate(cases(unit, Path(temporary))):
                    if at >= first:
                        pipe.send(case())
            except Exception as error:  # of the fuzzer itself
                pipe.send(error)


class Process:
    """A process that tries mutants, replaced by another when one of them hangs or ends it."""

    def __init__(self, limit: float) -> None:
        self.limit = limit
        self._start()

    def _start(self) -> None:
        context = multiprocessing.get_context("spawn")
        self.pipe, theirs = context.Pipe()
        self.process = context.Process(target=try_mutants, args=(theirs,), daemon=True)
        self.process.start()
        theirs.close()

    def outcomes(self, unit: Unit) -> list[Outcome]:
        """What every mutant of a unit comes to."""
        found: list[Outcome] = []
        self.pipe.send((unit, 0))
        while len(found) < unit.mutants:
            outcome = self._next()
            if isinstance(outcome, Exception):
                raise outcome
            found.append(outcome or Outcome("hang", f"longer than {self.limit:g} s"))
            if outcome is None or outcome.detail == DIED:
                self.process.kill()
                self._start()
                self.pipe.send((unit, len(found)))
        return found

    def _next(self) -> Outcome | Exception | None:
        try:
            return self.pipe.recv() if self.pipe.poll(self.limit) else None
        except (EOFError, ConnectionResetError):
            return Outcome("foreign", DIED)
