"""The tab with the user's own transcripts: nothing is read before its key is pressed."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from ctxtui.tui.screens.audit import Audit
from tests.audit.transcripts import Home, answer, instructions, said, skill_listing
from tests.tui.conftest import Run


@pytest.mark.parametrize("size", [(160, 45), (80, 24)])
async def test_transcripts_are_read_on_request_only(sample: Path, run: Run, size: tuple[int, int]) -> None:
    home = Home(Path(os.environ["HOME"]), sample.resolve())
    files = {home.root / "CLAUDE.md": (sample / "CLAUDE.md").read_text()}
    for day in range(1, 12):
        home.claude(
            said("hi"), instructions(files), skill_listing({"idle": "Never."}), answer((3, 9_000, 1)), day=day
        )
    async with run(sample, size) as driver:
        await driver.press("A", "left_square_bracket")
        assert "L reads your own transcripts" in driver.text()
        assert "9,004" not in driver.text()
        await driver.press("L")
        await driver.settle()
        for words in ("claude-code  11 starts", "billed", "9,004", "missing", "docs/style.md"):
            assert words in driver.text()
        await driver.press("slash", *"unused idle", "enter")
        assert "unused" in driver.text()
        assert "sent in 11 starts over 10 days, used in 0" in driver.text()
        await driver.press("escape", "slash", *"equal CLAUDE", "enter", "enter")
        assert driver.app.screen is driver.screen


async def test_without_transcripts_it_says_where_it_looked(sample: Path, run: Run) -> None:
    async with run(sample) as driver:
        await driver.press("A", "L")
        await driver.settle()
        assert "no starts of codex found; looked in ~/.codex/sessions" in driver.text()
        await driver.press("R", "enter", "t", "left_square_bracket")
        assert isinstance(driver.app.screen, Audit)
