"""Panels of the report: the Pareto front, axes of costs, names beside points, shares of noise."""

import math
from itertools import product

import numpy as np
import polars as pl
import pytest

import errbar
from errbar.page.panels import LogAxis, cost_panels, noise_bars
from errbar.page.templates import figures, tick_text, with_minus

SPENT = {"low": 0.01, "high": 0.4, "middle": 0.1, "dear": 0.3}
RIGHT = {"low": 4, "high": 18, "middle": 12, "dear": 10}


def runs() -> errbar.Runs:
    """Four systems on twenty questions, of which one is dearer and worse than another."""
    rows = [
        {"system": system, "question": at, "outcome": int(at < RIGHT[system]), "cost": spent}
        for (system, spent), at in product(SPENT.items(), range(20))
    ]
    return errbar.load(pl.DataFrame(rows))


def test_the_front_leaves_out_what_a_cheaper_system_beats() -> None:
    costs = runs().cost()
    (panel,) = cost_panels(costs, order=list(SPENT))
    by_hand = [
        name
        for name in SPENT
        if not any(SPENT[o] <= SPENT[name] and RIGHT[o] >= RIGHT[name] for o in {*SPENT} - {name})
    ]
    place = {spot.system: (spot.x[0], spot.y[0]) for spot in panel.spots}
    assert sorted(panel.front) == sorted(place[name] for name in by_hand)
    assert list(panel.front) == sorted(panel.front)
    assert "dear" not in by_hand


def test_costs_of_several_decades_have_a_logarithmic_axis() -> None:
    (panel,) = cost_panels(runs().cost(), order=list(SPENT))
    assert isinstance(panel.across, LogAxis)
    assert panel.across.at(0.1) - panel.across.at(0.01) == pytest.approx(
        panel.across.at(1.0) - panel.across.at(0.1), abs=0.1
    )


@pytest.mark.parametrize("seed", range(20))
def test_a_log_axis_reaches_every_cost(seed: int) -> None:
    rng = np.random.default_rng(seed)
    costs = 10.0 ** rng.uniform(-8, 6, 5)
    axis = LogAxis.of(costs)
    assert axis.ticks[0] <= min(costs)
    assert max(costs) <= axis.ticks[-1]
    assert all(0.0 <= axis.at(cost) <= 100.0 for cost in costs)


def test_names_do_not_cover_each_other() -> None:
    (panel,) = cost_panels(runs().cost(), order=list(SPENT))
    assert any(spot.name for spot in panel.spots)
    named = [spot for spot in panel.spots if spot.name]
    for spot, other in product(named, named):
        if spot is not other and spot.side == other.side:
            apart = abs(spot.y[0] - other.y[0]) >= 8.0 or abs(spot.x[0] - other.x[0]) >= 2.3
            assert apart


def test_shares_of_noise_make_the_whole_and_errors_are_those_of_the_result() -> None:
    rng = np.random.default_rng(3)
    noise = errbar.load(
        {name: rng.random((30, 6)) < rate for name, rate in (("a", 0.4), ("b", 0.7))}
    ).noise()
    (bars,) = noise_bars(noise, order=["b", "a"]).values()
    assert [(bar.system, bar.against) for bar in bars] == [("b", ""), ("a", ""), ("b", "a")]
    by_names = {frozenset((row.of.system, row.against)): row for row in noise}
    for bar in bars:
        row = by_names[frozenset((bar.system, bar.against))]
        assert math.fsum(share for _, share in bar.parts) == pytest.approx(100.0)
        assert bar.errors == (
            row.se,
            row.se_with(row.questions, 2 * row.trials),
            row.se_with(2 * row.questions, row.trials),
        )


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("range_0--1_user", "range_0--1_user"),
        ("gpt-4 by -0.2", "gpt-4 by −0.2"),
        ("[-0.1, 0.2]", "[−0.1, 0.2]"),
    ],
)
def test_only_numbers_get_a_minus_sign(text: str, expected: str) -> None:
    assert with_minus(text) == expected


def test_cells_keep_their_width() -> None:
    assert figures(" 0.5 [ 0.1, 0.9]").replace("\u2007", " ") == " 0.5 [ 0.1, 0.9]"
    assert tick_text(0.3) == "0.3"
