"""A log as it was read: outcomes by column, stated scores, remarks, an account of every row.

`Log` is filled by a reader; `Origin` is what remains of it beside the table of outcomes.
"""

from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import chain, repeat
from operator import itemgetter
from pathlib import Path
from typing import Any, Literal

from errbar.base.remarks import Above, about, guess, some_of, way_to_say
from errbar.data.columns import FAILED, UNSCORED
from errbar.errors import InputError, InternalError

_BATCH = 1024  # rows that are buffered before they are moved into columns
COMPANION = "belongs to the logs and adds nothing"  # reason for skipping a file that is not needed


def _counts() -> defaultdict[str, int]:
    """Row counts by reason. A Counter takes five times as long to create, and each file has two."""
    return defaultdict(int)


@dataclass(slots=True)
class Account:
    """Account of a file: its rows, those left out, and those added."""

    rows: int = 0
    left_out: defaultdict[str, int] = field(default_factory=_counts)  # rows by reason
    # rows that are not in the file, by reason
    added: defaultdict[str, int] = field(default_factory=_counts)
    skipped: str = ""  # why the file was not read

    @property
    def kept(self) -> int:
        """Number of rows that must be in the table."""
        return self.rows + sum(self.added.values()) - sum(self.left_out.values())


class Accounts(dict[Path, Account]):
    """Accounts by file."""

    def of(self, path: Path) -> Account:
        """The account of a file, created if there is none yet."""
        found = self.get(path)
        if found is None:
            found = self[path] = Account()
        return found

    def require_closed(self, files: Iterable[Path], rows: int) -> None:
        """Raise an error unless every file and every row is accounted for."""
        lost = next((file for file in files if file not in self), None)
        if lost is not None:
            raise InternalError(f"{lost} was neither read nor skipped.")
        kept = sum(account.kept for account in self.values())
        if kept != rows:
            raise InternalError(
                f"the files contain {sum(account.rows for account in self.values())} rows, of "
                f"which "
                f"{kept} should be in the table; there are {rows}."
            )

    @property
    def skipped(self) -> dict[Path, str]:
        """Skipped files and the reason for each."""
        return {path: account.skipped for path, account in self.items() if account.skipped}

    def in_words(self) -> list[str]:
        """One sentence per reason for which files were skipped or rows left out or added."""
        texts = skipped_in_words(self.skipped)
        for what, counters in (
            ("left out", [account.left_out for account in self.values()]),
            ("added", [account.added for account in self.values()]),
        ):
            total: Counter[str] = Counter()
            for counter in filter(None, counters):
                total.update(counter)
            texts += [
                f"{n} row{'s' * (n > 1)} {what}: {reason}." for reason, n in total.items() if n
            ]
        return texts


def unchecked(where: str) -> Above:
    """Remark that the other columns and rows of a table were not examined, and why."""
    return guess(
        f"{where}: columns are chosen by their names alone, and not checked for rows of totals, "
        f"copies and retries, ids that restart, and conditions that were varied",
        option="--map",
        argument="question='…'",
    )


def skipped_in_words(skipped: Mapping[Path, str]) -> list[str]:
    """Skipped files and the reason for each."""
    reasons: dict[str, list[str]] = {}
    for name, reason in zip(_different_names(list(skipped)), skipped.values(), strict=True):
        reasons.setdefault(reason, []).append(name)
    return [
        f"Not read: {some_of(names)} ({reason.removesuffix('.')})."
        for reason, names in reasons.items()
    ]


def _different_names(paths: Sequence[Path]) -> list[str]:
    """Names of files, with as many folders as it takes to tell them apart.

    Examples
    --------
    >>> _different_names([Path("a/x/log.json"), Path("b/x/log.json"), Path("b/other.json")])
    ['a/x/log.json', 'b/x/log.json', 'other.json']
    """
    names = [path.name for path in paths]
    for depth in range(2, max((len(path.parts) for path in paths), default=0) + 1):
        repeated = {name for name, times in Counter(names).items() if times > 1}
        if not repeated:
            break
        for at, path in enumerate(paths):
            if names[at] in repeated:
                names[at] = "/".join(path.parts[-depth:])
    return names


# Totals that a log may state, each a count over the rows of a system and task.
TALLIES = ("rows", "questions", "right", "failed", "graded rows", "graded questions")


@dataclass(frozen=True, slots=True)
class Claim:
    """A number stated by a log, and how errbar computes the same number."""

    name: str  # name used by the harness
    value: float
    metric: str  # metric of errbar, or one of TALLIES
    system: str = ""
    task: str = ""
    errors: Literal["fail", "missing"] = "fail"  # how the harness treats rows without a result
    digits: int = 9  # decimal places stated by the log


