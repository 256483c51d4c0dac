"""Files with results, written as a run writes them, from outcomes that tests make up."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from contextlib import closing
from hashlib import sha1
from pathlib import Path
from random import Random

from ctxtui.fleet.results.schema import open_to_write
from ctxtui.fleet.run import append_outcomes, begin_run, end_run
from ctxtui.fleet.types import AgentStart, Fault, Member, Outcome

AGENTS = ("claude-code", "codex", "cursor", "gemini-cli", "github-copilot")
TEAMS = ("billing", "catalog", "checkout", "identity", "search", "shipping")
PARTS = ("api", "jobs", "web", "worker", "tools", "schema", "console")


def keep(file: Path, *of_runs: Iterable[Outcome], is_ended: bool = True, tokenizer: str = "o200k_base") -> Path:
    """Write one run after the other; the last may go on."""
    with closing(open_to_write(file)) as connection:
        for number, outcomes in enumerate(of_runs):
            every = list(outcomes)
            run = begin_run(connection, "1.0", tokenizer, f"{number}".encode(), len(every), fresh=True)
            append_outcomes(connection, run.id, tokenizer, every)
            if is_ended or number < len(of_runs) - 1:
                end_run(connection, run.id)
    return file


def fault(severity: str, path: str = "AGENTS.md") -> Fault:
    """A finding of a severity."""
    return Fault("broken-link", severity, "leads nowhere", path, 3, 0, f"broken-link|{path}")  # type: ignore[arg-type]


def outcome(
    name: str, starts: Sequence[tuple[str, int]] = (), faults: Sequence[str] = (), place: str = "", error: str = ""
) -> Outcome:
    """A repository with the starts of its agents and the severities of its findings."""
    tokens = sum(start for _, start in starts)
    files = 0 if error else 3 + tokens // 900
    return Outcome(
        Member(name, place or f"/srv/{name}"),
        error,
        "" if error else sha1(name.encode()).hexdigest(),
        files,
        tokens,
        tokens * 4,
        0.25,
        tuple(AgentStart(agent, start) for agent, start in starts),
        tuple(map(fault, faults)),
    )


def generated(count: int, is_later: bool = False) -> list[Outcome]:
    """As many repositories of all kinds, the same each time: some without agents, some failed; some grow later."""
    return [_generated(number, is_later) for number in range(count)]


def _generated(number: int, is_later: bool) -> Outcome:
    name = f"{TEAMS[number % len(TEAMS)]}/{PARTS[number % len(PARTS)]}-{number:04}"
    chance = Random(number)
    fails, grows = chance.random() < 0.02, chance.choice((1.0, 1.0, 1.0, 1.0, 0.95, 1.05, 1.1, 0.6, 1.5, 2.0))
    if fails and is_later:
        return outcome(name, error="git cannot read the repository: bad object HEAD")
    agents = chance.sample(AGENTS, chance.choice((0, 1, 1, 2, 3)))
    starts = [(agent, int(chance.lognormvariate(8.2, 0.9) * (grows if is_later else 1))) for agent in sorted(agents)]
    severities = ["error"] * chance.choice((0, 0, 0, 1, 2)) + ["warning"] * chance.choice((0, 0, 1, 3, 12))
    return outcome(name, starts, severities + ["info"] * chance.choice((0, 2, 5)))
