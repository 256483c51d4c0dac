"""Public names can be found: `dir()`, completion and `help()` list them, and the example of each package runs."""

import doctest
import importlib
import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

import ctxtui
from tests.cases import cases

BELOW = "agents audit catalog core entries loader mcp retrieval slices".split()
PACKAGES = ["ctxtui", *(f"ctxtui.{name}" for name in BELOW)]


def _said(*command: str, **options: Any) -> str:
    """What this Python prints."""
    run = subprocess.run([sys.executable, *command], capture_output=True, text=True, **options)
    assert run.returncode == 0, run.stderr
    return run.stdout


@cases("name", PACKAGES)
def test_dir_lists_the_public_names_before_any_is_used(name: str) -> None:
    code = f"import json, {name} as package; print(json.dumps([dir(package), sorted(package.__all__)]))"
    listed, public = json.loads(_said("-c", code))
    assert listed == public


@cases("name", PACKAGES)
def test_every_public_name_is_there(name: str) -> None:
    package = importlib.import_module(name)
    assert all(getattr(package, public) is not None for public in package.__all__)
    with pytest.raises(AttributeError, match=f"'{name}' has no attribute 'Nonesuch'"):
        package.Nonesuch  # noqa: B018 - the access is what is tested


def test_no_module_hides_a_public_name() -> None:
    # Importing `ctxtui.x.y` binds `y` in `ctxtui.x`, where a lazy name `y` would then be a module.
    for name in BELOW:
        package = importlib.import_module(f"ctxtui.{name}")
        modules = {path.stem for path in Path(package.__path__[0]).glob("*.py")}
        values = [getattr(package, public) for public in modules & set(package.__all__)]
        assert all(type(value) is not type(package) for value in values)


def test_help_describes_what_is_not_imported_yet() -> None:
    said = _said("-c", "import ctxtui; help(ctxtui.catalog)")
    assert "class MarkdownFileContextProvider(" in said
    assert "run_protocol(provider" in said
    assert "from __future__" not in said


def test_importing_all_packages_is_light() -> None:
    code = f"import json, sys, {', '.join(PACKAGES)}\nprint(json.dumps(sorted(sys.modules)))"
    heavy = {
        "textual",
        "rich",
        "tiktoken",
        "markdown_it",
        "pyromark",
        "mcp",
        "yaml",
        "re2",
        "ctxtui.workspace",
        "ctxtui.session",
    }
    assert not heavy & set(json.loads(_said("-c", code)))


def test_the_example_of_every_package_runs(sample: Path) -> None:
    # `doctest` puts an object without a buffer in the place of standard output, and servers write bytes.
    code = """
import doctest, importlib, sys
for name in sys.argv[1:]:
    names = {}
    for example in doctest.DocTestParser().get_examples(importlib.import_module(name).__doc__):
        if example.want:
            value = eval(example.source, names)
            assert f"{value!r}\\n" == example.want, f"{example.source}{value!r}"
        else:
            exec(example.source, names)
"""
    _said("-c", code, *PACKAGES, cwd=sample.parent, stdin=subprocess.DEVNULL)


@cases("name", PACKAGES)
def test_a_package_says_what_is_awaited_and_shows_it_in_six_lines(name: str) -> None:
    text = importlib.import_module(name).__doc__ or ""
    assert "awaited" in text
    assert 1 <= len(doctest.DocTestParser().get_examples(text)) <= 6


def test_python_m_ctxtui_is_the_command() -> None:
    assert _said("-m", "ctxtui", "--version").startswith(f"ctxtui {ctxtui.__version__} (tiktoken ")


_ELSEWHERE = """
import builtins, importlib, os, pkgutil, signal
import asyncio, platformdirs.unix, textual.drivers.linux_driver
import ctxtui

POSIX = {"curses", "fcntl", "grp", "pty", "pwd", "resource", "termios", "tty"}
found = [each.name for each in pkgutil.walk_packages(ctxtui.__path__, "ctxtui.") if "__main__" not in each.name]
import_it = builtins.__import__

def without_posix(name, globals=None, *rest, **more):
    # What libraries import is there on their platforms.
    if name in POSIX and (globals or {}).get("__name__", "").startswith("ctxtui"):
        raise ModuleNotFoundError(name)
    return import_it(name, globals, *rest, **more)

for name in "O_NOFOLLOW O_DIRECTORY O_NONBLOCK O_CLOEXEC fork getgid getpgrp killpg nice sched_getaffinity".split():
    delattr(os, name)
for name in "SIGALRM SIGHUP SIGKILL SIGPIPE SIGTSTP SIGWINCH".split():
    delattr(signal, name)
builtins.__import__ = without_posix
for name in found:
    importlib.import_module(name)
print(len(found))
"""


def test_nothing_that_only_posix_has_is_needed_to_import_a_module() -> None:
    assert int(_said("-c", _ELSEWHERE)) > 500
