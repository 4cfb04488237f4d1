"""Areas as other tools compute them, to 1e-12.

Made with the tools themselves, on the losses and confidences below (`TIED` and `APART`):

- fd-shifts, `RiskCoverageStats` (residuals, confids), `.aurc` and `.augrc` times 1000: trapezoids
  between the ends of equal confidences, flat before the first; of the generalized risk, from zero.
- torch-uncertainty 0.13.0 with float64 as the default dtype, `AURC`, `AUGRC`, `CovAtxRisk` and
  `RiskAtxCov`: trapezoids from the first item, over the width from first to last.
- the authors' code of arXiv 2410.15361: Σ −ln(1 − r/(n + 1)) · loss / n, r the ascending rank.
- the classic Σ selective risk / n in the order of the rows, by hand; for ties, also the mean over
  all their orders.
"""

import itertools
import math
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from errbar.data.predictions import Predictions, Ranked
from errbar.errors import InputError, WrongType
from errbar.selective import (
    Estimator,
    ItemPrediction,
    augrc,
    aurc,
    compute_aurc,
    coverage_at_risk,
    excess_aurc,
    risk_at_coverage,
)

TIED = [0.9, 0.9, 0.8, 0.7, 0.7, 0.7, 0.5, 0.4, 0.4, 0.1]
APART = [0.95, 0.9, 0.8, 0.75, 0.7, 0.65, 0.5, 0.45, 0.4, 0.1]
LOSS = [0, 1, 0, 0, 1, 0, 1, 0, 1, 1]

EVERY: tuple[Estimator, ...] = (
    "mean",
    "rows",
    "trapezoid",
    "plateau",
    "fd-shifts",
    "torch-uncertainty",
    "logarithmic",
)


@pytest.mark.parametrize(
    ("confidence", "estimator", "area"),
    [
        (TIED, "fd-shifts", 414.2857142857143),
        (APART, "fd-shifts", 331.468253968254),
        (TIED, "plateau", 0.4142857142857143),
        (APART, "plateau", 0.331468253968254),
        (APART, "torch-uncertainty", 8353 / 22680),
        (TIED, "rows", 8983 / 25200),
        (APART, "rows", 8983 / 25200),
        (APART, "mean", 8983 / 25200),
        (TIED, "mean", 0.41438492063492066),
        (APART, "logarithmic", 0.3241171451612229),
    ],
)
def test_aurc_is_that_of_the_tool(
    confidence: list[float], estimator: Estimator, area: float
) -> None:
    assert aurc(confidence, LOSS, estimator=estimator) == pytest.approx(area, rel=1e-12)


@pytest.mark.parametrize(
    ("confidence", "estimator", "area"),
    [
        (TIED, "fd-shifts", 205.0),
        (APART, "fd-shifts", 195.0),
        (APART, "torch-uncertainty", 13 / 60),
        (TIED, "mean", 0.205),
        (APART, "mean", 0.195),
    ],
)
def test_augrc_is_that_of_the_tool(
    confidence: list[float], estimator: Estimator, area: float
) -> None:
    assert augrc(confidence, LOSS, estimator=estimator) == pytest.approx(area, rel=1e-12)


@pytest.mark.parametrize(("risk", "coverage"), [(0.3, 0.4), (0.4, 0.8)])
def test_coverage_at_risk_is_that_of_the_tool(risk: float, coverage: float) -> None:
    assert coverage_at_risk(APART, LOSS, risk=risk) == pytest.approx(coverage, rel=1e-12)


@pytest.mark.parametrize(("coverage", "risk"), [(0.5, 0.4), (0.75, 0.375), (0.8, 0.375)])
def test_risk_at_coverage_is_that_of_the_tool(coverage: float, risk: float) -> None:
    assert risk_at_coverage(APART, LOSS, coverage=coverage) == pytest.approx(risk, rel=1e-12)


@pytest.mark.parametrize("confidence", [TIED, APART])
def test_trapezoid_is_the_documented_function(confidence: list[float]) -> None:
    items = [ItemPrediction(lost, 0, sure) for sure, lost in zip(confidence, LOSS, strict=True)]
    assert aurc(confidence, LOSS, estimator="trapezoid") == pytest.approx(
        compute_aurc(items), rel=1e-12
    )


# ------------------------------------------------------------ each formula again, item by item

ROWS = st.lists(
    st.tuples(st.integers(0, 3), st.integers(0, 40).map(lambda tenths: tenths / 10), st.booleans()),
    min_size=1,
    max_size=14,
).filter(lambda rows: any(answered for _, _, answered in rows))

Rows = list[tuple[int, float, bool]]


def columns(rows: Rows) -> tuple[list[float], list[float], list[bool]]:
    sure, lost, answered = zip(*rows, strict=True)
    return list(sure), list(lost), list(answered)


def apart(rows: Rows) -> Rows:
    """Rows without equal confidences."""
    return [(100 * sure - at, lost, held) for at, (sure, lost, held) in enumerate(rows)]


