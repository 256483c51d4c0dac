"""What the rules of an audit look at: one snapshot of a project; each fact about it is computed once, on demand."""

from __future__ import annotations

import posixpath
import re
from collections.abc import Callable, Iterator, Sequence
from functools import cached_property, partial
from itertools import takewhile
from threading import Event

from ctxtui.agents import Agent, AgentContext, Chain, audit_agents, longest_chains
from ctxtui.agents.base import is_above
from ctxtui.agents.files import Files
from ctxtui.agents.paths import Index
from ctxtui.agents.types import AT_START
from ctxtui.audit.beyond import Beyond
from ctxtui.audit.costs import context_of
from ctxtui.audit.known_shared import known_shared
from ctxtui.audit.locked import is_locked, locked_skills
from ctxtui.audit.roles import SKILL, is_for_people, is_prose, is_vendored, skill_folder
from ctxtui.audit.shared import Held, Shared
from ctxtui.audit.text.facts import Facts
from ctxtui.audit.text.known_facts import facts_of, known_facts
from ctxtui.audit.types import Finding, Settings
from ctxtui.core.base.errors import ContextError
from ctxtui.core.base.notices import Notice
from ctxtui.core.text.markdown.document import Document
from ctxtui.core.text.markdown.scan import is_markdown
from ctxtui.core.text.metadata.reference import Reference
from ctxtui.core.tokens.by_name import get_counter
from ctxtui.core.tokens.counter import DEFAULT_TOKENIZER, TokenCounter
from ctxtui.workspace.opening.ancestors import is_in_repository
from ctxtui.workspace.workspace import Workspace

AGENTS = "agents"
"""The source of the files that coding agents load."""

# Short enough to find files that are nearly equal, long enough to mean something.
TWICE = 20
# Characters at the top of a file that are searched for metadata keys.
_BEGINNING = 128 * 1024


