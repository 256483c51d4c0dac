"""The app in a real headless Chromium: open it, pick, read the meter, download the payload."""

from pathlib import Path

import pytest

from ctxtui.core import get_counter
from tests.serve.conftest import base_of, chromium, serving

_IS_SHOWN = "document.readyState === 'complete' && document.body.classList.contains('-first-byte')"


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


@pytest.mark.heavy
async def test_the_audit_is_downloaded_and_starts_nothing(sample: Path, tmp_path: Path) -> None:
    (sample / ".mcp.json").write_text('{"mcpServers": {"docs": {"command": "touch", "args": ["MARK"]}}}')
    with serving(sample, "--fresh") as (address, _):
        async with chromium(tmp_path) as browser:
            await browser.open(address)
            await browser.until_shown("AGENTS.md")
            await browser.press("A")
            await browser.until_shown("3 errors")
            await browser.press("W")
            await browser.until_shown("no server is started")
            await browser.press("e")
            assert (await browser.downloaded()).read_text("utf-8").startswith("#")
    assert not (sample / "MARK").exists()


@pytest.mark.heavy
async def test_only_the_page_of_the_whole_address_shows_the_app(sample: Path, tmp_path: Path) -> None:
    with serving(sample, "--fresh") as (address, _):
        async with chromium(tmp_path) as browser:
            await browser.open(address)
            await browser.until_shown("AGENTS.md")
            await browser.until_true(f"location.href === '{base_of(address)}/'")
            await browser.call("Page.reload")
            await browser.until_true(_IS_SHOWN)
            # A page that another server sends here has the cookie, but not the key.
            await browser.open(base_of(address))
            await browser.until_true("document.querySelector('#keyless')?.checkVisibility() === true")
            await browser.until_true("document.body.classList.contains('-closed')")
            await browser.until_true(f"!({_IS_SHOWN})")
