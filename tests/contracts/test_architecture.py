"""Which way imports point, checked on the text of every module."""

import ast
import json
import os
import re
import subprocess
import sys
from collections.abc import Callable, Collection, Iterator
from functools import cache
from pathlib import Path

import pytest
from benchmarks import walk

import errbar
from errbar import analysis

PACKAGE = Path(errbar.__file__).parent
MODULES = sorted(PACKAGE.rglob("*.py"))
CHECKOUT = Path(__file__).parents[2]

# A module imports only from layers that stand before its own, and from its own.
LAYERS = ("errors", "base", "kernels", "data", "metrics", "results", "analysis")
SURFACE = len(LAYERS)  # everything else: what users call


def layer_of(dotted: str) -> int:
    """The place of a module's layer in the order."""
    room = room_of(dotted)
    return LAYERS.index(room) if room in LAYERS else SURFACE


def name_of(path: Path) -> str:
    """The module's dotted name below the package."""
    parts = path.relative_to(PACKAGE).with_suffix("").parts
    return ".".join(part for part in parts if part != "__init__")


@cache
def tree_of(path: Path) -> ast.Module:
    return ast.parse(path.read_text(encoding="utf-8"), filename=str(path))


def imports(tree: ast.AST) -> Iterator[str]:
    """Everything imported anywhere below a node, as dotted names."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            assert node.level == 0, "imports are absolute"
            yield from (f"{node.module}.{alias.name}" for alias in node.names)


@cache
def imports_of(path: Path) -> frozenset[str]:
    """Everything imported anywhere in a module, as dotted names."""
    return frozenset(imports(tree_of(path)))


def at_module_level(tree: ast.Module) -> Iterator[str]:
    """What is imported when the module is, without what is imported inside functions."""
    pending: list[ast.AST] = list(tree.body)
    while pending:
        node = pending.pop()
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.Lambda):
            continue
        if isinstance(node, ast.Import | ast.ImportFrom):
            yield from imports(node)
        pending.extend(ast.iter_child_nodes(node))


def room_of(dotted: str) -> str:
    return dotted.split(".", maxsplit=1)[0]


ROOMED = [path for path in MODULES if name_of(path)]


def test_imports_point_from_a_layer_to_those_before_it() -> None:
    for path in ROOMED:
        layer = layer_of(name_of(path))
        for dotted in imports_of(path):
            if dotted.startswith("errbar.") and dotted != "errbar.__version__":
                seen = layer_of(dotted.removeprefix("errbar."))
                assert seen <= layer, f"{name_of(path)} imports {dotted}"


def test_nobody_imports_the_command() -> None:
    for path in ROOMED:
        if room_of(name_of(path)) not in {"cli", "__main__"}:
            seen = {d for d in imports_of(path) if d.startswith("errbar.cli")}
            assert not seen, f"{name_of(path)} imports {seen}"


def test_nobody_imports_a_plug_in_for_another_tool() -> None:
    for path in ROOMED:
        if room_of(name_of(path)) != "integrations":
            seen = {d for d in imports_of(path) if d.startswith("errbar.integrations")}
            assert not seen, f"{name_of(path)} imports {seen}"


def test_the_house_stays_small_enough_to_know() -> None:
    own = [path for path in MODULES if not {"readers", "integrations"} & set(path.parts)]
    assert len(own) <= 211  # decision 23: a verb brings its modules
    assert len([path for path in MODULES if path.parent == PACKAGE]) <= 12


@pytest.mark.parametrize(
    ("work", "modules", "changes"), [(walk.score_log, 34, 20), (walk.score_array, 8, 5)]
)
def test_the_way_of_a_row_to_its_score_stays_short(
    work: Callable[[], None], modules: int, changes: int
) -> None:
    """`scripts/walk --steps` prints it; decision 16 says what is on it."""
    found = walk.walk(work)
    assert len(found.modules) <= modules, found.modules
    assert found.changes <= changes, found.modules


def test_a_module_says_what_it_holds() -> None:
    for path in MODULES:
        assert ast.get_docstring(tree_of(path)), f"{path.name} has no docstring"


LAYOUT = CHECKOUT / "docs" / "layout.md"


def test_every_file_that_the_layout_names_exists() -> None:
    """They are named from the package, or from the root of the repository."""
    text = LAYOUT.read_text(encoding="utf-8")
    names = re.findall(r"`([\w/]+(?:\.py|/))`", text)
    assert names
    for name in names:
        assert any((top / name).exists() for top in (PACKAGE, LAYOUT.parents[1])), name


def test_a_rule_of_the_layout_is_defined_where_it_says() -> None:
    text = LAYOUT.read_text(encoding="utf-8")
    rules = re.findall(r"`(\w+)` in `([\w/]+\.py)`", text)
    assert rules
    for name, file in rules:
        assert re.search(rf"^ *(?:def|class) {name}\b", (PACKAGE / file).read_text(), re.M), name


PACKAGES = [
    *sorted(p.parent for p in MODULES if p.stem == "__init__"),
    *sorted(p.parent for p in (CHECKOUT / "benchmarks").rglob("__init__.py")),
]
NAMES = r"`[a-z]\w*`(?:,\s+`[a-z]\w*`)*:"  # modules, before what they hold


def map_of(package: Path) -> Iterator[tuple[list[str], list[str]]]:
    """Each entry of the map in a package's docstring: its modules, and names defined in them."""
    described = ast.get_docstring(tree_of(package / "__init__.py")) or ""
    for entry in re.findall(r"^- (.*(?:\n  .*)*)", described, re.MULTILINE):
        modules = re.findall(r"\w+", " ".join(re.findall(NAMES, entry)))
        yield modules, re.findall(r"`(\w+)`", re.sub(NAMES, "", entry))


