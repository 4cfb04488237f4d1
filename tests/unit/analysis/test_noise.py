"""NoiseTable of scores and differences: against hand-made data, and what is said of it."""

from typing import Any

import duckdb
import numpy as np
import polars as pl
import pytest

import errbar
from errbar import demo
from errbar.errors import InputError
from errbar.kernels.bounded_mean import Sample, mean_ends
from errbar.results.noise import NoiseTable

RUNS = errbar.load(demo.LOGS / f"{demo.HARD}.csv")


def variances(found: NoiseTable, at: int = 0) -> dict[str, float]:
    return {source.name: source.variance.value for source in found[at].sources}


def test_the_components_of_a_system_and_of_a_difference() -> None:
    """By the formulas for equally many trials: sample variances of means and within questions."""
    named = RUNS.source.named()
    tables = {key[0]: each.slice.counts("wrong") for key, each in named.items()}
    first, second = (tables[name].correct / 8 for name in ("dunlin-2", "siskin-1"))
    found = {row.name: row for row in RUNS.noise()}
    for name, mean, within in (
        ("dunlin-2 · repo-repair", first, first * (1 - first) * 8 / 7),
        (
            "dunlin-2 − siskin-1 · repo-repair",
            first - second,
            (first * (1 - first) + second * (1 - second)) * 8 / 7,
        ),
    ):
        data, luck = found[name].sources
        assert luck.variance.value == pytest.approx(within.mean())
        assert data.variance.value == pytest.approx(mean.var(ddof=1) - within.mean() / 8)
        assert found[name].se == pytest.approx(np.sqrt(mean.var(ddof=1) / 40))
        assert found[name].se_with(40, float("inf")) == pytest.approx(
            np.sqrt(data.variance.value / 40)
        )
        assert data.share.value + luck.share.value == pytest.approx(1.0)
        assert data.share.low < data.share.value < data.share.high
        width = data.share.high - data.share.low  # of a 95% interval, 3.9 standard deviations
        assert 2.0 * data.share.sd < width < 6.0 * data.share.sd


def judged(levels: int = 3) -> pl.DataFrame:
    rng = np.random.default_rng(1)
    question, judge, trial = (part.ravel() for part in np.indices((30, levels, 2)))
    rate = rng.beta(2, 2, 30)[question] * (0.6 + 0.2 * judge)
    return pl.DataFrame(
        {
            "question": [f"q{at}" for at in question],
            "judge": [f"j{at}" for at in judge],
            "epoch": trial + 2 * judge,
            "outcome": (rng.random(rate.size) < rate).astype(int),
        }
    )


def test_a_column_is_a_source_of_noise_with_any_engine() -> None:
    rows = judged()
    connection = duckdb.connect()
    connection.register("rows", rows.to_arrow())
    found = errbar.noise(rows, by="judge")
    assert list(variances(found)) == [
        "choice of questions",
        "judge",
        "judge × question",
        "trial noise",
    ]
    assert variances(found)["judge"] > 0.0
    for other in (rows.to_pandas(), rows.to_arrow(), connection.table("rows")):
        assert errbar.noise(other, by=["judge"]).to_dicts() == found.to_dicts()
    # more questions do not help against the choice of judges
    source = found[0].sources[1]
    assert found[0].se_with(1e12, 1.0) == pytest.approx(np.sqrt(source.square))


def test_runs_with_a_trial_each_leave_their_interaction_to_the_trials() -> None:
    rows = judged().filter(pl.col("epoch") % 2 == 0)
    names = list(variances(errbar.noise(rows, by="judge")))
    assert names == ["choice of questions", "judge", "trial noise, and judge × question"]


