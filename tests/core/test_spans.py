import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from ctxtui.core.base.digest import digest_of
from ctxtui.core.disk.content import Stamp
from ctxtui.core.disk.root import Root
from ctxtui.core.documents.reader import Reader
from ctxtui.core.text.markdown.document import Document
from ctxtui.core.tokens.by_name import get_counter
from ctxtui.core.tokens.ledger import Ledger
from ctxtui.core.tokens.spans import Span, join, join_all, span
from tests.core.texts import any_markdown, nasty

COUNTERS = ("o200k_base", "cl100k_base", "heuristic", "claude-opus-4-1")


@pytest.mark.parametrize("name", COUNTERS)
@given(left=nasty, right=nasty)
@example("a\n", "/b").via("a slash joins the line break before it")
@example("...\n", "\n...").via("line breaks join")
@example("", "").via("nothing")
def test_joined_spans_are_the_span_of_the_joined_text(name: str, left: str, right: str) -> None:
    counter = get_counter(name)
    assert join(counter, span(counter, left), span(counter, right)) == span(counter, left + right)
    assert span(counter, left).ends_line() == (not left or left.endswith("\n"))


@pytest.mark.parametrize("name", COUNTERS)
@given(texts=st.lists(nasty, max_size=8))
def test_any_number_of_spans_join(name: str, texts: list[str]) -> None:
    counter = get_counter(name)
    joined = join_all(counter, (span(counter, text) for text in texts))
    assert joined.units == counter.units("".join(texts))
    assert joined == (span(counter, "".join(texts)) if any(texts) else Span())


@pytest.mark.parametrize("name", COUNTERS)
@given(text=any_markdown, data=st.data())
def test_any_cut_of_a_document_is_counted_as_its_text(name: str, text: str, data: st.DataObject) -> None:
    counter, reader = get_counter(name), Reader(Root("."), Ledger(None, "here"))
    document = Document("a.md", text, Stamp(1, 1, len(text)), digest_of(text.encode()))
    for _ in range(4):
        start = data.draw(st.integers(0, len(text)))
        end = data.draw(st.integers(start, len(text)))
        assert reader.span(document, counter, start, end) == span(counter, text[start:end])
