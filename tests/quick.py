"""`scripts/test --quick`: a fast part of the tests, for use while one works.

Left out are the files and the tests named here: those that start Spark, a browser or further
processes, run the documentation, simulate studies, or try many combinations of the same thing.
"""

from pathlib import Path

import pytest

TESTS = Path(__file__).parent

SLOW_FILES = {
    *("conformance/test_spark.py", "conformance/test_ranked.py", "test_report_browser.py"),
    *("test_documented_commands.py", "test_documented_figures.py", "test_readme.py"),
    *("test_metric_pages.py", "test_demo.py", "test_coverage_study.py", "test_compare_study.py"),
    *("test_endings.py", "test_terminal.py", "test_work.py", "test_write_every_eval_ever.py"),
    *("readers/test_accounts.py", "readers/test_inspect_ai_hostile.py", "test_wild.py"),
    *("test_calibrated.py", "test_compare.py", "test_compare_ranked.py", "test_comparison.py"),
    *("test_cli_outcomes.py", "test_audit.py", "test_exact.py", "test_gate.py", "test_monitor.py"),
    *("test_plan.py", "test_plots.py", "test_nothing_stops.py", "test_large.py", "test_rank.py"),
    *("test_roc_intervals.py", "test_selective_others.py", "test_item_runs.py", "test_grouped.py"),
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