@dataclass(frozen=True, slots=True)
class Origin:
    """Provenance of a log: its reader, the scores it states, remarks, and accounts of its files."""

    reader: str = ""
    why: str = ""  # how the format was recognised
    claims: tuple[Claim, ...] = ()
    remarks: tuple[str, ...] = ()  # choices, omissions and anomalies
    accounts: Accounts = field(default_factory=Accounts)  # an account of every file and row

    def notes(self) -> list[str]:
        """The reader, how the format was recognised, and the remarks; empty without a log."""
        return [*([f"Reader: {self.reader} ({self.why})."] if self.reader else []), *self.remarks]


NOWHERE = Origin()  # for outcomes that do not come from a log


@dataclass
class Log:
    """Outcomes as columns of equal length, with stated scores, remarks, and accounts of files.

    A reader records the number of trials of every file (`read`) and of those that are not in the
    table (`leave_out`), so that nothing is dropped silently.
    """

    claims: list[Claim] = field(default_factory=list)
    remarks: list[str] = field(default_factory=list)
    accounts: Accounts = field(default_factory=Accounts)
    _columns: dict[str, list[Any]] = field(default_factory=dict)
    _waiting: list[dict[str, Any]] = field(default_factory=list)
    _rows: int = 0  # rows in the columns, without the buffered ones
    _trials: Counter[tuple[str, str | None, str]] = field(default_factory=Counter)

    @property
    def columns(self) -> dict[str, list[Any]]:
        """The rows so far, by column."""
        if self._waiting:
            self._store()
        return self._columns

    def add(self, **values: Any) -> None:
        """Add a row; missing columns are filled with None."""
        waiting = self._waiting
        waiting.append(values)
        if len(waiting) == _BATCH:
            self._store()

    def add_trial(
        self, *, system: str, task: str | None = None, question: str, **values: Any
    ) -> None:
        """Add a row as the next trial of its question."""
        key = system, task, question
        tasks = {} if task is None else {"task": task}
        self.add(system=system, **tasks, question=question, trial=self._trials[key], **values)
        self._trials[key] += 1

    def remark_on_repeats(self, text: str) -> None:
        """State how many questions have several trials, whose number takes the place of {}."""
        again = sum(n > 1 for n in self._trials.values())
        if again:
            remark = f"Trials: {text.format(again)}"
            self.remarks.append(guess(remark, option="--files systems", argument="files='systems'"))

    def _store(self) -> None:
        """Move the buffered rows into the columns; batches are twice as fast as single rows."""
        waiting = self._waiting
        names = dict.fromkeys(waiting[0])
        try:
            found = {name: list(map(itemgetter(name), waiting)) for name in names}
            alike = sum(map(len, waiting)) == len(names) * len(waiting)
        except KeyError:
            alike = False
        if not alike:
            names = dict.fromkeys(name for row in waiting for name in row)
            found = {name: [row.get(name) for row in waiting] for name in names}
        self._extend(found, len(waiting))
        waiting.clear()

    def read(self, path: Path, trials: int) -> None:
        """Record that a file, or a part of it, with so many trials was read."""
        self.accounts.of(path).rows += trials

    def leave_out(self, path: Path, reason: str, trials: int = 1) -> None:
        """Record trials of a file that are not in the table, for example "without a task id"."""
        self.accounts.of(path).left_out[reason] += trials

    def add_absent(self, path: Path, reason: str, trials: int = 1) -> None:
        """Record rows that are in no file, for example "instances that were never run"."""
        self.accounts.of(path).added[reason] += trials

    def skip(self, path: Path, reason: str) -> None:
        """Record a file that is not read, for example "it contains only totals"."""
        self.accounts.of(path).skipped = reason

    def extend(self, **columns: Sequence[Any]) -> None:
        """Add many rows by column; missing columns are filled with None."""
        if self._waiting:
            self._store()
        self._extend(columns, len(next(iter(columns.values()))))

    def _extend(self, columns: Mapping[str, Sequence[Any]], more: int) -> None:
        for name in columns:
            if name not in self._columns:
                self._columns[name] = [None] * self._rows
        for name, column in self._columns.items():
            column.extend(columns[name] if name in columns else [None] * more)
        self._rows += more

    def choose_scorer(
        self, name: str | None, found: Sequence[str], what: str, where: str, *, called: str = ""
    ) -> str:
        """Pick one of the scores in a log, and remark on it if there are others.

        `what` is a score in the words of the harness; `called` is its word in the remark, if that
        is another.
        """
        scorer = pick(name, found, what, where)
        self.remarks += [
            about("", text) for text in picked_remark(scorer, found, called or what, "scorer")
        ]
        return scorer

    def claim_means_over_rows(self, claims: Sequence[Claim]) -> None:
        """Add claims of a harness that averages over rows instead of questions.

        Both means are equal if all questions have equally many graded rows; otherwise the claim
        only becomes a remark. Claims of totals are added unchanged.
        """
        rows_by_question = {
            (claim.system, claim.task): (Counter[str](), Counter[str]()) for claim in claims
        }
        columns = [self.columns.get(name, []) for name in ("system", "task", "question", "status")]
        for system, task, question, status in (
            zip(*columns, strict=True) if rows_by_question else ()
        ):
            if (system, task) in rows_by_question and status != UNSCORED:
                every, ended = rows_by_question[system, task]
                every[question] += 1
                ended[question] += status not in FAILED
        for claim in claims:
            if claim.metric in TALLIES:
                self.claims.append(claim)
                continue
            every, ended = rows_by_question[claim.system, claim.task]
            counts = ended if claim.errors == "missing" else every
            if len(set(counts.values())) == 1 and 0 not in counts.values():
                self.claims.append(claim)
            else:
                subject = " · ".join(part for part in (claim.system, claim.task) if part)
                self.remarks.append(
                    f"{subject}: the log states {claim.name} {claim.value:.4g}, which is a mean "
                    f"over rows, while questions have different numbers of them.".removeprefix(": ")
                )

    def __len__(self) -> int:
        return self._rows + len(self._waiting)


