"""Names of systems in a column: spelled in two ways, or given once for a block of rows."""

from typing import Any

from errbar.base.remarks import Above, warning, way_to_say
from errbar.data.columns import Columns
from errbar.data.engines.duckdb import text_of
from errbar.errors import InputError

_MOST = 1000  # most names that are compared


def names_remark(rows: Any, columns: Columns) -> list[Above]:
    """Warning on systems whose names differ only in case and spaces; refuses merged cells."""
    if "system" not in columns:
        return []
    name = columns["system"]
    counts = rows.aggregate(f"{text_of(name)} AS name, count(*) AS n", text_of(name))
    found = dict(counts.order("name").limit(_MOST).fetchall())
    blank, others = found.pop("", 0), sum(found.values())
    if found and blank > others == len(found):
        raise InputError(
            f"{blank} of {blank + others} rows have nothing in {name!r}, and every name stands "
            f"there once, as in merged cells of a spreadsheet. Fill the names down to all rows, or "
            f"read all rows as one system: {way_to_say('--map system=', 'system=None')}."
        )
    spelled: dict[str, list[str]] = {}
    for written in found:
        spelled.setdefault("".join(written.split()).casefold(), []).append(written)
    return [
        warning(
            f"{' and '.join(map(repr, alike))} differ only in case and spaces, and are read as "
            f"{len(alike)} systems. If they are the same, write the names in {name!r} alike."
        )
        for alike in spelled.values()
        if len(alike) > 1
    ]
