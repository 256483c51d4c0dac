"""`ctxtui ls`: every context file with its exact tokens."""

from __future__ import annotations

import argparse
from typing import Any

from ctxtui.cli.as_json import print_json, reference_json
from ctxtui.cli.project import Narrator, columns, narrated, open_project, start_session
from ctxtui.cli.status import DONE
from ctxtui.cli.streams import put, require_stdout, write_stdout
from ctxtui.core.errors import ContextError
from ctxtui.core.metadata.reference import Reference
from ctxtui.core.plain import plain_line
from ctxtui.core.tokens.counter import TokenCounter
from ctxtui.core.wording import plural
from ctxtui.workspace.count import count_all
from ctxtui.workspace.workspace import Workspace


@narrated
def run_ls(arguments: argparse.Namespace, narrator: Narrator) -> int:
    """List documents: aligned for a terminal, tab-separated to a pipe, or JSON."""
    workspace, config = open_project(arguments, narrator)
    counter = start_session(workspace, config, arguments).budget.counter
    narrator.tell(count_all(workspace, counter))
    if arguments.json:
        print_json([_row_json(workspace, each, counter) for each in workspace.references], narrator.notices)
        return DONE
    rows = [_row(workspace, each, counter) for each in workspace.references]
    if require_stdout().isatty():
        header = ("ID", "TOKENS", "DECLARED", "STRATEGY", "SOURCE")
        put("\n".join(columns([header, *rows], frozenset({1, 2}))))
    else:
        write_stdout("".join("\t".join(row) + "\n" for row in rows).encode())
    _tell_total(workspace, counter, narrator)
    return DONE


def _tokens(workspace: Workspace, reference: Reference, counter: TokenCounter) -> int | None:
    try:
        return workspace.tokens(reference, counter)
    except ContextError:
        return None


def _row(workspace: Workspace, reference: Reference, counter: TokenCounter) -> tuple[str, ...]:
    tokens = _tokens(workspace, reference, counter)
    declared = reference.details.declared_tokens
    return (
        plain_line(reference.id),
        "" if tokens is None else str(tokens),
        "" if declared is None else str(declared),
        plain_line(reference.strategy or ""),
        reference.source,
    )


def _row_json(workspace: Workspace, reference: Reference, counter: TokenCounter) -> dict[str, Any]:
    tokens = _tokens(workspace, reference, counter)
    return reference_json(reference) | {"tokens": tokens, **counter.described()}


def _tell_total(workspace: Workspace, counter: TokenCounter, narrator: Narrator) -> None:
    total = sum(_tokens(workspace, each, counter) or 0 for each in workspace.references)
    sign = "" if counter.exact else "≈ "
    band = "" if counter.exact else f" ({counter.band})"
    links = sum(len(each.aliases) for each in workspace.references)
    more = f"; {plural(links, 'more path leads', 'more paths lead')} to them" if links else ""
    files, tokens = plural(len(workspace.references), "file"), plural(total, "token")
    narrator.say(f"{files}, {sign}{tokens} ({counter.name}){band}{more}")
