"""What a log leaves to choose: whatever it does not is refused, never ignored."""

from typing import Any

import pytest

import errbar
from errbar.errors import InputError
from errbar.readers.finding import every_reader
from logs import FIXTURES

HELD = sorted(name for name in every_reader() if (FIXTURES / name).is_dir())


@pytest.mark.parametrize("what", ["scorer", "filter"])
@pytest.mark.parametrize("name", HELD)
def test_a_choice_that_is_not_there_is_refused(name: str, what: str) -> None:
    place = FIXTURES / name
    asked: dict[str, Any] = {what: "no such choice"}
    for log in (place, *sorted(place.rglob("*"))):
        try:
            errbar.load(log)
        except InputError:
            continue  # no log by itself
        with pytest.raises(InputError, match="no such choice"):
            errbar.load(log, **asked)
        return
    pytest.fail(f"there is no log of {name} that can be read")


def test_every_reader_with_a_log_of_ours_is_tried() -> None:
    assert set(every_reader()) - set(HELD) == {"item_runs"}  # its logs are made in its own test
