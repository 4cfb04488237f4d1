"""Ratings: answers that several raters graded, a column per rater, or a row per rating.

If a row is an answer, the user names the columns of the raters; a missing rating is empty. If a row
is a rating, one column says who rated and one how. Words are categories of their own; numbers have
an order and distances.
"""

import math
import os
import re
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import date
from pathlib import Path
from typing import Any, NamedTuple

import narwhals.stable.v2 as nw
import numpy as np

from errbar.base.arrays import Array, Integers, float_of, lists_by_name
from errbar.base.remarks import Above, guess, some_of, way_to_say
from errbar.data.columns import USUAL, list_names, named_like, plain_name, unknown_name
from errbar.data.engines.duckdb import plain_errors
from errbar.data.queries.expressions import column_lists
from errbar.data.readers.file_formats import CSV, JSON, PARQUET, kind_of, why_not_read
from errbar.data.readers.games.nested_ratings import ratings_in
from errbar.data.readers.games.tables import cells_of, records_of
from errbar.data.readers.games.winners import side_of
from errbar.data.readers.tables.derived_columns import Flat
from errbar.errors import InputError, NotThere, UnknownColumn, WrongType
from errbar.kernels.agreement import RatingCodes

# In a table with a row per rating: who rated, how, and what tells answers apart.
_WHO = frozenset(
    map(
        plain_name,
        (
            *("rater", "rater_id", "annotator", "annotator_id", "judge", "judge_model", "grader"),
            *("reviewer", "labeler", "labeller", "evaluator", "coder", "assessor"),
            *("worker", "worker_id", "participant_id", "prolific_pid"),
        ),
    )
)
_HOW = frozenset(map(plain_name, ("rating", "vote", "annotation", "category", *USUAL["outcome"])))
_MOST_KINDS = 50  # of ratings, whose table of pairs each answer has: 20 kB
_HITS = frozenset(("hitid",))  # what is rated, on Mechanical Turk
_ANSWER = ("system", "task", "question", "trial")


@dataclass(frozen=True, eq=False, kw_only=True)
class RatedAnswers:
    """Ratings of answers, the cluster of each, and the columns that group them."""

    raters: tuple[str, ...]
    categories: tuple[str, ...]  # categories in order
    ratings: RatingCodes
    clusters: Integers  # all different if no column clusters the answers
    groups: Mapping[str, tuple[str, ...]]  # the value of each answer, by column
    order: Array  # position of each answer in time; empty without a column of the order
    is_numeric: bool
    weights: Array | None = None  # weights of answers; None if they are equal
    remarks: tuple[str, ...] = ()

    @property
    def is_clustered(self) -> bool:
        """Whether a cluster has more than one answer."""
        return np.unique(self.clusters).size < self.clusters.size

    def why_never_equal(self, truth: str | None) -> str:
        """Why ratings can hardly be equal, so that agreement says little; empty if they can."""
        if self.ratings.categories > _MOST_KINDS:
            return f"ratings have {self.ratings.categories:,} different values"
        if truth not in self.raters or not self.is_numeric:
            return ""
        trusted = self.ratings.codes[self.raters.index(truth)]
        others = np.delete(self.ratings.codes, self.raters.index(truth), axis=0)
        rated = others[:, trusted >= 0]
        rated = rated[rated >= 0]
        shared = int(np.isin(rated, trusted).sum())
        return f"most ratings are values that {truth} never has" if 2 * shared < rated.size else ""


class JudgedAnswer(NamedTuple):
    """The grade of a judge for an answer, and its trusted label."""

    system: str
    task: str
    cluster: str  # answers that belong together: the question, or its cluster
    weight: float
    judge: float
    label: float


def ratings_of(answers: Sequence[JudgedAnswer], raters: tuple[str, str]) -> RatedAnswers:
    """Ratings of a judge and by labels, grouped by system and task if there are several."""
    both = np.array([(each.judge, each.label) for each in answers], dtype=float).T
    values, codes = np.unique(both, return_inverse=True)
    groups = {
        name: tuple(getattr(each, name) for each in answers)
        for name in ("system", "task")
        if len({getattr(each, name) for each in answers}) > 1
    }
    weights = np.array([each.weight for each in answers])
    _, clusters = np.unique([each.cluster for each in answers], return_inverse=True)
    return RatedAnswers(
        raters=raters,
        categories=tuple(f"{value:g}" for value in values.tolist()),
        ratings=RatingCodes(codes.reshape(both.shape).astype(np.int64), values),
        clusters=clusters.astype(np.int64),
        groups=groups,
        order=np.zeros(0),
        is_numeric=True,
        weights=None if (weights == weights[0]).all() else weights,
    )


