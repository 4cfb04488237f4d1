"""Columns with unknown names that group the rows, where no column has ids."""

from typing import Any

import pandas as pd
import pytest

import errbar
from errbar.base.remarks import above


def table(values: int, each: int, **beside: Any) -> pd.DataFrame:
    rows = [
        {"claim": f"c{value}", "correct": (value + at) % 2, **beside}
        for value in range(values)
        for at in range(each)
    ]
    return pd.DataFrame(rows)


def said(data: pd.DataFrame, **how: str) -> str:
    return " ".join(above(errbar.load(data, **how).score("avg").remarks))  # type: ignore[arg-type]


@pytest.mark.parametrize("name", ["claim", "ticket", "document", "patient"])
@pytest.mark.parametrize("are_numbers", [False, True])
def test_equal_groups_of_rows_may_be_questions_or_clusters(name: str, are_numbers: bool) -> None:
    data = table(10, 3).rename(columns={"claim": name})
    if are_numbers:
        data[name] = data[name].str[1:].astype(int)
    text = said(data)
    assert f"⚠ Every value of {name!r} is in 3 rows" in text
    assert f"question={name!r}" in text
    assert f"cluster={name!r}" in text


def test_a_missing_row_is_no_difference() -> None:
    assert "Nearly every value of 'claim' is in 3 rows" in said(table(10, 3).iloc[:-1])


def test_what_the_warning_proposes_works() -> None:
    data = table(10, 3)
    as_rows = errbar.load(data).score("avg")[0]
    as_trials = errbar.load(data, question="claim").score("avg")[0]
    as_clusters = errbar.load(data, cluster="claim").score("avg")[0]
    assert (as_rows.questions, as_trials.questions, as_clusters.questions) == (30, 10, 30)
    assert (as_trials.trials, as_clusters.clusters) == (30, 10)
    assert as_rows.value == as_trials.value == as_clusters.value
    for how in ({"question": "claim"}, {"cluster": "claim"}):
        assert "is in 3 rows" not in said(data, **how)


def test_systems_have_equal_groups_each() -> None:
    data = pd.concat([table(10, 3, model="a"), table(10, 3, model="b")], ignore_index=True)
    assert "Every value of 'claim' is in 3 rows" in said(data)


@pytest.mark.parametrize(
    "data",
    [
        table(4, 30),  # categories
        table(10, 3).iloc[[*range(24), 24, 27]],  # unequal: two of ten are in one row
        table(10, 1),
        table(10, 3).rename(columns={"claim": "expected"}),
        table(10, 3).rename(columns={"claim": "temperature"}),
    ],
    ids=["categories", "unequal", "once", "reference", "property"],
)
def test_other_columns_are_no_groups(data: pd.DataFrame) -> None:
    assert "Every value of" not in said(data)
