"""Outputs of a notebook in the app: one key picks them beside the cells, and drops them again."""

from __future__ import annotations

from ctxtui.core import get_counter
from tests.conftest import Project
from tests.core.test_notebooks import code, notebook
from tests.session.test_notebook_picks import FILE
from tests.tui.acting import eventually, messages, picked
from tests.tui.conftest import Driver, Run

OUTPUTS = "query:outputs: orders.ipynb"


def is_exact(driver: Driver) -> bool:
    """Whether the meter shows what would be exported now."""
    session, layout = driver.screen.session, driver.screen.figures.layout
    if session is None or layout is None or session.unanswered:
        return False
    return layout.tokens == get_counter().count(session.payload().text)


async def test_a_key_picks_the_outputs_and_drops_them(project: Project, run: Run) -> None:
    root = project({"orders.ipynb": FILE, "quiet.ipynb": notebook(code("x")), "a.md": "# A\n"})
    for size in ((160, 45), (80, 24)):
        async with run(root, size=size) as driver:
            await driver.go_to("orders.ipynb")
            await driver.press("space", "O")
            await eventually(driver, lambda driver=driver: picked(driver) == ["orders.ipynb", OUTPUTS])
            await eventually(driver, lambda driver=driver: is_exact(driver))
            await driver.press("O")
            await eventually(driver, lambda driver=driver: picked(driver) == ["orders.ipynb"])
            await driver.press("u")
            await eventually(driver, lambda driver=driver: picked(driver) == ["orders.ipynb", OUTPUTS])
            await driver.press("2", "down", "enter")
            assert "a  b" in driver.screen.view.page.text
            (root / "orders.ipynb").write_text(notebook(code("x", {"output_type": "stream", "text": "anew\n"})))
            await eventually(driver, lambda driver=driver: "anew" in driver.screen.view.page.text)
            await eventually(driver, lambda driver=driver: is_exact(driver))
            (root / "orders.ipynb").write_text(FILE)
            await driver.press("2", "x", "1")
            assert picked(driver) == ["orders.ipynb"]
            await driver.go_to("quiet.ipynb")
            await driver.press("O")
            await eventually(driver, lambda driver=driver: "has no outputs" in messages(driver))
            await driver.press("1", "u", "u", "u", "u", "u")
