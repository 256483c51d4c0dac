"""Filters typed by the user: words in any order, `!word`, "a phrase", a leading `/` for paths only."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import NamedTuple

from ctxtui.core.base.plain import plain_line
from ctxtui.core.base.wording import nearest, plural

CharRange = tuple[int, int]
"""The first character of a part of a text, and the character behind its last."""

_Rank = tuple[int, int, bool, int]
_PIECE = re.compile(r'(!?)(?:"([^"]*)"?|(\S+))')
# The letters of an inexact match may be this far apart: in total, and per letter.
_LOOSE, _LOOSE_PER_LETTER = 6, 2


class Word(NamedTuple):
    """A word to find, in lower case. The letters of an exact word must be adjacent."""

    text: str
    is_exact: bool = False


@dataclass(frozen=True, slots=True)
class Filter:
    """The parsed filter: required and excluded words, whether only paths count, and `pieces` as typed."""

    wanted: tuple[Word, ...] = ()
    unwanted: tuple[str, ...] = ()
    is_paths_only: bool = False
    pieces: tuple[str, ...] = ()

    @property
    def is_empty(self) -> bool:
        return not self.pieces

    def holds(self, folded: str) -> bool:
        """Whether a text in lower case has all words as typed and no excluded word."""
        return all(word.text in folded for word in self.wanted) and not any(word in folded for word in self.unwanted)


class SearchLabel(NamedTuple):
    """The text that a filter searches: a path, or a path and a heading. `tail` is the offset of the last part."""

    text: str
    folded: str
    tail: int
    is_path: bool = True

    @staticmethod
    def of(path: str) -> SearchLabel:
        text = plain_line(path)
        return SearchLabel(text, fold(text), text.rstrip("/").rfind("/") + 1)

    @staticmethod
    def of_heading(path: str, heading: str) -> SearchLabel:
        """The label of a heading in a file. At least one word must match in the heading itself."""
        before = f"{plain_line(path)} / "
        text = f"{before}{plain_line(heading)}"
        return SearchLabel(text, fold(text), len(before), False)


def fold(text: str) -> str:
    """A text in lower case, character by character, so that positions stay the same."""
    folded = text.casefold()
    if len(folded) != len(text):
        folded = "".join(low if len(low := character.casefold()) == 1 else character for character in text)
    return folded


def read_filter(typed: str) -> Filter:
    """The filter that a user typed. Every text is valid."""
    typed = typed.strip()
    is_paths_only = typed.startswith("/")
    wanted: list[Word] = []
    unwanted: list[str] = []
    pieces: list[str] = []
    for found in _PIECE.finditer(typed.removeprefix("/") if is_paths_only else typed):
        negation, phrase, word = found.groups()
        text = fold(phrase if phrase is not None else word)
        if not text.strip():
            continue
        pieces.append(found[0])
        if negation:
            unwanted.append(text)
        else:
            wanted.append(Word(text, phrase is not None))
    return Filter(tuple(wanted), tuple(unwanted), is_paths_only, tuple(pieces))


def best(labels: Sequence[SearchLabel], sought: Filter) -> list[int]:
    """The positions of the matching labels, best first.

    If no label has every word as typed, those match that need the fewest words with letters left out.
    """
    words = [word.text for word in sought.wanted]
    allowed = [
        (place, label)
        for place, label in enumerate(labels)
        if label.is_path or not (sought.is_paths_only or (words and not _is_heading_found(label, words)))
    ]
    for unwanted in sought.unwanted:
        allowed = [each for each in allowed if unwanted not in each[1].folded]
    literal = allowed
    for word in words:
        literal = [each for each in literal if word in each[1].folded]
    if literal or not words:
        ranked = [(_rank(label, words), place) for place, label in literal]
    else:
        ranked = _loosely(allowed, sought.wanted)
    ranked.sort()
    return [place for _, place in ranked]


def _is_heading_found(label: SearchLabel, words: Sequence[str]) -> bool:
    """Whether the heading, without its path, has one of the words, or all letters of one word in order."""
    folded, tail = label.folded, label.tail
    for word in words:
        if folded.find(word, tail) >= 0:
            return True
    return any(_letters(word, label, (tail,)) for word in words)


def _rank(label: SearchLabel, words: Sequence[str]) -> _Rank:
    """A sort key, lower is better: words in the last part, at beginnings of words, in paths, in a short last part."""
    folded, tail = label.folded, label.tail
    outside = inside = 0
    for word in words:
        at = folded.find(word, tail)
        if at < 0:
            outside += 1
        elif at > tail:
            inside += 2 if folded[at - 1].isalnum() else 1
    return outside, inside, not label.is_path, len(folded) - tail


def _loosely(allowed: Iterable[tuple[int, SearchLabel]], words: Sequence[Word]) -> list[tuple[_Rank, int]]:
    """The labels with every word, the fewest of them as scattered letters in order: their ranks and positions."""
    fewest = len(words)
    found: list[tuple[_Rank, int]] = []
    for place, label in allowed:
        loose = outside = length = 0
        for word in words:
            if word.text in label.folded:
                outside += word.text not in label.folded[label.tail :]
                continue
            loose += 1
            letters = None if word.is_exact or loose > fewest else _letters(word.text, label)
            if letters is None:
                break
            outside += letters[0] < label.tail
            length += letters[-1] - letters[0]
        else:
            if loose < fewest:
                fewest, found = loose, []
            found.append(((outside, length, not label.is_path, len(label.folded) - label.tail), place))
    return found


def _letters(word: str, label: SearchLabel, starts: Sequence[int] | None = None) -> list[int] | None:
    """The offsets of a word's letters, in order and close together, for the first of `starts` with them, or None."""
    for start in starts or (label.tail, 0):
        at = start - 1
        for letter in word:
            at = label.folded.find(letter, at + 1)
            if at < 0:
                break
        else:
            places = [at]
            for letter in reversed(word[:-1]):
                places.append(label.folded.rfind(letter, start, places[-1]))
            if places[0] - places[-1] <= _LOOSE + _LOOSE_PER_LETTER * len(word):
                return places[::-1]
    return None


