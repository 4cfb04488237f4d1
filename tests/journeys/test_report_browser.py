"""The report in a real browser: it draws, sorts, finds, and obeys nothing but its own script."""

import json
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
import pytest

import errbar
from browser_pages import LOOKS, NARROW, OVERFLOW, WIDE, Opened, needs_chromium
from errbar import demo
from errbar.page import ReportSettings, write_report
from errbar.page.boards import write_board_page
from errbar.preferences import report_games
from errbar.results.timeline import Timeline
from hostile import HOSTILE

SUPPORT = Path(__file__).parents[1] / "support"
TASKS = ("arithmetic", "geometry")
OUTCOMES = demo.LOGS / f"{demo.HARD}.csv"

pytestmark = needs_chromium


@pytest.fixture(scope="module")
def report(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("report") / "report.html"
    return write_report(errbar.load(OUTCOMES), path, ReportSettings())


def many_systems() -> list[dict[str, Any]]:
    """Rows of fourteen systems with long names on two tasks; some trials have no result."""
    rng = np.random.default_rng(5)
    return [
        {
            "system": f"a-lab/a-model-with-a-long_name_{at}-2026",
            "task": task,
            "question": f"{task}-{question}",
            "trial": trial,
            "outcome": None if rng.random() < 0.02 else int(rng.random() < 0.2 + at / 25),
        }
        for task in TASKS
        for at in range(14)
        for question in range(24)
        for trial in range(3)
    ]


def one_system() -> list[dict[str, Any]]:
    """Rows of a single system with a confidence."""
    rng = np.random.default_rng(6)
    sure = rng.random(60)
    return [
        {"question": f"q{at}", "outcome": int(rng.random() < share), "confidence": float(share)}
        for at, share in enumerate(sure)
    ]


def judged() -> list[dict[str, Any]]:
    """Rows of three systems that a judge graded, of which it favours one; half have a label."""
    rng = np.random.default_rng(9)
    return [
        {"system": system, "question": f"q{at}", "outcome": grade, "human": human}
        for at in range(120)
        for system, favour in (("a-lab/own-model-2026", 0.6), ("b-lab/rival", 0.1), ("small", 0.1))
        for truth in [int(rng.random() < 0.6)]
        for grade in [int(truth or rng.random() < favour)]
        for human in [truth if at % 2 else None]
    ]


def past_runs() -> Timeline:
    """Runs of which the last ones are worse."""
    rng = np.random.default_rng(7)
    return errbar.history(
        {f"release-1.{at}": rng.random((40, 4)) < 0.8 - 0.4 * (at > 5) for at in range(9)}
    )


@pytest.fixture(scope="module")
def reports(tmp_path_factory: pytest.TempPathFactory, report: Path) -> dict[str, Path]:
    """Reports of four kinds of data."""
    place = tmp_path_factory.mktemp("reports")
    return {
        "demo": report,
        **{
            name: write_report(
                errbar.load(pl.DataFrame(rows), label=label), place / f"{name}.html", settings
            )
            for name, rows, settings, label in (
                ("many", many_systems(), ReportSettings(), None),
                ("single", one_system(), ReportSettings(history=past_runs()), None),
                ("judged", judged(), ReportSettings(), "human"),
            )
        },
    }


# Looks: light and dark, wide and narrow, on paper.

SIDEWAYS = """[...document.querySelectorAll('.scroll, .matrix, pre')]
    .filter((part) => part.scrollWidth > part.clientWidth)
    .map((part) => part.outerHTML.slice(0, 80))"""
FAINT = SUPPORT.joinpath("faint_text.js").read_text(encoding="utf-8")
SMALL = """[...document.querySelectorAll('main *')].filter((element) => element.checkVisibility()
    && [...element.childNodes].some((node) => node.nodeType === 3 && node.data.trim())
    && parseFloat(getComputedStyle(element).fontSize) < 13)
    .map((element) => element.outerHTML.slice(0, 80))"""


@pytest.mark.parametrize("name", ["demo", "many", "single", "judged"])
@LOOKS
def test_a_report_is_sound_in_every_light_and_size(
    browser: Any, reports: dict[str, Path], name: str, size: dict[str, int], scheme: str
) -> None:
    opened = Opened(browser, reports[name], color_scheme=scheme, viewport=size)
    page = opened.page
    opened.keep(f"{name}-{scheme}-{size['width']}", full_page=True)
    assert page.evaluate(FAINT) == []
    assert page.evaluate(SMALL) == []
    for link in page.locator("#table-questions a").all()[:1]:  # with a question chosen
        link.click()
    opened.unfold()
    assert page.evaluate(FAINT) == []
    assert page.evaluate(OVERFLOW) <= 0
    if size is WIDE:
        assert page.evaluate(SIDEWAYS) == []
    # Of ten thousand elements axe needs twenty seconds for the contrast, which FAINT measures too.
    assert opened.barriers(without=["color-contrast"] if name == "many" else ()) == []
    assert opened.said == []
    assert opened.asked == [reports[name].as_uri()]


@LOOKS
def test_a_report_on_games_is_sound_in_every_light_and_size(
    browser: Any, tmp_path: Path, size: dict[str, int], scheme: str
) -> None:
    rng = np.random.default_rng(8)
    names = [f"a-lab/model-{word}-2026" for word in ("one", "two", "three", "four", "five", "six")]
    rows = [
        {"model_a": first, "model_b": second, "winner": rng.choice(["model_a", "model_b", "tie"])}
        | {"question": f"q{question}", "judge": "a-judge"}
        for question in range(40)
        for left, right in [rng.choice(names, 2, replace=False).tolist()]
        for first, second in ((left, right), (right, left))
    ]
    path = report_games(rows, tmp_path / "games.html")
    opened = Opened(browser, path, color_scheme=scheme, viewport=size)
    opened.keep(f"games-{scheme}-{size['width']}", full_page=True)
    page = opened.page
    assert page.locator("#pairs td.number, #position td.number").count() > 30
    assert page.evaluate(FAINT) == []
    assert page.evaluate(SMALL) == []
    assert page.evaluate(OVERFLOW) <= 0
    assert opened.barriers() == []
    assert opened.said == []
    assert opened.asked == [path.as_uri()]


@LOOKS
def test_the_page_of_an_audit_is_sound_in_every_light_and_size(
    browser: Any, tmp_path: Path, size: dict[str, int], scheme: str
) -> None:
    clusters = {f"{task}-{at}": f"family-{at % 8}" for task in TASKS for at in range(24)}
    rows = [row | {"cluster": clusters[row["question"]]} for row in many_systems()]
    path = tmp_path / "board.html"
    write_board_page(errbar.audit_board(rows), path)
    opened = Opened(browser, path, color_scheme=scheme, viewport=size)
    opened.keep(f"board-{scheme}-{size['width']}", full_page=True)
    page = opened.page
    assert page.locator("#ranks .track").count() == 14
    extras = page.locator("#ranks tbody .extra:visible")
    assert extras.count() == 14 * 4  # ranks, and what is left out
    assert page.evaluate(FAINT) == []
    assert page.evaluate(SMALL) == []
    assert page.evaluate(OVERFLOW) <= 0
    assert opened.barriers() == []
    assert opened.said == []
    assert opened.asked == [path.as_uri()]
    page.set_viewport_size(PAPER)
    assert printed(opened).evaluate(OVERFLOW) <= 0


def test_contrast_is_measured(browser: Any, report: Path) -> None:
    page = Opened(browser, report).page
    page.evaluate("document.querySelector('h1').style.color = 'rgb(200, 200, 200)'")
    faint = {line.partition(" ")[2][:2] for line in page.evaluate(FAINT)}
    assert faint
    assert faint <= {"H1", "SP"}  # the heading, and the names in it


UNNAMED = {  # what must have a name, and whether it lacks one
    "th": "!part.scope",
    "svg, canvas": "!part.ariaLabel",
    "input, select": "!part.labels.length",
    "[role=region]": "!part.ariaLabel",
}


@pytest.mark.parametrize("name", ["demo", "many", "single", "judged"])
def test_a_screen_reader_finds_its_way(browser: Any, reports: dict[str, Path], name: str) -> None:
    page = Opened(browser, reports[name]).page
    for landmark in ("header", "nav", "main", "h1"):
        assert page.locator(landmark).count() == 1, landmark
    for parts, lack in UNNAMED.items():
        script = f"[...document.querySelectorAll('{parts}')].filter((part) => {lack}).length"
        assert page.locator(parts).count() > 0
        assert page.evaluate(script) == 0, parts
    regions = page.evaluate(
        "[...document.querySelectorAll('[role=region]')].map((part) => part.ariaLabel)"
    )
    assert len(regions) == len(set(regions))
    ids = page.evaluate("[...document.querySelectorAll('[id]')].map((part) => part.id)")
    assert len(ids) == len(set(ids))
    targets = page.evaluate("[...document.querySelectorAll('nav a')].map((a) => a.hash.slice(1))")
    assert set(targets) <= set(ids)


def test_charts_are_drawn_to_the_width_of_their_panels(browser: Any, report: Path) -> None:
    page = Opened(browser, report).page
    charts = page.locator("#curve-panels svg")
    assert charts.count() == 3
    assert all(chart.bounding_box()["height"] > 150 for chart in charts.all())
    page.set_viewport_size(NARROW)
    page.wait_for_function(
        "document.querySelector('#curve-panels svg').viewBox.baseVal.width < 360"
    )
    assert page.locator(".board .track").count() == 3


def test_a_confidence_has_curves_of_risk_and_of_roc(browser: Any, reports: dict[str, Path]) -> None:
    page = Opened(browser, reports["single"], viewport=WIDE).page
    for kind, words in (("risk", "risk "), ("roc", "true positive rate ")):
        chart = page.locator(f"[data-curves={kind}] svg")
        assert chart.count() == 1
        assert chart.locator("path.line").get_attribute("d").count("L") >= 40
        chart.hover()
        assert page.locator("#tip").inner_text().startswith(words)


DOTS = """[...document.querySelectorAll('.board .dot, .bars .dot, h3 .dot, #heat .dot')].map(
    (dot) => [dot.parentElement.textContent.trim().split(' ')[0],
    getComputedStyle(dot).backgroundColor])"""


def test_a_system_has_one_colour_everywhere(browser: Any, report: Path) -> None:
    page = Opened(browser, report).page
    dots = page.evaluate(DOTS)
    colours = {name: {colour for who, colour in dots if who == name} for name, _ in dots}
    assert set(colours) == set(demo.SYSTEMS)
    assert [len(found) for found in colours.values()] == [1, 1, 1]
    assert len(set.union(*colours.values())) == 3


def test_a_chart_says_its_numbers_where_the_pointer_is(browser: Any, report: Path) -> None:
    page = Opened(browser, report, viewport=WIDE).page
    page.locator("#curve-panels svg").first.hover()
    system, *lines = page.locator("#tip").inner_text().splitlines()
    metrics = [line.partition(" ")[0] for line in lines]
    assert [metric[:5] for metric in metrics] == ["pass@", "pass^"]
    for line, estimate in zip(
        lines, errbar.load(OUTCOMES).score(*metrics).only(system), strict=True
    ):
        value, _, _, low, high = estimate.digits()
        assert line == f"{estimate.metric} {value} [{low}, {high}]"
    page.keyboard.press("Escape")
    assert page.locator("#tip").is_hidden()


def test_without_a_script_the_leaderboard_and_the_tables_are_there(
    browser: Any, report: Path
) -> None:
    page = Opened(browser, report, scripts=False).page
    assert page.locator(".board tbody tr").filter(visible=True).count() == 3
    assert page.locator("noscript").first.is_visible()


def test_a_judge_stands_beside_its_labels(browser: Any, reports: dict[str, Path]) -> None:
    opened = Opened(browser, reports["judged"], viewport=WIDE)
    part = opened.page.locator("#agreement")
    known = [row for row in judged() if row["human"] is not None]
    rows = errbar.agree(
        known, ["outcome", "human"], truth="human", by=["system"], cluster="question"
    )
    for row in rows[:4]:
        line = part.locator("tr").filter(has_text=row.measure).first.inner_text()
        assert f"{row.value:.3f}" in line, row.measure
    favour = "The judge favours a-lab/own-model-2026 over"
    assert favour in part.locator(".lead").inner_text()
    assert favour in opened.page.locator("#summary .callout.warning").inner_text()
    cells = part.locator(".confusion td.number").all_inner_texts()
    shares = [row.value for row in rows if row.about == "confusion"]
    assert [float(cell.split()[0]) for cell in cells] == pytest.approx(shares, abs=0.006)
    biases = [row for row in rows if row.about == "bias by system"]
    panel = part.locator(".panel").nth(1)
    assert panel.locator("tbody tr").count() == 1 + len(biases) == 4
    assert panel.locator(".dot").count() == 3


def test_a_long_leaderboard_begins_with_twelve_systems_to_their_scale(
    browser: Any, reports: dict[str, Path]
) -> None:
    page = Opened(browser, reports["many"], viewport=WIDE).page
    rows, ticks = page.locator(".board tbody tr"), page.locator(".board .scale i")
    assert rows.filter(visible=True).count() == 12
    before = [float(text) for text in ticks.all_text_contents()]
    page.locator("#summary .more").click()
    assert rows.filter(visible=True).count() == 14
    after = [float(text) for text in ticks.all_text_contents()]
    assert after[0] < before[0]
    first = rows.first.locator(".track b").evaluate("(dot) => dot.style.left")
    value = float(rows.first.get_attribute("data-ends").split()[1])
    assert float(first[:-1]) == pytest.approx(100 * (value - after[0]) / (after[-1] - after[0]))


# Tables.


def test_tables_sort_by_number_up_and_down(browser: Any, report: Path) -> None:
    opened = Opened(browser, report).unfold()
    head = opened.page.locator("#table-scores").get_by_role("button", name="score")
    head.click()
    up = [float(text.split()[0]) for text in opened.column("table-scores", 4)]
    assert up == sorted(up)
    head.click()
    down = [float(text.split()[0]) for text in opened.column("table-scores", 4)]
    assert down == sorted(up, reverse=True)


def test_tables_open_and_sort_by_the_keyboard_alone(browser: Any, report: Path) -> None:
    opened = Opened(browser, report)
    opened.page.locator("#scores summary").focus()
    opened.page.keyboard.press("Enter")
    opened.page.locator("#table-scores th button").first.focus()
    opened.page.keyboard.press("Enter")
    assert opened.column("table-scores", 1) == sorted(opened.column("table-scores", 1))
    assert opened.page.locator("#table-scores th[aria-sort=ascending]").count() == 1


def test_a_filter_hides_the_other_rows(browser: Any, report: Path) -> None:
    opened = Opened(browser, report).unfold()
    opened.page.locator("input[data-filters=table-scores]").fill("pass^8")
    assert opened.page.locator("#table-scores tbody tr:visible").count() == 3


# Questions.


def test_questions_are_found_and_put_in_order(browser: Any, report: Path) -> None:
    opened = Opened(browser, report)
    hardest = [float(text) for text in opened.column("table-questions", 2)]
    assert hardest == sorted(hardest)
    opened.page.select_option("select[name=order]", "easiest")
    easiest = [float(text) for text in opened.column("table-questions", 2)]
    assert easiest == sorted(easiest, reverse=True)
    assert easiest[0] > hardest[0]
    name = opened.column("table-questions", 1)[3]
    opened.page.fill("input[name=find]", name)
    assert name in opened.column("table-questions", 1)
    opened.page.fill("input[name=find]", "no question is called so")
    assert opened.page.locator("#found").inner_text() == "No question has this in its name."


def test_names_of_questions_sort_by_their_numbers(browser: Any, reports: dict[str, Path]) -> None:
    opened = Opened(browser, reports["single"])
    opened.page.select_option("select[name=order]", "name")
    assert opened.column("table-questions", 1) == [f"q{at}" for at in range(20)]
    opened.page.click("#later")
    assert opened.column("table-questions", 1)[0] == "q20"


def test_rewards_of_questions_are_shown_as_their_means(browser: Any, tmp_path: Path) -> None:
    runs = {"one": [[-1.5, 0.3], [4.0, 4.0], [1.0, 3.0]], "two": [[0.0, 0.0], [8.6, 8.6], [1, 1]]}
    path = write_report(errbar.load(runs), tmp_path / "rewards.html", ReportSettings())
    opened = Opened(browser, path)
    heads = opened.page.locator("#table-questions thead th").all_text_contents()
    assert heads == ["question", "mean", "two", "one"]  # the best first, as everywhere
    assert opened.column("table-questions", 1) == ["0", "2", "1"]
    assert opened.column("table-questions", 2) == ["−0.3", "1.5", "6.3"]
    assert opened.column("table-questions", 4) == ["−0.6", "2.0", "4.0"]
    opened.page.select_option("select[name=order]", "flakiest")
    assert opened.column("table-questions", 1) == ["2", "0", "1"]  # mean variances 0.5, 0.4, 0
    opened.page.locator("#table-questions a").first.click()
    opened.page.locator("#chosen h3").wait_for()  # a page hears of its new address a little later
    assert opened.page.locator("#chosen").inner_text().split() == [
        *("2", "two", "1.0", "of", "2", "trials", "one", "2.0", "of", "2", "trials")
    ]
    assert opened.said == []


@pytest.mark.parametrize("size", [WIDE, NARROW], ids=["wide", "narrow"])
def test_names_that_are_cut_stay_different(browser: Any, tmp_path: Path, size: Any) -> None:
    names = [f"{'agent-' * 6}{number}{'-with-tools' * 4}" for number in range(4)]
    runs = errbar.load({name: [[1, 0], [at % 2, 1]] for at, name in enumerate(names)})
    path = write_report(runs, tmp_path / "cut.html", ReportSettings(metrics=("avg",)))
    page = Opened(browser, path, viewport=size).page
    for part in ("#heat .names span:last-child", ".matrix tbody th span:last-child"):
        found = page.locator(part).all_text_contents()
        assert len(set(found)) == len(names), found


def test_a_question_has_an_address_and_is_marked_everywhere(browser: Any, report: Path) -> None:
    opened = Opened(browser, report)
    page = opened.page
    page.locator("#table-questions a").nth(4).click()
    name = opened.column("table-questions", 1)[4]
    assert page.evaluate("location.hash") == f"#question/0/{name}"
    assert page.locator("#chosen h3").inner_text() == name
    assert page.locator("#table-questions tr.here th").inner_text() == name
    assert page.locator("#heat canvas").get_attribute("aria-valuetext") == name
    again = Opened(browser, report).page  # the address alone leads there
    again.goto(f"{report.as_uri()}#question/0/repair-36")
    assert again.locator("#chosen h3").inner_text() == "repair-36"
    assert again.locator("#table-questions tr.here th").inner_text() == "repair-36"


def test_the_heat_map_is_moved_over_by_keys(browser: Any, report: Path) -> None:
    opened = Opened(browser, report)
    opened.page.locator("#heat canvas").focus()
    for _ in range(3):
        opened.page.keyboard.press("ArrowRight")
    assert opened.page.locator("#chosen h3").inner_text() == opened.column("table-questions", 1)[2]


def test_a_comparison_leads_to_the_questions_that_decide_it(browser: Any, report: Path) -> None:
    opened = Opened(browser, report)
    link = opened.page.locator("a.to").first
    left, right = link.get_attribute("data-one"), link.get_attribute("data-other")
    link.click()
    heads = opened.page.locator("#table-questions thead th").all_text_contents()
    first, second = (
        [
            int(text.partition("/")[0])
            for text in opened.column("table-questions", heads.index(name) + 1)
        ]
        for name in (left, right)
    )
    gaps = [a - b for a, b in zip(first, second, strict=True)]
    assert gaps == sorted(gaps, reverse=True)
    assert gaps[0] > 0


def test_light_and_dark_differ_and_the_button_turns_them(browser: Any, report: Path) -> None:
    shade = "getComputedStyle(document.body).backgroundColor"
    light, dark = (
        Opened(browser, report, color_scheme=scheme).page for scheme in ("light", "dark")
    )
    assert light.evaluate(shade) != dark.evaluate(shade)
    before = light.evaluate(shade)
    light.click("#theme")
    assert light.evaluate(shade) == dark.evaluate(shade) != before


PAPER = {"width": 680, "height": 960}  # A4 with margins, in pixels of a browser
INK_ON_WHITE = ["rgb(27, 29, 33)", "rgb(255, 255, 255)"]
LOOK = """[getComputedStyle(document.body)].flatMap((one) => [one.color, one.backgroundColor])"""
BROKEN = """[...document.querySelectorAll('td')].filter((cell) => {
    const text = document.createRange();
    text.selectNodeContents(cell);
    return /^[-\\d./]+$/.test(cell.textContent) && text.getClientRects().length > 1;
}).map((cell) => cell.textContent)"""
LINES_OF_NAMES = """[...document.querySelectorAll('.bars .name')].map((name) => {
    const lines = [...name.querySelectorAll('.part')].flatMap((part) => {
        const text = document.createRange();
        text.selectNode(part.firstChild);
        return [...text.getClientRects()].map((line) => Math.round(line.top));
    });
    return new Set(lines).size;
})"""
CONTROLS = "nav, button:not(th button), input, select"


def printed(opened: Opened) -> Any:
    """The page as paper shows it."""
    opened.page.emulate_media(media="print")
    return opened.page


def test_paper_is_white_and_has_no_controls(browser: Any, report: Path) -> None:
    opened = Opened(browser, report, color_scheme="dark", viewport=PAPER)
    opened.page.click("#theme")  # light, and dark again: chosen, not only preferred
    opened.page.click("#theme")
    assert opened.page.evaluate(LOOK) != INK_ON_WHITE
    assert opened.page.locator(CONTROLS).filter(visible=True).count() > 5
    page = printed(opened)
    assert page.evaluate(LOOK) == INK_ON_WHITE
    assert page.locator(CONTROLS).filter(visible=True).count() == 0
    assert page.locator("section").filter(visible=True).count() == page.locator("section").count()
    assert page.evaluate(FAINT) == []
    assert page.evaluate(LINES_OF_NAMES) == [1] * 18  # three systems in six panels
    opened.keep("demo-print", full_page=True)


def test_tables_are_open_before_pages_of_paper_are_counted(browser: Any, report: Path) -> None:
    page = Opened(browser, report).page
    tables = page.locator("details table").filter(visible=True)
    for event, number in (("beforeprint", page.locator("details").count()), ("afterprint", 0)):
        page.evaluate(f"dispatchEvent(new Event('{event}'))")
        assert tables.count() == number


def test_paper_shows_the_rows_that_a_filter_hides(browser: Any, report: Path) -> None:
    opened = Opened(browser, report).unfold()
    opened.page.locator("input[data-filters=table-scores]").fill("no row has this")
    rows = opened.page.locator("#table-scores tbody tr")
    assert rows.filter(visible=True).count() == 0
    printed(opened)
    assert rows.filter(visible=True).count() == rows.count() > 6


def test_paper_cuts_no_table(browser: Any, tmp_path: Path) -> None:
    rng = np.random.default_rng(0)
    data = {
        f"a-model-with-a-name-that-is-{about}": rng.integers(0, 2, (12, 2))
        for about in ("long", "longer-than-that", "of_no_end_at_all", *map(str, range(7)))
    }
    path = write_report(errbar.load(data), tmp_path / "wide.html", ReportSettings(metrics=("avg",)))
    opened = Opened(browser, path, viewport=PAPER)
    page = printed(opened)
    assert page.evaluate(SIDEWAYS) == []
    assert page.evaluate("document.documentElement.scrollWidth") <= PAPER["width"]
    assert page.evaluate(BROKEN) == []


def test_the_history_shows_every_run_and_where_drift_was_detected(
    browser: Any, reports: dict[str, Path]
) -> None:
    page = Opened(browser, reports["single"]).page
    chart = page.locator("#history svg")
    assert chart.locator(".whisker").count() == chart.locator(".point").count() == 9
    assert "drop detected" in chart.locator(".end").all_text_contents()
    assert "release-1.8" in (chart.get_attribute("aria-label") or "")


def test_all_numbers_can_be_downloaded(browser: Any, report: Path, tmp_path: Path) -> None:
    opened = Opened(browser, report)
    with opened.page.expect_download() as download:
        opened.page.click("#download")
    download.value.save_as(tmp_path / "numbers.json")
    saved = json.loads((tmp_path / "numbers.json").read_text(encoding="utf-8"))
    compared = json.dumps(errbar.load(OUTCOMES).compare("avg").to_dicts()).replace("NaN", "null")
    assert saved["results"]["comparisons"]["rows"] == json.loads(compared)


def test_names_from_logs_are_shown_as_text_and_never_run(browser: Any, tmp_path: Path) -> None:
    lines = ["system,task,question,trial,outcome"]
    quoted = ['"' + name.replace('"', '""') + '"' for name in HOSTILE]
    for system in quoted:
        for question in quoted:
            lines += [f"{system},{quoted[0]},{question},{trial},{trial % 2}" for trial in range(2)]
    log = tmp_path / "log.csv"
    log.write_text("\n".join(lines) + "\n", encoding="utf-8")
    asked = ReportSettings(title=HOSTILE[0], command=HOSTILE[3])
    opened = Opened(browser, write_report(errbar.load(log), tmp_path / "r.html", asked))
    opened.page.select_option("select[name=order]", "name")
    assert opened.page.evaluate("window.hurt") is None
    assert opened.said == []
    assert len(opened.asked) == 1
    scripts = "iframe, img, script:not([type='application/json'])"
    assert opened.page.locator(scripts).count() == 1  # its own script
    shown = opened.page.locator("#table-questions tbody th").all_text_contents()
    assert sorted(shown) == sorted(HOSTILE)


def test_twenty_systems_and_five_thousand_questions_stay_quick(
    browser: Any, tmp_path: Path
) -> None:
    rng = np.random.default_rng(0)
    rates = rng.beta(0.5, 0.5, 5000)
    data = {
        f"system {at}": (rng.random((5000, 2)) < np.clip(rates + at / 500, 0, 1)[:, None]) * 1.0
        for at in range(20)
    }
    path = write_report(
        errbar.load(data), tmp_path / "large.html", ReportSettings(metrics=("avg",))
    )
    assert path.stat().st_size < 1e6
    page = Opened(browser, path).page
    page.select_option("select[name=order]", "disputed")
    assert page.locator("#table-questions tbody tr").count() == 20


# Pictures of the documentation: ERRBAR_ARTEFACTS=docs/pictures pytest -k documented_picture

FIRST_SCREEN = {"width": 1280, "height": 790}
DOCUMENTED: dict[str, tuple[dict[str, int], str, str]] = {  # size, light or dark, where
    "report-light": (FIRST_SCREEN, "light", "header"),
    "report-dark": (FIRST_SCREEN, "dark", "header"),
    "report-charts": (WIDE, "dark", "#curves"),
    "report-questions": (WIDE, "light", "#questions"),
    "report-cost": (WIDE, "light", "#cost"),
    "report-narrow": (NARROW, "light", "header"),
}
DOCS = Path(__file__).parents[2] / "docs"


@pytest.fixture(scope="module")
def leaderboard(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("demo") / "report.html"
    return write_report(errbar.load(demo.BOARD), path, ReportSettings())


@pytest.mark.parametrize("name", DOCUMENTED)
def test_a_documented_picture_is_of_a_report(browser: Any, leaderboard: Path, name: str) -> None:
    size, scheme, where = DOCUMENTED[name]
    opened = Opened(browser, leaderboard, viewport=size, color_scheme=scheme)
    if where == "#questions":
        opened.page.locator("#table-questions a").nth(12).click()
    opened.page.evaluate(f"document.querySelector('{where}').scrollIntoView()")
    assert opened.page.locator(where).is_visible()
    opened.keep(name)
    assert (DOCS / "pictures" / f"{name}.png").exists()
    shown = (DOCS / "report.md").read_text("utf-8") + (DOCS.parent / "README.md").read_text("utf-8")
    assert f"pictures/{name}.png" in shown
