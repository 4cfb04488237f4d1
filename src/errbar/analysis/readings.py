"""Remarks on how rows were interpreted: rows without a result, repeated ids, copies, scales.

Where two interpretations are possible, both results are stated, with the option that chooses.
"""

import math
import re
from collections.abc import Container, Mapping, Sequence
from dataclasses import dataclass
from typing import NamedTuple

import narwhals.stable.v2 as nw
import numpy as np

from errbar.analysis.alignment import Policy, group_by_task
from errbar.analysis.methods import Calibrated
from errbar.analysis.outcome_scales import remarks_on_rewards
from errbar.analysis.score import Errors, ScoredMetric, Scoring, Short, slices_by_subject
from errbar.base.remarks import (
    Above,
    Caution,
    GuessedBounds,
    OnCommon,
    guess,
    have,
    setting,
    some_of,
    warning,
    way_to_say,
)
from errbar.data.columns import MOMENTS, UNSCORED, Key, named_like
from errbar.data.engines.duckdb import plain_errors
from errbar.data.queries.expressions import HIDDEN, fetch
from errbar.data.queries.questions import (
    NEVER_SCORED,
    Slice,
    failures_as,
    nameless_systems,
    without_cluster,
)
from errbar.data.sources.joined import tables_with_ids
from errbar.data.sources.tables import Source, TableSource
from errbar.errors import ErrbarError
from errbar.metrics.means import Average
from errbar.results.estimate import Subject

_FEW = 4  # systems and tasks that have a line each
_MOST_MEANS = 10  # in a remark
_OTHERWISE = {"fail": "missing", "missing": "fail"}
_SAID = {
    "fail": "counted as wrong",
    "missing": "left out",
    "bracket": "counted both as wrong and as right",
}
# Words in the names of quantities that may lie below 0 or above 1.
_REWARDS = {"reward", "rewards", "return", "payoff", "profit", "margin", "gain", "utility"}
_WORDS = "no outcome and no status that says why"


class _Readings(NamedTuple):
    """The mean of a system with such rows counted as wrong, and without them."""

    fail: float
    missing: float

    def in_words(self, errors: str) -> str:
        """A mean in words; empty if it is unknown."""
        value = self.fail if errors == "fail" else self.missing
        return "" if math.isnan(value) else f" (avg {value:.3g})"


@dataclass(frozen=True)
class AveragedMetrics:
    """Metrics that average the same outcomes, with their policy and bounds."""

    metrics: Sequence[ScoredMetric]
    source: Source
    errors: Errors
    bounds: tuple[float, float] | None

    def policy(self, short: Short) -> Policy:
        """How rows without a result, and questions with too few trials, count."""
        return Policy(failures_as(self.errors), short)

    def remarks(self, by: Sequence[str] = (), *, paired: bool = False) -> list[str]:
        """Remarks on the data; `paired` if systems are compared on the questions they share."""
        slices = self.source.slices(by)
        guessed = self.bounds is None and all(part.is_binary for part in slices)
        named = _named_rewards(self.source) if guessed else []
        unlike = [] if paired else unlike_questions(self.source, slices, self.errors)
        return [*named, *unlike, *remarks_on(self.source, slices, self.errors)]


def remarks_on(source: Source, found: Sequence[Slice], errors: str) -> list[str]:
    """Remarks on guesses, on odd values, and on rows without a result."""
    remarks = rows_without_result(source, slices_by_subject(found), errors)
    if any(part.is_weighted for part in found):
        columns = " and ".join(map(repr, source.weight_columns()))
        words = f"Questions: weighted by {columns}"
        remarks.append(guess(words, option="--map weight=", argument="weight=None"))
    alone = without_cluster(found)
    if alone:
        remarks.append(alone)
    return [*remarks, *doubtful_rows(source, found), *source.origin.remarks]


def doubtful_rows(source: Source, found: Sequence[Slice]) -> list[Above]:
    """Remarks on what can be read in two ways: systems without a name, scales, copies, ids."""
    are_rewards = not all(part.is_binary for part in found)
    remarks = [*nameless_systems(found)]
    remarks += remarks_on_rewards(source, found) if are_rewards else []
    for look in (copied_rows, ids_written_otherwise, repeated_ids):
        remarks += look(source, found)
    return remarks


