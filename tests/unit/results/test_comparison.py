"""What comparisons say: verdicts, many of them at once, three targets, and how they print."""

import json
import math
import re
from dataclasses import replace
from statistics import NormalDist
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

import errbar
from errbar.analysis.compare import bonferroni
from errbar.kernels import sign_flip as signs
from errbar.kernels.bounded_mean import Sample, mean_ends, p_at_most
from errbar.metrics import Average, PassAt
from errbar.results.comparison import Comparison
from errbar.results.comparisons import Comparisons
from errbar.results.estimate import Estimand, Interval

KEYS = [
    *("task", "metric", "first", "second", "value", "against", "difference", "sd", "low", "high"),
    *("level", "covers", "p_value", "adjusted", "probable", "undone_by", "chance"),
    *("wins", "ties", "losses", "questions", "left_out", "margin", "no_worse"),
    *("better", "probably_better", "verdict", "caution", "reason"),
]


def matrix(seed: int, questions: int, trials: int, right: float = 1.0) -> NDArray[np.int64]:
    """Difficulties that every seed shares, and luck of its own."""
    rates = np.random.default_rng(99).beta(1.0, 1.0, (questions, 1)) ** (1.0 / right)
    return (np.random.default_rng(seed).random((questions, trials)) < rates).astype(np.int64)


THREE = {"a": matrix(1, 60, 4), "b": matrix(2, 60, 4, 1.6), "c": matrix(3, 60, 4, 0.8)}


SINGLE = (("a", 1, 1.0), ("b", 2, 2.0), ("c", 3, 1.0))


def mcnemar(wins: int, losses: int) -> float:
    """Exact two-sided p-value: the smaller number under a fair coin, counted twice."""
    number = wins + losses
    tail = sum(math.comb(number, at) for at in range(min(wins, losses) + 1)) / 2**number
    return min(1.0, 2.0 * tail)


class TestMany:
    def test_intervals_that_hold_together_are_wider_than_alone(self) -> None:
        runs = errbar.load(THREE)
        together, alone = runs.compare("avg"), runs.compare("avg", adjust="none")
        for wide, narrow in zip(together, alone, strict=True):
            assert wide.interval.low < narrow.interval.low
            assert wide.interval.high > narrow.interval.high
            assert wide.adjusted >= narrow.adjusted == narrow.p_value == wide.p_value
        single = runs.compare("avg", systems=["a", "b"])[0]
        assert single.interval == alone[0].interval

    def test_bonferroni_by_hand_on_the_exact_test_of_mcnemar(self) -> None:
        data = {name: matrix(seed, 80, 1, right) for name, seed, right in SINGLE}
        for compared in errbar.load(data).compare("avg"):
            apart = (data[compared.first] - data[compared.second]).ravel()
            wins, losses = int((apart > 0).sum()), int((apart < 0).sum())
            assert (compared.wins, compared.losses) == (wins, losses)
            exact = mcnemar(wins, losses)
            assert compared.p_value == pytest.approx(exact, rel=1e-4)
            assert compared.adjusted == pytest.approx(min(1.0, 3 * exact), rel=1e-4)

    def test_an_interval_of_three_is_that_of_one_at_a_third_of_the_error(self) -> None:
        runs = errbar.load(THREE)
        alone = runs.compare("avg", adjust="none", level=1 - 0.05 / 3)
        for compared, single in zip(runs.compare("avg"), alone, strict=True):
            assert (compared.interval.low, compared.interval.high) == pytest.approx(
                (single.interval.low, single.interval.high), abs=1e-12
            )

    def test_a_system_twice_has_the_same_interval_twice(self) -> None:
        data = {"a": THREE["a"], "b": THREE["b"], "again": THREE["b"]}
        found = errbar.load(data).compare("avg", baseline="a")
        assert found[0].interval == found[1].interval

    def test_adjusted_for_every_metric_and_task_together(self) -> None:
        found = errbar.load(THREE).compare("avg", "pass@2")
        assert found.together == 6
        assert all(row.adjusted == bonferroni(row.p_value, len(found)) for row in found)


