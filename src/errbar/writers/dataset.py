"""Write a folder for the Hugging Face Hub: outcomes as Parquet, a card, and results.

`data/outcomes.parquet` has a row per trial with errbar's column names, and is what the viewer of
the Hub shows. `every_eval_ever/` has the scores with their intervals, in that schema. `README.md`
is the card: its front matter names the data files, its text has the table of scores.
"""

import json
from dataclasses import dataclass
from pathlib import Path

from errbar import __version__
from errbar.base.files import atomic_directory
from errbar.base.markup import inert_markdown
from errbar.base.remarks import counted
from errbar.runs import Runs
from errbar.writers import write_outcomes
from errbar.writers.every_eval_ever import WrittenRecords, write_every_eval_ever

_DATA = "data/outcomes.parquet"
_RESULTS = "every_eval_ever"
# The categories of the Hub, by the number of rows below which they end.
_SIZES = {1_000: "n<1K", 10_000: "1K<n<10K", 100_000: "10K<n<100K", 1_000_000: "100K<n<1M"}


@dataclass(frozen=True, slots=True)
class WrittenDataset:
    """The number of rows, and what was written in the form of Every Eval Ever."""

    rows: int
    results: WrittenRecords

    def __str__(self) -> str:
        return f"{counted(self.rows, 'row')}; {self.results}"


def write_dataset(
    runs: Runs, directory: str | Path, *, title: str = "", retrieved: int | None = None
) -> WrittenDataset:
    """Write outcomes, card and results to a folder; all files are written, or none.

    Parameters
    ----------
    title
        The title of the card; by default the name of the directory.
    runs, directory, retrieved
        As in `write_every_eval_ever`.
    """
    name = title or Path(directory).resolve().name
    with atomic_directory(directory) as place:
        results = write_every_eval_ever(runs, place / _RESULTS, retrieved=retrieved)
        (place / _DATA).parent.mkdir()
        rows = write_outcomes(runs, place / _DATA, name)
        card = _card(runs, name, rows)
        (place / "README.md").write_text(card, encoding="utf-8")
    return WrittenDataset(rows, results)


def _card(runs: Runs, title: str, rows: int) -> str:
    scores = runs.score("avg")
    size = next((size for most, size in _SIZES.items() if rows < most), "1M<n")
    data_files = [{"split": "test", "path": _DATA}]
    matter = {
        "pretty_name": title,
        "tags": ["evaluation", "errbar"],
        "size_categories": [size],
        "configs": [{"config_name": "default", "data_files": data_files}],
    }
    front = "\n".join(f"{key}: {json.dumps(value)}" for key, value in matter.items())
    return f"""---
{front}
---

# {inert_markdown(title)}

Outcomes of evaluations: a row per trial of a question by a system.

{scores.to_markdown()}

## Files

- `{_DATA}`: the outcomes, {counted(rows, "row")}. The columns are those of errbar: `system`,
  `task`, `question`, `trial`, `outcome`, `status` and others, where the data have them.
- `{_RESULTS}/`: the scores with their intervals, and a record per trial, in the form of
  Every Eval Ever.

Scores, comparisons and plots of these data: `errbar score {_DATA} -m pass@1`.
Written by errbar {__version__}.
"""
