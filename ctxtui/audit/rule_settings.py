"""The configuration table `[rules]`: severities, thresholds, rules to turn off, findings to ignore."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

from ctxtui.audit.types import SEVERITIES, Ignore, Settings
from ctxtui.core.base.plain import plain_line
from ctxtui.core.base.wording import near_or_all
from ctxtui.core.text.data import schema
from ctxtui.core.text.data.schema import Place, Reader, filled, many, read

OFF = "off"
IGNORE = "ignore"
SEVERITY = "severity"
THRESHOLDS: Mapping[str, Mapping[str, str]] = {
    "token-drift": {"share": "drift_share", "tokens": "drift_tokens"},
    "repeated-text": {"tokens": "repeat_tokens"},
    "paid-twice": {"tokens": "twice_tokens"},
    "blob": {"tokens": "blob_tokens"},
    "heavy-trigger": {"tokens": "heavy_tokens"},
    "could-be-scoped": {"tokens": "scope_tokens"},
    "large-start": {"tokens": "large_tokens"},
    "heavy-tool": {"tokens": "tool_tokens"},
}
"""Thresholds by rule and key, with the name of their setting."""

_MOST_IGNORES = 500
_MOST_GLOBS = 100
_LONGEST = 500
_LARGEST = 10**9


def tuned(settings: Settings, data: Mapping[str, Any], known: Sequence[str], place: Place | None = None) -> Settings:
    """Apply the table `[rules]` at `place`. Raises ContextError (invalid_request) naming the nearest known key."""
    fields: dict[str, Reader] = {rule: _rule(rule) for rule in known}
    said = read(place or Place.named("[rules]"), data, {**fields, IGNORE: _ignores(known)})
    ignores = said.pop(IGNORE, ())
    severities = {rule: table[SEVERITY] for rule, table in said.items() if SEVERITY in table}
    values = {
        THRESHOLDS[rule][key]: value
        for rule, table in said.items()
        for key, value in table.items()
        if key != SEVERITY
    }
    off = frozenset(rule for rule, severity in severities.items() if severity == OFF)
    kept = {rule: severity for rule, severity in severities.items() if severity != OFF}
    return replace(settings, off=off, severities=kept, ignores=ignores, **values)


def _rule(rule: str) -> Reader:
    """A reader of one rule's entry: a severity, or a table of a severity and thresholds."""
    severity = schema.choice(OFF, *SEVERITIES)
    thresholds = {key: _share if key == "share" else schema.tokens for key in THRESHOLDS.get(rule, ())}

    def check(place: Place, value: object) -> dict[str, Any]:
        if isinstance(value, Mapping):
            return read(place, value, {SEVERITY: severity, **thresholds})
        if not isinstance(value, str):
            raise place.should_be("a severity or a table", value, f'such as {rule} = "{OFF}"')
        return {SEVERITY: severity(place, value)}

    return check


def _share(place: Place, value: object) -> float:
    is_number = isinstance(value, int | float) and not isinstance(value, bool)
    if not is_number or not math.isfinite(share := float(value)) or not 0 <= share <= _LARGEST:  # type: ignore[arg-type]
        raise place.should_be("a share", value, "write 0.5 for 50 %")
    return share


def _ignores(known: Sequence[str]) -> Reader:
    """A reader of the list of ignores. Each needs a reason, and paths or rules."""
    fields: dict[str, Reader] = {"paths": _texts, "rules": _rule_ids(known), "reason": filled}

    def read_ignore(place: Place, value: object) -> Ignore:
        found = read(place, value, fields)
        if not found.get("paths") and not found.get("rules"):
            raise place.wrong("ignores everything", "give `paths`, `rules` or both")
        if "reason" not in found:
            raise place.wrong("gives no `reason`", "say in a few words why it can be ignored")
        return Ignore(found["reason"].strip(), found.get("paths", ()), found.get("rules", ()))

    def check(place: Place, value: object) -> tuple[Ignore, ...]:
        if not isinstance(value, list) or len(value) > _MOST_IGNORES:
            raise place.should_be(f"a list of at most {_MOST_IGNORES} tables", value, "write [[rules.ignore]]")
        return many(read_ignore)(place, value)

    return check


def _texts(place: Place, value: object) -> tuple[str, ...]:
    texts = many(filled, "a list of strings")(place, [value] if isinstance(value, str) else value)
    if len(texts) > _MOST_GLOBS or any(len(each) > _LONGEST for each in texts):
        raise place.wrong(f"should be at most {_MOST_GLOBS} strings of at most {_LONGEST} characters")
    return texts


def _rule_ids(known: Sequence[str]) -> Reader:
    def check(place: Place, value: object) -> tuple[str, ...]:
        rules = _texts(place, value)
        for rule in rules:
            if rule not in known:
                raise place.error(f"unknown rule `{plain_line(rule)}`", near_or_all(rule, known, quote="`"))
        return rules

    return check
