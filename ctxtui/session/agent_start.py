"""The tokens that coding agents send when a session starts, and their counts in the tokens of a model."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import replace
from functools import cache, partial
from typing import Final

from ctxtui.agents import Start, audit_agents, longest_chains, longest_told, starts_of
from ctxtui.agents.capture.categories import own_parts
from ctxtui.agents.project.base import UNREAD, AtHome
from ctxtui.agents.types import AT_START, LISTED
from ctxtui.core.base.cancel import Check, go_on
from ctxtui.core.tokens.counter import Label, TokenCounter
from ctxtui.core.tokens.ledger import Ledger
from ctxtui.core.tokens.whole import Whole, count_whole
from ctxtui.workspace.opening.ancestors import is_in_repository
from ctxtui.workspace.workspace import Workspace

MOST_CHARACTERS: Final = 1_000_000
"""Larger starts stay estimates: a reconstructed vocabulary takes seconds for this many characters.

The bound does not depend on earlier counts, so a second call gives the same result.
"""

_Read = Callable[[str], str | None]

_KNOWN: Final[tuple[Label, ...]] = ("reconstructed", "measured")
"""Labels that are better than an estimate, weakest first. A sum has the weakest label of its parts."""


def agent_starts(
    workspace: Workspace, counter: TokenCounter, window: int | None = None, cwd: str = "", home: AtHome = UNREAD
) -> tuple[Start, ...]:
    """The starts in the folder `cwd` of the agents found in the project, largest first.

    Reads and counts files. `window` is the model's window in tokens, by default the usual window of each agent. With
    `home`, the user's own files are included. Raises ContextError (invalid_request) if `cwd` is outside the project.
    """
    contexts = audit_agents(
        (*workspace.paths, *workspace.above.paths),
        workspace.text_for_agents,
        partial(workspace.reader.count, counter=counter),
        count_file=partial(_file_tokens, workspace, counter),
        real=workspace.real,
        cwd=cwd,
        base=workspace.above.base.folder,
        window=window,
        table=workspace.scope.table,
        moments=(*AT_START, *LISTED),
        home=home,
        is_repository=is_in_repository(workspace.root),
    )
    own = own_parts((each.agent for each in contexts), counter, workspace.root)
    starts = starts_of(contexts, own)
    workspace.reader.cache.flush()
    return starts


def longer_starts(workspace: Workspace, cwd: str = "") -> tuple[str, ...]:
    """Sentences about folders other than `cwd` whose instructions exceed an agent's limit.

    With none, a sentence about the folder whose instructions are longest, if they are longer than the root's.
    """
    above = workspace.above
    paths = (*workspace.paths, *above.paths)
    table, is_repository = workspace.scope.table, is_in_repository(workspace.root)
    base, real = above.base.folder, workspace.real
    return longest_told(longest_chains(paths, workspace.text, table, base, is_repository, real), cwd)


def listing_text(start: Start) -> str:
    """The names and descriptions that an agent lists at the start, one per line."""
    lines = (charge.entry.text for charge in start.entries if charge.moment in LISTED and charge.entry)
    return "".join(f"{line}\n" for line in lines)


def _file_tokens(workspace: Workspace, counter: TokenCounter, path: str) -> int | None:
    reference = workspace.by_path.get(path)
    if reference is None or workspace.begins_with_mark(path):
        text = workspace.text_for_agents(path)
        return None if text is None else workspace.reader.count(text, counter)
    return workspace.tokens_or_none(reference, counter)


def start_texts(start: Start, read: _Read) -> tuple[str, ...] | None:
    """The texts that enter at a start, file by file, then the listing's text. None if a file cannot be read."""
    texts = []
    for entry in start.entries:
        if entry.moment in AT_START:
            whole = read(entry.path)
            if whole is None:
                return None
            texts.append(entry.text(whole))
    listed = listing_text(start)
    return (*texts, listed) if listed else tuple(texts)


def whole_starts(
    starts: Iterable[Start], read: _Read, counter: TokenCounter, ledger: Ledger | None = None, check: Check = go_on
) -> tuple[Start, ...]:
    """The starts, each with its `whole` count if every text can be counted better than by an estimate, else None.

    Exact counters need no such counts, so their starts are returned unchanged. `read` returns a file's text. The
    ledger caches slow counts. `check` is called before every text, and its exceptions end the work.
    """
    if counter.exact or counter.weights is None:
        return tuple(starts)

    @cache
    def count(text: str) -> Whole:
        check()
        return count_whole(text, counter, ledger)

    return tuple(replace(start, whole=_whole_total(start_texts(start, read), count)) for start in starts)


def _whole_total(texts: Sequence[str] | None, count: Callable[[str], Whole]) -> Whole | None:
    """The counts of texts added up. None for no texts, too many characters, or a text that is only estimated."""
    if not texts or sum(map(len, texts)) > MOST_CHARACTERS:
        return None
    counts: list[Whole] = []
    for text in texts:
        counts.append(count(text))
        if counts[-1].label not in _KNOWN:
            return None
    label = min((each.label for each in counts), key=_KNOWN.index)
    return Whole(sum(each.tokens for each in counts), label, sum(each.basis_tokens for each in counts))
