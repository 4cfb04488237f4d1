"""Prices of models per million tokens: a table of the user's, never a built-in one."""

import csv
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any, NamedTuple

from errbar.base.remarks import some_of
from errbar.data.columns import plain_name
from errbar.data.readers.documents import parse
from errbar.errors import InputError, UnknownColumn, WrongType

INPUT_TOKENS = frozenset(
    map(plain_name, ("input_tokens", "prompt_tokens", "n_input_tokens", "tokens_in"))
)
OUTPUT_TOKENS = frozenset(
    map(plain_name, ("output_tokens", "completion_tokens", "n_output_tokens", "tokens_out"))
)
_MILLION = 1e6


class Price(NamedTuple):
    """The price of a million tokens that a model reads, and that it writes."""

    input: float
    output: float

    def of(self, read: Any, written: Any) -> Any:
        """The price of tokens."""
        return (self.input * read + self.output * written) / _MILLION


def read_prices(table: Any) -> dict[str, Price]:
    """Prices by model: from a CSV or JSON file, or from pairs of numbers by model.

    Examples
    --------
    >>> read_prices({"small": (0.25, 2.0)})
    {'small': Price(input=0.25, output=2.0)}
    """
    if isinstance(table, Mapping):
        rows = [{"model": m, "input": p[0], "output": p[1]} for m, p in table.items()]
        return _prices(rows, "the price table")
    if not isinstance(table, str | Path):
        raise WrongType(f"prices must be a file, or pairs of numbers by model; got {table!r:.80}.")
    path = Path(table)
    try:
        text = path.read_text(encoding="utf-8-sig")
    except OSError as error:
        raise InputError(f"{path}: the price table cannot be read: {error.strerror}.") from error
    try:
        found = parse(text) if text.lstrip()[:1] in "[{" else csv.DictReader(text.splitlines())
    except ValueError as error:
        raise InputError(f"{path}: the price table is no JSON: {error}.") from error
    if isinstance(found, Mapping):
        found = [{"model": name, **prices} for name, prices in found.items()]
    return _prices(found, str(path))


def _prices(rows: Iterable[Mapping[str, Any]], where: str) -> dict[str, Price]:
    found: dict[str, Price] = {}
    for row in rows:
        try:
            model, price = str(row["model"]), Price(float(row["input"]), float(row["output"]))
        except (KeyError, TypeError, ValueError) as error:
            raise InputError(
                f"{where}: a price has a model, and numbers called input and output, for a "
                f"million tokens; got {dict(row)!r:.80}."
            ) from error
        if min(price) < 0.0 or model in found:
            reason = "is negative" if min(price) < 0.0 else "stands there twice"
            raise InputError(f"{where}: the price of {model!r} {reason}.")
        found[model] = price
    if not found:
        raise InputError(f"{where}: there is no price in it.")
    return found


def price_of(system: str, prices: Mapping[str, Price]) -> Price:
    """The price of a system, by its name or by what follows the last slash in it."""
    found = prices.get(system) or prices.get(system.rpartition("/")[2])
    if found is None:
        known = some_of(map(repr, prices), 8)
        raise UnknownColumn(f"there is no price of {system!r}; the table has: {known}.")
    return found
