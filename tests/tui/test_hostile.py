"""Nothing in a file, a file name or metadata changes the screen."""

import os
from pathlib import Path

import pytest
from rich.cells import cell_len

from ctxtui.core.payload.formats import FORMATS
from ctxtui.core.tokens.encodings import encoding
from ctxtui.tui.panels.view_texts import lay_out
from ctxtui.workspace.workspace import Workspace
from tests.conftest import Project
from tests.tui.acting import drawn, eventually, is_unharmed, meter, paste
from tests.tui.conftest import Driver, Run
from tests.tui.hostile import FORBIDDEN, make_hostile

SIZES = [*(pytest.param(size, marks=pytest.mark.heavy) for size in ((160, 45), (120, 35))), (80, 24)]


def check(driver: Driver) -> None:
    """Every line of the screen is as wide as the screen and free of what steers a terminal."""
    width, height = driver.app.size
    strips = drawn(driver.app)
    assert len(strips) == height
    for strip in strips:
        assert not FORBIDDEN & set(strip.text), repr(strip.text)
        assert strip.cell_length == width, repr(strip.text)
        assert cell_len(strip.text) == width, repr(strip.text)
        for segment in strip:
            assert segment.style is None or not segment.style.link, segment
            assert segment.style is None or "@click" not in segment.style.meta, segment
    assert is_unharmed(driver)


@pytest.fixture
def hostile(tmp_path: Path) -> Path:
    return make_hostile(tmp_path / "hostile")


