"""Pictures: what is drawn is what the results say, and names stay names."""

import importlib.util
import json
import math
import re
import struct
import subprocess
import sys
import xml.etree.ElementTree as ET
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import vl_convert
from click.testing import CliRunner

import errbar
from errbar.analysis.curves import risk_bands, roc_bands
from errbar.analysis.methods import Bootstrap
from errbar.analysis.methods.learned import DifficultyPosterior
from errbar.cli import main
from errbar.data.counts import Counts
from errbar.data.labelled_scores import Scored
from errbar.data.predictions import Predictions
from errbar.errors import InputError, WrongType
from errbar.metrics import PassAt, RiskAt
from errbar.plots import Picture, coverage_map, planning_curve, plot, risk_picture
from errbar.results.estimate import Estimand, Estimate, Interval, Subject
from errbar.results.gate import Gate
from errbar.results.pictures.curves import is_curve
from errbar.results.pictures.picture import static
from errbar.results.pictures.vega import COLOURS, DASHES, SHAPES, series, short_names
from errbar.results.scores import Scores
from errbar.roc import roc_auc
from errbar.runs import Runs
from logs import REPOSITORY

DEMO = Path(errbar.__file__).parent / "demo" / "logs" / "repo-repair.csv"
QUICK = Bootstrap(200, ends="bca")
POPULATION = "for new questions of the same kind"
HOSTILE = [
    "</script><script>alert(1)</script>",
    "a \"quoted\" name, 'twice'",
    "with.dots[and]brackets\\",
    "two\nlines\x00and\x1b[31mcontrols",
    "datum.value + signal('x')",
    "${1+1} {{7*7}} %s",
    "\ud800 half a letter",
]


@pytest.fixture(scope="module")
def runs() -> Runs:
    return errbar.load(DEMO)


@pytest.fixture(scope="module")
def sure() -> Runs:
    """Three systems with a confidence, two of which abstain."""
    rng = np.random.default_rng(3)
    rows: dict[str, list[Any]] = {
        name: [] for name in ("system", "question", "trial", "outcome", "confidence", "status")
    }
    for system, least in (("bold", 0.0), ("shy", 0.2), ("meek", 0.3)):
        for question in range(60):
            for trial in range(2):
                chance = rng.random()
                told = float(np.clip(chance + 0.1 * rng.normal(), 0, 1))
                answered = told >= least
                values = (
                    system,
                    f"q{question}",
                    trial,
                    float(rng.random() < chance) if answered else None,
                    told,
                    "ok" if answered else "abstained",
                )
                for name, value in zip(rows, values, strict=True):
                    rows[name].append(value)
    import polars  # noqa: PLC0415  slow to load

    return errbar.load(polars.DataFrame(rows))


def matched() -> Picture:
    rng = np.random.default_rng(0)
    data = {
        name: Predictions(rng.random(80), rng.random(80) < rate, rng.random(80) > out)
        for name, rate, out in (("a", 0.2, 0.0), ("b", 0.5, 0.3))
    }
    return errbar.selective.compare(data, method=QUICK, rng=0).plot()


def gated(runs: Runs) -> Gate:
    """Two of the example's systems."""
    return errbar.gate(
        runs, runs, "avg", "pass@8", max_drop=0.02, system="siskin-mini", baseline_system="dunlin-2"
    )


def coverage() -> Picture:
    squares = [
        {
            "method": method,
            "metric": metric,
            "line": f"N {trials}",
            "difficulty": "easy",
            "questions": questions,
            "covered": covered,
        }
        for method, covered in (("ours", 0.95), ("theirs", 0.5))
        for metric in ("avg", "pass@k")
        for trials in (1, 4)
        for questions in (10, 100)
    ]
    below = [
        "95% CI, for new questions of the same kind (covers the sampling of questions and "
        "of trials)"
    ]
    return coverage_map(squares, title="Coverage", below=below)


