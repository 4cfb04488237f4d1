"""Plans: power by independent routes, the cheapest row, refusals, and the command."""

import json
import math
from pathlib import Path
from statistics import NormalDist

import numpy as np
import pytest
from click.testing import CliRunner, Result
from scipy.integrate import quad
from scipy.stats import beta as beta_law
from scipy.stats import binom

import errbar
from errbar.analysis.methods import Calibrated
from errbar.analysis.plan import Difficulty, plan
from errbar.analysis.plan.goals import DetectDifference, DetectSurely, Width
from errbar.cli import main
from errbar.errors import InputError, WrongType
from errbar.kernels.power import DiscreteDistribution, normal_power, shift_log_odds, simulated_power
from errbar.kernels.sign_flip import evidence
from errbar.metrics import Average, Geom, PassAt, PassHat, parse

REACH = NormalDist().inv_cdf(0.975)
KEYS = [
    *("metric", "mean", "difference", "disagreement", "width", "level", "covers", "target"),
    *("trials", "questions", "systems", "trials_in_all", "cost", "power", "simulated"),
    *("simulated_sd", "reached", "best"),
]
LOG = "\n".join(
    [
        "system,question,trial,outcome",
        *(
            f"{system},q{q},{t},{int((q * 7 + t * 3 + len(system)) % 10 < 5 + q % 4)}"
            for system in ("a", "bb")
            for q in range(30)
            for t in range(6)
        ),
    ]
)


def difference(
    metric: str = "pass@1",
    by: float = 0.05,
    difficulty: str = "uniform",
    disagreement: float = 1.0,
) -> DetectDifference:
    asked = parse(metric)
    assert isinstance(asked, PassAt | PassHat | Average | Geom)
    return DetectDifference(asked, Difficulty.of(difficulty), 0.95, 0, by, disagreement)


def realised(goal: DetectDifference, questions: int, trials: int, times: int) -> float:
    """Rates, trials and the test itself, with nothing of the planned computed."""
    rng = np.random.default_rng(7)
    values, seen = goal.values(trials), 0
    rates, weights = goal.difficulty.average()
    for _ in range(times):
        first = rates[rng.choice(rates.size, questions, p=weights / weights.sum())]
        second = shift_log_odds(first, rng.normal(goal.shift, goal.disagreement, questions))
        baseline, candidate = (values[rng.binomial(trials, each)] for each in (first, second))
        seen += evidence(candidate - baseline) >= REACH
    return seen / times


# Power.


def test_one_trial_without_disagreement_is_the_sample_size_of_mcnemar() -> None:
    """Connor's formula, from the discordant shares; many questions, so that orders agree."""
    goal = difference(by=0.02, disagreement=0.0)
    odds = math.exp(goal.shift)

    def discordant(p: float) -> tuple[float, float]:
        q = p * odds / (1 - p + p * odds)
        return q * (1 - p), p * (1 - q)

    won, lost = (quad(lambda p, i=i: discordant(p)[i], 0.0, 1.0)[0] for i in (0, 1))
    assert won - lost == pytest.approx(0.02, abs=1e-9)
    every, z = won + lost, NormalDist().inv_cdf
    expected = (z(0.975) * math.sqrt(every) + z(0.8) * math.sqrt(every - 0.02**2)) ** 2 / 0.02**2
    assert goal.least(0.8, 1) == pytest.approx(expected, rel=2e-3)


def test_the_spread_of_a_difference_is_that_of_exact_integrals() -> None:
    goal = difference("avg", by=0.1, difficulty="beta(2,3)", disagreement=0.0)
    odds, law, n = math.exp(goal.shift), beta_law(2, 3), 5

    def square(p: float) -> float:
        q = p * odds / (1 - p + p * odds)
        return float(law.pdf(p)) * ((q - p) ** 2 + (p * (1 - p) + q * (1 - q)) / n)

    shown = goal.distribution(n)
    assert shown.chances @ shown.values == pytest.approx(0.1, abs=1e-9)
    assert shown.chances @ np.square(shown.values) == pytest.approx(quad(square, 0, 1)[0], rel=1e-9)


def test_the_chance_of_a_pair_of_states_is_an_integral_over_rates_and_shifts() -> None:
    goal = difference("pass^2", by=0.1, disagreement=0.7)
    values = goal.values(3)
    z, weights = np.polynomial.hermite_e.hermegauss(60)
    weights /= weights.sum()

    def chance(p: float) -> float:
        q = shift_log_odds(np.array(p), goal.shift + 0.7 * z)
        return float(binom.pmf(2, 3, p) * (binom.pmf(3, 3, q) @ weights))

    expected = quad(chance, 0, 1)[0]
    shown = goal.distribution(3)
    at = int(np.argmin(np.abs(shown.values - (values[3] - values[2]))))
    assert shown.values[at] == pytest.approx(2 / 3)
    assert shown.chances[at] == pytest.approx(expected, rel=1e-7)


