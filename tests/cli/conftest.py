"""Running commands as processes."""

from __future__ import annotations

import os
import subprocess
from pathlib import Path

import pytest

from tests import warm
from tests.conftest import Ctxtui


@pytest.fixture
def ctxtui(sample: Path) -> Ctxtui:
    """Runs a command in the sample project."""

    def run(*words: str, stdin: str = "", cwd: Path = sample, **env: str) -> subprocess.CompletedProcess[str]:
        return warm.run(words, stdin, cwd, os.environ | env)

    return run
