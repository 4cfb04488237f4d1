"""Reviews of EvalScope: `reviews/<model>/<data set>_<subset>.jsonl`, a line for each sample.

    {"index": 0, "target": ["4"], "messages": […], "sample_score": {
        "sample_id": 0, "group_id": 0, "generation_index": 0,
        "score": {"value": {"acc": 1.0}, "status": "success", "extracted_prediction": "4",
                  "main_score_name": "acc", …}}}

    {"model": "m", "index": 0, "reviewed": true, "choices": [
        {"index": 0, "message": {…}, "review": {"gold": "4", "pred": "4", "result": 1.0}}]}

The first is of version 1 (up to 1.14), where repeats of a sample share its `group_id`; the second
is of versions before, where every choice is a trial. A score is absent if the judge failed,
and EvalScope leaves such a sample out of the mean. `reports/<model>/<data set>.json` states the
means; the predictions have no scores.
"""

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

from errbar.base.remarks import about, guess, warning
from errbar.data.readers.base import Glance, Reader
from errbar.data.readers.choices import Choice
from errbar.data.readers.documents import (
    is_whole,
    lines,
    list_in,
    name_of,
    number_or_none,
    object_in,
    object_of,
    require_object,
    text_or_none,
)
from errbar.data.readers.log_names import FILES_ARE, runs_apart
from errbar.data.readers.logs import Claim, Log, pick, picked_remark
from errbar.data.readers.tables.naming import systems_of
from errbar.data.readers.tables.repeat_numbers import repeats_of
from errbar.errors import InputError

_OLD = "result"  # the only score before version 1
_REPORT = ("name", "dataset_name", "model_name", "metrics")
_FOLDERS = ("reviews", "reports", "predictions")


class _ReviewTrial(NamedTuple):
    question: str
    at: int | None  # index among the repeats, if stated
    scores: Mapping[str, Any]
    status: str
    main: str
    answer: str | None
    target: str | None


class _Review(NamedTuple):
    """A file of reviews."""

    path: Path
    system: str
    task: str
    scorer: str


def _recognise(glance: Glance) -> str:
    if glance.has("index", "sample_score"):
        return "lines with index and sample_score"
    if glance.has("index", "choices", "reviewed"):
        return "lines with index, choices and reviewed"
    if glance.has("index", "model_output", "messages"):
        return "predictions with index, model_output and messages"
    if glance.shape == "object" and glance.has(*_REPORT):
        return f"a JSON document with {', '.join(_REPORT)}"
    return ""


def _read(files: Sequence[Path], choice: Choice) -> Log:
    log = Log()
    reviews, reports = [], []
    for file in files:
        glance = Glance(file)
        if glance.has("index", "model_output") and not glance.has("sample_score"):
            log.skip(file, "predictions, whose scores are in the reviews")
        elif glance.has(*_REPORT):
            reports.append(file)
        else:
            reviews.append(file)
    if not reviews:
        raise InputError(
            f"{files[0]}: reports of EvalScope have only totals and predictions have no scores; "
            f"an error bar needs every sample. Load the folder reviews/ of the run."
        )
    named = _systems(reviews, choice, log)
    subjects = {file: (named[file], _task(file)) for file in reviews}
    systems = runs_apart(subjects, choice.files)
    runs: dict[tuple[str, str], list[_Review]] = {}
    starts: Counter[tuple[str, str]] = Counter()
    names: dict[str, None] = {}
    for file in reviews:
        subject = systems[file], _task(file)
        trials = [trial for at, row in lines(file) for trial in _trials(row, f"{file}, line {at}")]
        log.read(file, len(trials))
        found = _scores_in(trials)
        names |= found
        if choice.scorer is not None and found and choice.scorer not in found:
            log.leave_out(file, f"of a data set without the score {choice.scorer!r}", len(trials))
            continue
        scorer = _scorer(list(found), choice, file, log)
        runs.setdefault(subject, []).append(_Review(file, *subject, scorer))
        if starts[subject]:
            text = f"{file.name}: read as further trials of {subject[0]}"
            log.remarks.append(guess(text, option="--files systems", argument="files='systems'"))
        starts[subject] = _add(log, subject, trials, scorer, starts[subject])
    if names:
        pick(choice.scorer, list(names), "score", str(reviews[0]))
    for report in reports:
        log.read(report, 0)
    alone = [same[0] for same in runs.values() if len(same) == 1]
    log.claim_means_over_rows([claim for file in reports for claim in _claims(file, alone)])
    return log


def _task(file: Path) -> str:
    return file.name.removesuffix(".gz").removesuffix(".jsonl")


def _systems(files: Sequence[Path], choice: Choice, log: Log) -> dict[Path, str]:
    """Systems are the folders, which are named after the models; else the files."""
    places = {file: file.resolve().parent for file in files}
    if all(place.parent.name in _FOLDERS for place in places.values()):
        return {file: place.name for file, place in places.items()}
    folders = list(dict.fromkeys(places.values()))
    if len(folders) == 1:
        return dict.fromkeys(files, folders[0].name)
    log.remarks.append(
        guess(
            "Systems: named after the folders of the files",
            option="--files trials",
            argument="files='trials'",
        )
    )
    found = systems_of(folders)
    names = dict(
        zip(folders, repeats_of(found) if choice.files == "trials" else found, strict=True)
    )
    return {file: names[place] for file, place in places.items()}


