"""Frontmatter: the YAML between two `---` lines, read tolerantly, bounded and with line numbers."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from itertools import takewhile
from typing import Any

import yaml

from ctxtui.core.notices import Notice

_OPENING = re.compile(r"---[ \t]*(?:\r\n|\r|\n)")
_CLOSING = re.compile(r"(?<=[\r\n])(?:---|\.\.\.)[ \t]*(?:\r\n|\r|\n|\Z)")
_MANGLED = re.compile(r"[ \t]*#{1,6}[ \t]+([A-Za-z][\w-]*):[ \t]*(\[.*\]|\S.*)")
_BLANK_LINES = re.compile(r"(?:[ \t]*(?:\r\n|\r|\n))*")
_PAIR = re.compile(r"([A-Za-z][\w.-]*)[ \t]*:(?:[ \t]+(.*))?$")
_MANGLED_KEYS = frozenset(
    {"tags", "crossDomainTriggers", "detectionTriggers", "sections", "description", "name", "globs", "paths"}
)
MAX_CHARACTERS = 128 * 1024
_MAX_DEPTH = 32

_BaseLoader: Any = getattr(yaml, "CSafeLoader", yaml.SafeLoader)


class _Loader(_BaseLoader):  # type: ignore[misc]
    """The C loader without timestamps (dates stay the text that was written) and base-60 integers."""


_Loader.yaml_implicit_resolvers = {
    first: [(tag, pattern) for tag, pattern in pairs if not tag.endswith((":timestamp", ":int", ":float"))]
    for first, pairs in _BaseLoader.yaml_implicit_resolvers.items()
}
_Loader.add_implicit_resolver("tag:yaml.org,2002:int", re.compile(r"^[-+]?\d{1,18}$"), list("-+0123456789"))
_Loader.add_implicit_resolver(
    "tag:yaml.org,2002:float", re.compile(r"^[-+]?\d{1,18}\.\d{1,18}$"), list("-+0123456789")
)


def _as_text(loader: Any, node: yaml.Node) -> Any:
    return loader.construct_scalar(node)


# What is tagged as a time stays the text that was written, too.
_Loader.add_constructor("tag:yaml.org,2002:timestamp", _as_text)


class YamlProblem(ValueError):
    """YAML that is refused: what is wrong, and the line, counted from 0 within the text."""

    def __init__(self, message: str, line: int) -> None:
        super().__init__(message)
        self.line = line


@dataclass(frozen=True, slots=True)
class Frontmatter:
    """Metadata of a document: the values, and the offset where its body begins (blank lines skipped)."""

    values: Mapping[str, Any]
    body: int
    notices: tuple[Notice, ...] = ()


def read_frontmatter(text: str, path: str) -> Frontmatter | None:
    """The frontmatter at the start of a text; None where there is none.

    Keys that a Markdown formatter turned into headings are recovered, before or right after the closing
    line; broken YAML gives what single lines can tell. Both leave a notice, nothing raises.
    """
    opening = _OPENING.match(text)
    if opening is None:
        return None
    closing = _CLOSING.search(text, opening.end(), opening.end() + MAX_CHARACTERS)
    if closing is None:
        return _unclosed(text, opening.end(), path)
    raw = text[opening.end() : closing.start()]
    values, notices = _parse(raw, path)
    recovered, body = _mangled_after(text, closing.end())
    recovered = _mangled_inside(raw) | recovered
    for key, value in recovered.items():
        message = f"`{key}` was turned into a heading by a formatter; it was read as metadata"
        notices.append(Notice("frontmatter-mangled", message, path, 1))
        values.setdefault(key, value)
    return Frontmatter(values, body, tuple(notices))


def _unclosed(text: str, start: int, path: str) -> Frontmatter | None:
    first = text[start : start + 400].lstrip().splitlines()[:1]
    if first and _PAIR.match(first[0]):
        message = "frontmatter has no closing `---` line; the whole file is read as text"
        return Frontmatter({}, 0, (Notice("frontmatter-unclosed", message, path, 1),))
    return None


def _parse(raw: str, path: str) -> tuple[dict[str, Any], list[Notice]]:
    try:
        value, repeated = load_yaml(raw)
    except YamlProblem as problem:
        message = f"frontmatter is no valid YAML ({problem}); simple lines were read, the rest left out"
        return _line_by_line(raw), [Notice("frontmatter-yaml", message, path, problem.line + 2)]
    notices = [
        Notice("frontmatter-repeated", f"`{key}` stands twice; the last one counts", path, line + 2)
        for key, line in repeated
    ]
    if value is None:
        return {}, notices
    if not isinstance(value, dict):
        notices.append(Notice("frontmatter-yaml", "frontmatter holds no `key: value` lines", path, 2))
        return {}, notices
    return {str(key): entry for key, entry in value.items()}, notices


def load_yaml(raw: str) -> tuple[Any, list[tuple[str, int]]]:
    """Load one YAML document without aliases and of bounded depth; also its repeated top-level keys.

    Raises YamlProblem with reason and line.
    """
    _refuse_bombs(raw)
    loader = _Loader(raw)
    try:
        node = loader.get_single_node()
        if node is None:
            return None, []
        return loader.construct_document(node), _repeated_keys(node)
    except yaml.MarkedYAMLError as error:
        mark = error.problem_mark or error.context_mark
        raise YamlProblem(error.problem or "unreadable", mark.line if mark else 0) from error
    except (yaml.YAMLError, ValueError, TypeError, LookupError, AttributeError, ArithmeticError) as error:
        raise YamlProblem(str(error).splitlines()[0] if str(error) else "unreadable", 0) from error
    finally:
        loader.dispose()


def _refuse_bombs(raw: str) -> None:
    """Aliases and deep nesting have no place in metadata, and can eat all memory or the stack."""
    deepest = max((_possible_depth(line) for line in raw.splitlines()), default=0)
    suspicious = "*" in raw or raw.count("[") + raw.count("{") > _MAX_DEPTH or deepest > _MAX_DEPTH
    if not suspicious:
        return
    depth = 0
    try:
        for event in yaml.parse(raw, Loader=_BaseLoader):
            if isinstance(event, yaml.AliasEvent):
                raise YamlProblem("aliases (`*name`) are not allowed", _line(event))
            if isinstance(event, yaml.CollectionStartEvent):
                depth += 1
            elif isinstance(event, yaml.CollectionEndEvent):
                depth -= 1
            if depth > _MAX_DEPTH:
                raise YamlProblem(f"nested more than {_MAX_DEPTH} deep", _line(event))
    except yaml.YAMLError:
        return


def _possible_depth(line: str) -> int:
    """How deep a line can nest at most: the C loader recurses, so what is deeper must not reach it."""
    return len(line) - len(line.lstrip(" ")) + sum(line.count(sign) for sign in ("- ", "? ", ": ", "[", "{"))


def _line(event: yaml.Event) -> int:
    return event.start_mark.line if event.start_mark else 0


def _repeated_keys(node: yaml.Node) -> list[tuple[str, int]]:
    if not isinstance(node, yaml.MappingNode):
        return []
    seen: set[str] = set()
    repeated = []
    for key, _ in node.value:
        name = str(key.value)
        if name in seen:
            repeated.append((name, key.start_mark.line))
        seen.add(name)
    return repeated


def _line_by_line(raw: str) -> dict[str, Any]:
    """What unindented `key: value` lines and the `- item` lines below them say, whatever else is broken."""
    values: dict[str, Any] = {}
    lines = raw.splitlines()
    for number, line in enumerate(lines):
        pair = _PAIR.match(line)
        if pair is None:
            continue
        value = (pair[2] or "").strip()
        if value:
            values[pair[1]] = _scalar(value)
        else:
            items = takewhile(lambda later: later.lstrip().startswith("- "), lines[number + 1 :])
            values[pair[1]] = [_scalar(item.lstrip()[2:].strip()) for item in items]
    return values


def _scalar(value: str) -> Any:
    try:
        return load_yaml(value)[0]
    except YamlProblem:
        return value.strip("\"'")


def _mangled_inside(raw: str) -> dict[str, Any]:
    """Keys that stand as `## key: value` lines between the delimiters, where YAML sees comments."""
    matches = (_MANGLED.fullmatch(line.rstrip()) for line in raw.splitlines())
    return {match[1]: _scalar(match[2]) for match in matches if match and match[1] in _MANGLED_KEYS}


def _mangled_after(text: str, start: int) -> tuple[dict[str, Any], int]:
    """Mangled keys right after the closing line, and the offset of the body behind them."""
    found: dict[str, Any] = {}
    position = _skip_blank(text, start)
    while match := _MANGLED.match(text, position):
        if match[1] not in _MANGLED_KEYS or not match[2].rstrip().endswith("]"):
            break
        found[match[1]] = _scalar(match[2].rstrip())
        position = _skip_blank(text, match.end())
    return found, position


def _skip_blank(text: str, start: int) -> int:
    match = _BLANK_LINES.match(text, start)
    return match.end() if match else start
