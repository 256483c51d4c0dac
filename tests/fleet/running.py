"""Fleets of small repositories, the command as a process, and what its results say without times."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from collections.abc import Iterator, Mapping
from contextlib import closing, contextmanager
from pathlib import Path
from typing import Any

import psutil

from ctxtui.fleet.results.schema import open_to_read
from tests.conftest import REPOSITORY

_LONGEST = 120
_QUERIES = (
    'SELECT name, error, "commit", files, tokens, bytes FROM repositories WHERE run = ?',
    "SELECT name, agent, start, home, lost FROM agents JOIN repositories ON repository = id WHERE run = ?",
    "SELECT name, rule, severity, message, path, line, f.tokens, key FROM findings AS f"
    " JOIN repositories AS r ON repository = r.id WHERE run = ?",
    "SELECT name, path, kind, start, hex(digest), c.tokens FROM files JOIN repositories AS r ON repository = r.id"
    " JOIN contents AS c ON content = c.id WHERE run = ?",
    "SELECT name, path, position, b.line, b.tokens, head FROM files JOIN repositories AS r ON repository = r.id"
    " JOIN blocks AS b USING (content) JOIN texts AS t ON text = t.id WHERE run = ?",
)


def make_fleet(folder: Path, count: int, files: int = 3) -> Path:
    """A folder with some repositories, each with rules of its own and some that all have."""
    for number in range(count):
        root = folder / f"r{number:03}"
        rules = {f".claude/rules/{each}.md": _rule(number, each) for each in range(files)}
        for name, text in {
            "AGENTS.md": f"# R{number}\n\n[a](gone.md)\n",
            "CLAUDE.md": "@AGENTS.md\n",
            **rules,
        }.items():
            (root / name).parent.mkdir(parents=True, exist_ok=True)
            (root / name).write_text(text)
    return folder


def _rule(number: int, each: int) -> str:
    own = " ".join(f"word{number * word % 97}" for word in range(each * 40))
    return f"# Rule {each}\n\nAlways run the tests before you commit.\n\n{own}\n"


def found(results: Path, run: int = 1) -> list[list[tuple[Any, ...]]]:
    """All that a run found, in a fixed order, without ids and times."""
    with closing(open_to_read(results)) as connection:
        return [sorted(connection.execute(query, (run,)).fetchall()) for query in _QUERIES]


def names(results: Path, run: int = 1) -> list[str]:
    """The repositories that a run has."""
    return [row[0] for row in found(results, run)[0]]


@contextmanager
def started(*words: str, module: str = "ctxtui", **environment: str) -> Iterator[subprocess.Popen[str]]:
    """A command as a process in a group of its own, which ends with the block."""
    process = subprocess.Popen(
        [sys.executable, "-m", module, *words],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        env={**os.environ, "PYTHONPATH": str(REPOSITORY), **environment},
        process_group=0,
    )
    try:
        yield process
    finally:
        below = _below(process.pid)
        for pid in (process.pid, *below):
            _kill(pid)
        process.wait(_LONGEST)
        # Not read to their ends, which something that outlives it may hold open.
        for stream in (process.stdout, process.stderr):
            if stream is not None:
                stream.close()


def fleet(*words: object, environment: Mapping[str, str] | None = None) -> subprocess.CompletedProcess[str]:
    """Run `ctxtui fleet` to its end."""
    with started("fleet", *map(str, words), **(environment or {})) as process:
        out, err = process.communicate(timeout=200)
    return subprocess.CompletedProcess(process.args, process.returncode, out, err)


def workers_of(pid: int) -> list[int]:
    """The workers that a command has started on this machine."""
    return [each for each in _below(pid) if _runs(each, "ctxtui.core.disk.workers.child")]


def _below(pid: int) -> list[int]:
    try:
        return [each.pid for each in psutil.Process(pid).children(recursive=True)]
    except psutil.NoSuchProcess:
        return []


def _runs(pid: int, module: str) -> bool:
    try:
        return module in psutil.Process(pid).cmdline()
    except psutil.Error:
        return False


def _kill(pid: int) -> None:
    try:
        os.kill(pid, signal.SIGKILL)
    except ProcessLookupError:
        return


def wait_until(condition: Any, what: str, pause: Any = None) -> Any:
    """What a condition says once it is true; fails after two minutes."""
    until = time.monotonic() + _LONGEST
    while time.monotonic() < until:
        value = condition()
        if value:
            return value
        (pause or _rest)()
    raise AssertionError(f"waited in vain for {what}")


def _rest() -> None:
    subprocess.run([sys.executable, "-c", ""], check=True)
