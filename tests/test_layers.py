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
    assert ours == {"ctxtui", "ctxtui.core", "ctxtui.core.lazy"}


def test_public_names_load_when_they_are_used() -> None:
    modules = _loaded_by("from ctxtui import Workspace, Session, Payload, Block, Notice, ContextError")
    assert {"ctxtui.workspace.workspace", "ctxtui.session.session"} <= modules
    assert not modules & {"textual", "rich", "tiktoken"}
