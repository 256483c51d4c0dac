"""Rules as in `.gitignore` that a project writes, matched by RE2, so that no rule runs forever."""

from __future__ import annotations

import re
import warnings
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import TYPE_CHECKING, Final

from ctxtui.core.errors import ContextError

if TYPE_CHECKING:
    from pathspec import GitIgnoreSpec

MAX_RULE: Final = 1_000
"""The maximum number of characters of a rule."""

# The number of rules of one matcher: with more, its time grows faster than linearly.
_TOGETHER: Final = 1_000


@dataclass(frozen=True, slots=True, eq=False)
class IgnoreRules:
    """Rules in order; the last one that matches a path decides."""

    _specs: tuple[GitIgnoreSpec, ...]

    def verdict(self, path: str) -> bool | None:
        """Whether a path is ignored; None if no rule matches."""
        verdicts = (spec.check_file(path).include for spec in reversed(self._specs))
        return next((verdict for verdict in verdicts if verdict is not None), None)

    def covers(self, path: str) -> bool:
        """Whether a file or a folder above it is ignored."""
        parts = path.split("/")
        above = ("/".join(parts[:end]) + "/" for end in range(1, len(parts)))
        return any(map(self.verdict, above)) or bool(self.verdict(path))


def read_rules(lines: Sequence[str]) -> IgnoreRules:
    """The rules of some lines; raises ContextError (invalid_request) if one of them is invalid."""
    if any(len(line) > MAX_RULE for line in lines):
        raise ContextError("invalid_request", f"a rule has at most {MAX_RULE:,} characters")
    # The last of equal rules decides.
    return _compiled(tuple(dict.fromkeys(reversed(lines)))[::-1])


@lru_cache(maxsize=512)
def _compiled(rules: tuple[str, ...]) -> IgnoreRules:
    """Rules are compiled once: a project is walked again whenever one of its files changes."""
    parts = (rules[start : start + _TOGETHER] for start in range(0, len(rules), _TOGETHER))
    return IgnoreRules(tuple(spec for part in parts for spec in _specs(part)))


def read_sound_rules(lines: Sequence[str]) -> IgnoreRules:
    """The rules of some lines that are valid; those that are not are left out."""
    rules = [line for line in lines if line.strip() and not line.startswith("#")]
    try:
        return read_rules(rules)
    except ContextError:
        return read_rules([line for line in rules if _is_sound(line)])


def _is_sound(line: str) -> bool:
    try:
        read_rules([line])
    except ContextError:
        return False
    return True


def _specs(rules: Sequence[str]) -> Iterator[GitIgnoreSpec]:
    """The rules in as many matchers as their size requires."""
    import re2  # noqa: PLC0415 - projects without ignore files need no matcher

    try:
        yield _spec(rules)
    except (ValueError, re.error) as error:
        raise ContextError("invalid_request", str(error)) from error
    except re2.error as error:
        if len(rules) == 1:
            raise ContextError("invalid_request", f"it cannot be matched: {error}") from error
        for part in (rules[: len(rules) // 2], rules[len(rules) // 2 :]):
            yield from _specs(part)


def _spec(lines: Sequence[str]) -> GitIgnoreSpec:
    from pathspec import GitIgnoreSpec  # noqa: PLC0415 - as above

    with warnings.catch_warnings():
        # Classes such as `[[:alpha:]]` make the regular expressions warn on stderr, over the screen.
        warnings.simplefilter("ignore", FutureWarning)
        return GitIgnoreSpec.from_lines(lines, backend="re2")
