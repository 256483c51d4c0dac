"""The view of a project that rules share: one snapshot, with each fact computed once on demand."""

from __future__ import annotations

import posixpath
import re
from collections.abc import Callable, Iterator, Sequence
from functools import cached_property
from itertools import product, takewhile
from threading import Event

from ctxtui.agents import Agent, AgentContext, Chain, Charge, audit_agents, longest_chains
from ctxtui.agents.project.base import is_above
from ctxtui.agents.project.files import Files
from ctxtui.agents.project.paths import Index
from ctxtui.agents.types import AT_START, LISTED
from ctxtui.audit.cached.disk_facts import DiskFacts
from ctxtui.audit.costs import context_of
from ctxtui.audit.roles import (
    SKILL,
    is_fixture,
    is_for_people,
    is_locked,
    is_prose,
    is_record,
    is_sample,
    is_vendored,
    language_of,
    locked_skills,
    skill_folder,
)
from ctxtui.audit.shared import FileFacts, Shared, find_shared
from ctxtui.audit.text.facts import Facts, facts_of, known_facts
from ctxtui.audit.types import Finding, Settings
from ctxtui.core.base.batches import grouped
from ctxtui.core.base.errors import ContextError
from ctxtui.core.base.notices import Notice
from ctxtui.core.documents.listing import AGENTS
from ctxtui.core.documents.reader import unreadable
from ctxtui.core.text.markdown.document import Document
from ctxtui.core.text.markdown.scan import is_markdown
from ctxtui.core.text.metadata.reference import Reference
from ctxtui.core.tokens.by_name import get_counter
from ctxtui.core.tokens.counter import DEFAULT_TOKENIZER, TokenCounter
from ctxtui.workspace.opening.ancestors import is_in_repository
from ctxtui.workspace.workspace import Workspace

LEAST_SHARED = 20
"""The least tokens of shared text that make two files near copies."""

# Characters at the top of a file that are searched for metadata keys.
_BEGINNING = 128 * 1024
_CODE_SPAN = re.compile(r"`([\w./-]+)`")


