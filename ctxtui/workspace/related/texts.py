"""Imports and names in a workspace's texts, cached by content."""

from __future__ import annotations

import re
from typing import Final

from ctxtui.core.base.errors import ContextError
from ctxtui.core.text.code.imports import Import, imports_of, known_imports
from ctxtui.core.text.markdown.document import Document
from ctxtui.core.text.metadata.reference import Reference
from ctxtui.core.text.secrets import blank, find_secrets
from ctxtui.core.tokens.by_name import get_counter
from ctxtui.workspace.workspace import Workspace

_NAMED: Final = re.compile(r"[\w@.+$~/-]++")
_FILE: Final = re.compile(r"(?:[^/]*/)*[^/]+\.[A-Za-z_]\w{0,60}")
_LONGEST: Final = 300
_MOST: Final = 20_000

_NAMES = "names"


def names_in(text: str) -> tuple[str, ...]:
    """File names, paths and dotted module names, each once: words with a dot in them. Secrets are blanked first."""
    shown = blank(text, find_secrets(text))
    found = (match[0].rstrip(".").removeprefix("./") for match in _NAMED.finditer(shown))
    usual = (name for name in found if "." in name and len(name) <= _LONGEST and _FILE.fullmatch(name))
    return tuple(dict.fromkeys(usual))[:_MOST]


class Contents:
    """Imports and names in the files of a workspace. Each file version is searched once for all snapshots."""

    def __init__(self, workspace: Workspace) -> None:
        self._workspace, self._counter = workspace, get_counter()

    def imports(self, reference: Reference) -> tuple[Import, ...]:
        """The imports of a file, empty if unreadable."""
        key = ("imports", reference.path, reference.stamp)
        found: tuple[Import, ...] = self._workspace.reader.derived.get(key, lambda: self._imports(reference))
        return found

    def _imports(self, reference: Reference) -> tuple[Import, ...]:
        cache, counted = self._workspace.reader.cache, self._counted(reference)
        known = known_imports(reference.path, counted, cache) if counted else None
        document = self._document(reference) if known is None else None
        if document is not None:
            known = known_imports(reference.path, document.digest, cache)
        if document is not None and known is None:
            known = imports_of(reference.path, document.text, document.digest, cache)
        return known or ()

    def names(self, reference: Reference) -> tuple[str, ...]:
        """The names and paths of files in a document, empty if unreadable."""
        key = (_NAMES, reference.path, reference.stamp)
        found: tuple[str, ...] = self._workspace.reader.derived.get(key, lambda: self._names(reference))
        return found

    def _names(self, reference: Reference) -> tuple[str, ...]:
        cache, counted = self._workspace.reader.cache, self._counted(reference)
        known: tuple[str, ...] | None = cache.find(_NAMES, counted) if counted else None
        document = self._document(reference) if known is None else None
        if document is not None:
            known = cache.find(_NAMES, document.digest)
        if document is not None and known is None:
            known = names_in(document.text)
            cache.keep(_NAMES, document.digest, known)
        return known or ()

    def _counted(self, reference: Reference) -> bytes | None:
        """The digest of a counted file, so that it need not be read."""
        entry = self._workspace.reader.known(reference, self._counter)
        return entry.digest if entry else None

    def _document(self, reference: Reference) -> Document | None:
        try:
            return self._workspace.document(reference)
        except ContextError:
            return None
