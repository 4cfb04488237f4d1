"""What a message about a table proposes works on that table, in Python and pasted to the shell.

Where errbar refuses a table or guesses, it names options. Each of them, with the columns that the
message names, must lead to a score.
"""

import ast
import json
import re
import shlex
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner

import errbar
from errbar.cli import main
from errbar.errors import InputError

Row = dict[str, Any]
SYSTEMS = ("gpt", "qwen")


def rows_of(
    number: int = 12, systems: tuple[str, ...] = SYSTEMS, **columns: list[Any]
) -> list[Row]:
    """A row for each question of each system; the values of every column come round."""
    return [
        {"id": at, **({"model": system} if len(systems) > 1 else {})}
        | {name: values[(at + 5 * place) % len(values)] for name, values in columns.items()}
        for place, system in enumerate(systems)
        for at in range(number)
    ]


def crossed(name: str, values: list[Any], **beside: list[Any]) -> list[Row]:
    """Rows of every question for each value of a column."""
    return [
        {"id": at, name: value, "correct": (at * 7 + place) % 3 > 0}
        | {other: some[(at + place) % len(some)] for other, some in beside.items()}
        for place, value in enumerate(values)
        for at in range(12)
    ]


BITS, GRADES, SHARES = [1, 0, 1, 1, 0], [1, 5, 3, 4, 2], [0.25, 0.5, 1.0, 0.75]
ALONE = ("",)
SPACED: dict[str, Any] = {"Fully right?": BITS, "Same idea": [1, 1, 0]}
QUOTED: dict[str, Any] = {"is it 'it'": BITS, 'a "b"': [1, 1, 0]}
COUNTED: dict[str, Any] = {"Pass rate": SHARES, "n": [4]}
RATIO: dict[str, Any] = {"Right ones": [1, 2], "Number of rows": [4]}
TABLES: dict[str, list[Row]] = {
    "two ratings": rows_of(adequacy=GRADES, fluency=GRADES[::-1]),
    "two ratings of a response": rows_of(
        systems=ALONE, response=["a"], tone=GRADES, style=GRADES[::-1]
    ),
    "two binary columns": rows_of(exact=BITS, fuzzy=[1, 1, 0]),
    "columns with spaces": rows_of(**SPACED),
    "columns with a quotation mark": rows_of(**QUOTED),
    "two shares": rows_of(recall_at_5=SHARES, mrr=SHARES[::-1]),
    "flags": rows_of(systems=ALONE, used_tool=BITS, compiled=[1, 1, 0]),
    "flags under a key": rows_of(
        systems=ALONE, response=["a"], checks=[{"json_ok": True, "cited": False}]
    ),
    "judges as columns": rows_of(gpt4_judge=BITS, claude_judge=[1, 1, 0]),
    "judges as a list": rows_of(
        judgments=[[{"judge": name, "score": at % 2} for at, name in enumerate("abc")]]
    ),
    "annotators as columns": rows_of(annotator_1=BITS, annotator_2=[1, 1, 0]),
    "numbered systems": rows_of(systems=ALONE, gpt1=BITS, gpt2=[1, 1, 0]),
    "words": rows_of(verdict=["good", "bad", "bad"]),
    "words among verdicts": rows_of(category=["correct", "made up", "hedged"]),
    "grades in letters": rows_of(grade=["A", "B", "C", "F"]),
    "wrong marks": rows_of(failed=BITS),
    "attack": rows_of(attack_method=["gcg", "pair"], success=BITS),
    "several scores under a key": rows_of(scores=[{"relevance": 0.5, "fluency": 0.25}]),
    "measures of systems": rows_of(
        systems=ALONE, gpt_f1=SHARES, gpt_em=BITS, qwen_f1=SHARES[::-1], qwen_em=[1, 1, 0]
    ),
    "other outcomes": rows_of(correct=BITS, f1=SHARES),
    "score of a maximum": rows_of(score=[1, 2, 3], max_score=[4, 5]),
    "weights": rows_of(correct=BITS, points=[1, 2, 4]),
    "frequencies": rows_of(correct=BITS, count=[3, 2, 4]),
    "classifier": rows_of(label=["spam", "ham"], score=SHARES),
    "label and binary columns": rows_of(systems=ALONE, label=BITS, bert=[1, 1, 0], xl=[0, 1]),
    "two predictions": rows_of(systems=ALONE, gold=["a", "b"], prediction=["a"], pred=["b"]),
    "outputs": rows_of(result=[81236, 9143, 77120, 55, 120934, 8, 99, 12]),
    "total of tests": rows_of(passed=[1, 0], total=[5, 6]),
    "single right trial": rows_of(n_correct=[1, 0], n=[5, 6]),
    "conditions": crossed("temperature", ["0.0", "0.7"]),
    "conditions with trials": [
        {**row, "policy": policy, "rewards": [1, 0, row["correct"]]}
        for policy in ("old", "new")
        for row in rows_of(systems=ALONE, correct=[1, 0])
    ],
    "parts": crossed("subject", ["art", "law"]),
    "raters": crossed("rater", ["ann", "bob"]),
    "metrics": crossed("metric", ["f1", "em"]),
    "levels": crossed("layer", ["early", "middle", "late"]),
    "hosts": crossed("host", ["a1b2c3d4", "d4e5f607"]),
    "runs": [{"id": at, "run": run, "correct": at % 3 > 0} for run in "ab" for at in range(9)],
    "languages": crossed("language", ["de", "fr"]),
    "repeats": rows_of(systems=ALONE, correct=BITS) * 2 + rows_of(3, ALONE, correct=[1]),
    "trials that occur twice": crossed("trial", [1, 1, 2]),
    "retries": rows_of(systems=ALONE, correct=[1, None, 0]) + rows_of(2, ALONE, correct=[1]),
    "missing outcomes": rows_of(correct=[1, None, 0]),
    "no ids": [{"arch": arch, "correct": at % 3 > 0} for arch in ("rnn", "moe") for at in range(9)],
    "no ids, with brackets": [
        {"Host's (API)": host, "correct": at % 3 > 0}
        for host in ("east", "west")
        for at in range(9)
    ],
    "counts with spaces": rows_of(systems=ALONE, **COUNTED),
    "ratio of counts with spaces": rows_of(systems=ALONE, score=[0.25, 0.5], **RATIO),
    "two records": rows_of(systems=ALONE, gpt=[{"correct": True}], qwen=[{"correct": False}]),
    "keys of an object": rows_of(systems=ALONE, results=[{"gpt": 1, "qwen": 0}]),
    "totals only": [{"model": model, "mmlu": 0.5, "gsm8k": 0.25} for model in "abc"],
    "mean of groups": rows_of(mean=SHARES, count=[3]),
    "dates": rows_of(10, date=["2026-01-01", "2026-01-02"], score=GRADES),
}
_PLACEHOLDER = re.compile(r"COLUMN|WORD|…|Ellipsis")
_ARGUMENT = re.compile(r"\b([a-z]+)=('(?:[^'\\]|\\.)*'|\"(?:[^\"\\]|\\.)*\"|\[[^\]]*\]|None)")
_OPTION = re.compile(
    r"--(?:map|right|rows|files|repeats|keys|errors) (?!to change)"
    r"(?:'(?:[^']|'\"'\"')*'|[^\s'):;,.][^\s);]*)"
)
_LATER = re.compile(r"[Aa]dd a column [^;]*")  # what to do once the table has another column
_AND = re.compile(r",? and(?: with| use)? |, | ")


