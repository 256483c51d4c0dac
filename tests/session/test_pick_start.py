"""Picking the start of an agent: what is picked and what is named as left out add up to its figure."""

import asyncio
from pathlib import Path

import pytest

from ctxtui.core.tokens.by_name import get_counter
from ctxtui.session.agent_start import agent_starts
from ctxtui.session.pick_start import PickedStart, pick_start
from ctxtui.session.saved.autosave import from_recipe
from ctxtui.session.saved.recipe import save_recipe
from ctxtui.workspace.workspace import Workspace
from tests.cases import cases
from tests.conftest import Project

SKILL = "---\nname: {0}\ndescription: What {0} does, in a sentence.\n---\nBody of {0}.\n"
LONG = "".join(f"Line {number} of the instructions says something.\n" for number in range(1_200))
FILES = {
    ".git/HEAD": "",
    "AGENTS.md": f"# Rules of all\n\n{LONG}",
    "CLAUDE.md": "Before.\n<!-- a comment that Claude Code removes -->\nAfter.\n@docs/style.md\n",
    "docs/style.md": "Short words.\n",
    "docs/more.md": "@style.md\n",
    "GEMINI.md": "  \n@docs/style.md\n@docs/more.md\n",
    ".claude/skills/one/SKILL.md": SKILL.format("one"),
    ".claude/rules/always.md": "---\nowner: us\n---\nAlways.\n",
    ".agents/skills/two/SKILL.md": SKILL.format("two"),
    ".github/copilot-instructions.md": "Instructions.\n",
    ".github/instructions/all.instructions.md": "---\napplyTo: '**'\n---\nFor all.\n",
    ".cursor/rules/r.mdc": "---\nalwaysApply: true\n---\nA rule.\n",
    ".clinerules": "# Cline\n\nIt ends without a line end",
    "pkg/AGENTS.md": "# Rules of pkg\n",
    "pkg/CLAUDE.md": "Here.\n",
    "pkg/.claude/skills/three/SKILL.md": SKILL.format("three"),
}


def _check(root: Path, cwd: str = "") -> dict[str, PickedStart]:
    workspace = Workspace.open(root)
    picks = {}
    for start in agent_starts(workspace, get_counter(), cwd=cwd):
        picked = pick_start(workspace.session(), start, cwd)
        payload = asyncio.run(picked.session.answered()).payload()
        assert not payload.missing
        assert len(payload.blocks) == len(picked.picks)
        # Without the wrapping of blocks.
        tokens = sum(block.text_tokens for block in payload.blocks)
        assert tokens == picked.tokens, start.agent
        assert tokens + sum(each.tokens for each in picked.left) == start.tokens, start.agent
        picks[start.agent] = picked
    return picks


@pytest.mark.parametrize("cwd", ["", "pkg"])
def test_what_is_picked_and_what_is_named_add_up_to_the_figure(project: Project, cwd: str) -> None:
    picks = _check(project(FILES), cwd)
    assert len(picks) > 6
    left = {agent: [(each.name, each.why) for each in picked.left] for agent, picked in picks.items()}
    assert ("CLAUDE.md", "comments or space that the agent removes") in left["claude-code"]
    assert ("AGENTS.md", "half a line before the cut") in left["codex"]
    assert ("docs/style.md", "read again") in left["gemini-cli"]
    assert (".clinerules", "line end") in left["cline"] or cwd
    assert picks["claude-code"].picks[-1].id == "query:listing: claude-code"


def test_a_folder_opened_below_its_repository_names_what_lies_above(project: Project) -> None:
    picks = _check(project(FILES) / "pkg")
    left = {each.name: each.why for each in picks["claude-code"].left}
    # Claude Code does not follow imports that lie outside the folder where it starts.
    assert left["../CLAUDE.md"] == left["../.claude/rules/always.md"] == "outside the folder"
    assert "../docs/style.md" not in left
    told = picks["claude-code"].summary
    assert told.startswith("picked 1 file and the listing, ")
    assert "not picked: ../CLAUDE.md " in told
    assert picks["claude-code"].session.selection.queries[0].definition == '{"listing": "claude-code"}'


def test_a_listing_is_a_block_of_its_own_that_recipes_keep(project: Project) -> None:
    root = project(FILES)
    workspace = Workspace.open(root)
    (start,) = [each for each in agent_starts(workspace, get_counter(), cwd="pkg") if each.agent == "claude-code"]
    picked = pick_start(workspace.session(), start, "pkg").session
    text = asyncio.run(picked.answered()).payload().text
    assert "<!-- source: listing: claude-code -->\n- one: What one does, in a sentence.\n- three: " in text
    save_recipe(picked, "start")
    assert asyncio.run(from_recipe(workspace.session(), "start").session.answered()).payload().text == text
    (root / ".claude/skills/one/SKILL.md").write_text(SKILL.format("one").replace("What one does", "Changed"))
    assert "- one: Changed, in a sentence.\n" in asyncio.run(workspace.reload().resolve(picked)).payload().text


def test_a_pick_keeps_its_pin_and_can_be_undone_as_one(project: Project) -> None:
    workspace = Workspace.open(project(FILES))
    session = workspace.session().pin("docs/style.md")
    (start,) = [each for each in agent_starts(workspace, get_counter()) if each.agent == "claude-code"]
    picked = pick_start(session, start).session
    assert [pick.id for pick in picked.picks if pick.pinned] == ["docs/style.md"]
    assert len(pick_start(picked, start).session.picks) == len(picked.picks)


@cases("listing", [{"listing": "nobody"}, {"listing": "codex", "cwd": "../x"}])
def test_a_listing_that_cannot_be_made_is_missing_with_a_notice(project: Project, listing: dict[str, str]) -> None:
    session = Workspace.open(project(FILES)).session().with_query("listing: x", listing)
    payload = asyncio.run(session.answered()).payload()
    assert payload.missing == ("query:listing: x",)
    assert [notice.code for notice in payload.notices] == ["query-failed"]