class TestTargets:
    def test_these_very_questions_are_known_better_than_others_like_them(self) -> None:
        rng = np.random.default_rng(6)  # questions that are hard for one and easy for the other
        data = {name: (rng.random((60, 8)) < rng.random((60, 1))).astype(int) for name in "ab"}
        runs = errbar.load(data)
        widths = {}
        for estimand in ("population", "benchmark", "rerun"):
            compared = runs.compare("avg", estimand=estimand)[0]
            assert compared.interval.covers == estimand
            widths[estimand] = compared.interval.high - compared.interval.low
        assert widths["benchmark"] < widths["rerun"]
        assert widths["benchmark"] < widths["population"]

    @pytest.mark.parametrize(("estimand", "apart"), [("benchmark", 1.0), ("rerun", 2.0)])
    def test_one_trial_per_question_cannot_tell_and_says_so(
        self, estimand: str, apart: float
    ) -> None:
        runs = errbar.load({"a": matrix(1, 80, 1), "b": matrix(2, 80, 1)})
        found = runs.compare("avg", estimand=estimand)
        like_these = runs.compare("avg")[0]
        assert found[0].sd == pytest.approx(math.sqrt(apart) * like_these.sd, abs=1e-15)
        said = "With one trial per question, trial noise and difficulty cannot be separated"
        assert any(note.startswith(said) for note in found.notes())
        assert "McNemar's exact test" in found.method

    def test_the_evidence_is_that_of_the_kernel(self) -> None:
        compared = errbar.load(THREE).compare("avg", systems=["a", "b"])[0]
        apart = (THREE["a"] - THREE["b"]).mean(axis=1)
        sample = Sample(apart, np.ones(60), np.ones(60), (-1.0, 1.0))
        tails = p_at_most(sample, 0.0), p_at_most(sample.mirrored, 0.0)
        assert compared.p_value == pytest.approx(2 * min(tails), rel=1e-4)
        ends = mean_ends(sample, 0.95)
        assert (compared.interval.low, compared.interval.high) == pytest.approx(ends, abs=1e-5)
        usual = 2 * NormalDist().cdf(-abs(signs.evidence(apart)))
        assert compared.probable == pytest.approx(usual, abs=1e-12)

    def test_the_interval_and_the_verdict_never_contradict_each_other(self) -> None:
        decided = 0
        for seed in range(20):
            trials = 1 + seed % 3
            data = {"a": matrix(seed, 40, trials), "b": matrix(seed + 100, 40, trials, 4.0)}
            data["c"] = matrix(seed + 200, 40, trials, 2.0)
            for compared in errbar.load(data).compare("avg", f"pass@{trials}"):
                holds_zero = compared.interval.low <= 0 <= compared.interval.high
                assert bool(compared.better) != holds_zero
                decided += not holds_zero
        assert decided > 10

    @pytest.mark.parametrize("trials", [1, 4])
    @pytest.mark.parametrize("estimand", ["population", "benchmark", "rerun"])
    @pytest.mark.parametrize("assume", ["nothing", "no rare failures"])
    def test_the_interval_excludes_zero_from_the_level_of_its_p_value_on(
        self, assume: str, estimand: str, trials: int
    ) -> None:
        data = {"a": matrix(11, 40, trials), "b": matrix(12, 40, trials, 2.5)}
        asked: dict[str, Any] = {"estimand": estimand, "assume": assume}
        runs = errbar.load(data)
        p = runs.compare("avg", **asked)[0].p_value
        assert 1e-6 < p < 1
        for factor, excluded in ((0.995, False), (1.005, True)):
            compared = runs.compare("avg", level=1 - factor * p, **asked)[0]
            assert (compared.interval.low > 0 or compared.interval.high < 0) == excluded
            assert bool(compared.better) == excluded