EVERY: dict[str, Callable[[Runs, Runs], Picture]] = {
    "scores": lambda runs, _: runs.score("avg", "pass@8", "pass^8").plot(),
    "one score": lambda runs, _: runs.score("pass@4").plot(),
    "curve": lambda runs, _: runs.curve("pass@k").plot(),
    "two curves": lambda runs, _: runs.score("pass@1", "pass@8", "pass^1", "pass^8").plot(),
    "differences": lambda runs, _: runs.compare("avg", "pass@4", margin=0.05).plot(),
    "ranks": lambda runs, _: runs.rank("avg").plot(),
    "run": lambda runs, _: runs.monitor(above=0.4, below=0.6).plot(),
    "questions": lambda runs, _: runs.plot.questions(),
    "difficulty": lambda runs, _: runs.plot.difficulty(),
    "matched": lambda *_: matched(),
    "ranked scores": lambda _, sure: sure.selective("aurc", "augrc", method=QUICK).plot(),
    "ranked curve": lambda _, sure: sure.selective("risk@0.2", "risk@0.5", method=QUICK).plot(),
    "risk": lambda _, sure: sure.plot.risk_coverage(method=QUICK),
    "roc": lambda _, sure: sure.plot.roc(method=QUICK),
    "calibration": lambda _, sure: sure.plot.calibration(),
    "coverage": lambda *_: coverage(),
    "gate": lambda runs, _: gated(runs).plot(),
    "history": lambda runs, _: runs.monitor("dunlin-2", above=0.4).history().plot(),
    "data": lambda runs, _: runs.inspect().plot(),
}
UNCERTAIN = [name for name in EVERY if name not in ("questions", "data")]


@pytest.fixture(scope="module")
def pictures(runs: Runs, sure: Runs) -> dict[str, Picture]:
    return {name: draw(runs, sure) for name, draw in EVERY.items()}


def rows_of(picture: Picture) -> list[dict[str, Any]]:
    return picture.spec["data"]["values"]


def dicts_in(part: Any) -> Iterator[dict[str, Any]]:
    if isinstance(part, dict):
        yield part
        for key, value in part.items():
            if key != "data":
                yield from dicts_in(value)
    elif isinstance(part, list):
        for each in part:
            yield from dicts_in(each)


def encodings(picture: Picture) -> list[dict[str, Any]]:
    return [part["encoding"] for part in dicts_in(picture.spec) if "encoding" in part]


@pytest.mark.parametrize("name", EVERY)
def test_a_picture_compiles_without_a_warning(
    name: str, pictures: dict[str, Picture], capfd: pytest.CaptureFixture[str]
) -> None:
    specs = [pictures[name].spec]
    if name in ("scores", "curve", "risk"):  # one picture of each interaction, without it
        specs.append(static(pictures[name].spec))
    for spec in specs:
        vl_convert.vegalite_to_vega(spec, vl_version="5.21", show_warnings=True)
    assert capfd.readouterr().err == ""


def test_a_wrong_specification_would_have_warned(capfd: pytest.CaptureFixture[str]) -> None:
    spec = {"mark": "bar", "encoding": {"nowhere": {"field": "x", "type": "quantitative"}}}
    vl_convert.vegalite_to_vega(spec, vl_version="5.21", show_warnings=True)
    assert "nowhere" in capfd.readouterr().err


@pytest.mark.parametrize("name", UNCERTAIN)
def test_a_picture_says_its_level_and_what_it_is_about(
    name: str, pictures: dict[str, Picture]
) -> None:
    svg = pictures[name].svg()
    tree = ET.fromstring(svg)
    text = " ".join("".join(tree.itertext()).split())
    assert pictures[name].title in text
    assert "95%" in text
    assert POPULATION in text


