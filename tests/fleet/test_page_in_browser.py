"""The page in a real headless Chromium: it loads nothing, fits, sorts, filters, and shows hostile texts as texts."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Iterable
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import pytest

from ctxtui.fleet.page.render import page, short
from ctxtui.fleet.types import Outcome
from tests.fleet.hostile_fleet import ATTACKS, KINDS, hostile_outcomes
from tests.fleet.kept import generated, outcome
from tests.fleet.test_summary import fault, repository, summary_of
from tests.serve.conftest import Browser, chromium

pytestmark = pytest.mark.heavy

_NAMES = "[...document.querySelectorAll('[data-table=repositories] tbody .open')].map(each => each.textContent)"
_COUNT = "document.querySelector('[data-table=repositories] output').textContent"
_TYPE = """(words => {
  const input = document.querySelector('[data-table=repositories] input');
  input.value = words;
  input.dispatchEvent(new Event('input'));
})"""
_CHOOSE = """((index, text) => {
  const select = document.querySelectorAll('[data-table=repositories] select')[index];
  select.value = [...select.options].find(each => each.textContent === text).value;
  select.dispatchEvent(new Event('change'));
})"""
_SORT = """(title => [...document.querySelectorAll('[data-table=repositories] thead button')]
  .find(each => each.textContent === title).click())"""
_LONGEST = 90
SIZES = [(1440, 900), (390, 844)]


class Shown:
    """A page in a browser."""

    def __init__(self, browser: Browser, address: str) -> None:
        self.browser = browser
        self.address = address

    async def value(self, code: str) -> Any:
        """What an expression is in the page."""
        answer = await self.browser.call("Runtime.evaluate", expression=code, awaitPromise=True, returnByValue=True)
        assert "exceptionDetails" not in answer, answer
        return answer["result"].get("value")

    async def count(self, selector: str) -> int:
        """How many elements a selector finds."""
        return int(await self.value(f"document.querySelectorAll({selector!r}).length"))

    async def resized(self, width: int, height: int, scheme: str = "light") -> None:
        """Show it in a window of a size, with light or dark colors."""
        options = {"width": width, "height": height, "deviceScaleFactor": 1, "mobile": width < 500}
        await self.browser.call("Emulation.setDeviceMetricsOverride", **options)
        features = [{"name": "prefers-color-scheme", "value": scheme}]
        await self.browser.call("Emulation.setEmulatedMedia", features=features)
        await self.browser.call("Page.navigate", url=self.address)
        # No event comes if scripts are off.
        async with asyncio.timeout(_LONGEST):
            while await self.value("document.readyState") != "complete":
                pass

    async def press(self, key: str, code: int) -> None:
        """Press a key that has no letter."""
        text = {"text": "\r"} if key == "Enter" else {}
        for kind in ("keyDown", "keyUp"):
            await self.browser.call(
                "Input.dispatchKeyEvent", type=kind, key=key, code=key, windowsVirtualKeyCode=code, **text
            )

    async def check(self) -> None:
        """Nothing was loaded but the page, nothing failed, and it is not wider than the window."""
        assert set(self.browser.requests) <= {self.address, "about:blank", "data:,"}
        assert self.browser.errors == self.browser.said == []
        width, room = await self.value("[document.documentElement.scrollWidth, document.documentElement.clientWidth]")
        assert width <= room


@asynccontextmanager
async def opened(folder: Path, *runs: Iterable[Outcome]) -> AsyncIterator[Shown]:
    """The page of a fleet in a browser."""
    file = folder / "fleet.html"
    file.write_text(page(summary_of(folder, *runs)), "utf-8")
    async with chromium(folder) as browser:
        await browser.open("about:blank")
        yield Shown(browser, file.as_uri())


async def test_hostile_texts_stay_texts(tmp_path: Path) -> None:
    async with opened(tmp_path, hostile_outcomes(), hostile_outcomes()) as shown:
        for size in SIZES:
            for scheme in ("light", "dark"):
                await shown.resized(*size, scheme)
                await _shows_texts(shown, scheme)


async def _shows_texts(shown: Shown, scheme: str) -> None:
    assert await shown.count("img, iframe, a[href^=http], [onload], [onerror]") == 0
    assert await shown.count("body svg") == await shown.count(".chart svg")
    names = await shown.value(_NAMES)
    await shown.value("[...document.querySelectorAll('#repositories .pages button')].at(-1).click()")
    names += await shown.value(_NAMES)
    assert set(names) == {short(f"{kind}{number}/{text}") for number, text in enumerate(ATTACKS) for kind in KINDS}
    await shown.value("document.querySelectorAll('.open').forEach(each => each.click())")
    assert await shown.count(".detail") > len(ATTACKS)
    await shown.value("document.querySelectorAll('summary').forEach(each => each.click())")
    await shown.check()
    dark = await shown.value("getComputedStyle(document.body).backgroundColor")
    assert (dark == "rgb(20, 23, 26)") == (scheme == "dark")


async def test_rows_are_sorted_filtered_and_opened(tmp_path: Path) -> None:
    before = [repository(f"team/r{number}", 100) for number in range(120)]
    now = [repository(f"team/r{number}", 100 + number) for number in range(120)]
    now += [
        repository("web/worst", 7, fault("secret", "error"), fault("paid-twice", tokens=33)),
        outcome("web/claude", [("claude-code", 5_000), ("codex", 50)], ["warning"]),
        outcome("web/bare"),
        outcome("web/gone", error="/srv/web/gone does not exist"),
    ]
    async with opened(tmp_path, before, now) as shown:
        await shown.resized(1440, 900)
        assert (await shown.value(_NAMES))[:3] == ["web/worst", "web/claude", "team/r119"], "the worst first"
        assert await shown.value(_COUNT) == "1–50 of 124 repositories"
        await shown.value(f"{_SORT}('Repository')")
        assert (await shown.value(_NAMES))[:3] == ["team/r0", "team/r1", "team/r2"], "numbers in their order"
        await shown.value(f"{_SORT}('Repository')")
        assert (await shown.value(_NAMES))[0] == "web/worst"
        await shown.value(f"{_SORT}('Change')")
        assert (await shown.value(_NAMES))[:2] == ["team/r119", "team/r118"]
        await shown.value(
            "[...document.querySelectorAll('.pages button')].find(each => each.textContent === 'Next').click()"
        )
        assert await shown.value(_COUNT) == "51–100 of 124 repositories"
        assert (await shown.value(_NAMES))[0] == "team/r69"
        await shown.value(f"{_TYPE}('WEB/')")
        assert await shown.value(_COUNT) == "4 repositories of 124"
        await shown.value(f"{_TYPE}('nothing')")
        assert "Nothing matches." in await shown.value(
            "document.querySelector('[data-table=repositories] tbody').textContent"
        )
        await shown.value(f"{_TYPE}('')")
        await shown.value(f"{_CHOOSE}(0, 'claude-code')")
        assert await shown.value(_NAMES) == ["web/claude"]
        await shown.value(f"{_CHOOSE}(0, 'codex')")
        assert (await shown.value(_NAMES))[0] == "team/r119", "the largest start of this agent"
        await shown.value(f"{_CHOOSE}(0, 'Any agent')")
        for choice, names in (("Not audited", ["web/gone"]), ("Without agents", ["web/bare"])):
            await shown.value(f"{_CHOOSE}(2, '{choice}')")
            assert await shown.value(_NAMES) == names
        await shown.value(f"{_CHOOSE}(2, 'Start grew')")
        assert await shown.value(_COUNT) == "1–50 of 119 repositories of 124"
        await shown.value(f"{_CHOOSE}(2, 'All repositories')")
        await shown.value("document.querySelector('[data-rule=\"paid-twice\"] button').click()")
        assert await shown.value(_NAMES) == ["web/worst"]
        await shown.value("document.querySelector('.open').click()")
        detail = await shown.value("document.querySelector('.detail').textContent")
        assert "codex 7" in detail
        assert "Paid twice: 1 finding, 33 tokens at stake" in detail
        await shown.check()


async def test_keys_are_enough(tmp_path: Path) -> None:
    async with opened(tmp_path, [repository(f"r{number}", number) for number in range(60)]) as shown:
        await shown.resized(1440, 900)
        await shown.press("Tab", 9)
        assert await shown.value("document.activeElement.className") == "skip"
        await shown.value("document.querySelector('[data-table=repositories] input').focus()")
        for _ in range(4):
            await shown.press("Tab", 9)
        assert await shown.value("document.activeElement.textContent") == "Repository"
        await shown.press("Enter", 13)
        assert await shown.value("document.activeElement.closest('th').getAttribute('aria-sort')") == "ascending"
        assert (await shown.value(_NAMES))[:2] == ["r0", "r1"]
        async with asyncio.timeout(_LONGEST):
            while "open" not in await shown.value("document.activeElement.className"):
                await shown.press("Tab", 9)
        await shown.press("Enter", 13)
        assert await shown.value("document.activeElement.getAttribute('aria-expanded')") == "true"
        outline = await shown.value("getComputedStyle(document.activeElement).outlineStyle")
        assert outline == "solid", "one sees where one is"
        await shown.check()


async def test_without_scripts_the_summary_shows(tmp_path: Path) -> None:
    async with opened(tmp_path, generated(80), generated(90)) as shown:
        await shown.browser.call("Emulation.setScriptExecutionDisabled", value=True)
        for size in SIZES:
            await shown.resized(*size)
            await shown.check()
        text = await shown.value("document.body.innerText")
        for part in ("Median start", "What a start costs", "What to fix first", "The worst 25 of 90"):
            assert part in text
        assert await shown.count("[data-table=repositories] tbody tr") == 25


async def test_it_prints_in_black_on_white(tmp_path: Path) -> None:
    async with opened(tmp_path, generated(80)) as shown:
        await shown.resized(1440, 900, "dark")
        printed = await shown.browser.call("Page.printToPDF", printBackground=True)
        assert printed["data"].startswith("JVBER")
        await shown.browser.call("Emulation.setEmulatedMedia", media="print")
        assert await shown.value("getComputedStyle(document.body).backgroundColor") == "rgb(255, 255, 255)"
        assert await shown.value("getComputedStyle(document.querySelector('.tools')).display") == "none"


async def test_twenty_thousand_rows_are_drawn_in_pages(tmp_path: Path) -> None:
    async with opened(tmp_path, generated(20_000)) as shown:
        for size in SIZES:
            await shown.resized(*size)
            assert await shown.value(_COUNT) == "1–50 of 20,000 repositories"
            assert await shown.count("*") < 3_000
            await shown.value(f"{_SORT}('Repository')")
            await shown.value(f"{_TYPE}('-19999')")
            assert await shown.value(_COUNT) == "1 repository of 20,000"
            await shown.check()
