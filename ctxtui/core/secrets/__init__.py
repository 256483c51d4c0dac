"""Secrets: one definition of a credential for every way out of a project."""

from ctxtui.core.secrets.diffs import find_in_diff
from ctxtui.core.secrets.guard import find_secrets, redact
from ctxtui.core.secrets.marks import blank, redacted
from ctxtui.core.secrets.policy import SecretFound, Secrets, guarded, secret_error, secret_notice, strictest
from ctxtui.core.secrets.secret import Secret

__all__ = [
    "Secret",
    "SecretFound",
    "Secrets",
    "blank",
    "find_in_diff",
    "find_secrets",
    "guarded",
    "redact",
    "redacted",
    "secret_error",
    "secret_notice",
    "strictest",
]
