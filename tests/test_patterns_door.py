"""Only what we wrote ourselves is compiled by `re`, which may run for ever."""

import ast
from collections.abc import Iterator
from pathlib import Path

PACKAGE = Path(__file__).parents[1] / "ctxtui"
_USES = {"compile", "search", "match", "fullmatch", "sub", "subn", "split", "findall", "finditer"}
# Each pattern here is made of our own text, of words that are escaped, or of a set of characters.
_KNOWN = {
    "agents/imports.py": 2,
    "audit/context.py": 1,
    "audit/rules/catalog.py": 1,
    "audit/rules/commands.py": 1,
    "audit/rules/conflicts.py": 2,
    "audit/rules/named.py": 1,
    "audit/rules/remedies.py": 1,
    "audit/rules/settings.py": 1,
    "audit/rules/shadowed.py": 1,
    "audit/rules/short_indexes.py": 2,
    # Sections are those of our table of programs.
    "agents/capture/categories.py": 1,
    "audit/starts/compare.py": 3,
    "audit/rules/unknown_names.py": 1,
    "audit/rules/unloaded.py": 1,
    "audit/text/named.py": 4,
    "core/text/data/lines.py": 1,
    "catalog/protocol/cross_domain.py": 1,
    "catalog/detection/signal_index.py": 2,
    "core/text/code/macros.py": 4,
    "core/text/code/outline.py": 5,
    "core/text/secrets/shapes.py": 3,
    "core/disk/write.py": 1,
    "core/tokens/families.py": 1,
    # The packaged prices.
    "core/tokens/models.py": 2,
    "retrieval/index/tokenizer.py": 1,
    "tui/screens/search.py": 1,
    "workspace/search.py": 2,
}


def _made(tree: ast.AST) -> Iterator[ast.expr]:
    """Patterns of `re` that are not written down where they are used, nor made of constants of their module."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and node.func.attr in _USES:
            module = node.func.value
            if isinstance(module, ast.Name) and module.id == "re" and not _is_constant(node.args[0]):
                yield node.args[0]


def _is_constant(node: ast.expr) -> bool:
    if isinstance(node, ast.JoinedStr):
        return all(_is_constant(each.value) for each in node.values if isinstance(each, ast.FormattedValue))
    if isinstance(node, ast.BinOp):
        return _is_constant(node.left) and _is_constant(node.right)
    return isinstance(node, ast.Constant) or (isinstance(node, ast.Name) and node.id.isupper())


def test_no_foreign_pattern_is_compiled_by_re() -> None:
    found = {}
    for file in PACKAGE.rglob("*.py"):
        made = list(_made(ast.parse(file.read_text("utf-8"))))
        if made:
            found[file.relative_to(PACKAGE).as_posix()] = len(made)
    assert found == _KNOWN