def risks(rows: Rows) -> list[float]:
    """Selective risks, equal confidences in the order of the rows."""
    kept = sorted((row for row in rows if row[2]), key=lambda row: -row[0])
    return [sum(lost for _, lost, _ in kept[: k + 1]) / (k + 1) for k in range(len(kept))]


def item_by_item(rows: Rows, estimator: Estimator) -> float:
    found, total = risks(rows), len(rows)
    steps = list(itertools.pairwise(found))
    if estimator in ("mean", "rows"):
        return sum(found) / len(found)
    if estimator == "torch-uncertainty":
        return sum((left + right) / 2 for left, right in steps) / len(steps)
    area = sum((left + right) / 2 / total for left, right in steps)
    if estimator == "trapezoid":
        return area if steps else found[0] / total
    if estimator == "plateau":
        return area + found[0] / total
    if estimator == "fd-shifts":
        return 1000 * (area + found[0] / total)
    rising = sorted((row for row in rows if row[2]), key=lambda row: row[0])
    weights = [-math.log(1 - rank / (len(rising) + 1)) for rank in range(1, len(rising) + 1)]
    lost = sum(weight * row[1] for weight, row in zip(weights, rising, strict=True))
    return lost / len(rising)


@pytest.mark.parametrize("estimator", EVERY)
@given(rows=ROWS)
def test_without_ties_every_area_is_its_formula(estimator: Estimator, rows: Rows) -> None:
    rows = apart(rows)
    if estimator == "torch-uncertainty" and sum(row[2] for row in rows) < 2:
        return
    expected = item_by_item(rows, estimator)
    assert aurc(*columns(rows), estimator=estimator) == pytest.approx(expected, rel=1e-12)


@pytest.mark.parametrize("estimator", ["rows", "trapezoid", "torch-uncertainty"])
@given(rows=ROWS)
def test_areas_by_row_take_ties_as_they_come(estimator: Estimator, rows: Rows) -> None:
    if estimator == "torch-uncertainty" and sum(row[2] for row in rows) < 2:
        return
    expected = item_by_item(rows, estimator)
    assert aurc(*columns(rows), estimator=estimator) == pytest.approx(expected, rel=1e-12)


@given(ROWS)
def test_a_plateau_has_one_point_per_confidence(rows: Rows) -> None:
    kept = [row for row in rows if row[2]]
    points = [
        (Fraction(len(above), len(rows)), sum(Fraction(row[1]) for row in above) / len(above))
        for level in sorted({row[0] for row in kept}, reverse=True)
        for above in [[row for row in kept if row[0] >= level]]
    ]
    area = points[0][0] * points[0][1]
    for (before, left), (after, right) in itertools.pairwise(points):
        area += (after - before) * (left + right) / 2
    assert aurc(*columns(rows), estimator="plateau") == pytest.approx(float(area), rel=1e-12)
    assert aurc(*columns(rows), estimator="fd-shifts") == pytest.approx(
        1000 * float(area), rel=1e-12
    )


@given(ROWS)
def test_generalized_risks_span_normalised(rows: Rows) -> None:
    found, total = risks(rows), len(rows)
    if len(found) < 2:
        return
    heights = [(k + 1) * risk / total for k, risk in enumerate(found)]
    area = sum((a + b) / 2 for a, b in itertools.pairwise(heights))
    expected = area / (len(found) - 1)
    assert augrc(*columns(rows), estimator="torch-uncertainty") == pytest.approx(
        expected, rel=1e-12
    )


@given(ROWS)
def test_logarithmic_weights_are_shared_among_ties(rows: Rows) -> None:
    rising = sorted((row for row in rows if row[2]), key=lambda row: row[0])
    ranks = range(1, len(rising) + 1)
    weights = [-math.log(1 - rank / (len(rising) + 1)) for rank in ranks]
    total = 0.0
    for sure, lost, _ in rising:
        shared = [w for w, row in zip(weights, rising, strict=True) if row[0] == sure]
        total += lost * sum(shared) / len(shared)
    assert aurc(*columns(rows), estimator="logarithmic") == pytest.approx(
        total / len(rising), rel=1e-12, abs=1e-15
    )


# --------------------------------------------------------------------- excess over the oracle


@pytest.mark.parametrize("estimator", EVERY)
@given(rows=ROWS, negative=st.booleans())
def test_no_ranking_beats_the_oracle_and_the_oracle_has_no_excess(
    estimator: Estimator, rows: Rows, negative: bool
) -> None:
    if estimator == "torch-uncertainty" and sum(row[2] for row in rows) < 2:
        return
    sure, lost, answered = columns(rows)
    lost = [each - 2.0 for each in lost] if negative else lost
    excess = excess_aurc(sure, lost, answered, estimator=estimator)
    area = aurc(sure, lost, answered, estimator=estimator)
    best = apart([(0, 0.0, held) for _, held in sorted(zip(lost, answered, strict=True))])
    least = aurc([row[0] for row in best], sorted(lost), answered=_of(best), estimator=estimator)
    assert excess >= 0.0
    if estimator in ("plateau", "fd-shifts"):  # the best of these ties some items
        assert excess >= (area - least) - 1e-9
    else:
        assert excess == pytest.approx(area - least, abs=1e-12)
        perfect = excess_aurc([-each for each in lost], lost, answered, estimator=estimator)
        assert perfect == pytest.approx(0.0, abs=1e-12)