def _named_rewards(source: Source) -> list[Above]:
    """The guess that 0 and 1 are wrong and right, where a column is named after a reward.

    A match that is lost may be -1, and where none of a sample is lost its outcomes look like any
    others of wrong and right.
    """
    words = set(re.split(r"[^a-z]+", source.outcome_column.lower()))
    if not words & _REWARDS:
        return []
    text = (
        f"{source.outcome_column!r} is 0 or 1 in every row and is read as wrong and right, so "
        "rewards are assumed to lie between 0 and 1"
    )
    known = guess(text, option="--bounds LOW HIGH", argument="bounds=(low, high)")
    return [GuessedBounds(known)]


def rows_without_result(
    source: Source, subjects: Mapping[Subject, Slice], errors: str
) -> list[str]:
    """Remarks on the number of rows without a result, the reasons, and how they are counted."""
    scored = {of: part for of, part in subjects.items() if part.was_scored}
    rows = sum(part.rows for part in subjects.values())
    ungraded = sum(part.ungraded for part in scored.values())
    failed = sum(part.failed - part.without_reason for part in scored.values())
    remarks = _without_reason(source, scored, errors)
    if ungraded:
        verbs = ("was", "is") if ungraded == 1 else ("were", "are")
        lost = f"{ungraded:,} of {rows:,} rows {verbs[0]} never scored, and {verbs[1]} left out."
        remarks.append(Caution(lost))
    if failed:
        kinds = {
            name: n
            for name, n in source.statuses().items()
            if name not in ("ok", "limit", UNSCORED)
        }
        at_limit = failed - sum(kinds.values())  # a run at its limit may have a result or none
        if 0 < at_limit <= source.statuses().get("limit", 0):
            kinds["limit"] = at_limit
        why = ", ".join(f"{name} {n:,}" for name, n in kinds.items())
        why = f" ({why})" if why else ""
        remarks.append(
            Caution(f"{failed:,} of {rows:,} rows {have(failed)} no result{why}: {_SAID[errors]}.")
        )
        remarks += _without_any_result(scored, errors)
    return remarks


def _without_any_result(subjects: Mapping[Subject, Slice], errors: str) -> list[str]:
    """Warning on systems of which every row ended in an error or the like."""
    failed = {of: part for of, part in subjects.items() if part.failed == part.rows > 0}
    if not failed or errors == "missing":
        return []
    names = some_of([str(of) or "the system" for of in failed])
    rows = sum(part.rows for part in failed.values())
    option = setting("errors", "missing")
    return [
        warning(
            f"{names}: none of {rows} rows has a result, so the score only shows that the run "
            f"failed, not how good the answers are; {option} leaves it without a score."
        )
    ]


def rows_never_scored(source: Source, ranked: Container[Key] | None = None) -> list[str]:
    """Remark on rows that were never graded, and on systems that have no other rows."""
    lost = source.statuses().get(UNSCORED, 0)
    if not lost:
        return []
    there = source.with_repeats().slices(())
    others = [part for part in there if ranked is not None and part.key not in ranked]
    names = who_was_never_scored({Subject(part.key[0], part.key[1]): part for part in others})
    return [f"{lost:,} rows were never scored, and are left out.", *names]


def who_was_never_scored(subjects: Mapping[Subject, Slice]) -> list[str]:
    """Names of the systems that have no score at all."""
    left = [str(of) or "the system" for of, part in subjects.items() if not part.was_scored]
    return [f"{some_of(left)}: {NEVER_SCORED}."] if left else []


def _without_reason(source: Source, subjects: Mapping[Subject, Slice], errors: str) -> list[str]:
    """A warning for each system with such rows; one for all systems if they are many."""
    lacking = {of: part for of, part in subjects.items() if part.without_reason}
    if not lacking:
        return []
    if errors not in _OTHERWISE:
        rows, lost = _totals(lacking)
        return [f"{_lack_text(lost, rows)}: {_SAID[errors]}."]
    if len(lacking) <= _FEW:
        return [warning(_line_text(source, of, part, errors)) for of, part in lacking.items()]
    rows, lost = _totals(lacking)
    of, part = max(lacking.items(), key=lambda item: item[1].without_reason / item[1].rows)
    most = _line_text(source, of, part, errors)
    subject = f"{lost} of {rows} rows of {len(lacking)} systems and tasks"
    return [warning(f"{subject} {have(lost)} {_WORDS}. The largest share: {most}")]


