"""Shares: the tokens of folders, files and sections as parts of a whole, for the map."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from ctxtui.session.figures import Total
from ctxtui.workspace.tree import Node

_NOTHING = Total()


@dataclass(frozen=True, slots=True)
class Share:
    """The tokens of a folder, a file or a section, with its parts, largest first.

    `id` can be picked, it is empty for the project. `source` is the source of most of the tokens.
    """

    id: str
    name: str
    tokens: int
    children: tuple[Share, ...] = ()
    source: str = ""


def file_shares(node: Node, totals: Mapping[str, Total]) -> Share:
    """All files below a node by the totals, without empty files and uncounted large data."""
    total = totals.get(node.id, _NOTHING)
    if node.reference is not None:
        return Share(node.id, node.title, total.tokens, (), node.reference.source)
    shares = (file_shares(child, totals) for child in node.children if totals.get(child.id, _NOTHING).tokens)
    children = in_order(shares)
    return Share(node.id, node.title, total.tokens, children, main_source(children))


def in_order(shares: Iterable[Share]) -> tuple[Share, ...]:
    """The shares, largest first."""
    return tuple(sorted(shares, key=lambda share: (-share.tokens, share.name)))


def main_source(shares: Iterable[Share]) -> str:
    """The source of most tokens, empty without shares."""
    sources: Counter[str] = Counter()
    for share in shares:
        sources[share.source] += share.tokens
    return max(sources, key=lambda name: sources[name], default="")