class TestTheSameAgain:
    @pytest.mark.parametrize("estimand", ["population", "benchmark", "rerun"])
    def test_to_the_bit(self, estimand: str) -> None:
        first, second = (
            errbar.load(dict(THREE)).compare("avg", "pass@2", estimand=estimand).to_dicts()
            for _ in range(2)
        )
        assert repr(first) == repr(second)

    @pytest.mark.parametrize("estimand", ["population", "benchmark", "rerun"])
    def test_whatever_the_order_of_systems(self, estimand: str) -> None:
        found = errbar.load(THREE).compare("pass@2", estimand=estimand)
        turned = errbar.load(dict(reversed(THREE.items()))).compare("pass@2", estimand=estimand)
        mirrored = {(each.first, each.second): each for each in turned}
        for row in found:
            other = mirrored[row.second, row.first]
            assert other.difference == pytest.approx(-row.difference, abs=1e-12)
            assert (other.interval.low, other.interval.high) == pytest.approx(
                (-row.interval.high, -row.interval.low), abs=1e-9
            )
            assert other.adjusted == pytest.approx(row.adjusted, abs=1e-12)
            assert other.chance == pytest.approx(1 - row.chance, abs=1e-12)
            assert (other.wins, other.losses) == (row.losses, row.wins)
            assert other.verdict == row.verdict
            assert other.caution == row.caution


def said(difference: float, low: float, high: float, adjusted: float, **more: Any) -> Comparison:
    interval = Interval(low, high, 0.95, Estimand.POPULATION)
    about: dict[str, Any] = {"margin": 0.05, **more}
    return Comparison(
        metric=Average(),
        task="",
        first="a",
        second="b",
        value=0.5,
        against=0.5 - difference,
        difference=difference,
        sd=0.01,
        interval=interval,
        p_value=adjusted,
        adjusted=adjusted,
        chance=0.5,
        wins=5,
        ties=5,
        losses=5,
        **about,
    )


VERDICTS = {
    "a is better by more than 0.05": said(0.1, 0.06, 0.14, 1e-4),
    "b is better by more than 0.05": said(-0.1, -0.14, -0.06, 1e-4),
    "a is better, by less than 0.05": said(0.02, 0.01, 0.03, 1e-4),
    "b is better, by less than 0.05": said(-0.02, -0.03, -0.01, 1e-4),
    "a is better": said(0.06, 0.02, 0.1, 1e-4),
    "b is better": said(-0.06, -0.1, -0.02, 1e-4),
    "as good as each other, within 0.05": said(0.0, -0.04, 0.04, 1.0),
    "a is no worse than b, within 0.05": said(0.03, -0.02, 0.08, 0.3),
    "b is no worse than a, within 0.05": said(-0.03, -0.08, 0.02, 0.3),
    "inconclusive": said(0.0, -0.1, 0.1, 1.0),
}


class TestVerdicts:
    @pytest.mark.parametrize("words", VERDICTS)
    def test_in_plain_words(self, words: str) -> None:
        assert VERDICTS[words].verdict == words

    def test_without_a_margin(self) -> None:
        assert said(0.1, 0.06, 0.14, 1e-4, margin=None).verdict == "a is better"
        assert said(0.0, -0.01, 0.01, 1.0, margin=None).verdict == "inconclusive"

    def test_all_of_them_come_out_of_data(self) -> None:
        """Wins and losses among 4,000 questions, and the margin in thousandths."""
        found = set()
        cases = [(500, 10, 50), (100, 10, 50), (260, 60, 50), (50, 50, 50), (1500, 1440, 25)]
        for wins, losses, margin in [*cases, (300, 290, 5)]:
            for turned in (1, -1):
                apart = turned * np.repeat([1, -1, 0], [wins, losses, 4000 - wins - losses])
                data = {"a": (apart > 0).astype(int), "b": (apart < 0).astype(int)}
                runs = errbar.load({name: each[:, None] for name, each in data.items()})
                verdict = runs.compare("avg", margin=margin / 1000)[0].verdict
                found.add(verdict.replace(f"{margin / 1000:g}", "0.05"))
        assert found == set(VERDICTS)

    def test_no_worse_is_a_share_of_random_weights_with_one_unseen_question(self) -> None:
        compared = errbar.load(THREE).compare("avg", systems=["a", "b"], margin=0.1)[0]
        apart = (THREE["a"] - THREE["b"]).mean(axis=1)
        weights = np.random.default_rng(0).dirichlet(np.ones(61), 100_000)
        seen, unseen = weights[:, :60] @ apart, weights[:, 60]
        shares = [float((seen + bound * unseen > -0.1).mean()) for bound in (-1.0, 1.0)]
        assert compared.no_worse == pytest.approx(sum(shares) / 2, abs=0.006)
        free = errbar.load(THREE).compare("avg", systems=["a", "b"])[0]
        assert math.isnan(free.no_worse)
        assert free.margin is None