def _totals(found: Mapping[Subject, Slice]) -> tuple[int, int]:
    return sum(part.rows for part in found.values()), sum(o.without_reason for o in found.values())


def _lack_text(lost: int, rows: int) -> str:
    return f"{lost} of {rows} rows {have(lost)} {_WORDS}"


def _line_text(source: Source, of: Subject, part: Slice, errors: str) -> str:
    values = _readings(source, of, part)
    other = _OTHERWISE[errors]
    choose = way_to_say(f"--errors {other}", f"errors={other!r}")
    subject = f"{of}: " if str(of) else ""
    return (
        f"{subject}{_lack_text(part.without_reason, part.rows)}: "
        f"{_SAID[errors]}{values.in_words(errors)}; "
        f"{_SAID[other]} with {choose}{values.in_words(other)}."
    )


def _readings(source: Source, of: Subject, part: Slice) -> _Readings:
    def mean(failures: str) -> float:
        try:
            scoring = Scoring(source, failures, "drop", Calibrated())
            scores = scoring.scores({of: part}, [Average()])
        except ErrbarError:  # reported where the number is requested
            return math.nan
        return scores[0].value

    return _Readings(*(mean(failures_as(errors)) for errors in ("fail", "missing")))


_MOST_SHOWN = 3  # remarks of a kind, and values in one
_MOST_ROWS = 200_000  # rows that are compared one by one


def repeated_ids(source: Source, found: Sequence[Slice]) -> list[Above]:
    """Remark on ids that repeat while no column numbers the trials."""
    if not source.guesses_trials or not any((part.trials > 1).any() for part in found):
        return []
    rows = sum(part.rows for part in found)
    questions = sum(int(part.questions.sum()) for part in found)
    option = setting("rows", "questions")
    unused = source.unused_columns()
    beside = f" (not used: {some_of(unused)})" if unused else ""
    sizes = {int(n) for part in found for n in np.unique(part.trials)}
    if len(sizes) == 1:
        each = f"{sizes.pop()} rows of each id"
        return [
            guess(
                f"Trials: no column numbers them{beside}, so {each} are trials of one question",
                option="--rows questions",
                argument="rows='questions'",
            )
        ]
    both = (
        f"{name or 'The mean'} is {trials:.4g} as trials, {apart:.4g} as questions"
        for name, trials, apart in _both_means(source, found)
    )
    shown = some_of(both, _MOST_SHOWN, "; ")
    same = "Over the scored rows the mean is the same"
    return [
        warning(
            f"Ids repeat ({rows} rows, {questions} ids) and no column numbers the trials{beside}. "
            f"Rows with the same id are taken as trials of one question; {option} takes every row "
            f"as a question of its own, clustered by id. {shown or same}."
        )
    ]


def copied_rows(source: Source, found: Sequence[Slice]) -> list[Above]:
    """Warning on rows that repeat an id and are copies in every column."""
    rows = sum(part.rows for part in found)
    if not source.guesses_trials or not isinstance(source, TableSource) or rows > _MOST_ROWS:
        return []
    if not any((part.trials > 1).any() for part in found):
        return []
    with plain_errors(source.where):  # reads all columns, of which one may have a broken cell
        kinds = source.frame.collect_schema()
        names = [name for name in kinds.names() if name not in HIDDEN]
        if any(isinstance(kinds[name], nw.List | nw.Struct | nw.Object) for name in names):
            return []
        plain = {f"column {at}": nw.col(name) for at, name in enumerate(names)}  # may have dots
        each = source.frame.select(**plain).group_by(*plain).agg(nw.len().alias("errbar times"))
        table = fetch(each)
    times = table["errbar times"]
    if times.min() > 1 and times.min() == times.max():
        often = f"every row occurs {int(times.min())} times, alike in every column"
    elif named_like(source.unused_columns(), MOMENTS) and times.max() > 1:
        often = f"{int((times - 1).sum())} of {rows} rows are copies of others in every column"
    else:
        return []
    return [
        warning(f"{often}. They are taken as trials; if the data were copied, delete the copies.")
    ]


