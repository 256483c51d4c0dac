"""The table of agents against what eight agents sent: `captured_marks.txt` has it, and captures renew it.

`CTXTUI_RENEW=1 pytest -m heavy tests/agents/test_captured_marks.py` starts the agents on the PATH and writes the file.
"""

import os
import subprocess
from functools import cache
from pathlib import Path

import pytest

from ctxtui.agents import audit_agents
from ctxtui.agents.capture.capture import Setting, capture
from ctxtui.agents.capture.kept import Capture
from ctxtui.agents.capture.launches import find_program, launches
from ctxtui.agents.project.paths import Index
from ctxtui.agents.table import load_table, with_wanted
from ctxtui.audit.starts.compare import compare_capture
from ctxtui.core.tokens.by_name import get_counter
from tests.agents.marks import FILES, MARKS, found, named
from tests.cases import cases

_DATA = Path(__file__).with_name("captured_marks.txt")
_LISTED = ("skill", "command", "agent")
# Listed once the user has acknowledged it, and headless never.
_ACKNOWLEDGED = {("gemini-cli", "a-gemini")}
# Which of two skills of one name wins changes from run to run, and a list of names does not tell.
_EITHER = {("opencode", "twin-agents"), ("opencode", "twin-claude"), ("cline-cli", "twin-claude")}


@cache
def _data() -> dict[str, dict[str, str]]:
    """The columns of the file by agent: version, tokens, and the marks of each key."""
    head, *rest = [line.split() for line in _DATA.read_text().splitlines() if line and not line.startswith("#")]
    return {agent: {row[0]: row[place] for row in rest} for place, agent in enumerate(head) if place}


def test_every_agent_that_can_be_started_was_captured() -> None:
    table = {agent.id: agent for agent in load_table()}
    assert set(_data()) == set(launches())
    for id_, column in _data().items():
        verified, fixed = table[id_].verified, table[id_].fixed
        assert verified is not None
        assert {verified.version, *(each.version for each in fixed)} == {column["version"]}
        assert {each.day for each in fixed} == {verified.day}


@cases("agent", sorted(launches()))
def test_the_table_predicts_what_was_sent(agent: str) -> None:
    wanted = with_wanted(load_table(), [agent])
    contexts = audit_agents(Index(list(FILES)), FILES.get, len, table=[each for each in wanted if each.id == agent])
    (context,) = contexts
    keys = {path: key for key, path in MARKS.items()}
    predicted = dict.fromkeys(MARKS, "absent")
    for charge in context.charges:
        if charge.start_tokens and charge.path in keys:
            predicted[keys[charge.path]] = "listed" if charge.entry and charge.row.kind in _LISTED else charge.moment
    for key in MARKS:
        if (agent, key) in _ACKNOWLEDGED | _EITHER:
            continue
        marks, form = _data()[agent][key].replace("-", ""), predicted[key]
        if key.split("-")[0] in ("s", "a", "c", "twin"):
            # A skill without a description, or one that is not YAML, is listed by its heading.
            headed = agent == "claude-code" and key in ("s-nodesc", "s-broken", "s-nofront-claude", "c-nodesc")
            assert (form == "listed") == bool(marks or headed), key
        else:
            forms = {"B" in marks: "whole", ("D" in marks and "B" not in marks): "listed"}
            assert {"start": "whole", "configured": "whole"}.get(form, form) == forms.get(True, "absent"), key


@pytest.mark.heavy
@pytest.mark.parametrize("agent", sorted(launches()))
def test_an_installed_agent_sends_what_the_table_predicts(agent: str, tmp_path: Path) -> None:
    root = tmp_path / "fixture"
    for name, text in FILES.items():
        (root / name).parent.mkdir(parents=True, exist_ok=True)
        (root / name).write_text(text)
    git = ["git", "-C", str(root), "-c", "user.name=a", "-c", "user.email=a@b"]
    for words in (["init", "-q"], ["add", "-A"], ["commit", "-qm", "one"]):
        subprocess.run([*git, *words], check=True)
    launch = launches()[agent]
    program = find_program(launch, root)
    if program is None:
        pytest.skip(f"{launch.executable} is not on the PATH")
    made = capture(program, Setting(root, paths=tuple(sorted(FILES))), b"")
    counter = get_counter("o200k_base")
    wanted = with_wanted(load_table(), ["all"])
    contexts = audit_agents(Index(list(FILES)), FILES.get, counter.count, table=wanted, top=root.as_posix())
    (context,) = [each for each in contexts if each.agent.id == agent]
    categories, files = compare_capture(made.parts, launch, context, {}, FILES.get, counter)
    total = sum(counter.count(part.text) for part in made.parts)
    assert sum(each.captured or 0 for each in categories) == total
    _renew(agent, made, total)
    keys = {path: key for key, path in MARKS.items()}
    unknown = [each for each in files if each.differs and (agent, keys[each.path]) not in _ACKNOWLEDGED | _EITHER]
    assert unknown == []
    same = [each for each in files if each.expected == each.sent]
    predicted, sent = sum(each.predicted for each in same), sum(each.sent_tokens or 0 for each in same)
    assert abs(sent - predicted) <= max(0.01 * predicted, 10)


def _renew(agent: str, made: Capture, total: int) -> None:
    """Write what was sent into the file, if asked to."""
    if not os.environ.get("CTXTUI_RENEW"):
        return
    text = "\n".join(part.text for part in made.parts)
    lists = text.partition("Available skills: ")[2].partition('",')[0] if agent == "cline-cli" else ""
    marks = found(text) | named(lists)
    columns = _data() if _DATA.exists() else {}
    columns[agent] = {"version": made.version, "tokens": str(total), **{key: marks.get(key, "-") for key in MARKS}}
    _write(columns)
    _data.cache_clear()


def _write(columns: dict[str, dict[str, str]]) -> None:
    agents = sorted(columns)
    lines = ["# The parts of each file whose mark an agent sent, by key: letters as in marks.py, N only its name."]
    lines.append(" ".join(["key".ljust(22), *(each.ljust(11) for each in agents)]).rstrip())
    for row in ("version", "tokens", *MARKS):
        cells = (columns[each].get(row, "-").ljust(11) for each in agents)
        lines.append(" ".join([row.ljust(22), *cells]).rstrip())
    _DATA.write_text("\n".join([*lines, ""]))
