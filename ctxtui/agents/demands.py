"""Required keys, allowed keys and value formats of a row's frontmatter."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping

from ctxtui.agents.frontmatter import Values
from ctxtui.agents.types import Row

Value = str | tuple[str, ...]

_SLUG = re.compile(r"[a-z0-9_-]+")
# Names of other agents' tools, such as `Read`, begin with a capital.
_TOOL = re.compile(r"[a-z*][^\s,]*")


def unmet_demand(row: Row, values: Values) -> str:
    """The reason why an agent refuses frontmatter, in words that follow "because". Empty if accepted."""
    meta = values.meta
    missing = [key for key in row.needs if not meta.get(key)]
    other = next((key for key in missing if values.kinds.get(key, "nothing") != "nothing"), None)
    if other is not None:
        return f"its `{other}` is {values.kinds[other]}, not a text"
    if missing:
        return f"its frontmatter has no {' and no '.join(missing)}"
    if not row.takes:
        return ""
    unknown = [f"`{key}`" for key in meta if key not in row.takes]
    if unknown:
        return f"its frontmatter has {' and '.join(unknown[:3])}, which the agent does not know"
    return next((why for key, value in meta.items() if (why := FORMS[row.takes[key]](key, value))), "")


def _anything(_key: str, _value: Value) -> str:
    return ""


def _slug(key: str, value: Value) -> str:
    fits = isinstance(value, str) and (not value or _SLUG.fullmatch(value))
    return "" if fits else f"`{key}` must be of lower-case letters, digits, - and _"


def _tools(key: str, value: Value) -> str:
    if isinstance(value, str):
        return f"`{key}` must be a list, not a text" if value else ""
    other = next((each for each in value if not _TOOL.fullmatch(each)), None)
    return "" if other is None else f"`{key}` names {other}, which is not one of the agent's tools"


FORMS: Mapping[str, Callable[[str, Value], str]] = {"any": _anything, "slug": _slug, "tools": _tools}
"""The problem of a value by the word in `takes`, empty if the value is valid."""
