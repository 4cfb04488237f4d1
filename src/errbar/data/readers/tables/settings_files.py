"""Settings of a run that look like outcomes: `{"do_sample": true, "stream": false}` in config.json.

A document that has a truth value under each of its keys may hold outcomes by the id of a question.
Beside other files it is taken for settings if none of its keys is an id of theirs and either its
name says so, or it has fewer keys than they have rows and no key has a number in it.
"""

from collections.abc import Mapping, Sequence
from pathlib import Path

from errbar.data.columns import is_settings_file
from errbar.data.engines.duckdb import quoted, text_literal
from errbar.data.expressions import FILE
from errbar.data.readers.tables.relations import Shaped

_REASON = (
    "its keys are no ids of questions in the other files, as in a file of settings; give it by "
    "name to read it"
)


def settings_among(flags: Mapping[Path, Sequence[str]], parts: Sequence[Shaped]) -> dict[Path, str]:
    """Documents of flags that are settings of the other files, and why they are not read."""
    return {
        file: _REASON
        for file, keys in flags.items()
        if _has_others(file, parts) and _are_settings(file, keys, parts)
    }


def _has_others(file: Path, parts: Sequence[Shaped]) -> bool:
    return any(other != file for part in parts for other in part.files)


def _are_settings(file: Path, keys: Sequence[str], parts: Sequence[Shaped]) -> bool:
    listed = ", ".join(text_literal(str(key)) for key in keys)
    rows = files = 0
    for part in parts:
        others = part.rows.filter(f"{quoted(FILE)} <> {text_literal(str(file))}")
        question = f"CAST({quoted(part.columns['question'])} AS VARCHAR)"
        number, shared = others.aggregate(
            f"count(*), count(*) FILTER ({question} IN ({listed}))"
        ).fetchall()[0]
        if shared:
            return False
        rows += number
        files += sum(other != file for other in part.files)
    if is_settings_file(file.name.partition(".")[0]):
        return True
    has_number = any(letter.isdigit() for key in keys for letter in str(key))
    return not has_number and len(keys) * files < rows
