"""Spark gives the answers of every other engine, as a classic session and through Connect.

All of it is one test, so that one worker starts one Java machine; classic and Connect share it.
"""

import json
import os
import shutil
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

import errbar
from conformance_cases import CASES, ask, differences, expected
from conformance_engines import Table, arrow
from conformance_ranked import RANKED
from conformance_ranked import ask as rank
from documented import PAGES, blocks, commands, example_data, require_named, run
from errbar.data.engines import spark
from errbar.errors import InputError

PAGE = next(page for page in PAGES if page.name == "a-million-questions-on-spark.md")

# A case costs Spark about four seconds of processor time. What these ask, others ask too: the same
# sums at other numbers, the same rule for a column of another kind.
_ASKED_OF_OTHERS = {
    *("rewards", "equal sums", "many trials", "many trials, one twice", "numbered twice"),
    *("repeats kept", "gaps in trials", "trials of text", "no task", "traps of CSV"),
    *("seeds from 348598", "seeds from 348598, one thrice"),
    *("seeds from 3000000001", "seeds from 3000000001, one thrice"),
    *("clusters of text, trials without a number", "clusters of whole", "clusters of truth"),
    *("weights of whole", "weights of number", "weights of text"),
    *("two clusters, trials without a number", "half in a cluster"),
    *("half in a cluster, trials without a number", "trials half known", "named twice"),
    *("no system", "columns named like SQL", "unknown status"),
}

# Connect sends the same plans to the same engine: what is sent is what there is to go wrong. Names
# of columns are quoted by each; keys of other kinds are sent through one of the two.
_OVER_THE_WIRE = {"columns with dots", "kinds of slices"}
_ONLY_OVER_THE_WIRE = {"kinds of slices"}
# Few clusters are ranked row by row, many confidences as sums: in groups of clusters and in bins.
_RANKED = {"classic": (RANKED[0], ["rows"]), "connect": (RANKED[1], ["groups", "bins"])}

# pyspark 4.3 warns of pandas 3 when it is imported, and nothing here goes through pandas.
pytestmark = [
    pytest.mark.filterwarnings("ignore:PySpark does not yet fully support pandas:FutureWarning"),
    pytest.mark.usefixtures("short_chains"),
]


@pytest.fixture(scope="session")
def sessions(tmp_path_factory: pytest.TempPathFactory) -> Iterator[dict[str, Any]]:
    _require_java()
    from pyspark.sql import SparkSession  # noqa: PLC0415  costs a second
    from pyspark.sql.connect.session import SparkSession as Remote  # noqa: PLC0415

    place = tmp_path_factory.mktemp("spark")
    java_options = f"-XX:TieredStopAtLevel=1 -XX:+UseSerialGC -Djava.io.tmpdir={place}"
    settings: dict[str, bool | float | int | str | None] = {
        "spark.connect.grpc.binding.address": "127.0.0.1",
        "spark.connect.grpc.binding.port": "0",  # whichever is free by then
        "spark.driver.bindAddress": "127.0.0.1",
        "spark.driver.extraJavaOptions": java_options,
        "spark.driver.host": "127.0.0.1",
        "spark.local.dir": str(place / "local"),
        "spark.plugins": "org.apache.spark.sql.connect.SparkConnectPlugin",
        "spark.sql.adaptive.enabled": "false",  # as planned, in fewer jobs
        "spark.sql.codegen.factoryMode": "NO_CODEGEN",  # compiling costs more than these tables
        "spark.sql.codegen.wholeStage": "false",
        "spark.sql.shuffle.partitions": "2",
        "spark.sql.warehouse.dir": str(place / "warehouse"),
        "spark.ui.enabled": "false",
        "spark.ui.showConsoleProgress": "false",
    }
    classic = SparkSession.builder.master("local[2]").config(map=settings).getOrCreate()
    classic.sparkContext.setLogLevel("OFF")
    java: Any = classic.sparkContext._jvm
    service = getattr(java, "org.apache.spark.sql.connect.service.SparkConnectService$")
    port = getattr(service, "MODULE$").localPort()
    remote = Remote.builder.remote(f"sc://127.0.0.1:{port}").getOrCreate()
    yield {"classic": classic, "connect": remote}
    remote.stop()
    gateway: Any = classic.sparkContext._gateway
    classic.stop()
    gateway.shutdown()
    gateway.proc.stdin.close()
    gateway.proc.wait(timeout=60)


