"""Results print to the digits they support, and say what their interval covers."""

import math
from dataclasses import FrozenInstanceError, replace
from html.parser import HTMLParser

import pytest

from errbar.base.tables import round_to_sd
from errbar.metrics import Aurc, Average, PassAt, PassHat
from errbar.results.estimate import Estimand, Estimate, Interval, RankedEstimate, Subject
from errbar.results.scores import Scores

NAN = math.nan


def estimate(system: str = "small", sd: float = 0.0213, value: float = 0.7) -> Estimate:
    low, high = 0.7 - 2 * sd, 0.7 + 2 * sd
    interval = Interval(low, high, 0.95, Estimand.BENCHMARK)
    return Estimate(
        of=Subject(system),
        metric=PassAt(8),
        value=value,
        mean=0.7,
        sd=sd,
        interval=interval,
        questions=40,
        trials=320,
        is_even=True,
    )


def grid(scores: Scores) -> list[str]:
    """The lines of a table and of what stands below it, without the conclusion."""
    return str(scores).partition("\n\n")[2].splitlines()


@pytest.mark.parametrize(
    ("number", "sd", "text"),
    [
        (0.70412, 0.0213, "0.704"),
        (0.70412, 0.00996, "0.704"),  # the sd rounds up to 0.010, which has three decimals
        (0.70412, 0.00994, "0.7041"),
        (0.5, 0.1, "0.50"),
        (12345.0, 678.0, "12340"),
        (-3.14159, 1.5, "-3.1"),
        (1.0, 1e-5, "1.000000"),
        (0.25, 0.0, "0.25"),
        (1 / 3, NAN, "0.3333"),
        (NAN, 0.1, "nan"),
        (3.21e-20, 4.5e-21, "3.21e-20"),
        (0.0, 4.5e-21, "0"),
        (-1e-9, 0.1, "0.00"),
        (-0.0, 0.0, "0"),
        (-0.0, NAN, "0"),
    ],
)
def test_a_number_prints_to_two_significant_digits_of_its_sd(
    number: float, sd: float, text: str
) -> None:
    assert round_to_sd(number, sd) == text


def test_nothing_has_no_sign() -> None:
    interval = Interval(-0.0, -0.0, 0.95, Estimand.BENCHMARK)
    counted = Estimate(
        of=Subject(),
        metric=PassAt(8),
        value=-0.0,
        mean=-0.0,
        sd=-0.0,
        interval=interval,
        questions=4,
        trials=32,
    )
    ranked = RankedEstimate(
        metric=Aurc(), value=-0.0, sd=-0.0, interval=interval, items=4, clusters=4
    )
    for each in (counted, ranked):
        numbers = [number for number in each.record().values() if isinstance(number, float)]
        assert all(math.copysign(1.0, number) == 1.0 for number in numbers if number == 0.0)
        assert "-0" not in str(each)


def test_an_estimate_prints_its_mean_sd_interval_and_observed_value() -> None:
    assert str(estimate()) == "small pass@8: 0.700 ± 0.021, 95% CI 0.657 to 0.743"
    assert str(estimate(value=0.75)) == f"{estimate()}, observed 0.750"
    assert str(estimate(value=0.1 + 0.2 + 0.4)) == str(estimate())  # but for rounding


def test_an_estimate_without_a_name_starts_with_its_metric() -> None:
    assert str(estimate(system="")).startswith("pass@8: ")


def test_an_unknown_spread_prints_as_nan_with_its_reason() -> None:
    unknown = replace(estimate(sd=NAN, value=NAN), reason="one trial tells nothing of spread")
    assert "± nan" in str(unknown)
    assert str(unknown).endswith("nan to nan (one trial tells nothing of spread)")
    assert "pass@8: one trial tells nothing of spread." in str(Scores((unknown,)))
    assert not unknown.outside


def test_results_are_frozen_and_compare_by_value() -> None:
    made = estimate()
    with pytest.raises(FrozenInstanceError):
        made.sd = 0.0  # type: ignore[misc]
    with pytest.raises(FrozenInstanceError):
        made.interval.low = 0.0  # type: ignore[misc]
    assert Scores((made,)) == Scores((estimate(),))
    assert hash(Scores((made,))) == hash(Scores((estimate(),)))


def test_scores_are_an_immutable_sequence() -> None:
    scores = Scores((estimate("a"), estimate("b"), estimate("c")), method="by hand")
    assert len(scores) == 3
    assert [score.system for score in scores] == ["a", "b", "c"]
    assert scores[-1].system == "c"
    assert scores[1:] == Scores((estimate("b"), estimate("c")), method="by hand")
    assert estimate("b") in scores
    with pytest.raises(FrozenInstanceError):
        scores.method = ""  # type: ignore[misc]


def test_the_table_aligns_decimal_points_under_each_other() -> None:
    scores = Scores((estimate(sd=0.0213), estimate(sd=0.000213), estimate(sd=1.23)))
    rows = grid(scores)[2:5]
    assert len({row.index(".") for row in rows}) == 1
    assert [row.split()[1] for row in rows] == ["0.700", "0.70000", "0.7"]


def test_rows_of_about_the_same_certainty_have_the_same_decimals() -> None:
    scores = Scores((estimate("a", sd=0.0213), estimate("b", sd=0.00994)))
    cells = [row.split(maxsplit=1)[1].rpartition("]")[0] for row in grid(scores)[2:4]]
    assert cells == ["0.700 [0.657, 0.743", "0.700 [0.680, 0.720"]


