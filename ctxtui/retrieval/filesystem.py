"""The filesystem provider of the retrieval contract: searches text files below a root with its own index."""

from __future__ import annotations

import os
import threading
from collections.abc import Callable, Iterable, Iterator, Mapping
from pathlib import Path
from typing import Final

from ctxtui.core.base.errors import ContextError, invalid
from ctxtui.core.base.notices import Notice, OnNotice, log_notice
from ctxtui.core.disk.cache import user_cache
from ctxtui.core.disk.open_at import is_folder
from ctxtui.core.disk.own_folders import own_cache
from ctxtui.core.disk.root import Root
from ctxtui.core.documents.listing import DEFAULT_LISTING, Listing
from ctxtui.core.documents.reader import Reader
from ctxtui.core.text.decode import decode
from ctxtui.core.text.markdown.document import Document
from ctxtui.core.text.secrets import find_secrets
from ctxtui.core.tokens.arguments import a_function, a_path, seconds, wrong
from ctxtui.retrieval.contract import (
    ContextProviderId,
    ContextRetrievalRequest,
    ContextSnippet,
    RetrievalError,
    check_request,
    expanded,
    limit_of,
    safe_errors,
)
from ctxtui.retrieval.deadline import Stop, too_late
from ctxtui.retrieval.index.index import Index, OnReached, Ranking, SearchOptions
from ctxtui.retrieval.index.passages import Hit, Reading, SearchResult, find_passage
from ctxtui.retrieval.index.prepare import MAX_BYTES, UNKNOWN, Prepared
from ctxtui.retrieval.index.weigh import Weighed
from ctxtui.retrieval.secret_files import is_secret_file

_ROOTS: Final = 8
# A thread gets this time to stop by itself before the caller stops waiting.
_GRACE_SECONDS: Final = 0.2


def _root_paths(folders: object) -> list[str | os.PathLike[str]]:
    """The folders, or the single folder, as a list with `~` expanded. Raises TypeError for anything else."""
    paths = [folders] if isinstance(folders, str | os.PathLike) else folders
    if not isinstance(paths, Iterable):
        raise wrong("allowed_roots", "a list of folders", folders)
    return [expanded(os.fspath(a_path(path, "allowed_roots"))) for path in paths]


