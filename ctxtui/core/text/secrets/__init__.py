"""Secrets: the definition of a credential for every export."""

from ctxtui.core.text.secrets.cuts import Copied, Cut, Source, find_besides, find_in_cut
from ctxtui.core.text.secrets.guard import (
    SecretFound,
    Secrets,
    field_in,
    find_secrets,
    guarded,
    has_secret,
    lines_at,
    redact,
    redact_field,
    redact_values,
    search_together,
    strictest,
    told,
)
from ctxtui.core.text.secrets.secret import Secret, blank, redacted

__all__ = [
    "Copied",
    "Cut",
    "Secret",
    "SecretFound",
    "Secrets",
    "Source",
    "blank",
    "field_in",
    "find_besides",
    "find_in_cut",
    "find_secrets",
    "guarded",
    "has_secret",
    "lines_at",
    "redact",
    "redact_field",
    "redact_values",
    "redacted",
    "search_together",
    "strictest",
    "told",
]
