"""Public names imported on first use, visible to `dir()`, completion and `help()` before."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from functools import cache
from importlib import import_module

Get = Callable[[str], object]
List = Callable[[], list[str]]


def lazy_names(package: str) -> tuple[Get, List]:
    """The `__getattr__` and `__dir__` of a package that imports its public names on demand.

    The package writes each import `from MODULE import NAME as NAME` for type checkers alone. These imports are read
    when the first name is wanted. `__all__` has the names in the order of constants, classes and functions.
    """

    @cache
    def modules() -> dict[str, str]:
        return dict(sorted(_passed_on(package), key=lambda each: (not each[0].isupper(), each[0])))

    def get(name: str) -> object:
        if name == "__all__":
            return list(modules())
        if name.startswith("__") or name not in modules():
            raise AttributeError(f"module {package!r} has no attribute {name!r}")
        home = modules()[name]
        value = import_module(f"{package}.{name}") if home == package else getattr(import_module(home), name)
        setattr(sys.modules[package], name, value)
        return value

    return get, lambda: list(modules())


def _passed_on(package: str) -> Iterator[tuple[str, str]]:
    """The names that a package passes on as themselves, each with its module."""
    # Most commands want no public name of a package, and these imports take a tenth of the shortest one.
    import ast  # noqa: PLC0415
    from inspect import getsource  # noqa: PLC0415

    for each in ast.walk(ast.parse(getsource(sys.modules[package]))):
        if isinstance(each, ast.ImportFrom) and each.module:
            yield from ((alias.name, each.module) for alias in each.names if alias.asname == alias.name)