def read_ratings(
    data: Any,
    raters: Sequence[str],
    *,
    cluster: str | None = None,
    by: Sequence[str] = (),
    order: str | None = None,
) -> RatedAnswers:
    """Ratings from a path, records, columns or a DataFrame."""
    with plain_errors(str(data) if isinstance(data, str | Path) else ""):
        return _read_ratings(data, raters, cluster=cluster, by=by, order=order)


def _read_ratings(
    data: Any, raters: Sequence[str], *, cluster: str | None, by: Sequence[str], order: str | None
) -> RatedAnswers:
    columns, found_above = _columns(data)
    remarks: list[str] = [*found_above]
    if not raters:
        columns, raters, remark = _column_per_rater(columns)
        remarks.append(remark)
    if len(set(raters)) < 2:
        raise InputError("agreement needs the ratings of at least two raters.")
    names = [*raters, *by, *([cluster] if cluster else []), *([order] if order else [])]
    for name in names:
        if name not in columns:
            raise UnknownColumn(unknown_name(name, list(columns), "there is no column"))
    cells = [[_plain(cell) for cell in columns[name]] for name in raters]
    cells, found_remarks = _without_gaps(cells)
    remarks += found_remarks
    cells, found_remarks = _in_one_spelling(cells)
    remarks += found_remarks
    kept = [at for at in range(len(cells[0])) if any(row[at] is not None for row in cells)]
    if not kept:
        raise NotThere("no answer has a rating.")
    cells = [[row[at] for at in kept] for row in cells]
    cells, found_remarks = _in_shared_words(cells, raters)
    remarks += found_remarks
    numbers, is_numeric = _numbers(cells)
    known = sorted({value for row in numbers for value in row if value is not None})
    place = {value: at for at, value in enumerate(known)}
    codes = np.array(
        [[-1 if value is None else place[value] for value in row] for row in numbers],
        dtype=np.int64,
    )
    values = np.array([float(v) if is_numeric else float(at) for at, v in enumerate(known)])
    together = np.arange(len(kept), dtype=np.int64)
    if cluster:
        _, together = np.unique([str(columns[cluster][at]) for at in kept], return_inverse=True)
    else:
        remarks += _on_repeated_questions(columns, kept, raters)
    when: Array = np.zeros(0)
    if order:
        when = _times([columns[order][at] for at in kept], order)
    return RatedAnswers(
        raters=tuple(raters),
        categories=tuple(f"{value:g}" if is_numeric else str(value) for value in known),
        ratings=RatingCodes(codes, values),
        clusters=together.astype(np.int64),
        groups={name: tuple(str(columns[name][at]) for at in kept) for name in by},
        order=when,
        is_numeric=is_numeric,
        remarks=tuple(remarks),
    )


def _on_repeated_questions(
    columns: Flat, kept: Sequence[int], raters: Sequence[str]
) -> list[Above]:
    """Say that answers to one question are taken to be independent, if questions recur."""
    known = frozenset(map(plain_name, ("question", *USUAL["question"])))
    name = next((name for name in named_like(columns, known) if name not in raters), None)
    if name is None or len({str(columns[name][at]) for at in kept}) == len(kept):
        return []
    words = f"Answers with the same {name!r} are taken to be independent"
    return [guess(words, option=f"--cluster {name}", argument=f"cluster={name!r}")]


_GAPS = frozenset(("n/a", "na", "#n/a", "nan", "null"))
_ABSTAINED = frozenset(
    (
        *("abstain", "abstained", "abstention", "skip", "skipped", "unsure", "not sure", "unknown"),
        *("cannot tell", "can't tell", "don't know", "no answer", "undecided", "error", "invalid"),
    )
)
_DATE = re.compile(
    r"\d{4}-\d\d(?:-\d\d(?:[T ]\d\d:\d\d(?::\d\d(?:\.\d+)?)?)?)?((?:Z|[+-]\d\d:?\d\d)?)"
)


