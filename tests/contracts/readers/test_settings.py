"""Settings that tell agents of one name apart."""

import json
from pathlib import Path
from typing import Any

import pytest

import errbar
from errbar.data.readers.log_names import tell_apart
from inspect_logs import saved, small


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


def test_names_of_keys_that_hold_none_are_settings() -> None:
    assert tell_apart([{"tokenizer": "a"}, {"tokenizer": "b"}]) == ["tokenizer=a", "tokenizer=b"]
    assert tell_apart([{"answer_key": "x"}, {"answer_key": "y"}]) == [
        "answer_key=x",
        "answer_key=y",
    ]
    assert tell_apart([{"my_key": "sk-0123456789abcdef"}, {"my_key": "sk-fedcba9876543210"}]) == [
        "",
        "",
    ]


@pytest.mark.parametrize(
    "secrets",
    [
        {"model_args": {"api_key": "KEY"}},
        {"model_args": {"extra_headers": {"Authorization": "KEY"}}},
        {"task_args": {"hf_token": "KEY"}},
    ],
    ids=["api_key", "nested", "task"],
)
def test_runs_of_inspect_ai_with_other_keys_are_one_system(
    secrets: dict[str, Any], tmp_path: Path
) -> None:
    for at in range(2):
        own = json.loads(json.dumps(secrets).replace("KEY", f"sk-secret-{at}"))
        saved(tmp_path / f"run{at}.json", small(**own))
    runs = errbar.load(tmp_path)
    text = f"{runs.inspect()} {runs.score()}"
    assert len({score.system for score in runs.score()}) == 1
    assert "sk-secret" not in text
