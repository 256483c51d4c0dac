"""Picking: marks, mouse, order, sorting, filtering, undo, and the first look."""

import re
from pathlib import Path

from textual import events
from textual.widgets import Input

from ctxtui.tui.widgets.tab_line import TitleLine
from tests.conftest import Project
from tests.tui.acting import answer, click, find, mark, meter, paste, picked, told_text, tree_line
from tests.tui.conftest import Driver, Run

GUIDE = """---
title: Guide
tags: [a]
---
Before all headings.

# Guide

Intro.

## One

Text of one.

### One A

Inner text.

## Two

Text of two.
"""


def payload_rows(driver: Driver) -> list[str]:
    panel = driver.screen.blocks
    return [strip.text for strip in panel.render_lines(panel.size.region) if re.match(r"[> ] *\d+ ", strip.text)]


async def test_marks_have_three_states_at_every_level(project: Project, run: Run) -> None:
    async with run(project({"docs/guide.md": GUIDE, "docs/other.md": "# Other\n"})) as driver:
        await driver.go_to("docs/guide.md#one-a")
        assert [mark(driver, name) for name in ("docs", "guide.md", "One", "One A", "Two")] == ["○"] * 5
        await driver.press("space")
        assert [mark(driver, name) for name in ("docs", "guide.md", "Guide", "One")] == ["◐"] * 4
        assert mark(driver, "One A") == "●"
        assert mark(driver, "Two") == "○"
        await driver.pick("docs/guide.md#one")
        assert mark(driver, "One") == "●"
        await driver.pick("docs/guide.md")
        for name in ("guide.md", "(preamble)", "Guide", "One", "One A", "Two"):
            assert mark(driver, name) == "●", name
        assert mark(driver, "(frontmatter)") == "○"
        assert mark(driver, "docs") == "◐"
        await driver.pick("docs/guide.md#(frontmatter)")
        assert mark(driver, "(frontmatter)") == "●"
        await driver.pick("docs/")
        assert mark(driver, "docs") == mark(driver, "other.md") == "●"
        await driver.press("space")
        assert mark(driver, "docs") == mark(driver, "One A") == mark(driver, "(frontmatter)") == "○"
        assert picked(driver) == []


async def test_rows_add_up_and_dropping_a_child_leaves_the_others(project: Project, run: Run) -> None:
    async with run(project({"guide.md": GUIDE})) as driver:
        await driver.go_to("guide.md#guide")
        names = ("guide.md", "(frontmatter)", "(preamble)", "Guide")
        sizes = [int(tree_line(driver, name).split()[-1]) for name in names]
        assert sizes[0] == sum(sizes[1:])
        await driver.pick("guide.md")
        whole = meter(driver).out
        await driver.pick("guide.md#one-a")
        assert (mark(driver, "One A"), mark(driver, "One"), mark(driver, "Two")) == ("○", "◐", "●")
        assert meter(driver).out > 0
        await driver.press("space")
        assert mark(driver, "guide.md") == "●"
        assert meter(driver).out == whole


async def test_the_mouse_picks_marks_sections_and_starts_and_reads_on_a_double_click(driver: Driver) -> None:
    await click(driver, "○ ■ CLAUDE.md")
    assert picked(driver) == ["CLAUDE.md"]
    await click(driver, "● ■ CLAUDE.md")
    assert picked(driver) == []
    await click(driver, "○ ■ CLAUDE.md", dx=4)
    assert picked(driver) == []
    assert driver.screen.context_tree.current.id == "CLAUDE.md"
    await click(driver, "○ ■ AGENTS.md", dx=4, times=2)
    assert driver.screen.view.tab == "text"
    assert driver.screen.panel == "view"
    assert "lines 1-" in driver.text()
    await click(driver, "○ ▦ .context", dx=4, times=2)
    assert "CONSTITUTION" in driver.text()
    await driver.press("0")
    await click(driver, "Claude Code", times=2)
    assert set(picked(driver)) >= {"CLAUDE.md"}
    await driver.press("u", "@python/fastapi_patterns")
    await click(driver, "Sections")
    await click(driver, "○   Endpoints")
    assert picked(driver) == ["python/fastapi_patterns"]
    await click(driver, "●   Endpoints")
    assert picked(driver) == []
    await click(driver, "Dependencies  depends", times=2)
    assert "Dependencies" in driver.text()
    assert picked(driver) == ["python/fastapi_patterns"]


