"""Runs that may decline items: what is read, what is counted, and what the command says."""

import json
from copy import deepcopy
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner

from errbar.analysis.methods.bootstrap import Bootstrap
from errbar.cli import main
from errbar.data.readers.item_runs import read_item_runs
from errbar.errors import InputError
from errbar.selective import ItemPrediction, compute_aurc, compute_risk_at_coverage, estimate
from errbar.selective.report import report

NAMES = ["Sleep", "Appetite", "Mood", "Focus"]


def participant(number: int, **changes: Any) -> dict[str, Any]:
    """A participant whose scores, truths and evidence follow from the number."""
    truth = {name: (number + at) % 4 for at, name in enumerate(NAMES)}
    return {
        "participant_id": 300 + number,
        "success": True,
        "predicted_items": {
            name: None if (number + at) % 5 == 0 else (true + (number * at) % 3) % 4
            for at, (name, true) in enumerate(truth.items())
        },
        "ground_truth_items": truth,
        "evidence_counts": {name: (number * 3 + at) % 6 for at, name in enumerate(NAMES)},
        **changes,
    }


def experiment(rows: list[dict[str, Any]], **more: Any) -> dict[str, Any]:
    return {"results": {"results": rows}, **more}


def write(path: Path, *experiments: dict[str, Any]) -> Path:
    path.write_text(json.dumps({"experiments": list(experiments)}), encoding="utf-8")
    return path


PEOPLE = [participant(number) for number in range(24)]


@pytest.fixture
def run(tmp_path: Path) -> Path:
    failed = participant(30, success=False)
    return write(tmp_path / "run.json", experiment([*PEOPLE, failed]))


def documented_items() -> list[ItemPrediction]:
    """The documented way to a list of items, written out."""
    return [
        ItemPrediction(row["predicted_items"][name], truth, row["evidence_counts"][name])
        for row in PEOPLE
        for name, truth in row["ground_truth_items"].items()
    ]


def test_a_run_holds_every_item_of_every_participant_that_succeeded(run: Path) -> None:
    (read,) = read_item_runs(run)
    assert read.name == "run"
    assert (len(read.items), read.participants, read.failed) == (96, 24, 1)
    assert [
        ItemPrediction(item.score, item.truth, confidence)
        for item, confidence in zip(read.items, read.confidences(), strict=True)
    ] == documented_items()
    clusters = read.predictions().clusters
    assert clusters is not None
    assert len(set(clusters.tolist())) == 24


def test_the_run_of_the_documented_example_gives_its_numbers(tmp_path: Path) -> None:
    row = {
        "participant_id": 300,
        "success": True,
        "predicted_items": {"NoInterest": 2, "Depressed": None, "Sleep": 1},
        "ground_truth_items": {"NoInterest": 2, "Depressed": 1, "Sleep": 2},
        "evidence_counts": {"NoInterest": 3, "Depressed": 0, "Sleep": 1},
    }
    (read,) = read_item_runs(write(tmp_path / "output.json", experiment([row])))
    items = [
        ItemPrediction(item.score, item.truth, confidence)
        for item, confidence in zip(read.items, read.confidences(), strict=True)
    ]
    assert compute_aurc(items) == pytest.approx((1 / 3) * (0 + 0.5) / 2)
    assert compute_risk_at_coverage(items, 0.5) == 0.5


def test_items_without_truth_and_without_evidence_are_counted(tmp_path: Path) -> None:
    row = participant(1)
    row["ground_truth_items"]["Sleep"] = None
    row["predicted_items"]["Extra"] = 2
    del row["evidence_counts"]["Mood"]
    del row["predicted_items"]["Focus"]
    (read,) = read_item_runs(write(tmp_path / "run.json", experiment([row])))
    assert read.without_truth == 2
    assert read.without_signal == 1
    assert [item.item for item in read.items] == ["Appetite", "Mood", "Focus"]
    assert read.items[1].confidence == 0
    assert read.items[2].score is None
    assert "2 items without a truth left out" in read.size()


def test_success_need_not_be_said(tmp_path: Path) -> None:
    row = participant(1)
    del row["success"]
    assert read_item_runs(write(tmp_path / "run.json", experiment([row])))[0].participants == 1


