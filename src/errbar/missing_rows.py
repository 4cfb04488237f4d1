"""What is said of rows without a result: failed, never scored, or without any reason.

A status says of most why they have none. Rows without an outcome that no status explains may be
failures, which count as wrong, or rows that nobody graded, which are left out. The data do not say
which, so a warning above the numbers gives the mean under either reading, and how to choose.
"""

import math
from collections.abc import Container, Mapping
from typing import NamedTuple

from errbar.data.outcomes import UNSCORED
from errbar.data.slices import NEVER_SCORED, Slice
from errbar.data.sources import Key, Source
from errbar.errors import ErrbarError
from errbar.estimate import Subject
from errbar.metrics.categories import Average
from errbar.remarks import warning, way_to_say
from errbar.scoring import Scoring, first_of
from errbar.uncertainty import Calibrated

_FEW = 4  # systems and tasks that have a line each
_OTHERWISE = {"fail": "missing", "missing": "fail"}
_TAKEN = {"fail": "wrong", "missing": "missing"}
_SAID = {
    "fail": "counted as wrong",
    "missing": "left out",
    "bracket": "taken as wrong and as right",
}
_WORDS = "have no outcome and no status that says why"


class _Readings(NamedTuple):
    """The mean of a system with such rows counted as wrong, and without them."""

    fail: float
    missing: float

    def in_words(self, errors: str) -> str:
        """One of them; empty where it is not known."""
        value = self.fail if errors == "fail" else self.missing
        return "" if math.isnan(value) else f" (avg {value:.3g})"


def rows_without_result(
    source: Source, subjects: Mapping[Subject, Slice], errors: str
) -> list[str]:
    """How many rows of whoever has a score have no result, why, and how they are taken."""
    scored = {of: one for of, one in subjects.items() if one.was_scored}
    rows = sum(one.rows for one in subjects.values())
    ungraded = sum(one.ungraded for one in scored.values())
    failed = sum(one.failed - one.without_reason for one in scored.values())
    remarks = _without_reason(source, scored, errors)
    if ungraded:
        remarks.append(f"{ungraded} of {rows} rows were never scored, and are left out.")
    if failed:
        kinds = {
            name: n
            for name, n in source.statuses().items()
            if name not in ("ok", "limit", UNSCORED)
        }
        why = ", ".join(f"{name} {n}" for name, n in kinds.items())
        why = f" ({why})" if why else ""
        remarks.append(f"{failed} of {rows} rows have no result{why}: {_SAID[errors]}.")
    return remarks


def rows_never_scored(source: Source, ranked: Container[Key] | None = None) -> list[str]:
    """How many rows could not be ranked for want of a grade, and who has no others."""
    lost = source.statuses().get(UNSCORED, 0)
    if not lost:
        return []
    there = source.with_repeats().slices(())
    others = [one for one in there if ranked is not None and one.key not in ranked]
    names = who_was_never_scored({Subject(one.key[0], one.key[1]): one for one in others})
    return [f"{lost} rows were never scored, and are left out.", *names]


def who_was_never_scored(subjects: Mapping[Subject, Slice]) -> list[str]:
    """Whoever has no score at all."""
    left = [str(of) or "the system" for of, one in subjects.items() if not one.was_scored]
    return [f"{first_of(left)}: {NEVER_SCORED}."] if left else []


def _without_reason(source: Source, subjects: Mapping[Subject, Slice], errors: str) -> list[str]:
    """A warning for each system that has such rows, or one for all where they are many."""
    found = {of: one for of, one in subjects.items() if one.without_reason}
    if not found:
        return []
    if errors not in _OTHERWISE:
        rows, lost = _totals(found)
        return [f"{_lack(lost, rows)}: {_SAID[errors]}."]
    if len(found) <= _FEW:
        return [warning(_line(source, of, one, errors)) for of, one in found.items()]
    rows, lost = _totals(found)
    of, one = max(found.items(), key=lambda item: item[1].without_reason / item[1].rows)
    most = _line(source, of, one, errors)
    whose = f"{lost} of {rows} rows of {len(found)} systems and tasks"
    return [warning(f"{whose} {_WORDS}. The largest share: {most}")]


def _totals(found: Mapping[Subject, Slice]) -> tuple[int, int]:
    return sum(one.rows for one in found.values()), sum(o.without_reason for o in found.values())


def _lack(lost: int, rows: int) -> str:
    return f"{lost} of {rows} rows {_WORDS}"


def _line(source: Source, of: Subject, one: Slice, errors: str) -> str:
    values = _readings(source, of, one)
    other = _OTHERWISE[errors]
    choose = way_to_say(f"--errors {other}", f"errors={other!r}")
    whose = f"{of}: " if str(of) else ""
    return (
        f"{whose}{_lack(one.without_reason, one.rows)}: {_SAID[errors]}{values.in_words(errors)}; "
        f"{_SAID[other]} with {choose}{values.in_words(other)}."
    )


def _readings(source: Source, of: Subject, one: Slice) -> _Readings:
    def mean(taken: str) -> float:
        try:
            found = Scoring(source, taken, "drop", Calibrated()).scores({of: one}, [Average()])
        except ErrbarError:  # which is said where the number is asked for
            return math.nan
        return found[0].value

    return _Readings(*(mean(_TAKEN[errors]) for errors in ("fail", "missing")))
