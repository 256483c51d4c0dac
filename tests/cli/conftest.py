"""Running commands as processes."""

from __future__ import annotations

import os
import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest

from tests import warm


@pytest.fixture
def ctxtui(sample: Path) -> Callable[..., subprocess.CompletedProcess[str]]:
    """Runs a command in the sample project."""

    def run(*words: str, stdin: str = "", cwd: Path = sample, **env: str) -> subprocess.CompletedProcess[str]:
        return warm.run(words, stdin, cwd, os.environ | env)

    return run
