"""The audit: finds what costs tokens, loses text or makes wrong claims in a project's context files.

Nothing is awaited.

>>> from ctxtui import Workspace
>>> from ctxtui.audit import audit
>>> result = audit(Workspace.open("sample_context"))
>>> result.findings[0].severity, result.findings[0].rule
('error', 'cut-by-limit')
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from ctxtui.core.base.lazy import lazy_names

if TYPE_CHECKING:
    from ctxtui.audit.apply_rules import audit
    from ctxtui.audit.context import Audited
    from ctxtui.audit.declared import body_tokens
    from ctxtui.audit.fixes import Written, apply, preview, undo
    from ctxtui.audit.rules import RULES
    from ctxtui.audit.rules.rule import Rule
    from ctxtui.audit.types import SEVERITIES, AuditResult, Finding, Fix, Settings, Severity
else:
    __getattr__, __dir__ = lazy_names(
        __name__,
        {
            "context": "Audited",
            "apply_rules": "audit",
            "declared": "body_tokens",
            "fixes": "Written apply preview undo",
            "rules": "RULES",
            "rules.rule": "Rule",
            "types": "AuditResult Finding Fix SEVERITIES Settings Severity",
        },
    )

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
