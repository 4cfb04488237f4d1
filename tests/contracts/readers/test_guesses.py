"""Of every reader: each guess names the option that overrides it, and the option does so.

The fixtures of a reader are loaded as they are, twice side by side, and without the folders and
names that say what they are; each guess that is printed is then overridden as it says.
"""

import ast
import inspect
import re
import shutil
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

import errbar
from errbar.base.remarks import MARK, above, on_command_line
from errbar.cli import main
from errbar.data import readers
from errbar.data.readers.base import every_reader
from errbar.errors import InputError
from errbar.runs import Runs
from logs import FIXTURES, columns_of
from shapes import SHAPES

HELD = sorted(name for name in every_reader() if (FIXTURES / name).is_dir())
SEVERAL = frozenset({"openai_evals"})  # formats that have no scorer in common
OWN = ("reported.json", "reference.json")
# "(files='systems' or 'parts' to change)", "choose with scorer=)"
CHANGE = re.compile(r"\(([^()]*) to change\)\.?$")
CHOOSE = re.compile(r"\(also: (.*); choose with (--)?(\w+)=?\)\.?$")
SETTING = re.compile(r"(\w+)='([^']*)'(?: or '([^']*)')?")
READ = ("system", "task", "question", "trial", "outcome", "confidence")


def overrides(remark: str) -> Iterator[dict[str, Any]]:
    """What a guess says can be passed instead, one way after the other."""
    choose = CHOOSE.search(remark)
    if choose:
        yield {choose[3]: choose[1].split(", ")[0]}
        return
    change = CHANGE.search(remark)
    assert change, f"names no option: {remark}"
    found = SETTING.findall(change[1])
    assert found, f"names no option: {remark}"
    for name, *values in found:
        yield from ({name: value} for value in values if value)


def shaped(name: str, place: Path) -> Iterator[tuple[Path, dict[str, Any]]]:
    """The fixtures of a reader, in shapes that leave something to guess."""
    ignored = shutil.ignore_patterns(*OWN)
    alone = place / "alone" / name
    shutil.copytree(FIXTURES / name, alone, ignore=ignored)
    if name not in SEVERAL:
        yield alone, {}
    parts = [alone] if name not in SEVERAL else [path for path in alone.iterdir() if path.is_dir()]
    for part in parts:
        for again in ("first", "second"):
            shutil.copytree(part, place / "twice" / part.name / again / part.name)
        yield place / "twice" / part.name, {"repeats": "keep"}
    flat = place / "flat"
    for at, file in enumerate(sorted(alone.rglob("*"))):
        if file.is_file():
            target = flat / str(at % 2) / file.name
            target.parent.mkdir(parents=True, exist_ok=True)
            shutil.copy(file, target)
    yield flat, {"repeats": "keep"}
    for at, file in enumerate(path for path in sorted(alone.rglob("*")) if path.is_file()):
        lone = place / "lone" / str(at) / file.name
        lone.parent.mkdir(parents=True)
        shutil.copy(file, lone)
        yield lone.parent, {}


def loaded(path: Path, **told: Any) -> Runs | None:
    try:
        return errbar.load(path, **told)
    except InputError:
        return None


def guesses_of(runs: Runs) -> list[str]:
    return [each for each in above(runs.source.origin.remarks) if not each.startswith(MARK)]


def rows(runs: Runs) -> list[tuple[Any, ...]]:
    found = columns_of(runs)
    return sorted(zip(*(found[each] for each in READ if each in found), strict=True), key=repr)


@pytest.mark.parametrize("name", HELD)
def test_every_guess_is_overridden_as_it_says(name: str, tmp_path: Path) -> None:
    known = {*inspect.signature(errbar.load).parameters}
    seen: set[str] = set()
    for path, told in shaped(name, tmp_path):
        runs = loaded(path, **told)
        if runs is None or runs.source.origin.reader != name:
            continue
        for remark in guesses_of(runs):
            kind = re.sub(r"[\d'].*", "", remark.replace(str(tmp_path), ""))
            if kind in seen:
                continue
            seen.add(kind)
            for other in overrides(remark):
                if "COLUMN" in other.values() or "…" in other.values():
                    continue  # reads the file as a table
                assert known.issuperset(other)
                changed = errbar.load(path, **told | other)
                assert rows(changed) != rows(runs) or remark not in guesses_of(changed), (
                    remark,
                    other,
                )


