"""Settings files that look like outcomes: `{"do_sample": true, "stream": false}`.

A document with a truth value under each key may map question ids to outcomes. Next to other files
it is treated as settings if none of its keys is an id in them and either its file name is that of a
settings file, or it has fewer keys than they have rows and no key contains a number.
"""

from collections.abc import Mapping, Sequence
from pathlib import Path

from errbar.data.columns import is_settings_file
from errbar.data.engines.duckdb import quoted, text_literal
from errbar.data.queries.expressions import FILE
from errbar.data.readers.tables.reshaping import RowSet

_REASON = (
    "none of its keys is a question id in the other files, as in a settings file; pass its path "
    "to read it"
)


def settings_among(flags: Mapping[Path, Sequence[str]], parts: Sequence[RowSet]) -> dict[Path, str]:
    """Documents that are settings of the other files, with the reason for skipping them."""
    return {
        file: _REASON
        for file, keys in flags.items()
        if _has_others(file, parts) and _are_settings(file, keys, parts)
    }


def _has_others(file: Path, parts: Sequence[RowSet]) -> bool:
    return any(other != file for part in parts for other in part.files)


def _are_settings(file: Path, keys: Sequence[str], parts: Sequence[RowSet]) -> bool:
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


def describes_data_set(file: Path) -> bool:
    """Whether a file is metadata of a data set saved by Hugging Face datasets."""
    name = file.name
    if name == "dataset_dict.json":
        return True
    return name in ("dataset_info.json", "state.json") and any(file.parent.glob("*.arrow"))
