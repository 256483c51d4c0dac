"""`ctxtui show --related`: the files related to a document."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from ctxtui.cli.project import columns
from ctxtui.cli.streams import put, put_lines, require_stdout
from ctxtui.core.base.notices import Notice, OnNotice
from ctxtui.core.base.plain import plain_line
from ctxtui.core.base.wording import plural
from ctxtui.core.text.code.imports import lacks_imports
from ctxtui.core.tokens.counter import TokenCounter
from ctxtui.workspace.related.related import NEEDS, Related, related
from ctxtui.workspace.workspace import Workspace


def show_related(workspace: Workspace, id_: str, counter: TokenCounter, on_notice: OnNotice) -> dict[str, Any]:
    """The files related to a document, as JSON for `print_related`."""
    rows = related(workspace, id_, counter)
    if lacks_imports(workspace.by_id[id_].path):
        on_notice(Notice("no-grammar", f"files are related without {NEEDS}"))
    return {"id": id_, **counter.described(), "related": [_json(row) for row in rows]}


def _json(row: Related) -> dict[str, Any]:
    return {"id": row.id, "kind": row.kind, "path": row.reference.path, "tokens": row.tokens, "named": row.is_named}


def print_related(result: dict[str, Any]) -> None:
    """Kind, id and tokens: aligned for a terminal, tab-separated to a pipe."""
    rows = [_row(each) for each in result["related"]]
    if not require_stdout().isatty():
        put_lines("".join("\t".join(row) + "\n" for row in rows))
    elif rows:
        put("\n".join(columns([("KIND", "ID", "TOKENS"), *rows], frozenset({2}))))


def related_line(results: Sequence[dict[str, Any]]) -> str:
    """The number of listed files, and their tokens."""
    rows = {each["id"]: each["tokens"] or 0 for result in results for each in result["related"]}
    return f"{plural(len(rows), 'related file')}, {plural(sum(rows.values()), 'token')}"


def _row(row: dict[str, Any]) -> tuple[str, ...]:
    tokens = row["tokens"]
    return row["kind"], plain_line(row["id"]), "" if tokens is None else str(tokens)
