"""The Search screen: typing finds, tab picks, enter goes there."""

import sys
import threading
from pathlib import Path
from typing import Any

import pytest
from textual import events
from textual.widgets import Input

from ctxtui.session.queries import prompt_search
from ctxtui.session.suggest.suggest import Suggestion, suggest
from ctxtui.tui.screens.search import Search
from ctxtui.tui.widgets.rows import ItemRows
from ctxtui.tui.widgets.tab_line import TitleLine
from ctxtui.workspace.search import Hit
from tests.conftest import Project
from tests.tui.acting import eventually, find, listed, mark, meanwhile, paste, told_text
from tests.tui.conftest import Driver, Run


def title(driver: Driver) -> str:
    return driver.app.screen.query_one(TitleLine).right


async def _typed(driver: Driver, text: str) -> ItemRows[Hit]:
    await driver.press("S", *text)
    return listed(driver)


async def test_a_hit_is_picked_and_gone_to(driver: Driver) -> None:
    hits = await _typed(driver, "fastapi")
    assert hits.items[0].id == "python/fastapi_patterns"
    assert {"name", "tag"} <= set(hits.items[0].matched_on)
    await driver.press("tab")
    assert [pick.id for pick in driver.screen.session.picks] == ["python/fastapi_patterns"]
    for size in ((160, 45), (80, 24)):
        await driver.resize(*size)
        assert "●" in driver.text()
    assert hits.cursor == 1
    await driver.press("up", "enter")
    assert driver.app.screen is driver.screen
    assert driver.screen.context_tree.current.id == "python/fastapi_patterns"


async def test_another_scope_looks_into_texts_and_is_remembered(driver: Driver) -> None:
    found = {hit.id: hit.matched_on for hit in (await _typed(driver, "total")).items}
    assert any("symbol" in matched for matched in found.values())
    assert any("text" in matched for matched in found.values())
    await driver.press(*["backspace"] * 5, *"partial refunds")
    hits = listed(driver)
    assert any(hit.id == ".context/TASKS#in-progress" for hit in hits.items)
    await driver.press("f2", "f2")
    assert any(hit.id == ".context/TASKS#in-progress" for hit in hits.items)
    assert "Partial refunds" in driver.text()
    await driver.press("escape", "S")
    assert "[Text]" in driver.text()
    hits = listed(driver)
    assert hits.items
    await driver.press("tab")
    assert "#" in hits.items[0].id
    assert mark(driver, ".context") in "◐○"
    assert len(driver.screen.session.picks) == 1


async def test_a_hit_is_dropped_again_but_never_taken_out_of_a_whole_file(driver: Driver) -> None:
    hits = await _typed(driver, "fastapi")
    for picked in (["python/fastapi_patterns"], [], ["python/fastapi_patterns"]):
        await driver.press("tab", "up")
        assert [pick.id for pick in driver.screen.session.picks] == picked
    await driver.press("f2", "f2")
    hits.move(next(place for place, hit in enumerate(hits.items) if hit.id.startswith("python/fastapi_patterns#")))
    before = driver.screen.session
    for times in (1, 2):
        await driver.press("tab", "up")
        assert driver.screen.session is before
        assert told_text(driver).count("picked as a whole") == times
    hits.focus()
    x, y = find(driver, "●")
    await driver.pilot.click(offset=(x, y))
    await driver.settle()
    assert driver.screen.session is before


async def test_another_scope_clears_the_list_and_says_that_it_searches(driver: Driver) -> None:
    hits = await _typed(driver, "refund")
    assert hits.count
    await driver.key("f2")
    assert hits.count == 0
    assert "searching …" in title(driver)
    # In place of the rows: a low screen has no line below them.
    assert hits.remark.startswith("searching ")
    await driver.settle()
    assert hits.count
    assert "hit" in title(driver)


