"""Seed 002, "Assembly" and "Token Estimation": what the summary holds, and what it loses under a budget."""

import re
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ctxtui.core import TokenCounter, get_counter
from ctxtui.core.payload.ladder import MARK
from ctxtui.core.text.markdown.scan import scan
from ctxtui.core.tokens.counter import HEURISTIC
from ctxtui.loader import LoadedContext, LoaderOptions, load_context
from ctxtui.loader.assembly import Assembled, assemble, share
from ctxtui.loader.read import LoadedFile
from ctxtui.loader.types import heading, ordered
from tests.conftest import Project
from tests.loader.loader_helpers import loaded, projects

RULES = "# Constitution\n\n- [x] Never break this\n<!-- not even this -->\n\n```sh\nmake rules\n```\n"


def _load(root: Path, budget: int, counter: TokenCounter | None = None) -> LoadedContext:
    return load_context(LoaderOptions(root, token_budget=budget, counter=counter, on_notice=lambda _: None))


def _assemble(files: dict[str, str], budget: int) -> Assembled:
    read = [loaded(files[name], name) for name in ordered(files, ("CONSTITUTION", "TASKS"))]
    return assemble(read, budget, HEURISTIC)


def _blocks(summary: str) -> dict[str, str]:
    """The text of each file in a summary, by its name."""
    parts = re.split(r"^## [^\n]+\nSource: (\S+)\.md\n", summary, flags=re.MULTILINE)
    return dict(zip(parts[1::2], parts[2::2], strict=True))


def _floor(files: list[LoadedFile], counter: TokenCounter) -> int:
    """Title, the whole constitution, and the header of every other file."""
    text = "# Project Context\n"
    for each in files:
        name = each.file.name
        text += f"\n## {heading(name)}\nSource: {name}.md\n"
        if name == "CONSTITUTION":
            text += f"\n{each.file.content}{each.closing}"
        elif not each.is_empty:
            text += MARK
    return counter.count(text)


def test_the_summary_of_a_small_context(project: Project) -> None:
    files = {"TASKS": "# T\n- [ ] a", "CONSTITUTION": "Rules.\n", "DECISIONS": "d\n", "CONVENTIONS": "c\n"}
    files |= {"ARCHITECTURE": "---\na: 1\n---\n# A\n", "LEARNINGS": ""}
    files |= {"AGENT_PLAYBOOK": "p\r\n", "my-notes": "n\n\n"}
    found = load_context(LoaderOptions(project({f".context/{name}.md": text for name, text in files.items()})))
    assert found.summary == (
        "# Project Context\n\n"
        "## Constitution\nSource: CONSTITUTION.md\n\nRules.\n\n"
        "## Current Tasks\nSource: TASKS.md\n\n# T\n- [ ] a\n\n"
        "## Key Decisions\nSource: DECISIONS.md\n\nd\n\n"
        "## Conventions\nSource: CONVENTIONS.md\n\nc\n\n"
        "## Architecture Overview\nSource: ARCHITECTURE.md\n\n---\na: 1\n---\n# A\n\n"
        "## Recent Learnings\nSource: LEARNINGS.md\n\n"
        "## Agent Playbook\nSource: AGENT_PLAYBOOK.md\n\np\r\n\n"
        "## My Notes\nSource: my-notes.md\n\nn\n\n"
    )


def test_what_fits_is_verbatim_and_not_marked() -> None:
    files = {"TASKS": "- [x] done\n<!-- c -->\n## 2026-01-01\n## 2026-01-02\n", "NOTES": "n\n"}
    found = _assemble(files, 100)
    assert all(text in found.summary for text in files.values())
    assert (found.truncated, MARK in found.summary, found.notices) == (False, False, ())


def test_the_constitution_is_never_cut_even_over_the_budget() -> None:
    long = RULES + "\nMore rules.\n" * 50
    found = _assemble({"CONSTITUTION": long, "TASKS": "- [ ] a\n" * 50}, 10)
    assert f"Source: CONSTITUTION.md\n\n{long}" in found.summary
    assert found.summary.endswith("## Current Tasks\nSource: TASKS.md\n[truncated]\n")
    assert found.truncated
    assert [notice.code for notice in found.notices] == ["truncated", "over-budget"]
    assert "TASKS.md" in found.notices[0].message
    # Alone it is not truncated.
    found = _assemble({"CONSTITUTION": RULES}, 1)
    assert (found.truncated, [notice.code for notice in found.notices]) == (False, ["over-budget"])


LADDER = (
    "---\nowner: ann\n---\n# Tasks\n\n<!-- remark -->\n\n- [x] done one\n- [ ] open one\n- [ ] open two\n\n"
    "## 2026-01-02 new\n\nnewest\n\n## 2026-01-01 old\n\noldest\n\n```sh\nmake it\n```\n"
)


def test_the_ladder_goes_down_in_order() -> None:
    shown = (_blocks(_assemble({"TASKS": LADDER}, budget).summary)["TASKS"] for budget in range(90, 0, -1))
    rungs = list(dict.fromkeys(text.strip("\n") for text in shown))
    assert rungs[0] == LADDER.strip("\n")
    without_metadata = LADDER.removeprefix("---\nowner: ann\n---\n") + "[truncated]"
    without_comments = without_metadata.replace("<!-- remark -->\n", "")
    without_done = without_comments.replace("- [x] done one\n", "")
    without_old = without_done.replace("## 2026-01-01 old\n\noldest\n\n```sh\nmake it\n```\n", "")
    without_new = without_old.replace("## 2026-01-02 new\n\nnewest\n\n", "")
    expected = [without_metadata, without_comments, without_done, without_old, without_new]
    assert [rung for rung in rungs if rung in expected] == expected
    assert rungs[-1] == "[truncated]"
    assert all(rung.endswith("\n[truncated]") for rung in rungs[1:-1])
    assert [len(rung) for rung in rungs] == sorted(map(len, rungs), reverse=True)


