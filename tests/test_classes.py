"""No class is a whole program."""

import ast
import warnings

import pytest

from tests.conftest import sources

# Longer than most people read in one go: a hint to whoever runs the tests, not a fault.
_MANY_LINES = 400


@pytest.mark.filterwarnings("default")
def test_long_classes_are_named() -> None:
    lengths = {
        f"{path}: {node.name}": (node.end_lineno or 0) - node.lineno + 1
        for path, source in sources().items()
        for node in ast.walk(ast.parse(source))
        if isinstance(node, ast.ClassDef)
    }
    assert len(lengths) > 100
    long = {name: lines for name, lines in lengths.items() if lines > _MANY_LINES}
    if long:
        warnings.warn(f"classes of more than {_MANY_LINES} lines: {long}", stacklevel=1)
