"""Settings that tell agents of one name apart."""

from errbar.data.readers.log_names import tell_apart


def test_only_what_differs_is_reported() -> None:
    told = tell_apart([{"a": 1, "b": [1]}, {"a": 1, "b": [2]}, {"a": 1}, {"a": 1, "b": [1]}])
    assert told == ["b=[1]", "b=[2]", "", "b=[1]"]


def test_a_key_of_an_account_is_never_printed_and_makes_no_other_system() -> None:
    told = tell_apart([{"API_KEY": "x", "n": 1}, {"API_KEY": "y", "n": 1}, {"auth_token": "z"}])
    assert told == ["n=1", "n=1", ""]


def test_long_values_are_cut_and_still_distinguished() -> None:
    told = tell_apart([{"prompt": "x" * 90 + end} for end in "ab"])
    assert len(set(told)) == 2
    assert all(len(each) < 70 for each in told)


def test_a_number_of_tokens_is_no_secret() -> None:
    assert tell_apart([{"max_tokens": 1}, {"max_tokens": 2}]) == ["max_tokens=1", "max_tokens=2"]
