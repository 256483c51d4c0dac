"""A folder opened below the root of its repository: what lies above is read, but is no document."""

from pathlib import Path

import pytest

from ctxtui.audit.apply_rules import audit
from ctxtui.audit.context import Audited
from ctxtui.audit.types import Settings
from ctxtui.core.tokens.by_name import get_counter
from ctxtui.mcp import project as mcp
from ctxtui.session.agent_start import agent_starts
from ctxtui.workspace.scope import Scope
from ctxtui.workspace.workspace import Workspace
from tests.conftest import Project

SKILL = "---\nname: {0}\ndescription: What {0} does.\n---\nBody of {0}.\n"
FILES = {
    ".git/HEAD": "",
    "AGENTS.md": "# Rules of all\n",
    "CLAUDE.md": "@docs/style.md\n\nSee @pkg/notes.md\n",
    "GEMINI.md": "@docs/style.md\n",
    "docs/style.md": "Short words. @more/deep.md\n",
    "docs/more/deep.md": "Deep.\n",
    "docs/unrelated.md": "Unrelated.\n",
    ".claude/skills/one/SKILL.md": SKILL.format("one"),
    ".claude/rules/r.md": "Always.\n",
    ".opencode/opencode.json": '{"instructions": ["guides/*.md"]}',
    "guides/a.md": "A guide.\n",
    "pkg/CLAUDE.md": "Here. @../docs/more/deep.md\n",
    "pkg/AGENTS.md": "# Rules of pkg\n",
    "pkg/notes.md": "Notes.\n",
    "pkg/opencode.json": '{"instructions": ["../guides/*.md", "guides/*.md"]}',
    "pkg/src/AGENTS.md": "# Rules of src\n",
    "src/app.py": "",
}


def _starts(workspace: Workspace, cwd: str = "") -> dict[str, list[tuple[str, int]]]:
    place = workspace.above.base.to_root
    return {
        agent.agent.id: [(place(each.path), each.start_tokens) for each in agent.charges if each.start_tokens]
        for agent in Audited(workspace, settings=Settings(cwd=cwd)).real_agents
    }


def test_a_folder_of_a_repository_starts_agents_as_the_repository_does_there(project: Project) -> None:
    root = project(FILES)
    opened, whole = Workspace.open(root / "pkg"), Workspace.open(root)
    starts = _starts(opened)
    assert starts == _starts(whole, "pkg")
    # Imports that lie outside of the folder where Claude Code starts are not followed.
    assert starts["claude-code"][:2] == [("CLAUDE.md", 12), ("pkg/notes.md", 2)]
    assert ("docs/style.md", 9) in starts["gemini-cli"]
    assert {"guides/a.md", "pkg/AGENTS.md", "AGENTS.md"} <= {path for path, _ in starts["opencode"]}
    assert _starts(Workspace.open(root / "pkg" / "src")) == _starts(whole, "pkg/src") == _starts(opened, "src")


def test_what_lies_above_is_told_apart_and_is_no_document(project: Project) -> None:
    workspace = Workspace.open(project(FILES) / "pkg")
    assert not {"../docs/unrelated.md", "../src/app.py"} & set(workspace.above.paths)
    assert not any(reference.path.startswith("..") for reference in workspace.references)
    assert workspace.text("../AGENTS.md") == "# Rules of all\n"
    assert workspace.text("../docs/unrelated.md") is workspace.text("../../outside.md") is None
    (claude,) = [each for each in agent_starts(workspace, get_counter()) if each.name == "Claude Code"]
    assert {"CLAUDE.md", "../CLAUDE.md", "../.claude/rules/r.md"} <= set(claude.paths)


def test_links_above_never_lead_out_of_the_repository(project: Project, tmp_path: Path) -> None:
    (tmp_path / "secret.md").write_text("secret")
    root = project({".git/HEAD": "", "pkg/AGENTS.md": "# here\n"})
    (root / "AGENTS.md").symlink_to(tmp_path / "secret.md")
    (root / "CLAUDE.md").write_text("@../secret.md @link.md\n")
    (root / "link.md").symlink_to(tmp_path / "secret.md")
    workspace = Workspace.open(root / "pkg")
    assert workspace.above.paths == ("../CLAUDE.md",)
    assert workspace.text("../AGENTS.md") is None


def test_a_folder_without_a_repository_has_nothing_above(project: Project) -> None:
    files = {path: text for path, text in FILES.items() if path != ".git/HEAD"}
    assert Workspace.open(project(files) / "pkg").above.paths == ()


def test_findings_are_about_what_a_start_reads_above(project: Project) -> None:
    unread = {
        ".claude/rules/touch.md": "---\npaths: [nowhere/**\n---\nx\n",
        "docs/.claude/rules/x.md": "---\na: [\n---\n",
    }
    root = project({".git/HEAD": "", "CLAUDE.md": "@docs/missing.md\n", "pkg/CLAUDE.md": "Here.\n", **unread})
    found = [(each.rule, each.path or "") for each in audit(Workspace.open(root / "pkg")).findings]
    assert [each for each in found if each[1].startswith("..")] == [("broken-import", "../CLAUDE.md")]


def test_the_nearest_repository_counts(project: Project) -> None:
    root = project({**FILES, "pkg/.git/HEAD": ""})
    assert not Workspace.open(root / "pkg").above.paths
    paths = Workspace.open(root / "pkg" / "src").above.paths
    assert paths
    assert not any(path.startswith("../..") for path in paths)


def test_neither_a_server_nor_home_shows_what_lies_above(project: Project, monkeypatch: pytest.MonkeyPatch) -> None:
    root = project(FILES)
    assert not Workspace.open(root / "pkg", scope=Scope(above=False)).above.paths
    assert mcp.Project(root / "pkg", lambda _notice: None).workspace().above.paths == ()
    monkeypatch.setenv("HOME", str(root))
    assert Workspace.open(root / "pkg").above.paths == ()
