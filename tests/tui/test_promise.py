"""The promise on the screen: the number on the meter is the number of tokens in the exported file."""

import random
from pathlib import Path

from ctxtui.core.tokens.encodings import encoding
from tests.conftest import Project
from tests.tui.acting import answer, meter, paste, told_text
from tests.tui.conftest import Driver, Run


def tokens_of(file: Path) -> int:
    return len(encoding("o200k_base").encode(file.read_text("utf-8"), disallowed_special=()))


def some_rows(driver: Driver, chance: random.Random) -> list[str]:
    """Folders, documents and parts, down to nested sections."""
    workspace = driver.screen.session.workspace
    documents = [reference.id for reference in workspace.references]
    nodes = [workspace.find(id_) for id_ in documents]
    parts = [child.id for node in nodes if node for child in node.children]
    nested = [inner.id for node in nodes if node for child in node.children for inner in child.children]
    folders = [node.id for node in workspace.tree.walk() if node.kind == "folder" and node.id]
    chosen = [*chance.sample(documents, 3), *chance.sample(parts, 2), *chance.sample(nested, 2)]
    chosen += chance.sample(folders, 1)
    chance.shuffle(chosen)
    return chosen


async def test_the_meter_shows_the_tokens_of_the_exported_file(sample: Path, run: Run, here: Path) -> None:
    chance = random.Random(1)
    async with run(sample) as driver:
        for row in some_rows(driver, chance):
            await driver.press(f"@{row}", *chance.choice((["space"], ["space"], ["space", "p"])))
        await driver.press("i")
        await paste(driver, "Why? <b>\nx")
        await driver.press(*chance.choice((["f3"], [])), "f2")
        wanted = meter(driver).out
        for number, over in enumerate(("cut", "fit", "none")):
            if over == "fit":
                await driver.press("f")
            limit = {"cut": f"{wanted * chance.uniform(0.6, 0.9):.0f}", "fit": f"{wanted * 0.5:.0f}"}.get(over, "")
            await answer(driver, "b", limit)
            file = here / f"out{number}"
            reading = meter(driver)
            await answer(driver, "e", file.name)
            if not file.exists():
                assert "not exported" in told_text(driver)
                assert reading.limit is not None
                assert reading.out > reading.limit
            else:
                assert tokens_of(file) == reading.out
                assert not reading.is_behind
                assert reading.limit is None or reading.out <= reading.limit
                assert f"{reading.out:,} tokens" in told_text(driver)
            await driver.press("F")


async def test_the_ending_of_the_file_decides_the_format(driver: Driver, here: Path) -> None:
    await driver.pick("AGENTS.md")
    (here / "file").write_text("")
    await answer(driver, "e", "file/out.xml")
    assert driver.screen.desk.now.selection.format == "markdown"
    await answer(driver, "e", "out.xml")
    assert "the format is xml now" in told_text(driver)
    file = here / "out.xml"
    assert file.read_text().startswith("<documents>")
    assert tokens_of(file) == meter(driver).out
    assert driver.screen.desk.now.selection.format == "xml"
    await driver.press("u")
    assert driver.screen.desk.now.selection.format == "markdown"
    # The other encoding keeps the promise, too.
    await driver.press("@.context/", "space", "m", *"cl100k_base", "enter")
    reading = meter(driver)
    await answer(driver, "e", "out")
    text = (here / "out").read_text()
    assert len(encoding("cl100k_base").encode(text, disallowed_special=())) == reading.out
    assert len(encoding("o200k_base").encode(text, disallowed_special=())) != reading.out


async def test_a_file_that_names_special_tokens_is_counted_as_text(project: Project, run: Run, here: Path) -> None:
    async with run(project({"AGENTS.md": "# Special\n\n<|endoftext|> and <|im_start|>\n"})) as driver:
        await driver.press("space")
        reading = meter(driver)
        await answer(driver, "e", "out")
    assert "<|endoftext|>" in (here / "out").read_text()
    assert tokens_of(here / "out") == reading.out