class FilesystemProvider:
    """Ranked snippets of the text files below a request's root (retrieval specification). Thread-safe.

    Only roots within `allowed_roots` are searched, if given. A request takes at most `deadline` seconds, if given. A
    leading `~` of a root is the home folder. The index is stored in the user's cache folder, and nothing is written
    elsewhere. Each notice goes to `on_notice` once. `provider_id` is the name in requests and snippets, `listing`
    selects the files. Files below the root of a `reader` are read with it. Raises TypeError or ValueError for invalid
    arguments.
    """

    def __init__(
        self,
        allowed_roots: Iterable[str | os.PathLike[str]] | None = None,
        deadline: float | None = None,
        on_notice: OnNotice | None = None,
        *,
        provider_id: ContextProviderId = "filesystem",
        listing: Listing = DEFAULT_LISTING,
        reader: Reader | None = None,
    ) -> None:
        self._allowed = None if allowed_roots is None else [Root(each) for each in _root_paths(allowed_roots)]
        self._deadline = None if deadline is None else seconds(deadline, "deadline")
        self._on_notice = a_function(on_notice, "on_notice") or log_notice
        self._provider_id = provider_id
        self._listing = listing
        self._reader = reader
        self._indexes: dict[Path, Index] = {}
        self._cache = user_cache()
        self._reported: set[Notice] = set()
        self._lock = threading.Lock()

    async def retrieve(self, request: ContextRetrievalRequest) -> list[ContextSnippet]:
        """The best snippets, best first. Empty if nothing matches (retrieval specification 3.2).

        Raises RetrievalError. At the deadline or a cancellation, work stops soon, and the next request continues with
        everything indexed until then.
        """
        # A search in the calling thread needs no event loop, which takes longer to import than a search.
        import asyncio  # noqa: PLC0415

        stop = Stop(self._deadline)
        with safe_errors():
            try:
                work = asyncio.to_thread(self._search, request, SearchOptions(), stop)
                longest = None if self._deadline is None else self._deadline + _GRACE_SECONDS
                result = await asyncio.wait_for(work, longest)
            except TimeoutError:
                raise too_late() from None
            finally:
                stop.now()
        return result.snippets

    def search(
        self,
        request: ContextRetrievalRequest,
        *,
        is_cancelled: Callable[[], bool] | None = None,
        is_typing: bool = False,
        max_age: float = 0.0,
        patience: float | None = None,
        on_reached: OnReached | None = None,
    ) -> SearchResult:
        """The best snippets with their sections and matched words, and notices. Works in the calling thread.

        While the user `is_typing` the prompt, its last word may be incomplete. The disk is checked again after
        `max_age` seconds. Indexing takes at most `patience` seconds, and a notice says if files are left.
        `on_reached` receives the progress. Raises RetrievalError, also timeout if `is_cancelled` returns True.
        """
        options = SearchOptions(is_typing, max_age, patience, on_reached)
        with safe_errors():
            return self._search(request, options, Stop(self._deadline, is_cancelled))

    def headed(self, root: str, query: str) -> list[str]:
        """The paths of files with the query as a phrase in a heading or symbol. Its last word may be incomplete.

        Only the first call for a root checks the disk, and then indexes a few files. Raises RetrievalError.
        """
        with safe_errors():
            return self._index(self._allowed_root(root)).headed(query, Stop(self._deadline))

    def weigh(
        self, root: str, words: Mapping[str, float], *, on_reached: OnReached | None = None
    ) -> tuple[Weighed, list[Notice]]:
        """Every file below a root, weighed by terms given with factors, and notices. Raises RetrievalError."""
        with safe_errors():
            return self._index(self._allowed_root(root)).weigh(
                words, SearchOptions(on_reached=on_reached), Stop(self._deadline)
            )

    def close(self) -> None:
        """Close the databases. The next request opens them again."""
        with self._lock:
            for index in self._indexes.values():
                index.close()
            self._indexes.clear()

    def _search(self, request: ContextRetrievalRequest, options: SearchOptions, stop: Stop) -> SearchResult:
        """The checked hits of a request. New notices go to `on_notice`, all notices are in the result."""
        check_request(request)
        if request.provider_id != self._provider_id:
            raise RetrievalError("invalid_request", f"this provider is {self._provider_id}")
        index = self._index(self._allowed_root(request.root_path))
        limit = limit_of(request)
        ranking = index.search(request.prompt, limit, options, stop)
        notices = ranking.notices
        hits = []
        for hit in self._hits(index, ranking, notices):
            hits.append(hit)
            if len(hits) == limit:
                break
            stop.check()
        self._cache.flush()
        if count := sum(hit.redacted for hit in hits):
            notices.append(Notice("redacted-secrets", f"secrets redacted in the results: {count:,}"))
        for notice in notices:
            if notice not in self._reported:
                self._reported.add(notice)
                self._on_notice(notice)
        return SearchResult(tuple(hits), tuple(dict.fromkeys(notices)), ranking.reached)

    def _allowed_root(self, path: str) -> Root:
        """The folder to search (retrieval specification 5).

        Raises RetrievalError: invalid_request for no folder or a folder that is not allowed, unauthorized for an
        unreadable folder.
        """
        try:
            root = Root(expanded(path))
            allowed = [root] if self._allowed is None else self._allowed
            above = [each for each in allowed if root.path.is_relative_to(each.path)]
            if not above or not is_folder(root.path):
                raise RetrievalError("invalid_request", "rootPath is not a folder that may be searched")
            if not os.access(root.path, os.R_OK | os.X_OK):
                raise RetrievalError("unauthorized", "no permission to read rootPath")
        except (OSError, ValueError):
            raise RetrievalError("invalid_request", "rootPath is not a folder that may be searched") from None
        # Entered from the allowed root, so that no link created meanwhile can lead out of it.
        return above[0].below(root.path.relative_to(above[0].path).as_posix(), is_limit=True)

    def _index(self, root: Root) -> Index:
        """The index of a root, created on first use. Only the eight last used are kept."""
        with self._lock:
            index = self._indexes.pop(root.path, None) or Index(root, own_cache() / "retrieval", self._listing)
            self._indexes[root.path] = index
            while len(self._indexes) > _ROOTS:
                self._indexes.pop(next(iter(self._indexes)))
            return index

    def _hits(self, index: Index, ranking: Ranking, notices: list[Notice]) -> Iterator[Hit]:
        """The ranked chunks as they are on disk now. Deleted or changed chunks are added to `notices`."""
        if ranking.query is None:
            return
        readings: dict[str, Reading] = {}
        for score, (path, row) in ranking.ranked:
            try:
                reading = readings[path] = readings.get(path) or self._reading(index.root, path)
            except ContextError as error:
                notices.append(Notice("unreadable-file", f"left out of the results ({error.category})", path))
                continue
            if reading.document.damage:
                notices.append(reading.document.damage)
            passage = find_passage(reading, row, ranking.query, index.words)
            if passage is None:
                notices.append(Notice("changed-file", "changed while it was searched; left out", path))
                continue
            id_ = f"{self._provider_id}:{path}#L{passage.start + 1}-L{passage.end + 1}"
            source = reading.source(passage.line)
            snippet = ContextSnippet(id_, self._provider_id, path, source, passage.content, score)
            yield Hit(snippet, passage.matched, passage.redacted, passage.line + 1, reading)

    def _reading(self, root: Root, path: str) -> Reading:
        """The current text of a file inside the root, with its secrets. Raises ContextError for a file of secrets."""
        if is_secret_file(path, self._cache):
            raise invalid("a secret file")
        document = self._document(root, path)
        return Reading(document, find_secrets(document.text, self._cache), self._cache)

    def _document(self, root: Root, path: str) -> Document:
        """A file's document, from the reader if its root is the same and the file is not young, else read anew."""
        if self._reader is not None and self._reader.root.path == root.path:
            document = self._reader.document(Prepared(path, UNKNOWN))
            # A young file may have changed without another stamp.
            if document.stamp.size <= MAX_BYTES and not document.stamp.is_young():
                return document
        content = root.read(path, MAX_BYTES)
        text, damage = decode(content.data, path)
        return Document(path, text, content.stamp, damage=damage, cache=self._cache)
