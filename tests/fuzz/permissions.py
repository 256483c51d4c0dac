"""`python -m tests.fuzz.permissions`: files, folders and homes that may not be read or written.

The superuser may read everything, so the commands run without its capabilities (`setpriv` or `capsh`).
"""

from __future__ import annotations

import os
import shutil
import sys
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Final

from tests.fuzz.machine import command, is_explained, last_word, workplace

_CAPABILITIES: Final = "dac_override,-dac_read_search,-fowner"
_LOCKED: Final = (
    *("AGENTS.md", ".context", ".context/TASKS.md", ".context/CONSTITUTION.md", "context_library", "notes", "docs"),
    *("context_library/python", "context_library/cross_domain.md", ".cursor/rules", "ctxtui.toml", "pyproject.toml"),
    *(".gitignore", ".ctxtui", ".ctxtui/recipes", "src", "."),
)
_READING: Final = (
    *(("ls",), ("audit",), ("load",), ("check",), ("protocol", "python"), ("entry", "query"), ("retrieve", "refund")),
    *(("build", "--pick", "AGENTS.md"), ("show", "AGENTS.md", "--content")),
)
_WRITING: Final = (
    ("entry", "add", "text", "--category", "Lesson"),
    ("audit", "--fix"),
    ("build", "--pick", "AGENTS.md", "-o", "{place}/out.md"),
)
_DONE, _CHECK_FAILED, _WRONG, _NOT_FOUND, _FAILED = range(5)


def _dropping() -> Sequence[str] | None:
    """The words before a command that take the superuser's capabilities away; empty for anybody else."""
    if os.geteuid():
        return ()
    if shutil.which("setpriv"):
        return ("setpriv", f"--bounding-set=-{_CAPABILITIES}", f"--inh-caps=-{_CAPABILITIES}")
    if shutil.which("capsh"):
        dropped = ",".join(f"cap_{name.lstrip('-')}" for name in _CAPABILITIES.split(","))
        return ("capsh", f"--drop={dropped}", "--", "-c", 'exec "$0" "$@"')
    return None


def main() -> int:
    """Lock what there is, piece by piece; 1 when a command breaks or calls it a bug."""
    before = _dropping()
    if before is None:
        print("skipped: neither setpriv nor capsh is there to drop the superuser's capabilities")
        return 0
    failed: list[str] = []
    tried = 0
    with workplace() as folder:
        project = folder / "project"
        for name in (".ctxtui/recipes",):
            (project / name).mkdir(parents=True, exist_ok=True)
        for name in _LOCKED:
            tried += len(_READING)
            failed += _with_mode(project / name, 0, lambda name=name: _tried(_READING, project, name, before))
        for name in (".", "notes", "context_library/python"):
            tried += len(_WRITING)
            failed += _with_mode(project / name, 0o555, lambda name=name: _tried(_WRITING, project, name, before))
        for mode in (0, 0o555):
            tried += len(_READING)
            failed += _with_mode(folder / "home", mode, lambda: _tried(_READING, project, "the home", before))
    return last_word(tried, failed, "runs without permission")


def _with_mode(place: Path, mode: int, run: Callable[[], list[str]]) -> list[str]:
    place.mkdir(parents=True, exist_ok=True) if not place.exists() else None
    old = place.stat().st_mode
    place.chmod(mode)
    try:
        return run()
    finally:
        place.chmod(old)


def _tried(lines: Sequence[Sequence[str]], project: Path, name: str, before: Sequence[str]) -> list[str]:
    failed = []
    for line in lines:
        words = [word.format(place=project) for word in line]
        run = command(*words, "-C", str(project), before=before)
        if not is_explained(run, _DONE, _CHECK_FAILED, _WRONG, _NOT_FOUND, _FAILED):
            failed.append(f"{' '.join(line)} with {name} locked: {run.returncode} {run.stderr[-200:]!r}")
    return failed


if __name__ == "__main__":
    sys.exit(main())
