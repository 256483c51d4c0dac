"""Running commands as processes."""

from __future__ import annotations

import os
import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest

from ctxtui.cli.__main__ import main
from tests import warm
from tests.conftest import Ctxtui

Asked = Callable[..., tuple[str, str]]


@pytest.fixture
def ctxtui(sample: Path) -> Ctxtui:
    """Runs a command in the sample project."""

    def run(*words: str, stdin: str = "", cwd: Path = sample, **env: str) -> subprocess.CompletedProcess[str]:
        return warm.run(words, stdin, cwd, os.environ | env)

    return run


@pytest.fixture
def asked(capfd: pytest.CaptureFixture[str]) -> Asked:
    """Runs a command in this process and folder; what it printed on standard output and standard error."""

    def run(*words: str, status: int = 0) -> tuple[str, str]:
        assert main([*words]) == status
        said = capfd.readouterr()
        return said.out, said.err

    return run
