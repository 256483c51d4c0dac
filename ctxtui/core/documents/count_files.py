"""Counts of files, from the ledger by content or by one batch of the tokenizer."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import replace
from typing import TYPE_CHECKING, NamedTuple

from ctxtui.core.base.digest import digest_of
from ctxtui.core.base.errors import Binary, ContextError
from ctxtui.core.base.notices import Notice
from ctxtui.core.disk.content import Content, Stamp
from ctxtui.core.text.decode import decode
from ctxtui.core.text.notebook import is_notebook
from ctxtui.core.tokens.counter import TokenCounter
from ctxtui.core.tokens.counts import Counts, count_each
from ctxtui.core.tokens.ledger import Entry, Ledger

if TYPE_CHECKING:
    from ctxtui.core.text.markdown.document import Document


class Text(NamedTuple):
    """The text of one version of a file. `damage` is the notice of its first invalid bytes, None if all are valid."""

    path: str
    text: str
    stamp: Stamp
    digest: bytes
    damage: Notice | None


def text_of(path: str, content: Content, digest: bytes) -> Text:
    """Decode a content. Raises ContextError if it is binary."""
    text, damage = decode(content.data, path)
    return Text(path, text, content.stamp, digest, damage)


def unreadable(path: str, error: ContextError) -> Notice:
    """The notice that a file is not counted: `binary-file` for binary data, unless its name promises headings."""
    from ctxtui.core.text.markdown.scan import has_headings  # noqa: PLC0415 - only for files that are not counted

    if isinstance(error, Binary) and not has_headings(path):
        return Notice("binary-file", "it is binary", path)
    return Notice("unreadable-file", error.message.removeprefix(f"{path} "), path)


def digest_for(path: str, data: bytes) -> bytes:
    """The digest that stands for a file's text. For a notebook it is not that of the bytes, as its text differs."""
    return digest_of(b"notebook\0" + data) if is_notebook(path) else digest_of(data)


def entry_of(text: Text | Document, counts: Counts) -> Entry:
    return Entry(text.stamp, text.digest, counts, (text.damage.line or 1) if text.damage else 0)


def count_files(
    files: Iterable[tuple[str, Callable[[], Content]]], counter: TokenCounter, ledger: Ledger
) -> list[tuple[str, Entry | Notice]]:
    """Count files, each given by its path and read function. Contents that the ledger knows are not counted again.

    Returns every path, in no order, with an entry, or with a notice if the file is unreadable. Records nothing.
    """
    done: list[tuple[str, Entry | Notice]] = []
    read: list[tuple[str, bytes, Content]] = []
    for path, contents in files:
        try:
            content = contents()
        except ContextError as error:
            done.append((path, unreadable(path, error)))
            continue
        read.append((path, digest_for(path, content.data), content))
    known = ledger.find_contents(counter.key, {digest for _, digest, _ in read})
    texts: list[Text] = []
    for path, digest, content in read:
        if digest in known:
            done.append((path, replace(known[digest], stamp=content.stamp)))
            continue
        try:
            texts.append(text_of(path, content, digest))
        except ContextError as error:
            done.append((path, unreadable(path, error)))
    counts = count_each(counter, [text.text for text in texts])
    return [*done, *((text.path, entry_of(text, each)) for text, each in zip(texts, counts, strict=True))]