def test_experiments_are_named_by_themselves_or_by_the_file(tmp_path: Path) -> None:
    named = write(
        tmp_path / "a.json",
        experiment(PEOPLE, name="zero-shot"),
        experiment(PEOPLE),
        experiment(PEOPLE),
    )
    assert [run.name for run in read_item_runs(named)] == ["zero-shot", "a 2", "a 3"]
    same = write(tmp_path / "b.json", *[experiment(PEOPLE, name="few-shot")] * 2)
    assert [run.name for run in read_item_runs(same)] == ["few-shot 1", "few-shot 2"]
    inside = {"results": {"mode": "few_shot", "results": PEOPLE}}
    assert read_item_runs(write(tmp_path / "c.json", inside))[0].name == "few_shot"


def test_without_evidence_counts_the_run_is_read_and_nothing_is_ranked(tmp_path: Path) -> None:
    rows = deepcopy(PEOPLE)
    for row in rows:
        del row["evidence_counts"]
    path = write(tmp_path / "old.json", experiment(rows))
    (read,) = read_item_runs(path)
    assert len(read.items) == 96
    with pytest.raises(InputError, match=r"evidence_counts.*cannot be ranked"):
        read.predictions()
    answer = CliRunner().invoke(main, ["selective", str(path)])
    assert answer.exit_code == 2
    assert "96 items of 24 participants" in answer.stderr
    assert "cannot be ranked" in answer.stderr


# Signals


def with_signals(number: int, **changes: Any) -> dict[str, Any]:
    """The later form of a participant: several signals of each item, some of them no numbers."""
    row = participant(number, **changes)
    counts = row.pop("evidence_counts")
    answers = row["predicted_items"]
    row["item_signals"] = {
        name: {
            "llm_evidence_count": counts[name],
            "keyword_evidence_count": (number + at) % 3,
            "evidence_source": "llm" if counts[name] else None,
            "retrieval_similarity_mean": None if at == 0 else (number * 7 + at) % 10 / 10,
            "verbalized_confidence": None if answers[name] is None else 1 + (number + at) % 5,
            "token_msp": (number * 5 + at) % 11 / 11,
            "token_pe": (number * 3 + at) % 7 / 7,
            "consistency_samples": [2, 2, 1],
            "is_sure": True,
        }
        for at, name in enumerate(NAMES)
    }
    row["available_items"] = sum(score is not None for score in answers.values())
    row["na_items"] = sum(score is None for score in answers.values())
    return row


LATER = [with_signals(number) for number in range(24)]
SIGNALS = (
    *("llm_evidence_count", "keyword_evidence_count", "verbalized_confidence", "token_msp"),
    *("token_pe", "retrieval_similarity_mean"),
)


@pytest.fixture
def later(tmp_path: Path) -> Path:
    return write(tmp_path / "later.json", experiment([*LATER, with_signals(30, success=False)]))


def by_hand(signal: str, absent: float = 0.0, sign: int = 1) -> list[ItemPrediction]:
    """The items of the later form with one signal, counted out."""
    return [
        ItemPrediction(
            row["predicted_items"][name],
            truth,
            absent
            if row["item_signals"][name][signal] is None
            else sign * row["item_signals"][name][signal],
        )
        for row in LATER
        for name, truth in row["ground_truth_items"].items()
    ]


def test_the_later_form_gives_what_the_older_gives(run: Path, later: Path) -> None:
    (older,), (newer,) = read_item_runs(run), read_item_runs(later)
    assert newer.items == older.items
    assert newer.failed == older.failed == 1
    assert set(newer.signals) == set(SIGNALS)
    assert older.signals == ("llm_evidence_count",)


@pytest.mark.parametrize(
    ("signal", "absent", "sign"),
    [
        ("llm_evidence_count", 0.0, 1),
        ("keyword_evidence_count", 0.0, 1),
        ("retrieval_similarity_mean", 0.0, 1),
        ("verbalized_confidence", 3.0, 1),
        ("token_msp", 0.0, 1),
        ("token_pe", 0.0, -1),
    ],
)
def test_a_signal_ranks_the_items(signal: str, absent: float, sign: int, later: Path) -> None:
    data = json.loads(command(later, "--signal", signal, "--format", "json"))
    (each,) = data["runs"]
    assert (each["signal"], each["lower_is_surer"]) == (signal, sign == -1)
    assert each["documented"]["aurc"] == compute_aurc(by_hand(signal, absent, sign))


