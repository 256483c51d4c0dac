"""The audit: finds what costs tokens, loses text or makes wrong claims in a project's context files.

Nothing is awaited.

>>> from ctxtui import Workspace
>>> from ctxtui.audit import audit
>>> result = audit(Workspace.open("sample_context"))
>>> result.findings[0].severity, result.findings[0].rule
('error', 'cut-by-limit')
"""

# ruff: noqa: I001 - each name is passed on as itself, those of a module together

from __future__ import annotations

from typing import TYPE_CHECKING

from ctxtui.core.base.lazy import lazy_names

if TYPE_CHECKING:
    from ctxtui.audit.apply_rules import audit as audit
    from ctxtui.audit.context import Audited as Audited
    from ctxtui.audit.declared import body_tokens as body_tokens
    from ctxtui.audit.fixes import Written as Written, apply as apply, preview as preview, undo as undo
    from ctxtui.audit.rules import RULES as RULES, Rule as Rule
    from ctxtui.audit.types import (
        SEVERITIES as SEVERITIES,
        AuditResult as AuditResult,
        Finding as Finding,
        Fix as Fix,
        Settings as Settings,
        Severity as Severity,
    )
else:
    __getattr__, __dir__ = lazy_names(__name__)
