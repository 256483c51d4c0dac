"""YAML read within bounds, and written so that every reader gets the same values."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from datetime import datetime
from typing import Any, Final

import yaml

from ctxtui.core.base.batches import firsts
from ctxtui.core.text.data.bounds import MAX_DEPTH, MAX_DIGITS, DataProblem, is_bounded
from ctxtui.core.text.decode import Lines, line_ends

Node = yaml.Node
ScalarNode = yaml.ScalarNode
SequenceNode = yaml.SequenceNode
MappingNode = yaml.MappingNode

_BaseLoader: Any = getattr(yaml, "CSafeLoader", yaml.SafeLoader)
_BaseTextLoader: Any = getattr(yaml, "CBaseLoader", yaml.BaseLoader)
_TAG: Final = "tag:yaml.org,2002:"
_TEXT: Final = f"{_TAG}str"
_PLAIN_TAGS: Final = frozenset(f"{_TAG}{kind}" for kind in ("bool", "int", "float", "null"))
_INTEGER: Final = re.compile(rf"^[-+]?(?:0|[1-9]\d{{0,{MAX_DIGITS - 1}}})$")
_FRACTION: Final = re.compile(rf"^[-+]?\d{{1,{MAX_DIGITS}}}\.\d{{1,{MAX_DIGITS}}}$")
# Longer than any number within the bounds in any notation that a tag allows.
_LONGEST_NUMBER: Final = 80
_READ_ERRORS: Final = (
    yaml.YAMLError,
    ValueError,
    TypeError,
    LookupError,
    AttributeError,
    ArithmeticError,
    RecursionError,
)


class Bare(str):
    """An unquoted YAML scalar, which may mean a number, a date, a boolean or null."""

    __slots__ = ()


class _Loader(_BaseLoader):  # type: ignore[misc]
    """The C loader without timestamps, octal and base-60 numbers, which stay text."""

    def construct_mapping(self, node: yaml.MappingNode, deep: bool = False) -> dict[Any, Any]:
        """A mapping. Keys are texts as written: `on` is no boolean, and `1.10` no number."""
        if isinstance(node, MappingNode):
            self.flatten_mapping(node)
            for key, _ in node.value:
                key.tag = _TEXT if key.tag in _PLAIN_TAGS else key.tag
        found: dict[Any, Any] = super().construct_mapping(node, deep=deep)
        return found


_Loader.yaml_implicit_resolvers = {
    first: [(tag, pattern) for tag, pattern in pairs if not tag.endswith((":timestamp", ":int", ":float"))]
    for first, pairs in _BaseLoader.yaml_implicit_resolvers.items()
}
_Loader.add_implicit_resolver(f"{_TAG}int", _INTEGER, list("-+0123456789"))
_Loader.add_implicit_resolver(f"{_TAG}float", _FRACTION, list("-+0123456789"))


class _TextLoader(_BaseTextLoader):  # type: ignore[misc]
    """Builds texts, lists and mappings only."""

    def construct_scalar(self, node: yaml.ScalarNode) -> str:
        """A scalar as text, as `Bare` if it is not quoted."""
        text: str = super().construct_scalar(node)
        return text if node.style else Bare(text)


def _integer(loader: Any, node: yaml.ScalarNode) -> int:
    text = loader.construct_scalar(node)
    return int(text) if _INTEGER.match(text) else int(_bounded_number(_BaseLoader.construct_yaml_int, loader, node))


def _fraction(loader: Any, node: yaml.ScalarNode) -> float:
    return float(_bounded_number(_BaseLoader.construct_yaml_float, loader, node))


def _bounded_number(construct: Any, loader: Any, node: yaml.ScalarNode) -> float:
    """The number that `construct` reads, in any notation of YAML. Raises ConstructorError if it is out of bounds."""
    number: float | None = construct(loader, node) if len(node.value) <= _LONGEST_NUMBER else None
    if number is None or not is_bounded(number):
        message = f"a number with more than {MAX_DIGITS} digits, or not finite"
        raise yaml.constructor.ConstructorError(None, None, message, node.start_mark)
    return number


_Loader.add_constructor(f"{_TAG}int", _integer)
_Loader.add_constructor(f"{_TAG}float", _fraction)
# Values tagged as times or bytes stay text too, and JSON has no sets.
_Loader.add_constructor(f"{_TAG}timestamp", _BaseLoader.construct_scalar)
_Loader.add_constructor(f"{_TAG}binary", _BaseLoader.construct_scalar)
_Loader.add_constructor(f"{_TAG}set", _BaseLoader.construct_yaml_map)


def load_yaml(raw: str) -> tuple[Any, list[tuple[str, int]]]:
    """Load one YAML document without aliases, of bounded depth and numbers.

    Returns its value, and repeated top-level keys with their lines from 0. Raises DataProblem with reason and line.
    """
    with _loading(_Loader, raw) as loader:
        node = loader.get_single_node()
        return (None, []) if node is None else (loader.construct_document(node), _repeated_keys(node, raw))


def load_own_yaml(raw: str) -> Any:
    """Load YAML that this package ships, without the checks for nesting and aliases."""
    return yaml.load(raw, _Loader)  # noqa: S506 - derived from a safe loader


def load_texts(raw: str) -> tuple[Any, dict[str, Any]]:
    """Load one YAML document with every scalar as text, `Bare` if unquoted. Aliases are read. Raises DataProblem.

    The last value of a repeated top-level key counts. The first values of such keys are returned beside the document.
    """
    with _loading(_TextLoader, raw, with_aliases=True) as loader:
        node = loader.get_single_node()
        return (None, {}) if node is None else (loader.construct_document(node), _first_values(loader, node))


def _first_values(loader: Any, node: Node) -> dict[str, Any]:
    first: dict[str, Node] = {}
    repeated: dict[str, Any] = {}
    for key, value in node.value if isinstance(node, MappingNode) else ():
        name = str(key.value)
        if name in first:
            repeated.setdefault(name, loader.construct_object(first[name], deep=True))
        first.setdefault(name, value)
    return repeated


def compose_yaml(raw: str) -> Node | None:
    """The root node of one YAML document, None if it is empty. Raises DataProblem with reason and line."""
    with _loading(_Loader, raw) as loader:
        node: Node | None = loader.get_single_node()
        return node


@contextmanager
def _loading(kind: Any, raw: str, with_aliases: bool = False) -> Iterator[Any]:
    """A loader of a text, disposed after the block. Raises DataProblem for a harmful text and errors in the block."""
    _refuse_bombs(raw, with_aliases)
    try:
        loader = kind(raw)
        try:
            yield loader
        finally:
            loader.dispose()
    except _READ_ERRORS as error:
        raise _problem(error, raw) from error


def _problem(error: Exception, raw: str) -> DataProblem:
    if isinstance(error, yaml.MarkedYAMLError):
        return DataProblem(error.problem or "unreadable", _line_at(error.problem_mark or error.context_mark, raw))
    if isinstance(error, yaml.reader.ReaderError | UnicodeError):
        found = yaml.reader.Reader.NON_PRINTABLE.search(raw)
        if found:
            line = line_ends(raw[: found.start()])
            return DataProblem(f"the character U+{ord(found[0]):04X} is not allowed", line)
    return DataProblem(str(error).splitlines()[0] if str(error) else "unreadable", 0)


def _refuse_bombs(raw: str, with_aliases: bool) -> None:
    """Raise DataProblem for deep nesting and aliases, which can exhaust memory or stack. Other errors pass unseen."""
    if "*" not in raw and raw.count("[") + raw.count("{") <= MAX_DEPTH:
        # The C loader recurses, so it must not get a line that can nest deeper.
        signs = ("- ", "? ", ": ", "[", "{")
        depths = (len(line) - len(line.lstrip(" ")) + sum(map(line.count, signs)) for line in raw.splitlines())
        if max(depths, default=0) <= MAX_DEPTH:
            return
    depth = 0
    try:
        for event in yaml.parse(raw, Loader=_BaseLoader):
            if isinstance(event, yaml.AliasEvent) and not with_aliases:
                raise DataProblem("aliases (`*name`) are not allowed", _line_at(event.start_mark, raw))
            if isinstance(event, yaml.CollectionStartEvent):
                depth += 1
            elif isinstance(event, yaml.CollectionEndEvent):
                depth -= 1
            if depth > MAX_DEPTH:
                raise DataProblem(f"nested more than {MAX_DEPTH} deep", _line_at(event.start_mark, raw))
    except (yaml.YAMLError, UnicodeError):
        return


def _line_at(mark: Any, raw: str) -> int:
    """The line of a mark, from 0, by this package's line ends: YAML has more kinds."""
    return line_ends(raw[: mark.index]) if mark else 0


