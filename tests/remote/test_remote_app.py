"""The app says which commit it shows of a project that is a copy, and nothing of the kind in other folders."""

import pytest

from ctxtui.core.disk.copies import Copy
from tests.remote.conftest import Served
from tests.tui.conftest import Run
from tests.tui.conftest import quick_textual as quick_textual
from tests.tui.conftest import run as run

SIZES = [(160, 45), (80, 24)]


@pytest.fixture
def copy(daemon: Served) -> Copy:
    daemon.repository("shown").commit({"AGENTS.md": "# Acme\n\nUse `uv`.\n", "docs/a.md": "# A\n"})
    return daemon.fetched("shown")


@pytest.mark.parametrize("size", SIZES)
@pytest.mark.parametrize("folder", ["", "docs"])
async def test_the_title_of_a_copy_has_its_commit(copy: Copy, run: Run, size: tuple[int, int], folder: str) -> None:
    async with run(copy.root / folder, size) as driver:
        title = driver.text().split("\n")[0]
        assert title.startswith(f" {folder or 'shown'} ⇣ {copy.commit[:7]}   markdown")
        assert title.rstrip().endswith("exact")


async def test_a_clone_has_no_such_sign(daemon: Served, run: Run) -> None:
    repo = daemon.repository("clone")
    repo.commit({"AGENTS.md": "# Acme\n"})
    async with run(repo.root, SIZES[0]) as driver:
        assert driver.text().startswith(" clone   markdown")
