"""What coding agents have in context at session start."""

from __future__ import annotations

from functools import partial

from ctxtui.agents import Start, audit_agents, longest_chains, longest_told, starts_of
from ctxtui.agents.base import UNREAD, AtHome
from ctxtui.agents.types import AT_START, LISTED
from ctxtui.core.errors import ContextError
from ctxtui.core.tokens.counter import TokenCounter
from ctxtui.workspace.above import is_in_repository
from ctxtui.workspace.workspace import Workspace


def agents_at_start(workspace: Workspace) -> dict[str, int]:
    """For every document, how many agents read it in full at the start."""
    readers: dict[str, set[str]] = {}
    for load in workspace.loads:
        reference = workspace.by_path.get(load.path)
        if reference is not None and load.moment in AT_START:
            readers.setdefault(reference.id, set()).add(load.agent)
    return {id_: len(agents) for id_, agents in readers.items()}


def agent_starts(
    workspace: Workspace,
    counter: TokenCounter,
    window: int | None = None,
    cwd: str = "",
    home: AtHome | None = None,
) -> tuple[Start, ...]:
    """Every agent found in the project with its exact start in a folder, highest first; reads and counts files.

    With what the workspace has at `home` it is part of the starts, otherwise they are those of the project alone.
    Raises ContextError (invalid_request) for a `cwd` outside the project.
    """
    contexts = audit_agents(
        (*workspace.paths, *workspace.above.paths),
        workspace.as_agents_get,
        partial(workspace.reader.count, counter=counter),
        count_file=partial(_tokens, workspace, counter),
        real=workspace.real,
        cwd=cwd,
        base=workspace.above.base.folder,
        window=window,
        table=workspace.scope.table,
        moments=(*AT_START, *LISTED),
        home=home or UNREAD,
        is_repository=is_in_repository(workspace.root),
    )
    starts = starts_of(contexts)
    workspace.reader.passes.flush()
    return starts


def longer_starts(workspace: Workspace, cwd: str = "") -> tuple[str, ...]:
    """The folders where agents start with more instructions than at the root, in words, without the folder `cwd`."""
    above = workspace.above
    paths = (*workspace.paths, *above.paths)
    is_repository = is_in_repository(workspace.root)
    table = workspace.scope.table
    return longest_told(longest_chains(paths, workspace.text, table, above.base.folder, is_repository), cwd)


def listing_text(start: Start) -> str:
    """The names and descriptions that an agent lists at the start, a line each; empty if it lists none."""
    lines = (charge.entry.text for charge in start.entries if charge.moment in LISTED and charge.entry)
    return "".join(f"{line}\n" for line in lines)


def _tokens(workspace: Workspace, counter: TokenCounter, path: str) -> int | None:
    """The tokens of a whole file, listed or not; None if it cannot be read."""
    reference = workspace.by_path.get(path)
    if reference is None or workspace.is_marked(path):
        text = workspace.as_agents_get(path)
        return None if text is None else workspace.reader.count(text, counter)
    try:
        return workspace.tokens(reference, counter)
    except ContextError:
        return None
