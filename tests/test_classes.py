"""No class is a whole program."""

import ast
import warnings

import pytest

from tests.conftest import REPOSITORY

# Longer than most people read in one go: a hint to whoever runs the tests, not a fault.
_MANY_LINES = 400


@pytest.mark.filterwarnings("default")
def test_long_classes_are_named() -> None:
    lengths = {
        f"{file.name}: {node.name}": (node.end_lineno or 0) - node.lineno + 1
        for file in (REPOSITORY / "ctxtui").rglob("*.py")
        for node in ast.walk(ast.parse(file.read_text("utf-8")))
        if isinstance(node, ast.ClassDef)
    }
    assert len(lengths) > 100
    long = {name: lines for name, lines in lengths.items() if lines > _MANY_LINES}
    if long:
        warnings.warn(f"classes of more than {_MANY_LINES} lines: {long}", stacklevel=1)
