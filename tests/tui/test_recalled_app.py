"""The app begins with the project as it was seen last, and shows what has changed since."""

from __future__ import annotations

import time

import pytest

from ctxtui.workspace.workspace import Workspace
from tests.conftest import Project
from tests.tui.acting import eventually
from tests.tui.conftest import Run


@pytest.fixture
def seen(project: Project, monkeypatch: pytest.MonkeyPatch) -> Project:
    """A project that was opened long after its last change."""

    def make(files: dict[str, str]) -> object:
        root = project(files)
        real = time.time_ns
        with monkeypatch.context() as later:
            later.setattr(time, "time_ns", lambda: real() + 3_600 * 10**9)
            Workspace.open(root)
        return root

    return make  # type: ignore[return-value]


async def test_what_changed_meanwhile_is_seen_after_the_first_frame(seen: Project, run: Run) -> None:
    root = seen({f"{name}.md": f"# {name}\n" for name in "abc"})
    (root / "b.md").unlink()
    (root / "d.md").write_text("# d\n\nMore words.\n", "utf-8")
    assert {each.path for each in Workspace.recall(root).references} == {"a.md", "b.md", "c.md"}
    async with run(root, recalls=True) as driver:
        await driver.press("plus")
        await eventually(driver, lambda: "d.md" in driver.text())
        assert "b.md" not in driver.text()
        assert not driver.screen.session.workspace.is_recalled  # type: ignore[union-attr]


async def test_what_has_not_changed_stays_as_it_is_shown(seen: Project, run: Run) -> None:
    root = seen({f"{name}.md": f"# {name}\n" for name in "abc"})
    async with run(root, recalls=True) as driver:
        await driver.press("plus", "space")
        assert "3 files" in driver.text()
        assert driver.screen.session.workspace.is_recalled  # type: ignore[union-attr]
        assert "picked" in driver.text()
