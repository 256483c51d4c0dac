"""Contents of git blobs by id, counted once per project and cached with the counts of files."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace
from functools import partial
from itertools import islice

from ctxtui.core.base.cancel import Check, go_on
from ctxtui.core.base.digest import digest_of
from ctxtui.core.base.errors import ContextError
from ctxtui.core.base.lru import Memo
from ctxtui.core.base.notices import Notice, OnNotice, log_notice
from ctxtui.core.base.wording import plural
from ctxtui.core.disk.cache import enabled_cache_folder
from ctxtui.core.disk.content import Content, Stamp
from ctxtui.core.disk.git.git import Repository
from ctxtui.core.documents.reader import count_files
from ctxtui.core.text.decode import decode, decode_as_utf8, is_marked
from ctxtui.core.tokens.counter import TokenCounter
from ctxtui.core.tokens.encodings import expect_bytes
from ctxtui.core.tokens.ledger import Entry, Ledger
from ctxtui.core.tokens.spans import Counts

# A blob id always names the same content, so the cache key needs no stamp.
_STAMP = Stamp(0, 0, 0)
_BINARY = -1
_TEXT_BYTES = 32 * 1024 * 1024
_AT_ONCE = 100


class Blobs:
    """Reads and counts a repository's blobs by id. A binary, missing or too large blob has no text."""

    def __init__(self, repository: Repository, counter: TokenCounter, on_notice: OnNotice = log_notice) -> None:
        self.repository = repository
        self.counter = counter
        self._on_notice = on_notice
        self._ledger = Ledger(enabled_cache_folder(), f"{repository.root}//git", on_notice)
        self._texts: Memo[str, str | None] = Memo(_TEXT_BYTES, lambda text: len(text or "") + 512)
        self._marked: set[str] = set()
        self._absent: set[str] = set()

    def load(self, ids: Iterable[str], check: Check = go_on) -> None:
        """Count new blobs in batches. Unreadable ones give a notice. If `check` raises, finished counts stay."""
        unknown = {id_ for id_ in ids if id_ not in self._absent and self._recorded(id_) is None}
        contents = self.repository.contents(unknown)
        try:
            while batch := list(islice(contents, _AT_ONCE)):
                check()
                self._count_and_record(batch)
                unknown -= {id_ for id_, _ in batch}
        except BaseException:
            self._ledger.flush()
            raise
        self._absent |= unknown
        self._ledger.flush()
        if unknown:
            files = plural(len(unknown), "old file")
            message = f"{files} cannot be read: too large, or not in this clone; counted as absent"
            self._on_notice(Notice("missing-objects", message))

    @property
    def are_complete(self) -> bool:
        """Whether every blob that was asked for could be read."""
        return not self._absent

    def entry(self, id_: str) -> Entry | None:
        """The counts and digest of a blob, None if there is no text. Equal contents have equal digests."""
        if self._recorded(id_) is None:
            self.load([id_])
        entry = self._recorded(id_)
        return None if entry is None or entry.damage == _BINARY else entry

    def tokens(self, id_: str) -> int | None:
        """The tokens of a blob without any byte order mark, None if there is no text."""
        entry = self.entry(id_)
        return None if entry is None else self.counter.total(entry.counts.units)

    def received_tokens(self, id_: str) -> int | None:
        """The tokens of a blob as agents receive it, with any byte order mark, None if there is no text."""
        text = self.text(id_)
        return self.tokens(id_) if text is None or id_ not in self._marked else self.counter.count(text)

    def prepare(self, ids: Iterable[str]) -> None:
        """Read the texts of blobs in one batch, for later calls of `text`. Memory limits how many stay."""
        for id_, data in self.repository.contents(ids):
            self._texts.get(id_, partial(self._decode_and_mark, id_, data))

    def text(self, id_: str) -> str | None:
        """The text of a blob as agents receive it, None if it is binary or cannot be read."""
        return self._texts.get(
            id_, lambda: next((self._decode_and_mark(id_, data) for _, data in self.repository.contents([id_])), None)
        )

    def plain_text(self, id_: str) -> str:
        """The text of a blob without any byte order mark, as `tokens` counts it, empty if it cannot be read."""
        text = self.text(id_)
        if id_ not in self._marked:
            return text or ""
        return "".join(decode(data, "")[0] for _, data in self.repository.contents([id_]))

    def _decode_and_mark(self, id_: str, data: bytes) -> str | None:
        """The text of a blob, None if it is binary. Remembers blobs with a byte order mark."""
        if is_marked(data):
            self._marked.add(id_)
        try:
            return decode_as_utf8(data, "")
        except ContextError:
            return None

    def _recorded(self, id_: str) -> Entry | None:
        return self._ledger.known_entry(self.counter.key, id_, _STAMP)

    def _count_and_record(self, contents: Sequence[tuple[str, bytes]]) -> None:
        expect_bytes(self.counter.basis, sum(len(data) for _, data in contents))
        files = ((id_, partial(Content, data, _STAMP)) for id_, data in contents)
        for id_, found in count_files(files, self.counter, self._ledger):
            if isinstance(found, Notice):
                # A digest of its own keeps this entry apart from the counts of a readable file.
                found = Entry(_STAMP, digest_of(b"binary" + id_.encode()), Counts(0), _BINARY)
            self._ledger.record(self.counter.key, id_, replace(found, stamp=_STAMP))