async def test_tabs_and_panels_by_mouse(sample: Path, run: Run) -> None:
    async with run(sample, (80, 24)) as driver:
        await driver.press("space")
        await click(driver, "2 Payload")
        assert driver.screen.panel == "payload"
        await click(driver, "3 View")
        assert driver.screen.panel == "view"
        for name in ("Map", "Text", "Reference", "Sections", "Output", "Start"):
            await click(driver, f" {name} ", dx=1)
            assert driver.screen.view.tab == name.lower()
            assert f"[{name}]" in driver.text()
        await click(driver, "1 Context")
        assert "AGENTS.md" in driver.text()
        await driver.press("A", "right_square_bracket")
        for view, column in (("[starts]", 7), (" matrix ", 7), ("[matrix]", 0), (" touch ", 6)):
            await click(driver, view, dx=column)
            assert f"[{view.strip(' []')}]" in driver.text()


async def test_undo_and_redo_bring_back_budget_prompt_and_picks(driver: Driver) -> None:
    states = [driver.text().split("\n")[:2]]
    await driver.press("space")
    states.append(driver.text().split("\n")[:2])
    await answer(driver, "b", "12k")
    states.append(driver.text().split("\n")[:2])
    await driver.press("i")
    await paste(driver, "Why?")
    await driver.press("f2")
    states.append(driver.text().split("\n")[:2])
    await driver.press("F")
    states.append(driver.text().split("\n")[:2])
    assert len({tuple(state) for state in states}) == 5
    for state in reversed(states[:-1]):
        await driver.press("u")
        assert driver.text().split("\n")[:2] == state
    await driver.press("u")
    assert "nothing to undo" in told_text(driver)
    for state in states[1:]:
        await driver.press("U")
        assert driver.text().split("\n")[:2] == state


async def test_files_prompts_and_folders_are_moved_pinned_and_dropped_in_the_payload(driver: Driver) -> None:
    await driver.press("@AGENTS.md", "space", "down", "space", "2", "j", "K")
    assert picked(driver) == ["CLAUDE.md", "AGENTS.md"]
    assert payload_rows(driver)[0].startswith(">  1")
    await driver.press("K", "shift+down")
    assert picked(driver) == ["AGENTS.md", "CLAUDE.md"]
    await driver.press("p")
    assert "*" in payload_rows(driver)[1]
    assert "pinned" in payload_rows(driver)[1]
    assert "pinned" in tree_line(driver, "CLAUDE.md")
    await driver.press("p")
    assert "pinned" not in tree_line(driver, "CLAUDE.md")
    await driver.press("x")
    assert picked(driver) == ["AGENTS.md"]
    await driver.press("x")
    assert payload_rows(driver) == []
    assert meter(driver).out == 0
    await driver.press("i")
    await paste(driver, "Why?")
    await driver.press("f2", "2")
    assert "prompt" in payload_rows(driver)[0]
    await driver.press("x")
    assert meter(driver).out == 0
    await driver.press("@notes/", "space", "p", "2")
    assert all("*" in row for row in payload_rows(driver))


