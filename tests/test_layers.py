"""What an import loads, and which modules import one another: the core needs nobody, the package itself loads nothing."""

import ast
import json
import os
import subprocess
import sys
import tomllib
from collections.abc import Container, Iterator, Mapping
from importlib.util import find_spec
from pathlib import Path

import pytest

from tests.cases import cases
from tests.conftest import REPOSITORY, sources


def _loaded_by(statement: str) -> set[str]:
    code = f"import json, sys\n{statement}\nprint(json.dumps(sorted(sys.modules)))"
    run = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    return set(json.loads(run.stdout))


def test_importing_the_core_is_light() -> None:
    modules = _loaded_by("import ctxtui.core")
    assert "ctxtui.core" in modules
    assert not modules & {"textual", "rich", "ctxtui.workspace", "tiktoken", "markdown_it", "pyromark"}


def test_importing_the_package_loads_only_what_finds_its_names() -> None:
    ours = {name for name in _loaded_by("import ctxtui") if name.split(".")[0] == "ctxtui"}
    assert ours == {"ctxtui", "ctxtui.version", "ctxtui.core", "ctxtui.core.base", "ctxtui.core.base.lazy"}


def test_public_names_load_when_they_are_used() -> None:
    modules = _loaded_by("from ctxtui import Workspace, Session, Payload, Block, Notice, ContextError")
    assert {"ctxtui.workspace.workspace", "ctxtui.session.session"} <= modules
    assert not modules & {"textual", "rich", "tiktoken"}


_PACKAGES = {path.parent.name for path in (REPOSITORY / "ctxtui").glob("*/__init__.py")}
_BELOW_THE_APP = sorted(_PACKAGES - {"cli", "docs", "tui"})
_EVERY_MODULE = """
import importlib, pkgutil, sys
package = importlib.import_module("ctxtui.{}")
for module in pkgutil.walk_packages(package.__path__, package.__name__ + "."):
    importlib.import_module(module.name)
"""


@cases("packages", [[name for name in _BELOW_THE_APP if name != "mcp"], ["mcp"]])
def test_no_module_below_the_app_needs_a_screen(packages: list[str]) -> None:
    modules = _loaded_by("".join(_EVERY_MODULE.format(package) for package in packages))
    for package in packages:
        assert [name for name in modules if name.startswith(f"ctxtui.{package}.")]
    assert {"agents", "audit", "core", "mcp", "session", "workspace"} <= set(_BELOW_THE_APP)
    assert not {name for name in modules if name.split(".")[0] == "textual" or name.startswith("ctxtui.tui")}
    assert packages == ["mcp"] or not {name for name in modules if name.split(".")[0] == "rich"}


def test_the_command_line_starts_without_a_screen() -> None:
    commands = "__main__ parser payloads.build payloads.payload payloads.picked explore.ls audits.audit".split()
    modules = _loaded_by("".join(f"import ctxtui.cli.{name}\n" for name in commands))
    assert not {each for each in modules if f"{each}.".startswith(("textual.", "rich.", "ctxtui.tui."))}


_LATER = (
    *("textual.widgets._text_area", "ctxtui.session.queries.git_questions", "ctxtui.tui.actions.related_files"),
    *("ctxtui.tui.screens.audit", "ctxtui.workspace.related", "tiktoken", "tree_sitter_python"),
)


def test_the_app_starts_without_what_only_some_keys_need() -> None:
    assert all(find_spec(name.partition(".")[0]) for name in _LATER)
    loaded = _loaded_by("import ctxtui.cli.app, ctxtui.tui.app")
    assert not {each for each in loaded if f"{each}.".startswith(tuple(f"{name}." for name in _LATER))}


# The one door up: it spares library users an import, and is imported when called.
_DOOR_UP = ("workspace.workspace", "session.session")


def _imports(tree: ast.Module) -> Iterator[str]:
    """What a module imports anywhere: for types alone and in functions, too."""
    for node in ast.walk(tree):
        match node:
            case ast.Import(names=names):
                yield from (each.name for each in names)
            case ast.ImportFrom(module=str(module), names=names):
                yield from (f"{module}.{each.name}" for each in names)


def _module_of(name: str, modules: Container[str]) -> str | None:
    """The module that a dotted name is, or is taken from."""
    owner = name.rpartition(".")[0]
    return name if name in modules else owner if owner in modules else None