def test_the_sign_of_a_signal_of_which_less_is_surer_can_be_said(later: Path) -> None:
    data = json.loads(command(later, "--signal", "-token_msp", "--format", "json"))
    assert data["runs"][0]["documented"]["aurc"] == compute_aurc(by_hand("token_msp", 0, -1))
    both = [read_item_runs(later, signal)[0].items for signal in ("token_pe", "-token_pe")]
    assert both[0] == both[1]


def test_the_older_name_of_the_usual_signal_is_known(run: Path, later: Path) -> None:
    for file in (run, later):
        assert read_item_runs(file, "evidence_counts") == read_item_runs(file)


def test_which_signal_was_taken_stands_above_the_numbers(later: Path) -> None:
    text = " ".join(command(later).split())
    said = "Confidence: llm_evidence_count (also: keyword_evidence_count"
    assert text.startswith(said)
    assert "(--signal keyword_evidence_count to change)." in text
    text = " ".join(command(later, "--signal", "token_pe").split())
    assert text.startswith("Confidence: token_pe, where lower is surer (also: llm_evidence_count")
    text = " ".join(command(later, "--signal", "retrieval_similarity_mean").split())
    assert "24 items without retrieval_similarity_mean, taken as 0." in text


def test_a_signal_that_is_not_there_is_refused_with_those_that_are(later: Path, run: Path) -> None:
    with pytest.raises(InputError, match="no signal 'entropy'; there are: ") as error:
        read_item_runs(later, "entropy")
    assert all(name in str(error.value) for name in SIGNALS)
    with pytest.raises(InputError, match=r"evidence_source must be a number or null; got \"llm\""):
        read_item_runs(later, "evidence_source")
    answer = CliRunner().invoke(main, ["selective", str(run), "--signal", "token_msp"])
    assert answer.exit_code == 2
    assert "no signal 'token_msp'; there are: llm_evidence_count." in answer.stderr


def test_without_the_usual_signal_the_others_are_named(tmp_path: Path) -> None:
    rows = deepcopy(LATER)
    for row in rows:
        for signals in row["item_signals"].values():
            del signals["llm_evidence_count"]
    path = write(tmp_path / "run.json", experiment(rows))
    answer = CliRunner().invoke(main, ["selective", str(path)])
    assert answer.exit_code == 2
    assert "cannot be ranked. There are: keyword_evidence_count, " in answer.stderr
    assert "for example --signal keyword_evidence_count." in answer.stderr


def test_an_answer_without_a_signal_that_nothing_stands_for_is_not_ranked(tmp_path: Path) -> None:
    rows = deepcopy(LATER)
    rows[1]["item_signals"]["Mood"]["token_msp"] = None
    assert rows[1]["predicted_items"]["Mood"] is not None
    path = write(tmp_path / "run.json", experiment(rows))
    (read,) = read_item_runs(path, "token_msp")
    with pytest.raises(InputError, match=r"1 of 77 answered items have no token_msp .* as Mood"):
        read.predictions()
    rows[1]["predicted_items"]["Mood"] = None  # what is declined needs no confidence
    (read,) = read_item_runs(write(path, experiment(rows)), "token_msp")
    assert read.predictions().coverage < 1


@pytest.mark.parametrize(
    ("signals", "told"),
    [
        (3, "item_signals must be an object"),
        ({"Sleep": [1]}, r"item_signals\['Sleep'\] must be an object; got \[1\]"),
        (
            {"Sleep": {"llm_evidence_count": "3"}},
            r"\['Sleep'\].llm_evidence_count must be a number",
        ),
        (
            {"Sleep": {"llm_evidence_count": True}},
            r"llm_evidence_count must be a number.* got true",
        ),
        ({"Sleep": {"llm_evidence_count": float("inf")}}, "llm_evidence_count must be .* Infinity"),
    ],
)
def test_a_signal_of_the_wrong_kind_is_named_with_its_place(
    signals: Any, told: str, tmp_path: Path
) -> None:
    rows = [LATER[0], with_signals(1) | {"item_signals": signals}]
    with pytest.raises(InputError, match=told) as error:
        read_item_runs(write(tmp_path / "run.json", experiment(rows)))
    assert "results[1].item_signals" in str(error.value)


