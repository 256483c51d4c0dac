"""`@path` imports of a text, and the imports of imported files."""

from __future__ import annotations

import posixpath
import re
from collections.abc import Callable, Container, Iterable, Iterator
from functools import cache
from itertools import accumulate
from typing import TYPE_CHECKING, NamedTuple

from ctxtui.agents.project.base import is_at_home
from ctxtui.agents.types import MARKDOWN, Grammar
from ctxtui.core.text.markdown.light import prose

if TYPE_CHECKING:
    from markdown_it import MarkdownIt


Mentioned = Callable[[str], tuple[str, ...]]
"""Returns the `mentions` of a file by its path."""

MAX_IMPORTS = 1_000
"""The maximum number of imports to follow if files may enter repeatedly, because cycles would not end."""

_SPAN = re.compile(r"(?<!`)(`++).{0,2000}?(?<!`)\1(?!`)", re.DOTALL)
_COMMENT = re.compile(r"^ {0,3}<!--(?:.*?-->|.*)", re.DOTALL | re.MULTILINE)
_INDENTED = re.compile(r"^(?: {4}| {0,3}\t)[^\n]*@", re.MULTILINE)
_RUN = re.compile(r"`+")
# Markup in a line that may start or end an import.
_MARKED = re.compile(r"[*_`>)\[]@[^\s@]|(?:^|\s)@\S*[*_`<\]]")
# Longer paragraphs and texts are not parsed for markup, because parsing is slow.
_LONG_PARAGRAPH = 1_000
_LONG_TEXT = 100_000
_MANY_BRACKETS = 50
_BREAK = re.compile(r"\n[ \t]*+\n")
_LINES = re.compile(r"\r\n|\r|\n")
_FILE_LIKE = re.compile(r"[./~].*/.*|.*\.(?:md|mdc|mdx|txt|json|ya?ml|toml)")


class Unmet(NamedTuple):
    """A broken import: the importing file and line (from 1), the target, and the reason."""

    importer: str
    line: int
    target: str
    why: str


class Import(NamedTuple):
    """A file that an instruction file imports. `reached` is false beyond the agent's last hop."""

    path: str
    importer: str
    reached: bool


def mentions(text: str, grammar: Grammar = MARKDOWN) -> tuple[str, ...]:
    """The `@path` targets in a text, as written, by an agent's grammar."""
    if "@" not in text:
        return ()
    pieces = ("`".join(_outside_backticks(text)),) if grammar.code == "backticks" else _in_prose(text, grammar)
    pattern = _pattern(grammar.ascii, grammar.escapes, grammar.begins)
    targets = (match[1].replace("\\ ", " ") for piece in pieces for match in pattern.finditer(piece))
    parts = (target.partition("#")[0] if grammar.part else target for target in targets)
    return tuple(dict.fromkeys(filter(None, parts)))


@cache
def _pattern(is_ascii: bool, has_escapes: bool, begins: str) -> re.Pattern[str]:
    blank = r" \t\r\n" if is_ascii else r"\s"
    path = rf"(?:[^{blank}\\]|\\ )+" if has_escapes else rf"[^{blank}]+"
    first = f"(?=[{begins}])" if begins else ""
    return re.compile(rf"(?:^|(?<=[{blank}]))@({first}{path})")


def _in_prose(text: str, grammar: Grammar) -> Iterator[str]:
    """The pieces of a text in which Markdown readers see imports: without code, HTML comments and markup."""
    is_parsed = grammar.markup and len(text) <= _LONG_TEXT
    # Uniform line ends make the split into paragraphs independent of the file's.
    text = _without_indented(_LINES.sub("\n", text))
    unfenced = "\n".join(text[start:end] for start, end in prose(text))
    shown = _COMMENT.sub(" ", unfenced) if grammar.comments else unfenced
    for paragraph in _BREAK.split(shown):
        if "@" not in paragraph:
            continue
        is_short = len(paragraph) <= _LONG_PARAGRAPH and paragraph.count("[") <= _MANY_BRACKETS
        if is_parsed and is_short and _MARKED.search(paragraph):
            yield from _inline_texts(paragraph)
        else:
            yield _SPAN.sub("`", paragraph)


def _without_indented(text: str) -> str:
    """The text with empty lines for indented code with `@`. Long texts stay as they are."""
    if len(text) > _LONG_TEXT or not _INDENTED.search(text):
        return text
    # Almost no text needs parsing.
    from ctxtui.core.text.markdown.scan import scan  # noqa: PLC0415

    found = scan(text)
    html = {line for span in found.blocks if span.kind == "html_block" for line in range(span.start, span.end)}
    code = found.code - html
    lines = text.split("\n")
    return "\n".join("" if at in code and _INDENTED.match(line) else line for at, line in enumerate(lines))