def _graph() -> dict[str, set[str]]:
    modules = {f"ctxtui/{path}"[:-3].replace("/", ".").removesuffix(".__init__"): path for path in sources()}
    graph: dict[str, set[str]] = {}
    for name, path in modules.items():
        found = {_module_of(each, modules) for each in _imports(ast.parse(sources()[path]))}
        graph[name] = {each for each in found if each and each != name}
    upper, lower = (f"ctxtui.{name}" for name in _DOOR_UP)
    graph[upper].remove(lower)
    return graph


def _reached(graph: Mapping[str, set[str]], start: str) -> set[str]:
    """What one comes to from a module, itself only by a circle."""
    reached: set[str] = set()
    left = [start]
    while left:
        new = graph.get(left.pop(), set()) - reached
        reached |= new
        left += new
    return reached


def _circles(graph: Mapping[str, set[str]]) -> set[frozenset[str]]:
    """Modules each of which leads to all of its circle."""
    reached = {name: _reached(graph, name) for name in graph}
    led = [(name, ahead) for name, ahead in reached.items() if name in ahead]
    return {frozenset(each for each in ahead if name in reached[each]) for name, ahead in led}


def test_modules_do_not_import_one_another_in_circles() -> None:
    """Imports of any kind: a circle of types alone makes two modules one for who reads them."""
    assert _circles(_graph()) == set()


def test_circles_are_found() -> None:
    graph = {"a": {"b"}, "b": {"c"}, "c": {"a"}, "d": {"a"}, "e": {"f"}, "f": {"e"}}
    assert _circles(graph) == {frozenset("abc"), frozenset("ef")}


_RUN = """
import json, os, sys
from ctxtui.cli.__main__ import main
sys.stdout.flush(); kept = os.dup(1); os.dup2(os.open(os.devnull, os.O_WRONLY), 1); os.dup2(1, 2)
status = main({words!r})
os.dup2(kept, 1)
sys.stdout = open(1, "w")
assert status == 0, status
"""
_HEAVY = {"textual", "rich", "tiktoken", "mcp", "jinja2", "asyncio", "importlib.metadata", "importlib.resources"}
_NEVER = _HEAVY | {"ctxtui.audit", "ctxtui.mcp", "ctxtui.retrieval", "ctxtui.slices", "ctxtui.tui", "difflib", "ssl"}
_OURS = "agents.table agents.types catalog core.text.markdown core.payload core.text.secrets entries loader session.session"
_READING = {"yaml", "markdown_it", "pyromark", "concurrent.futures", *(f"ctxtui.{name}" for name in _OURS.split())}
# What wraps a payload is counted each time.
_ENCODING = {"tiktoken", "asyncio", "importlib.resources", "importlib.metadata", "ssl"}


@pytest.mark.parametrize(
    ("words", "unwanted"),
    [
        (["ls"], _NEVER | _READING),
        (["show", "AGENTS.md", "--content"], _NEVER | {"ctxtui.entries", "ctxtui.session.session"}),
        (
            ["build", "--pick", "AGENTS.md"],
            _NEVER - _ENCODING | {"ctxtui.entries", "ctxtui.session.queries.questions"},
        ),
    ],
)
def test_a_command_imports_what_it_uses(words: list[str], unwanted: set[str], sample: Path) -> None:
    """A project that is known is listed without what reads its files; each package would cost 1 to 100 ms."""
    for path in sample.rglob("*"):
        os.utime(path, (1_700_000_000, 1_700_000_000), follow_symlinks=False)
    code = _RUN.format(words=[*words, "-C", str(sample)])
    # Files that were written a moment ago are not kept as known yet.
    _loaded_by(code)
    _loaded_by(code)
    assert not _loaded_by(code) & unwanted


def test_every_package_is_in_the_contracts() -> None:
    """A new package that no contract names could import the app."""
    contracts = tomllib.loads((REPOSITORY / "pyproject.toml").read_text("utf-8"))["tool"]["importlinter"]["contracts"]
    floors = [layer.split(" : ") for layer in contracts[0]["layers"]]
    packages = {f"ctxtui.{path.parent.name}" for path in (REPOSITORY / "ctxtui").glob("*/*.py")}
    assert {each for floor in floors for each in floor} == packages
    apart = next(each for each in contracts if each["type"] == "independence")
    assert set(apart["modules"]) == set(floors[-2])
    for contract in contracts:
        if contract["type"] == "forbidden":
            assert set(floors[-2]) <= set(contract["source_modules"]), contract["name"]