def test_runs_of_files_that_are_called_the_same_are_distinguished(tmp_path: Path) -> None:
    for name in ("small", "large"):
        (tmp_path / name).mkdir()
        write(tmp_path / name / "run.json", experiment(PEOPLE, mode="few_shot"))
    found = report(
        [tmp_path / name / "run.json" for name in ("small", "large")],
        method=Bootstrap(200),
        rng=0,
    )
    assert len({run.run.name for run in found.runs}) == 2
    assert all(
        name in run.run.name for name, run in zip(("small", "large"), found.runs, strict=True)
    )


# Other shapes


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("{", "not valid JSON.*line 1"),
        ("[]", r"has no 'experiments'; found \[\]"),
        ('{"runs": 1}', "has no 'experiments'; found the keys runs"),
        ('{"experiments": {}}', "experiments must be a list"),
        ('{"experiments": []}', "empty"),
        ('{"experiments": [{}]}', r"experiments\[0\] has no 'results'"),
        ('{"experiments": [{"results": []}]}', "results must be an object"),
        ('{"experiments": [{"results": {}}]}', r"experiments\[0\].results has no 'results'"),
        ('{"experiments": [{"results": {"results": [1]}}]}', r"results\[0\] must be an object"),
        ('{"experiments": [{"results": {"results": [{}]}}]}', "no 'predicted_items'"),
    ],
)
def test_another_shape_is_named_with_its_place(tmp_path: Path, text: str, told: str) -> None:
    path = tmp_path / "run.json"
    path.write_text(text, encoding="utf-8")
    with pytest.raises(InputError, match=told) as error:
        read_item_runs(path)
    assert str(path) in str(error.value)


@pytest.mark.parametrize(
    ("changes", "told"),
    [
        ({"predicted_items": {"Sleep": "2"}}, r"predicted_items\['Sleep'\].*\"2\""),
        ({"predicted_items": {"Sleep": True}}, r"predicted_items\['Sleep'\].*true"),
        ({"ground_truth_items": {"Sleep": []}}, r"ground_truth_items\['Sleep'\]"),
        ({"evidence_counts": {"Sleep": float("nan")}}, r"evidence_counts\['Sleep'\].*NaN"),
        ({"evidence_counts": 3}, "evidence_counts must be an object"),
        ({"predicted_items": None}, "predicted_items must be an object"),
        ({"success": "yes"}, "success must be true or false"),
    ],
)
def test_a_value_of_the_wrong_kind_is_named_with_its_place(
    tmp_path: Path, changes: dict[str, Any], told: str
) -> None:
    path = write(tmp_path / "run.json", experiment([PEOPLE[0], participant(1, **changes)]))
    with pytest.raises(InputError, match=told) as error:
        read_item_runs(path)
    assert "results[1]" in str(error.value)


def test_a_participant_that_occurs_twice_is_refused(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="participant 301 occurs twice"):
        read_item_runs(write(tmp_path / "run.json", experiment([PEOPLE[1], PEOPLE[1]])))


def test_a_missing_file_and_a_binary_one_are_answered(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="No such file"):
        read_item_runs(tmp_path / "nothing.json")
    (tmp_path / "binary.json").write_bytes(b"\xff\xfe\x00")
    with pytest.raises(InputError, match="not text"):
        read_item_runs(tmp_path / "binary.json")


def command(*arguments: object) -> str:
    answer = CliRunner().invoke(main, ["selective", *map(str, arguments)])
    assert answer.exit_code == 0, answer.stderr
    return answer.stdout


def test_the_command_reports_area_risk_and_items(run: Path) -> None:
    text = command(run, "--coverage", "0.25", "--coverage", "0.5", "--coverage", "0.99")
    items = documented_items()
    assert f"{compute_aurc(items):.4f}" in text
    assert f"{compute_risk_at_coverage(items, 0.5):.4f}" in text
    assert "96 items of 24 participants" in text
    assert "1 failed participant left out" in text
    assert "out of reach" in text
    predictions = read_item_runs(run)[0].predictions()
    assert str(estimate("aurc", predictions, rng=0)).split(": ")[1][:5] in text