async def test_a_task_says_how_much_has_been_read(
    project: Project, run: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    seen = threading.Event()

    def held(*arguments: Any) -> Suggestion:
        found = suggest(*arguments)
        assert seen.wait(30)
        return found

    monkeypatch.setattr("ctxtui.tui.screens.search._TELL", 0.01)
    monkeypatch.setattr("ctxtui.tui.screens.search.suggest", held)
    files = {f"src/m{n}.py": f"def order{n}():\n    return {n}\n" * 40 for n in range(40)}
    async with run(project(files)) as driver:
        await driver.press("I")
        # At once: a search for the first letters would have read the files for the word.
        driver.app.post_message(events.Paste("orders"))
        await meanwhile(driver, lambda: "reading the text: 39 of 40 files …" in driver.text())
        seen.set()
        await eventually(driver, lambda: " hits" in driver.text())


async def test_a_task_says_that_the_budget_is_full(driver: Driver) -> None:
    await driver.press("b", *"700", "enter", "a", "I", *"orders", "enter")
    assert "no room is left for what belongs to a task: raise the budget" in driver.text()


async def test_whole_words_are_highlighted_but_no_words_inside_others(project: Project, run: Run) -> None:
    async with run(project({"a.md": "# A\n\nLook at the matches and the rematch.\n"})) as driver:
        await driver.press("S", "f2", "f2", *"at match")
        hit = listed(driver).items[0]
        screen = driver.app.screen
        assert isinstance(screen, Search)
        told = screen.detail(hit)
        marked = [told.plain[span.start : span.end] for span in told.spans if "accent" in str(span.style)]
        assert marked == ["at", "match"]
        assert told.plain[told.spans[-1].start :].startswith("matches")


async def test_nothing_found_says_where_it_looked(driver: Driver) -> None:
    await _typed(driver, "zzzz")
    assert "nothing found in names, metadata, symbols, headings and text" in driver.text()
    await driver.press("enter", "tab")
    assert isinstance(driver.app.screen, Search)
    assert told_text(driver) == ""


async def test_a_prompt_finds_passages_to_pick_by_section_or_by_line(driver: Driver) -> None:
    await driver.press("S", "f2", "f2", "f2", "f2", *"how long is the refund window")
    assert "[Prompt]" in driver.text()
    hits = listed(driver)
    ids = [hit.id for hit in hits.items]
    assert "entries/refund-window-30-days" in ids[:5]
    assert "refund" in driver.text().lower()
    place = next(number for number, hit in enumerate(hits.items) if "#" in hit.id)
    hits.move(place)
    hit = hits.items[place]
    await driver.press("f3")
    assert hit.lines
    assert driver.screen.session.picks[0].id == f"lines:{hit.reference.id}:{hit.lines[0]}-{hit.lines[1]}"
    await driver.press("tab")
    payload = driver.screen.session.payload()
    assert len(payload.blocks) == 2
    assert payload.missing == ()


@pytest.mark.heavy
async def test_a_server_of_the_users_answers_prompts(sample: Path, run: Run) -> None:
    engine = {"own": {"command": [sys.executable, "-m", "ctxtui.cli", "mcp", str(sample), "-q"], "timeout": 30}}
    async with run(sample, engines=engine) as driver:
        await driver.press("S", "f2", "f2", "f2", "f2", "f4", *"refund window")
        assert "engine: own" in driver.text()
        assert {hit.matched_on for hit in listed(driver).items} == {("mcp",)}
        await driver.press("tab")
        assert len(driver.screen.session.picks) == 1


@pytest.mark.heavy
async def test_a_server_that_cannot_be_started_is_told(sample: Path, run: Run) -> None:
    async with run(sample, engines={"none": {"command": ["/nowhere/engine"]}}) as driver:
        await driver.press("S", "f2", "f2", "f2", "f2", "f4", *"refund")
        assert "none: " in driver.text()
        await driver.press("escape")
        assert driver.app.screen is driver.screen


async def test_an_answer_grows_with_the_index(project: Project, run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(prompt_search, "_PATIENCE", 0.0)
    filling = "quagga elsewhere\n" * 40
    root = project({f"docs/{number:02}.md": filling for number in range(40)} | {"src/zoo.py": "QUAGGA = 'zebra'\n"})
    async with run(root) as driver:
        await driver.press("S", "f2", "f2", "f2", "f2", *"zebra")
        assert [hit.id for hit in listed(driver).items] == ["src/zoo.py"]
        assert "1 hit" in title(driver)
        assert "indexing" not in title(driver)


async def test_in_large_projects_texts_join_names(
    project: Project, run: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("ctxtui.tui.work.findings.LARGE", 1)
    monkeypatch.setattr(prompt_search, "_PATIENCE", 0.0)
    filling = {f"docs/{number:02}.md": "elsewhere\n" * 40 for number in range(40)}
    async with run(project(filling | {"zebra.md": "# Stripes\n", "src/zoo.py": "QUAGGA = 'zebra'\n"})) as driver:
        hits = await _typed(driver, "zebra")
        await eventually(driver, lambda: bool(hits.items))
        assert "zebra.md" in [hit.id for hit in hits.items]
        await driver.settle()
        assert {hit.id for hit in hits.items} >= {"zebra.md", "src/zoo.py"}
        assert title(driver).strip() == f"{len(hits.items)} hits"


async def test_hits_show_the_symbol_and_the_line_that_matches(project: Project, run: Run) -> None:
    code = "class Till:\n    def close(self):\n        pass\n\n    def shut(self):\n        return 'quagga'\n"
    async with run(project({"till.py": code})) as driver:
        await driver.press("S", "f2", "f2", "f2", "f2", *"quagga")
        assert "till.py:6" in driver.text()
        assert "Till / shut  return 'quagga'" in driver.text()
        await driver.press("tab")
        assert driver.screen.session.picks[0].marks == (("Till.shut", True),)


async def test_a_task_is_said_and_what_belongs_to_it_is_picked_within_the_budget(driver: Driver) -> None:
    await driver.press("b", *"3k", "enter", "I")
    assert "say in a sentence what is wanted" in driver.text()
    await driver.press(*"refunds are rounded to cents twice")
    hits = listed(driver)
    assert hits.items
    assert all(hit.excerpt for hit in hits.items), "each has its reason"
    await driver.press("enter")
    assert hits.has_focus, "a sentence names no hit to go to"
    await driver.press("space")
    assert driver.told[-1].message == "i on the main screen offers the task as prompt block"
    await driver.press("space", "f6", "escape")
    picked = [pick.id for pick in driver.screen.session.picks]
    assert picked
    assert driver.screen.figures.layout.wanted <= 3_000
    # The task is offered as the prompt block, and sent only if the user wants it.
    assert driver.screen.session.selection.prompt is None
    await driver.press("i", "f2")
    prompt = driver.screen.session.selection.prompt
    assert prompt is not None
    assert prompt.text == "refunds are rounded to cents twice"


async def test_a_pasted_stack_trace_is_kept_whole(sample: Path, run: Run) -> None:
    trace = (
        'Traceback (most recent call last):\n  File "src/api/orders.py", line 30, in refund\n    raise ValueError\n'
    )
    async with run(sample) as driver:
        await driver.press("I")
        await paste(driver, trace)
        await eventually(driver, lambda: bool(listed(driver).items))
        assert driver.app.screen.query_one("#query", Input).value == " ".join(trace.split())
        assert "line 30 is named in the task" in driver.text()
