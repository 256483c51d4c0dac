"""Figures: the numbers of the tree and of the payload list."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from functools import lru_cache
from typing import TYPE_CHECKING, NamedTuple

from ctxtui.core.base.cancel import Check, go_on
from ctxtui.core.base.errors import ContextError
from ctxtui.core.base.target import Target
from ctxtui.core.documents.listing import PLAIN
from ctxtui.core.payload.types import PROMPT_ID, Payload
from ctxtui.core.tokens.counter import TokenCounter
from ctxtui.session.picks import Pick, SnippetPick
from ctxtui.workspace.workspace import Workspace

if TYPE_CHECKING:
    from ctxtui.session.session import Session

# Estimates files that are not counted yet.
_BYTES_PER_TOKEN = 4.2


class Total(NamedTuple):
    """The tokens below a node, estimated from the size for files that are not counted yet.

    `large` files of large data with `left` bytes wait until the user asks. They are not in `tokens`. `data` is the
    number of files of large data, counted or not.
    """

    tokens: int = 0
    files: int = 0
    counted: int = 0
    failed: int = 0
    large: int = 0
    left: int = 0
    data: int = 0

    @property
    def is_counted(self) -> bool:
        """Whether every file is counted or unreadable, except large data."""
        return self.counted + self.failed + self.large >= self.files

    @property
    def percent(self) -> int:
        """The percentage of files counted, without large data."""
        return self.counted * 100 // max(1, self.files - self.large)

    @property
    def is_left(self) -> bool:
        """Whether only large data is left, which is counted on request."""
        return 0 < self.large == self.files - self.failed


@dataclass(frozen=True, slots=True)
class PickedTokens:
    """The numbers of files below a node that are picked as a `whole` and in `part`, and the picked tokens.

    `data` counts wholly picked files of large data, which `whole` leaves out.
    """

    whole: int = 0
    part: int = 0
    tokens: int = 0
    data: int = 0

    def is_all(self, total: Total) -> bool:
        """Whether every file that a pick of the node picks is picked: large data only where there is nothing else."""
        return self.whole >= total.files - total.data if total.files > total.data else self.data >= total.data


Totals = dict[str, Total]
"""Totals by node id."""


@dataclass(frozen=True, eq=False)
class Figures:
    """Totals and picked tokens by node id, the layout of the payload, and its tokens by source.

    `firsts` are the ids of the first blocks by source. While the picks are searched for secrets, `guess` is the
    tokens of the picks as whole files and `searched` the percentage of searched files. `guess` is None once `layout`
    is up to date.
    """

    totals: Totals = field(default_factory=Totals)
    picked: Mapping[str, PickedTokens] = field(default_factory=dict)
    layout: Payload | None = None
    sources: Mapping[str, int] = field(default_factory=dict)
    firsts: Mapping[str, str] = field(default_factory=dict)
    guess: int | None = None
    searched: int = 0


def totals(workspace: Workspace, counter: TokenCounter, failed: frozenset[str] = frozenset()) -> Totals:
    """The totals of every document and folder, of the root by the id "". `failed` are the paths that cannot be read.

    Reads no file: tokens are those of the ledger, else estimated.
    """
    result = Totals()
    groups: dict[tuple[str, ...], list[Total]] = {}
    reader = workspace.reader
    for reference in workspace.references:
        size = reader.known_size(reference, counter)
        if size is not None:
            total = Total(counter.total(size.units), 1, 1)
        elif reference.path in failed:
            total = Total(0, 1, 0, 1)
        elif reference.is_on_request:
            total = Total(0, 1, large=1, left=reference.stamp.size)
        else:
            total = Total(round(reference.stamp.size / _BYTES_PER_TOKEN * max(counter.ratio, 1)), 1)
        total = total._replace(data=1) if reference.large else total
        result[reference.id] = total
        groups.setdefault(reference.folders, []).append(total)
    folders: dict[tuple[str, ...], list[int]] = {}
    for group, inside in groups.items():
        numbers = list(map(sum, zip(*inside, strict=True)))
        for depth in range(len(group) + 1):
            above = folders.setdefault(group[:depth], [0] * len(numbers))
            for place, value in enumerate(numbers):
                above[place] += value
    for group, numbers in folders.items():
        result[f"{'/'.join(group)}/" if group else ""] = Total(*numbers)
    return result


def picked_tokens(session: Session, tokens: Mapping[str, int], check: Check = go_on) -> dict[str, PickedTokens]:
    """The picked part of every document that is picked and of the folders around it, by id, without the root.

    `tokens` are by document id. Queries, lines and patterns do not count. `check` is called for every pick.
    """
    sums: dict[str, list[int]] = {}
    for pick in session.picks:
        check()
        reference = session.workspace.by_id.get(pick.id)
        if reference is None or not isinstance(pick, Pick):
            continue
        is_whole = pick.is_plain or _is_whole(session, pick.id)
        size = tokens.get(pick.id, 0)
        for id_ in (pick.id, *_above(reference.folders)):
            numbers = sums.setdefault(id_, [0, 0, 0, 0])
            numbers[3 if reference.large else 0] += is_whole
            numbers[1] += not is_whole
            numbers[2] += size
    return {id_: PickedTokens(*numbers) for id_, numbers in sums.items()}


def _is_whole(session: Session, id_: str) -> bool:
    try:
        return session.state(id_) == "all"
    except ContextError:
        # A file that cannot be read any more is left out with a notice.
        return False


@lru_cache(maxsize=16_384)
def _above(group: tuple[str, ...]) -> tuple[str, ...]:
    """The ids of the folders around a document, outermost first. `group` has the names of these folders."""
    return tuple(f"{'/'.join(group[:depth])}/" for depth in range(1, len(group) + 1))


def source_of(session: Session, id_: str) -> str:
    """The source of the document in a payload's block, `prompt` for the prompt, `PLAIN` for blocks of no document."""
    pick = session.selection.other_pick(id_)
    reference = session.workspace.by_id.get(pick.document if isinstance(pick, SnippetPick) else id_)
    if reference is not None:
        return reference.source
    if id_ == PROMPT_ID:
        return "prompt"
    # The id of a query's block names the query and the document.
    reference = session.workspace.by_id.get(Target.of_block(id_).section)
    return reference.source if reference else PLAIN