@pytest.mark.parametrize("name", EVERY)
def test_fields_are_names_of_our_own(name: str, pictures: dict[str, Picture]) -> None:
    known = {key for row in rows_of(pictures[name]) for key in row}
    for encoding in encodings(pictures[name]):
        for channel in encoding.values():
            for each in channel if isinstance(channel, list) else [channel]:
                assert each.get("field", "x") in known | {"x", "value"}
    assert all(key.isidentifier() for key in known)


@pytest.mark.parametrize("name", EVERY)
def test_every_axis_has_a_title(name: str, pictures: dict[str, Picture]) -> None:
    for encoding in encodings(pictures[name]):
        for channel in ("x", "y"):
            encoded = encoding.get(channel, {})
            if encoded.get("type") == "quantitative" and "scale" in encoded:
                assert encoded["title"]


def test_scores_are_drawn_as_they_are(runs: Runs) -> None:
    scores = runs.score("avg", "pass@8")
    rows = rows_of(scores.plot())
    assert len(rows) == len(scores)
    for row, score in zip(rows, scores, strict=True):
        assert (row["label"], row["panel"]) == (score.system, str(score.metric))
        assert row["drawn"] == score.value
        assert (row["low"], row["high"]) == (score.interval.low, score.interval.high)


def test_a_curve_is_drawn_over_k_on_powers_of_two(runs: Runs) -> None:
    scores = runs.curve("pass@k", [1, 2, 3, 8])
    picture = scores.plot()
    assert {row["x"] for row in rows_of(picture)} == {1, 2, 3, 8}
    across = next(e["x"] for e in encodings(picture) if "y2" in e)
    assert across["scale"]["type"] == "log"
    assert across["scale"]["base"] == 2
    assert across["axis"]["values"] == [1, 2, 4, 8]
    for row, score in zip(rows_of(picture), scores, strict=True):
        assert (row["value"], row["low"], row["high"]) == (
            score.value,
            score.interval.low,
            score.interval.high,
        )


def test_one_k_is_no_curve(runs: Runs) -> None:
    assert not is_curve(runs.curve("pass@k", [4]))
    assert is_curve(runs.curve("pass@k", [4, 8]))
    assert not is_curve(runs.score("pass@1", "pass@2", "avg"))
    assert runs.curve("pass@k", [4]).plot().title == "pass@4 · repo-repair"


def test_differences_are_drawn_beside_zero_and_the_margin(runs: Runs) -> None:
    found = runs.compare("avg", margin=0.07)
    picture = found.plot()
    for row, encoded in zip(rows_of(picture), found, strict=True):
        assert row["label"] == f"{encoded.first} − {encoded.second}"
        assert (row["drawn"], row["low"], row["high"]) == (
            encoded.difference,
            encoded.interval.low,
            encoded.interval.high,
        )
    ends = [(e["x"].get("datum"), e.get("x2", {}).get("datum")) for e in encodings(picture)]
    assert (-0.07, 0.07) in ends
    assert (0, None) in ends


def test_changes_are_drawn_beside_what_they_must_not_be(runs: Runs) -> None:
    found = gated(runs)
    for row, each in zip(rows_of(found.plot()), found.rows, strict=True):
        assert (row["label"], row["limit"], row["name"]) == (each.name, -0.02, each.verdict)
        assert (row["drawn"], row["low"]) == (
            each.comparison.difference,
            each.comparison.interval.low,
        )


def test_rows_are_drawn_by_what_came_of_them() -> None:
    runs = errbar.load({"a": [[1, 0, math.nan], [0.5, 1, 0]], "b": [[1, 1, 1], [0, 0, 0]]})
    drawn = {(row["name"], row["kind"]): row["rows"] for row in rows_of(runs.inspect().plot())}
    assert [drawn["a", kind] for kind in ("right", "other score", "wrong", "no result")] == [
        2,
        1,
        2,
        1,
    ]
    assert sum(drawn.values()) == 12


