"""A query on a DuckDB connection, built one step at a time as SQL text.

DuckDB plans its own relations anew after every step, which takes about a millisecond: longer than
a small table takes to read. A query is planned when its rows are fetched, and when its columns are
asked for and do not follow from the steps.
"""

from collections.abc import Mapping
from functools import cached_property
from typing import Any

Schema = Mapping[str, str]  # types by column name


class Query:
    """A query with the methods of DuckDB's relations; its columns may be those of another."""

    def __init__(
        self, engine: Any, text: str, schema: Schema | None = None, *, like: "Query | None" = None
    ) -> None:
        self.engine = engine
        self.text = text
        self._known = schema
        self._like = like
        self._totals: dict[str, Any] = {}

    @cached_property
    def relation(self) -> Any:
        """The query as a relation of DuckDB."""
        return self.engine.sql(self.text)

    @cached_property
    def schema(self) -> Schema:
        """Types of the columns by name."""
        if self._known is not None:
            return self._known
        if self._like is not None:
            return self._like.schema
        found = self.relation
        return dict(zip(found.columns, map(str, found.types), strict=True))

    @property
    def columns(self) -> list[str]:
        """Names of the columns."""
        return list(self.schema)

    def fetchall(self) -> list[tuple[Any, ...]]:
        """Run the query."""
        rows: list[tuple[Any, ...]] = self.engine.execute(self.text).fetchall()
        return rows

    def totals(self, *aggregates: str) -> tuple[Any, ...]:
        """Aggregates of all rows, each of which is computed once.

        To ask early for several that are needed later takes a single scan of the rows.
        """
        unknown = [each for each in dict.fromkeys(aggregates) if each not in self._totals]
        if unknown:
            (found,) = self.aggregate(", ".join(unknown)).fetchall()
            self._totals.update(zip(unknown, found, strict=True))
        return tuple(self._totals[each] for each in aggregates)

    def project(self, selected: str) -> "Query":
        """Rows with other columns."""
        return Query(self.engine, f"SELECT {selected} FROM ({self.text})")

    def filter(self, condition: str) -> "Query":
        """Rows for which a condition holds."""
        return self._same_columns(f"SELECT * FROM ({self.text}) WHERE {condition}")

    def distinct(self) -> "Query":
        """Every row once."""
        return self._same_columns(f"SELECT DISTINCT * FROM ({self.text})")

    def order(self, keys: str) -> "Query":
        """Rows in another order."""
        return self._same_columns(f"SELECT * FROM ({self.text}) ORDER BY {keys}")

    def limit(self, most: int) -> "Query":
        """The first rows."""
        return self._same_columns(f"SELECT * FROM ({self.text}) LIMIT {most}")

    def union(self, other: "Query") -> "Query":
        """The rows of both, which have the same columns."""
        return self._same_columns(f"({self.text}) UNION ALL ({other.text})")

    def aggregate(self, selected: str, groups: str = "") -> "Query":
        """A row for every group, or for all rows."""
        return Query(
            self.engine, f"SELECT {selected} FROM ({self.text}) GROUP BY {groups or 'ALL'}"
        )

    def query(self, name: str, text: str) -> "Query":
        """Another query, in which these rows have a name."""
        rest = f", {text.removeprefix('WITH ')}" if text.startswith("WITH ") else f" {text}"
        return Query(self.engine, f"WITH {name} AS ({self.text}){rest}")

    def _same_columns(self, text: str) -> "Query":
        return Query(self.engine, text, like=self)
