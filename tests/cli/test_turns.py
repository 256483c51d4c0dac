"""The app answers keys while its threads compute; commands leave threads as they are."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

_TOLD = """
import sys
from ctxtui.cli.__main__ import main
before = sys.getswitchinterval()
main(sys.argv[1:])
print(before / sys.getswitchinterval())
"""


def _quicker(*words: str) -> float:
    """How many times shorter the turns of threads are after a command."""
    done = subprocess.run([sys.executable, "-c", _TOLD, *words], capture_output=True, text=True, check=True)
    return float(done.stdout)


def test_only_the_app_lets_threads_take_short_turns(tmp_path: Path) -> None:
    # There is no such folder: the app ends before it needs a terminal.
    missing = str(tmp_path / "missing")
    assert _quicker("-C", missing) >= 5
    assert _quicker("ls", "-C", missing) == 1
