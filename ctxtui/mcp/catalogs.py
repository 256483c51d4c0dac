"""The domain catalogs of the served project, found by name and kept warm between calls."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from ctxtui.catalog.cache.cached import CachedContextProvider
from ctxtui.catalog.find import find_catalogs
from ctxtui.catalog.provider import MarkdownFileContextProvider
from ctxtui.core.errors import ContextError, NotFound
from ctxtui.core.files.open_at import is_folder
from ctxtui.core.files.root import Root
from ctxtui.core.notices import OnNotice


class Catalogs:
    """The catalogs below a root, by their folders relative to it, `.` for the root itself."""

    def __init__(self, root: Path) -> None:
        self._root = Root(root)
        self._providers: dict[str, CachedContextProvider] = {}
        self._lock = threading.RLock()

    def names(self) -> list[str]:
        """The current catalogs."""
        found = [name or "." for name in find_catalogs(self._root.path)]
        with self._lock:
            self._providers = {name: self._provider(name) for name in found}
            return found

    def _provider(self, name: str) -> CachedContextProvider:
        known = self._providers.get(name)
        return known or CachedContextProvider(MarkdownFileContextProvider(self._root.below(name)))

    @contextmanager
    def use(self, name: str | None, on_notice: OnNotice) -> Iterator[CachedContextProvider]:
        """The catalog of a name, or the only one, for one call at a time; its notices go to `on_notice`.

        Raises NotFound if there is none of that name, ContextError (invalid_request) if there are several and
        none is named.
        """
        with self._lock:
            found = self._named(name)
            provider = self._providers[found]
            provider.on_notice = on_notice
            yield provider

    def _named(self, name: str | None) -> str:
        wanted = name.rstrip("/") or "." if name else None
        if wanted in self._providers and is_folder(self._root.path / wanted):
            return wanted
        found = self.names()
        if wanted is None and len(found) > 1:
            raise ContextError("invalid_request", "several catalogs", hint=f"name one: {', '.join(found)}")
        if wanted is None and found:
            return found[0]
        if wanted in found:
            return wanted
        what = "no domain catalog in this project" if wanted is None else f"no catalog {wanted}"
        raise NotFound(what, hint=f"known: {', '.join(found)}" if found else None)
