"""The policy of a fleet in a TOML file: limits, rules, and exceptions with an end date."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import date
from functools import partial
from pathlib import Path
from typing import Final

from ctxtui.audit.limits import STRATEGIES, Limits, parse_limits
from ctxtui.audit.rules import RULES
from ctxtui.audit.types import SEVERITIES
from ctxtui.core.base.errors import Gone, NotFound
from ctxtui.core.disk.root import read_file
from ctxtui.core.documents.listing import AGENTS, PLAIN
from ctxtui.core.text.data.lines import toml_lines
from ctxtui.core.text.data.schema import Place, Reader, choice, day, filled, many, mapping, number, read, table
from ctxtui.core.text.data.toml import read_toml
from ctxtui.core.text.globs import compile_glob

_MAX_BYTES: Final = 1024 * 1024
_MOST_EXCEPTIONS: Final = 1_000
_TABLES: Final = ("limits", "rules", "exceptions")
_RULES: Final = tuple(rule.id for rule in RULES)
# Results do not store loading strategies, or the source of a file that an agent has too.
_NOT_KEPT: Final = (*STRATEGIES, AGENTS, PLAIN)
_NOT_JUDGED: Final = "cannot be judged from the results of a fleet"


@dataclass(frozen=True, slots=True)
class Exemption:
    """Permission for repositories, by name or glob, to break a limit or rule, with reason and last day.

    `name` is the limit (`total`, `start codex`, `kind skill`), rule or severity. `place` is the file and line of the
    entry.
    """

    repository: str
    name: str
    reason: str
    until: date
    place: str

    def covers(self, repository: str, name: str) -> bool:
        is_named = self.repository == repository or compile_glob(self.repository).matches(repository)
        return is_named and self.name == name


@dataclass(frozen=True, slots=True)
class Policy:
    """Rules for all repositories: limits, and the maximum number of findings by rule or severity."""

    limits: Limits = field(default_factory=Limits)
    most: Mapping[str, int] = field(default_factory=dict)
    exemptions: tuple[Exemption, ...] = ()

    @property
    def limit_names(self) -> tuple[str, ...]:
        """The names by which an exception may leave out a limit."""
        total = () if self.limits.total is None else ("total",)
        starts = (f"start {agent}" for agent in self.limits.start)
        return (*total, *starts, *(f"kind {kind}" for kind in self.limits.kind))


def read_policy(path: Path) -> Policy:
    """Read a policy. Raises NotFound, or ContextError with the file, the line and the remedy."""
    try:
        data = read_file(path, _MAX_BYTES).data
    except Gone as error:
        hint = "--limits names a TOML file with [limits], [rules] and [[exceptions]]"
        raise NotFound(f"{path} does not exist", hint=hint) from error
    raw, values = read_toml(data, str(path))
    place = Place.named(str(path), toml_lines(raw))
    tables = mapping(place, values, _TABLES)
    limits = _limits(place.at("limits"), tables.get("limits", {}))
    policy = Policy(limits, _most_findings(place.at("rules"), tables.get("rules", {})))
    within = place.at("exceptions")
    exemptions: tuple[Exemption, ...] = many(partial(_exemption, policy), "a list of tables")(
        within, tables.get("exceptions", ())
    )
    if len(exemptions) > _MOST_EXCEPTIONS:
        raise within.wrong(f"has more than {_MOST_EXCEPTIONS:,} exceptions", "use globs")
    return replace(policy, exemptions=exemptions)


def _limits(place: Place, values: object) -> Limits:
    """The table `[limits]`. Raises ContextError for limits that results of a fleet cannot judge."""
    limits = parse_limits(values, place)  # type: ignore[arg-type]
    for kind in limits.kind:
        if kind in _NOT_KEPT:
            hint = "name a kind of file, such as instructions, rule or skill"
            raise place.at("kind", kind).wrong(_NOT_JUDGED, hint)
    for key, is_set in (("files", bool(limits.files)), ("max_growth", limits.max_growth is not None)):
        if is_set:
            hint = "set it in the repository's own ctxtui.toml, which its audit checks"
            raise place.at(key).wrong(_NOT_JUDGED, hint)
    return limits


def _most_findings(place: Place, values: object) -> dict[str, int]:
    """The table `[rules]`: the maximum number of findings by rule or severity, 0 for `forbidden` rules."""
    forbidden = many(choice(*_RULES), "a list of rules")
    fields = {"forbidden": forbidden, "most": table(number, (*SEVERITIES, *_RULES), "a table of numbers")}
    found = read(place, values, fields)
    most: dict[str, int] = found.get("most", {})
    for position, rule in enumerate(found.get("forbidden", ())):
        if rule in most:
            raise place.at("forbidden", position).wrong(f"is {rule}, which `most` has too", "keep one of them")
    return {**most, **dict.fromkeys(found.get("forbidden", ()), 0)}


def _exemption(policy: Policy, place: Place, values: object) -> Exemption:
    """An entry of `[[exceptions]]`. Raises ContextError unless it names one limit or rule of the policy."""
    names = {"limit": policy.limit_names, "rule": tuple(policy.most)}
    fields = {
        "repository": _glob,
        **{key: _name_in_policy(known) for key, known in names.items()},
        "reason": filled,
        "until": day,
    }
    found = read(place, values, fields, "repository", "reason", "until")
    named = [found[key] for key in names if key in found]
    if len(named) != 1:
        raise place.wrong("should have `limit` or `rule`", 'such as `limit = "total"` or `rule = "secret"`')
    return Exemption(found["repository"], named[0], found["reason"], found["until"], place.origin(place.steps))


def _glob(place: Place, value: object) -> str:
    pattern = filled(place, value)
    if compile_glob(pattern).is_refused:
        raise place.wrong("is not a valid glob", "write a name, or `*` for a part of names")
    return pattern


def _name_in_policy(known: Sequence[str]) -> Reader:
    """A reader for names that the policy itself sets. An exception for another name is useless."""

    def check(place: Place, value: object) -> str:
        if not known:
            raise place.wrong(
                "names what this policy does not set", "set it in [limits] or [rules], or remove the exception"
            )
        name: str = choice(*known)(place, value)
        return name

    return check
