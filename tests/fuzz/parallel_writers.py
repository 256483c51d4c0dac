"""Many processes that write entries at once: what they say was stored is there, and nothing else.

    python tests/fuzz/parallel_writers.py [--processes 20] [--rounds 20]

All processes add as many texts as there are rounds, with the same first words, so that they make up the same
ids. Then, in each round, the command adds one id in all of them, of which one may succeed, and replaces one
entry in all of them, of which each text has to be kept.
"""

from __future__ import annotations

import argparse
import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from ctxtui.core.documents.records.directory import RecordDirectory

_WORDS = "The same first words of the very same long text here and then number"
# Everything that takes long is done before the start, so that the writes meet.
_COMMAND = """
import asyncio, sys
from ctxtui.cli.__main__ import main

run = asyncio.run

def run_with_the_others(work):
    print("ready", flush=True)
    sys.stdin.readline()
    return run(work)

asyncio.run = run_with_the_others
sys.exit(main(sys.argv[1:]))
"""
_ADD = f"""
import asyncio, sys
from ctxtui.session.queries.entry_book import EntryBook, EntryDraft
from ctxtui.workspace.workspace import Workspace

book = EntryBook(Workspace.open("."), "context")
name, times = sys.argv[1], int(sys.argv[2])

async def add():
    for turn in range(times):
        written = await book.add(EntryDraft(f"{_WORDS} {{name}}, {{turn}}", "Lesson"))
        print(written.entry.entry_id)

print("ready", flush=True)
sys.stdin.readline()
asyncio.run(add())
"""


@dataclass(frozen=True)
class Outcome:
    """How one process ended, and what it printed."""

    status: int
    out: str
    err: str


def at_once(commands: list[list[str]], place: Path, code: str = _COMMAND) -> list[Outcome]:
    """Run code with some words in `place/project` as processes that begin at the same moment."""
    home, project = place / "home", place / "project"
    names = ("XDG_CACHE_HOME", "XDG_STATE_HOME", "XDG_CONFIG_HOME", "XDG_DATA_HOME")
    folders = {"HOME": str(home), **{name: str(home / name) for name in names}}
    env = os.environ | folders | {"PYTHONPATH": str(Path(__file__).parents[2])}
    started = [
        subprocess.Popen(
            [sys.executable, "-c", code, *words],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
            cwd=project,
            env=env,
        )
        for words in commands
    ]
    for process in started:
        assert process.stdout
        assert process.stdout.readline() == "ready\n"
    for process in started:
        assert process.stdin
        process.stdin.write("go\n")
        process.stdin.flush()
    ends = [process.communicate(timeout=120) for process in started]
    return [Outcome(process.returncode, *end) for process, end in zip(started, ends, strict=True)]


def add_made_up(processes: int, place: Path, times: int = 1) -> list[str]:
    """Ids that are made up at once, `times` in each process; what was lost or left behind."""
    done = at_once([[f"process {number}", str(times)] for number in range(processes)], place, _ADD)
    wrong = [f"exit {each.status}: {each.err}" for each in done if each.status]
    texts = {f"{_WORDS} process {number}, {turn}" for number in range(processes) for turn in range(times)}
    said = [line for each in done for line in each.out.splitlines()]
    records = RecordDirectory(place / "project/context").all()
    lost = len(texts - {record.content for record in records})
    if lost or sorted(said) != sorted(record.id for record in records):
        wrong.append(f"{lost} of {len(texts)} lost; {len(said)} ids told, {len(records)} there")
    return wrong + _left_behind(place)


def add_one_id(processes: int, place: Path) -> list[str]:
    """One id that is given at once: one process stores it, the others are refused."""
    words = ["--category", "Lesson", "--id", "one"]
    texts = [f"text {number}" for number in range(processes)]
    done = at_once([["entry", "add", text, *words, "-q"] for text in texts], place)
    statuses = sorted(each.status for each in done)
    record = RecordDirectory(place / "project/context").get("one")
    winner = next((text for text, each in zip(texts, done, strict=True) if not each.status), None)
    is_right = statuses == [0, *[2] * (processes - 1)] and record is not None and record.content == winner
    return (
        _left_behind(place)
        if is_right
        else [f"one id at once: statuses {statuses}, stored {record}, winner {winner}"]
    )


def replace_one_id(processes: int, place: Path) -> list[str]:
    """One entry that is replaced at once: all texts but the last are kept aside."""
    words = ["--category", "Lesson", "--id", "one", "--replace", "-q"]
    before = "the first text"
    at_once([["entry", "add", before, *words]], place)
    texts = [f"another {number}" for number in range(processes)]
    done = at_once([["entry", "add", text, *words] for text in texts], place)
    record = RecordDirectory(place / "project/context").get("one")
    kept = [file.read_text("utf-8").rpartition("---\n")[2] for file in place.glob("home/**/replaced/**/*.md")]
    wanted = sorted([*texts, before])
    is_right = not any(each.status for each in done) and sorted([*kept, record.content if record else ""]) == wanted
    return (
        _left_behind(place)
        if is_right
        else [f"replacing at once: kept {sorted(kept)}, stored {record}, wanted {wanted}"]
    )


def run(processes: int, rounds: int) -> list[str]:
    """All attacks, each in a folder of its own; what went wrong."""
    wrong: list[str] = []
    with _place() as place:
        wrong += add_made_up(processes, place, rounds)
    for _ in range(rounds):
        for attack in (add_one_id, replace_one_id):
            with _place() as place:
                wrong += attack(processes, place)
    return wrong


@contextmanager
def _place() -> Iterator[Path]:
    """A folder with a project and a home."""
    with tempfile.TemporaryDirectory() as name:
        for folder in ("home", "project"):
            (Path(name) / folder).mkdir()
        yield Path(name)


def _left_behind(place: Path) -> list[str]:
    files = (place / "project/context").iterdir()
    return [f"left behind: {file}" for file in files if file.name.startswith(".")]


def main() -> int:
    """Run from the command line; 1 if anything was lost."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--processes", type=int, default=20)
    parser.add_argument("--rounds", type=int, default=20)
    arguments = parser.parse_args()
    began = time.monotonic()
    wrong = run(arguments.processes, arguments.rounds)
    print("\n".join(wrong))
    print(
        f"{arguments.processes} processes x {arguments.rounds} rounds: {len(wrong)} wrong, {time.monotonic() - began:.0f} s"
    )
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
