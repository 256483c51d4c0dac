"""The reader: documents and counts of one root, each version read, parsed and counted once, and of other files."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Hashable, Iterable, Iterator, Sequence
from dataclasses import replace
from functools import partial
from itertools import pairwise
from typing import TYPE_CHECKING, Any, NamedTuple, Protocol

from ctxtui.core.base.digest import digest_of
from ctxtui.core.base.errors import Binary, ContextError
from ctxtui.core.base.lru import Memo
from ctxtui.core.base.notices import UNREAD, Notice
from ctxtui.core.disk.cache import Cache
from ctxtui.core.disk.content import Content, Stamp
from ctxtui.core.disk.root import Root
from ctxtui.core.text.decode import decode
from ctxtui.core.text.metadata.reference import Reference
from ctxtui.core.text.notebook import is_notebook
from ctxtui.core.tokens.counter import TokenCounter
from ctxtui.core.tokens.ledger import Entry, Ledger, Size, cached_count
from ctxtui.core.tokens.spans import Counts, Span, count_each, count_text, previous_cut, span_between

if TYPE_CHECKING:
    from ctxtui.core.text.markdown.document import Document

MOST_WORKERS = 4
"""The default maximum of threads and processes that count at the same time."""
_DOCUMENT_MEMORY = 8 * 1024 * 1024
_DERIVED_ENTRIES = 250_000


class Versioned(Protocol):
    @property
    def path(self) -> str: ...

    @property
    def stamp(self) -> Stamp: ...


class Reader:
    """Reads documents below a root and counts them with a ledger. Thread-safe.

    `cache` holds facts about texts of any root. `workers` is the maximum of threads and processes that count at once.
    """

    def __init__(self, root: Root, ledger: Ledger, cache: Cache | None = None, workers: int = MOST_WORKERS) -> None:
        self.root = root
        self.workers = workers
        self._folder = str(root.path)
        self.ledger = ledger
        self.cache = cache or Cache(None)
        self._documents: Memo[tuple[str, Stamp], Document] = Memo(
            # One character beyond Latin-1 widens all characters of a text to two or four bytes.
            _DOCUMENT_MEMORY,
            lambda document: sys.getsizeof(document.text) + 512,
        )
        # Values that higher layers derive from one version of a document. Reloads share them.
        self.derived: Memo[Hashable, Any] = Memo(_DERIVED_ENTRIES)
        self._unread: dict[str, tuple[Notice, ...]] = {}

    def flush(self) -> None:
        """Write new counts and facts, so that the next run counts and parses nothing again."""
        self.ledger.flush()
        self.cache.flush()

    def document(self, reference: Versioned) -> Document:
        """The document as it is on disk now, parsed once per version.

        Raises ContextError if it cannot be read as text below the root.
        """
        return self._documents.get(
            (reference.path, self._current_stamp(reference)), lambda: self._read(reference.path)
        )

    def read_once(self, reference: Reference) -> Document:
        """As `document`, but a version that is not in memory yet is not kept there."""
        if self._documents.find((reference.path, reference.stamp)) is not None:
            return self.document(reference)
        return self._read(reference.path)

    def _current_stamp(self, reference: Versioned) -> Stamp:
        try:
            return Stamp.of(os.stat(f"{self._folder}/{reference.path}"))  # noqa: PTH116 - building a Path takes longer
        except OSError:
            return reference.stamp

    def _read(self, path: str) -> Document:
        from ctxtui.core.text.markdown.document import Document  # noqa: PLC0415 - what is known is listed without its text

        content = self.root.read(path)
        return Document(*_text_of(path, content, _digest_for(path, content.data)), cache=self.cache)

    def known_entry(self, reference: Reference, counter: TokenCounter) -> Entry | None:
        """The counts of the referenced version in the ledger, None if it was not counted."""
        return self.ledger.known_entry(counter.key, reference.path, reference.stamp)

    def known_size(self, reference: Reference, counter: TokenCounter) -> Size | None:
        """The size of the referenced version in the ledger, None if it was not counted."""
        return self.ledger.known_size(counter.key, reference.path, reference.stamp)

    def entry(self, document: Document, counter: TokenCounter) -> Entry:
        """The counts of a document, from the ledger or counted now."""
        found = self.ledger.known_entry(counter.key, document.path, document.stamp)
        if found is not None:
            return found
        entry = _entry_of(document, count_text(counter, document.text))
        self.ledger.record(counter.key, document.path, entry)
        return entry

    def count_batch(self, files: Sequence[Versioned], counter: TokenCounter) -> list[Notice]:
        """Count files into the ledger without parsing them. Returns notices for unreadable files."""
        notices: list[Notice] = []
        reads = ((each.path, partial(self.root.read, each.path)) for each in files)
        for path, found in count_files(reads, counter, self.ledger):
            if isinstance(found, Notice):
                notices.append(found)
            else:
                self.ledger.record(counter.key, path, found)
        return notices

    def span(self, document: Document, counter: TokenCounter, start: int, end: int) -> Span:
        """The exact span of the characters from `start` to `end`, from cumulative counts where safe cuts allow it."""
        return span_between(counter, document.text, self.entry(document, counter).counts, start, end)

    def count(self, text: str, counter: TokenCounter, measure: Callable[[], int] | None = None) -> int:
        """The tokens of a text that is not a whole file, cached on disk. `measure` returns its units faster."""
        units = cached_count(self.cache, counter.key, text, measure or (lambda: counter.units(text)))
        return counter.total(units)

    def knows_parts(self, reference: Reference, counter: TokenCounter) -> bool:
        """Whether a document is parsed and counted, so that its parts take no time."""
        document = self._documents.find((reference.path, self._current_stamp(reference)))
        return document is not None and self.derived.find(_ends_key(document, counter)) is not None

    def part_ends(self, document: Document, counter: TokenCounter) -> tuple[int, ...]:
        """For each part, the tokens from the start of the file to its `own_end`, computed once per version.

        The first computation in this process sets the document's notices in `unread`.
        """
        ends: tuple[int, ...] = self.derived.get(
            _ends_key(document, counter), lambda: self._cached_ends(document, counter)
        )
        return ends

    def _cached_ends(self, document: Document, counter: TokenCounter) -> tuple[int, ...]:
        """The result of `part_ends`, cached by content. Replaces the document's notices in `unread`."""
        from ctxtui.core.text.code.cached import cache_kind, cached_result  # noqa: PLC0415 - as in `_read`
        from ctxtui.core.text.code.languages import language_of  # noqa: PLC0415

        language = language_of(document.path)
        what = f"part ends {counter.key} {document.path.rpartition('.')[2]}"
        kind = what if language is None else cache_kind(what, language)
        ends = cached_result(kind, document.digest, self.cache, lambda: tuple(self._counted_ends(document, counter)))
        self._unread.pop(document.path, None)
        if found := tuple(each for each in document.notices if each.code in UNREAD):
            self._unread[document.path] = found
        return ends

    def _counted_ends(self, document: Document, counter: TokenCounter) -> Iterator[int]:
        """The ends of `part_ends`, counted from safe cut to safe cut, so that no text is counted twice."""
        text = document.text
        # The last safe cut so far, and the units up to it.
        cut = units = 0
        for part in document.parts:
            following = previous_cut(text, part.own_end)
            if following > cut:
                units += counter.units(text[cut:following])
                cut = following
            yield counter.total(units + (counter.units(text[cut : part.own_end]) if part.own_end > cut else 0))

    @property
    def unread(self) -> list[Notice]:
        """The notices why files have no sections, for the version of each file whose parts were counted last."""
        return [notice for notices in list(self._unread.values()) for notice in notices]

    def front_tokens(self, document: Document, counter: TokenCounter) -> int:
        """The tokens of a document's frontmatter, 0 if it has none."""
        return self.part_ends(document, counter)[0] if document.body_start else 0

    def part_tokens(self, document: Document, counter: TokenCounter) -> list[int]:
        """The tokens of each part without nested parts. They add up to the document's total exactly."""
        return [after - before for before, after in pairwise((0, *self.part_ends(document, counter)))]

    def part_sizes(self, document: Document, counter: TokenCounter) -> list[int]:
        """The tokens of every part, including nested parts."""
        ends = self.part_ends(document, counter)
        at = {part.own_end: end for part, end in zip(document.parts, ends, strict=True)}
        return [at[part.end] - start for part, start in zip(document.parts, (0, *ends), strict=False)]


