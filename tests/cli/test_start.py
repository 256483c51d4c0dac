"""`ctxtui start`: predicted and captured starts, by category and file."""

import json
import sys
from pathlib import Path

import pytest

from ctxtui import Workspace
from ctxtui.core import get_counter
from ctxtui.session.agent_start import agent_starts
from tests.conftest import Ctxtui, Project

_FAKE = Path(__file__).parents[1] / "agents" / "fake_agent.py"
_FILES = {
    "CLAUDE.md": "# Rules\n\nBe kind to all of our users.\n",
    ".claude/skills/deploy/SKILL.md": "---\nname: deploy\ndescription: Brings a release to the servers\n---\nDo it.\n",
}


@pytest.fixture
def on_path(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    folder = tmp_path / "bin"
    folder.mkdir()
    (folder / "claude").write_text(f"#!{sys.executable}\n{_FAKE.read_text()}")
    (folder / "claude").chmod(0o755)
    monkeypatch.setenv("PATH", str(folder))


def test_a_start_is_predicted_without_starting_anything(ctxtui: Ctxtui, project: Project) -> None:
    root = project(_FILES)
    told = json.loads(ctxtui("start", "--json", cwd=root).stdout)["result"]
    (agent,) = [each for each in told["agents"] if each["id"] == "claude-code"]
    assert agent["captured"] is None
    assert agent["predicted"] == sum(each["predicted"] for each in agent["files"])
    assert agent["predicted"] == sum(each["predicted"] for each in agent["categories"])
    forms = {each["path"]: (each["expected"], each["sent"]) for each in agent["files"]}
    assert forms == {"CLAUDE.md": ("whole", None), ".claude/skills/deploy/SKILL.md": ("listed", None)}
    shown = ctxtui("start", cwd=root).stdout
    assert "not counted: system prompt and tools" in shown


def test_an_agent_is_shown_though_nothing_names_it(ctxtui: Ctxtui, project: Project) -> None:
    root = project({"AGENTS.md": "Be kind to all of our users.\n"})
    assert "gemini-cli" not in ctxtui("start", cwd=root).stdout
    assert "START  zed  " in ctxtui("start", "zed", cwd=root).stdout
    audited = json.loads(ctxtui("audit", "--agent", "zed", "--json", cwd=root).stdout)["result"]
    assert {each["id"] for each in audited["agents"]} == {"codex", "zed"}
    every = json.loads(ctxtui("audit", "--agent", "all", "--json", cwd=root).stdout)["result"]
    assert len(every["agents"]) > 15
    assert ctxtui("start", "zedd", cwd=root).returncode == 3


@pytest.mark.usefixtures("on_path")
def test_a_capture_asks_first_and_then_shows_what_was_sent(ctxtui: Ctxtui, project: Project) -> None:
    root = project(_FILES)
    asked = ctxtui("start", "claude", "--capture", cwd=root)
    assert asked.returncode == 2
    assert "--yes answers yes" in asked.stderr
    assert str(root) in asked.stderr
    told = json.loads(ctxtui("start", "claude", "--capture", "--yes", "--json", cwd=root).stdout)["result"]
    (agent,) = told["agents"]
    assert agent["capture"]["label"].startswith("captured 3.2.1, ")
    assert agent["captured"] == sum(each["captured"] for each in agent["categories"])
    files = {each["path"]: each for each in agent["files"]}
    assert files["CLAUDE.md"]["sent"] == "whole"
    assert files["CLAUDE.md"]["sentTokens"] == files["CLAUDE.md"]["predicted"]
    assert files[".claude/skills/deploy/SKILL.md"]["sent"] == "absent"
    assert files[".claude/skills/deploy/SKILL.md"]["differs"]
    (line,) = [line for line in ctxtui("audit", cwd=root).stdout.splitlines() if "captured: " in line]
    assert "for system prompt and tools (not in the sum)" in line
    assert "with its own prompt and tools, as captured" in ctxtui("audit", "--model", "gpt-5", cwd=root).stdout
    (start,) = agent_starts(Workspace.open(root), get_counter())
    (own,) = start.fixed
    assert own.is_captured
    sent = {each["name"]: each["captured"] for each in agent["categories"]}
    assert own.tokens == sent["system prompt"] + sent["built-in tools"]
    again = ctxtui("start", "claude", "--capture", cwd=root)
    assert again.returncode == 0
    assert "listed" in again.stdout
    (root / "CLAUDE.md").write_text("Be strict with all of our users.\n")
    assert "have changed since" in ctxtui("start", "claude", cwd=root).stdout


@pytest.mark.usefixtures("on_path")
def test_an_agent_that_sends_nothing_is_a_failure(ctxtui: Ctxtui, project: Project) -> None:
    run = ctxtui("start", "claude", "--capture", "--yes", cwd=project({**_FILES, "mode": "silent"}))
    assert run.returncode == 4
    assert "not captured: claude-code: it ended with status 0" in run.stdout
    assert "cannot reach my model" in run.stdout
