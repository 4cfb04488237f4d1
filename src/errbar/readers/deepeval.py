"""Test runs of deepeval: `test_run_<time>.json`, or the latest run in its hidden folder.

Cases of one name are trials of one question; cases that deepeval numbered itself (`test_case_0`,
`test_case_1` …) are told apart by their input. A case is right if it passed all its metrics. The
name of a metric as the scorer takes its success alone, `name/score` the number.
"""

import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from errbar.data.origin import Claim
from errbar.errors import InputError
from errbar.readers.base import (
    Choice,
    Glance,
    Log,
    Reader,
    claim_means_over_rows,
    pick,
    picked_remark,
)
from errbar.readers.documents import (
    list_in,
    number_or_none,
    object_in,
    object_of,
    require_list,
    require_object,
    text_or_none,
)

_SUCCESS = "success"
_CASES = ("testCases", "conversationalTestCases")
_NUMBERED = re.compile(r"(?:conversational_)?test_case_\d+")
_LATEST = "testRunData"


def _recognise(glance: Glance) -> str:
    if glance.shape not in ("object", "lines"):
        return ""
    if glance.has("testCases") and {"metricsScores", "testPassed", "testFile"} & glance.keys:
        return "a JSON document with testCases and what came of them"
    if glance.has(_LATEST):
        return f"a JSON document with {_LATEST}"
    return ""


def _read(files: Sequence[Path], choice: Choice) -> Log:
    log = Log()
    runs = [(path, _run(path)) for path in files]
    held = [(path, run, _cases(path, run)) for path, run in runs]
    metrics = [one for *_, cases in held for case in cases for one in _metrics(case)]
    scorers = list(dict.fromkeys([_SUCCESS, *metrics, *(f"{one}/score" for one in metrics)]))
    scorer = pick(choice.scorer, scorers, "metric", str(files[0]))
    log.remarks += picked_remark(scorer, scorers, "the score", "scorer")
    trials: Counter[tuple[str, str, str]] = Counter()
    claims: dict[tuple[str, str], list[Claim]] = {}
    for path, run, cases in held:
        whose = (_system(run), str(run.get("datasetAlias") or run.get("testFile") or ""))
        for case in cases:
            key = (*whose, _question(case, str(path)))
            _add(log, case, key, scorer, trials[key])
            trials[key] += 1
        if whose in claims:
            log.remarks.append(f"{path}: its cases are further trials of the run before.")
        claims[whose] = [] if whose in claims else list(_claims(run, *whose, scorer))
    claim_means_over_rows(log, [claim for of_one in claims.values() for claim in of_one])
    numbered = sum(bool(_NUMBERED.fullmatch(_name(case))) for *_, cases in held for case in cases)
    if numbered:
        log.remarks.append(
            f"{numbered} cases have no name of their own; those with the same input are trials of "
            f"one question."
        )
    return log


def _run(path: Path) -> dict[str, Any]:
    told = object_of(path)
    return require_object(told[_LATEST], f"{path}, {_LATEST}") if _LATEST in told else told


def _cases(path: Path, run: Mapping[str, Any]) -> list[dict[str, Any]]:
    """Cases of both kinds."""
    found = []
    for kind in _CASES:
        of_kind = require_list(run.get(kind) or [], f"{path}, {kind}")
        found += [require_object(one, f"{path}, {kind}[{at}]") for at, one in enumerate(of_kind)]
    return found


def _system(run: Mapping[str, Any]) -> str:
    model = object_in(run, "hyperparameters").get("model")
    return str(model or run.get("identifier") or "")


def _name(case: Mapping[str, Any]) -> str:
    return str(case.get("name") or "")


def _question(case: Mapping[str, Any], where: str) -> str:
    name = _name(case)
    asked = text_or_none(case.get("input") or case.get("scenario") or case.get("turns"))
    if not name and not asked:
        raise InputError(f"{where}: a case has neither a name nor an input.")
    return asked if asked and (not name or _NUMBERED.fullmatch(name)) else name


def _metrics(case: Mapping[str, Any]) -> dict[str, dict[str, Any]]:
    """What each metric says of a case."""
    held = list_in(case, "metricsData")
    return {str(one.get("name")): one for one in held if isinstance(one, dict)}


def _add(
    log: Log, case: Mapping[str, Any], key: tuple[str, str, str], scorer: str, at: int
) -> None:
    metrics = _metrics(case)
    name = scorer if scorer in metrics else scorer.removesuffix("/score")
    told = metrics.get(name, {})
    seen = list(metrics.values()) if scorer == _SUCCESS else [told]
    value = (
        case.get(_SUCCESS)
        if scorer == _SUCCESS
        else told.get(_SUCCESS if scorer == name else "score")
    )
    outcome = number_or_none(value)
    failed = any(one.get("error") for one in seen)
    log.add(
        system=key[0],
        task=key[1],
        question=key[2],
        trial=at,
        outcome=outcome,
        status="error" if failed else "unscored" if outcome is None else "ok",
        answer=text_or_none(case.get("actualOutput")),
        target=text_or_none(case.get("expectedOutput")),
        cost=number_or_none(case.get("evaluationCost")),
    )


def _claims(run: Mapping[str, Any], system: str, task: str, scorer: str) -> Iterator[Claim]:
    """The share of cases that passed, with errors as failures; a metric's own leaves them out."""
    passed, failed = (number_or_none(run.get(key)) for key in ("testPassed", "testFailed"))
    if scorer == _SUCCESS and passed is not None and failed is not None and passed + failed > 0:
        yield Claim("share of tests passed", passed / (passed + failed), "avg", system, task)
    for one in list_in(run, "metricsScores"):
        if isinstance(one, dict) and one.get("metric") == scorer:
            passes, fails = (number_or_none(one.get(key)) or 0.0 for key in ("passes", "fails"))
            if passes + fails > 0:
                share = passes / (passes + fails)
                yield Claim(f"share passed of {scorer}", share, "avg", system, task, "missing")


READER = Reader("deepeval", _recognise, _read)
