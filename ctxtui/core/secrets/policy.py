"""The policy for secrets in exported text: they are replaced, kept, or stop the export."""

from __future__ import annotations

from collections.abc import Callable
from typing import Final, Literal

from ctxtui.core.errors import ContextError
from ctxtui.core.notices import Notice
from ctxtui.core.secrets.guard import find_secrets
from ctxtui.core.secrets.marks import redacted
from ctxtui.core.secrets.secret import Secret

Secrets = Literal["redact", "keep", "fail"]
_BY_STRICTNESS: Final[tuple[Secrets, ...]] = ("keep", "redact", "fail")


def strictest(*said: Secrets) -> Secrets:
    """The strictest of what several places say."""
    return max(said, key=_BY_STRICTNESS.index)


class SecretFound(ContextError):
    """A credential was found and `secrets` is "fail": nothing may be exported."""


def secret_error(where: str, rule: str) -> SecretFound:
    """The error for a secret that must not be exported; `where` is a path, with a line if it is known."""
    message = f"{where} contains a secret ({rule})"
    return SecretFound("invalid_request", message, hint="remove it, or choose --secrets redact")


def secret_notice(rule: str, secrets: Secrets, path: str | None, line: int | None, where: str = "") -> Notice:
    """The notice of a secret in exported text and of what was done with it."""
    done = "replaced in the export" if secrets == "redact" else "exported as it is"
    return Notice("secret", f"a secret ({rule}){where}, {done}", path, line)


def guarded(
    text: str,
    place: str,
    secrets: Secrets,
    first: int | None = 1,
    find: Callable[[str], list[Secret]] = find_secrets,
) -> tuple[str, tuple[Notice, ...]]:
    """The text to export, and a notice for every secret in it, which never contains the secret itself.

    `place` names the text, `first` is the line in it where the text begins, None if lines do not apply; `find` finds
    the secrets.
    Raises SecretFound with place and line if `secrets` is "fail".
    """
    found = find(text)
    if not found:
        return text, ()
    lines = [None if first is None else first + text.count("\n", 0, secret.start) for secret in found]
    if secrets == "fail":
        where = place if first is None else f"{place}:{lines[0]}"
        raise secret_error(where, found[0].rule)
    # With a path, the notice shows the place before the message.
    path, where = (None, f" in {place}") if first is None else (place, "")
    notices = tuple(
        secret_notice(secret.rule, secrets, path, line, where) for secret, line in zip(found, lines, strict=True)
    )
    return redacted(text, found, 0, len(text))[0] if secrets == "redact" else text, notices
