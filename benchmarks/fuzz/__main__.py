"""Change logs and arguments at random, and count what errbar makes of them.

    scripts/bench fuzz                            100 mutants of each source
    scripts/bench fuzz --mutants 1000000          so many in all
    scripts/bench fuzz --only harbor errbar.load  of some sources
    scripts/bench fuzz --table                    what was found so far, for docs/promises.md

Every reader's fixtures, some tables and every public function are sources. Mutants are made in
units of 200, each from a seed of its own; what a unit found is a line of `.cache/fuzz/units.jsonl`,
so that a run that was ended goes on where it was. A mutant that takes longer than `--limit` seconds
hangs: its process is killed. Exit code 1 if anything was found that must not be.
"""

import argparse
import json
import sys
import tempfile
from collections import Counter
from pathlib import Path
from typing import Any

from benchmarks.fuzz import functions, logs
from benchmarks.fuzz.logs import KINDS
from benchmarks.fuzz.processes import KEPT, Process, Unit

UNIT = 200
FAULTS = ("unnamed", "foreign", "lost", "hang")


def run(units: list[Unit], limit: float) -> None:
    """Try the mutants of the units that are not in the store yet."""
    done = {line["unit"] for line in stored()}
    process = Process(limit)
    for at, unit in enumerate(unit for unit in units if unit.key not in done):
        outcomes = process.outcomes(unit)
        faults = [(k, outcome) for k, outcome in enumerate(outcomes) if outcome.kind in FAULTS]
        line = {
            "unit": unit.key,
            "source": unit.source,
            "kinds": Counter(outcome.kind for outcome in outcomes),
            "faults": [[k, outcome.kind, outcome.detail] for k, outcome in faults],
        }
        KEPT.mkdir(parents=True, exist_ok=True)
        with (KEPT / "units.jsonl").open("a", encoding="utf-8") as store:
            print(json.dumps(line), file=store)
        for k, outcome in faults:
            detail = outcome.detail.encode(errors="backslashreplace").decode()
            print(f"{unit.key} mutant {k}: {outcome.kind}: {detail}", flush=True)
        if at % 50 == 49:
            print(f"{at + 1} units", file=sys.stderr, flush=True)


def stored() -> list[dict[str, Any]]:
    """What earlier runs found, by unit."""
    store = KEPT / "units.jsonl"
    return [json.loads(line) for line in store.read_text().splitlines()] if store.exists() else []


def table() -> str:
    """What was found, by source, as a table in Markdown."""
    total: dict[str, Counter[str]] = {}
    for line in stored():
        total.setdefault(line["source"], Counter()).update(line["kinds"])
    rows = [f"| source | mutants | {' | '.join(KINDS)} |", f"|---|{'---:|' * (len(KINDS) + 1)}"]
    total["all"] = sum(total.values(), Counter())
    for source, kinds in total.items():
        shown = [f"{number:,}" for number in (kinds.total(), *(kinds[kind] for kind in KINDS))]
        rows.append(f"| {source} | {' | '.join(shown)} |")
    return "\n".join(rows)


def main() -> int:
    """Run, and say what was found."""
    parser = argparse.ArgumentParser(prog="scripts/bench fuzz", description=__doc__.split("\n")[0])
    parser.add_argument("--mutants", type=int, help="mutants of all sources together")
    parser.add_argument("--only", nargs="*", help="sources")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--limit", type=float, default=20, help="seconds for a mutant")
    parser.add_argument("--table", action="store_true", help="only print what was found so far")
    asked = parser.parse_args()
    if not asked.table:
        with tempfile.TemporaryDirectory() as temporary:
            names = asked.only or [*logs.sources(Path(temporary)), *functions.functions()]
        each = -(-(asked.mutants or 100 * len(names)) // len(names))
        units = [
            Unit(name, index, asked.seed, min(UNIT, each - UNIT * index))
            for index in range(-(-each // UNIT))
            for name in names
        ]
        run(units, asked.limit)
    print(table())
    return int(any(line["faults"] for line in stored()))


if __name__ == "__main__":
    sys.exit(main())
