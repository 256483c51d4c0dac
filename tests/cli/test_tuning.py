"""Commands do not look for garbage among what they read; the app answers keys while its threads compute."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

_TURNS = """
import sys
from ctxtui.cli.__main__ import main
before = sys.getswitchinterval()
main(sys.argv[1:])
print(before / sys.getswitchinterval())
"""


def _quicker(*words: str) -> float:
    """How many times shorter the turns of threads are after a command."""
    done = subprocess.run([sys.executable, "-c", _TURNS, *words], capture_output=True, text=True, check=True)
    return float(done.stdout)


def test_only_the_app_lets_threads_take_short_turns(tmp_path: Path) -> None:
    # There is no such folder: the app ends before it needs a terminal.
    missing = str(tmp_path / "missing")
    assert _quicker("-C", missing) >= 5
    assert _quicker("ls", "-C", missing) == 1


_TOLD = """
import gc, sys
from ctxtui.cli.__main__ import main
before = gc.get_stats()
status = main(["ls", "-C", sys.argv[1]])
for each, earlier in zip(gc.get_stats(), before):
    print(each["collections"] - earlier["collections"], file=sys.stderr)
sys.exit(status)
"""


def test_a_command_never_looks_at_all_objects(tmp_path: Path) -> None:
    (tmp_path / "AGENTS.md").write_text("# Rules\n\nBe kind.\n")
    done = subprocess.run([sys.executable, "-c", _TOLD, str(tmp_path)], capture_output=True, text=True, check=True)
    young, older, oldest = map(int, done.stderr.splitlines()[-3:])
    assert (older, oldest) == (0, 0)
    assert young < 50