def test_the_table_has_a_gap_between_systems_of_several_rows_only() -> None:
    many = Scores((estimate("a"), estimate("a"), estimate("b")))
    assert grid(many)[4] == ""
    single = Scores((estimate("a"), estimate("b")))
    assert grid(single)[3].startswith("b")


def test_the_table_leaves_out_the_name_where_there_is_none() -> None:
    head, _, row, *_ = grid(Scores((estimate(""),)))
    assert head.split() == ["pass@8", "[95%", "CI]", "sd"]
    assert row.startswith("0.700")


def test_the_footer_says_what_the_interval_covers_its_level_and_the_method() -> None:
    scores = Scores((estimate(),), method="drawn by hand")
    assert grid(scores)[-1] == (
        "95% CI for this exact benchmark; 40 questions x 8 trials (.explain())."
    )
    assert "Method" not in str(scores)
    text = scores.explain()
    assert text.startswith(str(scores).rpartition("\n")[0])
    assert ".explain()" not in text
    assert "95% CI: for this exact benchmark" in text
    assert "Method: drawn by hand." in text
    assert "40 questions, 320 trials." in text


def test_the_footer_names_every_level_and_target_that_occurs() -> None:
    other = Interval(0.6, 0.8, 0.9, Estimand.POPULATION)
    text = str(Scores((estimate(), replace(estimate(), interval=other))))
    assert "95% CI of small pass@8: for this exact benchmark" in text
    assert "90% CI of all others: for new questions of the same kind" in text
    assert "[CI]" in grid(Scores((estimate(), replace(estimate(), interval=other))))[0]


def test_the_footer_lists_systems_whose_data_differ() -> None:
    scores = Scores((estimate("a"), replace(estimate("b"), questions=11, trials=21)))
    assert grid(scores)[0].split()[-2:] == ["questions", "trials"]
    assert [row.split()[-2:] for row in grid(scores)[2:4]] == [["40", "320"], ["11", "21"]]
    assert "a: 40 questions, 320 trials.\nb: 11 questions, 21 trials." in scores.explain()


def test_the_footer_says_that_clusters_are_resampled() -> None:
    interval = Interval(0.6, 0.8, 0.95, Estimand.POPULATION)
    scores = Scores((replace(estimate(), clusters=5, interval=interval),))
    assert grid(scores)[0].endswith("clusters")
    assert "over 5 clusters of 40 questions x 8 trials" in " ".join(str(scores).split())


def test_an_observed_value_outside_its_interval_is_marked_and_explained() -> None:
    inside, outside = estimate("a"), estimate("b", value=0.9)
    text = str(Scores((inside, outside)))
    assert ["] *" in line for line in grid(Scores((inside, outside)))[2:4]] == [False, True]
    assert "\n* the observed score lies outside" in text
    assert "*" not in str(Scores((inside,)))


@pytest.mark.parametrize(("value", "end"), [(0.1 + 0.2, 0.3), (0.3, 0.1 + 0.2)])
def test_a_value_off_a_point_interval_by_rounding_is_not_outside(value: float, end: float) -> None:
    point = Interval(end, end, 0.95, Estimand.BENCHMARK)
    assert not replace(estimate(), value=value, mean=end, sd=0.0, interval=point).outside


def test_no_line_of_the_table_ends_in_blanks_and_every_character_is_ascii() -> None:
    text = str(Scores((estimate("a"), estimate("long-name", value=0.9))))
    assert text.isascii()
    assert all(line == line.rstrip() for line in text.splitlines())


def test_no_estimates_print_as_an_empty_table() -> None:
    assert str(Scores(())).startswith("score [CI]")
    assert Scores(()).to_dicts() == []


def test_the_representation_is_the_table() -> None:
    scores = Scores((estimate(),))
    assert repr(scores) == str(scores)


class Page(HTMLParser):
    """Counts tags and gathers text."""

    def __init__(self) -> None:
        super().__init__()
        self.opened: list[str] = []
        self.depth = 0
        self.text = ""

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:  # noqa: ARG002
        self.opened.append(tag)
        self.depth += tag != "br"

    def handle_endtag(self, tag: str) -> None:  # noqa: ARG002
        self.depth -= 1

    def handle_data(self, data: str) -> None:
        self.text += data


def test_html_is_escaped_and_holds_the_same_as_the_table() -> None:
    name = "<script>alert('&')</script>"
    scores = Scores((estimate(name), estimate("b")), method="<b>by hand</b>")
    page = Page()
    page.feed(scores._repr_html_())
    assert not {"script", "b"} & set(page.opened)
    assert page.depth == 0
    assert page.opened.count("tr") == 3  # the heads and two systems
    assert name in page.text
    assert "Method: <b>by hand</b>." in page.text


def test_records_are_flat_and_hold_every_field() -> None:
    record = Scores((replace(estimate(), metric=Average()),)).to_dicts()[0]
    assert record == {
        "system": "small",
        "task": "",
        "metric": "avg",
        "value": 0.7,
        "mean": 0.7,
        "sd": 0.0213,
        "low": 0.7 - 2 * 0.0213,
        "high": 0.7 + 2 * 0.0213,
        "level": 0.95,
        "covers": "benchmark",
        "questions": 40,
        "trials": 320,
        "reason": "",
    }
    assert type(record["covers"]) is str


def test_every_estimand_says_in_words_what_it_is() -> None:
    assert len({target.words for target in Estimand}) == len(Estimand)


def test_metrics_print_by_their_names() -> None:
    scores = Scores((replace(estimate(), metric=PassHat(4)),))
    assert "pass^4" in str(scores)
