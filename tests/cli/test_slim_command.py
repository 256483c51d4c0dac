"""`ctxtui audit --slim`: the plan, writing single changes of it, and undoing them."""

import json
import re
import time
from pathlib import Path
from typing import Any

from ctxtui.core.disk.state_folder import state_folder
from tests.audit.transcripts import Home, answer, said, skill_listing
from tests.cli.streams import Refused
from tests.conftest import Asked

RULE = ".claude/rules/migrations.md"


def _plan(cli: Asked) -> list[dict[str, Any]]:
    changes: list[dict[str, Any]] = cli("audit", "--slim", "--json").result["changes"]
    return changes


def _of(cli: Asked, path: str) -> dict[str, Any]:
    (change,) = (each for each in _plan(cli) if each["path"] == path)
    return change


def _starts(cli: Asked) -> dict[str, int]:
    return {agent["id"]: agent["startTokens"] for agent in cli("audit", "--json", status=1).result["agents"]}


def test_the_plan_shows_savings_losses_and_diffs_and_writes_nothing(cli: Asked, sample: Path) -> None:
    before = (sample / RULE).read_bytes()
    out, err = cli("audit", "--slim")
    for words in (_of(cli, RULE)["id"], "claude-code 23", "no longer see it", '+  - "src/**"'):
        assert words in out
    assert len(out.splitlines()) <= 60
    assert "--slim-apply ID writes one" in err
    assert (sample / RULE).read_bytes() == before


def test_the_json_says_everything(cli: Asked) -> None:
    changes = _plan(cli)
    assert [change["tokens"] for change in changes] == sorted((each["tokens"] for each in changes), reverse=True)
    for change in changes:
        assert set(change) == {"id", "kind", "path", "title", "tokens", "lost", "saved", "diff"}
        assert change["tokens"] == max((each["tokens"] for each in change["saved"]), default=0)
        assert all(each["tokens"] == each["before"] - each["after"] for each in change["saved"])


def test_a_change_is_written_by_its_id_and_saves_what_it_says(cli: Asked, refused: Refused, sample: Path) -> None:
    before, starts, change = (sample / RULE).read_bytes(), _starts(cli), _of(cli, RULE)
    out, err = cli("audit", "--slim-apply", change["id"])
    assert out == change["diff"]
    assert f"written: {change['title']}" in err
    after = _starts(cli)
    saved = {agent: starts[agent] - after[agent] for agent in starts if starts[agent] != after[agent]}
    assert saved == {each["agent"]: each["tokens"] for each in change["saved"]}
    assert f"no change {change['id']}" in refused("audit", "--slim-apply", change["id"], status=3)
    assert f"undone: {change['title']}" in cli("audit", "--slim-undo").err
    assert (sample / RULE).read_bytes() == before
    cli("audit", "--slim-undo", status=3)


def test_switches_are_planned_from_transcripts_on_request_only(cli: Asked, sample: Path, tmp_path: Path) -> None:
    home = Home(Path.home(), sample.resolve())
    for day in range(1, 13):
        home.claude(said("hi"), skill_listing({"release-notes": "Writes them."}), answer((3, 900, 100)), day=day)
    assert not [change for change in _plan(cli) if change["kind"] == "switch"]
    plan = cli("audit", "--slim", "--logs", "--every").out
    assert "SWITCH OFF" in plan
    (id_,) = re.findall(r"^switch-\w+", plan, re.MULTILINE)
    starts = _starts(cli)
    told = cli("audit", "--slim-apply", id_).err
    settings = sample / ".claude/settings.local.json"
    assert json.loads(settings.read_text())["skillOverrides"] == {"release-notes": "off"}
    after = _starts(cli)
    (changed,) = [f"{starts[each]:,} → {after[each]:,}" for each in starts if after[each] != starts[each]]
    assert f"start: Claude Code {changed}; ctxtui" in told
    cli("audit", "--slim-undo")
    assert not settings.exists()


def test_the_newest_change_is_undone_first_even_if_the_clock_was_set_back(cli: Asked, sample: Path) -> None:
    first = _of(cli, RULE)
    cli("audit", "--slim-apply", first["id"])
    (record,) = state_folder("changes", sample.resolve()).iterdir()
    ahead = time.time_ns() + 3 * 86_400 * 10**9
    record.rename(record.with_name(f"{ahead}-1.json"))
    cli("audit", "--fix")
    for title in ("token-drift", first["title"]):
        assert f"undone: {title}" in cli("audit", "--slim-undo").err
