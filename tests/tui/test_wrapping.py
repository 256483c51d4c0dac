"""Long lines of a text in View: what is wrapped goes on below its own text, and no character is lost."""

from hypothesis import given
from hypothesis import strategies as st

from ctxtui.tui.panels.view_pages import wrap
from tests.cases import cases

_WORDS = "refund single lines of a delivered order before the window closes and say so"


@cases(
    ("mark", "hanging"),
    [("- ", 2), ("* ", 2), ("- [ ] ", 6), ("- [x] ", 6), ("  - ", 4), ("12. ", 4), ("", 0), ("    ", 4)],
)
def test_items_keep_their_indent(mark: str, hanging: int) -> None:
    first, *others = (strip.text for strip in wrap(f"{mark}{_WORDS}", 30))
    assert first.startswith(mark)
    assert others
    assert all(len(line) - len(line.lstrip()) == hanging for line in others)


@given(
    st.sampled_from(["- ", "1. ", "- [ ] ", ""]), st.lists(st.text("abé—日🙂", min_size=1, max_size=40), min_size=1)
)
def test_no_word_is_lost(mark: str, words: list[str]) -> None:
    shown = wrap(mark + " ".join(words), 24)
    assert all(strip.cell_length <= 24 for strip in shown)
    assert "".join("".join(strip.text.split()) for strip in shown) == "".join((mark + " ".join(words)).split())


@given(st.lists(st.text("abé—“🙂", min_size=1, max_size=10), min_size=1))
def test_a_word_that_fits_on_a_line_stays_whole(words: list[str]) -> None:
    assert " ".join([strip.text for strip in wrap(" ".join(words), 24)]).split() == words
