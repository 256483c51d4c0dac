"""The provider of the catalog specification over the Markdown files of one root."""

from __future__ import annotations

import os
from collections.abc import Callable, Hashable, Iterable, Sequence

from ctxtui.catalog.detection import detect as detection
from ctxtui.catalog.detection.rules import read_rules
from ctxtui.catalog.domain_index import listed_files, read_index, report_missing
from ctxtui.catalog.files import CatalogFiles, is_a
from ctxtui.catalog.library import Library, file_id
from ctxtui.catalog.metadata import DETECTION_FILE, INDEX
from ctxtui.catalog.protocol import choices as choosing
from ctxtui.catalog.protocol import cross_domain
from ctxtui.catalog.protocol.choices import load_all, load_conditional, load_cross_domain
from ctxtui.catalog.protocol.protocol_file import read_protocol
from ctxtui.catalog.search import SearchIndex
from ctxtui.catalog.sections import find_sections, text_list
from ctxtui.catalog.types import (
    Choice,
    ContextCatalogEntry,
    ContextFile,
    ContextReference,
    DetectionResult,
    DetectionSignals,
    DomainIndex,
    LoadingProtocol,
    PartialContextFile,
    SearchResult,
    SectionContent,
)
from ctxtui.core.base.notices import Notice, OnNotice, log_notice
from ctxtui.core.text.markdown.scan import match_key
from ctxtui.core.tokens.arguments import a_counter, a_function, a_number, a_path
from ctxtui.core.tokens.by_name import get_counter
from ctxtui.core.tokens.counter import TokenCounter

_PROTOCOL, _CROSS_DOMAIN = "loading_protocol", "cross_domain"


