"""One way to do each thing: ids are split and joined, and near names are found, in one module each."""

import ast
from collections.abc import Callable

from tests.cases import cases
from tests.conftest import sources

_SPLITS = frozenset({"partition", "rpartition", "split", "rsplit"})
_LINK = "the anchor of a link in a text, not an id of ours"
_KEY = "`FILE#KEY` in a packaged table"

# module: why it does not go through `Target`
_OF_LINKS = ("core/text/markdown", "audit/rules/references", "audit/text")
_OF_KEYS = (
    *("agents/checks.py", "agents/contexts.py", "agents/moments.py", "agents/project/configuration.py"),
    *("audit/rules/references/conflicts.py", "audit/slim/switches.py", "audit/weigh/places.py"),
)
_TARGETS = {
    "core/base/target.py": "the one place",
    **dict.fromkeys((f"{place}/links.py" for place in _OF_LINKS), _LINK),
    **dict.fromkeys(("agents/project/imports.py", "audit/context.py"), _LINK),
    **dict.fromkeys(_OF_KEYS, _KEY),
    "serve/server.py": "the fragment of an address",
}


def _splits_ids(node: ast.AST) -> bool:
    """Whether a node splits a text at `#`, or joins two values with it."""
    match node:
        case ast.Call(func=ast.Attribute(attr=name), args=[ast.Constant(value="#"), *_]):
            return name in _SPLITS or name == "join"
        case ast.Call(func=ast.Attribute(value=ast.Constant(value="#"), attr="join")):
            return True
        case ast.JoinedStr(values=values):
            inner = zip(values, values[1:], values[2:], strict=False)
            return any(
                isinstance(one, ast.FormattedValue)
                and isinstance(glue, ast.Constant)
                and glue.value == "#"
                and isinstance(other, ast.FormattedValue)
                for one, glue, other in inner
            )
    return False


def _finds_near(node: ast.AST) -> bool:
    """Whether a node compares names by their likeness."""
    return isinstance(node, ast.ImportFrom | ast.Import) and (
        getattr(node, "module", None) == "difflib" or any(each.name == "difflib" for each in node.names)
    )


def _where(mention: str, is_found: Callable[[ast.AST], bool]) -> set[str]:
    mentioning = {path: source for path, source in sources().items() if mention in source}
    return {path for path, source in mentioning.items() if any(map(is_found, ast.walk(ast.parse(source))))}


def test_ids_are_split_and_joined_by_targets_alone() -> None:
    assert _where("#", _splits_ids) == set(_TARGETS)


def test_near_names_are_found_in_one_place() -> None:
    diffs = {"core/text/decode.py"}  # a change of a file, as a diff
    assert _where("difflib", _finds_near) - diffs == {"core/base/wording.py"}


@cases("source", ['id_.partition("#")', 'a.rsplit("#", 1)', 'f"{a}#{b}"', 'f"x{a}#{b.c}"', '"#".join(parts)'])
def test_every_way_around_targets_is_seen(source: str) -> None:
    assert any(map(_splits_ids, ast.walk(ast.parse(source))))


@cases("source", ['f"#{tag}"', 'f"{a} #{b}"', 'text.split(",")', 'line.startswith("#")'])
def test_what_is_no_id_is_left_alone(source: str) -> None:
    assert not any(map(_splits_ids, ast.walk(ast.parse(source))))
