"""`python -m tests.fuzz.damaged_caches`: every file of the caches damaged in every way; the output stays the same."""

from __future__ import annotations

import json
import shutil
import sys
from collections.abc import Callable
from pathlib import Path
from random import Random
from typing import Final

from tests.fuzz.machine import command, is_explained, last_word, workplace

_COMMANDS: Final = (("ls",), ("audit",), ("retrieve", "refund"))


def _folder(path: Path) -> None:
    path.unlink()
    path.mkdir()
    (path / "x").write_bytes(b"x")


def _flipped(path: Path) -> None:
    data = bytearray(path.read_bytes())
    random = Random(len(data))
    for _ in range(min(200, len(data))):
        data[random.randrange(len(data))] ^= 1 << random.randrange(8)
    path.write_bytes(data)


_DAMAGES: Final[dict[str, Callable[[Path], object]]] = {
    "empty": lambda path: path.write_bytes(b""),
    "half": lambda path: path.write_bytes(path.read_bytes()[: path.stat().st_size // 2]),
    "random": lambda path: path.write_bytes(Random(1).randbytes(8_192)),
    "zeros": lambda path: path.write_bytes(bytes(path.stat().st_size)),
    "bits": _flipped,
    "text": lambda path: path.write_text("SQLite format 3\n{}"),
    "folder": _folder,
    "unreadable": lambda path: path.chmod(0),
    "read-only": lambda path: path.chmod(0o400),
    "link": lambda path: (path.unlink(), path.symlink_to("nowhere")),
    "gone": lambda path: path.unlink(),
}


def main() -> int:
    """Damage the caches; 1 when a command says something else than without them."""
    tried, failed = 0, []
    with workplace() as folder:
        home = folder / "home"
        words = ("-C", str(folder / "project"), "--json", "-q")
        runs = {line: command(*line, *words) for line in _COMMANDS}
        true = {line: (run.returncode, json.loads(run.stdout)["result"]) for line, run in runs.items()}
        shutil.copytree(home, folder / "warm")
        for path in sorted(path for path in (folder / "warm").rglob("*") if path.is_file()):
            name = path.relative_to(folder / "warm")
            for damage, do in _DAMAGES.items():
                shutil.rmtree(home)
                shutil.copytree(folder / "warm", home)
                do(home / name)
                for line in _COMMANDS:
                    tried += 1
                    run = command(*line, *words)
                    status, result = true[line]
                    if not is_explained(run, status) or json.loads(run.stdout)["result"] != result:
                        failed.append(f"{line[0]} with {name} {damage}: {run.returncode} {run.stderr[-200:]!r}")
    return last_word(tried, failed, "starts with damaged caches")


if __name__ == "__main__":
    sys.exit(main())