def _times(cells: Sequence[Any], name: str) -> Array:
    """Positions in time, from numbers or dates; refused if they cannot be put in order."""
    try:
        numbers = np.array([float_of(cell) for cell in cells])
    except (TypeError, ValueError):
        dates = all(isinstance(cell, date) for cell in cells)
        texts = ["" if cell is None else str(cell).strip() for cell in cells]
        zones = [found[1] if (found := _DATE.fullmatch(text)) else None for text in texts]
        invalid = next(
            (
                text
                for text, zone in zip(texts, zones, strict=True)
                if zone is None or zone != zones[0] or len(text) != len(texts[0])
            ),
            None,
        )
        if invalid is not None and not dates:
            raise InputError(
                f"the order {name!r} has {invalid!r}: it must be a number in every row, or a date "
                f"such as 2025-03-31 or 2025-03-31 10:15, all written alike."
            ) from None
        _, ranks = np.unique(list(cells) if dates else texts, return_inverse=True)
        return np.asarray(ranks, dtype=float)
    if not np.isfinite(numbers).all():
        raise InputError(f"the order {name!r} has an empty cell; every answer needs a time.")
    return numbers


def _without_gaps(cells: list[list[Any]]) -> tuple[list[list[Any]], list[Above]]:
    """Ratings without words for a missing rating, such as N/A; abstentions are categories."""
    words = Counter(value for row in cells for value in row if isinstance(value, str))
    abstained = {word: number for word, number in words.items() if word.lower() in _ABSTAINED}
    remarks: list[Above] = []
    if abstained:
        shown = some_of(f"{word!r} ({number})" for word, number in abstained.items())
        remarks.append(guess(f"{shown}: a category of its own; leave the cell empty if it is none"))
    found = {word: number for word, number in words.items() if word.lower() in _GAPS}
    if not found:
        return cells, remarks
    kept = [[None if value in found else value for value in row] for row in cells]
    shown = some_of(f"{word!r} ({number})" for word, number in found.items())
    return kept, [*remarks, guess(f"{shown}: no rating; write another word if it is a category")]


def _in_one_spelling(cells: list[list[Any]]) -> tuple[list[list[Any]], list[Above]]:
    """Words that differ in upper and lower case alone, in their most common spelling."""
    often = Counter(value for row in cells for value in row if isinstance(value, str))
    spellings: dict[str, str] = {}
    for word, _ in often.most_common():
        spellings.setdefault(word.lower(), word)
    other = {word: spellings[word.lower()] for word in often if spellings[word.lower()] != word}
    if not other:
        return cells, []
    respelled = [
        [other.get(value, value) if isinstance(value, str) else value for value in row]
        for row in cells
    ]
    shown = some_of(f"{word!r} as {usual!r}" for word, usual in other.items())
    return respelled, [guess(f"Ratings are the same in upper and lower case: {shown}")]


def _in_shared_words(
    cells: list[list[Any]], raters: Sequence[str]
) -> tuple[list[list[Any]], list[Above]]:
    """Ratings in the words of all raters; refused if two of them have none in common.

    Verdicts on games can be written as A by one rater and as model_a by another.
    """
    known = [{value for value in row if value is not None} for row in cells]
    texts = [words for words in known if words and all(isinstance(word, str) for word in words)]
    apart = [
        (at, other)
        for at, words in enumerate(known)
        for other, others in enumerate(known[:at])
        if len(words) > 1 < len(others) and words in texts and not words & others
    ]
    if not apart:
        return cells, []
    if len(texts) == len(known) and all(side_of(word) for words in known for word in words):
        sides = [[None if value is None else side_of(value) for value in row] for row in cells]
        words = list_names(sorted(set().union(*known)))
        return sides, [guess(f"{words} are read as the first or second answer, or a tie")]
    second, first = apart[0]
    says = (list_names(sorted(map(str, known[at]))) for at in (first, second))
    raise InputError(
        f"{raters[first]!r} says {next(says)}, {raters[second]!r} says {next(says)}: they have no "
        f"word in common, so they could never agree. Write both in the same words."
    )


