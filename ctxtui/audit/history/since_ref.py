"""Changes of context costs since a git ref, by file, section and agent start: two snapshots compared."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import pairwise
from typing import Final, Literal, NamedTuple

from ctxtui.agents import AgentContext
from ctxtui.agents.project.base import is_above
from ctxtui.audit.context import Audited
from ctxtui.audit.costs import Costs, Growth, context_of, growth, loaded_paths, start_costs
from ctxtui.audit.history.blobs import Blobs
from ctxtui.audit.history.old_tree import Past, Tree, sources_by_path, submodules
from ctxtui.audit.types import Settings
from ctxtui.core.base.notices import Notice, OnNotice, collecting, log_notice
from ctxtui.core.disk.content import Stamp
from ctxtui.core.disk.git.git import LINK, open_repository
from ctxtui.core.disk.open_at import exists
from ctxtui.core.documents.listing import PLAIN
from ctxtui.core.text.markdown.document import Document
from ctxtui.core.text.markdown.scan import is_markdown
from ctxtui.core.text.metadata.reference import Reference
from ctxtui.core.tokens.counter import TokenCounter
from ctxtui.core.tokens.spans import count_text
from ctxtui.workspace.listing import kept_by
from ctxtui.workspace.workspace import Workspace

# Sections are compared in this many files.
_DIVIDED: Final = 20

Kind = Literal["added", "removed", "changed", "moved"]


@dataclass(frozen=True, slots=True)
class SectionChange:
    """A changed section: its slug, and its tokens before and after without subsections, None if missing.

    The changes of all sections add up to the change of the file.
    """

    slug: str
    name: str
    before: int | None
    after: int | None

    @property
    def tokens(self) -> int:
        return (self.after or 0) - (self.before or 0)


@dataclass(frozen=True, slots=True)
class FileChange:
    """A changed context file: its tokens before and after, None where it is missing or no context file.

    `old_path` is set if it moved without a change. `sections` are set if they were compared.
    """

    path: str
    source: str
    before: int | None
    after: int | None
    old_path: str | None = None
    sections: tuple[SectionChange, ...] = ()

    @property
    def kind(self) -> Kind:
        if self.old_path:
            return "moved"
        return "added" if self.before is None else "removed" if self.after is None else "changed"

    @property
    def tokens(self) -> int:
        return (self.after or 0) - (self.before or 0)


def section_changes(path: str, before: str, after: str, counter: TokenCounter) -> tuple[SectionChange, ...]:
    """The changed frontmatter, preamble and sections of Markdown, in file order, removed ones last."""
    if not is_markdown(path):
        return ()
    old, new = _part_by_slug(path, before, counter), _part_by_slug(path, after, counter)
    both = ((slug, old.get(slug, _NO_PART), new.get(slug, _NO_PART)) for slug in dict.fromkeys([*new, *old]))
    return tuple(
        SectionChange(slug, now.name or was.name, was.tokens, now.tokens) for slug, was, now in both if was != now
    )


class _Part(NamedTuple):
    name: str
    text: str
    tokens: int | None


_NO_PART = _Part("", "", None)


def _part_by_slug(path: str, text: str, counter: TokenCounter) -> dict[str, _Part]:
    """The parts of a document without their subsections. Their tokens add up to those of the text."""
    document = Document(path, text, Stamp(0, 0, 0))
    counts = count_text(counter, text)
    ends = [counter.total(counts.before(counter, text, part.own_end)) for part in document.parts]
    sizes = [end - start for start, end in pairwise((0, *ends))]
    return {
        part.slug: _Part(part.name, document.own_text(part), tokens)
        for part, tokens in zip(document.parts, sizes, strict=True)
    }


class SnapshotPair:
    """Compares current files with those of an old commit. Files below `skipped` folders are left out."""

    def __init__(
        self, audited: Audited, agents: Sequence[AgentContext], blobs: Blobs, past: Past, skipped: Sequence[str]
    ) -> None:
        self._audited = audited
        self._workspace = audited.workspace
        self._agents = agents
        self._blobs = blobs
        self._past = past
        self._skipped = tuple(f"{folder}/" for folder in skipped)
        self._same: dict[str, bool] = {}
        known = {each.path: each.source for each in self._workspace.references}
        self._sources = sources_by_path(past.ids, known, audited.table) | known
        claimed = [path for path in past.ids if path in self._references_now or self._sources[path] != PLAIN]
        blobs.load(past.ids[path] for path in claimed)
        # Only differing contents need their text. One batch reads them.
        blobs.prepare(past.ids[path] for path in claimed if not self._is_identical(path))

    @cached_property
    def before(self) -> Costs:
        """The costs of the old context files, in scope.

        Of several links to a file only one counts: a path that is context now, else the real path. Paths of
        files on disk that the workspace does not list are left out.
        """
        loaded, root, here = loaded_paths(self.agents_before), self._workspace.root, self._workspace.by_path
        context = [
            path
            for path in self._old_paths()
            if (path in loaded or self._sources[path] != PLAIN) and (path in here or not exists(root / path))
        ]
        chosen = self._past.one_path_each(context, self._references_now)
        ids, old, now = self._past.ids, self._blobs.tokens, self._audited.tokens
        sizes = ((path, now(path) if self._is_same(path) else old(ids[path])) for path in context if path in chosen)
        return Costs(_known_sizes(sizes), start_costs(self.agents_before))

    @cached_property
    def after(self) -> Costs:
        sizes = ((path, self._audited.tokens(path)) for path in self._references_now)
        return Costs(_known_sizes(sizes), start_costs(self._agents))

    @cached_property
    def agents_before(self) -> tuple[AgentContext, ...]:
        """The context that agents loaded from the old files. Files outside the project count as they are now."""
        return self._audited.contexts(
            self._old_paths(),
            lambda path: self._workspace.text(path) if self._is_outside(path) else self._old_text(path),
            self._old_received_tokens,
            lambda path: self._workspace.real(path) if self._is_outside(path) else self._past.real(path),
        )

    def changes(self) -> list[FileChange]:
        """The changes of context files, largest first. The 20 largest ones of existing files have sections."""
        found = sorted(self._changes(), key=lambda change: (-abs(change.tokens), change.path))
        old, new, counter = self._blobs.plain_text, self._audited.text, self._audited.counter
        divided = [each.path for each in found if each.kind == "changed"][:_DIVIDED]
        texts = ((path, old(self._past.ids[path]), new(path) or "") for path in divided)
        sections = {path: section_changes(path, before, after, counter) for path, before, after in texts}
        return [replace(each, sections=sections.get(each.path, ())) for each in found]

    @cached_property
    def _references_now(self) -> dict[str, Reference]:
        context = context_of(self._workspace.references, self._agents)
        return {each.path: each for each in context if not each.path.startswith(self._skipped)}

    def _old_paths(self) -> list[str]:
        """The old commit's paths within the scope."""
        keeps = kept_by(self._workspace.scope, self._workspace.root)
        return [path for path in self._past.ids if keeps(path)]

    def _is_outside(self, path: str) -> bool:
        return is_above(path) or path in self._workspace.home.versions

    def _is_same(self, path: str) -> bool:
        """Whether a file is unchanged, apart from line ends converted at checkout."""
        if path not in self._workspace.by_path:
            return False
        if path not in self._same:
            is_same = self._is_identical(path)
            if not is_same:
                old, new = self._blobs.text(self._past.ids[path]), self._audited.received_text(path)
                is_same = old is not None and new is not None and _with_line_feeds(old) == _with_line_feeds(new)
            self._same[path] = is_same
        return self._same[path]

    def _is_identical(self, path: str) -> bool:
        entry = self._blobs.entry(self._past.ids[path])
        return entry is not None and entry.digest == self._digest_now(path)

    def _digest_now(self, path: str) -> bytes | None:
        reference = self._workspace.by_path.get(path)
        if reference is None or self._audited.tokens(path) is None:
            return None
        entry = self._workspace.reader.known_entry(reference, self._audited.counter)
        return entry.digest if entry else None

    def _old_text(self, path: str) -> str | None:
        return self._audited.received_text(path) if self._is_same(path) else self._blobs.text(self._past.ids[path])

    def _old_received_tokens(self, path: str) -> int | None:
        is_now = self._is_outside(path) or self._is_same(path)
        return self._audited.received_tokens(path) if is_now else self._blobs.received_tokens(self._past.ids[path])

    def _changes(self) -> Iterator[FileChange]:
        before, after = self.before.files, self.after.files
        gone = {path: tokens for path, tokens in before.items() if path not in after}
        came_from = self._moves(gone, [path for path in after if path not in before])
        for path, tokens in after.items():
            source = self._sources[path]
            if path in came_from:
                yield FileChange(path, source, gone.pop(came_from[path]), tokens, came_from[path])
            elif path not in before:
                yield FileChange(path, source, None, tokens)
            elif not self._is_same(path):
                yield FileChange(path, source, before[path], tokens)
        for path, tokens in gone.items():
            yield FileChange(path, self._sources[path], tokens, None)

    def _moves(self, gone: Iterable[str], came: Iterable[str]) -> dict[str, str]:
        """Map each path in `came` to a path in `gone` with the same content. An old path is used once."""
        places: dict[bytes, list[str]] = {}
        for path in gone:
            entry = self._blobs.entry(self._past.ids[path])
            if entry is not None and entry.counts.units:
                places.setdefault(entry.digest, []).append(path)
        moved = {}
        for path in came:
            left = places.get(self._digest_now(path) or b"")
            if left:
                moved[path] = left.pop(0)
        return moved


