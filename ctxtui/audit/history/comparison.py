"""Compare a snapshot of a project with an old commit: unchanged files, and costs of the others."""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from functools import cached_property
from typing import Final

from ctxtui.agents import AgentContext
from ctxtui.agents.base import is_above
from ctxtui.audit.context import Audited, got, got_tokens
from ctxtui.audit.costs import Costs, context_of, loaded_by, start_costs
from ctxtui.audit.history.blobs import Objects
from ctxtui.audit.history.changes import FileChange, SectionChange, section_changes
from ctxtui.audit.history.old_tree import Past, sources_by_path
from ctxtui.core.documents.listing import PLAIN
from ctxtui.core.text.metadata.reference import Reference
from ctxtui.workspace.listing import kept_by

# Sections are compared in this many files.
_DIVIDED: Final = 20


class Pair:
    """Current and old files. Files below `skipped` folders are not compared."""

    def __init__(
        self, audited: Audited, agents: Sequence[AgentContext], objects: Objects, past: Past, skipped: Sequence[str]
    ) -> None:
        self._audited = audited
        self._workspace = audited.workspace
        self._agents = agents
        self._objects = objects
        self._past = past
        self._skipped = tuple(f"{folder}/" for folder in skipped)
        self._same: dict[str, bool] = {}
        known = {each.path: each.source for each in self._workspace.references}
        self._sources = sources_by_path(past.ids, known, audited.table) | known
        claimed = [path for path in past.ids if path in self._new or self._sources[path] != PLAIN]
        objects.load(past.ids[path] for path in claimed)
        # Only differing contents need their text. One batch reads them.
        objects.prepare(past.ids[path] for path in claimed if not self._is_identical(path))

    @cached_property
    def before(self) -> Costs:
        context = self._then(loaded_by(self.agents_before))
        return Costs(_sizes((path, self._tokens(path)) for path in context), start_costs(self.agents_before))

    @cached_property
    def after(self) -> Costs:
        return Costs(_sizes((path, self._audited.tokens(path)) for path in self._new), start_costs(self._agents))

    @cached_property
    def agents_before(self) -> tuple[AgentContext, ...]:
        """The context that agents loaded from the old files. Files outside the project count as they are now."""
        return self._audited.contexts(
            self._in_scope(),
            lambda path: self._workspace.text(path) if self._is_outside(path) else self._text(path),
            self._got_tokens,
            lambda path: self._workspace.real(path) if self._is_outside(path) else self._past.real(path),
        )

    def changes(self) -> list[FileChange]:
        """The changes of context files, largest first. The first edits include their sections."""
        found = sorted(self._changes(), key=lambda change: (-abs(change.tokens), change.path))
        changed = [change.path for change in found if change.kind == "changed"]
        divided = frozenset(changed[:_DIVIDED])
        return [
            replace(change, sections=self._sections(change.path)) if change.path in divided else change
            for change in found
        ]

    @cached_property
    def _new(self) -> dict[str, Reference]:
        context = context_of(self._workspace.references, self._agents)
        return {each.path: each for each in context if not each.path.startswith(self._skipped)}

    def _then(self, loaded: frozenset[str]) -> Iterator[str]:
        """The paths of the old context files, in scope.

        Of several links to a file only one: a path that is context now, else the real path. Paths that exist on disk
        but not in the workspace are left out. `loaded` are the paths that agents loaded then.
        """
        context = [path for path in self._in_scope() if self._was(path, loaded)]
        chosen = self._past.once(context, self._new)
        return (path for path in context if path in chosen)

    def _in_scope(self) -> list[str]:
        keeps = kept_by(self._workspace.scope, self._workspace.root)
        return [path for path in self._past.ids if keeps(path)]

    def _was(self, path: str, loaded: frozenset[str]) -> bool:
        if path not in self._workspace.by_path and os.path.lexists(self._workspace.root / path):
            return False
        return path in loaded or self._sources[path] != PLAIN

    def _is_outside(self, path: str) -> bool:
        return is_above(path) or path in self._workspace.home.versions

    def _is_same(self, path: str) -> bool:
        """Whether a file is unchanged, apart from line ends converted at checkout."""
        if path not in self._same:
            self._same[path] = path in self._workspace.by_path and self._compare(path)
        return self._same[path]

    def _compare(self, path: str) -> bool:
        if self._is_identical(path):
            return True
        old, new = self._objects.text(self._past.ids[path]), self._audited.text(path)
        return old is not None and new is not None and _unified(old) == _unified(new)

    def _is_identical(self, path: str) -> bool:
        entry = self._objects.entry(self._past.ids[path])
        return entry is not None and entry.digest == self._digest(path)

    def _digest(self, path: str) -> bytes | None:
        reference = self._workspace.by_path.get(path)
        if reference is None or self._audited.tokens(path) is None:
            return None
        entry = self._workspace.reader.known(reference, self._audited.counter)
        return entry.digest if entry else None

    def _text(self, path: str) -> str | None:
        return got(self._audited, path) if self._is_same(path) else self._objects.text(self._past.ids[path])

    def _got_tokens(self, path: str) -> int | None:
        is_now = self._is_outside(path) or self._is_same(path)
        return got_tokens(self._audited, path) if is_now else self._objects.tokens(self._past.ids[path])

    def _tokens(self, path: str) -> int | None:
        return self._audited.tokens(path) if self._is_same(path) else self._objects.tokens(self._past.ids[path])

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

    def _sections(self, path: str) -> tuple[SectionChange, ...]:
        old, new = self._objects.text(self._past.ids[path]), self._audited.text(path)
        return section_changes(path, old or "", new or "", self._audited.counter)

    def _moves(self, gone: Iterable[str], came: Iterable[str]) -> dict[str, str]:
        """Map new paths to old paths with the same content, each used once."""
        places: dict[bytes, list[str]] = {}
        for path in gone:
            entry = self._objects.entry(self._past.ids[path])
            if entry is not None and entry.counts.units:
                places.setdefault(entry.digest, []).append(path)
        moved = {}
        for path in came:
            left = places.get(self._digest(path) or b"")
            if left:
                moved[path] = left.pop(0)
        return moved


def _unified(text: str) -> str:
    return text.replace("\r\n", "\n")


def _sizes(files: Iterable[tuple[str, int | None]]) -> dict[str, int]:
    return {path: tokens for path, tokens in files if tokens is not None}
