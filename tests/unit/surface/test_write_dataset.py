"""A folder for the Hugging Face Hub: outcomes, card and results, read back by errbar."""

from pathlib import Path

import pytest
from click.testing import CliRunner

import errbar
from errbar import demo
from errbar.cli import main
from errbar.errors import InputError
from errbar.writers.dataset import write_dataset

LOG = demo.LOGS / f"{demo.HARD}.csv"


def test_a_dataset_is_read_back_from_its_table_and_from_its_results(tmp_path: Path) -> None:
    place = tmp_path / "my evals"
    done = CliRunner().invoke(main, ["convert", str(LOG), str(place), "--as", "dataset"])
    assert done.exit_code == 0, done.output
    assert "rows" in done.output
    own = errbar.load(LOG).score("avg").to_dicts()
    assert errbar.load(place / "data").score("avg").to_dicts() == own
    values = {row["system"]: row["value"] for row in own}
    results = errbar.load(place / "every_eval_ever").score("avg").to_dicts()
    assert {row["system"]: row["value"] for row in results} == values


def test_the_card_names_the_data_and_shows_the_scores(tmp_path: Path) -> None:
    yaml = pytest.importorskip("yaml")
    write_dataset(errbar.load(LOG), tmp_path / "evals", title='a "new" title: [x](y)')
    text = (tmp_path / "evals" / "README.md").read_text(encoding="utf-8")
    _, front, body = text.split("---\n", 2)
    matter = yaml.safe_load(front)
    assert matter["pretty_name"] == 'a "new" title: [x](y)'
    (config,) = matter["configs"]
    (files,) = config["data_files"]
    assert (tmp_path / "evals" / files["path"]).is_file()
    assert "[x](y)" not in body  # no link
    for row in errbar.load(LOG).score("avg").to_dicts():
        assert row["system"] in body


def test_a_matrix_leaves_nothing_behind(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="no rows to write"):
        write_dataset(errbar.load([[1, 0], [0, 1]]), tmp_path / "evals")
    assert list(tmp_path.iterdir()) == []
