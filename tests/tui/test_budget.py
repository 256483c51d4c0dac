"""Budget: limits and models as they are typed, and what the meter says of them."""

import re
from pathlib import Path

import pytest

from ctxtui.tui.actions.dialogs import model_choices
from tests.conftest import Project
from tests.tui.acting import answer, dialog_text, is_unharmed, meter, told_text, tree_line
from tests.tui.conftest import Driver, Run
from tests.vendors import serving


async def test_a_limit_as_people_write_it_and_nonsense_is_refused_in_the_dialog(sample: Path, run: Run) -> None:
    async with run(sample, (80, 24)) as driver:
        for typed, limit in {"12k": 12_000, " 1,500 ": 1_500, "0": 0, "1.5k": 1_500, "": None}.items():
            await answer(driver, "b", typed)
            assert driver.app.screen is driver.screen, dialog_text(driver)
            assert meter(driver).limit == limit, typed
        for typed in ("lots", "-5", "12kk", "1e9", "nan"):
            await answer(driver, "b", typed)
            assert driver.app.screen is not driver.screen, typed
            assert typed[:10] in dialog_text(driver) or "no number" in dialog_text(driver), dialog_text(driver)
            assert "12k" in dialog_text(driver) or "number" in dialog_text(driver)
            await driver.press("escape")
            assert meter(driver).limit is None


async def test_over_the_limit_both_numbers_show(driver: Driver) -> None:
    await driver.pick("context_library/python/")
    whole = meter(driver)
    assert whole.picked is None
    await answer(driver, "b", f"{whole.out // 2}")
    cut = meter(driver)
    assert cut.picked == whole.out
    assert cut.limit is not None
    assert cut.out <= cut.limit
    assert "cut from" in driver.text()
    assert driver.screen.blocks.virtual_size.height == driver.screen.blocks.count
    await driver.press("f")
    fitted = meter(driver)
    assert fitted.picked == whole.out
    assert fitted.out <= cut.limit
    assert "left out" in driver.text()
    assert "fit" in driver.text().split("\n")[0].split()
    await answer(driver, "b", f"{whole.out}")
    exact = meter(driver)
    assert (exact.picked, exact.out) == (None, whole.out)
    assert "0 left" in exact.line


async def test_headers_that_fill_a_budget_offer_to_leave_files_out(project: Project, run: Run) -> None:
    files = {f"docs/a-long-name-of-a-file-{n}.md": f"# File {n}\n\nSome words, and {n} more.\n" for n in range(60)}
    async with run(project(files)) as driver:
        await answer(driver, "b", "500")
        await driver.press("a")
        assert meter(driver).out > 500
        assert "f leaves out whole files" in told_text(driver)
        assert "f leaves out whole files" in driver.text()
        await driver.press("f")
        assert meter(driver).out <= 500
        assert "f leaves out whole files" not in str(driver.screen.payload_panel.border_subtitle)
        await driver.press("2", "G")
        assert "over the limit · p keeps this block whole" in str(driver.screen.payload_panel.border_subtitle)


async def test_what_is_pinned_beyond_the_limit_is_not_exported(sample: Path, run: Run, here: Path) -> None:
    async with run(sample) as driver:
        await driver.press("@AGENTS.md", "space", "p")
        await answer(driver, "b", "100")
        assert re.search(r"\d+ OVER", meter(driver).line)
        await answer(driver, "e", "out.md")
        assert "not exported" in told_text(driver)
        assert not (here / "out.md").exists()
        await driver.press("y")
        assert told_text(driver).count("not exported") == 2
        await answer(driver, "vertical_line", "cat > never")
        assert driver.app.return_value is None
        await driver.press("p")
        await answer(driver, "e", "out.md")
        assert (here / "out.md").exists()
        assert "lies in the project" not in told_text(driver)
        await answer(driver, "e", f"{sample.name}/out.md")
        assert told_text(driver).count("lies in the project") == 1
    assert not (here / "never").exists()


