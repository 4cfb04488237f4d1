"""Recorded numbers: every command on every fixture, every public function on seeded arrays.

    python tests/support/recorded.py check            compare all with the record
    python tests/support/recorded.py write            record anew; git then shows what has changed
    python tests/support/recorded.py write --words F  the sentences as well, in a file of their own

A change that only moves code must leave all of these equal to the last bit on one machine. Another
processor adds in another order (AVX-512 or AVX2 in NumPy and OpenBLAS) and rounds differently: the
largest difference seen is 7e-14 of a number. So numbers closer than `ROUNDING` are counted apart,
and `check` says how many there are. Sentences are not recorded, because they may be improved at any
time.
"""

import contextlib
import inspect
import io
import json
import math
import sys
import warnings
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any, NamedTuple

import click
import numpy as np

import errbar
from errbar.cli import main

FIXTURES = Path(__file__).parents[1] / "fixtures"
RECORDED = Path(__file__).parent / "recorded_numbers"
FUNCTIONS = "functions"
ROUNDING = 1e-11

# Names of things; all other text of a result is a sentence.
NAMES = {
    "system",
    "task",
    "metric",
    "question",
    "baseline",
    "covers",
    "group",
    "letters",
    "verdict",
}

COMMANDS: dict[str, list[str]] = {
    "overview": [],
    "inspect": [],
    "score": ["-m", "avg,pass@1,pass^2,maj@3", "--errors", "bracket"],
    "score documented": ["-m", "avg,bayes,pass@2,geom@2", "--method", "documented"],
    "score benchmark": ["-m", "avg,pass@2", "--estimand", "benchmark", "--errors", "missing"],
    "score rerun": ["-m", "avg,pass@2", "--estimand", "rerun", "--short", "drop"],
    "curve": [],
    "compare": ["-m", "avg,pass@2"],
    "compare benchmark": ["-m", "avg", "--estimand", "benchmark", "--adjust", "none"],
    "rank": [],
    "selective": ["--resamples", "200"],
    "roc": ["--resamples", "200"],
    "monitor": ["--above", "0.5"],
    "plan": ["--width", "0.3", "--trials", "2", "--simulations", "20"],
}


def fixtures() -> list[str]:
    """The folder of each harness."""
    return sorted(path.name for path in FIXTURES.iterdir() if path.is_dir())


def of_commands(fixture: str) -> dict[str, Any]:
    """The exit code and the JSON output of every command on a fixture."""
    path = str(FIXTURES / fixture)
    return {
        command: _ran([command.split()[0], path, *options, "--format", "json"])
        for command, options in COMMANDS.items()
    }


def _ran(arguments: Sequence[str]) -> dict[str, Any]:
    out, err = io.StringIO(), io.StringIO()
    code = 0
    with contextlib.redirect_stdout(out), contextlib.redirect_stderr(err):
        try:
            main.main(list(arguments), prog_name="errbar", standalone_mode=False)
        except click.ClickException as error:
            code = error.exit_code
            err.write(error.format_message().replace(str(FIXTURES), "fixtures"))
        except SystemExit as ended:
            code = int(ended.code or 0)
    text = out.getvalue()
    return {"exit": code, "said": err.getvalue(), **(json.loads(text) if text else {})}


def seeded() -> dict[str, Any]:
    """Arguments by the name of a parameter, the same every time."""
    rng = np.random.default_rng(2024)
    matrix = (rng.random((12, 8)) < rng.beta(0.6, 0.6, (12, 1))).astype(int)
    categories = rng.integers(0, 4, (12, 8))
    scores, labels = np.round(rng.normal(size=40), 1), rng.integers(0, 2, 40)
    return {"R": matrix, "categories": categories, "scores": scores, "labels": labels}


def of_functions() -> dict[str, Any]:
    """Every function of `errbar.eval` on matrices, of `selective` and `roc` on seeded items."""
    return dict(_values())


def _values() -> Iterator[tuple[str, Any]]:
    data = seeded()
    for name in sorted(errbar.eval.__all__):
        function = getattr(errbar.eval, name)
        if not callable(function) or inspect.isclass(function):
            continue
        for key, keywords in _keywords(function).items():
            yield f"eval.{name}({key})", _value(function, data["R"], **keywords)
    for module in (errbar.selective, errbar.roc):
        for name in sorted(module.__all__):
            function = getattr(module, name)
            if callable(function) and not inspect.isclass(function):
                where = f"{module.__name__.removeprefix('errbar.')}.{name}"
                yield where, _value(function, data["scores"], data["labels"])


