"""The Detect screen: five steps with reasons, applied to the selection; and following links."""

from ctxtui.tui.screens.detect import Detect
from tests.conftest import Project
from tests.tui.acting import choices, meter, told_text
from tests.tui.conftest import Driver, Run


async def test_the_steps_are_walked_and_applied(driver: Driver) -> None:
    await driver.press("D")
    for size in ((160, 45), (80, 24)):
        await driver.resize(*size)
        text = driver.text()
        for words in ("1. Read the Domain Index", "3. Detect the Project: framework fastapi", "5 of 6 files"):
            assert words in text
        # The first step has no rows to fold.
        assert "   1. Read" in text
        assert " ▾ 2. Load" in text
    await driver.press("a")
    assert "picked 5 files" in told_text(driver)
    picks = [pick.id for pick in driver.screen.session.picks]
    assert picks[0] == "python/common_issues"
    assert len(picks) == 5
    await driver.press("escape")
    assert driver.app.screen is driver.screen
    assert meter(driver).out > 3_000
    await driver.press("u")
    assert driver.screen.session.picks == ()
    # One file is picked and gone to.
    await driver.press("D", "space")
    assert isinstance(driver.app.screen, Detect)
    id_ = driver.app.screen.rows.current.ids[0]
    assert [pick.id for pick in driver.screen.session.picks] == [id_]
    await driver.press("enter")
    assert driver.screen.context_tree.current.id == id_


async def test_domain_budget_and_triggers_can_be_changed(driver: Driver) -> None:
    await driver.press("D", "right_square_bracket")
    assert "nothing was detected" in driver.text()
    await driver.press("left_square_bracket", *["less_than_sign"] * 3)
    assert "4 of 3 files, 1 beyond the budget" in driver.text()
    assert "no room within 3 files" in driver.text()
    await driver.press("greater_than_sign", "greater_than_sign")
    assert "5 of 5 files" in driver.text()
    await driver.press("i", *["backspace"] * 40, *"schema_migration", "enter")
    assert isinstance(driver.app.screen, Detect)
    assert driver.app.screen.detected.triggers == ("schema_migration",)
    # Triggers and links are followed from the reference.
    await driver.press("escape")
    await driver.press("@python/fastapi_patterns", "=reference")
    driver.screen.show_panel("view")
    await driver.press("enter")
    assert choices(driver)
    await driver.press("enter")
    assert driver.screen.context_tree.current.id != "python/fastapi_patterns"


async def test_without_a_catalog_it_says_so(project: Project, run: Run) -> None:
    async with run(project({"a.md": "# A\n"})) as driver:
        await driver.press("D", "a", "space", "enter")
        assert "no domain catalog" in driver.text()
        await driver.press("escape")
        assert driver.app.screen is driver.screen


async def test_links_with_one_label_can_all_be_followed(project: Project, run: Run) -> None:
    root = project({"a.md": "[here](b.md), [here](c.md), [here](d.md)\n", "b.md": "# B\n", "c.md": "# C\n"})
    async with run(root) as driver:
        for downs, wanted in enumerate(("b.md", "c.md", "a.md")):
            await driver.press("@a.md", "L", *["down"] * downs, "enter")
            assert driver.screen.context_tree.current.id == wanted
            assert ("leads nowhere" in told_text(driver)) == (wanted == "a.md")
