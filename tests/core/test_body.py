"""What is exported of a whole file is the same whether it is computed or was kept, for any text."""

from dataclasses import replace
from functools import partial
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from ctxtui.core.base.digest import digest_of
from ctxtui.core.disk.cache import Cache
from ctxtui.core.disk.content import Stamp
from ctxtui.core.payload.assembly import measure
from ctxtui.core.payload.body import Body, body_of, known_body, whole_block
from ctxtui.core.payload.formats import FORMATS, Label
from ctxtui.core.text.markdown.document import Document
from ctxtui.core.text.markdown.fenced import may_end_open, open_end
from ctxtui.core.text.markdown.scan import has_markdown_text
from ctxtui.core.text.secrets import find_secrets, redact
from ctxtui.core.tokens.by_name import get_counter
from ctxtui.core.tokens.counter import TokenCounter
from ctxtui.core.tokens.spans import Counts, count_text, span
from tests.core.texts import any_markdown

TOKEN = "ghp_" + "x7Qp2Lr9Tz4Vn8Wk3Y" + "b6Mc1Hd5Js0Gw2Au7E"
HEAD = st.sampled_from(["", "---\ntitle: A\n---\n", "---\ntitle: A\n---\n\n\n", f"---\nkey: {TOKEN}\n---\r\n"])
SECRET = st.sampled_from(["", f"\nthe token is {TOKEN}\n", f" {TOKEN} 漢字 {TOKEN} "])


def _document(path: str, text: str) -> Document:
    return Document(path, text, Stamp(1, 1, 1), digest_of(text.encode()))


def _body(document: Document, counter: TokenCounter, cache: Cache) -> Body:
    return body_of(document, lambda: count_text(counter, document.text), counter, cache)


def _uncounted() -> Counts:
    raise AssertionError("counts a text that is kept")


@given(any_markdown)
@example("```\n")
@example("a\r```\r")
@example("<!-- a\n")
def test_a_text_that_seems_closed_at_its_end_is(text: str) -> None:
    assert may_end_open(text) or not open_end(_document("a.md", text))[0]


@pytest.mark.parametrize("name", ["o200k_base", "claude-opus-4-1", "heuristic"])
@given(head=HEAD, text=any_markdown, secret=SECRET, more=any_markdown, path=st.sampled_from(["a.md", "a.py"]))
@example("---\ntitle: A\n---\n", "", "", "", "a.md").via("nothing is left behind the metadata")
@example("", "", TOKEN, "", "a.md").via("a secret from the first character to the last")
def test_a_kept_body_is_the_body(name: str, head: str, text: str, secret: str, more: str, path: str) -> None:
    counter, document = get_counter(name), _document(path, head + text + secret + more)
    with TemporaryDirectory() as place:
        cache = Cache(Path(place))
        first = _body(document, counter, cache)
        cache.flush()
        kept = body_of(document, _uncounted, counter, cache)
        unread = known_body(path, document.digest, counter, cache)
        cache.flush()
        assert TOKEN.encode() not in b"".join(file.read_bytes() for file in Path(place).iterdir())
    rest = document.text[document.body_start :]
    size, secrets = span(counter, rest), tuple(find_secrets(rest))
    signs = ("```" in rest, may_end_open(rest))
    assert first == kept == (document.body_start, len(document.text), size, secrets, *signs)
    assert unread == (None if secrets or max(len(size.head), len(size.tail)) > 400 else first)


def test_the_same_text_is_another_body_for_another_kind_of_file_and_another_counter(tmp_path: Path) -> None:
    text, cache = "---\ntitle: A\n---\nabc def\n", Cache(tmp_path)
    for path, start in (("a.md", text.index("abc")), ("a.py", 0)):
        for counter in (get_counter("o200k_base"), get_counter("heuristic")):
            body = _body(_document(path, text), counter, cache)
            assert (body.start, body.size.units) == (start, counter.units(text[start:]))
    cache.flush()


def test_a_text_without_a_digest_is_not_kept(tmp_path: Path) -> None:
    cache, counter = Cache(tmp_path), get_counter("heuristic")
    for text in ("one", "two and three"):
        assert _body(Document("a.md", text, Stamp(1, 1, 1)), counter, cache).size.units == len(text)
    cache.flush()


def _refuse(text: str, _: str) -> int:
    raise AssertionError(f"encodes {text!r}")


@pytest.mark.parametrize("form", FORMATS)
@given(text=st.tuples(HEAD, any_markdown, SECRET).map("".join), path=st.sampled_from(["a.md", "a.py"]))
def test_a_kept_block_has_the_sizes_of_what_is_exported(form: str, text: str, path: str) -> None:
    shape, counter, document = FORMATS[form], get_counter(), _document(path, text)
    counts = count_text(counter, document.text)
    with TemporaryDirectory() as place:
        cache = Cache(Path(place))
        first = whole_block(shape, document, lambda: counts, counter, cache)
        cache.flush()
        assert TOKEN.encode() not in b"".join(file.read_bytes() for file in Path(place).iterdir())
        kept = whole_block(shape, document, lambda: counts, replace(counter, tokens_of=_refuse), cache)
        assert kept == first
        assert first.body == body_of(document, lambda: counts, counter, cache)
        cache.flush()
    exported = redact(document.text[document.body_start :])[0]
    label = Label(path, (), has_markdown_text(path))
    sizes = measure(shape, counter, label, 2, span(counter, exported), lambda: exported, first.body.fences)
    assert (first.units, first.text_units) == sizes


def test_the_sizes_in_several_formats_are_kept_beside_each_other(tmp_path: Path) -> None:
    document, cache, counter = _document("a.md", "---\ntitle: A\n---\n# A\n"), Cache(tmp_path), get_counter()
    found = []
    for each in (counter, replace(counter, tokens_of=_refuse)):
        count = partial(count_text, each, document.text)
        found.append([whole_block(FORMATS[form], document, count, each, cache) for form in ("markdown", "json")])
        cache.flush()
    first, kept = found
    assert kept == first
    assert first[0].body == first[1].body
    assert first[0].units != first[1].units
