"""The body of a whole file: its start, size and credentials, cached by path and content.

One cache row holds the body and its sizes as blocks of the formats used so far.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Final, NamedTuple

from ctxtui.core.disk.cache import Cache
from ctxtui.core.payload.assembly import measure
from ctxtui.core.payload.formats import Format, Label
from ctxtui.core.text.markdown.document import Document
from ctxtui.core.text.markdown.fenced import may_end_open
from ctxtui.core.text.markdown.scan import has_markdown_text
from ctxtui.core.text.secrets import Cut, Secret, redacted
from ctxtui.core.tokens.counter import TokenCounter
from ctxtui.core.tokens.ledger import with_cached_counts
from ctxtui.core.tokens.spans import Counts, Span, span, span_between

_KIND: Final = "body"
_FENCE: Final = "```"
# The longest edge that is cached, in characters. Most edges are one line.
_LONGEST_EDGE: Final = 400
LATER: Final = 2
"""The position of a block that stands for all but the first, if the format makes them alike."""


class Body(NamedTuple):
    """The text after the frontmatter: its offsets in characters, its size, its credentials, at offsets from `start`.

    The wrapping depends on the text only if it has `fences`. `may_end_open` says that a fence or comment may be open.
    """

    start: int
    end: int
    size: Span
    secrets: tuple[Secret, ...]
    fences: bool
    may_end_open: bool


class WholeBlock(NamedTuple):
    """A whole file as a redacted block at any position but the first: its body, its units, the units of its text."""

    body: Body
    units: int
    text_units: int


def whole_block(
    form: Format, document: Document, counts: Callable[[], Counts], counter: TokenCounter, cache: Cache
) -> WholeBlock:
    """A document as a block of a format, cached. `counts` returns the counts of the document by the counter."""
    row, sizes = _kept(document.path, document.digest, counter, cache)
    body = _unpacked(row, document.text) if row else _measured_body(document, counts, counter, cache)
    if form.name not in sizes:
        exported, size = document.text[body.start :], body.size
        if body.secrets:
            exported = redacted(exported, body.secrets, 0, len(exported))[0]
            # An export needs this size as well.
            size = span(with_cached_counts(counter, cache), exported)
        label = Label(document.path, (), has_markdown_text(document.path))
        sizes[form.name] = measure(form, counter, label, LATER, size, lambda: exported, body.fences)
        _keep(document, body, sizes, counter, cache)
    return WholeBlock(body, *sizes[form.name])


def body_of(document: Document, counts: Callable[[], Counts], counter: TokenCounter, cache: Cache) -> Body:
    """The body of a document, cached. `counts` returns the counts of the document by the counter."""
    row, _ = _kept(document.path, document.digest, counter, cache)
    if row:
        return _unpacked(row, document.text)
    body = _measured_body(document, counts, counter, cache)
    _keep(document, body, {}, counter, cache)
    return body


def _measured_body(document: Document, counts: Callable[[], Counts], counter: TokenCounter, cache: Cache) -> Body:
    start, end = document.body_start, len(document.text)
    cut = Cut.of(document.text, [(start, end)])
    size = span_between(counter, document.text, counts(), start, end)
    return Body(start, end, size, tuple(cut.secrets(cache)), _FENCE in cut.text, may_end_open(cut.text))


def known_body(path: str, digest: bytes, counter: TokenCounter, cache: Cache) -> Body | None:
    """The cached body of a file with this content. None if unknown, if it has credentials, or with a long edge."""
    row, _ = _kept(path, digest, counter, cache)
    return _unpacked(row, None) if row and isinstance(row[3], str) and isinstance(row[4], str) else None


def _kept(path: str, digest: bytes, counter: TokenCounter, cache: Cache) -> tuple[_Row | None, _Sizes]:
    kept = cache.known_fact(_kind(path, counter), digest) if digest else None
    row, sizes = kept or (None, {})
    return row, dict(sizes)


def _keep(document: Document, body: Body, sizes: _Sizes, counter: TokenCounter, cache: Cache) -> None:
    if document.digest:
        cache.keep_fact(_kind(document.path, counter), document.digest, (_packed(body), dict(sizes)))


def _kind(path: str, counter: TokenCounter) -> str:
    return f"{_KIND} {counter.key} {path}"


# The units of a block and of its text, by format name.
_Sizes = dict[str, tuple[int, int]]
# A cached body: the edges of its span are texts, or numbers of characters of the body.
_Row = tuple[int, int, int, str | int, str | int, bool, list[tuple[str, int, int]], bool, bool]


def _packed(body: Body) -> _Row:
    size, secrets = body.size, [(each.rule, each.start, each.end) for each in body.secrets]
    # The cache never holds a credential.
    longest = 0 if secrets else _LONGEST_EDGE
    head, tail = (each if len(each) <= longest else len(each) for each in (size.head, size.tail))
    return body.start, body.end, size.units, head, tail, size.solid, secrets, body.fences, body.may_end_open


def _unpacked(row: _Row, text: str | None) -> Body:
    """The body of a row. Edges that the row counts are taken from the whole text, and empty without it."""
    start, end, units, head, tail, solid, secrets, *signs = row
    if isinstance(head, int):
        head = text[start : start + head] if text is not None else ""
    if isinstance(tail, int):
        tail = text[end - tail : end] if text is not None else ""
    return Body(start, end, Span(units, head, tail, solid), tuple(Secret(*each) for each in secrets), *signs)
