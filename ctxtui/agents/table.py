"""The table of coding agents, as packaged and with a user's additions."""

from __future__ import annotations

import functools
from collections.abc import Collection, Mapping, Sequence
from dataclasses import replace
from typing import Any

from ctxtui.agents.checks import AGENT, PACKAGED, ROW, packaged_yaml, readers
from ctxtui.agents.project.globs import is_literal
from ctxtui.agents.types import Agent, Deferral, Grammar, Reading, Row
from ctxtui.core.base.errors import NotFound
from ctxtui.core.base.packed import pack
from ctxtui.core.base.wording import near_or_all
from ctxtui.core.disk.cache import user_cache
from ctxtui.core.text.data.schema import Place, Reader, choice, day, flag, read

ALL = "all"
"""The word for all agents of a table."""

_SERVERS: Mapping[str, Reader] = readers(
    Deferral,
    *("agent", "share"),
    defers=choice("yes", "no", "model", "unknown"),
    checked=lambda place, value: str(day(place, value)),
)


def parse_agent(id_: str, entry: Mapping[str, Any], place: Place) -> Agent:
    """An agent from its mapping, as in `agents.yaml`. Raises ContextError for an invalid mapping."""
    fields = _agent_fields(place, entry, "detect", "rows")
    rows = tuple(_parse_row(where, row) for where, row in fields.pop("rows"))
    return Agent(**{"id": id_, "name": id_, "sources": (), "checked": None, **fields}, rows=rows)


def merge(table: Sequence[Agent], extra: Mapping[str, Any], place: Place) -> tuple[Agent, ...]:
    """A table with a user's own agents and rows.

    `extra` maps ids of agents to their keys: `name`, `detect`, `src`, `checked`, `links`, `rows`. For an agent of the
    table, all keys are optional. `rows` is a list of tables: a table with a known `id` overrides the keys it names,
    another adds a row, which needs at least `id`, `files` and `load`. `off = true` leaves an agent or a row out.
    Raises ContextError (invalid_request) that names the place, the key and the nearest known key.
    """
    agents = {agent.id: agent for agent in table}
    for id_, value in extra.items():
        where = place.at(id_)
        if not isinstance(value, Mapping):
            raise where.should_be("a table", value, f'[agents.{id_}]\ndetect = [".mine/**"]')
        is_off, entry = _without_off(where, value)
        if is_off:
            agents.pop(id_, None)
        else:
            agents[id_] = _merge_agent(agents[id_], where, entry) if id_ in agents else parse_agent(id_, entry, where)
    return tuple(agents.values())


def _without_off(place: Place, entry: Mapping[str, Any]) -> tuple[bool, Mapping[str, Any]]:
    rest = {key: value for key, value in entry.items() if key != "off"}
    return read(place, {"off": entry.get("off", False)}, {"off": flag})["off"], rest


def _merge_agent(agent: Agent, place: Place, entry: Mapping[str, Any]) -> Agent:
    """An agent of the table with the keys and rows of a user's entry."""
    fields = _agent_fields(place, entry)
    rows = {row.id: row for row in agent.rows}
    for where, each in fields.pop("rows", ()):
        id_ = str(each["id"])
        is_off, given = _without_off(where, each)
        if is_off:
            rows.pop(id_, None)
        elif id_ in rows:
            rows[id_] = _checked_row(where, replace(rows[id_], **_row_fields(where, given, base=rows[id_])))
        else:
            rows[id_] = _parse_row(where, given)
    return replace(agent, rows=tuple(rows.values()), **fields)


def _agent_fields(place: Place, entry: Mapping[str, Any], *required: str) -> dict[str, Any]:
    fields = read(place, entry, {**AGENT, "rows": _rows_and_places}, *required)
    return {"sources" if key == "src" else key: value for key, value in fields.items()}