def test_ranks_are_drawn_as_they_are(runs: Runs) -> None:
    board = runs.rank("avg")
    for row, encoded in zip(rows_of(board.plot()), board, strict=True):
        assert row["label"] == encoded.system
        assert (row["best"], row["rank"], row["worst"]) == (
            encoded.best_rank,
            encoded.rank,
            encoded.worst_rank,
        )


def test_a_run_is_drawn_as_it_was_known(runs: Runs) -> None:
    found = runs.monitor("dunlin-2", above=0.4)
    history = found.history().to_dicts()
    rows = rows_of(found.plot())
    assert [row["value"] for row in rows[:-1]] == [each["value"] for each in history]
    assert rows[-1]["above"] == 0.4
    assert rows[-1]["made"] == found.watches[0].decided[0]  # type: ignore[index]


def test_questions_are_drawn_from_the_easiest(runs: Runs) -> None:
    rows = rows_of(runs.plot.questions())
    assert len(rows) == 3 * 40
    by_column: dict[int, list[float]] = {}
    for row in rows:
        by_column.setdefault(row["x"], []).append(row["value"])
    means = [float(np.mean(by_column[at])) for at in sorted(by_column)]
    assert means == sorted(means, reverse=True)
    assert np.mean([row["value"] for row in rows if row["label"] == "dunlin-2"]) == pytest.approx(
        runs.score("avg").only("dunlin-2")[0].value
    )


def test_many_questions_share_columns_and_none_is_lost() -> None:
    rng = np.random.default_rng(0)
    outcomes = rng.random((3000, 2)) < 0.4
    picture = errbar.load({"a": outcomes}).plot.questions()
    rows = rows_of(picture)
    assert len(rows) <= 400
    sizes = [int(row["question"].split()[0]) for row in rows]
    assert sum(sizes) == 3000
    drawn = np.dot(sizes, [row["value"] for row in rows]) / 3000
    assert drawn == pytest.approx(outcomes.mean())


def test_what_difficulty_expects_adds_up_and_is_what_draws_show() -> None:
    rng = np.random.default_rng(1)
    counts = Counts([6] * 300, rng.binomial(6, rng.beta(0.7, 0.9, 300)))
    edges = (np.arange(8) - 0.5) / 6
    (learned,) = DifficultyPosterior.of([counts], [rng])
    expected = learned.expected(edges)
    assert np.allclose(expected.sum(axis=1), 1.0)
    shown = np.zeros(7)
    for _ in range(300):
        _, rates, weights, _ = learned.draw(rng)
        again = rng.binomial(6, rng.choice(rates, 300, p=weights))
        shown += np.bincount(again, minlength=7) / 300 / 300
    assert np.allclose(expected.mean(axis=0), shown, atol=0.012)


def test_the_difficulty_that_is_drawn_is_the_observed_one(runs: Runs) -> None:
    rows = [row for row in rows_of(runs.plot.difficulty()) if row["panel"] == "siskin-mini"]
    right = [int(c) for c in runs.source.slices(())[2].right]
    often = runs.source.slices(())[2].questions
    for row in rows:
        share = sum(n for c, n in zip(right, often, strict=True) if c / 8 == row["x"]) / 40
        assert row["share"] == pytest.approx(share)
        assert row["low"] <= row["value"] <= row["high"]


def test_risks_over_coverage_are_those_of_the_metric(sure: Runs) -> None:
    rng = np.random.default_rng(5)
    data = Predictions(
        rng.integers(0, 9, 70), rng.random(70) < 0.3, rng.random(70) > 0.2, rng.integers(0, 30, 70)
    )
    (band,) = risk_bands({Subject("a"): data}, QUICK, 0)
    assert band.reach == data.coverage
    for point in band.points:
        metric = RiskAt(point.x)
        encoded = errbar.selective.estimate(metric, data, method=QUICK, rng=0)
        assert point.value == pytest.approx(encoded.value)
        if not encoded.dropped and not encoded.reason:
            assert point.interval.low == pytest.approx(encoded.interval.low)
            assert point.interval.high == pytest.approx(encoded.interval.high)
    picture = sure.plot.risk_coverage(method=QUICK)
    common = min(band.reach for band in risk_bands({Subject("a"): data}, QUICK, 0))
    assert 0 < common < 1
    assert "the largest coverage that all systems reach" in picture.spec["title"]["subtitle"][-1]


