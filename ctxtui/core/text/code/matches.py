"""What a query finds in a code file, within a bounded effort."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from ctxtui.core.text.code.effort import Effort, leaves_too_much, nests_too_deeply
from ctxtui.core.text.code.languages import Language, parser_of

if TYPE_CHECKING:
    from tree_sitter import Node

# Patterns that are matched at the same time; ours need a few, unless thousands of blocks are open.
_MOST_AT_ONCE: Final = 256


def matches_of(
    language: Language, queries: tuple[str, ...], text: str, data: bytes
) -> list[tuple[int, dict[str, list[Node]]]] | None:
    """The pattern and the captures of each match in a text, which `data` is in UTF-8, in an installed language.

    None if finding them takes too much.
    """
    from tree_sitter import QueryCursor  # noqa: PLC0415 - only for code whose parts are asked for

    if nests_too_deeply(text):
        return None
    parser, query = parser_of(language, queries)
    effort = Effort(data)
    try:
        # With functions to ask, other threads run in between, and a signal is heard.
        tree = parser.parse(effort.read, progress_callback=effort.is_too_much)
    except ValueError:
        return None
    except SystemError as failure:
        # The parser goes on after what is raised while it reads, such as by ctrl-c, and wraps it.
        raised: BaseException = failure
        while isinstance(raised, SystemError) and (inner := raised.__cause__ or raised.__context__) is not None:
            raised = inner
        raise raised from None
    if effort.is_spent or leaves_too_much(tree):
        return None
    cursor = QueryCursor(query, match_limit=_MOST_AT_ONCE)
    matches = cursor.matches(tree.root_node)
    return None if cursor.did_exceed_match_limit else matches
