"""The export guard: finds credentials in text, replaces them with visible marks, or refuses the export."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any, Final, Literal

from ctxtui.core.base.digest import text_digest
from ctxtui.core.base.errors import ContextError
from ctxtui.core.base.lru import Memo
from ctxtui.core.base.notices import Notice
from ctxtui.core.text.secrets.secret import Secret, redacted

if TYPE_CHECKING:
    from ctxtui.core.disk.cache import Cache


_KIND: Final = "secrets"
_METADATA: Final = "metadata"
# Results by text digest: export, count and audit search the same texts.
_known: Final[Memo[bytes, tuple[Secret, ...]]] = Memo(100_000, lambda found: 8 + len(found))


def find_secrets(text: str, cache: Cache | None = None) -> list[Secret]:
    """The credentials in a text, by shape, name or place, in order and without overlaps, never the values.

    Results are cached in memory, and in `cache` across processes.
    """
    digest = text_digest(text)
    kept = cache.find(_KIND, digest) if cache else None
    if kept is not None:
        return list(kept)
    found = _known.get(digest, lambda: _searched(text))
    if cache:
        cache.keep(_KIND, digest, found)
    return list(found)


def search_together(texts: Iterable[str]) -> None:
    """Prepare `find_secrets` for many short texts: one search of the joined texts mostly tells that none has any."""
    unknown = [text for text in dict.fromkeys(texts) if _known.find(text_digest(text)) is None]
    if not has_secret("\n".join(unknown)):
        for text in unknown:
            _known.get(text_digest(text), tuple)


def has_secret(text: str) -> bool:
    """Whether a text contains a credential. Nothing is cached."""
    return bool(_searched(text))


def redact_values(value: Any, key: str = "") -> Any:
    """JSON data with credentials replaced in texts and names. With a `key`, names give context to texts."""
    if isinstance(value, str):
        return redact_field(key, value)[0]
    if isinstance(value, list | tuple):
        return [redact_values(each, key) for each in value]
    if isinstance(value, Mapping):
        # Most data has no credential, so one search of the joined texts decides.
        if not has_secret("\n".join(_lines(value, key))):
            return value
        return {redact(str(name))[0]: redact_values(each, field_in(str(name), key)) for name, each in value.items()}
    return value


def field_in(name: str, outer: str) -> str:
    """The name as context for its text below the name `outer`: users choose names only in metadata."""
    return name if outer or name == _METADATA else ""


def redact_field(key: str, text: str) -> tuple[str, list[Secret]]:
    """`redact` for the text of a field, whose `key` may mark it as a credential."""
    start = len(key) + 2 if key else 0
    whole = f"{key}: {text}" if key else text
    found = find_secrets(whole)
    return redacted(whole, found, start, len(whole))[0], found


def _lines(value: Any, key: str) -> Iterator[str]:
    """The texts in data, each with its key as context."""
    if isinstance(value, str):
        yield f"{key}: {value}" if key else value
    elif isinstance(value, list | tuple):
        for each in value:
            yield from _lines(each, key)
    elif isinstance(value, Mapping):
        for name, each in value.items():
            yield str(name)
            yield from _lines(each, field_in(str(name), key))


def _searched(text: str) -> tuple[Secret, ...]:
    # Most results are cached, and the patterns take longer to compile than a result to read.
    from ctxtui.core.text.secrets.search import search  # noqa: PLC0415

    return tuple(search(text))


def redact(text: str) -> tuple[str, list[Secret]]:
    """The text with every credential replaced by `[redacted: its kind]`, and the credentials."""
    found = find_secrets(text)
    return (redacted(text, found, 0, len(text))[0] if found else text), found


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
