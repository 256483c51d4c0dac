"""The policy for secrets in exports: replace them, keep them, or stop."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Final, Literal

from ctxtui.core.base.errors import ContextError
from ctxtui.core.base.notices import Notice
from ctxtui.core.text.secrets.guard import find_secrets
from ctxtui.core.text.secrets.secret import Secret, redacted

Secrets = Literal["redact", "keep", "fail"]
_BY_STRICTNESS: Final[tuple[Secrets, ...]] = ("keep", "redact", "fail")


def strictest(*said: Secrets) -> Secrets:
    return max(said, key=_BY_STRICTNESS.index)


class SecretFound(ContextError):
    """The export contains a credential, and the policy is "fail"."""


def _error(where: str, rule: str) -> SecretFound:
    message = f"{where} contains a secret ({rule})"
    return SecretFound("invalid_request", message, hint="remove it, or choose --secrets redact")


def lines_at(text: str, offsets: Iterable[int]) -> list[int]:
    """The lines, from 1, of ascending offsets, in one pass."""
    lines: list[int] = []
    line, place = 1, 0
    for offset in offsets:
        line += text.count("\n", place, offset)
        place = offset
        lines.append(line)
    return lines


def guarded(text: str, place: str, secrets: Secrets, has_lines: bool = True) -> tuple[str, tuple[Notice, ...]]:
    """The text to export, and a notice for each secret in it, which never contains the secret.

    `place` names the text. Notices name lines if it `has_lines`. Raises SecretFound with place and line under the
    policy "fail".
    """
    found = find_secrets(text)
    lines = lines_at(text, (secret.start for secret in found)) if has_lines else [None] * len(found)
    notices = told(found, place, secrets, lines)
    return redacted(text, found, 0, len(text))[0] if found and secrets == "redact" else text, notices


def told(found: Sequence[Secret], place: str, secrets: Secrets, lines: Sequence[int | None]) -> tuple[Notice, ...]:
    """A notice for each exported secret, on its line. Raises SecretFound under the policy "fail"."""
    if found and secrets == "fail":
        where = place if lines[0] is None else f"{place}:{lines[0]}"
        raise _error(where, found[0].rule)
    return tuple(_notice(secret.rule, secrets, place, line) for secret, line in zip(found, lines, strict=True))


def _notice(rule: str, secrets: Secrets, place: str, line: int | None) -> Notice:
    done = "replaced in the export" if secrets == "redact" else "exported as it is"
    # With a path, the notice shows the place before the message.
    where = f" in {place}" if line is None else ""
    return Notice("secret", f"a secret ({rule}){where}, {done}", None if line is None else place, line)