def test_a_system_that_answered_nothing_is_named_beside_the_risks_of_others() -> None:
    rng = np.random.default_rng(5)
    loud = Predictions(rng.random(30), rng.random(30) < 0.3)
    mute = Predictions(rng.random(30), rng.random(30) < 0.3, np.zeros(30, dtype=bool))
    bands = risk_bands({Subject("loud"): loud, Subject("mute"): mute}, QUICK, 0)
    drawn = risk_picture(bands)
    assert {row["label"] for row in rows_of(drawn)} == {"loud"}
    assert any(line.endswith("answered: mute") for line in drawn.spec["title"]["subtitle"])
    with pytest.raises(InputError, match="mute answered nothing"):
        risk_picture(bands[1:])


def test_a_roc_curve_goes_from_corner_to_corner_over_its_area() -> None:
    rng = np.random.default_rng(5)
    labels = rng.random(400) < 0.5
    scores = np.round(labels + rng.normal(size=400), 1)
    (band,) = roc_bands({Subject("a"): Scored(scores, labels)}, QUICK, 0)
    x, y = zip(*((point.x, point.value) for point in band.points), strict=True)
    assert (x[0], x[-1], y[-1]) == (0.0, 1.0, 1.0)
    assert np.trapezoid(y, x) == pytest.approx(roc_auc(scores, labels), abs=0.01)
    for point in band.points[1:-1]:
        assert point.interval.low <= point.value <= point.interval.high


@pytest.mark.parametrize("name", ["curve"])
def test_files_are_what_they_are_called(
    name: str, pictures: dict[str, Picture], tmp_path: Path
) -> None:
    picture = pictures[name]
    for suffix in (".svg", ".png", ".html", ".vl.json"):
        picture.save(tmp_path / f"one{suffix}")
    assert (tmp_path / "one.svg").read_text("utf-8").startswith("<svg")
    png = (tmp_path / "one.png").read_bytes()
    assert png[:8] == b"\x89PNG\r\n\x1a\n"
    width, height = struct.unpack(">II", png[16:24])
    assert width > 600
    assert height > 300
    half = struct.unpack(">I", picture.png(1)[16:20])[0]
    assert abs(width - 2 * half) <= 2
    assert json.loads((tmp_path / "one.vl.json").read_text("utf-8")) == picture.spec
    assert sorted(path.name for path in tmp_path.iterdir()) == sorted(
        ["one.svg", "one.png", "one.html", "one.vl.json"]
    )


def test_a_page_loads_nothing(pictures: dict[str, Picture]) -> None:
    page = pictures["curve"].html()
    assert "default-src 'none'" in page
    outside = re.sub(r"<script>.*?</script>", "", page, flags=re.DOTALL)
    assert not re.search(r"<script|src\s*=|href\s*=|@import|url\(", outside)
    assert page.count("<script>") == 2
    assert "editor: false" in page
    assert len(page) < 1_200_000


def test_what_moves_is_only_where_it_can(pictures: dict[str, Picture]) -> None:
    for picture in pictures.values():
        moving = list(dicts_in(picture.spec))
        assert any("tooltip" in part for part in moving)
        for part in dicts_in(static(picture.spec)):
            assert not {"params", "tooltip", "condition"} & set(part)


