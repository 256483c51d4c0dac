"""Only what we wrote ourselves is compiled by `re`, which may run for ever."""

import ast
from collections.abc import Iterator

from tests.conftest import sources

_USES = {"compile", "search", "match", "fullmatch", "sub", "subn", "split", "findall", "finditer"}
# Each pattern here is made of our own text, of words that are escaped, or of a set of characters.
_IN_RULES = "catalog remedies loading/settings loading/shadowed loading/unknown_names loading/unloaded".split()
_KNOWN = {
    **dict.fromkeys((f"audit/rules/references/{name}.py" for name in ("conflicts", "short_indexes")), 2),
    **dict.fromkeys((f"audit/rules/references/{name}.py" for name in ("commands", "named")), 1),
    **dict.fromkeys((f"audit/rules/{name}.py" for name in _IN_RULES), 1),
    "agents/project/imports.py": 2,
    # Sections are those of our table of programs.
    **dict.fromkeys(("agents/capture/categories.py", "audit/context.py", "core/text/data/lines.py"), 1),
    **dict.fromkeys(("audit/text/named.py", "core/text/code/macros.py"), 4),
    **dict.fromkeys(("audit/starts/compare.py", "core/text/secrets/shapes.py"), 3),
    **dict.fromkeys(("catalog/protocol/cross_domain.py", "core/disk/write.py", "core/tokens/families.py"), 1),
    **dict.fromkeys(("retrieval/index/tokenizer.py", "tui/screens/search.py"), 1),
    # The packaged prices are among them.
    **dict.fromkeys(("catalog/detection/signal_index.py", "core/tokens/models.py", "workspace/search.py"), 2),
    "core/text/code/outline.py": 5,
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
    found = {path: len(list(_made(ast.parse(source)))) for path, source in sources().items()}
    assert {path: number for path, number in found.items() if number} == _KNOWN