def _with_line_feeds(text: str) -> str:
    return text.replace("\r\n", "\n")


def _known_sizes(files: Iterable[tuple[str, int | None]]) -> dict[str, int]:
    return {path: tokens for path, tokens in files if tokens is not None}


@dataclass(frozen=True, slots=True)
class AgentChange:
    """An agent's start in tokens before and after, 0 if not detected, and the file that grew most."""

    agent: str
    name: str
    before: int
    after: int
    growth: Growth


@dataclass(frozen=True, slots=True)
class Since:
    """The difference between an old commit and the current files, committed or not.

    `base` is the commit where the branch left `ref`, or `ref` itself without shared history. `files` are sorted by
    change, largest first.
    """

    ref: str
    base: str
    before: Costs
    after: Costs
    files: tuple[FileChange, ...]
    agents: tuple[AgentChange, ...]
    notices: tuple[Notice, ...] = ()

    @property
    def tokens(self) -> int:
        return self.after.total - self.before.total


def since(
    workspace: Workspace,
    counter: TokenCounter,
    ref: str,
    *,
    agents: Sequence[AgentContext] | None = None,
    settings: Settings | None = None,
    on_notice: OnNotice = log_notice,
) -> Since:
    """Compare a snapshot with the commit where its branch left `ref`.

    Later changes on `ref` do not count. Untracked files count as added. Files of submodules and line ends converted
    at checkout are not compared. The files that changed most are compared by section. Where the local history has no
    common commit, as in a shallow clone, `ref` itself is compared, and a notice says so. Raises ContextError as
    `open_repository` does, NotFound for an unknown `ref`, invalid_request without commits.
    """
    notices, tell = collecting(on_notice)
    repository = open_repository(workspace.root)
    tip, start = repository.resolve("HEAD"), repository.resolve(ref)
    base = repository.merge_base(start, tip)
    if base is None:
        message = f"{ref} and the current branch share no local history; compared with {ref} itself"
        tell(Notice("no-merge-base", message))
    tree = repository.tree(base or start)
    others = dict.fromkeys([*submodules(tree), *submodules(repository.tree(tip))])
    for folder in others:
        tell(Notice("submodule", "this is a separate repository; its files are not compared", folder))
    blobs = Blobs(repository, counter, tell)
    blobs.prepare(file.id for file in tree.values() if file.mode == LINK)
    audited = Audited(workspace, counter, settings)
    contexts = audited.agents if agents is None else agents
    snapshots = SnapshotPair(audited, contexts, blobs, Tree(tree, blobs.text).past, tuple(others))
    before, after = snapshots.before, snapshots.after
    names = {context.agent.id: context.agent.name for context in (*contexts, *snapshots.agents_before)}
    changes = []
    for id_, name in names.items():
        old, new = before.starts.get(id_, {}), after.starts.get(id_, {})
        changes.append(AgentChange(id_, name, sum(old.values()), sum(new.values()), growth(old, new)))
    files = tuple(snapshots.changes())
    return Since(ref, base or start, before, after, files, tuple(changes), tuple(notices))
