"""`python -m tests.fuzz.full_disk`: a full standard output and a full disk; nothing is called a bug, old files stay."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path
from typing import Final

from tests.fuzz.machine import command, is_explained, last_word, workplace

_PRINTING: Final = (
    ("ls",),
    ("ls", "--json"),
    ("show", "AGENTS.md"),
    ("search", "refund"),
    ("build", "--pick", "AGENTS.md"),
    ("audit",),
    ("audit", "--json"),
    ("audit", "--format", "sarif"),
    ("load",),
    ("load", "--json"),
    ("protocol", "python"),
    ("entry", "query"),
    ("retrieve", "refund"),
)
_FAILED: Final = 4


def main() -> int:
    """Fill up; 1 when a command calls that a bug, or loses what there was."""
    with workplace() as folder:
        printed = _stdout(folder / "project")
        written = _disk(folder)
    return last_word(
        len(_PRINTING) + len(written), printed + [line for line in written if line], "runs on full disks"
    )


def _stdout(project: Path) -> list[str]:
    failed = []
    for words in _PRINTING:
        full = os.open("/dev/full", os.O_WRONLY)
        run = command(*words, "-C", str(project), "-q", out=full)
        os.close(full)
        if not is_explained(run, _FAILED):
            failed.append(f"{' '.join(words)} > /dev/full: {run.returncode} {run.stderr[-160:]!r}")
    return failed


def _disk(folder: Path) -> list[str]:
    """What went wrong in each run on a disk of 256 kB that is full; nothing where none may be mounted."""
    disk = folder / "disk"
    disk.mkdir()
    mount = subprocess.run(
        ["mount", "-t", "tmpfs", "-o", "size=256k", "tmpfs", disk], capture_output=True, check=False
    )
    if mount.returncode:
        print(f"no small disk: {mount.stderr.decode().strip()}; only /dev/full was tried")
        return []
    try:
        return _on(disk)
    finally:
        subprocess.run(["umount", disk], check=True)


def _on(disk: Path) -> list[str]:
    (disk / "notes").mkdir()
    (disk / "AGENTS.md").write_text("# Agents\n\nRefund.\n")
    place = ("-C", str(disk), "-q")
    first = command("entry", "add", "Old text.", "--category", "Lesson", "--id", "kept", *place)
    old = next(path for path in disk.rglob("*kept*") if path.is_file())
    out = disk / "out.md"
    out.write_text("old\n")
    before = (old.read_bytes(), out.read_bytes())
    _fill(disk / "filler")
    text = "New text. " * 2_000
    prompt = ("build", "--pick", "AGENTS.md", "--prompt", text, "-o", str(out))
    runs = {
        "entry add": command("entry", "add", text, "--category", "Lesson", *place),
        "build -o": command(*prompt, *place),
        "ls, home full": command(
            "ls", *place, before=["env", *(f"{name}={disk}/home" for name in ("XDG_CACHE_HOME", "XDG_STATE_HOME"))]
        ),
    }
    results = ["" if first.returncode == 0 else f"entry add: {first.stderr[-160:]!r}"]
    for name, run in runs.items():
        wanted = 0 if name.startswith("ls") else _FAILED
        results.append(
            "" if is_explained(run, wanted) else f"{name} on a full disk: {run.returncode} {run.stderr[-160:]!r}"
        )
    kept = before == (old.read_bytes(), out.read_bytes())
    left = [path.name for path in disk.rglob(".*.*") if path.is_file()]
    return [*results, "" if kept else "an old file was damaged", f"left: {left}" if left else ""]


def _fill(path: Path) -> None:
    with path.open("wb", buffering=0) as file:
        try:
            while file.write(b"x" * 4_096):
                pass
        except OSError:
            return


if __name__ == "__main__":
    sys.exit(main())
