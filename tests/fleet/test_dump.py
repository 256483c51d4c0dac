"""The rows of a run as lines: the same for runs that found the same, in any order, and harmless."""

import json
from pathlib import Path
from random import Random

from ctxtui.fleet.results.dump import dumped
from ctxtui.fleet.results.read import find_run
from ctxtui.fleet.types import AgentStart, Fault, Member, Outcome
from tests.fleet.kept import generated
from tests.fleet.results_helpers import file, results

HOSTILE = Outcome(
    Member("ev\u202eil\x1b[2J\n", "/srv/x"),
    commit="1a",
    seconds=1.5,
    agents=(AgentStart("codex", 3),),
    faults=(Fault("secret", "error", "said\u2028so", "A\x07.md", 1, 2, "k"),),
    context=(file("A.md", "one", "two"), file("B.md", "one")),
)


def test_runs_that_found_the_same_have_the_same_lines(tmp_path: Path) -> None:
    found = [*generated(40), HOSTILE]
    shuffled = [
        Outcome(*each[:6], each.seconds + 9, each.agents, each.faults[::-1], each.context[::-1])
        for each in Random(3).sample(found, len(found))
    ]
    with results(tmp_path, found, generated(40, is_later=True), shuffled) as connection:
        first, second, third = (list(dumped(connection, find_run(connection, number))) for number in (1, 2, 3))
    assert first == third
    assert first != second


def test_every_row_is_a_line_that_cannot_control_a_terminal(tmp_path: Path) -> None:
    with results(tmp_path, [HOSTILE, Outcome(Member("a", "/a"), "is gone")]) as connection:
        lines = list(dumped(connection, find_run(connection)))
    rows = [json.loads(line) for line in lines]
    assert all(line.endswith("}\n") and line.isascii() and line[:-1].isprintable() for line in lines)
    kinds = [row.pop("row") for row in rows]
    assert kinds == ["run", *["repository"] * 2, "agent", "finding", *["file"] * 2, *["block"] * 3]
    assert rows[1] == {
        "name": "a", "place": "/a", "error": "is gone", "commit": "", "files": 0, "tokens": 0, "bytes": 0,
    }  # fmt: skip
    assert rows[3] == {"repository": HOSTILE.member.name, "agent": "codex", "start": 3, "home": 0, "lost": 0}
    assert [row["head"] for row in rows if "head" in row and row["position"] == 1] == ["two"]
    assert not any(key in row for row in rows for key in ("id", "seconds", "began", "ended_at"))