def _repeated_keys(node: Node, raw: str) -> list[tuple[str, int]]:
    """The top-level keys that an earlier key repeats, with their lines, from 0."""
    if not isinstance(node, MappingNode):
        return []
    keys = [(str(key.value), key.start_mark.index) for key, _ in node.value]
    first = firsts(keys)
    if len(first) == len(keys):
        return []
    lines = Lines.of(raw)
    return [(name, lines.at(index)) for name, index in keys if first[name] != index]


# Numbers that the loader reads as numbers without a tag.
_PLAIN_NUMBER: Final = re.compile(rf"-?(?:0|[1-9]\d{{0,{MAX_DIGITS - 1}}})(?:\.\d{{1,{MAX_DIGITS}}})?")
_WIDTH: Final = 2**30


class _Dumper(yaml.SafeDumper):
    """Writes no aliases, and quotes strings that any YAML version reads as another type."""

    def ignore_aliases(self, _data: Any) -> bool:
        return True


def _write_text(dumper: yaml.SafeDumper, value: str) -> yaml.ScalarNode:
    # A multi-line text could contain a line that closes frontmatter, and folding does not keep every line break.
    style = None
    if not value.isprintable():
        style = '"'
        if any("\ud800" <= character <= "\udfff" for character in value):
            raise DataProblem("a string contains half of a surrogate pair, which UTF-8 cannot encode", 0)
    return dumper.represent_scalar(_TEXT, value, style=style)


