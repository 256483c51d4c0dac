"""Agents and rows from plain data, and a user's own merged into the table."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

from ctxtui.agents.checks import AGENT, ROW, checked, flag, refuse, require, tables
from ctxtui.agents.globs import is_literal
from ctxtui.agents.types import Agent, Row

_SWITCH = {"off": flag}


def parse_agent(id_: str, entry: Mapping[str, Any], place: str = "agents.yaml") -> Agent:
    """An agent from its mapping, as in `agents.yaml`; raises ContextError where it says something else."""
    fields = _agent_fields(place, entry)
    require(place, fields, "detect", "rows")
    rows = tuple(parse_row(place, row) for row in fields.pop("rows"))
    return Agent(**{"id": id_, "name": id_, "sources": (), "checked": None, **fields}, rows=rows)


def parse_row(place: str, entry: Mapping[str, Any]) -> Row:
    """A row from its mapping; raises ContextError where it says something else."""
    place = f"{place}: {entry.get('id', 'a row')}"
    fields = _row_fields(place, entry)
    require(place, fields, "id", "load")
    return _sound(place, Row(**{"kind": "rule", "at": "root", **fields}))


def merge(table: Sequence[Agent], extra: Mapping[str, Any]) -> tuple[Agent, ...]:
    """A table with a user's own agents and rows.

    `extra` maps ids of agents to what they are: `name`, `detect`, `src`, `checked`, `links`, `rows`; for an agent
    of the table everything may be missing. `rows` is a list of tables: one with a known `id` overrides the keys
    it names, another adds a row, which wants at least `id`, `files` and `load`. `off = true` leaves an agent or
    a row out. Raises ContextError (invalid_request) that names the place, the key and the nearest known one.
    """
    agents = {agent.id: agent for agent in table}
    for id_, entry in extra.items():
        place = f"agents.{id_}"
        if not isinstance(entry, Mapping):
            refuse(place, "should be a table", f'[agents.{id_}]\ndetect = [".mine/**"]')
        switch, entry = _switched(place, entry)
        if switch:
            agents.pop(id_, None)
        else:
            agents[id_] = _merged(agents[id_], place, entry) if id_ in agents else parse_agent(id_, entry, place)
    return tuple(agents.values())


def _switched(place: str, entry: Mapping[str, Any]) -> tuple[bool, Mapping[str, Any]]:
    """Whether an entry is `off`, and the rest of it."""
    rest = {key: value for key, value in entry.items() if key != "off"}
    return checked(place, {"off": entry.get("off", False)}, _SWITCH)["off"], rest


def _merged(agent: Agent, place: str, entry: Mapping[str, Any]) -> Agent:
    fields = _agent_fields(place, entry)
    rows = {row.id: row for row in agent.rows}
    for each in fields.pop("rows", ()):
        id_ = str(each["id"])
        switch, given = _switched(f"{place}: {id_}", each)
        if switch:
            rows.pop(id_, None)
        elif id_ in rows:
            rows[id_] = _sound(f"{place}: {id_}", replace(rows[id_], **_row_fields(f"{place}: {id_}", given)))
        else:
            rows[id_] = parse_row(place, given)
    return replace(agent, rows=tuple(rows.values()), **fields)


def _agent_fields(place: str, entry: Mapping[str, Any]) -> dict[str, Any]:
    fields = checked(place, entry, {**AGENT, "rows": tables})
    return {"sources" if key == "src" else key: value for key, value in fields.items()}


def _row_fields(place: str, entry: Mapping[str, Any]) -> dict[str, Any]:
    fields = checked(place, entry, ROW)
    return {"exclude" if key == "not" else key: value for key, value in fields.items()}


def _sound(place: str, row: Row) -> Row:
    if bool(row.files) == bool(row.listed_in):
        refuse(place, "wants either `files` or `listed_in`", 'files = [".mine/rules/*.md"]')
    if row.at == "down" and not all(is_literal(pattern.split("/")[0]) for pattern in row.files):
        refuse(place, "is found below the root by a plain first name only", 'files = [".mine/*.md"]')
    if row.load[-1].test:
        refuse(place, "`load` should end with a case that always holds", '{ load = "never" }')
    return row
