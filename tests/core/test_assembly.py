import re
from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ctxtui.core.base.errors import OverBudget
from ctxtui.core.payload.assembly import Assembler
from ctxtui.core.payload.formats import FORMATS
from ctxtui.core.payload.ladder import MARK
from ctxtui.core.payload.types import Draft, Over, Payload, Prompt
from ctxtui.core.tokens.by_name import get_counter
from tests.core.drafted import O200K, draft
from tests.core.texts import any_markdown, markdown, true_count

LONG = "".join(f"# Part {number}\n\nSome words about it.\n\n" for number in range(30))


def _assemble(
    drafts: list[Draft],
    limit: int | None = None,
    over: Over = "cut",
    name: str = "markdown",
    prompt: str = "",
    counter: str = "o200k_base",
) -> Payload:
    return Assembler(get_counter(counter), FORMATS[name], limit, Prompt(prompt)).assemble(drafts, over)


def _states(payload: Payload) -> dict[str, str]:
    return {block.id: block.state for block in payload.blocks}


def _codes(payload: Payload) -> list[str]:
    return [notice.code for notice in payload.notices]


def test_without_a_limit_or_with_one_that_is_met_exactly_everything_is_whole() -> None:
    drafts = [draft("a.md", LONG), draft("b.md", LONG)]
    payload = _assemble(drafts)
    assert _states(payload) == {"a.md": "whole", "b.md": "whole"}
    assert payload.tokens == payload.wanted == payload.upper == true_count(payload.text)
    assert (payload.truncated, payload.omitted, payload.notices) == ((), (), ())
    exact = payload.tokens
    assert _assemble(drafts, exact).truncated == ()
    assert _assemble(drafts, exact, "fail").tokens == exact
    assert _assemble(drafts, exact - 1).truncated == ("b.md",)


