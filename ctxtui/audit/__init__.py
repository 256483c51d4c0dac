"""The audit: what in a project's context files costs tokens, loses text or claims something wrong."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from ctxtui.audit.audited import Audited
    from ctxtui.audit.auditing import audit
    from ctxtui.audit.declared import body_tokens
    from ctxtui.audit.fixes import Written, apply, preview, undo
    from ctxtui.audit.rules import RULES
    from ctxtui.audit.values import SEVERITIES, AuditResult, Finding, Fix, Rule, Settings, Severity

_HOMES = {
    "Audited": "audited",
    "RULES": "rules",
    "audit": "auditing",
    "body_tokens": "declared",
    **dict.fromkeys(("Written", "apply", "preview", "undo"), "fixes"),
    **dict.fromkeys(("AuditResult", "Finding", "Fix", "Rule", "SEVERITIES", "Settings", "Severity"), "values"),
}

__all__ = [
    "RULES",
    "SEVERITIES",
    "AuditResult",
    "Audited",
    "Finding",
    "Fix",
    "Rule",
    "Settings",
    "Severity",
    "Written",
    "apply",
    "audit",
    "body_tokens",
    "preview",
    "undo",
]


def __getattr__(name: str) -> object:
    """Import a public name when it is first used: a report of old findings needs no rules."""
    if name not in _HOMES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    from importlib import import_module  # noqa: PLC0415 - lazily, as the docstring says

    return getattr(import_module(f"{__name__}.{_HOMES[name]}"), name)
