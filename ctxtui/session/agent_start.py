"""The tokens that coding agents send when a session starts."""

from __future__ import annotations

from functools import partial

from ctxtui.agents import Start, audit_agents, longest_chains, longest_told, starts_of
from ctxtui.agents.base import UNREAD, AtHome
from ctxtui.agents.capture.categories import own_parts
from ctxtui.agents.types import AT_START, LISTED
from ctxtui.core.base.errors import ContextError
from ctxtui.core.tokens.counter import TokenCounter
from ctxtui.workspace.opening.ancestors import is_in_repository
from ctxtui.workspace.workspace import Workspace


def agent_starts(
    workspace: Workspace,
    counter: TokenCounter,
    window: int | None = None,
    cwd: str = "",
    home: AtHome | None = None,
) -> tuple[Start, ...]:
    """The agents found in the project with their exact starts in `cwd`, largest first, and what they send besides.

    Reads and counts files. With `home`, the starts include the user's own files. Raises ContextError
    (invalid_request) if `cwd` is outside the project.
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
    own = own_parts((each.agent for each in contexts), counter, workspace.root)
    starts = starts_of(contexts, own)
    workspace.reader.cache.flush()
    return starts


def longer_starts(workspace: Workspace, cwd: str = "") -> tuple[str, ...]:
    """The folders whose agents start with more instructions than at the root, as sentences, without `cwd`."""
    above = workspace.above
    paths = (*workspace.paths, *above.paths)
    is_repository = is_in_repository(workspace.root)
    table = workspace.scope.table
    return longest_told(longest_chains(paths, workspace.text, table, above.base.folder, is_repository), cwd)


def listing_text(start: Start) -> str:
    """The names and descriptions that an agent lists at the start, one per line."""
    lines = (charge.entry.text for charge in start.entries if charge.moment in LISTED and charge.entry)
    return "".join(f"{line}\n" for line in lines)


def _tokens(workspace: Workspace, counter: TokenCounter, path: str) -> int | None:
    reference = workspace.by_path.get(path)
    if reference is None or workspace.is_marked(path):
        text = workspace.as_agents_get(path)
        return None if text is None else workspace.reader.count(text, counter)
    try:
        return workspace.tokens(reference, counter)
    except ContextError:
        return None
