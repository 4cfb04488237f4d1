"""Logs of harnesses → outcomes, beside a plain loop of `json.loads` or the harness's own reader.

    scripts/bench readers                everything, at full size: a log of 300 MB, 4,000 samples
    scripts/bench readers lm_eval        one part only
    scripts/bench readers sizes          every reader at two sizes, time and memory per row
    scripts/bench readers --quick        a small log, to see that it runs
    scripts/bench readers --dir /big     the logs go there, and stay

The sides run in turn, and the best of each counts. CPU time is stated beside: on a busy machine it
is the steadier, though it hides that all cores read.
"""

import argparse
import json
import math
import random
import tempfile
import time
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any, NamedTuple

from benchmarks import reader_sizes
from benchmarks.inspect_ai_log import compare_inspect_ai
from errbar.data.readers.base import Reader
from errbar.data.readers.choices import Choice
from errbar.data.readers.lm_eval import READER as LM_EVAL

Columns = dict[str, list[Any]]


class Sizes(NamedTuple):
    """How much work there is."""

    bytes: int = 300_000_000
    samples: int = 4000
    turns: int = 5


QUICK = Sizes(3_000_000, 200, 1)


def lm_eval(sizes: Sizes, directory: Path) -> None:
    """Samples of multiple choice and of generation; the goal is 1.5 times as fast."""
    for kind, sample in (("choice", _multiple_choice), ("words", _generation)):
        path = directory / f"samples_{kind}_2026-01-01T00-00-00.jsonl"
        _write_lines(path, sizes.bytes, sample)
        compare(
            f"lm_eval, {kind}, {path.stat().st_size / 1e6:.0f} MB",
            partial(_read, LM_EVAL, path),
            partial(_plain_lm_eval, path, kind),
            sizes.turns,
        )


def _read(reader: Reader, path: Path) -> Columns:
    return reader.read([path], Choice()).columns


def _write_lines(path: Path, size: int, sample: Callable[[random.Random, int], Any]) -> None:
    """Lines until the file has its size; a file that is there already stays."""
    if path.exists():
        return
    rng, written, at = random.Random(7), 0, 0
    with path.open("w", encoding="utf-8") as file:
        while written < size:
            written += file.write(json.dumps(sample(rng, at), ensure_ascii=False) + "\n")
            at += 1


WORDS = ("the", "answer", "is", "that", "of", "a", "question", "—", "naïvely", "nobody", "asked")


def _text(rng: random.Random, words: int) -> str:
    return " ".join(rng.choices(WORDS, k=words))


def _multiple_choice(rng: random.Random, at: int) -> dict[str, Any]:
    """A question with four choices after five examples, as MMLU has them."""
    likelihoods = [-rng.expovariate(0.3) for _ in range(4)]
    best, gold = likelihoods.index(max(likelihoods)), rng.randrange(4)
    prompt = _text(rng, 200)
    pairs = [[str(likelihood), "False"] for likelihood in likelihoods]
    return {
        "doc_id": at,
        "doc": {"question": _text(rng, 40), "choices": [_text(rng, 5) for _ in range(4)]},
        "target": str(gold),
        "arguments": {f"gen_args_{i}": {"arg_0": prompt, "arg_1": f" {i}"} for i in range(4)},
        "resps": [[pair] for pair in pairs],
        "filtered_resps": pairs,
        "filter": "none",
        "metrics": ["acc", "acc_norm"],
        "doc_hash": f"{rng.getrandbits(256):064x}",
        "prompt_hash": f"{rng.getrandbits(256):064x}",
        "target_hash": f"{rng.getrandbits(256):064x}",
        "acc": float(best == gold),
        "acc_norm": float(best == gold),
    }


def _generation(rng: random.Random, at: int) -> dict[str, Any]:
    """A question answered in words, of which the filter takes a number, as GSM8K has them."""
    answer = rng.randrange(100)
    return {
        "doc_id": at,
        "doc": {"question": _text(rng, 40), "answer": _text(rng, 80)},
        "target": _text(rng, 80),
        "arguments": {"gen_args_0": {"arg_0": _text(rng, 600), "arg_1": {"until": ["Question:"]}}},
        "resps": [[_text(rng, 80)]],
        "filtered_resps": [str(answer)],
        "filter": "strict-match",
        "metrics": ["exact_match"],
        "doc_hash": f"{rng.getrandbits(256):064x}",
        "prompt_hash": f"{rng.getrandbits(256):064x}",
        "target_hash": f"{rng.getrandbits(256):064x}",
        "exact_match": float(answer < 60),
    }