def test_clusters_are_chosen_before_their_questions() -> None:
    rows = judged().with_columns(cluster=pl.col("question").str.slice(1).cast(int) // 3)
    found = errbar.noise(rows)
    assert list(variances(found)) == [
        "choice of clusters",
        "choice of questions",
        "trial noise",
    ]
    assert "clusters" in found.method


def test_rewards_keep_their_scale() -> None:
    rng = np.random.default_rng(2)
    rows = (rng.random(20)[:, None] + rng.random((20, 3))).tolist()
    small, large = (
        errbar.noise([[10**k * reward for reward in row] for row in rows], bounds=(0, 2 * 10**k))
        for k in (0, 2)
    )
    for source, scaled in zip(small[0].sources, large[0].sources, strict=True):
        assert scaled.variance.value == pytest.approx(1e4 * source.variance.value)
        assert scaled.variance.high == pytest.approx(1e4 * source.variance.high)
        assert scaled.share.low == pytest.approx(source.share.low)


def test_prompts_of_each_question_are_drawn_anew_with_the_questions() -> None:
    """Their component is the mean over questions of an analysis of variance of each."""
    rng = np.random.default_rng(2)
    questions, prompts, trials = 60, 3, 3
    rate = np.clip(rng.beta(2, 2, (questions, 1)) + rng.normal(0, 0.1, (questions, prompts)), 0, 1)
    right = rng.binomial(1, rate[:, :, None], (questions, prompts, trials))
    rows = [
        {"question": q, "prompt": f"{q}-{p}", "trial": f"{p}-{t}", "outcome": int(right[q, p, t])}
        for q, p, t in np.ndindex(right.shape)
    ]
    (row,) = errbar.noise(pl.DataFrame(rows), by="prompt")
    between = right.mean(axis=2).var(axis=1, ddof=1)
    each = between - right.var(axis=2, ddof=1).mean(axis=1) / trials
    source = {source.name: source for source in row.sources}["prompt"]
    assert source.variance.value == pytest.approx(each.mean())
    values, often = np.unique(np.round(each, 10), return_counts=True)
    sample = Sample(values, np.ones(values.size), often.astype(float), (-0.125, 0.25))
    low, high = mean_ends(sample, 0.95)
    reach = 0.03 * (high - low)  # of a percentile of the draws
    assert source.variance.low == pytest.approx(max(low, 0.0), abs=reach)
    assert source.variance.high == pytest.approx(high, abs=reach)
    assert source.share.low < source.share.value < source.share.high
    # new questions bring new prompts
    assert row.se_with(2 * questions, prompts * trials) == pytest.approx(row.se / np.sqrt(2))


def test_one_trial_per_question_is_refused_with_what_to_do() -> None:
    with pytest.raises(
        InputError, match=r"[Ee]very question has one trial.*Run the questions several"
    ):
        errbar.noise([[1], [0], [1]])


def test_questions_with_a_single_trial_are_counted() -> None:
    found = errbar.noise([[1, 0], [0, 0], [1, 1], [1, float("nan")]], errors="missing")
    assert any("1 of 4 questions has a single trial" in note for note in found.notes())


def test_the_difficulty_goes_into_a_plan() -> None:
    row = RUNS.noise()[0]
    planned = errbar.plan("avg", difficulty=row.difficulty(), width=0.2, trials=[8], simulations=0)
    assert planned.goal.mean == pytest.approx(row.value, abs=2e-3)


@pytest.mark.parametrize(
    "options", [{"systems": ["nobody"]}, {"baseline": "nobody"}, {"by": "nothing"}, {"level": 1.0}]
)
def test_what_is_not_there_is_refused(options: dict[str, Any]) -> None:
    with pytest.raises(InputError):
        RUNS.noise(**options)


def test_the_table_names_its_sources_and_what_more_would_buy() -> None:
    text = str(RUNS.noise(baseline="siskin-1", designs=[(200, 2)]))
    assert text.startswith("Trial noise accounts for 8 to 15% of the uncertainty of scores")
    assert "200 × 2" in text
    assert RUNS.noise(designs=[(200, 2)]).design_records()[4]["questions"] == 200