def _column_per_rater(columns: Flat) -> tuple[Flat, list[str], Above]:
    """Turn a table with a row per rating into one with a column per rater."""
    who, how = (named_like(columns, names) for names in (_WHO, _HOW))
    keys = [
        name
        for meaning in _ANSWER
        for name in named_like(columns, frozenset(map(plain_name, (meaning, *USUAL[meaning]))))[:1]
        or (named_like(columns, _HITS)[:1] if meaning == "question" else [])
    ]
    if len(who) != 1 or len(how) != 1 or not keys:
        option = way_to_say("--rater COLUMN --rater COLUMN", "raters=['…', '…']")
        raise InputError(
            f"name the columns of at least two raters, as {option}; the columns are: "
            f"{list_names([*columns])}. A table with a row per rating needs one column that says "
            f"who rated (as 'rater'), one that says how (as 'rating'), and an id of what was rated."
        )
    answers: dict[tuple[str, ...], int] = {}
    given: dict[str, dict[int, Any]] = {}
    first: list[int] = []  # row of each answer
    for row, (name, rating) in enumerate(zip(columns[who[0]], columns[how[0]], strict=True)):
        key = tuple(str(columns[column][row]) for column in keys)
        at = answers.setdefault(key, len(answers))
        if at == len(first):
            first.append(row)
        ratings = given.setdefault(str(name), {})
        if at in ratings:
            raise InputError(
                f"{name} rated {' · '.join(key)} twice; {list_names(keys)} identifies an answer. "
                "Remove one of the ratings, or number repeats in a column 'trial'."
            )
        ratings[at] = rating
    wide: Flat = {name: [cells[row] for row in first] for name, cells in columns.items()}
    wide |= {name: [found.get(at) for at in range(len(first))] for name, found in given.items()}
    remark = guess(
        f"Rows are ratings: {who[0]!r} says who rated, {how[0]!r} how, {list_names(keys)} what",
        option="--rater COLUMN",
        argument="raters=['…', '…']",
    )
    return wide, list(given), remark


def _columns(data: Any) -> tuple[Flat, list[Above]]:
    if isinstance(data, str | Path):
        file = Path(data)
        if not os.path.isfile(file):  # False for a name that is too long, unlike Path.is_file
            what = "is a folder; name a file" if os.path.isdir(file) else "there is no such file"
            raise NotThere(f"{data}: {what}.")
        kind = kind_of(file)
        if kind not in (CSV, JSON, PARQUET):
            raise InputError(f"{file}: {why_not_read(file)}")
        return _of_records(records_of(file)) if kind == JSON else (cells_of(file, kind), [])
    if isinstance(data, Mapping):
        nested = ratings_in([data]) if "instances" in data else None
        return _table_of(nested) if nested else (lists_by_name(data, "ratings"), [])
    if isinstance(data, list | tuple):
        return _of_records(list(data))
    frame = nw.from_native(data, pass_through=True)
    if not isinstance(frame, nw.DataFrame | nw.LazyFrame):
        raise InputError(f"ratings are rows of a table or a file; got {type(data).__name__}.")
    return column_lists(frame.lazy()), []


def _of_records(records: Sequence[Any]) -> tuple[Flat, list[Above]]:
    if not records or not all(isinstance(record, Mapping) for record in records):
        raise InputError("ratings are rows with names, as in {'judge': 1, 'human': 0}.")
    return _table_of(ratings_in(records) or (records, []))


def _table_of(
    found: tuple[Sequence[Mapping[str, Any]], list[Above]],
) -> tuple[Flat, list[Above]]:
    """Records as columns, with the remarks on them."""
    records, remarks = found
    names = dict.fromkeys(name for record in records for name in record)
    return {name: [record.get(name) for record in records] for name in names}, remarks


def _plain(cell: Any) -> Any:
    """A rating without blanks around it; None if it is missing."""
    if cell is None or (isinstance(cell, float) and math.isnan(cell)):
        return None
    if isinstance(cell, bool | np.bool_):
        return float(cell)
    if isinstance(cell, str):
        return cell.strip() or None
    if isinstance(cell, list | tuple | set | Mapping | np.ndarray):
        raise WrongType(f"a rating is a number or a word; got {cell!r:.80}.")
    return cell


def _numbers(cells: list[list[Any]]) -> tuple[list[list[Any]], bool]:
    """The ratings as numbers if all are, else as text."""
    try:
        found = [[None if value is None else float_of(value) for value in row] for row in cells]
    except (TypeError, ValueError):
        return [[None if value is None else str(value) for value in row] for row in cells], False
    if not all(value is None or math.isfinite(value) for row in found for value in row):
        raise InputError("a rating is infinite; ratings are finite numbers or words.")
    return found, True