async def test_rows_that_are_picked_or_found_are_stepped_through_and_picked_all_at_once(driver: Driver) -> None:
    await driver.press("g", "space", "down", "down", "space", "g", "n")
    tree = driver.screen.context_tree
    assert tree.cursor == 2
    await driver.press("n")
    assert tree.cursor == 0
    await driver.press("N")
    assert tree.cursor == 2
    await driver.press("u", "u", "a")
    assert len(picked(driver)) == 53
    await driver.press("a")
    assert picked(driver) == []
    # Enter keeps the matches.
    await driver.press("slash", *"release", "enter", "g")
    assert tree.has_focus
    count = tree.count
    assert count > 1
    places = []
    for _ in range(count):
        places.append(tree.cursor)
        await driver.press("n")
    assert places == list(range(count))
    await driver.press("N")
    assert tree.cursor == count - 1
    await driver.press("a")
    assert not any("○" in strip.text for strip in tree.render_lines(tree.size.region))
    await driver.press("escape")
    assert tree.count > count or tree.filtered is None


async def test_tabs_are_stepped_through_and_a_panel_zooms_and_back(driver: Driver) -> None:
    await driver.press("space", "3")
    seen = []
    for _ in range(6):
        await driver.press("right_square_bracket")
        seen.append(driver.screen.view.tab)
        assert driver.screen.panel == "view"
        assert driver.screen.view.front.has_focus
    assert seen == ["map", "text", "reference", "sections", "output", "start"]
    await driver.press("left_square_bracket")
    assert driver.screen.view.tab == "output"
    await driver.press("z")
    assert "1 Context ──" not in driver.text()
    assert driver.screen.view.size.width > 150
    await driver.press("1")
    assert "AGENTS.md" in driver.text()
    await driver.press("escape")
    assert "1 Context ──" in driver.text()
    assert "2 Payload ──" in driver.text()


async def test_the_filter_leaves_the_cursor_or_finds_paths_and_headings(driver: Driver) -> None:
    await driver.press("@.context/TASKS", "slash", *"zzqqxx")
    assert "0 of 53" in driver.text()
    await driver.press("tab", "enter", "space", "a", "escape")
    assert picked(driver) == []
    assert driver.screen.context_tree.current.id == ".context/TASKS"
    await driver.pick("AGENTS.md")
    # Lines of a file that is shown are not hidden.
    lines = "python/fastapi_patterns", 1, 2
    driver.screen.desk.attempt(lambda session: session.with_snippet(*lines))
    await driver.press("slash", *"fstpi pat")
    assert "fastapi_patterns" in driver.text()
    assert "1 picked hidden" in driver.text()
    driver.screen.desk.undo()
    assert re.search(r"\d+ of 53", driver.text())
    await driver.press(*["backspace"] * 9, *"in progress", "tab")
    assert picked(driver) == ["AGENTS.md", ".context/TASKS"]
    assert isinstance(driver.app.focused, Input)
    await driver.press("escape")
    assert "TASKS / In progress" not in driver.text()
    assert not re.search(r"\d+ of 53", driver.text())
    assert driver.screen.context_tree.has_focus
    assert picked(driver) == ["AGENTS.md", ".context/TASKS"]


async def test_start_picks_what_an_agent_reads(driver: Driver) -> None:
    assert "What agents load at the start" in driver.text()
    _, y = find(driver, "OpenAI Codex")
    cost = int(driver.text().split("\n")[y].rstrip("│ ").split()[-1].replace(",", ""))
    await driver.press("3")
    for _ in range(20):
        if driver.screen.view.start.current.name[0] == "OpenAI Codex":
            break
        await driver.press("down")
    await driver.press("enter")
    assert picked(driver) == ["AGENTS.md"]
    assert meter(driver).out > 0
    assert f"{cost:,}" in tree_line(driver, "AGENTS.md")
    assert "picked 1 file" in told_text(driver)


async def test_start_says_what_was_looked_for_and_what_no_start_loads(project: Project, run: Run) -> None:
    skill = "---\nname: pay\ndescription: Pays an order. Use it at the till.\n---\nPay.\n"
    others = {"src/big.md": "# Big\n" * 50, "b.py": "x = 1\n"}
    for files, told in (
        (others, ("No agent files found", "AGENTS.md, CLAUDE.md", "src/big.md")),
        ({"skills/pay/SKILL.md": skill}, ("No agent loads a file at the start", "plugins and skills once installed")),
    ):
        async with run(project(files)) as driver:
            for words in told:
                assert words in driver.text()