def flat(parts: Iterable[Iterable[Any]]) -> list[Any]:
    """The entries of several lists, one list after the other."""
    return list(chain.from_iterable(parts))


def spread(values: Iterable[Any], sizes: Sequence[int]) -> list[Any]:
    """Each value as many times as its question has rows."""
    return flat(map(repeat, values, sizes))


def last_rows(columns: Mapping[str, list[Any]]) -> tuple[dict[str, list[Any]], list[Above]]:
    """The last row of every trial, and a remark if rows are left out."""
    keys = [columns[name] for name in ("system", "task", "question", "trial") if name in columns]
    last = {key: at for at, key in enumerate(zip(*keys, strict=True))}
    places = sorted(last.values())
    lost = len(keys[0]) - len(places)
    remark = guess(
        f"{lost} rows left out: a later row of the same trial counts",
        option="--repeats keep",
        argument="repeats='keep'",
    )
    kept = {name: [column[at] for at in places] for name, column in columns.items()}
    return kept, [remark] if lost else []


def rows_as_questions(columns: Mapping[str, list[Any]]) -> tuple[dict[str, list[Any]], list[Above]]:
    """Every row as a question of its own, and a remark if a question has several rows."""
    keys = [columns[name] for name in ("system", "task", "question") if name in columns]
    seen: Counter[tuple[Any, ...]] = Counter()
    questions = []
    for key in zip(*keys, strict=True):
        seen[key] += 1
        questions.append(f"{key[-1]} ({seen[key]})" if seen[key] > 1 else key[-1])
    remark = guess(
        f"Questions: each row is one, {len(questions) - len(seen)} of which repeat another; what "
        f"the log states is not compared",
        option="--rows trials",
        argument="rows='trials'",
    )
    apart = {**columns, "question": questions, "trial": [0] * len(questions)}
    return apart, [remark] if len(seen) < len(questions) else []


def pick(name: str | None, found: Sequence[str], what: str, where: str) -> str:
    """The requested name, or the first by default; raises an error if it does not exist."""
    if not found:
        raise InputError(f"{where}: there is no {what}.")
    if name is None:
        return found[0]
    if name not in found:
        raise InputError(f"{where}: there is no {what} {name!r}; there are: {', '.join(found)}.")
    return name


def picked_remark(choice: str, found: Sequence[str], what: str, option: str) -> list[Above]:
    """Guess that says which of several scores is used; empty if there is only one.

    Examples
    --------
    >>> picked_remark("plus", ["plus", "base"], "scorer", "scorer")
    ["using scorer 'plus' (also: base; choose with scorer=)."]
    """
    others = [name for name in found if name != choice]
    if not others:
        return []
    choose = way_to_say(f"--{option}", f"{option}=")
    return [guess(f"using {what} {choice!r} (also: {', '.join(others)}; choose with {choose})")]
