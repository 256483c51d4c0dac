"""Lookup, reading and checks of a catalog's files. Every problem becomes a notice."""

from __future__ import annotations

import os
from collections.abc import Iterable
from pathlib import Path
from typing import Final

from ctxtui.catalog.domain_index import HintRow, read_hints
from ctxtui.catalog.library import Library, split_id
from ctxtui.catalog.mentions import Resolver
from ctxtui.catalog.metadata import INDEX, Metadata, read_metadata
from ctxtui.catalog.source import NAVIGATION, find_catalogs
from ctxtui.catalog.types import ContextReference, DetectionResult, DetectionSignals
from ctxtui.core.base.errors import ContextError
from ctxtui.core.base.notices import Notice, OnNotice
from ctxtui.core.base.wording import near
from ctxtui.core.disk.open_at import exists, is_folder
from ctxtui.core.text.markdown.document import Document
from ctxtui.core.tokens.arguments import shown

_EXPECTED: Final[dict[type, str]] = {
    str: "a string",
    Iterable: "a list of strings",
    ContextReference: "a ContextReference",
    DetectionSignals: "DetectionSignals",
    DetectionResult: "a DetectionResult",
}

_REMEDY = "give the folder that contains the domains"


def is_a(kind: type, value: object, name: str, on_notice: OnNotice) -> bool:
    """Whether a value is of the type `kind`. If not, a notice about `name` says so."""
    if not isinstance(value, kind):
        on_notice(Notice("wrong-type", f"{name} should be {_EXPECTED[kind]}, not {shown(value)}"))
    return isinstance(value, kind)


def root_problem(root: Path) -> Notice | None:
    """A notice for a root that is missing, no folder, unreadable, or only has catalogs in its folders. Else None."""
    if not exists(root):
        return Notice("empty-catalog", f"{root} does not exist; {_REMEDY}")
    if not is_folder(root):
        return Notice("empty-catalog", f"{root} is a file; {_REMEDY}")
    if not os.access(root, os.R_OK | os.X_OK):
        return Notice("empty-catalog", f"no permission to read {root}; make it readable")
    if any(exists(root / name) for name in NAVIGATION):
        return None
    try:
        catalogs = find_catalogs(root)
    except (ContextError, OSError):
        return None
    if not catalogs or "" in catalogs:
        return None
    what = "the catalog is" if len(catalogs) == 1 else "the catalogs are"
    return Notice("catalog-below", f"{what} in {', '.join(catalogs)}; open {root / catalogs[0]} instead of {root}")


class CatalogFiles:
    """Looks up and reads the files of a library without raising."""

    def __init__(self, library: Library, on_notice: OnNotice) -> None:
        self._library = library
        self._on_notice = on_notice
        self._is_root_usable = False

    def forget(self) -> None:
        """Check the root again at the next call."""
        self._is_root_usable = False

    def tell(self, notices: Iterable[Notice]) -> None:
        for notice in notices:
            self._on_notice(notice)

    def metadata(self, domain: str | None, tell: bool = False) -> list[Metadata]:
        """The metadata of the readable files in a domain, or in all domains. Unreadable files become notices.

        With `tell`, faults of the metadata become notices too.
        """
        if domain is not None and not self.is_domain(domain):
            return []
        files = [file for file in self._library.files(domain) if file.domain]
        if domain is None and not self.report_root() and not files:
            message = f"{self._library.root.path} contains no domains with Markdown files"
            self._on_notice(Notice("empty-catalog", message))
        readable = []
        for file in files:
            metadata = read_metadata(self._library, file)
            if isinstance(metadata, Notice):
                self._on_notice(metadata)
                continue
            readable.append(metadata)
            if tell:
                self.tell(metadata.notices)
        return readable

    def is_domain(self, domain: str) -> bool:
        """Whether the catalog has a domain of this name. If not, notices give the reason and a similar name."""
        if not is_a(str, domain, "a domain", self._on_notice):
            return False
        if domain and self._library.files(domain):
            return True
        self.report_root()
        hint = near(domain, self._library.domains())
        self._on_notice(Notice("unknown-domain", "; ".join(filter(None, (f"there is no domain {domain!r}", hint)))))
        return False

    def report_root(self) -> bool:
        """Report an unusable root, and return whether it is unusable. A usable root is not checked again."""
        notice = None if self._is_root_usable else root_problem(self._library.root.path)
        self._is_root_usable = notice is None
        self.tell([notice] if notice else [])
        return notice is not None

    def file_metadata(self, domain: str, name: str) -> Metadata | None:
        """The metadata of one file. None if the file is missing, and with a notice if it is unreadable.

        Faults of the metadata are in the result, not reported.
        """
        file = self._library.file(domain, name)
        if file is None:
            return None
        metadata = read_metadata(self._library, file)
        if isinstance(metadata, Notice):
            self._on_notice(metadata)
            return None
        return metadata

    def opened(self, reference: ContextReference) -> tuple[Document | None, Metadata | None]:
        """The document of a reference, found by id, and its metadata. Both None, with a notice, if it cannot be read.

        Faults of the metadata become notices.
        """
        domain, name = split_id(reference.id)
        document = self.document(domain, name)
        if document is None:
            message = f"{reference.id} is gone or cannot be read; its content is empty"
            self._on_notice(Notice("missing-file", message, f"{domain}/{name}.md"))
            return None, None
        metadata = self.file_metadata(domain, name)
        self.tell(metadata.notices if metadata else ())
        return document, metadata

    def document(self, domain: str, name: str) -> Document | None:
        """One document, None if the file is missing or unreadable. Unreadable or damaged text becomes a notice."""
        file = self._library.file(domain, name)
        if file is None:
            return None
        document = self._library.document_or_notice(file)
        notice = document if isinstance(document, Notice) else document.damage
        self.tell([notice] if notice else [])
        return None if isinstance(document, Notice) else document

    def read(self, domain: str, name: str) -> Document | None:
        """Like `document`, but faults of the frontmatter become notices too."""
        document = self.document(domain, name)
        self.tell(document.frontmatter.notices if document and document.frontmatter else ())
        return document

    def exists(self, id_: str) -> bool:
        """Whether the catalog has the recommended file `id_`. A missing file becomes a notice."""
        if self._library.file(*split_id(id_)):
            return True
        self._on_notice(Notice("missing-target", f"{id_} is recommended but does not exist"))
        return False

    def resolver(self, domain: str) -> Resolver:
        return Resolver(domain, self._library.names())

    def hints(self, domain: str, resolver: Resolver) -> list[HintRow]:
        """The hint rows of a domain's index, none without an index."""
        index = self.read(domain, INDEX)
        return read_hints(index, resolver, self._on_notice) if index else []