def test_files_after_one_that_does_not_fit_still_get_their_share() -> None:
    big = "".join(f"- [ ] task number {number}\n" for number in range(500))
    blocks = _blocks(_assemble({"TASKS": big, "NOTES": big, "ZETA": "short\n"}, 1000).summary)
    assert blocks["ZETA"] == "\nshort\n"
    assert len(blocks["TASKS"]) > len(blocks["NOTES"]) > 500


def test_shares_fall_with_priority_and_small_wants_are_met() -> None:
    assert (share(100, [100, 100], 60), share(100, [], 60), share(9, [], 0)) == (30, 60, 0)
    assert (share(100, [5, 100], 65), share(20, [100, 100], 60), share(100, [10, 10], 110)) == (45, 20, 90)


@given(st.integers(1, 500), st.lists(st.integers(0, 500), max_size=8), st.integers(0, 2000))
def test_a_share_grows_with_the_room_and_leaves_the_others_theirs(need: int, others: list[int], room: int) -> None:
    part = share(need, others, room)
    assert max(0, min(need, room - sum(others))) <= part <= min(need, room)
    assert part <= share(need, others, room + 1)


def test_open_ends_are_closed_so_that_they_swallow_no_other_file() -> None:
    found = _assemble({"CONSTITUTION": "~~~~\nopen", "TASKS": "<!-- open\n", "Z": "z\n"}, 100)
    assert "~~~~\nopen\n~~~~\n\n## Current Tasks\nSource: TASKS.md\n\n<!-- open\n-->\n\n## Z\n" in found.summary
    names = [each.name for each in scan(found.summary).headings]
    assert names == ["Project Context", "Constitution", "Current Tasks", "Z"]


def test_what_code_cannot_use_goes_to_the_files_above() -> None:
    tasks = "".join(f"- [ ] task number {number}\n" for number in range(100))
    code, more = ("```\n" + "code is never cut\n" * lines + "```\n" for lines in (60, 200))
    found = _assemble({"TASKS": tasks, "ZETA": code}, 400)
    assert _blocks(found.summary)["ZETA"] == "[truncated]\n"
    assert found.token_count > 390
    # What a higher file cannot use goes to those below.
    found = _assemble({"TASKS": more, "NOTES": "- [ ] a task\n" * 400, "ZETA": "A few words. " * 40}, 700)
    blocks = _blocks(found.summary)
    assert blocks["TASKS"] == "[truncated]\n\n"
    assert blocks["ZETA"].endswith("A few words. \n")
    assert found.token_count >= 695


@settings(max_examples=20)
@given(projects, st.integers(0, 5000), st.sampled_from(["heuristic", "o200k_base", "claude-sonnet-4-5"]))
def test_the_budget_is_respected(files: dict[str, str], budget: int, name: str) -> None:
    counter = get_counter(name)
    texts = {path[len(".context/") : -len(".md")]: text for path, text in files.items()}
    read = [loaded(texts[each], each) for each in ordered(texts, LoaderOptions().priority_order)]
    found = assemble(read, budget, counter)
    floor = counter.upper(counter.units("")) + _floor(read, counter)
    assert counter.count(found.summary) == found.token_count <= max(budget, floor)
    if "CONSTITUTION" in texts and texts["CONSTITUTION"].strip():
        assert f"Source: CONSTITUTION.md\n\n{texts['CONSTITUTION']}" in found.summary
    for each in read:
        assert f"## {heading(each.file.name)}\nSource: {each.file.name}.md\n" in found.summary
    assert found.truncated == any(notice.code == "truncated" for notice in found.notices)
    assert found.truncated or all(each.file.content in found.summary or each.is_empty for each in read)


@pytest.mark.parametrize("name", ["heuristic", "o200k_base"])
def test_the_real_context_at_every_budget(corpora: Path, name: str) -> None:
    root, counter = corpora / "dotcontext-ctx-v030", get_counter(name)
    rules = (root / ".context/CONSTITUTION.md").read_text("utf-8")
    floor = _load(root, 0, counter).token_count
    for budget in (200, 500, 700, 1000, 2000, 3000, 4000, 6000, 8000, 12_000, 16_000, 20_000, 25_000, 30_000, 50_000):
        found = _load(root, budget, counter)
        assert counter.count(found.summary) == found.token_count <= max(budget, floor)
        assert rules in found.summary
        assert len(_blocks(found.summary)) == 9
        assert budget < 1500 or found.token_count > min(0.85 * budget, 23_000)
        assert found.truncated == (budget <= 25_000 if name == "heuristic" else budget < 23_833)


def test_more_budget_keeps_the_code_of_a_higher_file() -> None:
    dated = "".join(f"## 2026-01-0{day}\n\n{'A lesson. ' * 80}\n\n" for day in (1, 2, 3))
    code = "```\n" + "code is never cut\n" * 100 + "```\n\nProse. " + "More prose. " * 20
    files = {"ARCHITECTURE": code, "LEARNINGS": dated, "NOTES": "One long paragraph. " * 500}
    shown = [_blocks(_assemble(files, budget).summary) for budget in range(500, 1500, 10)]
    with_code = ["code is never cut" in blocks["ARCHITECTURE"] for blocks in shown]
    assert with_code == sorted(with_code)
    assert any(with_code)