def test_spark_gives_what_plain_counting_gives(
    sessions: dict[str, Any],
    subtests: pytest.Subtests,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    names = {case.name for case in CASES} - _ASKED_OF_OTHERS
    for case in (case.briefly() for case in CASES if case.name in names):
        counted, words = expected(case), ask(case, arrow(case.table))
        for seed, (kind, session) in enumerate(sessions.items()):
            others = _ONLY_OVER_THE_WIRE if kind == "classic" else names - _OVER_THE_WIRE
            if case.name in others:
                continue
            with subtests.test(f"{kind}: {case.name}"):
                answers = ask(case, _held(session, case.table.shuffled(seed)))
                assert differences(answers, counted) == {}
                assert answers == words
    for kind, (ranked, ways) in _RANKED.items():
        with subtests.test(f"{kind}, ranked: {ranked.name}"):
            words = rank(ranked, arrow(ranked.table), ways)
            assert rank(ranked, _held(sessions[kind], ranked.table.shuffled(0)), ways) == words
    with subtests.test("what is not checked is said"):
        table = _held(sessions["classic"], CASES[0].table)
        notes = errbar.load(table).inspect().notes()
        assert any(note.startswith("The table is in Spark: columns are") for note in notes)
    with subtests.test("statuses are translated, and unknown ones left out, as in other tables"):
        _statuses_as_elsewhere(sessions, tmp_path)
    with subtests.test("the page of the documentation"):
        _page_runs(sessions, tmp_path, monkeypatch)
        assert "8 questions x 8 trials" in capsys.readouterr().out  # of the nightly run alone


def test_selected_and_skipped_cases_exist() -> None:
    assert {case.name for case in CASES} >= _OVER_THE_WIRE | _ASKED_OF_OTHERS
    assert not _OVER_THE_WIRE & _ASKED_OF_OTHERS


def _page_runs(sessions: dict[str, Any], place: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Its commands on the sessions that are here, its code on a table that has its columns."""
    example_data(place)
    monkeypatch.setattr(
        spark, "spark_session", lambda _, remote: sessions["connect" if remote else "classic"]
    )
    printed = []
    for command in (
        command for block in blocks(PAGE) if block.language == "sh" for command in commands(block)
    ):
        if command.words[0] == "errbar":
            words = [word.replace("/data/", f"{place}/") for word in command.words]
            printed.append(run(command._replace(words=words), place))
        else:
            require_named(command)
    assert ["pass@8" in text for text in printed] == [True, False]
    assert all("new" in text and "pass@1" in text for text in printed)
    session = sessions["classic"]
    rows = [(f"q{at}", at % 3 > 0, name) for at in range(8) for name in ["nightly"] * 8 + ["other"]]
    columns = "problem_id string, passed boolean, run string"
    session.createDataFrame(rows, columns).createOrReplaceTempView("outcomes")
    (code,) = (block.text for block in blocks(PAGE) if block.is_code)
    exec(code, {"spark": session})


def _held(session: Any, table: Table) -> Any:
    if table.rows:
        return session.createDataFrame(arrow(table))
    kinds = {"text": "string", "whole": "bigint"}
    return session.createDataFrame([], ", ".join(f"{n} {kinds[k]}" for n, k in table.kinds.items()))


def _statuses_as_elsewhere(sessions: dict[str, Any], place: Path) -> None:
    """A DataFrame and a file on Spark, beside the same rows in memory."""
    words = ["OK", "Timed Out", "odd", None, "odd", "ok"]
    rows = [
        {"question": f"q{at}", "outcome": None if word == "Timed Out" else at % 2, "status": word}
        for at, word in enumerate(words)
    ]
    file = place / "statuses.jsonl"
    file.write_text("".join(f"{json.dumps(row)}\n" for row in rows))
    frame = sessions["classic"].createDataFrame(rows, "question string, outcome int, status string")
    said = "'status' has words that are no known status: 'odd' (2)"
    for data, spark_session in ((rows, None), (frame, None), (file, sessions["classic"])):
        (score,) = errbar.load(data, spark=spark_session).score("avg", errors="missing")
        assert (score.value, score.trials) == (2 / 5, 5)
        assert any(
            said in note for note in errbar.load(data, spark=spark_session).inspect().notes()
        )
    lost = [*rows, {"question": "q6", "outcome": None, "status": "odd"}]
    for data in (lost, sessions["classic"].createDataFrame(lost, frame.schema)):
        with pytest.raises(InputError, match="status 'odd' is not known"):
            errbar.load(data).score("avg")


def _require_java() -> None:
    home = os.environ.get("JAVA_HOME")
    if shutil.which("java") or (home and (Path(home) / "bin" / "java").exists()):
        return
    why = "Spark runs on Java; there is no java on PATH nor in JAVA_HOME"
    if os.environ.get("CI"):
        pytest.fail(why)
    pytest.skip(why)