@pytest.mark.parametrize(
    ("metric", "difficulty", "by", "trials"),
    [
        ("pass@1", "uniform", 0.1, 1),
        ("pass@1", "u-shaped", -0.1, 4),
        ("pass^2", "hard", 0.05, 2),
        ("avg", "spiked", 0.2, 8),
        ("geom@2", "easy", -0.05, 4),
    ],
)
def test_the_realised_power_is_the_stated_one(
    metric: str, difficulty: str, by: float, trials: int
) -> None:
    goal = difference(metric, by, difficulty)
    questions = goal.least(0.8, trials)
    assert questions is not None
    found = realised(goal if by > 0 else _mirrored(goal), questions, trials, 3000)
    assert found == pytest.approx(goal.power(questions, trials), abs=0.03)


def _mirrored(goal: DetectDifference) -> DetectDifference:
    """The test below looks upwards; so the better system goes second."""

    class Mirrored(DetectDifference):
        def values(self, trials: int) -> np.ndarray:
            return -super().values(trials)

    return Mirrored(
        goal.metric, goal.difficulty, goal.level, goal.seed, goal.difference, goal.disagreement
    )


def test_simulated_comparisons_are_decided_as_the_test_decides_them() -> None:
    shown = DiscreteDistribution(np.array([-1.0, 0.0, 1.0]), np.array([0.1, 0.6, 0.3]))
    rng = np.random.default_rng(1)
    often = np.random.default_rng(1).multinomial(30, shown.chances, 500).astype(int)
    expected = np.mean([evidence(np.repeat(shown.values, row)) >= REACH for row in often])
    assert simulated_power(shown, 30, REACH, rng, 500) == expected


def test_more_questions_and_more_trials_never_have_less_power() -> None:
    goal = difference()
    by_trials = [goal.power(300, trials) for trials in (1, 2, 4, 8, 32, None)]
    by_questions = [goal.power(questions, 4) for questions in (50, 100, 200, 400)]
    assert by_trials == sorted(by_trials)
    assert by_questions == sorted(by_questions)


def test_no_difference_at_all_has_no_power() -> None:
    assert normal_power(DiscreteDistribution(np.zeros(1), np.ones(1)), 100, REACH) == 0.0


def test_a_negative_difference_is_as_hard_to_see_as_its_mirror() -> None:
    up, down = difference(by=0.05), difference(by=-0.05)
    assert up.power(200, 4) == pytest.approx(down.power(200, 4), abs=1e-6)


# Widths.


@pytest.mark.parametrize(("difficulty", "trials"), [("uniform", 4), ("hard", 1), ("easy", 2)])
def test_intervals_are_as_narrow_as_planned_in_as_many_runs_as_stated(
    difficulty: str, trials: int
) -> None:
    goal = Width(PassAt(1), Difficulty.of(difficulty), 0.95, 0, 0.1)
    questions = goal.least(0.8, trials)
    assert questions is not None
    rng, narrow = np.random.default_rng(3), 0
    rates, weights = goal.difficulty.average()
    for _ in range(300):
        each = rates[rng.choice(rates.size, questions, p=weights / weights.sum())]
        counts = errbar.Counts(np.full(questions, trials), rng.binomial(trials, each))
        interval = Calibrated().cells([counts], [PassAt(1)])[0][0].interval
        narrow += interval.high - interval.low <= 0.1
    # the share of 300 runs has a standard deviation of 0.023
    assert narrow / 300 == pytest.approx(goal.power(questions, trials), abs=0.07)
    assert goal.power(questions - 1, trials) < 0.8 or questions >= 400  # where steps are longer


# Plans.


def test_the_cheapest_row_is_marked() -> None:
    found = plan("pass@1", difference=0.05, difficulty="uniform", question_cost=20, simulations=0)
    reached = [row for row in found.rows if row.reached]
    assert found.best.cost == min(row.cost for row in reached)
    assert found.best.cost == found.best.questions * (20 + 2 * found.best.trials)
    assert found.best.trials > 1  # questions are dear
    assert sum(row.best for row in found.rows) == 1


def test_questions_cost_nothing_so_one_trial_of_many_is_cheapest() -> None:
    found = plan("pass@1", difference=0.05, difficulty="uniform", simulations=0)
    assert found.best.trials == 1
    assert found.marked == "cheapest"


