"""The scan: one walk through a project, then a claim of each file by a source."""

from __future__ import annotations

import os
import shlex
import time
from pathlib import Path

from ctxtui.core.base.errors import ContextError, invalid
from ctxtui.core.base.notices import Notice, OnNotice
from ctxtui.core.base.packed import pack
from ctxtui.core.disk.cache import enabled_cache_folder, user_cache
from ctxtui.core.disk.git.repository import is_git_folder
from ctxtui.core.disk.open_at import exists, is_folder
from ctxtui.core.disk.root import Root
from ctxtui.core.documents.by_file import ByFile
from ctxtui.core.documents.listing import cached_walk
from ctxtui.core.documents.read_cache import ReadCache
from ctxtui.core.documents.reader import Reader
from ctxtui.core.tokens.ledger import Ledger
from ctxtui.workspace.listing import in_scope, listing_of
from ctxtui.workspace.opening.scan_cache import CachedScan, Scan, cache_key_of
from ctxtui.workspace.opening.user_files import NO_HOME
from ctxtui.workspace.scope import Scope


def require_folder(path: str | os.PathLike[str], hint: str = "name the folder of a project") -> Path:
    """The path as given. Raises ContextError (invalid_request) with a hint unless it is a folder."""
    place = Path(path)
    if not is_folder(place):
        what = "is a file, not a folder" if exists(place) else "does not exist"
        raise invalid(f"{path} {what}", hint=hint)
    return place


def open_reader(path: str | os.PathLike[str], on_notice: OnNotice, hands: int) -> Reader:
    """The reader of a folder, with at most `hands` threads that count.

    Raises ContextError: invalid_request without a folder or for a bare repository, unauthorized if it is unreadable.
    """
    place = require_folder(path)
    if not os.access(place, os.R_OK | os.X_OK):
        raise ContextError("unauthorized", f"no permission to read {path}")
    if is_git_folder(place):
        hint = f"name the folder with its files, or make one: git clone {shlex.quote(str(path))}"
        raise invalid(f"{path} is a git repository without its files", hint=hint)
    root = Root(place)
    ledger = Ledger(enabled_cache_folder(), str(root.path), on_notice)
    return Reader(root, ledger, user_cache(), hands)


def scan(reader: Reader, scope: Scope, on_notice: OnNotice) -> Scan:
    """The scan of the reader's root, from the cache if nothing changed, which is written otherwise.

    Each notice also goes to `on_notice`, once. Raises ContextError for an invalid glob.
    """
    began = time.time_ns()
    seen: dict[Notice, None] = {}

    def tell(notice: Notice) -> None:
        if notice not in seen:
            seen[notice] = None
            on_notice(notice)

    found = cached_walk(reader.root, listing_of(reader.root.path, scope), tell)
    found = in_scope(scope, reader.root.path, reader.root.path, found)
    read_cache = ReadCache(reader.root, found)
    known = CachedScan(reader.cache, read_cache, found, scope, began)
    result = known.read()
    if result is None:
        # A cached scan needs neither the sources nor the table of agents.
        from ctxtui.workspace.opening.classify import classify_files  # noqa: PLC0415

        place = cache_key_of(reader.root.path, scope)
        by_file = ByFile(found, reader.cache.snapshot_value("files", place))
        result, trail = classify_files(read_cache, found, scope, by_file)
        if (rows := by_file.to_cache(began)) is not None:
            reader.cache.keep_snapshot("files", place, pack(rows))
        if not by_file.has_secret:
            result = known.keep(result, trail)
    for notice in result.notices:
        tell(notice)
    home = NO_HOME
    if scope.home:
        from ctxtui.workspace.opening.find_user_files import find_user_files  # noqa: PLC0415 - only if asked for

        home = find_user_files(reader.root, result.paths, scope, tell)
    return result._replace(notices=list(seen), home=home)