def test_cutting_starts_with_the_lowest_priority_and_the_last_pick() -> None:
    drafts = [draft("a.md", LONG, priority=90), draft("b.md", LONG), draft("c.md", LONG)]
    exact = _assemble(drafts).tokens
    assert _assemble(drafts, exact - 1).truncated == ("a.md",)
    both = _assemble(drafts, exact // 3 + 100)
    assert set(both.truncated) >= {"a.md", "c.md"}
    assert [block.id for block in both.blocks] == ["a.md", "b.md", "c.md"]


def test_what_is_cut_bears_the_mark_and_its_wanted_size() -> None:
    whole = _assemble([draft("a.md", LONG)])
    cut = _assemble([draft("a.md", LONG)], whole.tokens // 2)
    (block,) = cut.blocks
    assert block.state == "cut"
    assert block.text.endswith(MARK)
    assert block.wanted == cut.wanted == whole.tokens
    assert true_count(cut.text) == cut.tokens <= whole.tokens // 2
    # A header line is left of what does not fit at all.
    (_, block) = _assemble([draft("a.md", LONG), draft("b.md", LONG, priority=90)], 40).blocks
    assert (block.state, block.text) == ("header", f"<!-- source: b.md -->\n{MARK}")


@given(limit=st.integers(20, 500))
def test_no_file_is_left_with_its_header_while_another_is_more_than_its_outline(limit: int) -> None:
    code = "".join(f"def part_{number}(value):\n    first(value)\n    second(value)\n\n\n" for number in range(6))
    drafts = [draft("a.py", code), draft("b.md", LONG), draft("c.py", code, priority=10)]
    payload = _assemble(drafts, limit)
    if "header" in _states(payload).values():
        assert not any(words in block.text for block in payload.blocks for words in ("first(value)", "Some words"))


def test_what_is_kept_stays_whole_and_passing_the_limit_is_told() -> None:
    payload = _assemble([draft("a.md", LONG, kept=True), draft("b.md", LONG)], 50)
    assert (_states(payload), _codes(payload)) == ({"a.md": "whole", "b.md": "header"}, ["over-budget"])
    assert LONG in payload.text
    # So does a text smaller than its mark.
    payload = _assemble([draft("a.md", "x\n")], 1)
    assert (_states(payload), _codes(payload)) == ({"a.md": "whole"}, ["over-budget"])


@pytest.mark.parametrize(("limit", "looks"), [(None, 0), (60, 1), (60, 2)])
def test_work_that_is_cancelled_ends_at_the_next_look(limit: int | None, looks: int) -> None:
    left = [looks]

    def look() -> None:
        left[0] -= 1
        if left[0] < 0:
            raise InterruptedError

    assembler = Assembler(O200K, FORMATS["markdown"], limit, None, look)
    with pytest.raises(InterruptedError):
        assembler.assemble([draft("a.md", "# A\n\n" + "Some words.\n\n" * 200)], "cut")


def test_fit_leaves_whole_documents_out_and_never_cuts() -> None:
    drafts = [draft("a.md", LONG), draft("small.md", "x\n"), draft("b.md", LONG, priority=10)]
    limit = _assemble([drafts[1], drafts[2]]).tokens
    payload = _assemble(drafts, limit, "fit")
    assert _states(payload) == {"a.md": "dropped", "small.md": "whole", "b.md": "whole"}
    assert (payload.omitted, payload.truncated) == (("a.md",), ())
    assert payload.tokens == true_count(payload.text) == limit
    assert payload.blocks[0].tokens == 0 < payload.blocks[0].wanted


@pytest.mark.parametrize("name", FORMATS)
def test_fit_takes_what_exactly_fits_in_every_format(name: str) -> None:
    first, second, third = draft("a.md", "# A\n"), draft("b.md", LONG), draft("c.md", "# C\n")
    fitting = _assemble([first, third], name=name)
    payload = _assemble([first, second, third], fitting.tokens, "fit", name)
    assert (payload.omitted, payload.text) == (("b.md",), fitting.text)
    # The first block of a format may be wrapped otherwise than the ones behind it.
    big, only = draft("a.md", LONG), draft("b.md", "# B\n", priority=10)
    limit = _assemble([only], name=name).tokens
    assert _assemble([big, only], limit, "fit", name).text == _assemble([only], name=name).text
    assert _assemble([big, only], limit - 1, "fit", name).omitted == ("a.md", "b.md")


def test_fail_says_by_how_much() -> None:
    tokens = _assemble([draft("a.md", LONG)]).tokens
    with pytest.raises(OverBudget, match=r"\b10\b") as caught:
        _assemble([draft("a.md", LONG)], tokens - 10, "fail")
    assert caught.value.category == "invalid_request"
    assert caught.value.hint


def test_the_prompt_is_never_cut() -> None:
    prompt = "Answer with care. " * 20
    payload = _assemble([draft("a.md", LONG)], true_count(prompt) + 40, prompt=prompt)
    assert prompt in payload.text
    assert payload.tokens == true_count(payload.text)
    assert payload.blocks[-1].id == "(prompt)"


def test_an_estimate_is_judged_by_the_upper_end_of_its_band() -> None:
    name = "claude-opus-4-1"
    drafts = [draft("a.md", LONG, counter=get_counter(name))]
    whole = _assemble(drafts, counter=name)
    between = (whole.tokens + whole.upper) // 2
    cut = _assemble(drafts, between, counter=name)
    assert cut.truncated == ("a.md",)
    assert cut.upper <= between < whole.upper
    with pytest.raises(OverBudget):
        _assemble(drafts, whole.upper - 1, "fail", counter=name)
    assert _assemble(drafts, whole.upper, "fail", counter=name).tokens == whole.tokens


_sources = st.sampled_from(["a.md", "b.md", "src/x.py", "data.csv"])
_drawn = st.tuples(_sources, st.one_of(any_markdown, markdown), st.sampled_from([10, 50, 90]), st.booleans())
Drawn = tuple[str, str, int, bool]


@pytest.mark.parametrize("name", FORMATS)
@given(
    drawn=st.lists(_drawn, max_size=5),
    limit=st.integers(0, 300),
    over=st.sampled_from(["cut", "fit"]),
    prompt=st.sampled_from(["", "do it", "/x\n"]),
    counter=st.sampled_from(["o200k_base", "cl100k_base"]),
)
def test_counts_are_exact_under_any_limit(
    name: str, drawn: list[Drawn], limit: int, over: Over, prompt: str, counter: str
) -> None:
    by = get_counter(counter)
    drafts = [draft(source, text, priority=first, kept=kept, counter=by) for source, text, first, kept in drawn]
    payload = _assemble(drafts, limit, over, name, prompt, counter)
    assert payload.tokens == payload.units == true_count(payload.text, counter)
    assert payload.wanted == true_count(_assemble(drafts, None, over, name, prompt, counter).text, counter)
    is_over = "over-budget" in _codes(payload)
    assert is_over == (payload.tokens > limit)
    assert over != "fit" or not is_over or all(block.pinned for block in payload.blocks if block.state == "whole")
    for (_, text, _, kept), block in zip(drawn, payload.blocks, strict=False):
        assert block.tokens == true_count(block.text, counter)
        assert not kept or (block.state == "whole" and (name == "json" or text in block.text))
        assert block.state in ("whole", "dropped") or re.search(r"\[truncated\](\n|\\n)", block.text)


def test_a_layout_has_the_numbers_without_the_text() -> None:
    drafts = [draft("a.md", LONG), draft("b.md", LONG)]
    for name in FORMATS:
        assembler = Assembler(O200K, FORMATS[name], 200, Prompt("x"))
        payload, layout = assembler.assemble(drafts), assembler.assemble(drafts, with_text=False)
        assert layout.text == ""
        assert replace(layout, blocks=()) == replace(payload, blocks=(), pieces=())
        found, expected = ([replace(block, pieces=()) for block in each.blocks] for each in (layout, payload))
        assert found == expected


_FRAGMENTS = st.sampled_from(["</document_content>", "</document", "_content>", *"\na<> ", "```", "---\n"])
_FRAGMENTED = st.lists(_FRAGMENTS, max_size=12).map("".join)


@given(st.lists(_FRAGMENTED, min_size=1, max_size=4), st.sampled_from(list(FORMATS)))
def test_the_pieces_are_the_text_and_each_forged_end_is_told(texts: list[str], name: str) -> None:
    payload = _assemble([draft(f"{number}.md", text) for number, text in enumerate(texts)], name=name)
    assert b"".join(payload.data()) == payload.text.encode()
    assert "".join(block.text for block in payload.blocks) in payload.text
    mark = FORMATS[name].closing_mark
    forged = [block.source for block in payload.blocks if mark and block.text.count(mark) > 1]
    assert [notice.path for notice in payload.notices if notice.code == "wrapper-in-text"] == forged
