"""Running commands as processes."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest


@pytest.fixture
def ctxtui(sample: Path) -> Callable[..., subprocess.CompletedProcess[str]]:
    """Runs a command in the sample project."""

    def run(*words: str, stdin: str = "", cwd: Path = sample, **env: str) -> subprocess.CompletedProcess[str]:
        return subprocess.run(
            [sys.executable, "-m", "ctxtui.cli", *words],
            input=stdin,
            capture_output=True,
            text=True,
            encoding="utf-8",
            cwd=cwd,
            env=os.environ | {"PYTHONPATH": str(Path(__file__).parents[2])} | env,
            timeout=60,
            check=False,
        )

    return run
