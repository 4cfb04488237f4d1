"""What every result can do: print as a table, show in a notebook, turn into any DataFrame."""

import importlib
from abc import ABC, abstractmethod
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, Self, TypeVar, overload

from errbar.errors import InputError
from errbar.remarks import above, below
from errbar.tables import Table, html_table

if TYPE_CHECKING:
    from errbar.pictures.picture import Picture


R = TypeVar("R")


class Result(ABC):
    """Rows with notes under them."""

    __slots__ = ()

    @abstractmethod
    def to_dicts(self) -> list[dict[str, Any]]:
        """A flat record per row, for a DataFrame or JSON."""

    @abstractmethod
    def columns(self) -> list[list[str]]:
        """Each column from its head down; one that is empty all the way is left out."""

    @abstractmethod
    def notes(self) -> list[str]:
        """What is said of the rows; guesses and warnings stand above them, the rest below."""

    def breaks(self) -> set[int]:
        """The rows that begin a new group."""
        return set()

    def parts(self) -> list[Table]:
        """What is shown of them: one table."""
        notes = self.notes()
        return [Table(self.columns(), below(notes), self.breaks(), above(notes))]

    def to_pandas(self) -> Any:
        """A pandas DataFrame of the records."""
        return _library("pandas").DataFrame(self.to_dicts())

    def to_polars(self) -> Any:
        """A polars DataFrame of the records."""
        return _library("polars").DataFrame(self.to_dicts())

    def to_arrow(self) -> Any:
        """A pyarrow Table of the records."""
        return _library("pyarrow").Table.from_pylist(self.to_dicts())

    def plot(self) -> "Picture":
        """A picture of them; see "Pictures" in the documentation."""
        from errbar.pictures import plot  # noqa: PLC0415  an extra

        return plot(self)

    def __str__(self) -> str:
        return str(self.parts()[0])

    def __repr__(self) -> str:
        return str(self)

    def _repr_html_(self) -> str:
        notes = self.notes()
        return html_table(self.columns(), below(notes), above(notes))


@dataclass(frozen=True, slots=True, repr=False)
class Rows(Sequence[R], Result):
    """A result that is a list of its rows."""

    rows: tuple[R, ...]

    def __len__(self) -> int:
        return len(self.rows)

    def __iter__(self) -> Iterator[R]:
        return iter(self.rows)

    @overload
    def __getitem__(self, at: int) -> R: ...
    @overload
    def __getitem__(self, at: slice) -> Self: ...
    def __getitem__(self, at: int | slice) -> R | Self:
        return replace(self, rows=self.rows[at]) if isinstance(at, slice) else self.rows[at]


def _library(name: str) -> Any:
    try:
        return importlib.import_module(name)
    except ImportError as error:
        raise InputError(f"{name} is not installed: pip install {name}.") from error
