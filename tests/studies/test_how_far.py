"""The page "How far it goes" says what its benchmark measured."""

import json
import math

from benchmarks import scale


def test_tables_of_the_page_are_those_of_its_results() -> None:
    results = json.loads(scale.RESULTS.read_text(encoding="utf-8"))
    text = scale.PAGE.read_text(encoding="utf-8")
    assert scale.page(text, results) == text
    assert all(scale.PARTS[name](results) in text for name in scale.PARTS)


def test_a_line_has_slope_one_and_a_square_slope_two() -> None:
    for power in (1, 2):
        points = [{"size": size, "cpu": 1e-3 * size**power} for size in (100.0, 200.0, 1000.0)]
        assert math.isclose(scale.slope(points), power)


def test_a_limit_that_is_exceeded_is_said_to_be() -> None:
    over = {"name": "work", "limit": 1.0, "value": 1.01, "unit": "s"}
    assert "not met" in scale.limits_table({"limits": [over]})
    assert "not met" not in scale.limits_table({"limits": [{**over, "value": 0.9}]})