class TestHeadlines:
    def test_the_leader_comes_first_with_its_lead(self) -> None:
        better = said(-0.1, -0.14, -0.06, 1e-4, margin=None)
        assert (better.leader, better.trailer) == ("b", "a")
        assert better.lead == (0.1, 0.06, 0.14)
        assert "".join(better.headline()) == "b beats a by 0.100 avg (95% CI 0.060 to 0.140)."

    def test_the_three_steps(self) -> None:
        words = [
            said(0.1, low, 0.2, adjusted, margin=None, probable=probable).headline()[0]
            for low, adjusted, probable in (
                (0.01, 0.01, 0.01),
                (-0.01, 0.2, 0.01),
                (-0.1, 0.4, 0.3),
            )
        ]
        assert words == ["a beats b", "a is probably better than b", "Inconclusive"]
        assert said(0.0, -0.1, 0.1, 1.0).headline()[1] == ": a and b have the same avg."

    def test_pairs_are_printed_in_the_order_of_the_ranking(self) -> None:
        """The middle of three comes first by name, so that rows and table differ."""
        share = {"a": 0.5, "b": 0.2, "c": 0.9}
        outcomes = {name: [[int(at < 20 * own)] for at in range(20)] for name, own in share.items()}
        found = errbar.load(outcomes).compare()
        assert [(row.first, row.second) for row in found] == [("a", "b"), ("a", "c"), ("b", "c")]
        (systems,) = (cells for head, *cells in found.columns() if head == "systems")
        assert systems == ["c − a", "c − b", "a − b"]
        chosen = errbar.load(outcomes).compare(baseline="a")
        (systems,) = (cells for head, *cells in chosen.columns() if head == "systems")
        assert systems == ["b − a", "c − a"]

    def test_pairs_of_a_loss_begin_with_the_lowest(self) -> None:
        rows = [
            {"system": name, "question": at, "outcome": at % 2, "confidence": sure}
            for name, sure in (("a", 0.6), ("b", 0.9), ("c", 0.5))
            for at in range(20)
        ]
        (systems,) = (
            cells
            for head, *cells in errbar.load(rows).compare("brier").columns()
            if head == "systems"
        )
        assert systems == ["c − a", "c − b", "a − b"]

    def test_a_pair_counts_once_for_all_tasks(self) -> None:
        better, probable = said(0.1, 0.06, 0.14, 1e-4), said(0.1, -0.01, 0.2, 0.2, probable=0.01)
        probable = replace(probable, margin=None)
        rows = [
            replace(better, task="sums"),
            replace(better, task="proofs"),
            replace(probable, task="sums", second="c"),
            replace(said(0.0, -0.1, 0.1, 1.0), task="sums", first="b", second="c"),
        ]
        assert Comparisons(tuple(rows), "").tally() == (
            "1 of the 3 pairs of systems differs significantly on at least one task (a beats b); "
            "1 more probably does."
        )
        assert Comparisons(tuple(rows[:2]), "").tally() == (
            "a and b differ significantly on 2 of 2 tasks."
        )
        assert Comparisons((better, replace(probable, first="c")), "").tally("b") == (
            "1 of the 2 systems differs significantly from b (a beats b); 1 more probably does."
        )