def modules_in(package: Path) -> list[str]:
    """Modules and packages directly in a package, but for those that Python itself asks for."""
    packages = [path.parent.name for path in package.glob("*/__init__.py")]
    return sorted([*packages, *(p.stem for p in package.glob("*.py") if "__" not in p.stem)])


@pytest.mark.parametrize("package", PACKAGES, ids=lambda path: path.name)
def test_the_map_of_a_package_names_every_module_once(package: Path) -> None:
    named = [name for modules, _ in map_of(package) for name in modules]
    assert sorted(named) == modules_in(package)


def test_the_map_of_the_report_names_every_file_that_makes_the_page() -> None:
    described = ast.get_docstring(tree_of(PACKAGE / "page" / "__init__.py")) or ""
    files = {path.name for path in (PACKAGE / "page").iterdir() if path.suffix not in {".py", ""}}
    assert "page.html" in files
    assert files == set(re.findall(r"`(\w+\.\w+)`", described))


@pytest.mark.parametrize("package", PACKAGES, ids=lambda path: path.name)
def test_what_a_map_says_is_in_a_module_is_defined_there(package: Path) -> None:
    for modules, defined in map_of(package):
        files = [package / f"{name}.py" for name in modules]
        text = "\n".join(path.read_text(encoding="utf-8") for path in files if path.exists())
        for name in defined:
            assert re.search(rf"^ *(?:def|class) {name}\b|^{name}\b", text, re.MULTILINE), name


def named_types(tree: ast.Module) -> Iterator[str]:
    """Classes, and other types that a module gives a name; but no type variables."""
    yield from (node.name for node in ast.walk(tree) if isinstance(node, ast.ClassDef))
    for node in tree.body:
        if isinstance(node, ast.Assign) and not ast.unparse(node.value).startswith("TypeVar("):
            names = [target.id for target in node.targets if isinstance(target, ast.Name)]
            yield from (name for name in names if re.fullmatch(r"[A-Z][A-Za-z]*[a-z]", name))


def test_no_two_types_have_one_name() -> None:
    names = [name for path in MODULES for name in named_types(tree_of(path))]
    assert {"Slice", "Array"} <= set(names)
    assert not {name for name in names if names.count(name) > 1}


def test_long_constructors_take_keywords() -> None:
    """Whoever reads a call with six values must not have to count them."""
    for path in MODULES:
        for node in ast.walk(tree_of(path)):
            if isinstance(node, ast.ClassDef) and "readers" not in path.parts:
                made = [ast.unparse(each) for each in node.decorator_list]
                fields = [
                    ast.unparse(s.annotation) for s in node.body if isinstance(s, ast.AnnAssign)
                ]
                own = [each for each in fields if not each.startswith("ClassVar")]
                is_long = any(each.startswith("dataclass") for each in made) and len(own) > 5
                inits = any(getattr(each, "name", "") == "__init__" for each in node.body)
                assert (
                    not is_long or inits or "KW_ONLY" in own or any("kw_only" in m for m in made)
                ), f"{path}: {node.name}"


def test_no_module_is_a_drawer() -> None:
    for path in MODULES:
        assert path.stem not in {"utils", "util", "helpers", "helper", "misc", "common"}, path


