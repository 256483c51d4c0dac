"""The served project: all data of the tools, opened on first use and current at every call."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path

from ctxtui.catalog.cached import CachedContextProvider
from ctxtui.catalog.provider import MarkdownFileContextProvider
from ctxtui.catalog.source import find_catalogs
from ctxtui.core.base.errors import NotFound, invalid
from ctxtui.core.base.notices import Notice, OnNotice
from ctxtui.core.disk.open_at import is_folder
from ctxtui.core.disk.root import Root
from ctxtui.core.text.secrets import Secrets, strictest
from ctxtui.retrieval.contract import ContextProviderId
from ctxtui.retrieval.filesystem import FilesystemProvider
from ctxtui.workspace.listing import listing_of
from ctxtui.workspace.scope import EVERYTHING, Scope
from ctxtui.workspace.workspace import Workspace


class Catalogs:
    """The catalogs below a root, by their folders relative to it, `.` for the root itself."""

    def __init__(self, root: Path) -> None:
        self._root = Root(root)
        self._providers: dict[str, CachedContextProvider] = {}
        self._lock = threading.RLock()

    def refreshed_names(self) -> list[str]:
        """Search for catalogs again, and return their names. Known catalogs keep their caches."""
        found = [name or "." for name in find_catalogs(self._root.path)]
        with self._lock:
            self._providers = {
                name: self._providers.get(name)
                or CachedContextProvider(MarkdownFileContextProvider(self._root.below(name)))
                for name in found
            }
            return found

    @contextmanager
    def use(self, name: str | None, on_notice: OnNotice) -> Iterator[CachedContextProvider]:
        """The named or only catalog, for one call at a time. Its notices go to `on_notice`.

        Raises NotFound for an unknown name, ContextError (invalid_request) if there are several and none is named.
        """
        with self._lock:
            found = self._chosen_name(name)
            provider = self._providers[found]
            provider.on_notice = on_notice
            yield provider

    def _chosen_name(self, name: str | None) -> str:
        """The name of a known catalog. Catalogs are searched again for an unknown name, and without a name."""
        wanted = name.rstrip("/") or "." if name else None
        if wanted in self._providers and is_folder(self._root.path / wanted):
            return wanted
        found = self.refreshed_names()
        if wanted is None and len(found) > 1:
            raise invalid("several catalogs", hint=f"name one: {', '.join(found)}")
        if wanted is None and found:
            return found[0]
        if wanted in found:
            return wanted
        what = "no domain catalog in this project" if wanted is None else f"no catalog {wanted}"
        raise NotFound(what, hint=f"known: {', '.join(found)}" if found else None)


class Project:
    """One folder, served to many concurrent callers. Problems with opening it go to `tell`, each once.

    Secrets are never kept. They are redacted, or stop a payload if `secrets` is `fail`.
    """

    def __init__(self, path: Path, tell: OnNotice, scope: Scope = EVERYTHING, secrets: Secrets = "redact") -> None:
        self.root = Root(path)
        self.secrets: Secrets = strictest(secrets, "redact")
        self.catalogs = Catalogs(self.root.path)
        self._scope = scope
        # Nothing outside the served folder is read, not even by agents that start there.
        self._inside = replace(scope, above=False)
        self._tell = tell
        self._told: set[Notice] = set()
        self._lock = threading.Lock()
        self._workspace: Workspace | None = None
        self._engines: dict[ContextProviderId, FilesystemProvider] = {}

    def workspace(self) -> Workspace:
        """The current snapshot: opened at the first call, reloaded at every other."""
        with self._lock:
            if self._workspace is None:
                self._workspace = Workspace.open(self.root.path, scope=self._inside, on_notice=self.tell_once)
            else:
                self._workspace = self._workspace.reload(on_notice=self.tell_once)
            return self._workspace

    def tell_once(self, notice: Notice) -> None:
        """Pass on a notice unless it was told before."""
        if notice not in self._told:
            self._told.add(notice)
            self._tell(notice)

    def engine(self, provider_id: ContextProviderId) -> FilesystemProvider:
        """The search behind `retrieve_context` for a provider id, made once and kept with its index."""
        with self._lock:
            if provider_id not in self._engines:
                # The answer contains the notices, too.
                self._engines[provider_id] = FilesystemProvider(
                    [self.root.path],
                    on_notice=lambda _notice: None,
                    provider_id=provider_id,
                    listing=listing_of(self.root.path, self._scope),
                )
            return self._engines[provider_id]

    def close(self) -> None:
        with self._lock:
            for engine in self._engines.values():
                engine.close()
