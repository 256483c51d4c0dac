"""A task as text: its words with their weights, the symbols it names, the paths and lines it names."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Final, NamedTuple

from ctxtui.retrieval.index.query import keywords_of
from ctxtui.retrieval.index.tokenizer import Words

_MOST: Final = 20_000
_MOST_NAMES: Final = 40
# The first lines say what is wanted. What follows explains, quotes and lists.
_EXPLAINING: Final = 0.3
_FEWEST: Final = 3
# Words of nearly every change. They are rare in code, but say what is done, not where.
_OF_ANY_CHANGE: Final = (
    "add adjust after allow also avoid before better break bug bump change check clean cleanup correct create"
    " deprecate disable enable ensure fail fix handle implement improve instead introduce issue make minor miss"
    " move must need new now possible prevent proper properly provide refactor remove rename replace should"
    " simplify small support tweak update upgrade use want when work"
)
_SAYING_LITTLE: Final = 0.3
_SPAN: Final = re.compile(r"`([^`\n]{2,80})`")
_NAME: Final = re.compile(r"[A-Za-z_$][\w$]*(?:(?:\.|::|->|#)[A-Za-z_$][\w$]*)*(?:\(\))?")
_PART: Final = re.compile(r"[A-Za-z_$][\w$]*")
_IS_CODE: Final = re.compile(r"[A-Za-z\d]_[A-Za-z\d]|[a-z\d][A-Z]|\.|::|->|#|\(\)$")
# `src/a.py:12`, `src/a.py", line 12`, `a.ts(12,3)`, `src/a.py#L12`.
_PLACE: Final = re.compile(
    r"((?:[\w@.+-]+[/\\])*[\w@+-][\w@.+-]*\.[A-Za-z]\w{0,9})(?:(?::|\", line |\(|#L|, line )(\d{1,7}))?(?![\w/\\])"
)
# `/`, `./`, `../` or an ellipsis before a path. The dot of a hidden folder stays.
_ABOVE: Final = re.compile(r"^(?:\.*/|\.{2,})+")


class Place(NamedTuple):
    """The end of a path, and a line from 1, as a task names them."""

    path: str
    line: int | None


@dataclass(frozen=True, slots=True)
class Task:
    """A task: the factors of its terms, their words as first written, and the symbols, paths and lines it names."""

    words: Mapping[str, float]
    written: Mapping[str, str]
    names: frozenset[str]
    places: tuple[Place, ...]


def read_task(text: str, words: Words) -> Task:
    """The task in the first 20,000 characters of a text: an issue, a question, a commit's message, a stack trace."""
    text = text[:_MOST]
    telling = keywords_of(text, words)
    main = frozenset(words.of(f"{_subject(text, words)} {' '.join(_SPAN.findall(text))}").split())
    names = frozenset(_names(text))
    little = frozenset(words.of(_OF_ANY_CHANGE).split()).difference(words.of(" ".join(names)).split())
    written: dict[str, str] = {}
    for word, terms in words.written(text):
        for term in terms:
            written.setdefault(term, word)
    factors = {word: 1.0 if word in main else _EXPLAINING for word in telling}
    return Task(
        {word: factor * _SAYING_LITTLE if word in little else factor for word, factor in factors.items()},
        written,
        names,
        tuple(dict.fromkeys(_places(text))),
    )


def _subject(text: str, words: Words) -> str:
    """The first lines of a text, as many as it takes for some words that are not stop words."""
    subject = ""
    for line in text.splitlines():
        subject += f" {line}"
        if len(keywords_of(subject, words)) >= _FEWEST:
            break
    return subject


def _names(text: str) -> list[str]:
    """The names in a text that look like code, such as `read_task`, and any words between backquotes."""
    spans = [part for span in _SPAN.findall(text) for part in _PART.findall(span)]
    mentions = [part for name in _NAME.findall(text) if _IS_CODE.search(name) for part in _PART.findall(name)]
    return [name for name in (*spans, *mentions) if len(name) > 2][:_MOST_NAMES]


def _places(text: str) -> Iterator[Place]:
    for path, line in _PLACE.findall(text):
        yield Place(_ABOVE.sub("", path.replace("\\", "/")), int(line) if line else None)