def variables(tree: ast.Module) -> Iterator[str]:
    """What is assigned to, looped over or passed, by the names that a file gives it."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store):
            yield node.id
        elif isinstance(node, ast.arg):
            yield node.arg
        elif isinstance(node, ast.ExceptHandler | ast.MatchAs | ast.MatchStar) and node.name:
            yield node.name


def test_no_variable_is_called_one() -> None:
    """A name says what it is one of."""
    folders = (PACKAGE, CHECKOUT / "benchmarks", CHECKOUT / "tests")
    files = [path for folder in folders for path in sorted(folder.rglob("*.py"))]
    assert {"beyond", "conftest"} <= {path.stem for path in files}
    texts = {path: path.read_text(encoding="utf-8") for path in files}
    bound = re.compile(r"\bone(?:[,:)\]=]| in | :?= )")  # what may follow; parsing all takes long
    maybe = [path for path, text in texts.items() if bound.search(text)]
    assert [path for path in maybe if "one" in variables(tree_of(path))] == []


def test_names_are_imported_one_by_one() -> None:
    for path in MODULES:
        assert not any(dotted.endswith(".*") for dotted in imports_of(path)), path


def test_scipy_waits_until_it_is_needed_and_its_statistics_stay_out() -> None:
    for path in MODULES:
        assert not any(dotted.startswith("scipy.stats") for dotted in imports_of(path)), path
        at_once = at_module_level(tree_of(path))
        assert not any(room_of(dotted) == "scipy" for dotted in at_once), path


def test_files_and_functions_stay_readable() -> None:
    for path in MODULES:
        assert len(path.read_text(encoding="utf-8").splitlines()) <= 400, path
        for node in ast.walk(tree_of(path)):
            if isinstance(node, ast.FunctionDef) and node.end_lineno is not None:
                assert node.end_lineno - node.lineno < 60, f"{name_of(path)}: {node.name}"


def holder(dotted: str, modules: Collection[str]) -> str:
    """The module that a dotted name is found in: the longest that it begins with."""
    return max((m for m in modules if f"{dotted}.".startswith(f"{m}.")), key=len)


def test_modules_do_not_import_each_other_in_a_circle() -> None:
    graph = {
        name_of(path): {
            dotted.removeprefix("errbar.")
            for dotted in at_module_level(tree_of(path))
            if dotted.startswith("errbar.") and dotted != "errbar.__version__"
        }
        for path in ROOMED
    }
    edges = {name: {holder(dotted, graph) for dotted in seen} for name, seen in graph.items()}
    done: set[str] = set()
    while ready := {name for name in edges if name not in done and edges[name] - {name} <= done}:
        done |= ready
    assert done == set(edges), f"a circle among {sorted(set(edges) - done)}"


def loaded_after(code: str) -> set[str]:
    """Top-level names of the modules that a fresh interpreter has loaded after `code`."""
    shown = f"{code}\nimport sys, json\nprint(json.dumps(sorted(sys.modules)))"
    environment = {**os.environ, "PYTHONPATH": str(PACKAGE.parent)}
    run = subprocess.run(
        [sys.executable, "-c", shown], capture_output=True, text=True, check=True, env=environment
    )
    return set(json.loads(run.stdout.splitlines()[-1]))


def test_importing_the_package_loads_nothing_heavy() -> None:
    loaded = loaded_after("import errbar")
    assert not {name for name in loaded if room_of(name) in {"numpy", "scipy", "click"}}
    assert {name for name in loaded if room_of(name) == "errbar"} == {"errbar"}


def test_importing_the_functions_does_not_load_scipy() -> None:
    loaded = loaded_after("from errbar import eval, parse, Counts")
    assert not {name for name in loaded if room_of(name) in {"scipy", "click"}}


@pytest.mark.parametrize("layer", ["analysis", "results"])
def test_a_score_does_not_load_what_other_verbs_need(layer: str) -> None:
    """A package names the modules that it imports when they are first used."""
    at_first_use = imports_of(PACKAGE / layer / "__init__.py")
    named = {dotted for dotted in at_first_use if dotted.startswith(f"errbar.{layer}.")}
    loaded = loaded_after("import errbar\nprint(errbar.load([[1, 0], [1, 1]]).score('avg'))")
    assert "errbar.analysis.score" in loaded
    assert named, "nothing is imported late"
    assert not named & loaded


def test_modules_imported_at_first_use_are_there_and_others_are_not() -> None:
    assert loaded_after("from errbar import analysis") < loaded_after(
        "from errbar import analysis\nanalysis.costs.costs_of"
    )
    with pytest.raises(AttributeError, match=r"'errbar.analysis' has no attribute 'nothing'"):
        _ = analysis.nothing


def test_using_the_functions_never_loads_the_statistics_of_scipy() -> None:
    loaded = loaded_after("from errbar import eval\neval.maj_at_k_ci([[0, 1, 1]] * 9, 3)")
    assert "scipy.stats" not in loaded


def test_public_names_are_the_ones_written_out() -> None:
    assert set(errbar.__all__) <= set(dir(errbar))
    for name in errbar.__all__:
        assert getattr(errbar, name) is not None
    with pytest.raises(AttributeError, match="no attribute 'nothing'"):
        _ = errbar.nothing