@pytest.mark.parametrize("size", SIZES, ids=str)
async def test_every_panel_and_tab_holds(size: tuple[int, int], hostile: Path, run: Run) -> None:
    async with run(hostile, size) as driver:
        check(driver)
        for folder in ("names/", "docs/"):
            await driver.press(f"@{folder}", "right")
            check(driver)
        await driver.press("g")
        for _ in range(driver.screen.context_tree.count // max(1, driver.screen.context_tree.size.height - 1) + 1):
            await driver.press("pagedown")
            check(driver)
        await driver.press("P")
        for _ in range(4):
            check(driver)
            await driver.press("pagedown")
        await driver.press("escape", "slash", *"x")
        check(driver)
        await driver.press("enter", "space", "escape", "t")
        check(driver)
        await driver.press("3", *"]]]]")
        check(driver)
        await driver.press("@AGENTS.md", "right", "space")
        for tab in ("text", "reference", "sections", "output", "start"):
            driver.screen.view.tab = tab
            driver.screen.show_panel("view")
            await driver.settle()
            check(driver)
            await driver.press("pagedown")
            check(driver)
            await driver.press("G")
            check(driver)
        driver.screen.view.tab = "text"
        await driver.press("v")
        check(driver)
        for _ in range(3):
            await driver.press("pagedown")
            check(driver)
        await driver.press("2")
        check(driver)


async def test_every_list_holds_and_everything_picked_is_counted_exactly(hostile: Path, run: Run) -> None:
    async with run(hostile, (80, 24)) as driver:
        for key in ("P", "A", "D", "B", "question_mark"):
            await driver.press(key)
            check(driver)
            await driver.press("slash", "x", "enter", "G")
            check(driver)
            await driver.press("escape", "escape")
            assert driver.app.screen is driver.screen
        await driver.press("a")
        for _ in range(3):
            await driver.press("F")
            text = driver.screen.session.payload().text
            assert meter(driver).out == len(encoding("o200k_base").encode(text, disallowed_special=()))
            check(driver)
        await driver.press("2", "G")
        check(driver)
        await driver.press("u", "u", "u", "u")
        check(driver)


@pytest.mark.parametrize(
    "width", [pytest.param(12, marks=pytest.mark.heavy), 38, pytest.param(100, marks=pytest.mark.heavy)]
)
def test_every_document_is_laid_out(width: int, hostile: Path) -> None:
    """Raw, rendered and as a reference: harmless, and nowhere wider than the page."""
    workspace = Workspace.open(hostile, on_notice=lambda _notice: None)
    session = workspace.session()
    laid = []
    for reference in workspace.references:
        node = workspace.find(reference.id)
        assert node is not None, reference.id
        laid += [(reference.id, lay_out(session, node, "text", width, False))]
        if width != 38:
            laid += [(reference.id, lay_out(session, node, "text", width, True))]
        laid += [(reference.id, lay_out(session, node, "reference", width, False))]
        laid += [(child.id, lay_out(session, child, "text", width, False)) for child in node.children[:3]]
        session = session.pick(reference.id)
    for format_ in FORMATS:
        laid += [(format_, lay_out(session.with_output(format=format_), None, "output", width, False))]
    for id_, page in laid:
        for line in page.lines:
            assert not FORBIDDEN & set(line.text), (id_, line.text)
            assert line.cell_length == cell_len(line.text) <= max(width, 40), (id_, line.text)
            assert not any(segment.control for segment in line), id_


async def test_messages_and_dialogs_hold(hostile: Path, run: Run, here: Path) -> None:
    recipes = hostile / ".ctxtui" / "recipes"
    recipes.mkdir(parents=True)
    bad = 'picks: ["[red]gone[/]", "\\e]52;c;x\\a", "[/", glob: "[/b]\\u202E*.md"]\nprompt: "[/] \\e[31m \\u202E"\n'
    (recipes / "bad.yaml").write_text(bad)
    (recipes / "worse.yaml").write_text('format: "[/red]\\e[2J"\n')
    async with run(hostile, (80, 24)) as driver:
        await driver.press("space")
        for name in ("[red]x[/]", "[/", "a\u202eb"):
            for key in "eeb":
                await driver.press(key)
                await paste(driver, name)
                await driver.press("enter")
                if not FORBIDDEN & set(name):
                    check(driver)
                await driver.press("escape")
                check(driver)
        for name in ("worse", "bad"):
            await driver.press("o", *name)
            check(driver)
            await driver.press("enter")
            check(driver)
        await driver.press("2", "G", "x")
        check(driver)
        await driver.press("i")
        check(driver)
        await driver.press("escape", "1")
        check(driver)
        references = driver.screen.session.workspace.references
        await driver.go_to(next(each.id for each in references if "\x1b[31m" in each.id))
        await driver.press("L")
        check(driver)


@pytest.mark.parametrize(
    "size",
    [(20, 5), (1, 1), *(pytest.param(size, marks=pytest.mark.heavy) for size in ((40, 10), (7, 3), (300, 90)))],
    ids=str,
)
async def test_odd_sizes_hold(size: tuple[int, int], hostile: Path, run: Run) -> None:
    async with run(hostile, size) as driver:
        await driver.press("space", "right", "2", "3", *"]]]]", "v", "z")
        assert is_unharmed(driver)
        await driver.resize(80, 24)
        await driver.press("z") if driver.screen.has_class("-zoom") else None
        check(driver)


async def test_metadata_of_several_lines_keeps_the_reference_in_order(project: Project, run: Run) -> None:
    root = project({"AGENTS.md": "---\ndescription: |\n  first\n  second\n\n  third\n---\n# A\n"})
    async with run(root, (100, 30)) as driver:
        await driver.press("3", "right_square_bracket", "right_square_bracket")
        check(driver)
        assert "third" in driver.text()


async def test_line_ends_make_lines(hostile: Path, run: Run) -> None:
    async with run(hostile, (100, 30)) as driver:
        await driver.press("v")
        for name in ("crlf", "cr"):
            await driver.press(f"@docs/{name}.md", "enter", "1")
            shown = [line.strip() for line in driver.screen.view.page.text.split("\n")]
            assert shown[:2] in (["# One", ""], ["# One", "text"]), name
            assert "## Two" in shown, name
            assert "more" in shown, name


async def test_a_name_that_is_no_unicode_does_not_end_the_app(project: Project, run: Run) -> None:
    root = project({"AGENTS.md": "# A\n"})
    try:
        os.mkdir(os.fsencode(root) + b"/latin-\xff")
        Path(os.fsdecode(os.fsencode(root) + b"/latin-\xff/a.md")).write_text("# Latin\n")
        Path(os.fsdecode(os.fsencode(root) + b"/b\xff.md")).write_text("# Latin\n")
    except OSError:
        pytest.skip("this file system has Unicode names only")
    async with run(root, (80, 24)) as driver:
        await driver.press("space", "P")
        check(driver)
        await driver.press("escape")
        (root / "new.md").write_text("# New\n")
        await eventually(driver, lambda: "2 files" in driver.text())
