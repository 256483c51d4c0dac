import pytest
from hypothesis import given
from hypothesis import strategies as st

from ctxtui.core.base.digest import digest_of
from ctxtui.core.disk.content import Stamp
from ctxtui.core.disk.root import Root
from ctxtui.core.documents.reader import Reader
from ctxtui.core.text.markdown.document import Document
from ctxtui.core.tokens.by_name import get_counter
from ctxtui.core.tokens.counts import Counts, count_text
from ctxtui.core.tokens.ledger import Ledger
from tests.core.texts import ENCODINGS, any_markdown, true_count


@pytest.mark.parametrize("name", [*ENCODINGS, "heuristic"])
@given(text=any_markdown)
def test_packed_counts_come_back(name: str, text: str) -> None:
    counts = count_text(get_counter(name), text)
    assert Counts.unpack(counts.units, counts.pack()) == counts


@pytest.mark.parametrize("name", ENCODINGS)
@given(text=any_markdown, data=st.data())
def test_counts_before_any_offset_run_from_zero_to_the_whole(name: str, text: str, data: st.DataObject) -> None:
    counter = get_counter(name)
    counts = count_text(counter, text)
    assert counts.units == true_count(text, name)
    assert counts.before(counter, text, 0) == 0
    assert counts.before(counter, text, len(text)) == counts.units
    offset = data.draw(st.integers(0, len(text)))
    assert counts.before(counter, text, offset) == true_count(text[:offset], name) or offset == len(text)


@pytest.mark.parametrize("name", [*ENCODINGS, "heuristic", "claude-opus-4-1"])
@given(text=any_markdown)
def test_parts_add_up_to_the_file_exactly(name: str, text: str) -> None:
    counter = get_counter(name)
    reader = Reader(Root("."), Ledger(None, "here"))
    document = Document("a.md", text, Stamp(1, 1, len(text)), digest_of(text.encode()))
    tokens = reader.part_tokens(document, counter)
    assert len(tokens) == len(document.parts)
    assert sum(tokens) == counter.count(text)
