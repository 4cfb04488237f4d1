"""Of every reader: each kind of number that a log states is compared, or listed here with a reason.

Every number and every list of names in a fixture is changed in turn, wherever it stands. errbar
must notice: refuse the log, hold another number against its own, say something else, or read
other rows. A kind of number that leaves all of this as it was is one that errbar ignores.
"""

import json
import re
import shutil
import zipfile
from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import Any, NamedTuple

import pytest

from errbar.data.readers.base import every_reader, find_readers
from errbar.data.readers.choices import Choice
from errbar.data.readers.logs import Log
from errbar.errors import InputError
from inspect_logs import members
from inspect_logs import write as write_archive
from item_run_logs import write_item_runs
from logs import FIXTURES

HELD = sorted(name for name in every_reader() if (FIXTURES / name).is_dir())
MADE: Mapping[str, Callable[[Path], None]] = {"item_runs": write_item_runs}
OWN = ("reported.json", "reference.json")
CHOOSE = re.compile(
    r"\(also: ([^;)]*)(?:; choose with (?:--)?|\) \()(\w+)(?:=?\)|='[^']*' to change\))"
)
HEADER = "header.json"  # of an archive of inspect_ai
MOST, IN_ALL = 2, 10  # places at which a kind of number is changed, in a file and in a fixture

# What stands in logs and is neither a score nor a number of rows, questions or trials.
NO_CLAIM = {
    r"time|date|[dD]uration|latency|(^|_)ms$|Ms$|start$|end$|created_at": "times",
    r"token|cost|usage|truncated|padded|logprob": "tokens and money",
    r"seed|version|port$|limit|max_|temperature|few_?shot|generation_|kwargs|args|sampling|n-shot"
    r"|bootstrap|config|page$": "settings of a run",
    r"stderr|_std$|stdev|variance|stddev|sum_squared": "spread, which errbar estimates otherwise",
    r"span|event_id|sequence|turn|message_count|order$|index$|idx$|Idx$|_id$|choices|options|tags"
    r"|groups|stop|warnings|until|names$|metadata$|level$": "structure of records",
    r"code|output_list|pred$|raw$|sampled|vars|possible_answer|fail_tests|resps|doc\.gold": "texts",
    r"threshold": "settings of a scorer",
}


class Changed(NamedTuple):
    """A kind of number, and the file and the change in it."""

    kind: str
    file: Path
    document: str  # member of an archive
    path: tuple[Any, ...]


# Kinds by reader that errbar does not hold against its own numbers, and why.
_WHOLE = "over parts of the benchmark, each of which is compared; errbar scores tasks one by one"
_OWN = "derived from one question's trials, which are read"
NOT_COMPARED: Mapping[str, Mapping[str, str]] = {
    "bigcodebench": {"gt_pass_rate": "of the reference solutions, not of the system"},
    "braintrust": {
        "improvements|regressions": "against another experiment, which need not be there"
    },
    "browsergym": {"n_steps|cum_raw_reward": "of the steps, and the reward before it was changed"},
    "osworld": {"reward|step_num": "of a step of the trajectory, which is not read"},
    "deepeval": {
        r"scores\.\*$": "copies of the scores of the test cases, which are read",
        "errors": "of a metric; rows without its score are counted as they are read",
    },
    "evalscope": {r"^metrics\.\*\.(num|score)|categories\.\*\.(num|score)": _WHOLE},
    "harbor": {"style": "means of several rewards in one job that is not configured to average"},
    "helm": {
        "min$|max$|count$|mean$|sum$": "of an instance, which is read, or of another metric",
        "^adapter_spec|num_train_instances": "settings of a run",
    },
    "inspect_ai": {
        "sample_ids": "ids of the data set; the number of samples is compared",
        "unscored_samples": "the rest of the samples, whose number is compared",
        "^reductions": "means over the epochs of one sample, which are read",
        "scores.grade.value": "copies of scores in samples whose summaries are read",
        "^second_success": "a listing of logs for the viewer, beside the logs themselves",
    },
    "langsmith": {
        r"(runs\.\*|^\*)\.feedback_stats|values\.polite": "number of feedbacks of a single run",
        "evaluation_results": "copies of the feedback of a run, which is read",
    },
    "lighteval": {r"^results\.all": _WHOLE},
    "livecodebench": {"detail": _OWN},
    "lm_eval": {
        "original": "size of the data set before --limit; `effective` is compared",
        "sample_len": "the same number as `effective`, which is compared",
    },
    "matharena": {"manual_overwrite": "marks a grade that a person changed; the grade is read"},
    "openai_evals": {"counts/": "how often each choice was made, not how often it is right"},
    "opencompass": {r"^details\.": _OWN},
    "promptfoo": {
        "assert": "assertions; a test may have several",
        r"metrics\.score": "sum of weighted assertions over tests that ended in an error, too",
        "failureReason": "a code; a result with an error has its text",
        "gradingResult": "copies of the scores of a result, which are read",
    },
    "qwen_math": {"num_scores": "number of scored samples of a run, some of which timed out"},
    "tau2_bench": {"simulation_index": "an index of the simulations, which are read"},
    "terminal_bench": {"n_attempts": "planned trials per task; what ran is counted"},
}


