"""What is exported of a whole file: where it begins, its size and its credentials, kept by path and content.

All of it is one row, with the sizes as blocks of the formats that were asked for.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Final, NamedTuple

from ctxtui.core.disk.cache import Cache
from ctxtui.core.disk.root import Root
from ctxtui.core.documents.count_files import Text, TextTask
from ctxtui.core.payload.assembly import measure
from ctxtui.core.payload.formats import JSON, MARKDOWN, Format, Label
from ctxtui.core.text.markdown.document import Document
from ctxtui.core.text.markdown.scan import is_outlined
from ctxtui.core.text.secrets import Cut, Secret, redacted
from ctxtui.core.tokens.counter import TokenCounter
from ctxtui.core.tokens.counts import Counts
from ctxtui.core.tokens.remembered import remembering
from ctxtui.core.tokens.spans import Span, span, span_between

_KIND: Final = "body"
_FENCE: Final = "```"
# The characters of an edge that are kept: most are a line.
_LONGEST_EDGE: Final = 400
LATER: Final = 2
"""The position of a block that stands for all but the first, if the format makes them alike."""


class Body(NamedTuple):
    """The text behind the frontmatter: where it starts and ends, its size, the credentials with offsets in it.

    Offsets are in characters. Only a text that may have `fences` decides how it is wrapped.
    """

    start: int
    end: int
    size: Span
    secrets: tuple[Secret, ...]
    fences: bool


def learn_body(text: Text, counts: Counts, counter: TokenCounter, cache: Cache, _root: Root) -> None:
    """Learn the body of a text and its size as a block of the usual format, for who exports all of it later."""
    _learn(MARKDOWN, text, counts, counter, cache)


def learn_json(text: Text, counts: Counts, counter: TokenCounter, cache: Cache, _root: Root) -> None:
    """As `learn_body`, for JSON; the first block of a payload lacks the comma that it is measured with here."""
    _learn(JSON, text, counts, counter, cache)


def learner_for(form: str | None) -> TextTask:
    """What learns blocks of a format by its name. Those of others than JSON differ in short headers only."""
    return learn_json if form == JSON.name else learn_body


def _learn(form: Format, text: Text, counts: Counts, counter: TokenCounter, cache: Cache) -> None:
    whole_block(form, Document(*text), lambda: counts, counter, cache)


class WholeBlock(NamedTuple):
    """All of a file as a block of a format that is not the first one: its body, its units and those of its text.

    The sizes are those after the credentials in it were redacted.
    """

    body: Body
    units: int
    text_units: int


def whole_block(
    form: Format, document: Document, counts: Callable[[], Counts], counter: TokenCounter, cache: Cache
) -> WholeBlock:
    """A document, which has these counts by a counter, as a block; known if it was asked for before."""
    kept = _kept(document.path, document.digest, counter, cache)
    sizes = kept[1] if kept else {}
    body = _unpacked(kept[0], document.text) if kept else _searched(document, counts, counter, cache)
    if form.name not in sizes:
        sizes[form.name] = _measured(form, document, body, counter, cache)
        _keep(document, body, sizes, counter, cache)
    return WholeBlock(body, *sizes[form.name])


def _measured(form: Format, document: Document, body: Body, counter: TokenCounter, cache: Cache) -> tuple[int, int]:
    exported, size = document.text[body.start :], body.size
    if body.secrets:
        exported = redacted(exported, body.secrets, 0, len(exported))[0]
        # Who exports it asks for this size as well.
        size = span(remembering(counter, cache), exported)
    label = Label(document.path, (), is_outlined(document.path))
    return measure(form, counter, label, LATER, size, lambda: exported, body.fences)


def knows_body(path: str, digest: bytes, counter: TokenCounter, cache: Cache) -> bool:
    """Whether the body of a file with that content was learned before."""
    return cache.find(_kind(path, counter), digest) is not None


def body_of(document: Document, counts: Callable[[], Counts], counter: TokenCounter, cache: Cache) -> Body:
    """The body of a document, which has these counts by a counter; known if it was asked for before."""
    kept = _kept(document.path, document.digest, counter, cache)
    if kept is not None:
        return _unpacked(kept[0], document.text)
    body = _searched(document, counts, counter, cache)
    _keep(document, body, {}, counter, cache)
    return body


def _searched(document: Document, counts: Callable[[], Counts], counter: TokenCounter, cache: Cache) -> Body:
    start, end = document.body_start, len(document.text)
    cut = Cut.of(document.text, [(start, end)])
    size = span_between(counter, document.text, counts(), start, end)
    return Body(start, end, size, tuple(cut.secrets(cache)), _FENCE in cut.text)


def known_body(path: str, digest: bytes, counter: TokenCounter, cache: Cache) -> Body | None:
    """The body of the file with a content, if it was asked for before, and without credentials; nothing is read.

    None too if one of its lines at the edges is too long to be kept.
    """
    kept = _kept(path, digest, counter, cache)
    row = kept[0] if kept else None
    return _unpacked(row, None) if row is not None and isinstance(row[3], str) and isinstance(row[4], str) else None


def _kept(path: str, digest: bytes, counter: TokenCounter, cache: Cache) -> tuple[_Row, _Sizes] | None:
    kept = cache.find(_kind(path, counter), digest) if digest else None
    if kept is None:
        return None
    row, sizes = kept
    return row, dict(sizes)


def _keep(document: Document, body: Body, sizes: _Sizes, counter: TokenCounter, cache: Cache) -> None:
    if document.digest:
        cache.keep(_kind(document.path, counter), document.digest, (_packed(body), dict(sizes)))


def _kind(path: str, counter: TokenCounter) -> str:
    return f"{_KIND} {counter.key} {path}"


# The units of a block and those of its text, by the name of a format.
_Sizes = dict[str, tuple[int, int]]
# A body as it is kept: the edges of its size are texts, or as many characters of the body as they have.
_Row = tuple[int, int, int, str | int, str | int, bool, list[tuple[str, int, int]], bool]


def _packed(body: Body) -> _Row:
    size, secrets = body.size, [(each.rule, each.start, each.end) for each in body.secrets]
    # No credential is ever kept.
    longest = 0 if secrets else _LONGEST_EDGE
    head, tail = (each if len(each) <= longest else len(each) for each in (size.head, size.tail))
    return body.start, body.end, size.units, head, tail, size.solid, secrets, body.fences


def _unpacked(row: _Row, text: str | None) -> Body:
    start, end, units, head, tail, solid, secrets, fences = row
    if isinstance(head, int):
        head = text[start : start + head] if text is not None else ""
    if isinstance(tail, int):
        tail = text[end - tail : end] if text is not None else ""
    return Body(start, end, Span(units, head, tail, solid), tuple(Secret(*each) for each in secrets), fences)
