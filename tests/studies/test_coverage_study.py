"""The coverage study: a unit repeats to the bit, a run goes on, the report reads what it finds."""

from pathlib import Path

import numpy as np
import pytest
from benchmarks.coverage import beyond, evalperf, report, store, wide
from benchmarks.coverage.cells import Cell, cells
from benchmarks.coverage.difficulties import DIFFICULTIES
from benchmarks.coverage.grid import ESTIMANDS, FAMILIES, QUICK, TRIALS, Settings, Unit, asked
from benchmarks.coverage.methods import METHODS, Ends, Systems, bootstrap, central_limit
from benchmarks.coverage.runner import run_all
from benchmarks.coverage.unit import Row, judged, population, run

from errbar.metrics import Average, CountMetric, Geom, PassAt, PassHat

FEW = Settings(replicates=3)


@pytest.fixture(scope="module")
def written(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("results")
    assert run_all(FEW, folder, ["hard/10/2"], processes=1) == 1
    return folder


def test_a_unit_repeats_to_the_bit_in_another_process(written: Path) -> None:
    (each,) = store.finished(written)
    again = run(Unit("hard", 10, 2), FEW)
    assert [tuple(row) for row in each["rows"]] == [tuple(row) for row in again["rows"]]


def test_every_metric_target_and_method_is_judged(written: Path) -> None:
    made = store.newest(written, {}).values()
    rows = [row for _, mine in made for row in mine]
    assert len(rows) == len(asked(2)) * len(ESTIMANDS) * len(METHODS)
    assert all(row.covered + row.below + row.above == pytest.approx(1, abs=1e-5) for row in rows)
    assert {row.family for row in rows} == set(FAMILIES)


def test_what_is_finished_is_not_run_again(written: Path) -> None:
    assert run_all(FEW, written, ["hard/10/2"], processes=1) == 0


def test_half_a_line_is_run_again(written: Path, tmp_path: Path) -> None:
    (tmp_path / "units.jsonl").write_text((written / "units.jsonl").read_text()[:-20])
    assert store.done(tmp_path, FEW.identity()) == set()
    store.add(tmp_path, {"unit": ["hard", 10, 2], "identity": FEW.identity(), "rows": []})
    assert store.done(tmp_path, FEW.identity()) == {Unit("hard", 10, 2)}


def test_the_report_reads_what_was_written(written: Path, tmp_path: Path) -> None:
    report.write(written, tmp_path)
    known = store.published(tmp_path)
    assert list(known) == [(0.95, Unit("hard", 10, 2), target) for target in ESTIMANDS]
    found = store.newest(written, {})
    for place, (identity, rows) in store.newest(tmp_path / "nothing", known).items():
        assert identity == found[place][0] == FEW.identity()
        numbers = [row[5:] for row in sorted(rows)]
        assert numbers == [pytest.approx(row[5:], rel=1e-3) for row in sorted(found[place][1])]
    assert "| population | 0.95 | 1 | 15 | 3 |" in (tmp_path / "summary.md").read_text()
    for target in ESTIMANDS:
        drawn = (tmp_path / f"{target.value}.svg").read_text()
        assert drawn.count("h9v9h-9Z") == len(asked(2)) * len(METHODS)


def of_a_width(width: float, covered: float = 0.95) -> Cell:
    """A cell of the benchmark with some width and coverage."""
    rows = [
        Row("avg", 1, "benchmark", method, 100, covered, 1.0 - covered, 0.0, width, 0.0)
        for method in METHODS
    ]
    (cell,) = cells({(0.95, Unit("easy", 30, 4), "benchmark"): ("", rows)})
    return cell


def test_a_cell_much_wider_than_before_is_named() -> None:
    place = ("benchmark", "easy", "30", "4", "avg", "1")
    widths: wide.Widths = {place: 0.1}
    assert wide.ratio(of_a_width(0.2), widths) == pytest.approx(2.0)
    assert "| easy, 30, 4 | avg 2.00 |" in wide.section([of_a_width(0.2)], "benchmark", widths)
    narrow = wide.section([of_a_width(0.12)], "benchmark", widths)
    assert "Median 1.20; wider than 1.5 times in 0 of 1 cells" in narrow
    assert "avg 1.20" not in narrow
    assert wide.section([of_a_width(0.12)], "rerun", widths) == ""
    assert place in wide.former()


def test_a_cell_misses_two_standard_errors_below_its_floor() -> None:
    error = (0.93 * 0.07 / 100) ** 0.5
    assert of_a_width(0.1, 0.93 - 2.01 * error).misses
    assert not of_a_width(0.1, 0.93 - 1.99 * error).misses


def test_the_grid_is_the_whole_one() -> None:
    assert len(Settings().units()) == 7 * 5 * 5
    sizes = [unit[1:] for unit in Settings(sample=19).units()]
    assert len(sizes) == len(set(sizes)) == 5 * 5
    assert len(QUICK.units()) == 7 * 4 * 5
    assert Settings().units(["hard/30/16"]) == [Unit("hard", 30, 16)]
    assert len(Settings().units(["hard", "//64"])) == 25 + 35 - 5
    assert {each.family for n in TRIALS for each in asked(n)} == set(FAMILIES)


@pytest.mark.parametrize("name", DIFFICULTIES)
def test_truths_agree_with_a_large_sample(name: str) -> None:
    metrics: list[CountMetric] = [Average(), PassAt(8), PassHat(8), Geom(2)]
    rates = DIFFICULTIES[name].draw(np.random.default_rng(1), (200_000,))
    for metric, truth in zip(metrics, population(DIFFICULTIES[name], metrics), strict=True):
        values = metric.joined(*(part.at_rates(rates) for part in metric.parts()))
        assert abs(values.mean() - truth) < 5 * values.std() / np.sqrt(values.size)


def test_misses_are_counted_on_their_side() -> None:
    ends = Ends(np.array([[0.2, 0.5, 0.1, np.nan]]), np.array([[0.3, 0.6, 0.4, np.nan]]))
    below, above, width, flat = judged(ends, np.array([[0.4, 0.4, 0.4 + 1e-12, 0.4]]))[:, 0]
    assert (below, above, flat) == (2, 1, 0)  # without an interval, below
    assert np.isnan(width)


def test_peers_agree_with_plain_loops() -> None:
    rng = np.random.default_rng(2)
    correct = rng.binomial(4, rng.random((3, 200)))
    metrics: list[CountMetric] = [PassAt(2), Average()]
    systems = Systems(4, correct)
    low, high = central_limit(systems, metrics)
    drawn = bootstrap(systems, metrics, rng)
    for at, row in enumerate(correct):
        values = 1 - (4 - row) * (3 - row) / 12
        middle, error = values.mean(), values.std(ddof=1) / np.sqrt(200)
        assert low[0, at] == pytest.approx(middle - 1.959964 * error, abs=1e-6)
        assert high[0, at] == pytest.approx(middle + 1.959964 * error, abs=1e-6)
        resampled = values[rng.integers(0, 200, (4000, 200))].mean(axis=1)
        for end, tail in zip(drawn, (0.025, 0.975), strict=True):
            assert end[0, at] == pytest.approx(np.quantile(resampled, tail), abs=0.4 * error)


def test_real_counts_are_drawn_from_systems_of_100_trials(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    logs = tmp_path / "counts.csv"
    rows = [f"full,q{i},100,{right}" for i, right in enumerate((0, 20, 70, 100))]
    logs.write_text("\n".join(["model,task_id,n,n_correct", *rows, "half,q0,50,20"]) + "\n")
    (right,) = evalperf.read(logs).values()
    assert right.tolist() == [0, 20, 70, 100]
    evalperf.run(logs, draws=2)
    printed = capsys.readouterr().out
    assert "1 systems of [4] questions" in printed
    within, _, beyond_trials = printed.partition("\n\n| n | k | holds | least")
    assert within.count("\n| ") == 1 + 3 + 4 + 5  # the head, then every k up to n
    assert beyond_trials.count("\n| ") == 5 + 4 + 3  # every larger k


def test_k_beyond_the_trials_is_judged_for_both_targets() -> None:
    shares = beyond.shares_of(Unit("spiked", 30, 4), replicates=2)
    assert shares.shape == (2, 4, 9)
    assert (shares[:, 2] > 0).all()


def test_rows_are_stored_in_full() -> None:
    assert Row._fields[-5:] == ("covered", "below", "above", "width", "flat")