def kinds_in(value: Any, path: tuple[Any, ...] = ()) -> Iterator[tuple[Any, ...]]:
    """Paths to numbers and to lists of names or numbers."""
    if isinstance(value, dict):
        for key, held in value.items():
            yield from kinds_in(held, (*path, key))
    elif isinstance(value, list):
        if len(value) > 1 and all(isinstance(each, str | int) for each in value):
            yield path
        for at, held in enumerate(value):
            yield from kinds_in(held, (*path, at))
    elif isinstance(value, int | float) and not isinstance(value, bool):
        yield path


def kind_of(path: tuple[Any, ...], documents: Any) -> str:
    """A path without places in lists, and with the names of statistics."""
    parts, value = [], documents[path[0]]
    for part in path[1:]:
        value = value[part]
        name = value.get("name") if isinstance(value, dict) else None
        known = name.get("name") if isinstance(name, dict) else "*"
        parts.append(str(known) if isinstance(part, int) else str(part))
    return ".".join(parts)


def documents_in(file: Path) -> dict[str, list[Any]]:
    """JSON of a file by the member that it is in; the empty name if it is no archive."""
    if file.suffix in (".parquet", ".csv"):
        return {}
    if zipfile.is_zipfile(file):
        held = members(file)
        return {HEADER: [json.loads(held[HEADER])]} if HEADER in held else {}
    raw = file.read_bytes()
    try:
        return {"": [json.loads(raw)]}
    except json.JSONDecodeError:
        pass
    try:
        return {"": [json.loads(line) for line in raw.splitlines() if line.strip()]}
    except json.JSONDecodeError:
        return {}  # text


def write(file: Path, member: str, documents: list[Any]) -> None:
    if member:
        write_archive(file, members(file) | {member: json.dumps(documents[0]).encode()})
    else:
        file.write_text("\n".join(map(json.dumps, documents)) + "\n", encoding="utf-8")


def changes_in(place: Path) -> Iterator[Changed]:
    """Up to a few places of every kind of number in every file."""
    for file in sorted(path for path in place.rglob("*") if path.is_file()):
        for member, documents in documents_in(file).items():
            often: dict[str, int] = {}
            for path in kinds_in(documents):
                kind = kind_of(path, documents)
                often[kind] = often.get(kind, 0) + 1
                if often[kind] <= MOST:
                    yield Changed(kind, file, member, path)