def _rows_and_places(place: Place, value: Any) -> list[tuple[Place, Mapping[str, Any]]]:
    """The tables of `[[rows]]`, each with its place. Raises ContextError unless each has an `id`."""
    if not isinstance(value, list) or not all(isinstance(each, Mapping) and "id" in each for each in value):
        raise place.wrong("should be a list of tables, each with an `id`")
    return [(place.at(position), each) for position, each in enumerate(value)]


def _parse_row(place: Place, entry: Mapping[str, Any]) -> Row:
    return _checked_row(place, Row(**{"kind": "rule", "at": "root", **_row_fields(place, entry, "id", "load")}))


def _row_fields(place: Place, entry: Mapping[str, Any], *required: str, base: Row | None = None) -> dict[str, Any]:
    """The checked fields of a row. Keys of its dialects that the row sets itself change those of `base`."""
    fields = read(place, entry, ROW, *required)
    # The keys of a dialect that a row may set by itself.
    reading, grammar = fields.get("read_as"), fields.get("imports_as")
    reading = reading or (base.read_as if base else Reading())
    grammar = grammar or (base.imports_as if base else Grammar())
    fields["read_as"] = reading._replace(**{key: fields.pop(key) for key in ("broken", "mends") if key in fields})
    fields["imports_as"] = grammar._replace(markup=not fields.pop("verbatim")) if "verbatim" in fields else grammar
    return {"exclude" if key == "not" else key: value for key, value in fields.items()}


def _checked_row(place: Place, row: Row) -> Row:
    """The row itself. Raises ContextError for keys that do not fit together."""
    if bool(row.files) == bool(row.listed_in):
        raise place.wrong("needs either `files` or `listed_in`", 'files = [".mine/rules/*.md"]')
    if row.at == "down" and not all(is_literal(pattern.split("/")[0]) for pattern in row.files):
        raise place.wrong("must start with a plain name to be found below the root", 'files = [".mine/*.md"]')
    if row.load[-1].test:
        raise place.at("load").wrong("should end with a case that always applies", '{ load = "never" }')
    return row


def load_table(extra: Mapping[str, Any] | None = None, place: Place | None = None) -> tuple[Agent, ...]:
    """The packaged table, read once. With `extra`, the user's own agents and rows are merged into it.

    `extra` is the table `[agents]` of a TOML file, `place` its location. `merge` explains its form. Raises
    ContextError (invalid_request) for an invalid `extra`.
    """
    if not extra:
        return _packaged()
    return merge(_packaged(), extra, place or Place.named("[agents]"))


def with_wanted(table: Sequence[Agent], ids: Collection[str]) -> tuple[Agent, ...]:
    """A table in which some agents count as found. Raises NotFound for an unknown id; `all` means all agents."""
    known = [agent.id for agent in table if not agent.installable]
    for id_ in ids:
        if id_ not in (*known, ALL):
            raise NotFound(f"no agent {id_!r} is known", hint=near_or_all(id_, known))
    wanted = frozenset(known if ALL in ids else ids)
    return tuple(replace(agent, is_wanted=True) if agent.id in wanted else agent for agent in table)


@functools.cache
def _packaged() -> tuple[Agent, ...]:
    # Reading and checking the YAML takes a tenth of a second. The cache key covers these files of the program.
    cache = user_cache()
    table: tuple[Agent, ...] | None = cache.snapshot_value("agents", b"")
    if table is None:
        table = tuple(map(_packaged_agent, packaged_yaml()["agents"]))
        cache.keep_snapshot("agents", b"", pack(table))
    return table


def _packaged_agent(entry: dict[str, Any]) -> Agent:
    """An agent of the packaged table, which alone says where agents configure servers."""
    given = {**entry}
    place = PACKAGED.at(id_ := given.pop("id"))
    servers = given.pop("servers", None)
    agent = parse_agent(id_, given, place)
    if servers is None:
        return agent
    return replace(agent, servers=Deferral(id_, **read(place.at("servers"), servers, _SERVERS)))