def test_hostile_names_stay_names() -> None:
    outcomes = np.random.default_rng(0).random((30, 4)) < 0.5
    loaded = errbar.load(dict.fromkeys(HOSTILE[:-1], outcomes))
    found = [
        loaded.score("avg", "pass@2").plot(),
        loaded.curve("pass@k").plot(),
        loaded.compare("avg", systems=HOSTILE[:2]).plot(),
        loaded.rank("avg").plot(),
        loaded.monitor(*HOSTILE[:2]).plot(),
        loaded.plot.questions(),
    ]
    for picture in found:
        page = picture.html()
        assert "<script>alert" not in page
        assert page.count("</script>") == 2
        svg = picture.svg()
        tree = ET.fromstring(svg)
        assert not [part for part in tree.iter() if part.tag.endswith("script")]
        assert "\x1b" not in svg
    shown = "".join(ET.fromstring(found[0].svg()).itertext())
    assert "</script><script>alert(1)</script>" in shown
    assert "with.dots[and]brackets" in shown
    assert "${1+1} {{7*7}} %s" in shown


def test_names_are_cut_in_the_middle_and_stay_separate() -> None:
    long = [f"organisation/{'model-' * 10}{end}" for end in ("a", "b")]
    twins = [f"{'x' * 30}{middle}{'y' * 30}" for middle in "ab"]
    short = short_names([*long, *twins, "\ud800"])
    assert len(set(short.values())) == 5
    assert short[long[0]].endswith("a")
    assert all(len(name) <= 46 for name in short.values())


def test_fifty_systems_have_room() -> None:
    rng = np.random.default_rng(0)
    many = {f"system number {at}": rng.random((20, 4)) < rng.random() for at in range(50)}
    loaded = errbar.load(many)
    _, height = _size(loaded.score("avg").plot())
    assert height > 50 * 20
    curve = loaded.curve("pass@k").plot()
    assert sum(text.startswith("system number") for text in _texts(curve)) == 50


def test_fifty_series_differ_by_dash_and_shape() -> None:
    found = series([str(at) for at in range(50)], "strokeDash", "shape")
    dashes, shapes = (found[channel]["scale"]["range"] for channel in ("strokeDash", "shape"))
    assert len({(str(dash), shape) for dash, shape in zip(dashes, shapes, strict=True)}) == 50


def test_one_system_without_a_name_has_no_legend() -> None:
    loaded = errbar.load(np.random.default_rng(0).random((30, 4)) < 0.5)
    assert not any("color" in e for e in encodings(loaded.curve("pass@k").plot()))
    rows = rows_of(loaded.score("avg", "pass@4").plot())
    assert [row["label"] for row in rows] == ["avg", "pass@4"]


def test_series_differ_without_colour_too() -> None:
    assert len({*map(str, DASHES)}) == len(DASHES) == 7
    assert len({*SHAPES}) == len(SHAPES) == 8
    assert len({*COLOURS}) == 7


@pytest.mark.parametrize("name", ["curve", "risk", "roc", "calibration"])
def test_systems_differ_by_dash_or_shape(name: str, pictures: dict[str, Picture]) -> None:
    assert any("strokeDash" in e for e in encodings(pictures[name]))


def unknown(value: float, low: float) -> Estimate:
    interval = Interval(low, low, 0.95, Estimand.POPULATION)
    return Estimate(
        of=Subject("a"),
        metric=PassAt(2),
        value=value,
        mean=value,
        sd=low,
        interval=interval,
        questions=3,
        trials=6,
        reason="too little",
    )


def test_a_number_without_an_interval_is_not_drawn() -> None:
    nan = float("nan")
    picture = Scores((unknown(0.5, nan), unknown(nan, nan)), "none").plot()
    for row in rows_of(picture):
        assert row["drawn"] is None
        assert row["figures"] == "no interval"
    assert "no interval" in _texts(picture)


def test_there_is_a_place_for_plans() -> None:
    rows = [
        {"questions": n, "trials": t, "power": n * t / 900} for t in (1, 4) for n in (50, 100, 200)
    ]
    picture = planning_curve(rows)
    assert [row["value"] for row in rows_of(picture)] == [row["power"] for row in rows]
    assert "1 trial each" in _texts(picture)
    with pytest.raises(InputError, match="nothing to draw"):
        planning_curve([])


