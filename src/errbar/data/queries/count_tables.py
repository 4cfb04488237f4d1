"""Slices of tables of counts, which have a row per question."""

from collections.abc import Sequence

import narwhals.stable.v2 as nw

from errbar.base.remarks import counted, have, setting
from errbar.data.queries.expressions import (
    Columns,
    Frame,
    aggregates,
    fetch,
    is_inconsistent,
    names_of,
    number_of,
    properties_in,
)
from errbar.data.queries.properties import refuse_inconsistent_cluster, require_weights
from errbar.data.queries.questions import COUNTED, Slice, by_state, slices_of_states
from errbar.errors import InputError, RepeatedTrial


def question_counts(
    frame: Frame, columns: Columns, by: Sequence[str] = (), *, allow_repeats: bool = False
) -> Frame:
    """A row per question: its key and its state."""
    kinds = frame.collect_schema()
    names = names_of(frame, columns, by)
    properties = properties_in(frame, columns)
    rows = frame.select(
        **names,
        **properties,
        **{
            name: number_of(frame, columns[name], kinds[columns[name]], name)
            for name in ("trials", "correct")
        },
    )
    _require_counts(rows)
    trials, right = nw.col("trials").cast(nw.Int64), nw.col("correct").cast(nw.Int64)
    questions = (
        rows.with_columns(trials=trials, right=right)
        .group_by(*names)
        .agg(
            nw.col("trials").sum(),
            nw.col("right").sum(),
            nw.len().alias("rows"),
            *aggregates(properties),
        )
    )
    if not allow_repeats:
        _refuse_repeats(questions)
    if "cluster" in properties:
        refuse_inconsistent_cluster(
            questions.with_columns(torn=is_inconsistent("cluster", "rows")), columns
        )
    trials, right = nw.col("trials").cast(nw.Int64), nw.col("right").cast(nw.Int64)
    state = {name: nw.col(name) for name in (*names, *properties)}
    if "weight" in properties:
        state["uneven"] = is_inconsistent("weight", "rows")
    return questions.select(
        **state,
        trials=trials,
        scored=trials,
        right=right,
        **{name: nw.col("rows").cast(nw.Int64) * 0 for name in COUNTED[3:]},
    )


def _require_counts(rows: Frame) -> None:
    """Raise an error for missing question ids and invalid counts."""
    trials, correct = nw.col("trials"), nw.col("correct")
    nameless = fetch(rows.filter(nw.col("question").is_null()).select(nw.len().alias("n")))["n"]
    if nameless[0]:
        raise InputError(
            f"{counted(int(nameless[0]), 'row')} {have(int(nameless[0]))} no question id. Fill in "
            f"the ids, or delete rows that are no questions."
        )
    invalid = (
        trials.is_null()
        | correct.is_null()
        | (correct < 0)
        | (correct > trials)
        | (trials != trials.round(0))
        | (correct != correct.round(0))
    )
    wrong = fetch(rows.filter(invalid).select("question", "trials", "correct").head(1))
    if wrong["question"].size:
        question, n, right = (wrong[name].tolist()[0] for name in wrong)
        raise InputError(
            f"question {question!r} has {right!r} correct of {n!r} trials; both must be integers, "
            f"with correct between 0 and trials."
        )


def _refuse_repeats(questions: Frame) -> None:
    repeated = fetch(questions.filter(nw.col("rows") > 1).select("question"))["question"]
    if repeated.size:
        raise RepeatedTrial(
            f"{repeated.size} questions have more than one row of counts, such as "
            f"{min(repeated.tolist())!r:.80}. To add them up: "
            f"{setting('repeats', 'keep')}."
        )


def slices_of_counts(
    frame: Frame, columns: Columns, by: Sequence[str] = (), *, allow_repeats: bool = False
) -> list[Slice]:
    """Slices of every system, task and value of the columns in `by`, sorted by name."""
    table = by_state(question_counts(frame, columns, by, allow_repeats=allow_repeats))
    if "weight" in columns:
        require_weights(frame, columns, by, table)
    return slices_of_states(table, by)
