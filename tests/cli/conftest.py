"""Running commands as processes."""

import os
import subprocess
from collections.abc import Container
from pathlib import Path
from typing import Any

import pytest

from tests import warm
from tests.cli.streams import Refused
from tests.conftest import Asked, Ctxtui, Said


@pytest.fixture
def ctxtui(sample: Path) -> Ctxtui:
    """Runs a command in the sample project."""

    def run(*words: str, stdin: str | bytes = "", cwd: Path = sample, **env: str) -> subprocess.CompletedProcess[str]:
        return warm.run(words, stdin, cwd, os.environ | env)

    return run


@pytest.fixture
def cli(ctxtui: Ctxtui) -> Asked:
    """Runs a command in a process of its own, which exits with a status, or with one of several."""

    def run(*words: str, status: int | Container[int] = 0, **more: Any) -> Said:
        done = ctxtui(*words, **more)
        assert done.returncode == status if isinstance(status, int) else done.returncode in status, done.stderr
        return Said(done.stdout, done.stderr)

    return run


@pytest.fixture
def refused(cli: Asked) -> Refused:
    """The standard error of a command that prints nothing and exits with 2, or with another status."""

    def run(*words: str, status: int = 2, **more: Any) -> str:
        out, err = cli(*words, status=status, **more)
        assert out == ""
        return err

    return run


def recipe(root: Path, name: str, text: str) -> Path:
    """Keep a recipe in a project."""
    place = root / ".ctxtui/recipes" / f"{name}.yaml"
    place.parent.mkdir(parents=True, exist_ok=True)
    place.write_text(text)
    return place