def test_a_benchmark_that_is_too_small_is_called_so() -> None:
    found = plan("pass@1", difference=0.05, difficulty="uniform", questions=30, simulations=0)
    assert {row.questions for row in found.rows} == {30}
    assert not any(row.reached for row in found.rows)
    assert str(found).startswith("Not reached: 30 questions x ")
    assert "Cannot be reached: with 30 questions even infinitely many trials give 3" in " ".join(
        found.notes()
    )


def test_a_budget_buys_the_highest_power() -> None:
    found = plan("pass@1", difference=0.05, difficulty="uniform", budget=500, simulations=0)
    assert all(row.cost <= 500 for row in found.rows)
    assert found.best.power == max(row.power for row in found.rows)
    smallest = found.goal.detectable(0.8, found.best.questions, found.best.trials)  # type: ignore[attr-defined]
    again = difference(by=smallest).power(found.best.questions, found.best.trials)
    assert smallest > 0.05
    assert again == pytest.approx(0.8, abs=0.01)


def test_a_mean_shifts_the_difficulty() -> None:
    found = plan("pass@1", difference=0.05, difficulty="uniform", mean=0.9, trials=[1])
    assert found.goal.mean == pytest.approx(0.9)
    with pytest.raises(InputError, match=r"it stays between 0\.2 and 0\.7\."):
        plan("pass@1", difference=0.05, difficulty="spiked", mean=0.9)


def test_a_plan_repeats_to_the_bit_with_its_seed() -> None:
    def text(seed: int) -> str:
        return str(
            plan("pass^2", difference=0.1, difficulty="hard", trials=[2], rng=seed, simulations=50)
        )

    assert text(3) == text(3)
    assert text(3) != text(4)


def test_two_weights_stretch_the_difference() -> None:
    plain = plan("avg", difference=0.05, difficulty="uniform", trials=[2], simulations=0)
    wide = plan(
        "avg(weights=[0, 10])", difference=0.5, difficulty="uniform", trials=[2], simulations=0
    )
    assert wide.best.questions == plain.best.questions


@pytest.mark.parametrize(
    ("given", "kind", "said"),
    [
        ({}, InputError, "ask for a difference or for a width"),
        ({"difference": 0.1, "width": 0.1}, InputError, "ask for a difference or for a width"),
        ({"difference": 0.0}, InputError, "a difference of 0 cannot be detected"),
        ({"difference": 0.9}, InputError, "pass@1 of the first system is 0.5"),
        ({"difference": "a"}, WrongType, "difference must be a number; got 'a'"),
        ({"difference": 0.1, "power": 1.0}, InputError, "power must lie strictly between 0 and 1"),
        ({"difference": 0.1, "level": "x"}, WrongType, "level must be a number"),
        ({"width": 0.0}, InputError, "width must be positive"),
        ({"width": 0.1, "disagreement": 1.0}, InputError, "a width is planned for one"),
        ({"difference": 0.1, "difficulty": None}, InputError, "either by a pilot log"),
        ({"difference": 0.1, "difficulty": "flat"}, InputError, "'flat' is not known; write beta"),
        ({"difference": 0.1, "difficulty": "beta(0,1)"}, InputError, "lie between 0.01 and 500"),
        ({"difference": 0.1, "difficulty": "beta(1e,1)"}, InputError, "'1e' is not a number"),
        ({"difference": 0.1, "difficulty": 3}, WrongType, "difficulty is text"),
        ({"difference": 0.1, "trials": [0]}, InputError, "trials must be 1 at least"),
        (
            {"difference": 0.1, "trials": None, "max_trials": 0},
            InputError,
            "max_trials must be 1 at least",
        ),
        ({"difference": 0.1, "questions": 1}, InputError, "questions must be 2 at least"),
        ({"difference": 0.1, "questions": 2.0}, WrongType, "questions must be a whole number"),
        ({"difference": 0.1, "budget": 1.0}, InputError, "a budget of 1 is too small"),
        ({"difference": 0.1, "systems": ["a"]}, InputError, "there is no pilot"),
        ({"difference": 0.1, "question_cost": -1.0}, InputError, "question_cost must be finite"),
        ({"difference": 0.1, "trial_cost": 0.0}, InputError, "are both 0"),
        ({"difference": 1e-6}, InputError, "not even ten million questions"),
    ],
)
def test_what_cannot_be_planned_is_refused(
    given: dict[str, object], kind: type[InputError], said: str
) -> None:
    with pytest.raises(kind, match=said.replace("(", r"\(")):
        plan("pass@1", **{"difficulty": "uniform", "trials": [1], **given})  # type: ignore[arg-type]


