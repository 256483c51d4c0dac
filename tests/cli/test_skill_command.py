"""`ctxtui skill install`: what is shown, asked, written and removed, and what the skill really costs."""

import json
from hashlib import sha256
from pathlib import Path

import pytest

from ctxtui.core.tokens.by_name import get_counter
from ctxtui.session.delivery.own_skill import cost_of, place_for, readers, skill_text
from tests.cases import cases
from tests.cli.asked import answered
from tests.conftest import Asked, Project

INSTALL = ("skill", "install", "--agent", "claude-code")
PLACE = ".claude/skills/ctxtui/SKILL.md"


@pytest.fixture
def sample(project: Project) -> Path:
    """A small project with rules for Claude."""
    return project({"CLAUDE.md": "# Rules\n\nBe brief.\n"})


@pytest.fixture
def file(sample: Path) -> Path:
    """The skill of the project."""
    return sample / PLACE


def test_the_text_is_shown_and_written_after_a_yes(sample: Path, file: Path) -> None:
    status, shown = answered(sample, "n", *INSTALL)
    assert (status, file.exists()) == (0, False)
    for told in (str(file), skill_text().rstrip(), "nothing is written"):
        assert told in shown
    status, shown = answered(sample, "y", *INSTALL)
    assert (status, file.read_text()) == (0, skill_text())


def test_in_ci_a_yes_writes_once(cli: Asked, sample: Path, file: Path) -> None:
    for words in ((), ("--json",)):
        assert "--yes answers yes" in cli(*INSTALL, *words, status=2).err
        assert not (sample / ".claude").exists()
    first = cli(*INSTALL, "--yes", "--json").result
    assert (first["state"], first["written"], first["text"]) == ("absent", True, skill_text())
    assert (first["path"], file.read_text()) == (str(file), skill_text())
    before = file.stat().st_mtime_ns
    assert cli(*INSTALL, "--json").result["state"] == "same"
    assert file.stat().st_mtime_ns == before


def test_an_older_one_of_ours_is_replaced_and_a_changed_one_never(cli: Asked, file: Path) -> None:
    cli(*INSTALL, "--yes")
    # As an older version would have written it, checked out by git with other line ends.
    digest = sha256(b"# Old\n").hexdigest()[:16]
    file.write_bytes(f"# Old\r\n\r\n<!-- ctxtui {digest} -->\r\n".encode())
    cli(*INSTALL, "--yes")
    assert file.read_text() == skill_text()
    mine = skill_text().replace("then read parts", "then read my own parts")
    file.write_text(mine)
    for words, told in (
        ((), "move the file away first"),
        (("--json",), ""),
        (("--remove",), "is not as ctxtui wrote it"),
    ):
        out, err = cli(*INSTALL, *words, "--yes", status=2)
        assert (file.read_text(), told in err) == (mine, True)
        assert words or "then read my own parts" in out
        assert words or "+Ask what belongs to a task, then read parts" in out


def test_a_changed_one_is_overwritten_after_a_yes_to_its_diff(sample: Path, file: Path) -> None:
    file.parent.mkdir(parents=True)
    file.write_text("My own skill.\n")
    status, shown = answered(sample, "n", *INSTALL, "--yes")
    assert (status, file.read_text(), "-My own skill." in shown) == (0, "My own skill.\n", True)
    status, _ = answered(sample, "y", *INSTALL, "--yes")
    assert (status, file.read_text()) == (0, skill_text())


def test_only_ours_is_removed_with_its_folder_if_that_is_empty(cli: Asked, file: Path) -> None:
    cli(*INSTALL, "--remove", "--yes", status=3)
    cli(*INSTALL, "--yes")
    cli(*INSTALL, "--remove", status=2)
    assert file.exists()
    note = file.with_name("notes.md")
    note.write_text("mine\n")
    cli(*INSTALL, "--remove", "--yes")
    assert [path.name for path in note.parent.iterdir()] == ["notes.md"]
    note.unlink()
    cli(*INSTALL, "--yes")
    cli(*INSTALL, "--remove", "--yes")
    assert not note.parent.exists()


def test_nothing_is_written_through_a_link_out_of_the_project(cli: Asked, sample: Path, tmp_path: Path) -> None:
    outside = tmp_path / "outside"
    outside.mkdir()
    (sample / ".claude").symlink_to(outside)
    assert "leads out of the project" in cli(*INSTALL, "--yes", status=2).err
    assert list(outside.iterdir()) == []


def test_in_the_home_folder_it_is_for_all_projects(cli: Asked, sample: Path, tmp_path: Path) -> None:
    own = Path.home() / PLACE
    assert cli(*INSTALL, "--user", "--yes", "--json").result["path"] == str(own)
    assert (own.read_text(), (sample / ".claude").exists()) == (skill_text(), False)
    cli(*INSTALL, "--user", "--yes", CLAUDE_CONFIG_DIR=str(tmp_path / "moved"))
    assert (tmp_path / "moved/skills/ctxtui/SKILL.md").read_text() == skill_text()


def test_the_agent_is_the_only_one_in_use(cli: Asked, sample: Path) -> None:
    assert cli("skill", "install", "--json", status=2).result["agent"] == "claude-code"
    (sample / "GEMINI.md").write_text("x\n")
    assert "--agent claude-code|gemini-cli" in cli("skill", "install", "--yes", status=2).err
    unknown = cli("skill", "install", "--agent", "claude-cod", status=3)
    assert "did you mean claude-code" in unknown.err


# A file that shows the use of each agent, without skills.
SHOWS = {
    "codex": "AGENTS.md",
    "claude-code": "CLAUDE.md",
    "cursor": ".cursorrules",
    "zed": ".rules",
    "copilot": ".github/copilot-instructions.md",
    "gemini-cli": "GEMINI.md",
    "opencode": "AGENTS.md",
}


@cases("agent", SHOWS)
def test_the_told_cost_is_what_the_audit_counts_and_nothing_is_found_about_it(
    cli: Asked, project: Project, agent: str
) -> None:
    root = project({SHOWS[agent]: "# Rules\n\nBe brief.\n", "opencode.json": "{}\n"})

    def audited() -> tuple[int, list[object]]:
        result = cli("audit", "--json", cwd=root).result
        starts = {each["id"]: each["startTokens"] for each in result["agents"]}
        return starts[agent], [each for each in result["findings"] if "ctxtui" in json.dumps(each)]

    before, _ = audited()
    told = cli("skill", "install", "--agent", agent, "--yes", "--json", cwd=root).result
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
