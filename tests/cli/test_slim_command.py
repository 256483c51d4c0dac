"""`ctxtui audit --slim`: the plan, writing single changes of it, and undoing them."""

from __future__ import annotations

import json
import re
import time
from pathlib import Path
from typing import Any

from ctxtui.core.disk.state_folder import state_folder
from tests.audit.transcripts import Home, answer, said, skill_listing
from tests.conftest import Ctxtui

RULE = ".claude/rules/migrations.md"


def _plan(ctxtui: Ctxtui) -> list[dict[str, Any]]:
    changes: list[dict[str, Any]] = json.loads(ctxtui("audit", "--slim", "--json").stdout)["result"]["changes"]
    return changes


def _of(ctxtui: Ctxtui, path: str) -> dict[str, Any]:
    (change,) = (each for each in _plan(ctxtui) if each["path"] == path)
    return change


def _starts(ctxtui: Ctxtui) -> dict[str, int]:
    agents = json.loads(ctxtui("audit", "--json").stdout)["result"]["agents"]
    return {agent["id"]: agent["startTokens"] for agent in agents}


def test_the_plan_shows_savings_losses_and_diffs_and_writes_nothing(ctxtui: Ctxtui, sample: Path) -> None:
    before = (sample / RULE).read_bytes()
    done = ctxtui("audit", "--slim")
    assert done.returncode == 0
    change = _of(ctxtui, RULE)
    for words in (change["id"], "claude-code 23", "no longer see it", '+  - "src/**"'):
        assert words in done.stdout
    assert len(done.stdout.splitlines()) <= 60
    assert "--slim-apply ID writes one" in done.stderr
    assert (sample / RULE).read_bytes() == before


def test_the_json_says_everything(ctxtui: Ctxtui) -> None:
    changes = _plan(ctxtui)
    assert [change["tokens"] for change in changes] == sorted((each["tokens"] for each in changes), reverse=True)
    for change in changes:
        assert set(change) == {"id", "kind", "path", "title", "tokens", "lost", "saved", "diff"}
        assert change["tokens"] == max((each["tokens"] for each in change["saved"]), default=0)
        assert all(each["tokens"] == each["before"] - each["after"] for each in change["saved"])


def test_a_change_is_written_by_its_id_and_saves_what_it_says(ctxtui: Ctxtui, sample: Path) -> None:
    before, starts, change = (sample / RULE).read_bytes(), _starts(ctxtui), _of(ctxtui, RULE)
    done = ctxtui("audit", "--slim-apply", change["id"])
    assert done.returncode == 0
    assert done.stdout == change["diff"]
    assert f"written: {change['title']}" in done.stderr
    after = _starts(ctxtui)
    assert {agent: starts[agent] - after[agent] for agent in starts if starts[agent] != after[agent]} == {
        each["agent"]: each["tokens"] for each in change["saved"]
    }
    again = ctxtui("audit", "--slim-apply", change["id"])
    assert (again.returncode, again.stdout) == (3, "")
    assert f"no change {change['id']}" in again.stderr
    undone = ctxtui("audit", "--slim-undo")
    assert f"undone: {change['title']}" in undone.stderr
    assert (sample / RULE).read_bytes() == before
    assert ctxtui("audit", "--slim-undo").returncode == 3


def test_switches_are_planned_from_transcripts_on_request_only(ctxtui: Ctxtui, sample: Path, tmp_path: Path) -> None:
    home = Home(Path.home(), sample.resolve())
    for day in range(1, 13):
        home.claude(said("hi"), skill_listing({"release-notes": "Writes them."}), answer((3, 900, 100)), day=day)
    assert not [change for change in _plan(ctxtui) if change["kind"] == "switch"]
    done = ctxtui("audit", "--slim", "--logs", "--every")
    assert "SWITCH OFF" in done.stdout
    (id_,) = re.findall(r"^switch-\w+", done.stdout, re.MULTILINE)
    starts = _starts(ctxtui)
    done = ctxtui("audit", "--slim-apply", id_)
    settings = sample / ".claude/settings.local.json"
    assert json.loads(settings.read_text())["skillOverrides"] == {"release-notes": "off"}
    after = _starts(ctxtui)
    changed = [f"Claude Code {starts[each]:,} → {after[each]:,}" for each in starts if after[each] != starts[each]]
    assert [f"start: {'; '.join(changed)}; ctxtui" in done.stderr, len(changed)] == [True, 1]
    ctxtui("audit", "--slim-undo")
    assert not settings.exists()


def test_the_newest_change_is_undone_first_even_if_the_clock_was_set_back(ctxtui: Ctxtui, sample: Path) -> None:
    first = _of(ctxtui, RULE)
    ctxtui("audit", "--slim-apply", first["id"])
    (record,) = state_folder("changes", sample.resolve()).iterdir()
    ahead = time.time_ns() + 3 * 86_400 * 10**9
    record.rename(record.with_name(f"{ahead}-1.json"))
    ctxtui("audit", "--fix")
    for title in ("token-drift", first["title"]):
        assert f"undone: {title}" in ctxtui("audit", "--slim-undo").stderr
