"""What a query finds in a code file, within a bounded effort."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from ctxtui.core.code.effort import Effort, nests_too_deeply
from ctxtui.core.code.languages import Language, parser_of

if TYPE_CHECKING:
    from tree_sitter import Node

# Patterns that are matched at the same time; ours need a few.
_MOST_AT_ONCE: Final = 4096


def matches_of(
    language: Language, queries: tuple[str, ...], text: str, data: bytes
) -> list[tuple[int, dict[str, list[Node]]]] | None:
    """The pattern and the captures of each match in a text, which `data` is in UTF-8, in an installed language.

    None if parsing takes too much.
    """
    from tree_sitter import QueryCursor  # noqa: PLC0415 - optional, and only for code whose parts are asked for

    if nests_too_deeply(text):
        return None
    parser, query = parser_of(language, queries)
    view, effort = memoryview(data), Effort(len(data))
    try:
        # With a function to ask, other threads run in between.
        tree = parser.parse(lambda offset, _: view[offset:], progress_callback=effort.is_too_much)
    except ValueError:
        return None
    return QueryCursor(query, match_limit=_MOST_AT_ONCE).matches(tree.root_node)
