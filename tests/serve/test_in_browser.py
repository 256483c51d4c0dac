"""The app in a real headless Chromium: open it, pick, read the meter, download the payload."""

from __future__ import annotations

from pathlib import Path

import pytest

from ctxtui.core import get_counter
from tests.serve.conftest import base_of, chromium, serving


@pytest.mark.heavy
async def test_a_payload_is_picked_and_downloaded(sample: Path, tmp_path: Path) -> None:
    source = f"<!-- source: AGENTS.md -->\n{(sample / 'AGENTS.md').read_text('utf-8')}"
    block = get_counter().count(source)
    with serving(sample, "--fresh") as (address, _):
        async with chromium(tmp_path) as browser:
            await browser.open(address)
            await browser.until_shown("AGENTS.md")
            await browser.press(" ")
            await browser.until_shown(f" {block} tokens, no limit")
            await browser.press("y")
            await browser.until_shown("a page cannot reach your clipboard")
            await browser.press("e")
            await browser.until_shown(f"sent {block} tokens to the browser")
            text = (await browser.downloaded()).read_text("utf-8")
            assert text == source
            hosts = {url.split("/")[2] for url in browser.requests if "://" in url}
            assert hosts == {base_of(address).partition("//")[2]}, "nothing is asked of another server"
            assert browser.errors == []
