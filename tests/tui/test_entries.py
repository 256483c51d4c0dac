"""The Entries screen: a table that filters as one types, a form, picks of entries and of queries."""

from pathlib import Path

from platformdirs import user_state_path
from textual.widgets import Input, TextArea

from ctxtui.core import get_counter
from ctxtui.tui.screens.dialogs import Confirm
from ctxtui.tui.screens.entries import Entries, EntryForm
from tests.conftest import Project
from tests.tui.acting import listed, meter, to_row, told_text
from tests.tui.conftest import Driver, Run


async def test_entries_are_filtered_picked_and_gone_to(driver: Driver) -> None:
    await driver.press("B", "slash", *"@nope")
    assert "unknown category nope" in driver.text()
    await driver.press("escape")
    assert "5 of 5" in driver.text()
    await driver.press("slash", *"#refunds counted in")
    assert [entry.entry_id for entry in listed(driver).items] == ["refund-window-30-days"]
    for size in ((160, 45), (80, 24)):
        await driver.resize(*size)
        assert "1 of 5" in driver.text()
    await driver.press("tab")
    assert [pick.id for pick in driver.screen.session.picks] == ["entries/refund-window-30-days"]
    await driver.press("enter", "space")
    assert driver.screen.session.picks == ()
    await driver.press("enter")
    assert driver.screen.context_tree.current.id == "entries/refund-window-30-days"


async def test_entries_of_two_directories_with_one_id_are_told_apart(project: Project, run: Run) -> None:
    front = "---\nentryId: same\ncategory: Decision\ncreatedAt: 2026-11-01T00:00:00Z\n---\n"
    async with run(project({"a/x.md": f"{front}One.\n", "b/x.md": f"{front}Two.\n"})) as driver:
        await driver.press("B", "right_square_bracket", "space")
        assert "● 2026-11-01 Decision      same  Two." in driver.text()
        assert "Two." in driver.screen.session.payload().text
        await driver.press("left_square_bracket")
        assert "○ 2026-11-01 Decision      same  One." in driver.text()
        await driver.press("right_square_bracket", "enter")
        assert driver.screen.context_tree.current.reference.path == "b/x.md"


async def test_a_filter_is_picked_as_a_query_and_computed(sample: Path, driver: Driver) -> None:
    await driver.press("B", "slash", *"@decision", "enter", "Q", *["backspace"] * 8, *"rules", "enter")
    (pick,) = driver.screen.session.picks
    assert pick.id == "query:rules"
    await driver.press("escape", "escape", "2")
    assert "query:rules" in driver.text()
    payload = driver.screen.session.payload()
    assert "## Decision: refund-window-30-days" in payload.text
    assert meter(driver).out == payload.tokens == get_counter().count(payload.text)
    await driver.open_tab("text")
    assert "from entries filter" in driver.text()
    # What is picked is the question: a new entry answers it as well.
    (sample / "notes/new.md").write_text(
        "---\nentryId: new\ncategory: Decision\ntags: []\ncreatedAt: 2026-11-01T00:00:00Z\n---\nShip it.\n"
    )
    await driver.press("R")
    assert "Ship it." in driver.screen.session.payload().text
    await driver.press("x")
    assert driver.screen.session.picks == ()