def figures(
    session: Session, failed: frozenset[str] = frozenset(), known: Figures | None = None, check: Check = go_on
) -> Figures:
    """All figures of a session. Reads, counts and searches the picked files.

    The totals of `known` are reused unless a pick is large data that they leave uncounted. `check` is called for
    every pick and may raise. Raises as `Session.layout` does.
    """
    layout = session.layout(check=check)
    sources, firsts = _by_source(session, layout)
    old = known.totals if known is not None else {}
    is_current = known is not None and not any(old[each.id].large for each in session.picks if each.id in old)
    return Figures(
        totals=old if is_current else totals(session.workspace, session.budget.counter, failed),
        picked=picked_tokens(session, {block.id: block.wanted_text for block in layout.blocks}, check),
        layout=layout,
        sources=sources,
        firsts=firsts,
    )


def refined(session: Session, old: Figures, check: Check = go_on) -> Figures:
    """The figures with the whole payload counted as well as possible. With an exact counter, `old` itself.

    Builds the payload's text, which takes longer than its layout.
    """
    if session.budget.counter.exact:
        return old
    payload = session.payload(check=check)
    sources, firsts = _by_source(session, payload)
    return replace(old, layout=replace(payload, pieces=()), sources=sources, firsts=firsts)


def _by_source(session: Session, layout: Payload) -> tuple[dict[str, int], dict[str, str]]:
    """The tokens of the blocks by source, and the id of each source's first block, without empty blocks."""
    sources: dict[str, int] = {}
    firsts: dict[str, str] = {}
    for block in layout.blocks:
        if block.tokens:
            source = source_of(session, block.id)
            sources[source] = sources.get(source, 0) + block.tokens
            firsts.setdefault(source, block.id)
    return sources, firsts


def unmeasured_figures(session: Session, old: Figures, check: Check = go_on) -> Figures:
    """The figures for the current picks before they are measured: each with the tokens of its whole file.

    `guess` is their sum. The rest is as in `old`. `check` is called for every pick and may raise.
    """
    sizes = {pick.id: old.totals[pick.id].tokens for pick in session.picks if pick.id in old.totals}
    return replace(old, picked=picked_tokens(session, sizes, check), guess=sum(sizes.values()), searched=0)