class MarkdownFileContextProvider:
    """A `ContextProvider` over the folder that holds the domains (catalog specification).

    `max_files` is the file budget. `sees` decides by path below the root whether a file counts (by default, every
    file does). `counter` (a counter or its name, o200k_base by default) counts the tokens of returned content.
    Problems go to `on_notice`, by default to the logger `ctxtui`. No method raises for problems, nor for a domain,
    file, reference or query of the wrong type. The constructor raises TypeError for arguments of the wrong type,
    ValueError for a negative `max_files`.
    """

    def __init__(
        self,
        root: str | os.PathLike[str],
        *,
        max_files: int = 6,
        counter: TokenCounter | str | None = None,
        on_notice: OnNotice | None = None,
        sees: Callable[[str], bool] | None = None,
    ) -> None:
        self._library = Library(a_path(root, "root"), a_function(sees, "sees"))
        self.root = self._library.root.path
        self.max_files = a_number(max_files, "max_files")
        self._counter = get_counter() if counter is None else a_counter(counter)
        self.on_notice: OnNotice = a_function(on_notice, "on_notice") or log_notice
        self._indexes: dict[str | None, tuple[Hashable, SearchIndex]] = {}
        self._files = CatalogFiles(self._library, lambda notice: self.on_notice(notice))

    def domains(self) -> list[str]:
        """The folders that contain Markdown files, regardless of the domain in their metadata."""
        return self._library.domains()

    def get_catalog(self, domain: str | None = None) -> list[ContextCatalogEntry]:
        """Every file of a domain, or of all, by its metadata (catalog specification 1). Bodies are not read.

        Top-level files are navigation.
        """
        return [metadata.entry for metadata in self._files.metadata(domain, tell=True)]

    def get_domain_index(self, domain: str) -> DomainIndex:
        """The domain's files with purposes, workflows and detection hints (method 2)."""
        if not self._files.is_domain(domain):
            return DomainIndex(domain if isinstance(domain, str) else "")
        files = {metadata.file.name: metadata for metadata in self._files.metadata(domain)}
        if not files:
            return DomainIndex(domain)
        index = self._files.document(domain, INDEX)
        if index is None:
            message = "the domain has no index; its files are listed by their own metadata"
            self.on_notice(Notice("no-domain-index", message, f"{domain}/{INDEX}.md"))
        if INDEX in files:
            self._files.tell(files[INDEX].notices)
        documents = index, self._files.read("", INDEX)
        return read_index(domain, files, documents, self._files.resolver(domain), self.on_notice)

    def get_loading_protocol(self) -> LoadingProtocol:
        """The five steps, the budget and the priorities of `loading_protocol.md` (method 3)."""
        document = self._files.read("", _PROTOCOL)
        if document is None:
            self._files.report_root()
        return read_protocol(document, self.max_files, self.on_notice)

    def get_always_load_files(self, domain: str) -> list[ContextFile]:
        """The files marked `always` in the file or in the domain's index, never the index itself (method 4)."""
        return load_all(self, self.choose_always(domain))

    def detect_project_type(self, domain: str, signals: DetectionSignals) -> DetectionResult:
        """Detect the kind of a project by the domain's `context_detection.md` (method 5), with an explanation.

        If its tables name no files, the matching files of the index's matrices are recommended.
        """
        if not self._files.is_domain(domain) or not is_a(DetectionSignals, signals, "signals", self.on_notice):
            return DetectionResult()
        document = self._files.read(domain, DETECTION_FILE)
        if document is None:
            message = f"{domain} has no detection file; nothing is detected"
            self.on_notice(Notice("no-detection-file", message, f"{domain}/{DETECTION_FILE}.md"))
            return DetectionResult()
        resolver = self._files.resolver(domain)
        path = document.path
        rules = read_rules(
            document, resolver, lambda missing, line: report_missing(missing, path, line, self.on_notice)
        )
        hints = [] if rules.name_files else self._files.hints(domain, resolver)
        fixed = {choice.id for choice in self.choose_always(domain)} if hints else set()
        # No id names a file such as `x.md.md`.
        names = (name for name in sorted(resolver.names.get(domain, ())) if not name.endswith(".md"))
        file_ids = [file_id(domain, name) for name in names]
        return detection.detect(domain, rules, signals, hints, [id_ for id_ in file_ids if id_ not in fixed])

    def get_conditional_context(self, domain: str, detection: DetectionResult) -> list[ContextFile]:
        """The recommended files (method 6), at most the file budget less the always files."""
        return load_conditional(self, self, domain, detection, self.on_notice)

    def get_cross_domain_context(self, domain: str, triggers: Sequence[str]) -> list[ContextFile]:
        """The files that `cross_domain.md` names for the triggers (method 7).

        A relevance of 0.8 or more always loads, from 0.5 within a file budget of its own, below 0.5 never.
        """
        return load_cross_domain(self, self, domain, triggers, self.on_notice)

    def get_reference(self, domain: str, file: str) -> ContextReference | None:
        """A file's metadata (method 8), from intact frontmatter alone. None with a notice for an unknown file."""
        found = self._files.file_metadata(domain, file) if isinstance(domain, str) and isinstance(file, str) else None
        if found is None:
            self.on_notice(Notice("unknown-file", f"there is no {file} in {domain}", f"{domain}/{file}.md"))
            return None
        self._files.tell(found.notices)
        return found.reference

    def materialize(self, reference: ContextReference) -> ContextFile:
        """The whole body without frontmatter, its tokens counted (method 9), empty if the file is gone."""
        if not is_a(ContextReference, reference, "a reference", self.on_notice):
            return ContextFile("", "", "", 0, {})
        document, metadata = self._files.opened(reference)
        if document is None:
            return ContextFile(reference.id, reference.title, "", 0, {})
        content = document.body
        title = metadata.reference.title if metadata else reference.title
        values = metadata.values if metadata else {}
        return ContextFile(reference.id, title, content, self._counter.count(content), values)

    def materialize_sections(self, reference: ContextReference, sections: Sequence[str]) -> PartialContextFile:
        """The named sections with their exact text (method 10). A name without a heading is a notice."""
        if not is_a(ContextReference, reference, "a reference", self.on_notice):
            return PartialContextFile("", "", (), 0, {})
        is_a(Iterable, sections, "sections", self.on_notice)
        document, metadata = self._files.opened(reference)
        if document is None:
            return PartialContextFile(reference.id, reference.title, (), 0, {})
        declared = {match_key(section.name): section.name for section in reference.sections}
        found = tuple(
            SectionContent(declared.get(match_key(name), part.name), document.text[part.start : part.end])
            for name, part in find_sections(document, text_list(sections), self.on_notice)
        )
        units = sum(self._counter.units(section.content) for section in found)
        values = metadata.values if metadata else {}
        return PartialContextFile(reference.id, reference.title, found, self._counter.total(units), values)

    def search(self, query: str, domain: str | None = None) -> list[SearchResult]:
        """Files by tags, section keywords, titles and detection triggers, best first (method 11)."""
        is_known = domain is None or self._files.is_domain(domain)
        if not is_known or not is_a(str, query, "a query", self.on_notice):
            return []
        version, known = self._library.fingerprint(domain), self._indexes.get(domain)
        if known is None or known[0] != version:
            found = self._files.metadata(domain, tell=True)
            known = self._indexes[domain] = version, SearchIndex([each.reference for each in found])
        return known[1].search(query)

    def choose_always(self, domain: str) -> list[Choice]:
        """The files that step 2 loads, each with its reason."""
        if not self._files.is_domain(domain):
            return []
        files = {metadata.file.name: metadata for metadata in self._files.metadata(domain)}
        listed = listed_files(files.get(INDEX))
        for name in listed:
            if name not in files and listed[name].strategy == "always":
                message = f"the index lists {name}.md, which does not exist"
                self.on_notice(Notice("missing-target", message, f"{domain}/{INDEX}.md"))
        return choosing.always(files, listed, f"{domain}/{INDEX}.md")

    def choose_conditional(self, domain: str, detection: DetectionResult) -> list[Choice]:
        """The files that step 4 would load without a budget. A recommended file that does not exist is a notice."""
        if not self._files.is_domain(domain) or not is_a(DetectionResult, detection, "a detection", self.on_notice):
            return []
        return [choice for choice in choosing.conditional(detection) if self._files.exists(choice.id)]

    def choose_cross_domain(self, domain: str, triggers: Sequence[str]) -> list[Choice]:
        """The files that step 5 would load without a budget, with relevance, in the order of the priority rules."""
        is_known = self._files.is_domain(domain)
        if not is_known or not triggers or not is_a(Iterable, triggers, "triggers", self.on_notice):
            return []
        document = self._files.read("", _CROSS_DOMAIN)
        if document is None:
            message = "there is no table of cross-domain triggers; none are followed"
            self.on_notice(Notice("no-cross-domain", message, f"{_CROSS_DOMAIN}.md"))
            return []
        rows = cross_domain.read_rows(document)
        listed = text_list(triggers)
        return cross_domain.match_rows(rows, self._files.resolver(domain), listed, document, self.on_notice)

    def version(self, domain: str | None = None, file: str | None = None) -> Hashable:
        """A value that changes with a file, a domain or the catalog, None for an unknown file. Reads no file."""
        if domain is not None and file is not None:
            found = self._library.file(domain, file)
            return found.stamp if found else None
        return self._library.fingerprint(domain)

    def forget(self) -> None:
        """Drop every cached value."""
        self._library.forget()
        self._indexes.clear()
        self._files.forget()
