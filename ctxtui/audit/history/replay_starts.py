"""Agent starts replayed in old states of a project, one after the other."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from hashlib import blake2b

from ctxtui.agents import audit_agents, load_table
from ctxtui.agents.types import AT_START, LISTED
from ctxtui.audit.history.blobs import Objects
from ctxtui.audit.history.file_history import State
from ctxtui.audit.history.old_tree import Past
from ctxtui.audit.history.start_cache import Starts, state_key
from ctxtui.audit.types import Settings
from ctxtui.core.tokens.ledger import digest_of
from ctxtui.version import __version__


def replay(
    row: Callable[[], Iterator[State]], objects: Objects, named: frozenset[str], settings: Settings, kept: Starts
) -> list[Mapping[str, int]]:
    """The tokens at the start by agent id, for every state; states that `kept` knows are not replayed.

    `named` are the paths of agents' files, whose texts are read in one batch.
    """
    basis = _basis(objects, settings)
    keys = [state_key(state.number, basis) for state in row()]
    known = kept.find(set(keys))
    if missing := set(keys) - known.keys():
        wanted = (state for state in row() if keys[state.position] in missing)
        objects.prepare({state.past.ids[path] for state in wanted for path in named & state.past.ids.keys()})
        made = _play(row(), keys, missing, objects, settings)
        if objects.are_complete:
            kept.record(made)
        known |= made
    return [known[key] for key in keys]


def _basis(objects: Objects, settings: Settings) -> bytes:
    """The inputs of the costs besides the files."""
    table = load_table() if settings.table is None else settings.table
    parts = (__version__, str(objects.repository.root), objects.counter, settings.window, settings.cwd, table)
    return blake2b(repr(parts).encode("utf-8", "replace")).digest()


def _play(
    row: Iterator[State], keys: list[bytes], missing: set[bytes], objects: Objects, settings: Settings
) -> dict[bytes, dict[str, int]]:
    counted: dict[bytes, int] = {}

    def count(text: str) -> int:
        digest = digest_of(text.encode("utf-8", "replace"))
        if digest not in counted:
            counted[digest] = objects.counter.count(text)
        return counted[digest]

    made: dict[bytes, dict[str, int]] = {}
    for state in row:
        key = keys[state.position]
        if key in missing and key not in made:
            made[key] = _start(state.past, objects, count, settings)
    return made


def _start(past: Past, objects: Objects, count: Callable[[str], int], settings: Settings) -> dict[str, int]:
    contexts = audit_agents(
        list(past.ids),
        lambda path: objects.text(past.ids[path]),
        count,
        count_file=lambda path: objects.tokens(past.ids[path]),
        real=past.real,
        cwd=settings.cwd,
        window=settings.window,
        table=settings.table,
        moments=(*AT_START, *LISTED),
    )
    return {context.agent.id: context.start_tokens for context in contexts}
