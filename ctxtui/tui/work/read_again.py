"""Reload a project: a new snapshot, and whether it differs."""

from __future__ import annotations

from collections.abc import Mapping

from ctxtui.core.files.content import Stamp
from ctxtui.session.session import Session
from ctxtui.tui.work.host import Severity
from ctxtui.workspace.scope import Scope
from ctxtui.workspace.workspace import Workspace

Stamps = Mapping[str, Stamp]
"""The versions of documents, by id."""


def read_again_words(session: Session | None, changed: bool) -> tuple[str, Severity]:
    """The message after a reload, and its severity."""
    if session is not None and session.workspace.is_gone:
        return f"the project's folder is gone: {session.workspace.root}", "warning"
    return f"project read again: {'changes found' if changed else 'no changes'}", "information"


def read_again(read: Workspace, scope: Scope | None) -> tuple[Workspace, tuple[Stamps, Stamps] | None]:
    """A new snapshot and the stamps of both, None instead of the stamps if nothing differs."""
    workspace = read.reload(scope=scope, on_notice=lambda _notice: None)
    # Unread values are equal if everything they depend on is equal.
    before, after = (
        (each.above.paths, each.home.versions, each.scope.home, each.notices, each.state if read.is_recalled else "")
        for each in (read, workspace)
    )
    if before == after and read.references is workspace.references:
        return workspace, None
    old, new = ({reference.id: reference.stamp for reference in each.references} for each in (read, workspace))
    return (workspace, None) if before == after and old == new else (workspace.warm(), (old, new))
