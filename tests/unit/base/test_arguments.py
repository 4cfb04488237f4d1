"""Numbers, levels and missing values, checked at the edge."""

import math
from typing import Any

import numpy as np
import pytest

from errbar.base.arguments import is_missing, number, strict_share
from errbar.base.remarks import on_command_line
from errbar.errors import InputError, WrongType


@pytest.mark.parametrize("level", [0, 1, -0.5, 95, math.nan, math.inf, 10**400])
def test_a_level_lies_strictly_between_0_and_1(level: float) -> None:
    with pytest.raises(InputError, match=r"^level must "):
        strict_share(level, "level")


@pytest.mark.parametrize("level", ["0.95", None, True, [0.95]])
def test_a_level_is_a_number(level: Any) -> None:
    with pytest.raises(WrongType, match="level must be a number"):
        strict_share(level, "level")


def test_a_message_on_a_level_speaks_of_options_or_arguments() -> None:
    with pytest.raises(InputError, match=r"For 95% write confidence=0\.95\.$"):
        strict_share(95, "confidence")
    with on_command_line(), pytest.raises(InputError, match=r"For 95% write --level 0\.95\.$"):
        strict_share(95, "level")


@pytest.mark.parametrize("level", [0.95, np.float32(0.5), np.float64(1e-9)])
def test_a_level_comes_back_as_a_float(level: float) -> None:
    assert type(strict_share(level, "level")) is float
    assert strict_share(level, "level") == level


@pytest.mark.parametrize(
    ("value", "low", "high", "words"),
    [
        (1.5, 0.0, 1.0, r"x must be in \[0, 1\]; got 1\.5"),
        (-1.0, 0.0, math.inf, r"x must be finite and at least 0; got -1\.0"),
        (math.inf, 0.0, math.inf, r"x must be finite and at least 0; got inf"),
        (math.nan, -math.inf, math.inf, r"x must be finite; got nan"),
        (10**400, -math.inf, math.inf, r"x must be finite; got 1000"),
    ],
)
def test_a_number_says_its_range(value: float, low: float, high: float, words: str) -> None:
    with pytest.raises(InputError, match=words):
        number(value, "x", low, high)


@pytest.mark.parametrize("value", [None, math.nan, np.float32("nan"), np.datetime64("NaT")])
def test_nothing_is_missing_in_several_ways(value: object) -> None:
    assert is_missing(value)


@pytest.mark.parametrize("value", [0, 0.0, "", False, math.inf, "nan"])
def test_what_is_there_is_not_missing(value: object) -> None:
    assert not is_missing(value)
