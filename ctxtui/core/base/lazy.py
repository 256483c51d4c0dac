"""Public names imported on first use, visible to `dir()`, completion and `help()` before."""

from __future__ import annotations

import re
import sys
from collections.abc import Callable
from functools import cache
from importlib import import_module
from typing import Final

GetAttribute = Callable[[str], object]
ListNames = Callable[[], list[str]]
_IMPORT: Final = r"(?m)^ *from ([\w.]+) import (\([^)]*\)|.*)"
_AS_ITSELF: Final = r"\b(\w+) as \1\b"


def lazy_names(package: str) -> tuple[GetAttribute, ListNames]:
    """The `__getattr__` and `__dir__` of a package that imports its public names on demand.

    The package writes each import `from MODULE import NAME as NAME` for type checkers alone. These imports are read
    when the first name is wanted. `__all__` has the names in the order of constants, classes and functions.
    """

    @cache
    def homes() -> dict[str, str]:
        # Every command wants some names, so no parser reads the source: its import takes a tenth of a short command.
        from pkgutil import get_data  # noqa: PLC0415 - the shortest commands want no name

        source = (get_data(package, "__init__.py") or b"").decode()
        imports = re.findall(_IMPORT, source)
        homes = {name: home for home, names in imports for name in re.findall(_AS_ITSELF, names)}
        return dict(sorted(homes.items(), key=lambda each: (not each[0].isupper(), each[0])))

    def get(name: str) -> object:
        if name == "__all__":
            return list(homes())
        if name.startswith("__") or name not in homes():
            raise AttributeError(f"module {package!r} has no attribute {name!r}")
        home = homes()[name]
        value = import_module(f"{package}.{name}") if home == package else getattr(import_module(home), name)
        setattr(sys.modules[package], name, value)
        return value

    return get, lambda: list(homes())