async def test_an_existing_file_is_overwritten_only_by_y(sample: Path, run: Run, here: Path) -> None:
    place = here / "[red]out.md"
    place.write_text("mine")
    async with run(sample, (80, 24)) as driver:
        await answer(driver, "e", "out.md")
        assert "nothing is picked" in told_text(driver)
        await driver.pick("AGENTS.md")
        await answer(driver, "e", place.name)
        assert "[red]out.md already exists" in driver.text()
        await driver.press("enter", "x", "n")
        assert place.read_text() == "mine"
        await answer(driver, "e", place.name)
        await driver.press("y")
        assert "[red]out.md" in told_text(driver)
    assert "AGENTS.md" in place.read_text()
    assert not (here / "out.md").exists()


async def test_any_file_name_gives_a_file_or_a_message(sample: Path, run: Run, here: Path) -> None:
    (here / "file").write_text("not a folder")
    names = (
        "~nobody-here/out.md no-such-folder/out.md no-such-folder/second.md . \N{SNOWMAN}.md file/below.md".split()
    )
    async with run(sample, (80, 24)) as driver:
        await driver.press("space")
        for name in (*names, "x" * 300, "a\tb.md"):
            before = told_text(driver)
            await answer(driver, "e", name)
            if driver.app.screen is driver.screen:
                assert re.search("wrote|cannot write", told_text(driver).removeprefix(before)), name
            else:
                assert "the folder is the one" not in dialog_text(driver), name
                await driver.press("escape")
            assert is_unharmed(driver)
        assert told_text(driver).count("in the new folder no-such-folder") == 1
    assert (here / "file").read_text() == "not a folder"


async def test_an_estimate_never_looks_exact(driver: Driver, here: Path) -> None:
    await driver.pick("context_library/python/")
    exact = meter(driver).out
    await driver.press("m", *"claude-opus-4", "enter")
    reading = meter(driver)
    assert reading.is_estimate
    assert reading.out != exact
    assert f"{exact:,} o200k" in reading.line or re.search(rf"{exact:,}\b", reading.line)
    first = driver.text().split("\n")[0]
    assert "claude-opus-4" in first
    assert "≈" in first
    assert "exact" not in first
    rows = [line for line in driver.text().split("\n") if "fastapi_patterns" in line]
    assert rows
    assert all("≈" in row for row in rows)
    assert "$" in first
    await answer(driver, "e", "out")
    assert "≈" in told_text(driver)
    await driver.press("m", *"o200k_base", "enter")
    assert meter(driver).out == exact
    assert not meter(driver).is_estimate


async def test_a_models_window_limits_and_over_is_judged_on_the_band_of_an_estimate(driver: Driver) -> None:
    await driver.press("space", "r", "space")
    assert "no model" in told_text(driver)
    await driver.press("m", *"gpt-4o-mini", "enter")
    assert meter(driver).limit == 128_000
    await answer(driver, "b", "5k")
    assert meter(driver).limit == 5_000
    await driver.press("u")
    assert meter(driver).limit == 128_000
    await driver.press("u")
    assert meter(driver).limit is None
    await driver.press("@AGENTS.md", "space", "p", "m", *"claude-opus-4", "enter")
    estimate = meter(driver).out
    await answer(driver, "b", f"{estimate}")
    assert "OVER" in meter(driver).line
    await answer(driver, "b", f"{estimate * 2}")
    assert "left" in meter(driver).line


async def test_secrets_stand_on_the_meter_and_not_in_the_export(project: Project, run: Run, here: Path) -> None:
    key = "AKIA" + "QYLPMN5HHHFPZAM2"
    async with run(project({"AGENTS.md": f"# Keys\n\naws_access_key_id = {key}\n"}), (80, 24)) as driver:
        await driver.press("space")
        assert "1 secret redacted" in driver.text().split("\n")[0]
        await answer(driver, "e", "out")
        assert "1 secret" in told_text(driver)
    assert key not in (here / "out").read_text()