def _ends_key(document: Document, counter: TokenCounter) -> Hashable:
    return "ends", document.path, document.digest, counter


class _Text(NamedTuple):
    """The text of one version of a file. `damage` is the notice of its first invalid bytes, None if all are valid."""

    path: str
    text: str
    stamp: Stamp
    digest: bytes
    damage: Notice | None


def _text_of(path: str, content: Content, digest: bytes) -> _Text:
    """Decode a content. Raises ContextError if it is binary."""
    text, damage = decode(content.data, path)
    return _Text(path, text, content.stamp, digest, damage)


def unreadable(path: str, error: ContextError) -> Notice:
    """The notice that a file is not counted: `binary-file` for binary data, unless its name promises headings."""
    from ctxtui.core.text.markdown.scan import has_headings  # noqa: PLC0415 - only for files that are not counted

    if isinstance(error, Binary) and not has_headings(path):
        return Notice("binary-file", "it is binary", path)
    return Notice("unreadable-file", error.message.removeprefix(f"{path} "), path)


def _digest_for(path: str, data: bytes) -> bytes:
    """The digest that stands for a file's text. For a notebook it is not that of the bytes, as its text differs."""
    return digest_of(b"notebook\0" + data) if is_notebook(path) else digest_of(data)


def _entry_of(text: _Text | Document, counts: Counts) -> Entry:
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
        read.append((path, _digest_for(path, content.data), content))
    known = ledger.known_contents(counter.key, {digest for _, digest, _ in read})
    texts: list[_Text] = []
    for path, digest, content in read:
        if digest in known:
            done.append((path, replace(known[digest], stamp=content.stamp)))
            continue
        try:
            texts.append(_text_of(path, content, digest))
        except ContextError as error:
            done.append((path, unreadable(path, error)))
    counts = count_each(counter, [text.text for text in texts])
    return [*done, *((text.path, _entry_of(text, each)) for text, each in zip(texts, counts, strict=True))]
