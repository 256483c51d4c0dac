"""Rules as in `.gitignore` that a project writes, matched by RE2, so that no rule runs forever."""

from __future__ import annotations

import re
import warnings
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Any, Final, NamedTuple

from ctxtui.core.base.errors import ContextError

MAX_RULE: Final = 1_000
"""The maximum number of characters of a rule."""

# The number of rules in one matcher: beyond it, the time grows faster than linearly.
_TOGETHER: Final = 1_000


# Part of the expression of a rule that may match a folder, whose contents it then covers, or a file.
_FOLDER: Final = "(?P<ps_d>/)"
_FOLDER_OR_FILE: Final = f"(?:{_FOLDER}|$)"


class _Part(NamedTuple):
    """The meaning of one expression: the position of its rule, whether it ignores, whether it matched a folder."""

    position: int
    ignores: bool
    is_folder: bool


class _Matcher(NamedTuple):
    """Rules as the expressions of one set, each with its part."""

    match: Callable[[str], Sequence[int] | None]
    parts: tuple[_Part, ...]

    def verdict(self, found: Sequence[int]) -> bool:
        """The decision of the rules that match a path."""
        best = self.parts[found[0]]
        for each in found[1:]:
            part = self.parts[each]
            # A rule that matches the path itself outranks rules that match an ancestor, unless they ignore it.
            if part.position > best.position:
                wins = part.is_folder == best.is_folder or not part.is_folder or part.ignores
            else:
                wins = best.is_folder and not part.is_folder
            best = part if wins else best
        return best.ignores


@dataclass(frozen=True, slots=True, eq=False)
class IgnoreRules:
    """Rules in order. The last matching rule decides."""

    _matchers: tuple[_Matcher, ...]

    def verdict(self, path: str) -> bool | None:
        """Whether a path is ignored, or None if no rule matches."""
        if path.startswith(("/", "./")):
            path = path[1 if path[0] == "/" else 2 :]
        for matcher in reversed(self._matchers):
            found = matcher.match(path)
            if found:
                return matcher.verdict(found)
        return None

    def covers(self, path: str) -> bool:
        """Whether a file or one of its ancestors is ignored."""
        parts = path.split("/")
        above = ("/".join(parts[:end]) + "/" for end in range(1, len(parts)))
        return any(map(self.verdict, above)) or bool(self.verdict(path))


def read_rules(lines: Sequence[str]) -> IgnoreRules:
    """The rules of some lines. Raises ContextError (invalid_request) for an invalid line."""
    if any(len(line) > MAX_RULE for line in lines):
        raise ContextError("invalid_request", f"a rule has at most {MAX_RULE:,} characters")
    # The last of equal rules decides.
    return _compiled(tuple(dict.fromkeys(reversed(lines)))[::-1])


@lru_cache(maxsize=512)
def _compiled(rules: tuple[str, ...]) -> IgnoreRules:
    """Cached, because a project is walked again whenever one of its files changes."""
    parts = (rules[start : start + _TOGETHER] for start in range(0, len(rules), _TOGETHER))
    return IgnoreRules(tuple(matcher for part in parts for matcher in _matchers(part)))


def read_sound_rules(lines: Sequence[str]) -> IgnoreRules:
    """The valid rules of some lines."""
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


def _matchers(rules: Sequence[str]) -> Iterator[_Matcher]:
    """The rules in as many matchers as their size requires."""
    import re2  # noqa: PLC0415 - projects without ignore files need no matcher

    try:
        yield _matcher(rules)
    except (ValueError, re.error) as error:
        raise ContextError("invalid_request", str(error)) from error
    except re2.error as error:
        if len(rules) == 1:
            raise ContextError("invalid_request", f"it cannot be matched: {error}") from error
        for part in (rules[: len(rules) // 2], rules[len(rules) // 2 :]):
            yield from _matchers(part)


def _matcher(rules: Sequence[str]) -> _Matcher:
    import re2  # noqa: PLC0415 - as above

    expressions = [(number, *each) for number, rule in enumerate(rules) if (each := _expression(rule))]
    options: Any = re2.Options()
    options.log_errors = False
    options.never_capture = True
    matcher: Any = re2.Set.SearchSet(options)
    parts: list[_Part] = []
    for position, expression, ignores in expressions:
        for variant, is_folder in _variants(expression):
            matcher.Add(variant)
            parts.append(_Part(position, ignores, is_folder))
    matcher.Compile()
    return _Matcher(matcher.Match, tuple(parts))


# Many folders have the same rules.
@lru_cache(maxsize=4_096)
def _expression(rule: str) -> tuple[str, bool] | None:
    """The regular expression of a rule, and whether it ignores. None for a rule without effect.

    Raises ValueError or re.error for an invalid rule.
    """
    from pathspec.patterns.gitignore.spec import GitIgnoreSpecPattern  # noqa: PLC0415 - as above

    expression, ignores = GitIgnoreSpecPattern.pattern_to_regex(rule)
    if expression is None or ignores is None:
        return None
    # Only brackets and escapes of the rule can be invalid. All other text is escaped.
    if "[" in rule or "\\" in rule:
        with warnings.catch_warnings():
            # Classes such as `[[:alpha:]]` make `re` warn on stderr, over the screen.
            warnings.simplefilter("ignore", FutureWarning)
            re.compile(expression)
    return expression, ignores


def _variants(expression: str) -> list[tuple[str, bool]]:
    """The expressions for folders and for files: a set does not tell which group matched."""
    if expression.endswith(_FOLDER_OR_FILE):
        base = expression.removesuffix(_FOLDER_OR_FILE)
        return [(f"{base}/", True), (f"{base}$", False)]
    return [(expression.replace(_FOLDER, "/"), _FOLDER in expression)]
