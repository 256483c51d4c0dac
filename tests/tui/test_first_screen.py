"""The first screen: an open tree, a map of all files, and no payload until something is picked."""

import re
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from textual.color import Color

from ctxtui.core.base.errors import ContextError
from ctxtui.core.disk.content import Stamp
from ctxtui.core.text.markdown.document import Document
from ctxtui.core.text.metadata.reference import Reference
from ctxtui.session.figures import Total, Totals
from ctxtui.session.shares import file_shares
from ctxtui.tui.palette import FOLDERS, hues
from ctxtui.tui.panels.view_pages import MAX_SHOWN
from ctxtui.tui.panels.view_texts import lay_out
from ctxtui.tui.tree.rows import opened_to_fit, visible_rows
from ctxtui.workspace.tree import build_tree
from ctxtui.workspace.workspace import Workspace
from tests.audit.repositories import Repo
from tests.conftest import Project
from tests.tui.acting import eventually, meter
from tests.tui.conftest import Run

FILES = {
    "AGENTS.md": "# Rules\n\nUse tabs.\n",
    ".context/TASKS.md": "# Tasks\n\n- [ ] One\n",
    "src/app/main.py": "def total(order):\n    return 12\n" * 40,
    "src/app/small.py": "x = 1\n",
    "docs/guide.md": "# Guide\n\n## First\n\nOne line.\n\n## Second\n\n" + "Many words here. " * 60,
    "LICENSE": "Free.\n",
}


async def test_everything_shows_something_and_the_payload_waits(project: Project, run: Run) -> None:
    async with run(project(FILES), opened=True) as driver:
        text, screen = driver.text(), driver.screen
        assert not screen.payload_panel.display
        assert "2 Payload" not in text
        assert meter(driver).out == 0
        assert f"tokens in {len(FILES)} files" in text.split("\n")[1]
        rows = [row.node.id for row in screen.context_tree.rows]
        assert {"src/app/", "src/app/main.py", "docs/guide.md", "AGENTS.md"} <= set(rows)
        assert "■ AGENTS.md" in text
        assert "▦ .context" in text
        assert "□" not in text
        tiles = screen.view.map
        assert tiles.display
        assert "main.py" in "".join(text for y in range(tiles.size.height) for text, _ in tiles.line(y))
        await driver.press("space")
        assert screen.payload_panel.display
        assert "2 Payload" in driver.text()
        await driver.press("2", "u")
        assert not screen.payload_panel.display
        assert screen.context_tree.has_focus


async def test_the_map_zooms_picks_and_goes_to_files(project: Project, run: Run) -> None:
    async with run(project(FILES), (100, 30)) as driver:
        view, screen = driver.screen.view, driver.screen
        assert not view.map.display
        await driver.press("M")
        assert view.map.has_focus
        assert view.map.target in ("src/", "docs/")
        total = sum(screen.figures.totals[id_].tokens for id_ in screen.session.workspace.by_id)
        assert f"{view.map.current.tokens / total:.1%}" in driver.text()
        await driver.press("space")
        assert all(pick.id.startswith(view.map.target) for pick in screen.session.picks)
        assert screen.session.picks
        await driver.press("space", "enter")
        assert view.map.target.rpartition("/")[0].startswith(("src", "docs"))
        file = view.map.target
        await driver.press("backspace")
        assert view.map.target.endswith("/")
        await driver.press("enter", "enter")
        assert view.tab == "text"
        assert screen.context_tree.current.id == file


async def test_start_has_the_rows_that_it_needs_and_leaves_some_to_the_map(sample: Path, run: Run) -> None:
    async with run(sample, (160, 45), opened=True) as driver:
        view = driver.screen.view
        await eventually(driver, lambda: "e exports" in driver.text())
        assert view.start.size.height >= view.start.virtual_size.height > view.size.height // 2
        assert view.map.size.height >= 10
        assert not view.start.scroll_offset.y, "its first row shows"
        await driver.resize(160, 30)
        assert not view.map.display
        assert view.start.size.height == view.size.height - 2


