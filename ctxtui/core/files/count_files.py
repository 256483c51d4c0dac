"""Counts of files: read, found in the ledger by content or counted; the same in every process."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import replace
from typing import NamedTuple

from ctxtui.core.cache import Cache
from ctxtui.core.digest import digest_of
from ctxtui.core.errors import ContextError
from ctxtui.core.files.content import Content, Stamp
from ctxtui.core.files.notebook import is_notebook
from ctxtui.core.files.root import Root
from ctxtui.core.files.text import decode
from ctxtui.core.notices import Notice
from ctxtui.core.tokens.counter import Count, TokenCounter
from ctxtui.core.tokens.counts import Counts, count_text
from ctxtui.core.tokens.encodings import count_tokens
from ctxtui.core.tokens.ledger import Entry, Ledger


class Text(NamedTuple):
    """The text of one version of a file; `damage` is the first thing in it that is not valid text."""

    path: str
    text: str
    stamp: Stamp
    digest: bytes
    damage: Notice | None


Pass = Callable[[Text, Counts, TokenCounter, Cache, Root], None]
"""A function of a module that looks at a text and its counts, and keeps what it finds, where the text is counted.

What it keeps follows from the text; the root, below which the text is, only says what is worth finding.
"""


def text_of(path: str, content: Content, digest: bytes) -> Text:
    """A content as text; raises ContextError if it is binary."""
    text, damage = decode(content.data, path)
    return Text(path, text, content.stamp, digest, damage)


def digest_for(path: str, data: bytes) -> bytes:
    """The digest of a file's content; as a notebook, the same bytes are another text."""
    return digest_of(b"notebook\0" + data) if is_notebook(path) else digest_of(data)


def entry_of(text: Text, counter: TokenCounter, count: Count = count_tokens) -> Entry:
    """The counts of a text, for the ledger."""
    line = (text.damage.line or 1) if text.damage else 0
    return Entry(text.stamp, text.digest, count_text(counter, text.text, count), line)


def count_files(
    files: Iterable[tuple[str, Callable[[], Content]]],
    counter: TokenCounter,
    ledger: Ledger,
    on_text: Callable[[Text, Counts], None] | None = None,
    count: Count = count_tokens,
) -> Iterator[tuple[str, Entry | Notice]]:
    """The counts of files by what reads them, or why a file has none; those of known contents are not made again.

    With `on_text`, every text is decoded, counted or not, and given to it with its counts.
    """
    read: list[tuple[str, bytes, Content]] = []
    for path, contents in files:
        try:
            content = contents()
        except ContextError as error:
            yield path, Notice("unreadable-file", error.message, path)
            continue
        read.append((path, digest_for(path, content.data), content))
    known = ledger.find_contents(counter.key, {digest for _, digest, _ in read})
    for path, digest, content in read:
        entry = known.get(digest)
        if entry is None or on_text is not None:
            try:
                text = text_of(path, content, digest)
            except ContextError as error:
                yield path, Notice("unreadable-file", error.message, path)
                continue
            entry = entry or entry_of(text, counter, count)
            if on_text is not None:
                on_text(text, entry.counts)
        yield path, replace(entry, stamp=content.stamp)
