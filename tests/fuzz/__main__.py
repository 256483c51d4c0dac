"""`python -m tests.fuzz [--minutes N] [--seed S] [--only DOOR]… [--jobs 2]`: hostile inputs for every public door.

Crashes are made small and saved as cases, which the tests replay; `--only DOOR --seed S --at N` tries one input.
"""

import argparse
import sys
import tempfile
import time
from functools import partial
from pathlib import Path

from tests.fuzz.cases import FOLDER, save
from tests.fuzz.doors import DOORS
from tests.fuzz.judging import Found, judge, settle
from tests.fuzz.work import make
from tests.fuzz.workers import Result, attack


def main() -> int:
    """Run the attack; 1 when something crashed."""
    arguments = _arguments()
    names = arguments.only or list(DOORS)
    if arguments.at is not None:
        return _one(names[0], arguments.seed, arguments.at)
    print(f"seed {arguments.seed}, {arguments.minutes:g} minutes, {arguments.jobs} processes", flush=True)
    tell = partial(_tell, arguments.seed, arguments.cases)
    result = attack(names, arguments.seed, arguments.minutes * 60, arguments.jobs, tell)
    print(table(result))
    return 1 if result.found else 0


def _arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser("python -m tests.fuzz", description="Hostile inputs for every public door.")
    parser.add_argument("--minutes", type=float, default=2.0, help="how long (default: 2)")
    parser.add_argument("--seed", type=int, default=time.time_ns() % 1_000_000, help="default: by the clock")
    parser.add_argument("--only", action="append", choices=tuple(DOORS), metavar="DOOR", help=", ".join(DOORS))
    parser.add_argument("--jobs", type=int, default=2, help="processes (default: 2)")
    parser.add_argument("--at", type=int, help="try one input of a seed and door, and print it")
    saved = "where crashes are saved (default: tests/fuzz/cases)"
    parser.add_argument("--cases", type=Path, default=FOLDER, help=saved)
    arguments = parser.parse_args()
    if arguments.at is not None and len(arguments.only or ()) != 1:
        parser.error("--at needs one --only DOOR")
    return arguments


def _tell(seed: int, folder: Path, found: Found) -> None:
    """Save a crash and print it as soon as it is found."""
    crash = found.crash
    place = save(crash.door, found.given, folder)
    print(f"\n{crash.door}: {crash.signature}\n  --seed {seed} --only {crash.door} --at {found.at}, saved as {place}")
    print(f"  {ascii(found.given)[:600]}\n{crash.trace[-2_500:]}", flush=True)


def table(result: Result) -> str:
    lines = [f"{'door':<13}{'inputs':>10}{'checks':>12}{'crashes':>9}{'slowest':>10}"]
    for name, tally in result.tallies.items():
        lines.append(f"{name:<13}{tally.inputs:>10,}{tally.checks:>12,}{tally.crashes:>9,}{tally.slowest:>8.2f} s")
    projects = sum(tally.inputs for name, tally in result.tallies.items() if DOORS[name].is_project)
    sums = [sum(getattr(each, key) for each in result.tallies.values()) for key in ("inputs", "checks", "crashes")]
    whole = "{:>10,}{:>12,}{:>9,}".format(*sums)
    lines.append(f"{'all':<13}{whole}   {projects:,} of the inputs are whole projects")
    return "\n".join(lines)


def _one(name: str, seed: int, at: int) -> int:
    with tempfile.TemporaryDirectory() as folder:
        settle(Path(folder))
        given = make(DOORS[name], seed, at)
        outcome = judge(DOORS[name], given, Path(folder) / "project")
    print(ascii(given))
    print(f"{outcome.checks} checks, {outcome.seconds:.2f} s")
    print(outcome.crash.trace if outcome.crash else "nothing crashed")
    return 1 if outcome.crash else 0


if __name__ == "__main__":
    sys.exit(main())