async def test_a_map_that_gets_room_is_drawn(sample: Path, run: Run) -> None:
    async with run(sample, (100, 30), opened=True) as driver:
        await driver.press("3")
        await driver.resize(160, 45)
        assert "counting the files" not in driver.text()
        assert driver.screen.view.map.current is not None


async def test_a_heading_over_a_whole_text_is_no_section_of_its_own(project: Project, run: Run) -> None:
    guide = "## Guide\n\nShort.\n\n### First\n\n" + "Many words here. " * 90 + "\n\n### Second\n\nFew.\n"
    files = {"guide.md": guide, "two.md": "# One\n\n## A\n\nText.\n\n# Two\n\n## B\n\nText.\n"}
    code = "class Order:\n    def total(self):\n        return 12\n\n    def tax(self):\n        return 2\n"
    async with run(project(files | {"order.py": code})) as driver:
        await driver.press("t", "t", "t")
        found = [row.node.id for row in driver.screen.context_tree.rows]
        assert found[0] == "guide.md#first"
        assert "guide.md#guide" not in found
        assert {"two.md#one", "two.md#two"} < set(found)
        # A class is one.
        assert found.index("order.py#Order") < found.index("order.py#Order.total")


async def test_another_order_shows_its_first_rows_unless_the_cursor_is_elsewhere(project: Project, run: Run) -> None:
    files = {f"{name}/a.md": f"# {name}\n" + "text\n" * (9 * place) for place, name in enumerate("abcdefgh")}
    async with run(project(files), (120, 40)) as driver:
        tree = driver.screen.context_tree
        await driver.press("t")
        assert tree.rows[tree.cursor].node.id == "h/"
        await driver.press("t", "t", "t", "@c/a.md", "t")
        assert tree.rows[tree.cursor].node.id == "c/a.md"
        # All files and all sections are shown from their top, and then the tree as it was left.
        await driver.press("t", "t", "t")
        assert tree.rows[tree.cursor].node.id == "c/a.md"


async def test_sections_are_sorted_a_filter_finds_symbols_and_v_shows_the_next_source(
    project: Project, run: Run
) -> None:
    async with run(project(FILES)) as driver:
        await driver.press("t", "t", "t")
        found = [row.node.id for row in driver.screen.context_tree.rows]
        assert "sections by tokens" in driver.text()
        assert found[0] in ("docs/guide.md#second", "src/app/main.py#total")
        assert "docs/guide.md#first" in found
        assert "docs/guide.md#guide" not in found
        await driver.press("t")
        assert "by path" in driver.text()
        assert driver.screen.context_tree.filtered is None
        await driver.press("slash", *"total")
        assert driver.screen.context_tree.current.id == "src/app/main.py#total"
        assert driver.screen.view.tab == "text", "View follows the filter"
        await driver.press("escape")
        shown = []
        for _ in range(3):
            await driver.press("V")
            shown.append([row.node.id for row in driver.screen.context_tree.rows])
        assert shown[:2] == [["AGENTS.md"], [".context/TASKS"]]
        assert set(shown[2]) >= {"src/app/", "docs/", "LICENSE"}