def _outside_backticks(text: str) -> Iterator[str]:
    """The text outside code spans, in pieces. Backticks without an equal run after them open a shorter one."""
    runs = [match.span() for match in _RUN.finditer(text)]
    longest = list(accumulate((end - start for start, end in reversed(runs)), max, initial=0))[::-1][1:]
    kept, number, position = 0, 0, 0
    while number < len(runs):
        start, end = runs[number]
        position = max(position, start)
        size = end - position
        width = max(min(size, longest[number]), size // 2)
        if width == 0:
            number += 1
            continue
        yield text[kept:position]
        if width <= size // 2:
            kept = position = position + 2 * width
        else:
            number = next(at for at in range(number + 1, len(runs)) if runs[at][1] - runs[at][0] >= width)
            kept = position = runs[number][0] + width
        number += position >= runs[number][1]
    yield text[kept:]


def follow(
    path: str, hops: int, mentioned: Mentioned, known: Container[str], again: bool = False
) -> Iterator[Import]:
    """The imports of a file in reading order, at most `hops` deep.

    `mentioned` returns the targets in a file. Each reached path appears once, despite cycles. With `again`, it
    appears at every mention outside an import of itself, up to `MAX_IMPORTS`. Targets are relative to the importing
    file. Only known paths count, so no import leads out of the project.
    """
    seen, reached = {path}, 0
    todo = [(Import(path, "", True), 0, frozenset[str]())]
    while todo and reached <= MAX_IMPORTS:
        current, depth, within = todo.pop()
        if depth:
            yield current
            within |= {current.path}
        if current.reached:
            reached += again
            met = within if again else seen
            resolved = dict.fromkeys(_target_path(current.path, target) for target in mentioned(current.path))
            fresh = [target for target in resolved if target in known and target not in met]
            seen.update(fresh if depth < hops else ())
            todo += [(Import(target, current.path, depth < hops), depth + 1, within) for target in reversed(fresh)]


def unmet_imports(path: str, text: str, targets: Iterable[str], known: Container[str]) -> Iterator[Unmet]:
    """Targets that look like files but do not exist or are outside the project."""
    bare = ""
    for target in targets:
        inside = _target_path(path, target)
        if inside in known or not _FILE_LIKE.fullmatch(target):
            continue
        bare = bare or without_code(text)
        line = len(_LINES.findall(text, 0, offset_of(text, bare, target))) + 1
        why = "no such file" if inside else "outside the project, not read here"
        yield Unmet(path, line, target, why)


def offset_of(text: str, bare: str, target: str) -> int:
    """The offset of the first `@target` in `bare`, the text without code, else in the text, else 0.

    An `@target` that is part of an address or of a longer path counts only if there is no other.
    """
    written = re.escape("@" + target.replace(" ", "\\ "))
    patterns = (rf"(?<![\w.]){written}(?![\w./-])", written)
    found = (re.search(pattern, each) for each in (bare, text) for pattern in patterns)
    return next((match.start() for match in found if match), 0)


def without_code(text: str) -> str:
    """The text with blanks for code, so that offsets stay."""
    pieces, at = list[str](), 0
    for start, end in prose(text):
        pieces += (" " * (start - at), _SPAN.sub(lambda span: " " * len(span[0]), text[start:end]))
        at = end
    return "".join(pieces)


def _target_path(path: str, target: str) -> str:
    """The target's path from the root, empty if it leads out of the project."""
    if is_at_home(path) and is_at_home(target):
        return posixpath.normpath(target)
    if target.startswith(("/", "~")):
        return ""
    place = posixpath.normpath(posixpath.join(posixpath.dirname(path), target))
    return "" if place.split("/")[0] == ".." else place


def _inline_texts(paragraph: str) -> list[str]:
    """The texts of a paragraph between markup, code and HTML, in order. Line breaks stay."""
    pieces, current = [], ""
    for block in _parser().parseInline(paragraph):
        for token in block.children or ():
            if token.type == "text" or (token.type == "text_special" and token.content == token.markup):
                current += token.content
            elif token.type == "softbreak":
                current += "\n"
            else:
                pieces.append(current)
                current = ""
    return [each for each in (*pieces, current) if each]


@cache
def _parser() -> MarkdownIt:
    from markdown_it import MarkdownIt  # noqa: PLC0415 - only few texts need it

    parser = MarkdownIt("commonmark").disable("entity")
    parser.core.ruler.enableOnly(["block", "inline"])
    return parser
