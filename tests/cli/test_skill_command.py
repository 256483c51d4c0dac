"""`ctxtui skill install`: what is shown, asked, written and removed, and what the skill really costs."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from hashlib import sha256
from pathlib import Path

import pytest

from ctxtui.core.tokens.by_name import get_counter
from ctxtui.session.delivery.own_skill import cost_of, place_for, readers, skill_text
from tests import warm
from tests.cases import cases
from tests.cli.asked import at_terminal
from tests.conftest import Project

INSTALL = ("skill", "install", "--agent", "claude-code")
PLACE = ".claude/skills/ctxtui/SKILL.md"


@pytest.fixture
def folder(project: Project) -> Path:
    return project({"CLAUDE.md": "# Rules\n\nBe brief.\n"})


def run(folder: Path, *words: str) -> subprocess.CompletedProcess[str]:
    return warm.run(words, "", folder, os.environ)


def answered(folder: Path, answer: str, *words: str) -> tuple[int, str]:
    """Run on a terminal of its own, answer the question; status and screen."""
    return at_terminal([sys.executable, "-m", "ctxtui.cli", *words], folder, "[y/N]", f"{answer}\n".encode())


def test_the_text_is_shown_and_written_after_a_yes(folder: Path) -> None:
    status, shown = answered(folder, "n", *INSTALL)
    assert (status, (folder / ".claude").exists()) == (0, False)
    assert str(folder / PLACE) in shown
    assert skill_text().rstrip() in shown
    assert "nothing is written" in shown
    status, shown = answered(folder, "y", *INSTALL)
    assert (status, (folder / PLACE).read_text()) == (0, skill_text())


@pytest.mark.parametrize("words", [(), ("--json",)])
def test_without_a_terminal_and_a_yes_nothing_is_written(folder: Path, words: tuple[str, ...]) -> None:
    done = run(folder, *INSTALL, *words)
    assert (done.returncode, (folder / ".claude").exists()) == (2, False)
    assert "--yes answers yes" in done.stderr


def test_in_ci_a_yes_writes_once(folder: Path) -> None:
    first = json.loads(run(folder, *INSTALL, "--yes", "--json").stdout)["result"]
    assert (first["state"], first["written"], first["text"]) == ("absent", True, skill_text())
    assert Path(first["path"]) == folder / PLACE
    assert (folder / PLACE).read_text() == skill_text()
    before = (folder / PLACE).stat().st_mtime_ns
    again = run(folder, *INSTALL, "--json")
    assert (again.returncode, json.loads(again.stdout)["result"]["state"]) == (0, "same")
    assert (folder / PLACE).stat().st_mtime_ns == before


def test_an_older_one_of_ours_is_replaced_and_a_changed_one_never(folder: Path) -> None:
    run(folder, *INSTALL, "--yes")
    file = folder / PLACE
    # As an older version would have written it, checked out by git with other line ends.
    digest = sha256(b"# Old\n").hexdigest()[:16]
    file.write_bytes(f"# Old\r\n\r\n<!-- ctxtui {digest} -->\r\n".encode())
    assert run(folder, *INSTALL, "--yes").returncode == 0
    assert file.read_text() == skill_text()
    mine = skill_text().replace("then read parts", "then read my own parts")
    file.write_text(mine)
    done = run(folder, *INSTALL, "--yes")
    assert (done.returncode, file.read_text()) == (2, mine)
    assert "then read my own parts" in done.stdout
    assert "+Ask what belongs to a task, then read parts" in done.stdout
    assert "move the file away first" in done.stderr
    done = run(folder, *INSTALL, "--yes", "--json")
    assert (done.returncode, file.read_text()) == (2, mine)
    removed = run(folder, *INSTALL, "--remove", "--yes")
    assert (removed.returncode, file.read_text()) == (2, mine)
    assert "is not as ctxtui wrote it" in removed.stderr


def test_a_changed_one_is_overwritten_after_a_yes_to_its_diff(folder: Path) -> None:
    (folder / PLACE).parent.mkdir(parents=True)
    (folder / PLACE).write_text("My own skill.\n")
    status, shown = answered(folder, "n", *INSTALL, "--yes")
    assert (status, (folder / PLACE).read_text()) == (0, "My own skill.\n")
    assert "-My own skill." in shown
    status, _ = answered(folder, "y", *INSTALL, "--yes")
    assert (status, (folder / PLACE).read_text()) == (0, skill_text())


def test_only_ours_is_removed_with_its_folder_if_that_is_empty(folder: Path) -> None:
    assert run(folder, *INSTALL, "--remove", "--yes").returncode == 3
    run(folder, *INSTALL, "--yes")
    assert run(folder, *INSTALL, "--remove").returncode == 2
    assert (folder / PLACE).exists()
    note = (folder / PLACE).with_name("notes.md")
    note.write_text("mine\n")
    assert run(folder, *INSTALL, "--remove", "--yes").returncode == 0
    assert [path.name for path in note.parent.iterdir()] == ["notes.md"]
    note.unlink()
    run(folder, *INSTALL, "--yes")
    assert run(folder, *INSTALL, "--remove", "--yes").returncode == 0
    assert not note.parent.exists()


def test_nothing_is_written_through_a_link_out_of_the_project(folder: Path, tmp_path: Path) -> None:
    outside = tmp_path / "outside"
    outside.mkdir()
    (folder / ".claude").symlink_to(outside)
    done = run(folder, *INSTALL, "--yes")
    assert (done.returncode, list(outside.iterdir())) == (2, [])
    assert "leads out of the project" in done.stderr


def test_in_the_home_folder_it_is_for_all_projects(
    folder: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    done = run(folder, *INSTALL, "--user", "--yes", "--json")
    assert Path(json.loads(done.stdout)["result"]["path"]) == Path.home() / PLACE
    assert (Path.home() / PLACE).read_text() == skill_text()
    assert not (folder / ".claude").exists()
    monkeypatch.setenv("CLAUDE_CONFIG_DIR", str(tmp_path / "moved"))
    run(folder, *INSTALL, "--user", "--yes")
    assert (tmp_path / "moved/skills/ctxtui/SKILL.md").read_text() == skill_text()


def test_the_agent_is_the_only_one_in_use(folder: Path) -> None:
    assert json.loads(run(folder, "skill", "install", "--json").stdout)["result"]["agent"] == "claude-code"
    (folder / "GEMINI.md").write_text("x\n")
    done = run(folder, "skill", "install", "--yes")
    assert (done.returncode, "--agent claude-code|gemini-cli" in done.stderr) == (2, True)
    unknown = run(folder, "skill", "install", "--agent", "claude-cod")
    assert (unknown.returncode, "did you mean claude-code" in unknown.stderr) == (3, True)


# A file that shows the use of each agent, without skills.
SHOWS = {
    "codex": "AGENTS.md",
    "claude-code": "CLAUDE.md",
    "cursor": ".cursorrules",
    "copilot": ".github/copilot-instructions.md",
    "gemini-cli": "GEMINI.md",
    "zed": ".rules",
    "opencode": "AGENTS.md",
}


@cases("agent", SHOWS)
def test_the_told_cost_is_what_the_audit_counts_and_nothing_is_found_about_it(project: Project, agent: str) -> None:
    folder = project({SHOWS[agent]: "# Rules\n\nBe brief.\n", "opencode.json": "{}\n"})

    def audited() -> tuple[int, list[object]]:
        result = json.loads(run(folder, "audit", "--json").stdout)["result"]
        starts = {each["id"]: each["startTokens"] for each in result["agents"]}
        return starts[agent], [each for each in result["findings"] if "ctxtui" in json.dumps(each)]

    before, _ = audited()
    told = json.loads(run(folder, "skill", "install", "--agent", agent, "--yes", "--json").stdout)["result"]
    after, findings = audited()
    assert (after - before, findings) == (told["startTokens"], [])
    assert told["tokens"] == get_counter().count(skill_text())


def test_it_is_small_for_every_agent_that_reads_skills(tmp_path: Path) -> None:
    names = [agent.id for agent, _, _ in readers(False)]
    assert {"claude-code", "codex", "cursor", "copilot-cli", "gemini-cli", "opencode"} <= set(names)
    assert "aider" not in names
    for name in names:
        cost = cost_of(place_for(name, tmp_path, (), False), get_counter())
        assert 0 < cost.start <= 100
        assert cost.whole <= 500