class TestProbably:
    """Ten of 30 questions are won by one trial in four, and none is lost."""

    FOUND = errbar.load({"a": [[1] * 4] * 30, "b": [[1, 1, 1, 0]] * 10 + [[1] * 4] * 20}).compare()

    def test_by_hand(self) -> None:
        compared = self.FOUND[0]
        # P(0.25 · Gamma(10) < the weight of one unseen loss) is the mean of exp(−Gamma(10) / 4).
        assert compared.p_value == pytest.approx(2 * 1.25**-10, rel=1e-4)
        assert compared.probable == pytest.approx(math.erfc(2.5 / math.sqrt(0.625) / math.sqrt(2)))
        assert (compared.better, compared.probably_better) == ("", "a")
        assert compared.verdict == "a is probably better"
        assert compared.interval.low < 0

    def test_it_says_how_little_would_undo_it(self) -> None:
        assert (2.5 - 1) / math.sqrt(0.625 + 1) < 1.96  # the evidence with one outright loss more
        assert self.FOUND[0].undone_by == 1
        notes = " ".join(self.FOUND.notes())
        assert "assuming no rare failures" in notes
        assert "a single outright failure among new questions would undo it" in notes

    def test_with_more_of_the_same_it_is_better(self) -> None:
        data = {"a": [[1] * 4] * 60, "b": [[1, 1, 1, 0]] * 20 + [[1] * 4] * 40}
        compared = errbar.load(data).compare()[0]
        assert compared.p_value == pytest.approx(2 * 1.25**-20, rel=1e-4)
        assert (compared.verdict, compared.probably_better, compared.undone_by) == (
            "a is better",
            "",
            0,
        )

    def test_the_assumption_makes_it_better_and_is_named(self) -> None:
        data = {"a": [[1] * 4] * 30, "b": [[1, 1, 1, 0]] * 10 + [[1] * 4] * 20}
        found = errbar.load(data).compare(assume="no rare failures")
        assert found[0].p_value == pytest.approx(self.FOUND[0].probable)
        assert found[0].verdict == "a is better"
        assert found[0].interval.low > 0
        assert "assuming no rare failures" in found.method


class TestFew:
    @pytest.mark.parametrize("estimand", ["population", "benchmark", "rerun"])
    def test_a_single_question(self, estimand: str) -> None:
        found = errbar.load({"a": [[1, 1, 1]], "b": [[0, 0, 0]]}).compare("avg", estimand=estimand)
        assert str(found)
        assert (found[0].wins, found[0].ties, found[0].losses) == (1, 0, 0)
        if estimand == "population":
            # With weight B, uniform, on the win and 1 − B on an unseen loss: 2 · 0.025 − 1.
            ends = found[0].interval.low, found[0].interval.high
            assert ends == pytest.approx((-0.95, 1.0), abs=1e-4)
            assert found[0].verdict == "inconclusive"
            assert found[0].adjusted == 1.0

    def test_two_questions_decide_nothing(self) -> None:
        compared = errbar.load({"a": [[1] * 9] * 2, "b": [[0] * 9] * 2}).compare("avg")[0]
        low = 2 * math.sqrt(0.025) - 1  # the share of two wins is Beta(2, 1)
        assert (compared.interval.low, compared.interval.high) == pytest.approx(
            (low, 1.0), abs=1e-4
        )
        assert compared.p_value == pytest.approx(
            0.5, rel=1e-4
        )  # both won, under a fair coin, twice
        assert compared.verdict == "inconclusive"
        narrow = errbar.load({"a": [[1] * 9] * 2, "b": [[0] * 9] * 2}).compare(
            "avg", assume="no rare failures"
        )
        assert narrow[0].caution == "only 2 questions"

    @pytest.mark.parametrize("estimand", ["population", "benchmark", "rerun"])
    @pytest.mark.parametrize("outcome", [0, 1])
    def test_no_difference_anywhere(self, outcome: int, estimand: str) -> None:
        same = [[outcome] * 4] * 30
        compared = errbar.load({"a": same, "b": same}).compare("avg", "pass@2", estimand=estimand)[
            0
        ]
        assert compared.difference == 0
        assert compared.p_value == compared.adjusted == 1.0
        assert compared.chance == 0.5
        assert compared.verdict == "inconclusive"
        assert compared.interval.low < 0 < compared.interval.high
        assert compared.interval.low == pytest.approx(-compared.interval.high, abs=1e-12)
        if estimand == "population":
            # Clopper and Pearson's end for no failure in 30, which is a loss; never 0 for the sd.
            assert compared.interval.high == pytest.approx(1 - (0.025 / 2) ** (1 / 30), abs=1e-4)
            assert compared.sd > 0.03

    def test_few_that_differ_are_warned_of(self) -> None:
        a = np.ones((100, 4), dtype=int)
        b = a.copy()
        b[:5] = 0
        (compared,) = errbar.load({"a": a, "b": b}).compare("avg")
        assert compared.probably_better == "a"
        assert compared.caution == "few questions differ: 5"
        b[5] = 0  # the exact test has nothing to be cautious of: 2 · 0.5 ** 6 is below 0.05
        (compared,) = errbar.load({"a": a, "b": b}).compare("avg")
        assert (compared.better, compared.caution) == ("a", "")
        b[6:40, 0] = 0
        compared = errbar.load({"a": a, "b": b}).compare("pass^4")[0]
        assert compared.caution == ""

    def test_a_few_that_carry_most_of_it_are_warned_of(self) -> None:
        a = np.ones((100, 16), dtype=int)
        b = a.copy()
        b[:2] = 0
        b[2:22, 0] = 0
        compared = errbar.load({"a": a, "b": b}).compare("avg")[0]
        assert compared.caution == "rests on few of the 22 questions that differ"


