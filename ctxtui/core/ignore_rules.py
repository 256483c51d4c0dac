"""Rules as in `.gitignore` that a project writes, matched by RE2: no rule runs for ever."""

from __future__ import annotations

import re
import warnings
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from ctxtui.core.errors import ContextError

if TYPE_CHECKING:
    from pathspec import GitIgnoreSpec

MAX_RULE = 4_096
"""Characters of a rule; longer than any path."""


@dataclass(frozen=True, slots=True, eq=False)
class IgnoreRules:
    """Rules in their order, of which the last that knows a path decides."""

    _specs: tuple[GitIgnoreSpec, ...]

    def verdict(self, path: str) -> bool | None:
        """Whether a path is ignored; None if no rule knows it."""
        verdicts = (spec.check_file(path).include for spec in reversed(self._specs))
        return next((verdict for verdict in verdicts if verdict is not None), None)


def read_rules(lines: Sequence[str]) -> IgnoreRules:
    """The rules of some lines; raises ContextError (invalid_request) if one of them is none."""
    import re2  # noqa: PLC0415 - projects without ignore files need no matcher

    for line in lines:
        if len(line) > MAX_RULE:
            raise ContextError("invalid_request", f"a rule has at most {MAX_RULE:,} characters")
    try:
        return IgnoreRules((_spec(lines),))
    except re2.error as error:
        if len(lines) < 2:
            raise ContextError("invalid_request", f"the rule cannot be matched: {error}") from error
    except (ValueError, re.error) as error:
        raise ContextError("invalid_request", str(error)) from error
    # One matcher holds some thousand rules.
    half = len(lines) // 2
    return IgnoreRules(tuple(spec for part in (lines[:half], lines[half:]) for spec in read_rules(part)._specs))


def _spec(lines: Sequence[str]) -> GitIgnoreSpec:
    from pathspec import GitIgnoreSpec  # noqa: PLC0415 - as above

    with warnings.catch_warnings():
        # Classes such as `[[:alpha:]]` make the regular expressions warn on stderr, over the screen.
        warnings.simplefilter("ignore", FutureWarning)
        return GitIgnoreSpec.from_lines(lines, backend="re2")
