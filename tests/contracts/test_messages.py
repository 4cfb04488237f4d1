"""A message on the command line speaks of options, one in Python of arguments; none of both.

Every text of the package is walked: an option or an argument stands in a message only through what
knows who is spoken to (`way_to_say`, `guess`, `setting`, `mapping`).
"""

import ast
import inspect
import re
from collections.abc import Iterator
from pathlib import Path

import click
import pytest
from click.testing import CliRunner

import errbar
from errbar.cli import main
from errbar.errors import InputError

PACKAGE = Path(errbar.__file__).parent
MODULES = [
    path for path in sorted(PACKAGE.rglob("*.py")) if "cli" not in path.relative_to(PACKAGE).parts
]
# Only data in Python come this way, or only a command of another tool is meant.
ONLY_PYTHON = {"data/readers/tables/containers.py", "loading.py"}
OTHER_TOOLS = ("lm_eval with --", "lighteval with --")
IN_PYTHON = "grade them in Python"

OPTIONS = {
    option
    for name in main.list_commands(click.Context(main))
    if (command := main.get_command(click.Context(main), name)) is not None
    for parameter in command.params
    if isinstance(parameter, click.Option)
    for option in parameter.opts
    if option.startswith("--")
}
ARGUMENTS = {
    *inspect.signature(errbar.load).parameters,
    *inspect.signature(errbar.Runs.score).parameters,
    *("question", "outcome", "status", "cluster", "weight", "trial", "system", "answer"),
    *("confidence", "trials", "correct", "bins", "bounds", "baseline_system", "above", "below"),
} - {"self", "data", "metrics", "columns"}
assert {"--map", "--max-drop", "--follow"} <= OPTIONS
OPTION = re.compile(rf"(?:{'|'.join(sorted(map(re.escape, OPTIONS), key=len, reverse=True))})\b")
# In brackets it is of a value that only Python makes, as in Calibrated(level=0.9).
ARGUMENT = re.compile(rf"(?<!\()\b(?:{'|'.join(ARGUMENTS)})=(?:['\"\[(\d]|None|,|\.)|\bload\(")


def loose_texts(path: Path) -> Iterator[tuple[int, str]]:
    """Texts that are no documentation and do not go through what knows who is spoken to."""
    tree = ast.parse(path.read_text(encoding="utf-8"))
    chosen: set[int] = set()
    for node in ast.walk(tree):
        parts: list[ast.AST] = []
        if isinstance(node, ast.Call):
            parts += [
                keyword.value for keyword in node.keywords if keyword.arg in ("option", "argument")
            ]
            if isinstance(node.func, ast.Name) and node.func.id == "way_to_say":
                parts += node.args
        elif isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant):
            parts.append(node.value)  # a docstring
        chosen.update(id(part) for whole in parts for part in ast.walk(whole))
    for node in ast.walk(tree):
        if (
            isinstance(node, ast.Constant)
            and isinstance(node.value, str)
            and id(node) not in chosen
        ):
            yield node.lineno, node.value


def test_no_message_names_an_option_or_an_argument_outright() -> None:
    texts = ((path, *found) for path in MODULES for found in loose_texts(path))
    for path, line, text in texts:
        if " " not in text or IN_PYTHON in text:  # a word by itself is handed on
            continue
        where = path.relative_to(PACKAGE).as_posix(), line, text
        assert not OPTION.search(text) or any(tool in text for tool in OTHER_TOOLS), where
        if where[0] not in ONLY_PYTHON:
            assert not ARGUMENT.search(text), where


STRANGE = {
    "status": ("id,correct,status\nq1,,odd\nq2,0,odd\n", (), "--map status=", "status=None"),
    "repeats": (
        "id,trial,correct\nq1,1,1\nq1,1,0\nq2,1,1\n",
        (),
        "--repeats keep",
        "repeats='keep'",
    ),
    "cluster": (
        "id,cluster,trial,correct\nq1,a,1,1\nq1,b,2,0\nq2,a,1,1\n",
        (),
        "--map cluster=",
        "cluster=None",
    ),
    "outcome": ("id,size\nq1,10\nq2,20\n", (), "--map outcome=COLUMN", "outcome='COLUMN'"),
    "words": ("id,correct\nq1,so\nq2,la\n", (), "--right WORD", "right=['WORD']"),
}


@pytest.mark.parametrize("name", STRANGE)
def test_who_is_spoken_to_decides_the_words(name: str, tmp_path: Path) -> None:
    text, options, option, argument = STRANGE[name]
    file = tmp_path / "a.csv"
    file.write_text(text, encoding="utf-8")
    said = " ".join(CliRunner().invoke(main, ["score", str(file), *options]).output.split())
    assert option in said
    assert argument not in said
    with pytest.raises(InputError) as refused:
        errbar.load(str(file)).score("avg")
    assert argument in str(refused.value)
    assert option not in str(refused.value)
