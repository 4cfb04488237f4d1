"""A few mutants of every source: errbar reads them or refuses them, and loses nothing unsaid."""

import random
from pathlib import Path

import pytest
from benchmarks.fuzz import functions, logs

import errbar

MUTANTS = 10
FUNCTIONS = functions.functions()


@pytest.mark.parametrize("name", sorted(FUNCTIONS))
@pytest.mark.filterwarnings("ignore")
def test_functions_return_or_refuse(name: str) -> None:
    cases = functions.cases(name, FUNCTIONS[name], random.Random(name), MUTANTS)
    found = [case() for case in cases]
    assert [each for each in found if each.kind not in ("read", "refused")] == []
    assert found[0].kind == "read", found[0]  # the call that the others are changed from


def test_changed_logs_are_read_or_refused(tmp_path: Path) -> None:
    for name, source in logs.sources(tmp_path).items():
        rng = random.Random(name)
        for case in logs.cases(source, tmp_path / "copy", rng, MUTANTS, tmp_path / "kept"):
            found = case()
            assert found.kind in ("read", "refused"), (name, found)


def test_faults_are_found(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    source = logs.tables(tmp_path)["rows.jsonl"]
    whole = errbar.load(source)
    monkeypatch.setattr(errbar, "load", lambda _: whole)
    before = logs.Rows(held=25, kept=25)

    def found(before: logs.Rows | None) -> logs.Outcome:
        return logs.outcome(source, lambda: logs.read_log(source, before, whole=False))

    assert found(before).kind == "lost"
    (source / "another.csv").write_text("question,outcome\na,1\n")
    assert "another.csv is in no account" in found(None).detail
    monkeypatch.setattr(errbar, "load", lambda path: path.no_such_method())
    assert found(None).kind == "foreign"