def ids_written_otherwise(source: Source, found: Sequence[Slice]) -> list[Above]:
    """Warning on systems that share few questions because their ids are written differently."""
    if len(found) < 2 or sum(part.rows for part in found) > _MOST_ROWS:
        return []
    tables = tables_with_ids(source)
    if not tables or any(table.origin.reader for table in tables):
        return []
    named = {key: set(part.questions) for key, part in source.named().items()}
    remarks: list[Above] = []
    for systems in group_by_task(named).values():
        (first, ids), *others = systems.items()
        for other, theirs in others:
            shared = len(ids & theirs)
            alike = len(set(map(_plain_id, ids)) & set(map(_plain_id, theirs)))
            why = ""
            if alike > shared:
                why = f", and {alike} without regard to case, spaces, zeros and .0: write ids alike"
            if (shared == 0 or why) and ids and theirs:
                remarks.append(
                    warning(
                        f"{first or 'the first system'} and {other} share {shared} questions of "
                        f"{len(ids)} and {len(theirs)}{why}. Their scores are of other questions."
                    )
                )
    return remarks[:_MOST_SHOWN]


def unlike_questions(source: Source, found: Sequence[Slice], errors: str) -> list[Above]:
    """Warning on systems that have different questions, with their means over those of all."""
    scored = {part.key for part in found if part.was_scored and not part.by}
    if (
        len(scored) < 2
        or sum(part.rows for part in found) > _MOST_ROWS
        or not tables_with_ids(source)
    ):
        return []
    named = {key: part for key, part in source.named().items() if key in scored}
    remarks: list[Above] = []
    for task, systems in group_by_task(named).items():
        questions_of = {name: part.with_trials for name, part in systems.items()}
        sizes = sorted(map(len, questions_of.values()))
        common = set.intersection(*questions_of.values())
        if not common or sizes[-1] == len(common):
            continue
        failures = failures_as("fail" if errors == "bracket" else errors)
        means = {name: part.mean_over(common, failures) for name, part in systems.items()}
        shown = [f"{name} {mean:.4g}" for name, mean in means.items() if not math.isnan(mean)]
        size = f"{sizes[0]} to {sizes[-1]}" if sizes[0] < sizes[-1] else f"{sizes[0]} each"
        remarks.append(
            warning(
                f"{f'{task}: s' if task else 'S'}ystems have different questions ({size}), and "
                f"each is scored on its own. All have {len(common)} of them."
            )
        )
        if shown:
            these = f"{task}: on the {len(common)}" if task else f"On the {len(common)}"
            remarks.append(
                OnCommon(f"{these} questions that all have, avg is {some_of(shown, _MOST_MEANS)}.")
            )
    return remarks[:_MOST_SHOWN]


def _plain_id(text: str) -> str:
    plain = text.strip().lower().removesuffix(".0")
    return plain.lstrip("0") or plain


def _both_means(source: Source, found: Sequence[Slice]) -> list[tuple[str, float, float]]:
    """Mean of every system and task, over questions and over rows."""
    means = []
    for piece in found:
        if piece.is_binary:
            values, rows = piece.right, piece.scored
            often = piece.questions
        else:
            results = source.categories(piece.by)[piece.key]
            values = results.counts @ np.array(results.values)
            rows = results.counts.sum(axis=1)
            often = np.ones(len(rows), dtype=np.int64)
        some = rows > 0
        if not some.any():
            continue
        each = values[some] / rows[some]
        by_question = float(often[some] @ each / often[some].sum())
        by_row = float(often[some] @ values[some] / (often[some] @ rows[some]))
        name = " · ".join(part for part in piece.key if part)
        if not math.isclose(by_question, by_row, rel_tol=1e-12):
            means.append((name, by_question, by_row))
    return means