def _write_number(dumper: yaml.SafeDumper, value: float) -> yaml.ScalarNode:
    if not is_bounded(value):
        raise DataProblem(f"a number with more than {MAX_DIGITS} digits, or not finite", 0)
    node: Any = yaml.SafeDumper.yaml_representers[type(value)](dumper, value)
    style = None if _PLAIN_NUMBER.fullmatch(node.value) else "'"
    return dumper.represent_scalar(node.tag, node.value, style=style)


def _write_time(dumper: yaml.SafeDumper, value: datetime) -> yaml.ScalarNode:
    text = re.sub(r"\+00:00$", "Z", value.isoformat())
    return dumper.represent_scalar(f"{_TAG}timestamp", text)


class _Lines(dict[str, Any]):
    """A mapping written with one line per key, however short."""


def _write_lines(dumper: yaml.SafeDumper, values: _Lines) -> yaml.MappingNode:
    return dumper.represent_mapping(f"{_TAG}map", values, flow_style=False)


_Dumper.add_representer(_Lines, _write_lines)
_Dumper.add_representer(str, _write_text)
_Dumper.add_representer(int, _write_number)
_Dumper.add_representer(float, _write_number)
_Dumper.add_representer(datetime, _write_time)
# Booleans and numbers in YAML 1.2 and for other YAML 1.1 readers, but not for PyYAML.
_Dumper.add_implicit_resolver("tag:ctxtui,2026:other", re.compile(r"^[yYnN]$"), list("yYnN"))
_Dumper.add_implicit_resolver(
    "tag:ctxtui,2026:other", re.compile(r"^[-+.]?\d[\d_.]*(?:[eE][-+]?\d+)?$|^0o[0-7]+$"), list("-+.0123456789")
)


class _BlockDumper(_Dumper):
    """Writes multi-line strings as blocks if the blocks keep them unchanged."""


def _write_block(dumper: yaml.SafeDumper, value: str) -> yaml.ScalarNode:
    lines = value.split("\n")
    if len(lines) < 2 or value[0] in " \n" or not all(map(str.isprintable, lines)):
        return _write_text(dumper, value)
    return dumper.represent_scalar(_TEXT, value, style="|")


_BlockDumper.add_representer(str, _write_block)


def dump_yaml(values: Mapping[str, Any], inline: bool = False) -> str:
    """A mapping as YAML that `load_yaml` reads back equal. `inline` writes nested values in brackets.

    Raises DataProblem for values that YAML cannot represent, such as half of a surrogate pair.
    """
    try:
        text = yaml.dump(
            _Lines(values),
            Dumper=_Dumper if inline else _BlockDumper,
            default_flow_style=None if inline else False,
            sort_keys=False,
            allow_unicode=True,
            width=_WIDTH,
        )
    except (yaml.YAMLError, RecursionError) as error:
        raise DataProblem("only strings, numbers, lists and mappings can be written as YAML", 0) from error
    return str(text)