async def test_a_band_beyond_the_limit_cuts_and_offers_the_key_for_it(sample: Path, run: Run) -> None:
    async with run(sample, (150, 30)) as driver:
        await driver.press("@AGENTS.md", "space", "@.context/TASKS", "space", "m", *"claude-opus-5", "enter")
        estimate = meter(driver).out
        assert "f fit" not in driver.text().split("\n")[-1]
        await answer(driver, "b", str(estimate + 1))
        assert meter(driver).picked == estimate > meter(driver).out
        assert "f fit" in driver.text().split("\n")[-1]


async def test_vendors_count_after_a_yes(sample: Path, run: Run, monkeypatch: pytest.MonkeyPatch, here: Path) -> None:
    with serving() as vendors:
        vendors.answer = lambda _path: (200, {}, b'{"input_tokens": 861}')
        for name, value in vendors.environment(ANTHROPIC_API_KEY="key-1").items():
            monkeypatch.setenv(name, value)
        async with run(sample) as driver:
            await driver.press("@AGENTS.md", "space", "m", *"claude-opus-5", "enter")
            assert meter(driver).is_estimate
            await driver.press("r")
            assert "ANTHROPIC_API_KEY" in driver.text()
            assert "key-1" not in driver.text()
            await driver.press("escape")
            assert not vendors.seen
            await driver.press("r", "y")
            assert len(vendors.seen) == 1
            assert (meter(driver).out, meter(driver).is_estimate) == (861, False)
            assert "measured" in driver.text().split("\n")[0]
            assert "1 block ── 861" in driver.text()
            await answer(driver, "e", str(here / "out.md"))
            assert "wrote 861 tokens to" in told_text(driver)


async def test_models_come_in_the_order_in_which_people_look_for_them(sample: Path, run: Run) -> None:
    async with run(sample, (120, 40)) as driver:
        await driver.press("m")
        shown = [line for line in driver.text().splitlines() if "anthropic" in line]
        assert len(shown) > 3
        # Each on one line, with its window at the right.
        assert len({re.search(r"[\d,]{6,}(?= )", line[line.index("anthropic") :]).end() for line in shown}) == 1
    names = [name for name, remark in model_choices() if "≈" in remark or "exact" in remark][3:]
    first = [name for name in names if name.startswith("claude")]
    assert names[: len(first)] == first
    versions = [[*(int(part) for part in re.findall(r"\d+", name) if len(part) < 4), 0, 0][:3] for name in first]
    assert versions == sorted(versions, reverse=True)


async def test_every_number_of_an_estimate_says_that_it_is_one(sample: Path, run: Run) -> None:
    async with run(sample, (160, 45)) as driver:
        await driver.press("@.context/", "space", "m", *"claude-opus-5", "enter")
        parts = re.search(r"text (\S+) \+ wrapping (\S+)", driver.text())
        assert parts is None or all(part.startswith("≈") for part in parts.groups())
        await answer(driver, "b", "3000")
        assert re.search(r"≈ [\d,]+ picked → ≈ [\d,]+ out", driver.text().splitlines()[1])
        blocks = driver.screen.payload_panel.blocks
        rows = [[*blocks.row(n)[0], *blocks.row(n)[1]] for n in range(blocks.count)]
        texts = [" ".join(cell[0] for cell in row) for row in rows]
        assert any("cut from ≈" in text for text in texts)
        assert not [text for text in texts if re.search(r"(cut from|header of|left out,) \d", text)]
        await driver.pick(".context/DECISIONS")
        assert re.search(r"≈[\d,]+/≈[\d,]+", tree_line(driver, ".context"))
        assert re.search(r"space adds ≈[\d,]+: ≈[\d,]+ / 3,000, ≈[\d,]+ (left|over)", driver.text())
        await driver.open_tab("output")
        assert re.search(r"≈[\d,]+ tokens, [\d,]+ characters", driver.text())