def test_no_call_leaves_out_the_option() -> None:
    calls = 0
    for file in sorted(Path(readers.__path__[0]).glob("*.py")):
        for node in ast.walk(ast.parse(file.read_text(encoding="utf-8"))):
            if isinstance(node, ast.Call) and getattr(node.func, "id", "") == "guess":
                calls += 1
                given = {keyword.arg for keyword in node.keywords}
                chooses = "choose with" in ast.unparse(node)
                assert chooses or given == {"option", "argument"}, (
                    f"{file.name}, line {node.lineno}: this guess names no option"
                )
    assert calls > 30


# Guesses without an option, by how they begin, and why there is none.
SURE = {
    "Rows: ": "the only list or table with outcomes in the document",
    "Questions: the keys of the document": "nothing else in it could be an id",
    "Questions: the entries of the list": "a list of outcomes; load_(…) of a matrix has trials",
    "Questions: the ": "a vector has no trials; a matrix has, or the user chose what keys are",
    "Systems: the ": "the user chose what keys are",
    "Outcomes: ": "the only meaning that the writing has; others are errors",
    "Matrix: ": "rows and columns are what documents say; the transpose is another matrix",
    "Pairs: ": "numbers as ids are an error, so the first are names",
    "…: no rating": "what to write instead is said",
    "…: a category of its own": "what to write instead is said",
    "… states … …, …; its rows give …": "nothing is guessed: both numbers are of the same rows",
    "Ratings are the same in upper and lower case": "categories that differ are written apart",
    "… are read as the first or second answer, or a tie": "other words are an error",
    "Trials: the columns, which have numbers for names": "a matrix, as above",
    "Confidences: … of them are percentages": "all of them end in %; a mixture is not used",
    "Weights: … of them are percentages": "all of them end in %; a mixture is an error",
    "…: … of them are written with a decimal comma": "a comma that may group thousands is an error",
    "…: left out above the header": "fewer cells than all lines below: they fit no column",
}
LEFT_OUT = re.compile(r"rows left out: |: the (sheet|…) ")  # by rules of their own, in the account
NO_READINGS = ("analysis", "games")  # what was computed, and the winners of games


def _begin(node: ast.Call) -> str:
    """The text that a guess begins with, as far as it is fixed; its variable if it has no text."""
    text = node.args[0]
    parts = text.values if isinstance(text, ast.JoinedStr) else [text]
    fixed = [part.value if isinstance(part, ast.Constant) else "…" for part in parts]
    return "".join(map(str, fixed))


def test_a_guess_without_an_option_has_a_stated_reason() -> None:
    package, used = Path(errbar.__file__).parent, set()
    for file in sorted(package.rglob("*.py")):
        if set(NO_READINGS) & {*file.relative_to(package).parts}:
            continue
        for node in ast.walk(ast.parse(file.read_text(encoding="utf-8"))):
            if isinstance(node, ast.Call) and getattr(node.func, "id", "") == "guess":
                given = {keyword.arg for keyword in node.keywords}
                if given == {"option", "argument"} or "choose with" in ast.unparse(node):
                    continue
                begin = _begin(node)
                found = [reason for reason in SURE if begin.startswith(reason)]
                used.update(found)
                assert found or LEFT_OUT.search(begin) or begin == "…", f"{file}: {begin}"
    assert used >= SURE.keys() - {"Systems: the ", "Matrix: "}  # begun in a variable


@pytest.mark.parametrize("name", SHAPES)
def test_a_guess_on_a_table_is_overridden_as_it_says(name: str, tmp_path: Path) -> None:
    SHAPES[name].write(tmp_path)
    runs = errbar.load(tmp_path)
    for remark in guesses_of(runs):
        if runs.source.origin.reader or not CHANGE.search(remark):
            assert runs.source.origin.reader or remark.startswith(("Columns: ", *SURE)), remark
            continue
        for other in overrides(remark) if "right=[...]" not in remark else ():
            if "COLUMN" in str(other) or "…" in str(other):
                continue
            changed = loaded(tmp_path, **other)
            assert changed is None or repr(changed) != repr(runs) or rows(changed) != rows(runs)


@pytest.mark.parametrize("name", HELD)
def test_options_are_those_of_the_command(name: str) -> None:
    command = main.get_command(None, "score")  # type: ignore[arg-type]
    assert command is not None
    known = {option for parameter in command.params for option in parameter.opts}
    with on_command_line():
        runs = loaded(FIXTURES / name, repeats="keep")
    for remark in guesses_of(runs) if runs else ():
        named = re.findall(r"--[\w-]+", remark)
        assert named, remark
        assert known.issuperset(named), remark