def _plain_lm_eval(path: Path, kind: str) -> Columns:
    """The columns of the reader, by a loop over the lines."""
    names = ("system", "task", "question", "trial", "outcome", "status", "target", "answer")
    columns: Columns = {name: [] for name in names}
    confidences = columns["confidence"] = []
    metric = "acc" if kind == "choice" else "exact_match"
    with path.open("rb") as file:
        for line in file:
            record = json.loads(line)
            if kind == "choice":
                likelihoods = [float(pair[0]) for pair in record["filtered_resps"]]
                most = max(likelihoods)
                answer = str(likelihoods.index(most))
                confidences.append(1 / sum([math.exp(each - most) for each in likelihoods]))
            else:
                answer = record["filtered_resps"][0]
            row = (
                *(path.parent.name, kind, str(record["doc_id"]), 1, record[metric]),
                *("ok", record["target"], answer),
            )
            for name, value in zip(names, row, strict=True):
                columns[name].append(value)
    return {name: column for name, column in columns.items() if column}


def compare(
    name: str, ours: Callable[[], Columns], plain: Callable[[], Columns], turns: int
) -> None:
    """Print the best time of both sides, run in turn, and their ratio."""
    best: dict[str, list[float]] = {}
    for _ in range(turns):
        found = {}
        for side, work in (("errbar", ours), ("json.loads", plain)):
            start, cpu = time.perf_counter(), time.process_time()
            found[side] = work()
            taken = [time.perf_counter() - start, time.process_time() - cpu]
            best[side] = [min(pair) for pair in zip(best.get(side, taken), taken, strict=True)]
        _require_same(found["errbar"], found["json.loads"])
    (mine, my_cpu), (theirs, their_cpu) = best["errbar"], best["json.loads"]
    print(
        f"{name}: errbar {mine:.2f} s (CPU {my_cpu:.2f} s), json.loads {theirs:.2f} s (CPU "
        f"{their_cpu:.2f} s): {theirs / mine:.2f} times as fast (CPU {their_cpu / my_cpu:.2f})"
    )


def _require_same(mine: Columns, other: Columns) -> None:
    """Refuse a comparison of different work."""
    if mine.keys() != other.keys():
        raise SystemExit(f"columns differ: {sorted(mine)} and {sorted(other)}")
    for name, column in mine.items():
        if name == "confidence":
            same = all(math.isclose(a, b) for a, b in zip(column, other[name], strict=True))
        else:
            same = column == other[name]
        if not same:
            raise SystemExit(f"the column {name!r} differs")


def inspect_ai(sizes: Sizes, directory: Path) -> None:
    """An archive of samples with messages; the goal is 10 times as fast as its own full read."""
    compare_inspect_ai(sizes.samples, directory)


PARTS = {"lm_eval": lm_eval, "inspect_ai": inspect_ai}
SIZES = "sizes"


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawTextHelpFormatter
    )
    parser.add_argument(
        "parts",
        nargs="*",
        help=f"of {', '.join(PARTS)}, {SIZES}; all but the last if none is named",
    )
    parser.add_argument("--quick", action="store_true", help="a small log, one turn")
    parser.add_argument("--dir", type=Path, help="where the logs go, and stay")
    parser.add_argument("--only", action="append", default=[], help="one reader, for sizes")
    parser.add_argument("--million", action="store_true", help="a million rows too, for sizes")
    parser.add_argument("--words", type=int, default=reader_sizes.WORDS, help="in a text of sizes")
    parser.add_argument(
        "--files", type=int, default=reader_sizes.FILES, help="small ones, in sizes"
    )
    given = parser.parse_args()
    known = [*PARTS, SIZES]
    unknown = [part for part in given.parts if part not in known]
    if unknown:
        parser.error(f"there is no part {unknown[0]!r}; there are: {', '.join(known)}")
    if SIZES in given.parts:
        sizes_of = reader_sizes.SIZES[:1] if given.quick else reader_sizes.SIZES
        more = (reader_sizes.MILLION,) if given.million else ()
        files = 1000 if given.quick else given.files
        reader_sizes.measure([*sizes_of, *more], given.only, given.words, files)
        given.parts.remove(SIZES)
        if not given.parts:
            return
    sizes = QUICK if given.quick else Sizes()
    with tempfile.TemporaryDirectory() as temporary:
        directory = given.dir or Path(temporary)
        directory.mkdir(parents=True, exist_ok=True)
        for part in given.parts or PARTS:
            PARTS[part](sizes, directory)


if __name__ == "__main__":
    main()
