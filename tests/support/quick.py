"""`scripts/test --quick`: a fast part of the tests, for use while one works.

Left out are the files and the tests named here: those that start Spark, a browser or further
processes, run the documentation, simulate studies, or try many combinations of the same thing.
"""

from pathlib import Path

import pytest

TESTS = Path(__file__).parents[1]

SLOW_FILES = {
    "contracts/engines/test_ranked.py",
    "contracts/engines/test_spark.py",
    "contracts/readers/test_accounts.py",
    "contracts/readers/test_inspect_ai_hostile.py",
    "contracts/test_exact.py",
    "contracts/test_large.py",
    "contracts/test_nothing_stops.py",
    "journeys/test_cli_outcomes.py",
    "journeys/test_demo.py",
    "journeys/test_documented_commands.py",
    "journeys/test_documented_figures.py",
    "journeys/test_endings.py",
    "journeys/test_metric_pages.py",
    "journeys/test_readme.py",
    "journeys/test_report_browser.py",
    "journeys/test_terminal.py",
    "journeys/test_wild.py",
    "journeys/test_work.py",
    "studies/test_audit.py",
    "studies/test_compare_study.py",
    "studies/test_coverage_study.py",
    "unit/analysis/test_calibrated.py",
    "unit/analysis/test_compare.py",
    "unit/analysis/test_compare_ranked.py",
    "unit/analysis/test_monitor.py",
    "unit/analysis/test_plan.py",
    "unit/analysis/test_rank.py",
    "unit/analysis/test_roc_intervals.py",
    "unit/data/test_ranked_totals.py",
    "unit/results/test_comparison.py",
    "unit/results/test_pictures.py",
    "unit/surface/test_gate.py",
    "unit/surface/test_item_runs.py",
    "unit/surface/test_selective_others.py",
    "unit/surface/test_write_every_eval_ever.py",
}
SLOW_TESTS = {
    *("test_no_shape_loses_or_joins_a_system_beside_others", "test_the_order_of_rows_never_shows"),
    "test_every_row_of_every_shape_is_accounted_for",
}
BROKEN = ("read_or_refused", "mutations", "spoiled", "broken_copies")  # in names of tests

# Of the engines one in memory and one of files: the others give the same by other routes.
ENGINES = ("polars", "CSV")


def pytest_ignore_collect(collection_path: Path) -> bool | None:
    if not collection_path.is_relative_to(TESTS):
        return True  # examples of `src`
    return collection_path.relative_to(TESTS).as_posix() in SLOW_FILES or None


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    slow = [item for item in items if is_slow(item)]
    config.hook.pytest_deselected(items=slow)
    items[:] = [item for item in items if item not in set(slow)]


def is_slow(item: pytest.Item) -> bool:
    """Whether a test of a file that is quick is left out all the same."""
    name, _, values = item.name.partition("[")
    if name == "test_engines_give_what_plain_counting_gives":
        return not values.startswith(tuple(f"{engine}-" for engine in ENGINES))
    return name in SLOW_TESTS or any(word in name for word in BROKEN)
