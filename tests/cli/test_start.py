"""`ctxtui start`: predicted and captured starts, by category and file."""

import sys
from pathlib import Path

import pytest

from ctxtui import Workspace
from ctxtui.core import get_counter
from ctxtui.session.agent_start import agent_starts
from tests.conftest import Asked, Project

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


def test_a_start_is_predicted_without_starting_anything(cli: Asked, project: Project) -> None:
    root = project(_FILES)
    (agent,) = [each for each in cli("start", "--json", cwd=root).result["agents"] if each["id"] == "claude-code"]
    assert agent["captured"] is None
    assert agent["predicted"] == sum(each["predicted"] for each in agent["files"])
    assert agent["predicted"] == sum(each["predicted"] for each in agent["categories"])
    forms = {each["path"]: (each["expected"], each["sent"]) for each in agent["files"]}
    assert forms == {"CLAUDE.md": ("whole", None), ".claude/skills/deploy/SKILL.md": ("listed", None)}
    assert "not counted: system prompt and tools" in cli("start", cwd=root).out


def test_an_agent_is_shown_though_nothing_names_it(cli: Asked, project: Project) -> None:
    root = project({"AGENTS.md": "Be kind to all of our users.\n"})
    assert "gemini-cli" not in cli("start", cwd=root).out
    assert "START  zed  " in cli("start", "zed", cwd=root).out
    audited = cli("audit", "--agent", "zed", "--json", cwd=root).result
    assert {each["id"] for each in audited["agents"]} == {"codex", "zed"}
    assert len(cli("audit", "--agent", "all", "--json", cwd=root).result["agents"]) > 15
    cli("start", "zedd", cwd=root, status=3)


@pytest.mark.usefixtures("on_path")
def test_a_capture_asks_first_and_then_shows_what_was_sent(cli: Asked, project: Project) -> None:
    root = project(_FILES)
    asked = cli("start", "claude", "--capture", cwd=root, status=2).err
    assert "--yes answers yes" in asked
    assert str(root) in asked
    (agent,) = cli("start", "claude", "--capture", "--yes", "--json", cwd=root).result["agents"]
    assert agent["capture"]["label"].startswith("captured 3.2.1, ")
    assert agent["captured"] == sum(each["captured"] for each in agent["categories"])
    files = {each["path"]: each for each in agent["files"]}
    rules, skill = (files[path] for path in _FILES)
    assert (rules["sent"], rules["sentTokens"], skill["sent"]) == ("whole", rules["predicted"], "absent")
    assert skill["differs"]
    (line,) = [line for line in cli("audit", cwd=root).out.splitlines() if "captured: " in line]
    assert "for system prompt and tools (not in the sum)" in line
    assert "with its own prompt and tools, as captured" in cli("audit", "--model", "gpt-5", cwd=root).out
    (start,) = agent_starts(Workspace.open(root), get_counter())
    (own,) = start.fixed
    assert own.is_captured
    sent = {each["name"]: each["captured"] for each in agent["categories"]}
    assert own.tokens == sent["system prompt"] + sent["built-in tools"]
    assert "listed" in cli("start", "claude", "--capture", cwd=root).out
    (root / "CLAUDE.md").write_text("Be strict with all of our users.\n")
    assert "have changed since" in cli("start", "claude", cwd=root).out


@pytest.mark.usefixtures("on_path")
def test_an_agent_that_sends_nothing_is_a_failure(cli: Asked, project: Project) -> None:
    root = project({**_FILES, "mode": "silent"})
    told = cli("start", "claude", "--capture", "--yes", cwd=root, status=4).out
    assert "not captured: claude-code: it ended with status 0" in told
    assert "cannot reach my model" in told