def spans(label: SearchLabel, sought: Filter) -> tuple[CharRange, ...]:
    """The ranges of characters in a label that a filter matches, in order and disjoint."""
    places: set[int] = set()
    for word in sought.wanted:
        at = label.folded.find(word.text, label.tail)
        at = label.folded.rfind(word.text) if at < 0 else at
        if at >= 0:
            places.update(range(at, at + len(word.text)))
        elif not word.is_exact:
            places.update(_letters(word.text, label) or ())
    found: list[CharRange] = []
    for place in sorted(places):
        if found and found[-1][1] == place:
            found[-1] = (found[-1][0], place + 1)
        else:
            found.append((place, place + 1))
    return tuple(found)


def advice(labels: Sequence[SearchLabel], typed: str) -> str:
    """A sentence that nothing matches, and if possible a filter that would: without a word, or with one corrected."""
    sought = read_filter(typed)
    nothing = f"nothing matches `{plain_line(typed.strip())}`"
    pieces, sign = sought.pieces, "/" if sought.is_paths_only else ""
    rests = (" ".join((*pieces[:place], *pieces[place + 1 :])) for place in range(len(pieces)))
    fewer = [(len(best(labels, read_filter(sign + rest))), sign + rest) for rest in rests if rest]
    helpful = sorted((count, rest) for count, rest in fewer if count)
    if helpful:
        count, rest = helpful[0]
        return f"{nothing}; {plural(count, 'row')} would match `{plain_line(rest)}`"
    names = {part for label in labels for part in re.split(r"[/._\s-]+", label.folded) if part}
    for word in sought.wanted:
        close = nearest(word.text, sorted(names))
        if close:
            return f"{nothing}; did you mean `{close[0]}`?"
    if sought.is_paths_only:
        return f"{nothing}; without the leading / headings count too"
    return nothing
