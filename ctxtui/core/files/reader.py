"""The reader: documents and counts of one root, each version read, parsed and counted once."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Hashable, Iterable, Iterator, Sequence
from functools import partial
from itertools import pairwise
from typing import TYPE_CHECKING, Any

from ctxtui.core.files.content import Stamp
from ctxtui.core.files.count_files import Text, count_files, digest_for, entry_of, text_of
from ctxtui.core.files.look import Looks
from ctxtui.core.files.root import Root
from ctxtui.core.files.walk import Found
from ctxtui.core.lru import Memo
from ctxtui.core.metadata.reference import Reference
from ctxtui.core.notices import Notice
from ctxtui.core.passes import Passes
from ctxtui.core.tokens.counter import TokenCounter
from ctxtui.core.tokens.encodings import SAFE_CUT
from ctxtui.core.tokens.ledger import Entry, Ledger, Size
from ctxtui.core.tokens.remembered import kept_count

if TYPE_CHECKING:
    from ctxtui.core.markdown.document import Document
    from ctxtui.core.tokens.spans import Span

_DOCUMENT_MEMORY = 24 * 1024 * 1024
_DERIVED_ENTRIES = 250_000


class Reader:
    """Reads documents below a root and counts them with the help of a ledger; thread-safe.

    `passes` is what was found in texts of any root.
    """

    def __init__(self, root: Root, ledger: Ledger, passes: Passes | None = None) -> None:
        self.root = root
        self._folder = str(root.path)
        self.ledger = ledger
        self.passes = passes or Passes(None)
        self._documents: Memo[tuple[str, Stamp], Document] = Memo(
            # A single character beyond Latin-1 makes each of a text's characters take two or four bytes.
            _DOCUMENT_MEMORY,
            lambda document: sys.getsizeof(document.text) + 512,
        )
        self._looks = Looks(root)
        # Values that higher layers derive from one version of a document and keep between snapshots.
        self.derived: Memo[Hashable, Any] = Memo(_DERIVED_ENTRIES)

    def look(self, files: Sequence[Found]) -> Looks:
        """New looks at files, from which documents are made and counted until `forget_looks`."""
        self._looks = Looks(self.root, files)
        return self._looks

    def forget_looks(self) -> None:
        """Drop what was read when the project was opened."""
        self._looks.forget()

    def document(self, reference: Reference) -> Document:
        """The document as it is on disk now.

        Raises ContextError if the file is gone, unreadable, binary, too large or outside the root.
        """
        try:
            stamp = Stamp.of(os.stat(f"{self._folder}/{reference.path}"))  # noqa: PTH116 - building a Path takes longer
        except OSError:
            stamp = reference.stamp
        return self._documents.get((reference.path, stamp), lambda: self._read(reference.path))

    def _read(self, path: str) -> Document:
        content = self.root.read(path)
        return _document(text_of(path, content, digest_for(path, content.data)))

    def _keep(self, text: Text) -> None:
        self._documents.get((text.path, text.stamp), lambda: _document(text))

    def known(self, reference: Reference, counter: TokenCounter) -> Entry | None:
        """The ledger's entry for this version of a document, if any."""
        return self.ledger.find(counter.key, reference.path, reference.stamp)

    def size(self, reference: Reference, counter: TokenCounter) -> Size | None:
        """The size of this version of a document, if the ledger knows it."""
        return self.ledger.size(counter.key, reference.path, reference.stamp)

    def entry(self, document: Document, counter: TokenCounter) -> Entry:
        """The counts of a document, counted now if the ledger does not have them."""
        found = self.ledger.find(counter.key, document.path, document.stamp)
        if found is not None:
            return found
        text = Text(document.path, document.text, document.stamp, document.digest, document.damage)
        entry = entry_of(text, counter)
        self.ledger.record(counter.key, document.path, entry)
        return entry

    def count_batch(self, references: Sequence[Reference], counter: TokenCounter, keep: bool = False) -> list[Notice]:
        """Count files into the ledger without parsing them; returns notices for files that cannot be read.

        With `keep`, the texts stay in memory as far as there is room, for a payload that follows.
        """
        unknown = [each for each in references if self.size(each, counter) is None]
        files = ((each.path, partial(self._looks.take, each.path, each.stamp)) for each in unknown)
        return self.record(count_files(files, counter, self.ledger, self._keep if keep else None), counter)

    def record(self, counted: Iterable[tuple[str, Entry | Notice]], counter: TokenCounter) -> list[Notice]:
        """Take over counts of files, wherever they were made; returns the notices among them."""
        notices: list[Notice] = []
        for path, found in counted:
            if isinstance(found, Notice):
                notices.append(found)
            else:
                self.ledger.record(counter.key, path, found)
        return notices

    def span(self, document: Document, counter: TokenCounter, start: int, end: int) -> Span:
        """The exact size of a piece of a document, from its cumulative counts if it is cut safely."""
        from ctxtui.core.tokens.spans import span  # noqa: PLC0415 - as in `_document`

        text, counts = document.text, self.entry(document, counter).counts
        piece = text[start:end]
        safe_start, safe_end = _next_cut(text, start), _previous_cut(text, end)
        if safe_start > safe_end:
            return span(counter, piece)
        units = counts.before(counter, text, safe_end) - counts.before(counter, text, safe_start)
        units += counter.units(text[start:safe_start]) if safe_start > start else 0
        units += counter.units(text[safe_end:end]) if end > safe_end else 0
        return span(counter, piece, units)

    def count(self, text: str, counter: TokenCounter, measure: Callable[[], int] | None = None) -> int:
        """The tokens of a text that is not a whole file; the next time they are known without a tokenizer.

        `measure` gives the text's units if there is a faster way than counting it.
        """
        units = kept_count(self.passes, counter.key, text, measure or (lambda: counter.units(text)))
        return counter.total(units)

    def part_ends(self, document: Document, counter: TokenCounter) -> tuple[int, ...]:
        """The tokens of the file up to the end of every part's own text; computed once for a version."""
        key = ("ends", document.path, document.digest, counter)
        ends: tuple[int, ...] = self.derived.get(key, lambda: tuple(self._part_ends(document, counter)))
        return ends

    def _part_ends(self, document: Document, counter: TokenCounter) -> Iterator[int]:
        text = document.text
        # The last safe cut so far, and the units up to it.
        cut = units = 0
        for part in document.parts:
            following = _previous_cut(text, part.own_end)
            if following > cut:
                units += counter.units(text[cut:following])
                cut = following
            yield counter.total(units + (counter.units(text[cut : part.own_end]) if part.own_end > cut else 0))

    def front_tokens(self, document: Document, counter: TokenCounter) -> int:
        """The tokens of a document's frontmatter; 0 if it has none."""
        return self.part_ends(document, counter)[0] if document.body_start else 0

    def part_tokens(self, document: Document, counter: TokenCounter) -> list[int]:
        """The tokens of every part's own text; they add up to the document's total exactly."""
        return [after - before for before, after in pairwise((0, *self.part_ends(document, counter)))]

    def part_sizes(self, document: Document, counter: TokenCounter) -> list[int]:
        """The tokens of every part, including nested parts."""
        ends = self.part_ends(document, counter)
        at = {part.own_end: end for part, end in zip(document.parts, ends, strict=True)}
        starts = (0, *ends)
        return [at[part.end] - start for part, start in zip(document.parts, starts, strict=False)]


def _document(text: Text) -> Document:
    from ctxtui.core.markdown.document import Document  # noqa: PLC0415 - what is known is listed without its text

    return Document(*text)


def _next_cut(text: str, offset: int) -> int:
    """The first safe cut at or after an offset; the text's end counts as one."""
    if offset == 0:
        return 0
    match = SAFE_CUT.search(text, offset)
    return match.start() if match else len(text)


def _previous_cut(text: str, offset: int) -> int:
    """The last safe cut at or before an offset; both ends of the text count as cuts."""
    if offset >= len(text):
        return len(text)
    while offset > 0 and SAFE_CUT.match(text, offset) is None:
        offset = text.rfind("\n", 0, offset - 1) + 1
    return offset