async def test_an_empty_folder_says_so(project: Project, run: Run) -> None:
    for size in ((160, 45), (80, 24)):
        async with run(project({}), size) as driver:
            await driver.press("3")
            assert "This folder is empty" in driver.text()
            await driver.press("space", "enter", "a", "e")
            assert "nothing is picked" in told_text(driver) or driver.app.screen is not driver.screen


async def test_a_picked_ignored_file_is_missing_once_hidden(project: Project, run: Run) -> None:
    async with run(project({".gitignore": "secret/\n", "secret/a.md": "# A\n", "b.md": "# B\n"})) as driver:
        await driver.press("full_stop", "@secret/a.md", "space", "full_stop")
        assert picked(driver) == ["secret/a.md"]
        await driver.press("2", "x")
        assert picked(driver) == []


async def test_the_hint_says_what_space_would_add(driver: Driver) -> None:
    await answer(driver, "b", "700")
    await driver.go_to("CLAUDE.md")
    found = re.search(r"space adds ([\d,]+): (\d+) / 700, (\d+) (over|left)", driver.text())
    assert found
    await driver.press("space")
    assert meter(driver).out == int(found[2])
    assert "picked; space drops it" in driver.text()


async def test_leaving_the_filter_or_a_list_shows_the_row_in_the_tree(project: Project, run: Run) -> None:
    root = project({f"f{number:02}.md": b"\0" if number == 40 else b"# F\n" for number in range(60)})
    async with run(root, (80, 24)) as driver:
        for keys, name in ((("slash", *"f50", "enter", "escape"), "f50.md"), (("P", "enter"), "f40.md")):
            await driver.press(*keys)
            assert driver.screen.context_tree.current.id == name
            assert tree_line(driver, name).startswith(">")


async def test_a_task_list_is_narrowed_key_by_key_and_taken_whole_again(project: Project, run: Run) -> None:
    tasks = "# Tasks\n\n## Now\n- [ ] a\n- [ ] b #blocked\n\n## Done\n- [x] c\n"
    async with run(project({"TASKS.md": tasks, "a.md": "# A\n"})) as driver:
        await driver.go_to("TASKS.md#done")
        assert "1 todo, 1 blocked" in tree_line(driver, "Now")
        assert "1 done" in tree_line(driver, "Done")
        await driver.go_to("TASKS.md")
        for words in ("open tasks only", "blocked tasks only", "done tasks only", "not-done tasks"):
            await driver.press("T")
            assert words in tree_line(driver, "TASKS.md")
            assert mark(driver, "TASKS.md") == "◐"
        assert "c" not in driver.screen.session.payload().text.splitlines()[-1]
        await driver.press("T")
        assert mark(driver, "TASKS.md") == "●"
        await driver.press("u")
        assert "not-done tasks" in tree_line(driver, "TASKS.md")
        await driver.press("@a.md", "T")
        assert "has no tasks" in told_text(driver)


