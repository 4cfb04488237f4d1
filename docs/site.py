"""What mkdocs does beyond Markdown, as its hooks: generated pages, formulas, pictures, notebooks.

Pages are generated for each command of the command line and for each public class. Formulas become
MathML, which browsers typeset without a script. The code of the gallery is run, and its pictures
are shown below it.
"""

import ast
import inspect
import json
import re
from collections.abc import Iterator
from html import escape, unescape
from pathlib import Path
from typing import Any

import click
from latex2mathml.converter import convert
from mkdocs.config.defaults import MkDocsConfig
from mkdocs.structure.files import File, Files
from mkdocs.structure.pages import Page

import errbar
from errbar.cli import COMMANDS, main

DOCS = Path(__file__).parent
GALLERY, NOTEBOOK = "gallery.md", "notebook.md"
CLASSES = sorted(name for name in errbar.__all__ if inspect.isclass(getattr(errbar, name)))

_FORMULA = re.compile(r'<(span|div) class="arithmatex">\\[(\[](.*?)\\[)\]]</\1>', re.DOTALL)
_CODE = re.compile(r"^```python\n(.*?)^```\n", re.MULTILINE | re.DOTALL)


def on_config(config: MkDocsConfig) -> MkDocsConfig:
    """Fill in the parts of the navigation that are generated."""
    pages = {
        "Commands": [{f"errbar {name}": f"commands/{name}.md"} for name in COMMANDS],
        "Classes": [{name: f"api/{name}.md"} for name in CLASSES],
    }
    for part in config.nav or []:
        for title, entries in part.items():
            for at, entry in enumerate(entries if isinstance(entries, list) else []):
                if isinstance(entry, str) and entry in pages:
                    part[title][at] = {entry: pages[entry]}
    return config


def on_files(files: Files, config: MkDocsConfig) -> Files:
    """Add the generated pages."""
    texts = {f"commands/{name}.md": command_page(name) for name in COMMANDS}
    texts |= {f"api/{name}.md": f"# {name}\n\n::: errbar.{name}\n" for name in CLASSES}
    guide = DOCS.with_name("CONTRIBUTING.md").read_text(encoding="utf-8")
    guide = guide.replace("(docs/decisions)", "(index.md#decisions)").replace("(docs/", "(")
    texts["contributing.md"] = guide
    texts[NOTEBOOK] = notebook_page(DOCS / "notebook.ipynb")
    for path, text in texts.items():
        files.append(File.generated(config, path, content=text))
    return files


def on_page_markdown(markdown: str, page: Page, **_: Any) -> str:
    """Mark sessions, so that copies have no prompts; run the code of the gallery."""
    if page.file.src_uri == GALLERY:
        names: dict[str, Any] = {}
        return _CODE.sub(lambda block: f"{block[0]}\n{_drawn(block[1], names)}\n", markdown)
    linked = markdown.replace("(notebook.ipynb)", f"({NOTEBOOK})")
    sessions = linked.replace("```python\n>>> ", "```pycon\n>>> ")
    return sessions.replace("\n<BLANKLINE>\n", "\n\n")  # a mark of doctest for an empty line


def on_page_content(html: str, **_: Any) -> str:
    """Typeset formulas."""
    return _FORMULA.sub(lambda found: _typeset(found[1], unescape(found[2])), html)


def _typeset(element: str, formula: str) -> str:
    text = formula.strip()
    spacious = element == "div" or text.startswith(r"\displaystyle")
    mathml = convert(text.removeprefix(r"\displaystyle"), display="block" if spacious else "inline")
    if element == "span" and spacious:  # within a line, with limits above and below
        mathml = mathml.replace('display="block"', 'display="inline" displaystyle="true"', 1)
    return mathml


def _drawn(code: str, names: dict[str, Any]) -> str:
    """Run a block of code; the SVG of the picture that is its last expression."""
    tree = ast.parse(code)
    last = tree.body.pop()
    exec(compile(tree, GALLERY, "exec"), names)
    if not isinstance(last, ast.Expr):
        exec(compile(ast.Module([last], []), GALLERY, "exec"), names)
        return ""
    picture = eval(compile(ast.Expression(last.value), GALLERY, "eval"), names)
    return f"{_framed(re.sub(r'^.*?(?=<svg)', '', picture.svg(), flags=re.DOTALL))}\n"


def _framed(svg: str) -> str:
    """A picture in a frame; one whose text speaks of white keeps its colours in the dark."""
    kind = "picture shades" if "White:" in svg else "picture"
    in_a_line = re.sub(r"\n\s*", "", svg)
    return f'<div class="{kind}">{in_a_line}</div>'


def command_page(name: str) -> str:
    """The page of a command: its usage, what it does, and its options."""
    with click.Context(main, info_name="errbar") as group:
        command = main.get_command(group, name)
        assert command is not None
        context = click.Context(command, info_name=name, parent=group)
        usage = command.get_usage(context).removeprefix("Usage: ")
        rows = [
            record
            for parameter in command.get_params(context)
            if isinstance(parameter, click.Option)
            and (record := parameter.get_help_record(context)) is not None
        ]
    text = inspect.cleandoc(command.help or "").replace("\b\n", "")
    lines = [f"# errbar {name}", "", "```sh", usage, "```", "", *_paragraphs(text), ""]
    lines += ["| option | what it does |", "|---|---|"]
    lines += [f"| {_code(option)} | {_cell(about)} |" for option, about in rows]
    return "\n".join(lines) + "\n"


def _paragraphs(text: str) -> Iterator[str]:
    """Text of a help page, whose indented lines are code."""
    for paragraph in text.split("\n\n"):
        lines = paragraph.split("\n")
        words = [line for line in lines if not line.startswith("  ")]
        code = [line.strip() for line in lines if line.startswith("  ")]
        yield from (*map(escape, words), "")
        if code:
            yield from ("```sh", *code, "```", "")


def _code(text: str) -> str:
    """An option and its values, which break before a value and nowhere else."""
    return f"<code>{escape(text)}</code>".replace("|", "<wbr>&#124;")


def _cell(text: str) -> str:
    return escape(text).replace("|", "&#124;").replace("*", "&#42;")


def notebook_page(path: Path) -> str:
    """A notebook as Markdown, with the outputs that it was saved with."""
    cells = json.loads(path.read_text(encoding="utf-8"))["cells"]
    parts = []
    for cell in cells:
        source = "".join(cell["source"])
        if cell["cell_type"] == "markdown":
            parts.append(source)
            continue
        parts.append(f"```python\n{source}\n```")
        parts += [part for output in cell["outputs"] if (part := _output(output))]
    return "\n\n".join(parts) + "\n"


def _output(output: dict[str, Any]) -> str:
    """The richest form of an output that a page can show."""
    data = output.get("data", {"text/plain": output.get("text", "")})
    forms = {
        kind: "".join(text) for kind, text in data.items() if kind.startswith(("text", "image"))
    }
    if "image/svg+xml" in forms:
        return _framed(forms["image/svg+xml"])
    if "text/html" in forms:
        html = re.sub(r"\n\s*", "", forms["text/html"])
        return f'<div class="output">{html}</div>'
    return f"```text\n{forms['text/plain'].rstrip()}\n```"