def views_of(name: str, place: Path, file: Path, known: dict["View", Any]) -> Iterator["View"]:
    """The file alone, and the folders around it: a claim of a run is not one of several runs.

    A file that is a log by itself is read in its own folder only; one that is not, in all above it.
    """
    alone = View(file, Choice())
    yield alone
    folder = file.parent
    while folder != place.parent:
        yield View(folder, Choice())
        if known.setdefault(alone, state_of(name, alone)) is not None:
            break
        folder = folder.parent


class View(NamedTuple):
    """Some files of a fixture, read with a choice of scores."""

    path: Path
    choice: Choice


def state_of(name: str, view: View) -> tuple[Any, ...] | None:
    """What is read, stated and said; None if it is refused."""
    path = view.path
    files = [path] if path.is_file() else sorted(each for each in path.rglob("*") if each.is_file())
    try:
        found = [each for each in find_readers(files, name).found if each.reader.name == name]
        log = found[0].reader.read(found[0].files, view.choice) if found else None
    except InputError:
        return None
    return None if log is None else seen(log)


def seen(log: Log) -> tuple[Any, ...]:
    return (repr(log.columns), list(map(repr, log.claims)), list(log.remarks))


def choices_in(state: tuple[Any, ...]) -> Iterator[Choice]:
    """Other scores that can be chosen, as the remarks say."""
    for remark in state[2]:
        for others, option in CHOOSE.findall(remark):
            for other in others.split(", "):
                yield Choice(**{option: other})


def is_noticed(name: str, place: Path, change: Changed, known: dict[View, Any]) -> bool:
    """Whether any view of the file differs once the number is another."""
    raw = change.file.read_bytes()
    views: dict[View, None] = {}
    for usual in views_of(name, place, change.file, known):
        if usual not in known:
            known[usual] = state_of(name, usual)
        more = (View(usual.path, choice) for choice in choices_in(known[usual] or ((), (), ())))
        views |= dict.fromkeys([usual, *more])
    for view in views:
        if view not in known:
            known[view] = state_of(name, view)
    documents = documents_in(change.file)[change.document]
    holder = documents
    for part in change.path[:-1]:
        holder = holder[part]
    value = holder[change.path[-1]]
    step = 1 if isinstance(value, int) else 0.125
    holder[change.path[-1]] = value[:-1] if isinstance(value, list) else value + step
    write(change.file, change.document, documents)
    try:
        return any(
            known[view] is not None and state_of(name, view) != known[view] for view in views
        )
    finally:
        change.file.write_bytes(raw)


def ignored_kinds(name: str, place: Path) -> set[str]:
    """Kinds of numbers that can be changed without a trace."""
    noticed: set[str] = set()
    tried: Counter[str] = Counter()
    known: dict[View, Any] = {}
    for change in changes_in(place):
        kind = change.kind
        tried[kind] += 1
        is_open = kind not in noticed and tried[kind] <= IN_ALL and not _is_no_claim(kind)
        if is_open and is_noticed(name, place, change, known):
            noticed.add(kind)
    return tried.keys() - noticed


@pytest.mark.parametrize("name", [*HELD, *MADE])
def test_every_number_that_a_log_states_is_compared_or_listed(name: str, tmp_path: Path) -> None:
    place = tmp_path / name
    if name in MADE:
        MADE[name](place)
    else:
        shutil.copytree(FIXTURES / name, place, ignore=shutil.ignore_patterns(*OWN))
    ignored = {kind for kind in ignored_kinds(name, place) if not _is_no_claim(kind)}
    listed = NOT_COMPARED.get(name, {})
    unexplained = {kind for kind in ignored if not any(re.search(each, kind) for each in listed)}
    assert unexplained == set()
    stale = {each for each in listed if not any(re.search(each, kind) for kind in ignored)}
    assert stale == set()


def test_no_reader_is_left_out() -> None:
    # what holds only totals is refused whole, so nothing of it can be compared
    assert {*every_reader()} - {*HELD, *MADE} == {"totals"}


def _is_no_claim(kind: str) -> bool:
    return any(re.search(each, kind) for each in NO_CLAIM)
