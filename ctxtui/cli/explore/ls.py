"""`ctxtui ls`: every context file with its exact tokens."""

from __future__ import annotations

import argparse
import shutil
from collections.abc import Iterator, Mapping, Sequence, Set
from typing import Any, NamedTuple

from ctxtui.cli.output.streams import put, require_stdout, write_stdout
from ctxtui.cli.project import Narrator, aligned, budget_of, configured, narrated, open_configured
from ctxtui.cli.status import DONE
from ctxtui.core.base.errors import invalid
from ctxtui.core.base.notices import Notice
from ctxtui.core.base.plain import plain_line
from ctxtui.core.base.wording import byte_size, noun, plural
from ctxtui.core.text.metadata.reference import Reference
from ctxtui.core.text.notebook import is_notebook
from ctxtui.core.tokens.counter import TokenCounter
from ctxtui.workspace.counting import count_all
from ctxtui.workspace.workspace import Workspace

Tokens = Mapping[str, int | None]
"""The tokens of documents by id, None for unreadable documents, and for large data unless asked for."""


_HEADER = ("ID", "TOKENS", "DECLARED", "STRATEGY", "SOURCE")


class _Entry(NamedTuple):
    """A row of the list: a file, or with `--depth` a folder, whose id ends with `/`."""

    id: str
    files: tuple[Reference, ...]

    @property
    def is_folder(self) -> bool:
        return self.id.endswith("/")

    def tokens(self, known: Tokens) -> int | None:
        """The sum of the counted files, None if none is counted."""
        sizes = [size for each in self.files if (size := known[each.id]) is not None]
        return sum(sizes) if sizes else None

    def is_all_in(self, ids: Set[str]) -> bool:
        return all(each.id in ids for each in self.files)


@narrated
def run_ls(arguments: argparse.Namespace, narrator: Narrator) -> int:
    """List documents: aligned for a terminal, tab-separated to a pipe, or as JSON."""
    place, config = configured(arguments, narrator)
    counter = budget_of(config, arguments).counter
    workspace = open_configured(place, config, arguments, narrator)
    narrator.tell(count_all(workspace, counter, with_large=arguments.large))
    # Even if they were counted before, since the same project must give the same list.
    uncounted = [] if arguments.large else [each for each in workspace.references if each.is_on_request]
    if uncounted:
        narrator(_uncounted_notice(uncounted))
    skipped = {each.id for each in uncounted}
    tokens = {
        each.id: None if each.id in skipped else workspace.tokens_or_none(each, counter)
        for each in workspace.references
    }
    entries = _entries(workspace, arguments.depth)
    if arguments.json:
        from ctxtui.core.text.projection import json_document, json_rows  # noqa: PLC0415 - only if JSON is wanted

        if arguments.short:
            write_stdout(json_document({each.id: each.tokens(tokens) for each in entries}, narrator.notices))
        else:
            write_stdout(json_rows((_json(each, tokens, counter) for each in entries), narrator.notices))
        return DONE
    is_terminal = require_stdout().isatty()
    kept = 2 if arguments.short else len(_HEADER)
    if is_terminal:
        rows = [_row(each, tokens, "{:,}", each.is_all_in(skipped))[:kept] for each in entries]
        put("\n".join(_aligned_rows([_HEADER[:kept], *rows])), has_ids=True)
    else:
        rows = [_row(each, tokens, "{}", False)[:kept] for each in entries]
        write_stdout("".join("\t".join(row) + "\n" for row in rows).encode())
    _tell_total(workspace, tokens, counter, narrator, uncounted)
    return DONE


def _aligned_rows(rows: Sequence[tuple[str, ...]]) -> Iterator[str]:
    """Aligned rows for a terminal. An id that is too long for its column stands whole on a line of its own."""
    cells = aligned([row[1:] for row in rows], {0, 1})
    room = shutil.get_terminal_size().columns - max(map(len, cells)) - 2
    width = min(max(len(row[0]) for row in rows), max(len(_HEADER[0]), room))
    for (id_, *_), line in zip(rows, cells, strict=True):
        if len(id_) > width:
            yield id_
        yield f"{'' if len(id_) > width else id_:<{width}}  {line}".rstrip()


def _entries(workspace: Workspace, depth: int | None) -> list[_Entry]:
    """An entry for each file, or with `depth` one for each folder at that depth and for each file above."""
    if depth is None:
        return [_Entry(each.id, (each,)) for each in workspace.references]
    if depth < 1:
        raise invalid(f"--depth {depth} shows nothing", hint="give 1 or more")
    inside: dict[str, list[Reference]] = {}
    for each in workspace.references:
        parts = each.path.split("/")
        folder = "".join(f"{part}/" for part in parts[:depth]) if len(parts) > depth else ""
        inside.setdefault(folder or each.id, []).append(each)
    return [_Entry(id_, tuple(found)) for id_, found in inside.items()]


def _uncounted_notice(uncounted: Sequence[Reference]) -> Notice:
    count = len(uncounted)
    files, them = plural(count, "large file"), noun(count, "it", "them")
    message = f"{files} ({_byte_words(uncounted)}) {noun(count, 'is', 'are')} not counted; --large counts {them}"
    return Notice("not-counted", message)


def _byte_words(references: Sequence[Reference]) -> str:
    return byte_size(sum(each.stamp.size for each in references))


def _row(entry: _Entry, known: Tokens, number: str, by_bytes: bool) -> tuple[str, ...]:
    """The cells under `_HEADER`. `number` is a format, and an uncounted entry shows its bytes if `by_bytes`."""
    tokens, reference = entry.tokens(known), entry.files[0]
    declared = None if entry.is_folder else reference.details.declared_tokens
    size = _byte_words(entry.files) if by_bytes else ""
    return (
        plain_line(entry.id),
        size if tokens is None else number.format(tokens),
        "" if declared is None else number.format(declared),
        "" if entry.is_folder else plain_line(reference.strategy or ""),
        plural(len(entry.files), "file") if entry.is_folder else reference.source,
    )


def _json(entry: _Entry, known: Tokens, counter: TokenCounter) -> dict[str, Any]:
    from ctxtui.cli.output.as_json import reference_json  # noqa: PLC0415 - only if JSON is wanted

    size = {"tokens": entry.tokens(known), "bytes": sum(each.stamp.size for each in entry.files)}
    if entry.is_folder:
        return {"id": entry.id, "files": len(entry.files)} | size | counter.described()
    [reference] = entry.files
    return reference_json(reference) | size | {"large": reference.large} | counter.described()


def _tell_total(
    workspace: Workspace, sizes: Tokens, counter: TokenCounter, narrator: Narrator, uncounted: Sequence[Reference]
) -> None:
    sign = "" if counter.exact else "≈ "
    band = "" if counter.exact else f" ({counter.band})"
    size_left = f" + {_byte_words(uncounted)} not counted" if uncounted else ""
    links = sum(len(each.aliases) for each in workspace.references)
    more = f"; {plural(links, 'more path leads', 'more paths lead')} to them" if links else ""
    files = plural(len(workspace.references), "file")
    tokens = plural(sum(each or 0 for each in sizes.values()), "token")
    notebooks = sum(is_notebook(each.path) for each in workspace.references)
    more += f"; {plural(notebooks, 'notebook')} without outputs" if notebooks else ""
    narrator.say(f"{files}, {sign}{tokens} ({counter.name}){band}{size_left}{more}", is_ours=True)
