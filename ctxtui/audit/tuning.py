"""What a configuration's table `[rules]` says: rules off, severities, thresholds, findings to ignore."""

from __future__ import annotations

import math
from collections.abc import Collection, Mapping, Sequence
from dataclasses import replace
from difflib import get_close_matches
from typing import Any

from ctxtui.audit.types import SEVERITIES, Ignore, Settings
from ctxtui.core.errors import ContextError
from ctxtui.core.plain import plain_line
from ctxtui.core.tokens.parse import parse_tokens

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
}
"""The thresholds that can be set, by rule and key, and which setting each is."""

_IGNORE_KEYS = ("paths", "rules", "reason")
_MOST_IGNORES = 500
_MOST_GLOBS = 100
_LONGEST = 500
_LARGEST = 10**9


def tuned(settings: Settings, data: Mapping[str, Any], known: Sequence[str], place: str = "[rules]") -> Settings:
    """The settings with what a table `[rules]` changes; `known` are the ids of the rules.

    Raises ContextError (invalid_request) naming place, key and the nearest known one.
    """
    _check_keys(data, [*known, IGNORE], place)
    off: set[str] = set()
    severities: dict[str, Any] = {}
    values: dict[str, Any] = {}
    for rule, said in data.items():
        if rule == IGNORE:
            continue
        table = {SEVERITY: said} if isinstance(said, str) else said
        allowed = [SEVERITY, *THRESHOLDS.get(rule, ())]
        if not isinstance(table, Mapping):
            raise _refused(f"{place}: `{rule}` should be a severity or a table", f'such as {rule} = "{OFF}"')
        _check_keys(table, allowed, f"{place}: `{rule}`")
        for key, value in table.items():
            if key != SEVERITY:
                values[THRESHOLDS[rule][key]] = _threshold(key, value, f"{place}: `{rule}`, `{key}`")
            elif value == OFF:
                off.add(rule)
            elif value in SEVERITIES:
                severities[rule] = value
            else:
                raise _refused(f"{place}: `{rule}` is {_shown(value)}", f"one of {', '.join((OFF, *SEVERITIES))}")
    ignores = _ignores(data.get(IGNORE, []), known, f"{place}: `{IGNORE}`")
    return replace(settings, off=frozenset(off), severities=severities, ignores=ignores, **values)


def _threshold(key: str, value: object, place: str) -> float | int:
    if key == "share":
        if isinstance(value, bool) or not isinstance(value, int | float) or not 0 <= value <= _LARGEST:
            raise _refused(f"{place} should be a share", "write 0.5 for 50 %")
        return float(value) if math.isfinite(value) else 0.0
    if isinstance(value, bool) or not isinstance(value, str | int):
        raise _refused(f"{place} should be a number of tokens", 'write 12000 or "12k"')
    try:
        return parse_tokens(str(value))
    except ContextError as error:
        raise _refused(f"{place}: {error.message}", error.hint) from error


def _ignores(data: object, known: Sequence[str], place: str) -> tuple[Ignore, ...]:
    if not isinstance(data, list) or len(data) > _MOST_IGNORES:
        raise _refused(f"{place} should be a list of at most {_MOST_IGNORES} tables", "write [[rules.ignore]]")
    return tuple(_ignore(each, known, f"{place}, number {number}") for number, each in enumerate(data, 1))


def _ignore(data: object, known: Sequence[str], place: str) -> Ignore:
    if not isinstance(data, Mapping):
        raise _refused(f"{place} should be a table", "write [[rules.ignore]]")
    _check_keys(data, _IGNORE_KEYS, place)
    paths, rules = (_texts(data.get(key, []), f"{place}: `{key}`") for key in ("paths", "rules"))
    for rule in rules:
        _check_keys({rule: None}, known, f"{place}: `rules`", "rule")
    if not paths and not rules:
        raise _refused(f"{place} ignores everything", "give `paths`, `rules` or both")
    reason = data.get("reason")
    if not isinstance(reason, str) or not reason.strip():
        raise _refused(f"{place} gives no `reason`", "say in a few words why nobody should hear of it")
    return Ignore(reason.strip(), paths, rules)


def _texts(value: object, place: str) -> tuple[str, ...]:
    texts = [value] if isinstance(value, str) else value
    if not isinstance(texts, list) or not all(isinstance(each, str) and each for each in texts):
        raise _refused(f"{place} should be a list of texts")
    if len(texts) > _MOST_GLOBS or any(len(each) > _LONGEST for each in texts):
        raise _refused(f"{place} should be at most {_MOST_GLOBS} texts of at most {_LONGEST} characters")
    return tuple(texts)


def _check_keys(data: Mapping[str, object], known: Collection[str], place: str, what: str = "key") -> None:
    for key in data:
        if key not in known:
            near = get_close_matches(str(key), known, n=1)
            hint = f"did you mean `{near[0]}`?" if near else f"there are {', '.join(known)}"
            raise _refused(f"{place}: unknown {what} `{plain_line(str(key))}`", hint)


def _shown(value: object) -> str:
    return f"`{plain_line(str(value))[:60]}`"


def _refused(message: str, hint: str | None = None) -> ContextError:
    return ContextError("invalid_request", message, hint=hint)
