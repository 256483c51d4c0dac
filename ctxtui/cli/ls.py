"""`ctxtui ls`: every context file with its exact tokens."""

from __future__ import annotations

import argparse
from collections.abc import Mapping, Sequence
from typing import Any

from ctxtui.cli.project import Narrator, budget_of, columns, configured, narrated, open_configured
from ctxtui.cli.status import DONE
from ctxtui.cli.streams import put, require_stdout, write_stdout
from ctxtui.core.errors import ContextError
from ctxtui.core.files.notebook import is_notebook
from ctxtui.core.metadata.reference import Reference
from ctxtui.core.notices import Notice
from ctxtui.core.plain import plain_line
from ctxtui.core.tokens.counter import TokenCounter
from ctxtui.core.wording import byte_size, noun, plural
from ctxtui.workspace.ahead import Ahead
from ctxtui.workspace.count import count_all
from ctxtui.workspace.workspace import Workspace

Tokens = Mapping[str, int | None]
"""The tokens of documents by id; None for those that cannot be read, or are large data and not asked for."""


@narrated
def run_ls(arguments: argparse.Namespace, narrator: Narrator) -> int:
    """List documents: aligned for a terminal, tab-separated to a pipe, or JSON."""
    place, config = configured(arguments, narrator)
    counter = budget_of(config, arguments).counter
    with Ahead(counter) as ahead:
        workspace = open_configured(place, config, arguments, narrator, ahead.begin)
        narrator.tell(count_all(workspace, counter, with_large=arguments.large, ahead=ahead))
    # Even if they were counted before: the same project gives the same list.
    left = [] if arguments.large else [each for each in workspace.references if each.is_on_request]
    if left:
        narrator(_left_notice(left))
    skipped = {each.id for each in left}
    tokens = {
        each.id: None if each.id in skipped else _tokens(workspace, each, counter) for each in workspace.references
    }
    if arguments.json:
        from ctxtui.cli.as_json import print_json  # noqa: PLC0415 - only if JSON is wanted

        rows_json = [_row_json(each, tokens[each.id], counter) for each in workspace.references]
        print_json(rows_json, narrator.notices)
        return DONE
    is_read = require_stdout().isatty()
    rows = [_row(each, tokens[each.id], is_read and each.id in skipped) for each in workspace.references]
    if is_read:
        header = ("ID", "TOKENS", "DECLARED", "STRATEGY", "SOURCE")
        put("\n".join(columns([header, *rows], frozenset({1, 2}))), has_ids=True)
    else:
        write_stdout("".join("\t".join(row) + "\n" for row in rows).encode())
    _tell_total(workspace, tokens, counter, narrator, left)
    return DONE


def _tokens(workspace: Workspace, reference: Reference, counter: TokenCounter) -> int | None:
    try:
        return workspace.tokens(reference, counter)
    except ContextError:
        return None


def _left_notice(left: Sequence[Reference]) -> Notice:
    count = len(left)
    files, them = plural(count, "large file"), noun(count, "it", "them")
    message = f"{files} ({_bytes(left)}) {noun(count, 'is', 'are')} not counted; --large counts {them}"
    return Notice("not-counted", message)


def _bytes(references: Sequence[Reference]) -> str:
    return byte_size(sum(each.stamp.size for each in references))


def _row(reference: Reference, tokens: int | None, by_bytes: bool) -> tuple[str, ...]:
    declared = reference.details.declared_tokens
    size = byte_size(reference.stamp.size) if by_bytes else ""
    return (
        plain_line(reference.id),
        size if tokens is None else str(tokens),
        "" if declared is None else str(declared),
        plain_line(reference.strategy or ""),
        reference.source,
    )


def _row_json(reference: Reference, tokens: int | None, counter: TokenCounter) -> dict[str, Any]:
    from ctxtui.cli.as_json import reference_json  # noqa: PLC0415 - as above

    size = {"tokens": tokens, "bytes": reference.stamp.size, "large": reference.large}
    return reference_json(reference) | size | counter.described()


def _tell_total(
    workspace: Workspace, sizes: Tokens, counter: TokenCounter, narrator: Narrator, left: Sequence[Reference]
) -> None:
    sign = "" if counter.exact else "≈ "
    band = "" if counter.exact else f" ({counter.band})"
    uncounted = f" + {_bytes(left)} not counted" if left else ""
    links = sum(len(each.aliases) for each in workspace.references)
    more = f"; {plural(links, 'more path leads', 'more paths lead')} to them" if links else ""
    files = plural(len(workspace.references), "file")
    tokens = plural(sum(each or 0 for each in sizes.values()), "token")
    notebooks = sum(is_notebook(each.path) for each in workspace.references)
    more += f"; {plural(notebooks, 'notebook')} without outputs" if notebooks else ""
    narrator.say(f"{files}, {sign}{tokens} ({counter.name}){band}{uncounted}{more}", is_ours=True)