class Audited:
    """A project under audit. Content never raises. Unreadable files become `notices`.

    A rule takes all paths from `listed`, and `exists` asks the disk, too. Of context files, `facts` gives all,
    `prose` those that models read as instructions, `instructions` the project's own texts for agents, `by_real_path`
    one. `ever_read`, `read_unasked` and `always_read` are the paths of files that an agent reads, `readers` has the
    agents of each path, `loaded` the real paths for each agent.
    """

    def __init__(
        self,
        workspace: Workspace,
        counter: TokenCounter | None = None,
        settings: Settings | None = None,
        stop: Event | None = None,
    ) -> None:
        self.workspace = workspace
        self.counter = counter or get_counter(DEFAULT_TOKENIZER)
        self.settings = settings or Settings()
        self.notices: dict[Notice, None] = {}
        self.stop = stop
        self._counts: dict[str, int] = {"": 0}
        self._skills: dict[str, str | None] = {}

    @property
    def is_stopped(self) -> bool:
        return self.stop is not None and self.stop.is_set()

    @property
    def measured(self) -> str:
        """The way in which tokens were counted, as evidence: `counted with NAME` or `estimated for NAME`."""
        return f"counted with {self.counter.name}" if self.counter.exact else f"estimated for {self.counter.name}"

    @property
    def table(self) -> tuple[Agent, ...] | None:
        """The agents to look for, or None for the packaged table."""
        return self.workspace.scope.table if self.settings.table is None else self.settings.table

    @cached_property
    def paths(self) -> tuple[str, ...]:
        """Every path where an agent may look for a file, including paths that git ignores."""
        scope = self.workspace.scope
        if self.table == scope.table or scope.include or scope.exclude:
            return self.workspace.paths
        return tuple(file.path for file in self.disk.walker().walk(scope.with_ignored))

    @cached_property
    def disk(self) -> DiskFacts:
        """Lookups of paths that the scan does not list."""
        return DiskFacts(self.workspace, self.table)

    @cached_property
    def listed(self) -> frozenset[str]:
        """All of `paths`."""
        return self.disk.listed if self.paths is self.workspace.paths else frozenset(self.paths)

    @cached_property
    def index(self) -> Index:
        return Index(self.paths)

    @cached_property
    def by_name(self) -> dict[str, list[str]]:
        """Paths by file name."""
        return grouped((posixpath.basename(path), path) for path in self.paths)

    @cached_property
    def by_lower_name(self) -> dict[str, list[str]]:
        """Paths by file name in lower case."""
        return grouped((posixpath.basename(path).lower(), path) for path in self.paths)

    @cached_property
    def by_folder(self) -> dict[str, list[str]]:
        """Paths by folder, the root being empty."""
        return grouped((posixpath.dirname(path), path) for path in self.paths)

    def exists(self, path: str) -> bool:
        """Whether a path is listed or on disk."""
        return path in self.listed or self.disk.exists(path)

    @cached_property
    def unlisted(self) -> tuple[str, ...] | None:
        """Every path on disk below the root that is not in `paths`, or None if there are too many."""
        every = self.disk.all_paths
        return None if every is None else tuple(path for path in every if path not in self.listed)

    def is_made_later(self, path: str) -> bool:
        """Whether git ignores a path. A missing file there may be built, installed or personal."""
        return self.disk.is_made_later(path)

    @cached_property
    def agents(self) -> tuple[AgentContext, ...]:
        """The context of each detected agent."""
        return self.contexts(self.paths, self.received_text, self.received_tokens)

    def contexts(
        self,
        paths: Sequence[str],
        read: Callable[[str], str | None],
        count_file: Callable[[str], int | None],
        real: Callable[[str], str] | None = None,
    ) -> tuple[AgentContext, ...]:
        """The context of each detected agent for other `paths`. Functions give their text, tokens and real path."""
        settings, above = self.settings, self.workspace.above
        return audit_agents(
            (*paths, *above.paths),
            read,
            self.count,
            count_file=count_file,
            real=real or self.real,
            cwd=settings.cwd,
            base=above.base.folder,
            window=settings.window,
            table=self.table,
            home=self.workspace.home.at,
            is_repository=is_in_repository(self.workspace.root),
            top=settings.top,
        )

    @cached_property
    def chains(self) -> tuple[Chain, ...]:
        """The start folder with most bytes of instructions for each agent, unless the root has as many."""
        above, is_repository = self.workspace.above, is_in_repository(self.workspace.root)
        paths, base = (*self.paths, *above.paths), above.base.folder
        return longest_chains(paths, self.text, self.table, base, is_repository, self.real)

    @cached_property
    def files(self) -> Files:
        """The files of the project, above it and of the user, as agents receive them."""
        return Files(self.received_text, self.listed.union(self.workspace.above.paths, self.workspace.home.at.paths))

    @cached_property
    def loaded(self) -> dict[str, frozenset[str]]:
        """The real paths that an agent loads at any moment, by agent id."""
        return {
            context.agent.id: frozenset(self.real(each.path) for each in context.charges if each.moment != "never")
            for context in self.agents
        }

    @cached_property
    def loaded_by_any(self) -> frozenset[str]:
        """The real paths that any agent loads at any moment."""
        return frozenset().union(*self.loaded.values())

    @cached_property
    def readers(self) -> dict[str, dict[str, bool]]:
        """For each path the agents that read the file in full, by id, and whether they do so at the start."""
        readers: dict[str, dict[str, bool]] = {}
        for context, charge in self.real_charges():
            if charge.moment not in ("never", "reference"):
                agents = readers.setdefault(charge.path, {})
                agents[context.agent.id] = agents.get(context.agent.id, False) or charge.moment in AT_START
        return readers

    @cached_property
    def references(self) -> tuple[Reference, ...]:
        """The context files: those of a source, and plain files that an agent loads."""
        return tuple(context_of(self.workspace.references, self.agents))

    @cached_property
    def real_agents(self) -> tuple[AgentContext, ...]:
        """The detected agents, without those whose files only work once they are installed elsewhere."""
        return tuple(context for context in self.agents if not context.agent.installable)

    def real_charges(self, *moments: str) -> Iterator[tuple[AgentContext, Charge]]:
        """The charges of real agents at some moments or at all, in loading order, each with its context."""
        for context in self.real_agents:
            for charge in context.at(*moments) if moments else context.charges:
                yield context, charge

    @cached_property
    def by_real_path(self) -> dict[str, FileFacts]:
        """Each readable context file by its real path: its reference and its facts."""
        return {self.real(reference.path): (reference, facts) for reference, facts in self.facts()}

    @cached_property
    def shared_at_start(self) -> dict[str, tuple[Shared, ...]]:
        """Text that one agent reads in full from two files at the start, by agent id."""
        compared: dict[tuple[str, ...], tuple[Shared, ...]] = {}
        found: dict[str, tuple[Shared, ...]] = {}
        for context in self.real_agents:
            paths = tuple(sorted({self.real(charge.path) for charge in context.at(*AT_START) if charge.tokens}))
            # Several agents often read the same files.
            if paths not in compared:
                files = [self.by_real_path[path] for path in paths if path in self.by_real_path]
                compared[paths] = self.shared(files, LEAST_SHARED)
            found[context.agent.id] = compared[paths]
        return found

    def shared(self, files: Sequence[FileFacts], least: int) -> tuple[Shared, ...]:
        """The pairs of `files` that share text in blocks of at least `least` tokens."""
        return tuple(find_shared(files, least, self.count, self.text))

    def is_about(self, finding: Finding) -> bool:
        """Whether a finding is about the project, or about an ancestor file that an agent reads at the start.

        Findings about user files never are.
        """
        if finding.path in self.workspace.home.versions:
            return False
        return finding.path is None or not is_above(finding.path) or finding.path in self._above_at_start

    @cached_property
    def _above_at_start(self) -> frozenset[str]:
        return frozenset(each.path for _, each in self.real_charges() if each.start_tokens and is_above(each.path))

    @cached_property
    def _loaded_or_shipped(self) -> frozenset[str]:
        contexts = (context for context in self.agents if context.packages or not context.agent.installable)
        return frozenset(
            self.real(charge.path) for context in contexts for charge in context.charges if charge.moment != "never"
        )

    def is_for_agents(self, path: str) -> bool:
        """Whether a file is part of a skill for agents. Files outside of skills count as such.

        A skill is for agents if one reads it, a manifest ships it, or it is in `skills`. Others may be for a product.
        """
        skill = self.skill_of(path)
        return skill is None or path.startswith("skills/") or self.real(f"{skill}/{SKILL}") in self._loaded_or_shipped

    def is_read_here(self, reference: Reference) -> bool:
        """Whether agents read a file before it is installed elsewhere. Files of other sources count as read."""
        paths = set(map(self.real, reference.paths))
        return reference.source != AGENTS or any(paths & self.loaded[each.agent.id] for each in self.real_agents)

    def is_vendored(self, path: str) -> bool:
        """Whether this project does not edit a file, because it is vendored or part of an installed skill."""
        return is_vendored(path) or is_locked(self.skill_of(path) or "", self._locked)

    @cached_property
    def _locked(self) -> frozenset[tuple[str, str]]:
        return locked_skills(self.paths, self.text)

    def skill_of(self, path: str) -> str | None:
        """The folder of the skill that contains a file, or None."""
        folder = posixpath.dirname(path)
        if folder not in self._skills:
            self._skills[folder] = skill_folder(path, self.listed)
        return self._skills[folder]

    @cached_property
    def always_read(self) -> frozenset[str]:
        """The paths of files that an agent reads at its start, without the memory that it writes itself."""
        return frozenset(charge.path for _, charge in self.real_charges(*AT_START) if charge.row.kind != "memory")

    @cached_property
    def read_unasked(self) -> frozenset[str]:
        """The paths of files that an agent reads at its start or when it touches a matching file."""
        return self.always_read | {charge.path for _, charge in self.real_charges("touch")}

    @cached_property
    def ever_read(self) -> frozenset[str]:
        """The paths of files that an agent reads at any moment."""
        return self.read_unasked | {charge.path for _, charge in self.real_charges("manual", *LISTED)}

    def instructions(self) -> Iterator[Reference]:
        """The project's own texts that agents read, and those that these name: no copies, samples, translations."""
        read = self.ever_read
        own = (each for each, _ in self.prose() if each.source == AGENTS and not read.isdisjoint(each.paths))
        for reference in (*own, *self._named):
            path = reference.path
            if not (self.is_vendored(path) or is_fixture(path) or is_sample(path) or language_of(path)):
                yield reference

    @cached_property
    def _named(self) -> tuple[Reference, ...]:
        """The Markdown files that texts for agents name in links and code spans, and no agent reads by itself.

        Records of the past and plans are left out, because they name what is gone or not there yet.
        """
        found, start = dict[str, Reference](), self.read_unasked
        for naming, facts in (each for each in self.facts() if not start.isdisjoint(each[0].paths)):
            targets = (target.partition("#")[0] for target in facts.targets)
            written = (*_CODE_SPAN.findall(self.text(naming.path) or ""), *targets)
            for base, name in product((posixpath.dirname(naming.path), ""), filter(is_markdown, written)):
                place = posixpath.normpath(posixpath.join(base, name))
                reference = None if is_record(place) else self.workspace.by_path.get(place)
                if reference is not None and self.ever_read.isdisjoint(reference.paths):
                    found[place] = reference
        return tuple(found.values())

    def prose(self) -> Iterator[tuple[Reference, Facts]]:
        """The Markdown files that models read as instructions, with their facts. Licenses and assets are left out."""
        return ((reference, facts) for reference, facts in self.facts() if self.is_prose(reference))

    def is_prose(self, reference: Reference) -> bool:
        skill = self.skill_of(reference.path) if reference.source == AGENTS else None
        if is_prose(reference.path, skill):
            return True
        # Text for people counts if the skill sends the model to it.
        named = skill is not None and is_markdown(reference.path) and is_for_people(reference.path)
        return named and posixpath.basename(reference.path) in (self.text(f"{skill}/{SKILL}") or "")

    def facts(self) -> Iterator[tuple[Reference, Facts]]:
        """All readable context files with their facts. Ends early if the audit is stopped."""
        return takewhile(lambda _: not self.is_stopped, self._references_with_facts)

    @cached_property
    def _references_with_facts(self) -> list[FileFacts]:
        found, reader = list[FileFacts](), self.workspace.reader
        for reference in takewhile(lambda _: not self.is_stopped, self.references):
            entry = reader.known_entry(reference, self.counter)
            known = known_facts(entry.digest, reader.cache) if entry else None
            try:
                found.append((reference, known or facts_of(self.workspace.document(reference), reader.cache)))
            except ContextError as error:
                self.note_unreadable(error, reference.path)
        return found

    def document(self, reference: Reference) -> Document | None:
        """The document of a reference, or None, with a notice, if it is unreadable."""
        try:
            return self.workspace.document(reference)
        except ContextError as error:
            self.note_unreadable(error, reference.path)
            return None

    def note_unreadable(self, error: ContextError, path: str) -> None:
        self.notices[unreadable(path, error)] = None

    def text(self, path: str) -> str | None:
        """The text of a file, or None if it is unreadable, with a notice for a file of the scan."""
        reference = self.workspace.by_path.get(path)
        if reference is None:
            return self.disk.text(path)
        document = self.document(reference)
        return document.text if document else None

    def line_of(self, path: str, *keys: str) -> int:
        """The first line, from 1, near the top of a file that begins with a key and a colon, or 1 if none does."""
        text = (self.text(path) or "")[:_BEGINNING]
        match = re.search(rf"^(?:{'|'.join(map(re.escape, keys))})[ \t]*:", text, re.MULTILINE)
        return text.count("\n", 0, match.start()) + 1 if match else 1

    def tokens(self, path: str) -> int | None:
        """The tokens of a whole file, or None if it is unreadable."""
        reference = self.workspace.by_path.get(path)
        if reference is not None:
            return self.workspace.tokens_or_none(reference, self.counter)
        text = self.text(path)
        return None if text is None else self.count(text)

    def count(self, text: str) -> int:
        """The tokens of a text, cached."""
        if text not in self._counts:
            self._counts[text] = self.workspace.reader.count(text, self.counter)
        return self._counts[text]

    def received_text(self, path: str) -> str | None:
        """The text of a file as agents receive it, with any byte order mark, or None if it is unreadable."""
        return self.workspace.text_for_agents(path) if self.workspace.begins_with_mark(path) else self.text(path)

    def received_tokens(self, path: str) -> int | None:
        """The tokens of a file as agents receive it, or None if it is unreadable."""
        text = self.received_text(path) if self.workspace.begins_with_mark(path) else None
        return self.tokens(path) if text is None else self.count(text)

    def real(self, path: str) -> str:
        """The path without links."""
        return self.disk.real(path)

    def real_if_listed(self, path: str) -> str:
        """The real path if it is in `listed`, else the path itself."""
        real = self.real(path)
        return real if real in self.listed else path