async def test_code_is_outlined_and_its_sections_are_picked_beside(project: Project, run: Run) -> None:
    code = "import os\nimport sys\n\n\n" + "".join(
        f"class {name}:\n    def run(self):\n        os.stat(self)\n        return sys.exit(self)\n\n\n"
        for name in "AB"
    )
    async with run(project({"src/a.py": code, "src/b.py": code, "docs/a.md": "# A\n"})) as driver:
        await driver.go_to("src/a.py")
        count = driver.screen.session.budget.counter.count
        await driver.press("O")
        outline = driver.screen.session.payload().text.partition("```py\n")[2].removesuffix("```\n")
        assert outline.count("…") == 3
        assert mark(driver, "a.py") == "◐"
        assert re.search(rf"outline .*{count(outline)}/{count(code)}", tree_line(driver, "a.py"))
        assert "outline" in payload_rows(driver)[0]
        await driver.press("@src/a.py#A", "O")
        assert [mark(driver, name) for name in ("A", "B")] == ["●", "◐"]
        await driver.press("O")
        assert driver.screen.session.payload().text.partition("```py\n")[2].removesuffix("```\n") == outline
        await driver.press("@src/a.py", "O")
        assert mark(driver, "a.py") == "●"
        await driver.press("u")
        assert mark(driver, "a.py") == "◐"
        await driver.press("@src/", "x", "O")
        picks = [(pick.id, pick.outline) for pick in driver.screen.session.picks]
        assert picks == [("src/a.py", True), ("src/b.py", True)]
        await driver.press("O")
        assert [pick.outline for pick in driver.screen.session.picks] == [False, False]
        await driver.press("@docs/a.md", "O")
        assert "has no outline" in told_text(driver)


async def test_the_tokens_of_an_outline_are_told_before_one_picks_it(project: Project, run: Run) -> None:
    code = "def run():\n" + "    print('running as fast as possible')\n" * 40
    async with run(project({"a.py": code})) as driver:
        await driver.press("@a.py", "enter")
        count = driver.screen.session.budget.counter.count
        assert f"{count(code):,}, outline {count('def run():' + chr(10) + '    …' + chr(10))}" in driver.text()


async def test_the_view_shows_the_first_match_of_the_newest_filter(driver: Driver) -> None:
    await driver.press("down", "slash")
    field = driver.app.focused
    assert isinstance(field, Input)
    for words in ("decisions", "conventions", "architecture"):
        field.value = words
        await driver.settle()
        tree, title = driver.screen.context_tree, driver.screen.view.query_one(TitleLine)
        assert tree.cursor == 0
        assert tree.current.title in title.left


async def test_keys_in_the_view_mean_what_it_shows(driver: Driver) -> None:
    """Whether the document was found in the tree or in the payload."""
    await driver.press("@AGENTS.md", "space", "down", "space", "2", "g")
    title = driver.screen.view.query_one(TitleLine)
    assert "AGENTS.md" in title.left
    await driver.press("3", "p")
    assert "AGENTS.md" in title.left
    assert "pinned" in tree_line(driver, "AGENTS.md")
    await driver.press("space")
    assert picked(driver) == ["CLAUDE.md"]
    await driver.press("u", "1", "3", "space")
    assert picked(driver) == ["AGENTS.md"]


async def test_a_key_right_after_another_means_the_panel_that_one_opened(driver: Driver) -> None:
    await driver.press("@AGENTS.md", "space", "down", "space", "down")
    for panel, left in (("2", ["CLAUDE.md"]), ("1", ["CLAUDE.md"])):
        driver.app.post_message(events.Key(panel, panel))
        driver.app.post_message(events.Key("x", "x"))
        await driver.settle()
        assert picked(driver) == left


async def test_the_payload_says_which_part_of_a_file_is_picked(project: Project, run: Run) -> None:
    text = "# A\n\n## One\n\nx\n\n## Two\n\ny\n\n## Three\n\nz\n"
    async with run(project({"a.md": text, "b.md": "# B\n", "docs/a.md": "# A\n"})) as driver:
        for id_ in ("a.md#one", "a.md#three", "b.md"):
            driver.screen.desk.attempt(lambda session, id_=id_: session.toggle(id_))
            await driver.settle()
        assert "a.md › one + 1" in driver.text()
        assert "b.md ›" not in driver.text()
        for id_ in ("a.md", "a.md#two"):
            driver.screen.desk.attempt(lambda session, id_=id_: session.toggle(id_))
            await driver.settle()
        assert "a.md › without 1 section" in driver.text()
        await driver.press("@docs/", "E")
        assert "no file to edit here" in told_text(driver)