def _trials(row: Mapping[str, Any], where: str) -> Iterator[_ReviewTrial]:
    target = row.get("target")
    target = target[0] if isinstance(target, list) and target else target
    if "sample_score" not in row:
        question = name_of(row.get("index"), f"{where}, index")
        for choice in list_in(row, "choices"):
            review = object_in(require_object(choice, f"{where}, choices"), "review")
            result = review.get("result")
            scores = result if isinstance(result, dict) else {_OLD: result}
            answer, gold = text_or_none(review.get("pred")), text_or_none(review.get("gold"))
            yield _ReviewTrial(question, None, scores, "", "", answer, gold)
        return
    sample_score = require_object(row["sample_score"], f"{where}, sample_score")
    score = object_in(sample_score, "score")
    ids = (sample_score.get("group_id"), sample_score.get("sample_id"), row.get("index"))
    question = name_of(next((id_ for id_ in ids if id_ is not None), None), f"{where}, group_id")
    at = sample_score.get("generation_index")
    yield _ReviewTrial(
        question,
        at if is_whole(at) else None,
        object_in(score, "value"),
        str(score.get("status") or ""),
        str(score.get("main_score_name") or ""),
        text_or_none(score.get("extracted_prediction")),
        text_or_none(target),
    )


def _scores_in(trials: Sequence[_ReviewTrial]) -> dict[str, None]:
    """Names of the scores, the main one first, which is the first unless stated."""
    found = dict.fromkeys(trial.main for trial in trials if trial.main in trial.scores)
    return found | dict.fromkeys(name for trial in trials for name in trial.scores)


def _scorer(found: Sequence[str], choice: Choice, file: Path, log: Log) -> str:
    """The chosen score, or the main one."""
    if not found:
        return choice.scorer or ""
    scorer = pick(choice.scorer, found, "score", str(file))
    log.remarks += [
        about(file.name, text) for text in picked_remark(scorer, found, "score", "scorer")
    ]
    return scorer


def _add(
    log: Log, subject: tuple[str, str], trials: Sequence[_ReviewTrial], scorer: str, start: int
) -> int:
    """Add a row per trial; returns the first trial number of the next run."""
    seen: Counter[str] = Counter()
    stated = all(trial.at is not None for trial in trials)
    unscored: Counter[str] = Counter()
    for trial in trials:
        outcome = number_or_none(trial.scores.get(scorer))
        place = trial.at if stated and trial.at is not None else seen[trial.question]
        seen[trial.question] += 1
        if outcome is None:
            unscored[trial.status or "no score"] += 1
        log.add(
            system=subject[0],
            task=subject[1],
            question=trial.question,
            trial=start + place,
            outcome=outcome,
            status="unscored" if outcome is None else "ok",
            answer=trial.answer,
            target=trial.target,
        )
    if unscored:
        reasons = ", ".join(f"{reason} {n}" for reason, n in unscored.items())
        log.remarks.append(
            warning(
                f"{subject[0]} · {subject[1]}: {unscored.total()} samples have no "
                f"{scorer or 'score'} ({reasons}), and are left out of the mean, as EvalScope does."
            )
        )
    places = (trial.at for trial in trials) if stated else (n - 1 for n in seen.values())
    return start + max((at for at in places if at is not None), default=-1) + 1


def _claims(file: Path, reviews: Sequence[_Review]) -> Iterator[Claim]:
    """Means and sizes of subsets stated in a report, for the score that was read.

    A report is of the reviews in the folder of its run, or else of the only ones of its model.
    """
    report = object_of(file)
    model, data_set = str(report.get("model_name")), str(report.get("dataset_name"))
    run = _run_of(file)
    of_model = [review for review in reviews if review.path.resolve().parent.name == model]
    near = [review for review in of_model if _run_of(review.path) == run] or of_model
    for metric in list_in(report, "metrics"):
        if not isinstance(metric, dict):
            continue
        identity = object_in(metric, "identity")
        plain = not identity or (identity.get("aggregation") == "mean" and not _has_axes(identity))
        name = str(identity.get("name") or metric.get("name"))
        categories = [
            category for category in list_in(metric, "categories") if isinstance(category, dict)
        ]
        for subset in (subset for part in categories for subset in list_in(part, "subsets")):
            totals = require_object(subset, f"{file}, subsets")
            task, mean = f"{data_set}_{totals.get('name')}", number_or_none(totals.get("score"))
            mine = [review for review in near if review.task == task]
            if len(mine) != 1 or not plain:
                continue
            _, system, _, scorer = mine[0]
            if mean is not None and scorer and name in (scorer, f"mean_{scorer}"):
                yield Claim(name, mean, "avg", system, task, "missing", 4)
                number = number_or_none(totals.get("num"))
                if number is not None:
                    yield Claim(f"num of {name}", number, "graded rows", system, task)


def _run_of(file: Path) -> Path:
    """Folder of the run of a review or report."""
    return file.resolve().parent.parent.parent


def _has_axes(identity: Mapping[str, Any]) -> bool:
    """Whether a mean covers only some samples, for example those of a level."""
    return bool(object_in(identity, "dimensions"))


READER = Reader(
    "evalscope",
    ("lines", "object"),
    _recognise,
    _read,
    beside=("task_config*.yaml", "eval_log.log"),
    files=FILES_ARE,
    keys=("index", "dataset_name"),
)