def groups(text: str, each: re.Pattern[str]) -> Iterator[list[re.Match[str]]]:
    """Proposals of a message; those that only `and` stands between belong together."""
    found: list[re.Match[str]] = []
    text = _LATER.sub("", text)
    for match in each.finditer(text):
        if found and not _AND.fullmatch(text, found[-1].end(), match.start()):
            yield found
            found = []
        found.append(match)
    if found:
        yield found


def arguments_in(text: str) -> list[dict[str, Any]]:
    """The arguments that a message in Python proposes."""
    found = []
    for group in groups(text, _ARGUMENT):
        made = {match[1]: ast.literal_eval(match[2]) for match in group}
        found += [made] if not _PLACEHOLDER.search(str(made)) else []
    return found


def options_in(text: str) -> list[list[str]]:
    """The options that a message of the command proposes, as a shell would split them."""
    found = []
    for group in groups(text, _OPTION):
        words = [word for match in group for word in shlex.split(match[0].rstrip(".,;:"))]
        found += [words] if not _PLACEHOLDER.search(" ".join(words)) else []
    return found


def said_of(rows: list[Row]) -> str:
    try:
        return " ".join(errbar.load(rows).score("avg").notes())
    except InputError as refused:
        return str(refused)


@pytest.mark.parametrize("name", TABLES)
def test_arguments_that_a_message_proposes_lead_to_a_score(name: str) -> None:
    rows = TABLES[name]
    for told in arguments_in(said_of(rows)):
        how = dict(told)
        errors = how.pop("errors", "fail")
        scores = errbar.load(rows, **how).score("avg", errors=errors)
        assert len(list(scores)) > 0, told


@pytest.mark.parametrize("name", TABLES)
def test_options_that_a_message_proposes_lead_to_a_score(name: str, tmp_path: Path) -> None:
    file = tmp_path / "rows.jsonl"
    file.write_text("".join(json.dumps(row) + "\n" for row in TABLES[name]), encoding="utf-8")
    first = CliRunner().invoke(main, ["score", str(file)])
    for options in options_in(" ".join(first.output.split())):
        again = CliRunner().invoke(main, ["score", str(file), *options])
        assert again.exit_code == 0, (options, again.output)


def test_most_tables_have_proposals_with_names_of_their_own() -> None:
    proposed = {name: arguments_in(said_of(rows)) for name, rows in TABLES.items()}
    assert sum(map(bool, proposed.values())) >= 38
    assert {"outcome": "Fully right?"} in proposed["columns with spaces"]
    assert any(len(told) > 1 for every in proposed.values() for told in every)