@pytest.mark.parametrize("metric", ["geom-ds@2", "avg(weights=[0, 1, 2])", "risk@0.5", "vote@3"])
def test_metrics_that_are_no_mean_over_questions_are_refused(metric: str) -> None:
    with pytest.raises(WrongType, match="cannot be planned for"):
        plan(metric, difference=0.1, difficulty="uniform")


def test_metrics_are_refused_for_want_of_trials_or_of_a_value_per_question() -> None:
    with pytest.raises(InputError, match=r"pass@8 draws 8 .* max_trials is 4"):
        plan("pass@8", difference=0.1, difficulty="uniform", max_trials=4)
    with pytest.raises(InputError, match="its interval is learned"):
        plan("geom@2", width=0.1, difficulty="uniform")
    with pytest.raises(InputError, match="whatever the outcomes are"):
        plan("avg(weights=[1, 1])", difference=0.1, difficulty="uniform")


# Pilots.


def test_a_pilot_of_two_systems_tells_how_far_they_disagree() -> None:
    rng = np.random.default_rng(0)
    rates = rng.beta(1, 1, 400)
    for disagreement in (0.5, 2.0):
        others = shift_log_odds(rates, rng.normal(0.3, disagreement, rates.size))
        matrices = {
            name: (rng.random((rates.size, 16)) < each[:, None]).astype(float)
            for name, each in (("a", rates), ("b", others))
        }
        counts = {
            name: errbar.Counts(np.full(rates.size, 16), m.sum(axis=1).astype(int))
            for name, m in matrices.items()
        }
        found = [
            plan("pass@1", difference=0.1, pilot=errbar.load(given), trials=[4], simulations=0)
            for given in (matrices, counts)
        ]
        learned = [each.goal.disagreement for each in found]  # type: ignore[attr-defined]
        assert learned[0] == pytest.approx(disagreement, abs=0.2)
        assert learned[0] == learned[1]
        assert found[0].goal.mean == pytest.approx(0.5, abs=0.05)


def test_a_pilot_plans_nearly_as_what_it_was_drawn_from() -> None:
    rng = np.random.default_rng(1)
    rates = rng.beta(2, 2, 2000)
    runs = errbar.load((rng.random((rates.size, 8)) < rates[:, None]).astype(float))
    learned = plan("pass@2", difference=0.05, pilot=runs, trials=[2, 8], simulations=0)
    assumed = plan("pass@2", difference=0.05, difficulty="beta(2,2)", trials=[2, 8], simulations=0)
    for row, expected in zip(learned.rows, assumed.rows, strict=True):
        assert row.questions == pytest.approx(expected.questions, rel=0.1)
    assert any("Over 90% of the difficulty distributions" in note for note in learned.notes())


def test_pilots_that_tell_too_little_say_so(tmp_path: Path) -> None:
    path = tmp_path / "log.csv"
    path.write_text(LOG)
    runs = errbar.load(str(path))
    with pytest.raises(InputError, match="the pilot has no system 'c'; it has: 'a', 'bb'"):
        plan("pass@1", difference=0.1, pilot=runs, systems=["c"])
    with pytest.raises(WrongType, match=r"a pilot is what errbar\.load gives; got str"):
        plan("pass@1", difference=0.1, pilot=str(path))  # type: ignore[arg-type]
    once = errbar.load({"a": np.eye(8)[:, :1], "b": 1 - np.eye(8)[:, :1]})
    said = plan("pass@1", difference=0.1, pilot=once, trials=[1], simulations=0).notes()
    assert "One trial per question does not show how far two systems disagree." in said
    three = errbar.load({name: np.eye(4) for name in "abc"})
    with pytest.raises(InputError, match=r"3 systems \(a, b, c\); name one or two"):
        plan("pass@1", difference=0.1, pilot=three)


# The command.


def run(*arguments: str) -> Result:
    return CliRunner().invoke(main, ["plan", *arguments])


def test_the_command_names_the_option_that_is_missing() -> None:
    assert "as in --difference 0.03." in run("--difficulty", "beta(2,2)").stderr