def _of(rows: Rows) -> list[bool]:
    return [held for _, _, held in rows]


@pytest.mark.parametrize("estimator", ["plateau", "fd-shifts"])
@given(
    losses=st.lists(st.integers(0, 8).map(lambda n: n / 4), min_size=1, max_size=7),
    levels=st.lists(st.integers(0, 6), min_size=7, max_size=7),
    abstained=st.integers(0, 2),
)
def test_the_least_plateau_is_the_least_over_all_ways_to_tie_neighbours(
    estimator: Estimator, losses: list[float], levels: list[int], abstained: int
) -> None:
    lost, size = sorted(losses), len(losses)
    held = [1] * size + [0] * abstained
    every = []
    for cut in range(1 << (size - 1)):
        group = [-bin(cut & ((1 << at) - 1)).count("1") for at in range(size)]
        every.append(
            aurc(group + [0] * abstained, lost + [0.0] * abstained, held, estimator=estimator)
        )
    sure = levels[:size] + [0] * abstained
    all_of_them = losses + [0.0] * abstained
    area = aurc(sure, all_of_them, held, estimator=estimator)
    assert excess_aurc(sure, all_of_them, held, estimator=estimator) == pytest.approx(
        area - min(every), abs=1e-9
    )


# -------------------------------------------------------------------------- what is refused


@pytest.mark.parametrize("estimator", ["plateau", "fd-shifts", "logarithmic"])
def test_totals_are_enough_where_ties_are_treated_alike(estimator: Estimator) -> None:
    data = Predictions(TIED, LOSS, [1] * 9 + [0])
    totals = Ranked.of(data)
    assert aurc(totals, estimator=estimator) == aurc(data, estimator=estimator)
    assert excess_aurc(totals, estimator=estimator) == pytest.approx(
        excess_aurc(data, estimator=estimator), abs=1e-12
    )


@pytest.mark.parametrize("estimator", ["rows", "trapezoid", "torch-uncertainty"])
def test_totals_have_no_rows_to_take_in_order(estimator: Estimator) -> None:
    totals = Ranked.of(Predictions(TIED, LOSS))
    with pytest.raises(WrongType, match="in their order"):
        aurc(totals, estimator=estimator)
    with pytest.raises(WrongType, match="in their order"):
        excess_aurc(totals, estimator=estimator)


@pytest.mark.parametrize("function", [aurc, excess_aurc])
def test_an_unknown_estimator_is_named_beside_the_known_ones(
    function: type[object],
) -> None:
    with pytest.raises(InputError, match="'logarithmic'; got 'simpson'"):
        function(TIED, LOSS, estimator="simpson")  # type: ignore[call-arg]
    with pytest.raises(InputError, match="must be 'mean', 'fd-shifts' or 'torch-uncertainty'"):
        augrc(TIED, LOSS, estimator="logarithmic")


@pytest.mark.parametrize("estimator", EVERY[1:])
def test_other_areas_go_all_the_way(estimator: Estimator) -> None:
    with pytest.raises(InputError, match="coverage needs the estimator 'mean'"):
        aurc(APART, LOSS, coverage=0.5, estimator=estimator)
    with pytest.raises(InputError, match="coverage needs the estimator 'mean'"):
        excess_aurc(APART, LOSS, coverage=0.5, estimator=estimator)


@pytest.mark.parametrize("estimator", EVERY)
def test_no_area_is_made_of_nothing(estimator: Estimator) -> None:
    with pytest.raises(InputError, match="none of the 10 items was answered"):
        aurc(APART, LOSS, [0] * 10, estimator=estimator)
    with pytest.raises(InputError, match="none of the 10 items was answered"):
        excess_aurc(APART, LOSS, [0] * 10, estimator=estimator)


def test_a_span_needs_two_ends() -> None:
    answered = [1] + [0] * 9
    for area in (aurc, augrc, excess_aurc):
        with pytest.raises(InputError, match="two answered items"):
            area(APART, LOSS, answered, estimator="torch-uncertainty")


@pytest.mark.parametrize("estimator", EVERY)
def test_whole_confidences_beyond_the_digits_of_a_float_keep_their_order(
    estimator: Estimator,
) -> None:
    large = [2**60 + 1, 2**60, 2**60 + 2]
    assert aurc(large, [1, 0, 0], estimator=estimator) == aurc(
        [1, 0, 2], [1, 0, 0], estimator=estimator
    )


@pytest.mark.parametrize("estimator", EVERY)
def test_infinite_confidences_come_first_and_last(estimator: Estimator) -> None:
    assert aurc([0.0, -np.inf, np.inf], [1, 0, 0], estimator=estimator) == aurc(
        [1, 0, 2], [1, 0, 0], estimator=estimator
    )
