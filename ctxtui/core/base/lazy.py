"""Public names imported on first use, visible to `dir()`, completion and `help()` before."""

from __future__ import annotations

import sys
from collections.abc import Callable, Mapping
from importlib import import_module

Get = Callable[[str], object]
List = Callable[[], list[str]]


def lazy_names(package: str, homes: Mapping[str, str], packages: str = "") -> tuple[Get, List, list[str]]:
    """The `__getattr__`, `__dir__` and `__all__` of a package that imports its public names on demand.

    `homes` maps each module of the package to the names it defines, separated by spaces. `packages` lists
    subpackages. The names are in the order of constants, classes and functions.
    """
    modules = {name: f"{package}.{home}" for home, names in homes.items() for name in names.split()}
    below = frozenset(packages.split())

    def get(name: str) -> object:
        if name in below:
            return import_module(f"{package}.{name}")
        if name not in modules:
            raise AttributeError(f"module {package!r} has no attribute {name!r}")
        value = getattr(import_module(modules[name]), name)
        setattr(sys.modules[package], name, value)
        return value

    names = sorted((*modules, *below), key=lambda name: (not name.isupper(), name))
    return get, lambda: list(names), names