class Audited:
    """A project under audit; nothing here raises for content: files that cannot be read are in `notices`."""

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
        self._held: list[Held] | None = None

    @property
    def is_stopped(self) -> bool:
        """Whether the audit was asked to stop."""
        return self.stop is not None and self.stop.is_set()

    @property
    def measured(self) -> str:
        """How the tokens were counted, for evidence."""
        return f"counted with {self.counter.name}" if self.counter.exact else f"estimated for {self.counter.name}"

    @property
    def table(self) -> tuple[Agent, ...] | None:
        """The agents to look for; None for the packaged ones."""
        return self.workspace.scope.table if self.settings.table is None else self.settings.table

    @cached_property
    def paths(self) -> tuple[str, ...]:
        """Every path of the project that an agent may look for, listed or not."""
        scope = self.workspace.scope
        if self.table == scope.table or scope.include or scope.exclude:
            return self.workspace.paths
        return tuple(file.path for file in self.beyond.walker().walk(scope.with_ignored))

    @cached_property
    def beyond(self) -> Beyond:
        """What was looked at besides the files that the scan knows."""
        return Beyond(self.workspace, self.table)

    @cached_property
    def known(self) -> frozenset[str]:
        """These paths as a set."""
        return self.beyond.listed if self.paths is self.workspace.paths else frozenset(self.paths)

    @cached_property
    def index(self) -> Index:
        """The same paths as agents look for them."""
        return Index(self.paths)

    @cached_property
    def by_name(self) -> dict[str, list[str]]:
        """The paths of the project by the name of the file."""
        named: dict[str, list[str]] = {}
        for path in self.paths:
            named.setdefault(posixpath.basename(path), []).append(path)
        return named

    @cached_property
    def by_folded(self) -> dict[str, list[str]]:
        """The paths of the project by the name of the file in lower case."""
        named: dict[str, list[str]] = {}
        for path in self.paths:
            named.setdefault(posixpath.basename(path).lower(), []).append(path)
        return named

    def exists(self, path: str) -> bool:
        """Whether a file or folder exists at a path of the project, listed or not."""
        return path in self.known or self.beyond.exists(path)

    @property
    def all_paths(self) -> tuple[str, ...] | None:
        """Every path on disk below the root, ignored ones included; None if there are too many to list."""
        return self.beyond.all_paths

    @cached_property
    def unlisted(self) -> tuple[str, ...] | None:
        """As `all_paths`, without those that an agent may load."""
        every, known = self.all_paths, frozenset(self.paths)
        return None if every is None else tuple(path for path in every if path not in known)

    def is_made_later(self, path: str) -> bool:
        """Whether git ignores a path: what does not exist there yet may be installed, built or personal."""
        return self.beyond.is_made_later(path)

    @cached_property
    def agents(self) -> tuple[AgentContext, ...]:
        """What every agent found loads from the project."""
        return self.contexts(self.paths, partial(got, self), partial(got_tokens, self))

    def contexts(
        self, paths: Sequence[str], read: Callable[[str], str | None], count_file: Callable[[str], int | None]
    ) -> tuple[AgentContext, ...]:
        """What every agent found would load from files with these paths, texts and tokens."""
        settings, above = self.settings, self.workspace.above
        return audit_agents(
            (*paths, *above.paths),
            read,
            self.count,
            count_file=count_file,
            real=self.real,
            cwd=settings.cwd,
            base=above.base.folder,
            window=settings.window,
            table=self.table,
            home=self.workspace.home.at,
            is_repository=is_in_repository(self.workspace.root),
        )

    @cached_property
    def chains(self) -> tuple[Chain, ...]:
        """Where agents start with more instructions than in the project's folder, and how many bytes they are."""
        above, is_repository = self.workspace.above, is_in_repository(self.workspace.root)
        return longest_chains((*self.paths, *above.paths), self.text, self.table, above.base.folder, is_repository)

    @cached_property
    def files(self) -> Files:
        """The files as agents read them, with their metadata."""
        return Files(partial(got, self), self.known.union(self.workspace.above.paths, self.workspace.home.at.paths))

    @cached_property
    def loaded(self) -> dict[str, frozenset[str]]:
        """The real paths of the files that an agent loads at any moment, by agent id."""
        return {
            context.agent.id: frozenset(self.real(each.path) for each in context.charges if each.moment != "never")
            for context in self.agents
        }

    @cached_property
    def references(self) -> tuple[Reference, ...]:
        """The context files."""
        return tuple(context_of(self.workspace.references, self.agents))

    @cached_property
    def real_agents(self) -> tuple[AgentContext, ...]:
        """The agents that work in this project, without the one that stands for skills to install."""
        return tuple(context for context in self.agents if not context.agent.installable)

    @cached_property
    def held(self) -> dict[str, Held]:
        """The context files with their facts by real path, read once."""
        return {self.real(reference.path): (reference, facts) for reference, facts in self.facts()}

    @cached_property
    def shared_at_start(self) -> dict[str, tuple[Shared, ...]]:
        """The text shared by files that one agent reads in full at its start, by agent id."""
        compared: dict[tuple[str, ...], tuple[Shared, ...]] = {}
        for context in self.real_agents:
            paths = _at_start(context, self.real)
            if paths not in compared:
                compared[paths] = self.shared([self.held[path] for path in paths if path in self.held], TWICE)
        return {context.agent.id: compared[_at_start(context, self.real)] for context in self.real_agents}

    def shared(self, held: Sequence[Held], least: int) -> tuple[Shared, ...]:
        """The text that context files share, in blocks of at least `least` tokens; kept until a file changes."""
        versions = tuple((reference.path, reference.stamp) for reference, _ in held)
        found: tuple[Shared, ...] = self.workspace.reader.derived.get(
            ("shared", versions, self.counter, least),
            lambda: known_shared(
                held, least, self.counter, self.workspace.reader.cache, count=self.count, read=self.document
            ),
        )
        return found

    def is_about(self, finding: Finding) -> bool:
        """Whether a finding is about the project, or about a file above it that an agent reads at its start.

        Never about the user's own files at home.
        """
        if finding.path in self.workspace.home.versions:
            return False
        return finding.path is None or not is_above(finding.path) or finding.path in self._above_at_start

    @cached_property
    def _above_at_start(self) -> frozenset[str]:
        charges = (charge for context in self.real_agents for charge in context.charges)
        return frozenset(charge.path for charge in charges if charge.start_tokens and is_above(charge.path))

    def is_at_home(self, reference: Reference) -> bool:
        """Whether agents read a file in this project, not only after someone installs it."""
        paths = set(map(self.real, reference.paths))
        return reference.source != AGENTS or any(paths & self.loaded[each.agent.id] for each in self.real_agents)

    def is_vendored(self, path: str) -> bool:
        """Whether this project does not edit a file: it is in a folder for such files, or in an installed skill."""
        return is_vendored(path) or is_locked(self.skill_of(path) or "", self._locked)

    @cached_property
    def _locked(self) -> frozenset[tuple[str, str]]:
        return locked_skills(self.paths, self.text)

    def skill_of(self, path: str) -> str | None:
        """The folder of the skill that a file belongs to."""
        folder = posixpath.dirname(path)
        if folder not in self._skills:
            self._skills[folder] = skill_folder(path, self.known)
        return self._skills[folder]

    def prose(self) -> Iterator[tuple[Reference, Facts]]:
        """The facts of every context file that is Markdown for the model: no scripts, assets, licenses."""
        return ((reference, facts) for reference, facts in self.facts() if self._is_prose(reference))

    def _is_prose(self, reference: Reference) -> bool:
        skill = self.skill_of(reference.path) if reference.source == AGENTS else None
        if is_prose(reference.path, skill):
            return True
        # Text written for people counts if the skill sends the model there.
        named = skill is not None and is_markdown(reference.path) and is_for_people(reference.path)
        return named and posixpath.basename(reference.path) in (self.text(f"{skill}/{SKILL}") or "")

    def facts(self) -> Iterator[tuple[Reference, Facts]]:
        """The facts of every context file that can be read, until stopped."""
        if self._held is not None:
            yield from takewhile(lambda _: not self.is_stopped, self._held)
            return
        derived, held = self.workspace.reader.derived, list[Held]()
        for reference in self.references:
            if self.is_stopped:
                return
            key = ("audit", reference.path, reference.stamp)
            try:
                facts: Facts = derived.get(key, partial(self._facts, reference))
            except ContextError as error:
                self.tell(error, reference.path)
                continue
            held.append((reference, facts))
            yield held[-1]
        self._held = held

    def _facts(self, reference: Reference) -> Facts:
        reader = self.workspace.reader
        entry = reader.known(reference, self.counter)
        known = known_facts(entry.digest, reader.cache) if entry else None
        return known or facts_of(self.workspace.document(reference), reader.cache)

    def document(self, reference: Reference) -> Document | None:
        """The document of a reference; None, with a notice, if it cannot be read."""
        try:
            return self.workspace.document(reference)
        except ContextError as error:
            self.tell(error, reference.path)
            return None

    def tell(self, error: ContextError, path: str) -> None:
        """Record why a file could not be read."""
        self.notices[Notice("unreadable-file", error.message, path)] = None

    def text(self, path: str) -> str | None:
        """The text of a file by its path; None if it cannot be read."""
        reference = self.workspace.by_path.get(path)
        if reference is None:
            return self.beyond.text(path)
        document = self.document(reference)
        return document.text if document else None

    def line_of(self, path: str, *keys: str) -> int:
        """The first line, from 1, near the top of a file that starts with one of some keys; 1 if none does."""
        text = (self.text(path) or "")[:_BEGINNING]
        match = re.search(rf"^(?:{'|'.join(map(re.escape, keys))})[ \t]*:", text, re.MULTILINE)
        return text.count("\n", 0, match.start()) + 1 if match else 1

    def tokens(self, path: str) -> int | None:
        """The tokens of a whole file; None if it cannot be read."""
        reference = self.workspace.by_path.get(path)
        try:
            if reference is not None:
                return self.workspace.tokens(reference, self.counter)
        except ContextError:
            return None
        text = self.text(path)
        return None if text is None else self.count(text)

    def count(self, text: str) -> int:
        """The tokens of a text; the same text is counted once."""
        if text not in self._counts:
            self._counts[text] = self.workspace.reader.count(text, self.counter)
        return self._counts[text]

    def real(self, path: str) -> str:
        """The real path of a file, resolved once."""
        return self.beyond.real(path)

    def home(self, path: str) -> str:
        """The path of the project's file that a link leads to; any other path unchanged."""
        real = self.real(path)
        return real if real in self.known else path


def got(audited: Audited, path: str) -> str | None:
    """The text of a file as agents get it; None if it cannot be read."""
    workspace = audited.workspace
    return workspace.as_agents_get(path) if workspace.is_marked(path) else audited.text(path)


def got_tokens(audited: Audited, path: str) -> int | None:
    """The tokens of a whole file as agents get it; None if it cannot be read."""
    text = got(audited, path) if audited.workspace.is_marked(path) else None
    return audited.tokens(path) if text is None else audited.count(text)


def _at_start(context: AgentContext, real: Callable[[str], str]) -> tuple[str, ...]:
    """The real paths of the files that an agent reads in full at the start, in alphabetical order."""
    return tuple(sorted({real(charge.path) for charge in context.at(*AT_START) if charge.tokens}))