def test_the_command_plans_from_a_difficulty_in_every_format(tmp_path: Path) -> None:
    asked = ("--difference", "0.1", "--difficulty", "beta(2,2)", "--trials", "1", "--trials", "4")
    whole = json.loads(run(*asked, "--format", "json").stdout)
    assert [list(row) for row in whole["rows"]] == [KEYS, KEYS]
    assert whole["rows"][0]["width"] is None
    assert whole["rows"][0]["simulated"] == pytest.approx(0.8, abs=0.04)
    for style in ("table", "csv", "markdown", "latex"):
        result = run(*asked, "--format", style)
        assert result.exit_code == 0, result.output
        assert "cheapest" in result.stdout or style == "csv"
    plot = tmp_path / "power.svg"
    assert run(*asked, "--plot", str(plot)).exit_code == 0
    drawn = plot.read_text()
    assert drawn.startswith("<svg")
    assert "4 trials each" in drawn
    assert "difference of +0.1 in pass@1" in drawn


def test_the_command_plans_from_a_pilot(tmp_path: Path) -> None:
    path = tmp_path / "log.csv"
    path.write_text(LOG)
    asked = (str(path), "-m", "pass@2", "--difference", "0.1", "--max-trials", "4")
    result = run(*asked, "--explain")
    assert result.exit_code == 0, result.output
    verdict, table, *_ = result.stdout.split("\n\n")
    assert "detect a difference of +0.1 in pass@2 with power" in " ".join(verdict.split())
    assert table.startswith("trials per question")
    assert "estimated from 30 questions of a" in result.stdout
    assert "(estimated from the pilot)" in result.stdout
    alone = run(str(path), "--system", "bb", "--width", "0.2", "--max-trials", "2")
    assert "estimated from 30 questions of bb" in alone.stdout


def test_the_command_refuses_in_one_line() -> None:
    result = run("--difference", "0.1")
    assert result.exit_code == 2
    assert "describe the distribution of success rates" in result.stderr


def test_a_plan_shows_itself_in_a_notebook_and_as_a_curve() -> None:
    found = plan("pass@1", difference=0.1, difficulty="uniform", trials=[1, 2, 4], simulations=0)
    assert ">cheapest</td>" in found._repr_html_()
    curve = found.curve()
    assert {each["trials"] for each in curve} == {1, 2, 4}
    assert len({row["label"] for row in found.plot().spec["data"]["values"]}) == 3


def test_records_have_the_request_and_nan_for_what_was_not_requested() -> None:
    """Every kind of goal fills its own fields of the same record."""
    seen = plan("avg", difference=0.2, disagreement=0.5, difficulty="uniform", trials=[2])
    narrow = plan("avg", width=0.3, level=0.9, difficulty="uniform", trials=[2], simulations=0)
    for found, asked in (
        (seen, {"difference": 0.2, "disagreement": 0.5, "width": math.nan, "level": 0.95}),
        (narrow, {"difference": math.nan, "disagreement": math.nan, "width": 0.3, "level": 0.9}),
    ):
        (record,) = found.to_dicts()
        assert {name: record[name] for name in asked} == pytest.approx(asked, nan_ok=True)
        assert (record["metric"], record["covers"], record["target"]) == ("avg", "population", 0.8)
        assert record["mean"] == pytest.approx(0.5)


@pytest.mark.parametrize(("metric", "trials"), [("avg", 1), ("avg", 4), ("pass^4", 4)])
def test_a_planned_verdict_of_better_is_reached_by_compare(metric: str, trials: int) -> None:
    """Rates, trials and verdicts are simulated with nothing of the plan but its questions."""
    found = plan(metric, difference=0.15, difficulty="uniform", trials=[trials], verdict="better")
    goal = found.goal
    assert isinstance(goal, DetectSurely)
    rng, met = np.random.default_rng(8), 0
    for _ in range(60):
        rates = rng.uniform(size=found.best.questions)
        odds = np.log(rates / (1.0 - rates)) + rng.normal(goal.shift, goal.disagreement, rates.size)
        both = {"old": rates, "new": 1.0 / (1.0 + np.exp(-odds))}
        runs = errbar.load(
            {name: rng.binomial(1, p, (trials, p.size)).T for name, p in both.items()}
        )
        (pair,) = runs.compare(metric)
        met += pair.verdict == "new is better"
    assert 0.8 - 3 * 0.052 < met / 60 < 0.8 + 3 * 0.052


def test_the_surer_verdict_needs_more_questions() -> None:
    probably = plan("avg", difference=0.1, difficulty="uniform", trials=[4]).best
    surely = plan("avg", difference=0.1, difficulty="uniform", trials=[4], verdict="better").best
    assert probably.questions < surely.questions < 1.5 * probably.questions
    with pytest.raises(InputError, match="verdict must be 'probably better' or 'better'"):
        plan("avg", difference=0.1, difficulty="uniform", verdict="worse")  # type: ignore[arg-type]
