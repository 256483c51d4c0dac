"""Sums by source, folder, strategy and agent, and the tree of shares; every number is counted once more here."""

from itertools import pairwise

import pytest

from ctxtui.audit.costs import Growth, costs_of, growth
from ctxtui.audit.totals import share_tree, totals
from ctxtui.core import get_counter
from ctxtui.session.shares import Share
from tests.audit.reporting_helpers import COUNTER, opened
from tests.conftest import Project

count = COUNTER.count

FILES = {
    "AGENTS.md": "# Agents\n\nBe brief.\n",
    "CLAUDE.md": "@docs/style.md\n",
    "docs/style.md": "# Style\n\nShort lines.\n",
    "docs/other.md": "Nobody loads this.\n",
    ".context/TASKS.md": "# Tasks\n\n- [ ] one\n\n## Later\n\n- [ ] two\n\n### Much later\n\n- [ ] three\n",
    ".context/archive/OLD.md": "# Old\n",
    "know/index.md": "# Index\n",
    "know/py/index.md": "---\nestimatedTokens: 5\n---\n# Python\n",
    "know/py/a.md": "---\nloadingStrategy: always\nestimatedTokens: 5\n---\n# A\n",
    "know/loading_protocol.md": "# Protocol\n",
    "x.py": "pass\n",
}


@pytest.mark.parametrize("name", ["o200k_base", "cl100k_base"])
def test_sums_of_a_project(project: Project, name: str) -> None:
    counter = get_counter(name)
    found = opened(project(FILES), counter)
    result = totals(found.workspace, counter, found.agents)
    context = {path: text for path, text in FILES.items() if path not in ("docs/other.md", "x.py")}
    assert (result.files, result.tokens) == (len(context), sum(map(counter.count, context.values())))
    sources = {row.name: (row.files, row.tokens) for row in result.of("source")}
    assert sources[".context"] == (
        2,
        sum(counter.count(FILES[path]) for path in FILES if path.startswith(".context")),
    )
    assert sources["files"] == (1, counter.count(FILES["docs/style.md"]))
    assert sum(tokens for _, tokens in sources.values()) == result.tokens
    assert sum(row.share for row in result.of("source")) == pytest.approx(1)
    assert sum(row.tokens for row in result.of("folder")) == result.tokens
    assert {row.name for row in result.of("strategy")} <= {"always", "onDemand", "lazy"}
    for kind in ("source", "folder", "strategy", "agent"):
        assert all(one.tokens >= other.tokens for one, other in pairwise(result.of(kind)))
    starts = {context.agent.id: context.start_tokens for context in found.agents}
    assert {row.name: row.tokens for row in result.of("agent")} == starts
    assert next(row.files for row in result.of("agent") if row.name == "claude-code") == 2


def test_only_the_largest(project: Project) -> None:
    found = opened(project(FILES))
    result = totals(found.workspace, COUNTER, found.agents)
    assert result.of("source", 2) == result.of("source")[:2]


def test_an_empty_project_and_unreadable_files(project: Project) -> None:
    empty = opened(project({"x.py": "pass\n"}))
    assert totals(empty.workspace, COUNTER, empty.agents).rows == ()
    broken = opened(project({"AGENTS.md": b"\0\0", ".context/TASKS.md": "x\n"}))
    assert totals(broken.workspace, COUNTER, broken.agents).tokens == 2
    assert costs_of(broken.workspace, COUNTER, broken.agents).files == {".context/TASKS.md": 2}


def _all(share: Share) -> list[Share]:
    return [share, *(inner for child in share.children for inner in _all(child))]


def test_the_tree_of_shares(project: Project) -> None:
    found = opened(project(FILES))
    tree = share_tree(found.workspace, COUNTER, found.agents)
    assert tree.tokens == totals(found.workspace, COUNTER, found.agents).tokens
    shares = {share.id: share for share in _all(tree)}
    assert all(sum(child.tokens for child in share.children) <= share.tokens for share in shares.values())
    folders = [share for share in shares.values() if share.id.endswith("/") or not share.id]
    assert all(sum(child.tokens for child in share.children) == share.tokens for share in folders)
    tasks = shares[".context/TASKS"]
    assert tasks.tokens == count(FILES[".context/TASKS.md"])
    assert [child.name for child in tasks.children] == ["Tasks"]
    assert [child.name for child in shares[".context/TASKS#later"].children] == ["Much later"]
    assert "docs/other.md" not in shares
    assert "x.py" not in shares
    for share in shares.values():
        assert list(share.children) == sorted(share.children, key=lambda child: -child.tokens)


def test_only_so_many_files_are_divided(project: Project, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("ctxtui.audit.totals.MOST_DIVIDED", 1)
    found = opened(project(FILES))
    tree = share_tree(found.workspace, COUNTER, found.agents)
    assert {share.id.partition("#")[0] for share in _all(tree) if "#" in share.id} == {".context/TASKS"}


def test_growth_names_the_file_that_grew_most() -> None:
    assert growth({"a": 10, "b": 5}, {"a": 12, "b": 9, "c": 3}) == Growth(9, "b", 4)
    assert growth({"a": 10}, {"a": 8}) == Growth(-2)
    assert growth({}, {}) == Growth(0)


def test_what_is_unasked_is_what_agents_say_they_load(project: Project) -> None:
    files = {
        "AGENTS.md": "# All\n\nBe brief.\n",
        ".claude/skills/pots/SKILL.md": "---\nname: pots\ndescription: Makes pots.\n---\n" + "Turn the wheel.\n" * 50,
        ".claude/rules/py.md": "---\npaths: ['**/*.py']\n---\nType it.\n",
        ".github/prompts/x.prompt.md": "Called by the user.\n",
        "x.py": "",
    }
    found = opened(project(files))
    result = totals(found.workspace, COUNTER, found.agents)
    claude = next(each for each in found.agents if each.agent.id == "claude-code")
    copilot = next(each for each in found.agents if each.agent.id == "copilot")
    touched = max(charge.touch_tokens for each in (claude, copilot) for charge in each.charges)
    assert result.unasked_files == 3
    assert result.unasked == claude.start_tokens + touched
    assert result.unasked < result.tokens
