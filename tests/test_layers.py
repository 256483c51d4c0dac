"""What an import loads: the core stands alone, the package itself loads nothing."""

import json
import subprocess
import sys

import pytest


def _loaded_by(statement: str) -> set[str]:
    code = f"import json, sys\n{statement}\nprint(json.dumps(sorted(sys.modules)))"
    run = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    return set(json.loads(run.stdout))


@pytest.mark.parametrize("heavy", ["textual", "rich", "ctxtui.workspace", "tiktoken", "markdown_it", "genai_prices"])
def test_importing_the_core_leaves_out(heavy: str, core_modules: set[str]) -> None:
    assert heavy not in core_modules


@pytest.fixture(scope="module")
def core_modules() -> set[str]:
    modules = _loaded_by("import ctxtui.core")
    assert "ctxtui.core" in modules
    return modules


def test_importing_the_package_loads_only_what_finds_its_names() -> None:
    ours = {name for name in _loaded_by("import ctxtui") if name.split(".")[0] == "ctxtui"}
    assert ours == {"ctxtui", "ctxtui.version", "ctxtui.core", "ctxtui.core.lazy"}


def test_public_names_load_when_they_are_used() -> None:
    modules = _loaded_by("from ctxtui import Workspace, Session, Payload, Block, Notice, ContextError")
    assert {"ctxtui.workspace.workspace", "ctxtui.session.session"} <= modules
    assert not modules & {"textual", "rich", "tiktoken"}


_BELOW_THE_APP = (
    "agents",
    "audit",
    "catalog",
    "core",
    "entries",
    "loader",
    "mcp",
    "retrieval",
    "session",
    "slices",
    "workspace",
)
_EVERY_MODULE = """
import importlib, pkgutil, sys
package = importlib.import_module("ctxtui.{}")
for module in pkgutil.walk_packages(package.__path__, package.__name__ + "."):
    importlib.import_module(module.name)
"""


@pytest.mark.parametrize("package", _BELOW_THE_APP)
def test_no_module_below_the_app_needs_a_screen(package: str) -> None:
    modules = _loaded_by(_EVERY_MODULE.format(package))
    assert len([name for name in modules if name.startswith(f"ctxtui.{package}.")]) > 2
    assert not {name for name in modules if name.split(".")[0] == "textual" or name.startswith("ctxtui.tui")}
    assert package == "mcp" or not {name for name in modules if name.split(".")[0] == "rich"}


def test_the_command_line_starts_without_a_screen() -> None:
    modules = _loaded_by(
        "import ctxtui.cli.__main__, ctxtui.cli.parser, ctxtui.cli.build, ctxtui.cli.ls, ctxtui.cli.audit"
    )
    assert not {
        name for name in modules if name.split(".")[0] in ("textual", "rich") or name.startswith("ctxtui.tui")
    }
