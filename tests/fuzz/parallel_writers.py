"""Many processes that add entries at once: what they say was stored is there, and nothing else.

    python tests/fuzz/parallel_writers.py [--processes 20] [--rounds 20]

Each round starts the processes, lets them begin together, and adds texts with the same first words, so that
every process makes up the same id first. Then all of them add one id at once, of which one may succeed, and
replace one entry at once, of which each text has to be kept.
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
import tempfile
import time
from dataclasses import dataclass
from pathlib import Path

from ctxtui.core.records import RecordDirectory

_WORDS = "The same first words of the very same long text here and then number"
_WAIT = """
import sys
from ctxtui.cli.__main__ import main
print("ready", flush=True)
sys.stdin.readline()
sys.exit(main(sys.argv[1:]))
"""


@dataclass(frozen=True)
class Outcome:
    """How one process ended, and what it printed."""

    status: int
    out: str
    err: str


def at_once(commands: list[list[str]], place: Path) -> list[Outcome]:
    """Run commands of ctxtui in `place/project` as processes that begin at the same moment."""
    home, project = place / "home", place / "project"
    names = ("XDG_CACHE_HOME", "XDG_STATE_HOME", "XDG_CONFIG_HOME", "XDG_DATA_HOME")
    folders = {"HOME": str(home), **{name: str(home / name) for name in names}}
    env = os.environ | folders | {"PYTHONPATH": str(Path(__file__).parents[2])}
    started = [
        subprocess.Popen(
            [sys.executable, "-c", _WAIT, *words],
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


def add_made_up(processes: int, place: Path) -> list[str]:
    """Ids that are made up at once; what was lost or went wrong."""
    texts = [f"{_WORDS} {number}" for number in range(processes)]
    done = at_once([["entry", "add", text, "--category", "Lesson", "--json"] for text in texts], place)
    wrong = [f"exit {each.status}: {each.err}" for each in done if each.status]
    said = {entry["entryId"]: entry["content"] for each in done if not each.status for entry in [_result(each)]}
    stored = {record.id: record.content for record in RecordDirectory(place / "project/context").all()}
    return wrong + ([] if stored == said and set(stored.values()) == set(texts) else [_lost(texts, stored)])


def add_one_id(processes: int, place: Path) -> list[str]:
    """One id that is given at once: one process stores it, the others are refused."""
    words = ["--category", "Lesson", "--id", "one"]
    texts = [f"text {number}" for number in range(processes)]
    done = at_once([["entry", "add", text, *words, "-q"] for text in texts], place)
    statuses = sorted(each.status for each in done)
    record = RecordDirectory(place / "project/context").get("one")
    winner = next((text for text, each in zip(texts, done, strict=True) if not each.status), None)
    is_right = statuses == [0, *[2] * (processes - 1)] and record is not None and record.content == winner
    return [] if is_right else [f"one id at once: statuses {statuses}, stored {record}, winner {winner}"]


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
    return [] if is_right else [f"replacing at once: kept {sorted(kept)}, stored {record}, wanted {wanted}"]


def run(processes: int, rounds: int) -> list[str]:
    """All rounds, each attack in a folder of its own; what went wrong."""
    wrong: list[str] = []
    for _ in range(rounds):
        for attack in (add_made_up, add_one_id, replace_one_id):
            with tempfile.TemporaryDirectory() as name:
                place = Path(name)
                for folder in ("home", "project"):
                    (place / folder).mkdir()
                wrong += attack(processes, place)
                files = (place / "project/context").iterdir()
                wrong += [f"left behind: {file}" for file in files if file.name.startswith(".")]
    return wrong


def _result(outcome: Outcome) -> dict[str, str]:
    result: dict[str, str] = json.loads(outcome.out)["result"]
    return result


def _lost(texts: list[str], stored: dict[str, str]) -> str:
    return f"{len(texts) - len(set(texts) & set(stored.values()))} of {len(texts)} lost"


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