async def test_the_largest_files_are_divided(project: Project, run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("ctxtui.tui.tree.rows._MOST_READ", 2)
    small = {f"small/{n}.md": "# Title\n\n## Small\n\nword\n" for n in range(3)}
    rules = "# Rules\n\n## Always\n\nword\n\n## Never\n\nword\n"
    async with run(project({**FILES, **small, "AGENTS.md": rules})) as driver:
        await driver.press("t", "t", "t")
        assert "sections of the 2 largest files" in driver.text()
        found = {row.node.id for row in driver.screen.context_tree.rows}
        assert {"docs/guide.md#second", "src/app/main.py#total", "AGENTS.md#always"} <= found
        assert not any(id_.startswith("small/") for id_ in found)


async def test_the_payload_has_no_room_while_the_project_opens(project: Project, run: Run) -> None:
    async with run(project(FILES), settle=False) as driver:
        assert driver.screen.view.display
        assert not driver.screen.payload_panel.display


@pytest.mark.parametrize("enough", [40, 400])
def test_the_beginning_of_a_long_text_is_laid_out_as_the_whole(sample: Path, enough: int) -> None:
    session = Workspace.open(sample, on_notice=lambda _notice: None).session()
    cut = 0
    for reference in session.workspace.references:
        node = session.workspace.find(reference.id)
        first, whole = (lay_out(session, node, "text", 60, True, enough=each) for each in (enough, MAX_SHOWN))
        begun, lines = ("\n".join(line.text for line in each.lines).rstrip() for each in (first, whole))
        assert whole.is_whole
        assert lines == begun if first.is_whole else lines.startswith(begun)
        cut += not first.is_whole
    assert cut


_FOLDERS = st.lists(st.sampled_from("abcd"), min_size=1, max_size=4).map("/".join)


@given(st.sets(_FOLDERS, min_size=1, max_size=40), st.integers(1, 60))
def test_folders_open_as_far_as_the_height_allows(folders: set[str], height: int) -> None:
    def no_document(reference: Reference) -> Document:
        raise ContextError("internal", reference.id)

    paths = sorted(f"{folder}/file.md" for folder in folders)
    references = [Reference(path, path, "files", path, Stamp(1, 1, 1), 90) for path in paths]
    workspace = build_tree("root", references, lambda _node: 10, no_document)
    totals = Totals({node.id: Total(10) for node in workspace.walk()})
    rows = visible_rows(workspace, opened_to_fit(workspace, totals, height), totals, "path")
    assert len(rows) <= max(height, len(workspace.children))


def test_folders_have_hues_of_their_own() -> None:
    for is_dark in (True, False):
        assert len({Color.parse(hues(is_dark)[name]) for name in FOLDERS}) == len(FOLDERS)


def test_the_shares_are_the_totals(project: Project) -> None:
    workspace = Workspace.open(project(FILES))
    root = file_shares(workspace.tree, Totals({node.id: Total(node.tokens, 1, 1) for node in workspace.tree.walk()}))
    waiting = [root]
    while waiting:
        share = waiting.pop()
        assert share.tokens == sum(each.tokens for each in share.children) or not share.children
        waiting += share.children
    assert root.tokens == workspace.tree.tokens


async def test_the_tree_opens_as_it_was_left(project: Project, run: Run) -> None:
    root = project(FILES)
    async with run(root, opened=True) as driver:
        await driver.press("minus", *"j" * 3, "@src/app/", "right")
        left = [row.node.id for row in driver.screen.context_tree.rows]
        assert "src/app/main.py" in left
        assert "docs/guide.md" not in left
    async with run(root, opened=True) as driver:
        assert [row.node.id for row in driver.screen.context_tree.rows] == left


async def test_changed_lines_of_code_have_a_mark_and_markdown_is_rendered(project: Project, run: Run) -> None:
    files = {"src/app/small.py": "x = 1\ny = 2\nz = 3\n", "docs/guide.md": "# Guide\n\n**Bold** words.\n"}
    root = project(FILES | files)
    Repo(root).commit()
    (root / "src/app/small.py").write_text("x = 1\ny = 20\nz = 3\n")
    async with run(root, opened=True) as driver:
        await driver.press("@src/app/small.py", "enter")
        await eventually(driver, lambda: "2▎ y = 20" in driver.text())
        assert "1  x = 1" in driver.text()
        await driver.press("@docs/guide.md", "enter")
        assert "Bold words." in driver.text()
        await driver.press("v")
        assert "**Bold** words." in driver.text()


async def test_the_panel_counts_files_and_picks_and_a_folder_names_its_largest(sample: Path, run: Run) -> None:
    async with run(sample, (160, 45)) as driver:
        await driver.press("t", "space")
        assert driver.screen.context_panel.border_title == "1 Context ── 53 files ── by tokens ── 12 picked"
        await driver.go_to("docs/")
        await driver.settle()
        shown = re.findall(r"([\d,]+)  (\S+\.md)", driver.text().partition("Largest files:")[2])
        assert [path for _, path in shown] == ["runbook.md", "style.md"]
        costs = [int(tokens.replace(",", "")) for tokens, _ in shown]
        assert costs == sorted(costs, reverse=True)