def test_a_risk_of_nothing_is_a_number(tmp_path: Path) -> None:
    rows = deepcopy(PEOPLE)
    for row in rows:
        row["predicted_items"] = dict(row["ground_truth_items"])
    text = command(write(tmp_path / "perfect.json", experiment(rows)))
    assert "N/A" not in text
    assert "no interval" not in text
    (area,) = (line.split() for line in text.splitlines() if line.split()[1:2] == ["aurc"])
    _, _, value, low, _, high = area
    assert float(value) == float(low) == 0.0
    assert 0.0 < float(high) < 1.0


def test_the_command_as_json_has_every_number(run: Path) -> None:
    data = json.loads(command(run, "--format", "json", "--coverage", "0.5", "--coverage", "0.99"))
    (each,) = data["runs"]
    assert each["items"] == 96
    assert each["failed_participants"] == 1
    assert [row["metric"] for row in each["estimates"]] == ["aurc", "augrc", "e-aurc", "risk@0.5"]
    assert each["out_of_reach"] == ["risk@0.99"]
    assert each["documented"]["aurc"] == compute_aurc(documented_items())
    assert each["documented"]["risk_at_coverage"]["0.99"] is None
    assert data["comparison"] is None


def test_runs_are_compared_on_the_items_they_share(tmp_path: Path) -> None:
    first = write(tmp_path / "a.json", experiment(PEOPLE))
    second = write(tmp_path / "b.json", experiment(list(reversed(PEOPLE[4:]))))
    data = json.loads(command(first, second, "--format", "json"))
    assert data["comparison"][0]["metric"] == "risk@0.5"
    assert {row["difference"] for row in data["comparison"]} == {0.0}
    assert "16 of a" in data["notes"][0]
    text = command(first, second)
    assert "; 80 items;" in " ".join(text.split())
    assert "Items are in 20 clusters." in text


def test_runs_without_a_common_item_are_not_compared(tmp_path: Path) -> None:
    first = write(tmp_path / "a.json", experiment(PEOPLE[:12]))
    second = write(tmp_path / "b.json", experiment(PEOPLE[12:]))
    assert "no item in common" in command(first, second)


def test_what_can_be_ranked_is_even_if_another_cannot(tmp_path: Path, run: Path) -> None:
    rows = deepcopy(PEOPLE)
    for row in rows:
        row["predicted_items"] = dict.fromkeys(NAMES)
    nobody = write(tmp_path / "nobody.json", experiment(rows))
    text = " ".join(command(run, nobody).split())
    assert "Not ranked" in text
    assert "none of the 96 items was answered" in text


@pytest.mark.parametrize(
    ("arguments", "told"),
    [
        (["--coverage", "0"], "coverage"),
        (["--coverage", "1.5"], "coverage"),
        (["--level", "1"], "level"),
        (["--resamples", "3"], "resamples"),
        (["--loss", "normalised"], "span"),
        (["--loss", "cubic"], "loss"),
    ],
)
def test_a_bad_option_is_named(run: Path, arguments: list[str], told: str) -> None:
    answer = CliRunner().invoke(main, ["selective", str(run), *arguments])
    assert answer.exit_code == 2
    assert told in answer.stderr
    assert "Traceback" not in answer.output


@pytest.mark.parametrize("style", ["table", "json"])
def test_the_command_draws_risks_of_runs(style: str, run: Path, tmp_path: Path) -> None:
    there = tmp_path / "risk.vl.json"
    options = ["--format", style, "--resamples", "200", "--plot", str(there)]
    said = CliRunner().invoke(main, ["selective", str(run), *options])
    assert said.exit_code == 0, said.output
    rows = json.loads(there.read_text("utf-8"))["data"]["values"]
    (read,) = read_item_runs(run)
    answered = read.predictions("absolute", None)
    assert rows[-1]["x"] == pytest.approx(answered.coverage)
    assert rows[-1]["value"] == pytest.approx(answered.loss[answered.answered].mean())


def test_a_report_is_drawn_with_what_it_says(run: Path) -> None:
    found = report([run], method=Bootstrap(200), rng=0)
    (each,) = found.runs
    rows = found.plot().spec["data"]["values"]
    assert [(row["name"], row["value"]) for row in rows] == [
        (each.run.name, estimate.value) for estimate in each.estimates
    ]
