"""Tables that need a library: Excel workbooks, Arrow and Feather files, saved data sets."""

from pathlib import Path
from typing import Any

from errbar.errors import InputError


def excel_columns(file: Path) -> dict[str, list[Any]]:
    """The first sheet of a workbook that has cells; its first row names the columns."""
    try:
        import openpyxl  # noqa: PLC0415  an extra
    except ImportError as error:
        raise InputError(
            f"{file}: reading Excel needs openpyxl: pip install 'errbar[excel]'."
        ) from error
    try:
        book = openpyxl.load_workbook(file, read_only=True, data_only=True)
        sheets = {sheet.title: list(sheet.iter_rows(values_only=True)) for sheet in book}
        book.close()
    except Exception as error:  # of zip, XML and openpyxl's own kinds
        raise InputError(f"{file}: it is no Excel workbook that can be read ({error}).") from error
    filled = {name: rows for name, rows in sheets.items() if len(rows) > 1}
    if not filled:
        raise InputError(f"{file}: no sheet has a row below its names.")
    if len(filled) > 1:
        raise InputError(
            f"{file}: {len(filled)} sheets have rows ({', '.join(filled)}); save the one to be "
            f"scored as a file of its own."
        )
    head, *rows = next(iter(filled.values()))
    names = [str(name) if name not in (None, "") else "" for name in head]
    kept = [at for at, name in enumerate(names) if name]
    rows = [row for row in rows if any(cell is not None for cell in row)]
    return {names[at]: [_plain(row[at]) for row in rows] for at in kept}


def _plain(cell: Any) -> Any:
    """Whole numbers as such: Excel stores all of them as floats."""
    return int(cell) if isinstance(cell, float) and cell.is_integer() else cell


def arrow_columns(file: Path) -> dict[str, list[Any]]:
    """An Arrow IPC file or stream; Feather is one."""
    try:
        import pyarrow as pa  # noqa: PLC0415  an extra
        from pyarrow import feather, ipc  # noqa: PLC0415
    except ImportError as error:
        raise InputError(
            f"{file}: reading Arrow files needs pyarrow: pip install 'errbar[arrow]'."
        ) from error
    try:
        with pa.memory_map(str(file)) as mapped:
            try:
                table = ipc.open_stream(mapped).read_all()
            except pa.ArrowInvalid:
                table = feather.read_table(str(file))
    except (pa.ArrowException, OSError) as error:
        raise InputError(f"{file}: it is no Arrow file that can be read ({error}).") from error
    found: dict[str, list[Any]] = table.to_pydict()
    return found