class TestOutput:
    FOUND = errbar.load(THREE).compare("avg", "pass@2", margin=0.05)

    def test_keys_of_a_record_stay_as_they_are(self) -> None:
        assert all(list(record) == KEYS for record in self.FOUND.to_dicts())
        json.dumps(self.FOUND.to_dicts())

    def test_in_every_kind_of_frame(self) -> None:
        assert list(self.FOUND.to_pandas().columns) == KEYS
        assert self.FOUND.to_polars().columns == KEYS
        assert self.FOUND.to_arrow().column_names == KEYS
        assert len(self.FOUND.to_pandas()) == len(self.FOUND) == 6

    def test_the_table(self) -> None:
        conclusion, above, table = str(self.FOUND).split("\n\n", 2)
        assert conclusion.startswith("1 of the 3 pairs of systems differs significantly by at")
        assert above.startswith("Matrix: 60 rows are questions")
        lines = table.splitlines()
        heads = ("metric", "systems", "difference [95% CI]", "P(better)", "p", "verdict")
        assert all(head in lines[0] for head in (*heads, "win/tie/loss"))
        assert "task" not in lines[0]
        assert "caution" not in lines[0]
        assert len(lines[2]) <= 140
        assert repr(self.FOUND) == str(self.FOUND)
        footer = " ".join(" ".join(lines[-2:]).split())
        assert "60 questions" in footer
        assert "simultaneous for all 6 comparisons" in footer
        assert "hold for all 6 comparisons together" in self.FOUND.explain()

    def test_alone_it_does_not_speak_of_many(self) -> None:
        runs = errbar.load(THREE)
        single = runs.compare("avg", systems=["a", "b"])
        assert not any("comparisons" in note for note in single.notes())
        free = runs.compare("avg", adjust="none")
        assert "Comparisons are not adjusted for multiple testing." in free.notes()

    def test_in_a_notebook(self) -> None:
        shown = errbar.load({"<a>": THREE["a"], "b": THREE["b"]}).compare("avg")._repr_html_()
        assert "b − &lt;a&gt;" in shown
        assert "<a>" not in shown

    def test_names_that_a_terminal_would_obey(self) -> None:
        found = errbar.load({"a\x1b[31m": THREE["a"], "b\n": THREE["b"]}).compare("avg")
        for text in (str(found), str(found[0])):
            assert "\x1b" not in text
        assert "\n" not in str(found[0])

    def test_a_part_of_it(self) -> None:
        part = self.FOUND[1:3]
        assert len(part) == 2
        assert part.rows == self.FOUND.rows[1:3]
        assert "hold for all 6 comparisons together" in " ".join(part.notes())

    def test_one_line(self) -> None:
        (compared,) = errbar.load(THREE).compare(PassAt(2), systems=["a", "b"])
        assert re.fullmatch(
            r"pass@2: b beats a by 0\.\d+ \(95% CI 0\.\d+ to 0\.\d+\)", str(compared)
        )


