"""Secrets: the definition of a credential for every export."""

# ruff: noqa: I001 - each name is passed on as itself, those of a module together

from ctxtui.core.text.secrets.guard import (
    Copied as Copied,
    CopiedText as CopiedText,
    Cut as Cut,
    SecretFound as SecretFound,
    Secrets as Secrets,
    field_in as field_in,
    find_with_hidden as find_with_hidden,
    find_in_cut as find_in_cut,
    find_secrets as find_secrets,
    guarded as guarded,
    has_secret as has_secret,
    lines_at as lines_at,
    redact as redact,
    redact_field as redact_field,
    redact_values as redact_values,
    strictest as strictest,
    secret_notices as secret_notices,
)
from ctxtui.core.text.secrets.secret import Secret as Secret, blank as blank, redacted as redacted
