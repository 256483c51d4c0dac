"""Read server entries of different agents into common fields."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping
from functools import partial
from typing import Any

Entry = Mapping[str, Any]
Fields = dict[str, tuple[str, Any]]
"""The value of each field, and its key in the configuration."""


def fields_of(form: str, entry: Entry) -> Fields:
    """The fields of an entry in the form of an agent. Unknown keys are ignored."""
    return _FORMS.get(form, _usual)(entry)


def entries_of(form: str, table: Any) -> Iterator[tuple[str, tuple[str | int, ...], Any]]:
    """The entries of a table of servers: name, keys from the table to the entry, and entry.

    In some agents' `form`, the table is a list of named entries or is nested one level deeper.
    """
    if form == "opencode" and isinstance(table, Mapping) and isinstance(inner := table.get("servers"), Mapping):
        yield from ((name, ("servers", *steps), entry) for name, steps, entry in entries_of("usual", inner))
    elif isinstance(table, list):
        for position, entry in enumerate(table):
            name = entry.get("name") if isinstance(entry, Mapping) else None
            yield (name if isinstance(name, str) else f"{position + 1}"), (position,), entry
    elif isinstance(table, Mapping):
        yield from ((str(name), (str(name),), entry) for name, entry in table.items())


def _fields(entry: Entry, keys: str) -> Fields:
    """Each field, its first key with a value, and the value. Words of `keys` are `FIELD` or `FIELD=KEY|KEY`."""
    found: Fields = {}
    for word in keys.split():
        field, _, names = word.partition("=")
        for name in (names or field).split("|"):
            if entry.get(name) is not None:
                found.setdefault(field, (name, entry[name]))
    return found


def _usual(entry: Entry) -> Fields:
    return _fields(
        entry,
        "command args cwd env url=url|serverUrl|httpUrl headers transport=type|transportType|transport off=disabled"
        " only=tools|includeTools without=disabledTools|excludeTools",
    )


def _codex(entry: Entry) -> Fields:
    fields = _fields(
        entry,
        "command args cwd env passed=env_vars url headers=http_headers token_env=bearer_token_env_var on=enabled"
        " only=enabled_tools without=disabled_tools",
    )
    named = entry.get("env_http_headers")
    if isinstance(named, Mapping):
        _, headers = fields.get("headers", ("", {}))
        variables = {header: f"${{{variable}}}" for header, variable in named.items()}
        fields["headers"] = "env_http_headers", dict(headers if isinstance(headers, Mapping) else {}) | variables
    return fields


def _gemini(entry: Entry) -> Fields:
    fields = _usual(entry)
    if "url" in fields and fields["url"][0] == "url":
        fields.setdefault("transport", ("url", "sse"))
    for field in ("env", "headers"):
        if field in fields and isinstance(fields[field][1], Mapping):
            key, values = fields[field]
            fields[field] = key, {name: _braced(value) for name, value in values.items()}
    return fields


def _braced(value: Any) -> Any:
    """The value with `$NAME` as `${NAME}`."""
    return re.sub(r"\$([A-Za-z_]\w*)", r"${\1}", value) if isinstance(value, str) else value


def _continue(entry: Entry) -> Fields:
    fields = _usual(entry)
    options = entry.get("requestOptions")
    return fields | (_fields(options, "headers") if isinstance(options, Mapping) else {})


def _zed(entry: Entry) -> Fields:
    command = entry.get("command")
    if isinstance(command, Mapping):
        return _fields(command, "command=path args env") | _fields(entry, "on=enabled")
    return _usual(entry) | _fields(entry, "on=enabled")


_FORMS: Mapping[str, Callable[[Entry], Fields]] = {
    "codex": _codex,
    "gemini": _gemini,
    "opencode": partial(
        _fields, keys="command cwd env=environment url headers transport=type on=enabled off=disabled"
    ),
    "continue": _continue,
    "zed": _zed,
}
