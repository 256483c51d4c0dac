"""Rules as in `.gitignore`, read byte by byte as git reads them, matched by RE2, so that no rule runs forever."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Any, Final, NamedTuple

MAX_RULE: Final = 1_000
"""The maximum number of characters of a rule."""

_MARK: Final = b"\xef\xbb\xbf"
_TOGETHER: Final = 1_000
_ANY: Final = frozenset(range(256))
_ASCII: Final = 128
_SLASH: Final = ord("/")
_SPECIAL: Final = re.compile(r"[*?\[\\]")


def _of(*spans: str) -> frozenset[int]:
    return frozenset(code for span in spans for code in range(ord(span[0]), ord(span[-1]) + 1))


_CLASSES: Final = {
    "alnum": _of("az", "AZ", "09"),
    "alpha": _of("az", "AZ"),
    "blank": _of(" ", "\t"),
    "cntrl": _of("\x00\x1f", "\x7f"),
    "digit": _of("09"),
    "graph": _of("!~"),
    "lower": _of("az"),
    "print": _of(" ~"),
    "punct": _of("!/", ":@", "[`", "{~"),
    "space": _of("\t\r", " "),
    "upper": _of("AZ"),
    "xdigit": _of("09", "af", "AF"),
}


class Line(NamedTuple):
    """A rule as written, and the number of its line in the file, from 1. Each character stands for one byte."""

    number: int
    text: str


class _Rule(NamedTuple):
    """A rule: the RE2 expression for its paths, whether it ignores or excepts them, whether only folders match."""

    expression: str
    ignores: bool
    is_for_folders: bool


class _Set(NamedTuple):
    """Rules in order, matched together."""

    match: Callable[[bytes], Sequence[int] | None]
    rules: tuple[_Rule, ...]

    def matches(self, path: str, is_folder: bool) -> list[int]:
        """The positions in `rules` of those that match this very path, not only an ancestor."""
        matched = self.match(path.encode("utf-8", "surrogateescape")) or ()
        return [place for place in matched if is_folder or not self.rules[place].is_for_folders]


@dataclass(frozen=True, slots=True, eq=False)
class GitRules:
    """Rules in order. The last rule that matches a path itself, not its ancestor, decides."""

    _sets: tuple[_Set, ...]

    def verdict(self, path: str, is_folder: bool) -> bool | None:
        """Whether a path, relative to the folder of the rules, is ignored. None if no rule matches."""
        for each in reversed(self._sets):
            found = each.matches(path, is_folder)
            if found:
                return each.rules[max(found)].ignores
        return None

    def covers(self, path: str) -> bool:
        """Whether a file or one of its ancestors is ignored. An exception for the file alone does not help."""
        return any(self.verdict(folder, True) for folder in _ancestors(path)) or bool(self.verdict(path, False))

    def selects(self, path: str) -> bool:
        """Whether the last rule that matches a file or one of its ancestors ignores it.

        If a rule matches the file itself, exceptions for its ancestors do not count.
        """
        for each in reversed(self._sets):
            own = each.matches(path, False)
            above = (place for folder in _ancestors(path) for place in each.matches(folder, True))
            found = [*own, *(place for place in above if not own or each.rules[place].ignores)]
            if found:
                return each.rules[max(found)].ignores
        return False


def _ancestors(path: str) -> Iterator[str]:
    """The folders above a path, outermost first."""
    return (path[:end] for end, sign in enumerate(path) if sign == "/")


def rule_lines(data: bytes) -> list[Line]:
    """The rules in a file, without byte order mark, line ends, comments and trailing spaces."""
    texts = data.removeprefix(_MARK).decode("latin-1").split("\n")
    lines = (Line(number, text.removesuffix("\r")) for number, text in enumerate(texts, 1))
    trimmed = (line._replace(text=_trimmed(line.text)) for line in lines if line.text and line.text[0] != "#")
    return [line for line in trimmed if line.text]


def read_rules(texts: Iterable[str]) -> list[Line]:
    """The rules in some texts, such as globs, as if each were a line of a file."""
    return rule_lines("\n".join(texts).encode("utf-8", "surrogateescape"))


def is_sound(line: Line) -> bool:
    """Whether a rule can match anything at all."""
    return len(line.text) <= MAX_RULE and _rule(line.text) is not None


def git_rules(lines: Sequence[Line], ignores_case: bool = False) -> GitRules:
    """The rules of some lines. Unsound lines have no effect."""
    texts = tuple(line.text for line in lines if len(line.text) <= MAX_RULE)
    # The last of equal rules decides.
    return _compiled(tuple(dict.fromkeys(reversed(texts)))[::-1], ignores_case)


@lru_cache(maxsize=512)
def _compiled(texts: tuple[str, ...], ignores_case: bool) -> GitRules:
    """`git_rules`, cached: a project is walked again whenever one of its files changes."""
    rules = [rule for text in texts if (rule := _rule(text, ignores_case))]
    parts = (rules[start : start + _TOGETHER] for start in range(0, len(rules), _TOGETHER))
    return GitRules(tuple(each for part in parts for each in _sets(part, ignores_case)))


def _sets(rules: Sequence[_Rule], ignores_case: bool) -> Iterator[_Set]:
    """The rules in as many sets as their size requires. A rule too large for any set has no effect."""
    import re2  # noqa: PLC0415 - projects without ignore files need no matcher

    options: Any = re2.Options()
    options.log_errors, options.never_capture, options.dot_nl = False, True, True
    options.encoding, options.case_sensitive = re2.Options.Encoding.LATIN1, not ignores_case
    matcher: Any = re2.Set.FullMatchSet(options)
    try:
        for rule in rules:
            matcher.Add(rule.expression.encode("latin-1"))
        matcher.Compile()
        yield _Set(matcher.Match, tuple(rules))
    except re2.error:
        half = len(rules) // 2
        for part in (rules[:half], rules[half:]) if half else ():
            yield from _sets(part, ignores_case)


def _trimmed(text: str) -> str:
    """A line without unescaped trailing spaces. As for git, NUL ends it."""
    text = text.partition("\0")[0]
    kept = place = 0
    while place < len(text):
        sign = text[place]
        place += 2 if sign == "\\" else 1
        kept = kept if sign == " " else place
    return text[:kept]


# Many folders have the same rules.
@lru_cache(maxsize=4_096)
def _rule(text: str, ignores_case: bool = False) -> _Rule | None:
    """The parsed rule in a line, None if it matches nothing."""
    pattern = text.removeprefix("!")
    is_for_folders = pattern.endswith("/")
    pattern = pattern[:-1] if is_for_folders else pattern
    is_path = "/" in pattern
    expression = glob_expression(pattern.removeprefix("/"), ignores_case, is_path)
    if expression is None or not pattern.removeprefix("/"):
        return None
    return _Rule(expression if is_path else f"(?:.*/)?{expression}", text[0] != "!", is_for_folders)


def glob_expression(pattern: str, ignores_case: bool, is_path: bool = True) -> str | None:
    """The RE2 expression for a pattern, None if it matches nothing. Only `**` crosses `/`, and only if `is_path`."""
    # Git compares the text before the first special character literally, and matches from there.
    found = _SPECIAL.search(pattern)
    first = found.start() if found else len(pattern)
    parts, place = list[str](), 0
    while place < len(pattern):
        match pattern[place]:
            case "\\":
                if place + 1 == len(pattern):
                    return None
                parts.append(re.escape(pattern[place + 1]))
                place += 2
            case "?":
                parts.append("[^/]")
                place += 1
            case "*":
                part, place = _stars_expression(pattern, place, first if is_path else None)
                parts.append(part)
            case "[":
                bracket = _bracket_expression(pattern, place + 1, ignores_case)
                if bracket is None:
                    return None
                part, place = bracket
                parts.append(part)
            case sign:
                parts.append(re.escape(sign))
                place += 1
    return "".join(parts)


def _stars_expression(pattern: str, start: int, first: int | None) -> tuple[str, int]:
    """The expression for stars at `start`, and their end. They cross `/` only if `first` (special sign) is given."""
    end = start
    while pattern[end : end + 1] == "*":
        end += 1
    begins_name = first is not None and (start == first or pattern[start - 1] == "/")
    after = pattern[end:]
    if end - start < 2 or not begins_name or not (not after or after.startswith(("/", "\\/"))):
        return "[^/]*", end
    return ("(?:.*/)?", end + 1) if after.startswith("/") else (".*", end)


def _bracket_expression(pattern: str, place: int, ignores_case: bool) -> tuple[str, int] | None:
    """The expression for a bracket opened before `place`, and its end. None if it never ends or matches nothing."""
    is_negated = pattern[place : place + 1] in ("!", "^")
    place += is_negated
    taken, before = set[int](), -1
    is_first = True
    while is_first or pattern[place : place + 1] != "]":
        is_first = False
        sign = pattern[place : place + 1]
        if not sign:
            return None
        if sign == "-" and before >= 0 and pattern[place + 1 : place + 2] not in ("", "]"):
            place += 2 if pattern[place + 1] == "\\" else 1
            if place >= len(pattern):
                return None
            taken.update(range(before, ord(pattern[place]) + 1))
            before = -1
        elif sign == "[" and pattern[place + 1 : place + 2] == ":":
            end = pattern.find("]", place + 2)
            if end < 0:
                return None
            if end > place + 2 and pattern[end - 1] == ":":
                named = _CLASSES.get(pattern[place + 2 : end - 1])
                if named is None:
                    return None
                taken, before, place = taken | named, -1, end
            else:
                taken.add(ord("["))
                before = ord("[")
        else:
            place += sign == "\\"
            if place >= len(pattern):
                return None
            before = ord(pattern[place])
            taken.add(before)
        place += 1
    if ignores_case:
        # A case-insensitive expression would match the other case of the remaining characters of a negated bracket.
        taken |= {ord(chr(code).swapcase()) for code in taken if chr(code).isalpha() and code < _ASCII}
    codes = sorted((_ANY - taken if is_negated else taken) - {_SLASH})
    signs = "".join(map("\\x{:02x}".format, codes))
    return (f"[{signs}]", place + 1) if codes else None