def _keywords(function: Callable[..., Any]) -> dict[str, dict[str, Any]]:
    """Values for the parameters that have no default, and a second choice of them."""
    needed = [
        parameter.name
        for parameter in inspect.signature(function).parameters.values()
        if parameter.default is parameter.empty and parameter.name != "R"
    ]
    chosen: list[dict[str, Any]] = [
        {"k": 2, "tau": 0.5, "K": 4, "w": [0.0, 1.0]},
        {"k": 8, "tau": 1.0, "K": 8},
    ]
    found = {}
    for values in chosen:
        if all(name in values for name in needed):
            keywords = {name: values[name] for name in needed}
            found[", ".join(f"{name}={value}" for name, value in keywords.items())] = keywords
    return found


def _value(function: Callable[..., Any], *arguments: Any, **keywords: Any) -> Any:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            return _plain(function(*arguments, **keywords))
        except (errbar.errors.ErrbarError, TypeError, ValueError) as error:
            return type(error).__name__


def _plain(value: Any) -> Any:
    """The numbers of a result of any type."""
    if isinstance(value, np.ndarray | np.generic):
        return _plain(value.tolist())
    if isinstance(value, dict):
        return {str(key): _plain(part) for key, part in value.items()}
    if isinstance(value, list | tuple):
        return [_plain(part) for part in value]
    if hasattr(value, "to_dicts"):
        return _plain(value.to_dicts())
    if hasattr(value, "__dataclass_fields__"):
        return {name: _plain(getattr(value, name)) for name in value.__dataclass_fields__}
    return value if isinstance(value, bool | int | float | str | None) else str(value)


def numbers(value: Any, key: str = "") -> Any:
    """A result without its sentences."""
    if isinstance(value, dict):
        parts = {name: numbers(part, name) for name, part in value.items()}
        return {name: part for name, part in parts.items() if part is not _SENTENCE}
    if isinstance(value, list):
        parts_of_list = [numbers(part, key) for part in value]
        return [part for part in parts_of_list if part is not _SENTENCE]
    return _SENTENCE if isinstance(value, str) and key not in NAMES else value


_SENTENCE = object()


def record_of(name: str) -> dict[str, Any]:
    """The record of a fixture or of the functions, which must stay equal."""
    return of_functions() if name == FUNCTIONS else of_commands(name)


def write(words: str | None = None) -> None:
    """Record everything again."""
    RECORDED.mkdir(exist_ok=True)
    sentences = {}
    for name in [*fixtures(), FUNCTIONS]:
        whole = record_of(name)
        sentences[name] = whole
        text = json.dumps(numbers(whole), indent=1, sort_keys=True)
        (RECORDED / f"{name}.json").write_text(text + "\n", encoding="utf-8")
    if words:
        Path(words).write_text(json.dumps(sentences, indent=1, ensure_ascii=False), "utf-8")


class Difference(NamedTuple):
    """A recorded value that comes out differently, by the path of its keys."""

    where: str
    recorded: Any
    today: Any

    @property
    def is_rounding(self) -> bool:
        """Whether two numbers differ only by rounding, as on another processor."""
        pair = self.recorded, self.today
        if not all(isinstance(value, float) for value in pair):
            return False
        return math.isclose(*pair, rel_tol=ROUNDING, abs_tol=ROUNDING)

    def __str__(self) -> str:
        return f"{self.where}: {self.recorded} was recorded, {self.today} came out"


def differences(name: str) -> list[Difference]:
    """The differences between a record and the present results."""
    recorded = json.loads((RECORDED / f"{name}.json").read_text(encoding="utf-8"))
    today = json.loads(json.dumps(numbers(record_of(name))))
    return list(_differences(recorded, today, name))


def _differences(recorded: Any, today: Any, where: str) -> Iterator[Difference]:
    if isinstance(recorded, dict) and isinstance(today, dict):
        for key in sorted(recorded.keys() | today.keys()):
            yield from _differences(recorded.get(key), today.get(key), f"{where} > {key}")
    elif isinstance(recorded, list) and isinstance(today, list) and len(recorded) == len(today):
        for place, (before, after) in enumerate(zip(recorded, today, strict=True)):
            yield from _differences(before, after, f"{where} > {place}")
    elif json.dumps(recorded) != json.dumps(today):  # a NaN equals a NaN here
        yield Difference(where, recorded, today)


def check() -> int:
    """Print all differences, and count those of rounding; the exit code is 1 if there are any."""
    every = [each for name in [*fixtures(), FUNCTIONS] for each in differences(name)]
    found = [str(each) for each in every if not each.is_rounding]
    rounded = len(every) - len(found)
    found = found or ["all recorded numbers came out equal"]
    if rounded:
        found.append(f"{rounded} numbers are rounded as on another processor")
    sys.stdout.write("\n".join(found) + "\n")
    return len(every) > rounded


if __name__ == "__main__":
    asked = sys.argv[1:]
    if asked == ["check"]:
        sys.exit(check())
    if asked[:1] == ["write"] and len(asked) in (1, 3):
        write(asked[2] if len(asked) == 3 else None)
    else:
        sys.exit(__doc__)