async def test_an_entry_is_written_and_changed_and_nothing_typed_is_lost(sample: Path, run: Run) -> None:
    async with run(sample, (100, 30)) as driver:
        await driver.press("B")
        for key, fields in (("i", ("category", "tags", "reference", "entry-id")), ("E", ("category", "tags"))):
            await driver.press(key, "escape")
            assert isinstance(driver.app.screen, Entries)
            for field in fields:
                await driver.press(key)
                driver.app.screen.query_one(f"#{field}", Input).value = "lesson"
                await driver.press("escape")
                assert "Discard what you wrote?" in driver.text()
                await driver.press("y")
                assert isinstance(driver.app.screen, Entries)
        await driver.press("i", *"lessn", "f2")
        assert "an entry needs text" in driver.text()
        driver.app.screen.query_one(TextArea).text = "Something."
        await driver.press("f2")
        assert "unknown category lessn; did you mean Lesson?" in driver.text()
        await driver.press("escape")
        assert "Discard what you wrote?" in driver.text()
        await driver.press("n")
        assert driver.app.screen.query_one("#category", Input).value == "lessn"
        await driver.press("escape", "y")
        assert isinstance(driver.app.screen, Entries)
        await driver.press("i")
        assert isinstance(driver.app.screen, EntryForm)
        await driver.press(*"lesson", "tab", *"ops, api", "tab", "tab", *"fridays", "tab", *"Never on Fridays.", "f2")
        assert "saved fridays" in told_text(driver)
        text = (sample / "notes/fridays.md").read_text()
        assert "category: Lesson\ntags: [ops, api]\n" in text
        assert text.endswith("---\nNever on Fridays.")
        assert "6 of 6" in driver.text()
        assert driver.screen.session.workspace.find("entries/fridays") is not None
        await to_row(driver, lambda entry: entry.entry_id == "fridays")
        await driver.press("E")
        driver.app.screen.query_one(TextArea).text = "Never on Mondays."
        await driver.press("f2")
        assert (sample / "notes/fridays.md").read_text().endswith("---\nNever on Mondays.")


async def test_a_changed_entry_keeps_its_line_breaks_of_every_kind(sample: Path, run: Run) -> None:
    file = sample / "notes/refund-window-30-days.md"
    front = file.read_text().rpartition("---\n")[0]
    file.write_bytes(f"{front}---\none\rtwo\r\nzebra".encode())
    async with run(sample, (100, 30)) as driver:
        await driver.press("B", "slash", *"zebra", "enter", "E")
        driver.app.screen.query_one(TextArea).text += "!"
        await driver.press("f2")
    assert file.read_bytes().endswith(b"---\none\ntwo\nzebra!")


async def test_another_entry_is_replaced_only_after_a_yes(sample: Path, run: Run) -> None:
    file = sample / "notes/refund-window-30-days.md"
    before = file.read_bytes()
    async with run(sample, (100, 30)) as driver:
        await driver.press("B", "i", *"lesson", "tab", "tab", "tab", *"refund-window-30-days", "tab", *"New.", "f2")
        assert "already has an entry 'refund-window-30-days'" in driver.text()
        await driver.press("n")
        assert driver.app.screen.query_one(TextArea).text == "New."
        assert file.read_bytes() == before
        await driver.press("f2", "y")
        assert "is kept in" in told_text(driver)
    assert file.read_text().endswith("---\nNew.")
    (kept,) = user_state_path("ctxtui").rglob("*refund-window-30-days.md")
    assert kept.read_bytes() == before


async def test_an_entry_that_somebody_else_changed_is_replaced_only_after_a_yes(sample: Path, run: Run) -> None:
    file = sample / "notes/refund-window-30-days.md"
    async with run(sample, (100, 30)) as driver:
        await driver.press("B", "slash", *"#refunds counted in", "enter", "E")
        driver.app.screen.query_one(TextArea).text = "Mine."
        theirs = file.read_text() + "\nAnd theirs.\n"
        file.write_text(theirs)
        await driver.press("f2")
        assert isinstance(driver.app.screen, Confirm)
        assert "was changed or removed" in driver.text()
        await driver.press("n")
        assert file.read_text() == theirs
        await driver.press("f2", "y")
    assert file.read_text().endswith("---\nMine.")
    (kept,) = user_state_path("ctxtui").rglob("*refund-window-30-days.md")
    assert kept.read_text() == theirs


async def test_a_project_without_entries_begins_with_one(project: Project, run: Run) -> None:
    root = project({"a.md": "# A\n"})
    async with run(root, (100, 30)) as driver:
        await driver.press("B")
        assert "Write the first one?" in driver.text()
        await driver.press("n", "B", "y")
        assert "no entries yet; i writes one" in driver.text()
        await driver.press(
            "space", "E", "Q", "escape", "i", *"decision", *["tab"] * 3, *"first", "tab", *"Yes.", "f2"
        )
        assert (root / "context/first.md").read_text().startswith("---\nentryId: first\ncategory: Decision\n")
        assert "1 of 1" in driver.text()