def test_the_former_names_of_the_two_systems_are_deprecated() -> None:
    comparison = said(0.1, 0.05, 0.15, 0.01)
    with pytest.warns(DeprecationWarning, match="called first"):
        assert comparison.one == comparison.first
    with pytest.warns(DeprecationWarning, match="called second"):
        assert comparison.other == comparison.second


@pytest.mark.parametrize(
    ("wins", "losses", "ties", "margin", "claim"),
    [
        (400, 40, 560, 0.02, "a is better than b by more than 0.02; a leads by "),
        (60, 10, 2000, 0.05, "a is better than b, by less than 0.05; a leads by "),
        (400, 40, 560, 0.35, "a beats b by "),
        (30, 28, 2000, 0.02, "a and b are as good as each other, within 0.02; a leads by "),
        (30, 30, 2000, 0.02, "a and b are as good as each other, within 0.02; both score the same"),
        (24, 14, 400, 0.02, "a is no worse than b, within 0.02; a leads by "),
        (14, 24, 400, 0.02, "b is no worse than a, within 0.02; b leads by "),
        (5, 4, 20, 0.02, "Inconclusive: a leads b by "),
    ],
)
def test_the_headline_agrees_with_the_verdict_beside_a_margin(
    wins: int, losses: int, ties: int, margin: float, claim: str
) -> None:
    first = [[1]] * wins + [[0]] * losses + [[1]] * ties
    second = [[0]] * wins + [[1]] * losses + [[1]] * ties
    found = errbar.compare({"a": first, "b": second}, margin=margin)
    sentence = found.conclusion()
    assert sentence is not None
    assert f"{sentence.claim}{sentence.rest}".startswith(claim)
    assert "".join(found[0].headline()) == f"{sentence.claim}{sentence.rest}"


def test_nothing_is_called_probable_beside_a_margin() -> None:
    outcomes = {"a": [[1] * 8] * 30, "b": [[1] * 7 + [0]] * 12 + [[1] * 8] * 18}
    plainly, beside = errbar.compare(outcomes), errbar.compare(outcomes, margin=0.2)
    assert plainly[0].probably_better == beside[0].probably_better == "a"
    assert "probably better" in str(plainly)
    assert "robably" not in str(beside)
    assert "Probably better: " in beside.to_json()


def test_two_comparisons_are_both() -> None:
    outcomes = {"a": [[1], [0]] * 10, "b": [[0], [1]] * 10, "c": [[1], [1]] * 10}
    assert "simultaneous for both comparisons" in errbar.compare(outcomes, baseline="a").footer()
    assert "simultaneous for all 3 comparisons" in errbar.compare(outcomes).footer()
    assert str(errbar.rank({"a": [[1], [0]] * 10, "b": [[0], [1]] * 10})).startswith(
        "Inconclusive: a and b have the same avg."
    )


def test_questions_left_out_are_of_the_pairs_that_lack_them() -> None:
    every = {f"q{at}": at % 2 for at in range(20)}
    some = {name: right for name, right in every.items() if name != "q0"}
    table = errbar.load({"a": every, "b": every, "c": some}).compare("avg")
    assert "1 question left out in 2 of 3 pairs, because only one of the two has it." in str(
        " ".join(table.notes())
    )
