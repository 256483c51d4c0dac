"""`ctxtui help`: a page of the manual, formatted for a terminal and raw in a pipe, or the list of pages."""

from __future__ import annotations

import argparse
import re
import shutil
from collections.abc import Iterator
from itertools import groupby
from textwrap import wrap

from ctxtui.cli.options import COMMANDS
from ctxtui.cli.output.streams import put, require_stdout, write_stdout
from ctxtui.cli.parser import parse
from ctxtui.cli.status import DONE
from ctxtui.core.base.errors import NotFound
from ctxtui.core.base.manual import TOPICS, page, summary

_LINK = re.compile(r"!?\[([^\]]*)\]\(([^)\s]*)\)")
_PAGE = re.compile(r"([a-z-]+)\.md(?:#.*)?")
# Or code, in which stars are no emphasis.
_STRONG = re.compile(r"(`[^`]*`)|(?<![\w`*])(\*\*?)(?=\S)(.+?)(?<=\S)\2(?![\w*])")
_ITEM = re.compile(r"(\s*)([-*]|\d+\.)\s+")
_RULER = re.compile(r"[|\s:-]+")
_CELL = re.compile(r"(?<!\\)\|")
_NARROWEST = 20
_WIDEST = 100


def readable(markdown: str, width: int) -> str:
    """The text of a page in lines of at most `width` characters, except code and longer words."""
    return "\n".join(_lines(markdown, max(width, _NARROWEST))) + "\n"


def _lines(markdown: str, width: int) -> Iterator[str]:
    for kind, lines in _blocks(markdown):
        match kind:
            case "code":
                yield from (f"    {line}".rstrip() for line in lines)
            case "table":
                yield from _table(lines, width)
            case "heading":
                text = _unmarked(lines[0].lstrip("#").strip())
                yield from (text, ("=" if lines[0].startswith("# ") else "-") * len(text))
            case "text":
                yield from _wrapped_items(lines, width)
            case _:
                yield ""


def _blocks(markdown: str) -> Iterator[tuple[str, list[str]]]:
    """Adjacent lines of one kind. A heading is a block of its own."""
    shown = (each for each in _lines_with_kind(markdown.splitlines()) if each[0] != "markup")
    for kind, group in groupby(shown, key=lambda each: each[0]):
        lines = [line for _, line in group]
        if kind == "heading":
            yield from ((kind, [line]) for line in lines)
        else:
            yield kind, lines


def _lines_with_kind(lines: list[str]) -> Iterator[tuple[str, str]]:
    """Each line after its kind: code, table, heading, text, blank, or markup that is not shown."""
    is_code = False
    for line in lines:
        if line.startswith("```"):
            is_code = not is_code
            yield "markup", line
        elif is_code:
            yield "code", line
        elif line.startswith(("<!--", "![")):
            yield "markup", line
        elif line.startswith("|") and _cells(line):
            yield "markup" if _RULER.fullmatch(line) else "table", line
        elif line.startswith("#"):
            yield "heading", line
        else:
            yield ("text" if line.strip() else "blank"), line


def _unmarked(text: str) -> str:
    """Markdown text without emphasis and links. A link to a page is followed by the command that opens it."""
    return _STRONG.sub(lambda match: match[1] or match[3], _LINK.sub(_link_in_words, text))


def _link_in_words(match: re.Match[str]) -> str:
    text, target = match.groups()
    page = _PAGE.fullmatch(target)
    if page:
        return f"{text} (ctxtui help {page[1]})"
    return f"{text} <{target}>" if "://" in target else text


def _wrapped_items(lines: list[str], width: int) -> Iterator[str]:
    """Paragraphs and items of a list, each wrapped with its own indent."""
    items: list[list[str]] = []
    for line in lines:
        if not items or _ITEM.match(line):
            items.append([])
        items[-1].append(line)
    for item in items:
        mark = _ITEM.match(item[0])
        first = mark[0] if mark else ""
        text = _unmarked(" ".join(line.strip() for line in (item[0][len(first) :], *item[1:])))
        yield from _wrap(text, width, first, " " * len(first))


def _wrap(text: str, width: int, first: str, rest: str) -> list[str]:
    return wrap(
        text, width, initial_indent=first, subsequent_indent=rest, break_long_words=False, break_on_hyphens=False
    )


def _table(lines: list[str], width: int) -> Iterator[str]:
    """The rows of a Markdown table in aligned columns. The last column is wrapped to the remaining width."""
    rows = [_cells(line) for line in lines]
    columns = max(map(len, rows))
    rows = [row + [""] * (columns - len(row)) for row in rows]
    widths = [max(len(row[column]) for row in rows) for column in range(columns - 1)]
    for row in rows:
        first = "".join(f"{cell:<{size}}  " for cell, size in zip(row, widths, strict=False))
        yield from _wrap(row[-1], max(width, len(first) + _NARROWEST), first, " " * len(first)) or [first.rstrip()]


def _cells(line: str) -> list[str]:
    return [_unmarked(cell.strip().replace("\\|", "|")) for cell in _CELL.split(line.strip())[1:-1]]


def run_help(arguments: argparse.Namespace) -> int:
    """Print the list of pages, a page, or the help of a command without a page. An unknown topic raises NotFound."""
    if arguments.topic is None:
        width = max(map(len, TOPICS)) + 2
        put("\n".join(f"{topic:<{width}}{summary(topic)}" for topic in TOPICS))
        return DONE
    try:
        text = page(arguments.topic)
    except NotFound:
        if arguments.topic in COMMANDS:
            parse([arguments.topic, "--help"])
        raise
    if require_stdout().isatty():
        put(readable(text, min(_WIDEST, shutil.get_terminal_size().columns)).rstrip("\n"))
    else:
        write_stdout(text.encode())
    return DONE