def test_what_has_no_picture_is_refused(runs: Runs) -> None:
    with pytest.raises(WrongType, match="int cannot be drawn"):
        plot(3)
    with pytest.raises(InputError, match="there is nothing to draw"):
        runs.score("avg").only("nobody").plot()
    with pytest.raises(InputError, match=r"ends in \.svg, \.png"):
        runs.score("avg").plot().save("scores.pdf")
    with pytest.raises(InputError, match="scale must be above 0"):
        runs.score("avg").plot().png(0)
    with pytest.raises(InputError, match="has rewards"):
        errbar.load({"a": np.array([[0.5, 0.25]])}).plot.difficulty()


def test_without_the_extra_one_sentence_says_what_to_install(
    runs: Runs, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    picture = runs.score("avg").plot()
    monkeypatch.setitem(sys.modules, "vl_convert", None)
    with pytest.raises(InputError, match=re.escape("pip install 'errbar[plot]'")):
        picture.svg()
    picture.save(tmp_path / "scores.vl.json")
    said = CliRunner().invoke(main, ["score", "nowhere.csv", "--plot", "scores.svg"])
    assert said.exit_code == 2
    assert "pip install 'errbar[plot]'" in said.output


def test_notebooks_get_the_specification_and_a_still_picture(pictures: dict[str, Picture]) -> None:
    bundle = pictures["scores"]._repr_mimebundle_()
    assert bundle["application/vnd.vegalite.v5+json"] == pictures["scores"].spec
    assert bundle["image/svg+xml"] == pictures["scores"].svg() == pictures["scores"]._repr_svg_()
    assert bundle["text/plain"] == "Picture('Scores · repo-repair')"


@pytest.mark.parametrize(
    "command",
    ["score -m avg,pass@4", "curve", "compare", "rank", "monitor --above 0.4 --history"],
)
def test_commands_draw_after_their_table(command: str, tmp_path: Path) -> None:
    name, *more = command.split()
    there = tmp_path / "picture.svg"
    said = CliRunner().invoke(main, [name, str(DEMO), *more, "--plot", str(there)])
    assert said.exit_code == 0, said.output
    assert said.output == CliRunner().invoke(main, [name, str(DEMO), *more]).output
    ET.fromstring(there.read_text("utf-8"))


@pytest.mark.parametrize("command", ["selective", "roc"])
def test_commands_on_ranked_rows_draw_the_curve(command: str, sure: Runs, tmp_path: Path) -> None:
    table = tmp_path / "sure.csv"
    sure.source.frame.to_native().collect().write_csv(table)  # type: ignore[attr-defined]
    there = tmp_path / "picture.json"
    said = CliRunner().invoke(
        main, [command, str(table), "--resamples", "200", "--plot", str(there)]
    )
    assert said.exit_code == 0, said.output
    assert len(json.loads(there.read_text("utf-8"))["data"]["values"]) > 100


def test_a_file_of_an_unknown_kind_is_refused_before_any_work() -> None:
    said = CliRunner().invoke(main, ["score", "nowhere.csv", "--plot", "scores.jpeg"])
    assert said.exit_code == 2
    assert "a picture's file name ends in .svg" in said.output


def _size(picture: Picture) -> tuple[float, float]:
    tree = ET.fromstring(picture.svg())
    return float(tree.attrib["width"]), float(tree.attrib["height"])


def _texts(picture: Picture) -> list[str]:
    tree = ET.fromstring(picture.svg())
    return [part.text or "" for part in tree.iter() if part.tag.endswith("text")]


def test_the_documentation_shows_the_pictures_that_its_script_draws() -> None:
    docs = REPOSITORY / "docs"
    drawn = {path.stem for path in (docs / "pictures").glob("*.svg")}
    pages = "".join(page.read_text("utf-8") for page in docs.glob("*.md"))
    shown = set(re.findall(r"\(pictures/(\w+)\.svg\)", pages))
    found = importlib.util.spec_from_file_location("make", docs / "pictures" / "make.py")
    assert found is not None
    assert found.loader is not None
    make = importlib.util.module_from_spec(found)
    found.loader.exec_module(make)
    assert {*make.pictures(), "terminal"} == drawn == shown
    assert (docs / "pictures" / "terminal.svg").read_text("utf-8") == make.terminal()
    text = (docs / "pictures" / "scores.svg").read_text("utf-8")
    for row in rows_of(make.pictures()["scores"]()):
        assert row["figures"] in text


@pytest.mark.parametrize(
    ("covered", "band"),
    [
        (0.0, "below 50%"),
        (0.9249, "90% to 92.5%"),
        (0.925, "92.5% to 94%"),
        (0.94, "94% to 96%"),
        (0.95, "94% to 96%"),
        (1.0, "99% and more"),
    ],
)
def test_squares_of_a_coverage_map_turn_at_the_level(covered: float, band: str) -> None:
    cell = {"method": "m", "metric": "avg", "line": "", "difficulty": "easy", "questions": 10}
    drawn = coverage_map([cell | {"covered": covered}], title="Coverage", below=[])
    assert drawn.spec["data"]["values"][0]["band"] == band


def test_a_coverage_map_refuses_what_it_cannot_colour() -> None:
    cell = {"method": "m", "metric": "avg", "line": "", "difficulty": "easy", "questions": 10}
    for cells in ([], [cell | {"covered": math.nan}]):
        with pytest.raises(InputError, match="at least one cell"):
            coverage_map(cells, title="Coverage", below=[])
    with pytest.raises(InputError, match="level must be"):
        coverage_map([cell | {"covered": 0.9}], title="Coverage", below=[], level=0.5)


def test_a_system_that_is_always_right_is_named_beside_the_roc_of_others() -> None:
    rows = [
        (system, f"q{at}", outcome, at / 30)
        for system, outcomes in (("both", (0, 1)), ("right", (1, 1)))
        for at in range(30)
        for outcome in [outcomes[at % 2]]
    ]
    columns = ("system", "question", "outcome", "confidence")
    import polars  # noqa: PLC0415  slow to load

    runs = errbar.load(polars.DataFrame(rows, schema=columns, orient="row"))
    drawn = runs.plot.roc(method=QUICK)
    assert {row["label"] for row in rows_of(drawn)} == {"both"}
    assert "Not drawn: right, labels are all 1" in " ".join(drawn.spec["title"]["subtitle"])
    both, right = runs.roc(method=QUICK)
    assert both.value > 0
    assert math.isnan(right.value)
    assert right.reason.startswith("labels are all 1")


@pytest.mark.parametrize("style", ["svg", "png"])
def test_no_character_of_a_log_ends_the_process(style: str) -> None:
    """The converter aborts at characters that XML does not allow, so it runs in a process apart."""
    code = (
        "import errbar\n"
        "from errbar.results.pictures.vega import Picture\n"
        "odd = ''.join(map(chr, [*range(32), 127, 0xD800, 0xFFFD, 0xFFFE, 0xFFFF, 0x1FFFF]))\n"
        "runs = errbar.load([{'system': odd, 'question': odd, 'outcome': 1}])\n"
        f"runs.score('avg').plot().{style}()\n"
        "spec = {'mark': 'text', 'title': {'text': odd}, 'data': {'values': [{'a': odd}]},\n"
        "        'encoding': {'text': {'field': 'a'}}}\n"
        f"Picture(spec).{style}()\n"
        "print('drawn')\n"
    )
    done = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, check=False, timeout=120
    )
    assert (done.returncode, done.stdout) == (0, "drawn\n"), done.stderr[-400:]
