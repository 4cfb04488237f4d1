"""The study as Markdown."""

import math
from collections.abc import Iterable, Sequence
from statistics import median

from benchmarks.compare.study import Agreed, Ceiling, Null, Seen

LOW, HIGH = 0.03, 0.06  # what a test of 5 % may show
_WORDS = {"same": "same rates", "own": "own rates"}

Row = Null | Seen | Agreed


def text(rows: Sequence[Row], ceiling: Sequence[Ceiling], replicates: int, speed: str) -> str:
    """The text of the whole report."""
    nulls = [row for row in rows if isinstance(row, Null)]
    powers = [row for row in rows if isinstance(row, Seen)]
    agreed = [row for row in rows if isinstance(row, Agreed)]
    error = 100 * math.sqrt(0.05 * 0.95 / replicates)
    parts = [
        "# Comparisons: the study\n",
        f"`scripts/bench compare` makes this page. {replicates:,} data sets a cell; the standard "
        f"error of a share of 5 % is {error:.1f} points. Shares are in per cent.\n",
        "## No difference: how often one is found\n",
        *_levels(nulls),
        "\n## A difference: how often it is found\n",
        *_power(powers, nulls),
        "\n## One trial per question: the same decision as McNemar's tests\n",
        *_mcnemar(agreed),
        "\n## Near the ceiling, one system better on most questions and much worse on a few\n",
        *_ceiling(ceiling),
        "\n## Time\n",
        f"{speed}.",
        f"\n## Cells outside of {_percent(LOW)} to {_percent(HIGH)} %\n",
        *_outside(nulls),
    ]
    return "\n".join(parts) + "\n"


def _levels(nulls: Sequence[Null]) -> list[str]:
    body = []
    for questions, trials in _sizes(nulls):
        some = [row for row in nulls if row.cell[:2] == (questions, trials)]
        ours, peers = [row.ours for row in some], [row.t_test for row in some]
        body.append(
            [
                *(questions, trials, len(some)),
                *map(_percent, (min(ours), median(ours), max(ours), max(peers))),
                *(sum(share < LOW for share in ours), sum(share > HIGH for share in ours)),
                sum(share > HIGH for share in peers),
            ]
        )
    heads = ("M", "N", "cells", "least", "median", "most", "t-test most", "below 3", "above 6")
    below = [row for row in nulls if row.ours < LOW]
    above = [row for row in nulls if row.ours > HIGH]
    return [
        *_table((*heads, "t-test above 6"), body),
        "",
        f"{len(nulls)} cells; {len(below)} below {_percent(LOW)}, with {_range(below)} questions "
        f"that differ; {len(above)} above {_percent(HIGH)}, with {_range(above)}.",
    ]


def _range(rows: Sequence[Null]) -> str:
    if not rows:
        return "none"
    differ = [row.differ for row in rows]
    return f"{min(differ):.1f} to {max(differ):.1f} (median {median(differ):.1f})"


def _power(powers: Sequence[Seen], nulls: Sequence[Null]) -> list[str]:
    worst = {
        (row.cell, row.metric): max(
            each.t_test for each in nulls if (each.cell, each.metric) == (row.cell, row.metric)
        )
        for row in powers
    }
    body = []
    for questions, trials in _sizes(powers):
        some = [row for row in powers if row.cell[:2] == (questions, trials)]
        fair = [row for row in some if worst[row.cell, row.metric] <= HIGH]
        gaps = [row.ours - row.t_test for row in fair] or [math.nan]
        covered = [row.covered for row in some]
        body.append(
            [
                *(questions, trials, len(fair)),
                *map(_percent, (median(row.ours for row in some), min(gaps), max(gaps))),
                *map(_percent, (min(covered), median(covered), max(row.wrong for row in some))),
            ]
        )
    short = [row for row in powers if row.covered < 0.93]
    heads = (
        "M|N|cells|power, median|less t-test, least|most|interval holds, least|median|"
        "wrong way, most"
    )
    lines = _table(heads.split("|"), body)
    if short:
        lines += ["", "Intervals that hold in fewer than 93 %:", ""]
        lines += _table(
            ["M", "N", "difficulty", "metric", "true difference", "holds", "probable"],
            [
                [*row.cell, row.metric, f"{row.difference:.4f}", *_both(row.covered, row.probable)]
                for row in sorted(short, key=lambda row: row.covered)
            ],
        )
    return lines


def _mcnemar(agreed: Sequence[Agreed]) -> list[str]:
    body = []
    for questions in dict.fromkeys(row.cell.questions for row in agreed):
        for kind in dict.fromkeys(row.kind for row in agreed):
            some = [
                row.shares for row in agreed if (row.cell.questions, row.kind) == (questions, kind)
            ]
            body.append(
                [
                    *(questions, _WORDS.get(kind, kind)),
                    *(
                        _percent(sum(each[name] for each in some) / len(some))
                        for name in ("chi-square", "mid-p", "exact")
                    ),
                ]
            )
    return _table(["M", "systems", "chi-square", "mid-p", "exact"], body)


def _ceiling(rows: Sequence[Ceiling]) -> list[str]:
    heads = "metric|noise|errbar|t-test|sign flips|unpaired|errbar, probably|questions that differ"
    return _table(
        heads.split("|"),
        [
            [row.metric, f"{row.noise:g}", *map(_percent, row[2:7]), f"{row.differ:.1f}"]
            for row in rows
        ],
    )


def _outside(nulls: Sequence[Null]) -> list[str]:
    some = [row for row in nulls if not LOW <= row.ours <= HIGH]
    heads = (
        "M|N|difficulty|metric|systems|errbar|again|t-test|questions that differ|errbar, probably"
    )
    return [
        f"Where errbar erred in more than {_percent(HIGH)} %, `again` is its share in ten times as "
        f"many other data sets.",
        "",
        *_outside_table(some, heads.split("|")),
    ]


def _outside_table(some: Sequence[Null], heads: Sequence[str]) -> list[str]:
    return _table(
        heads,
        [
            [
                *row.cell,
                row.metric,
                _WORDS[row.kind],
                *_both(row.ours, row.again, row.t_test),
                f"{row.differ:.1f}",
                _percent(row.probable),
            ]
            for row in sorted(some, key=lambda row: -row.ours)
        ],
    )


def _sizes(rows: Iterable[Null | Seen]) -> list[tuple[int, int]]:
    return list(dict.fromkeys((row.cell.questions, row.cell.trials) for row in rows))


def _both(*shares: float) -> list[str]:
    return [_percent(share) for share in shares]


def _percent(share: float) -> str:
    return "" if math.isnan(share) else f"{100 * share:.1f}"


def _table(heads: Sequence[str], rows: Iterable[Sequence[object]]) -> list[str]:
    words = {"difficulty", "metric", "systems"}
    rule = ["---" if head in words else "--:" for head in heads]
    return [f"| {' | '.join(map(str, row))} |" for row in (heads, rule, *rows)]
