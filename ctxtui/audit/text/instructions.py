"""The number of instructions in a text: sentences and list items that tell the model to do or not to do something."""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import cache
from itertools import dropwhile
from typing import Final

from ctxtui.audit.text.facts import outside_code, split_lines
from ctxtui.core.text.data.toml import packaged_toml

# Duty, wherever it stands in the sentence.
_DUTY: Final = re.compile(
    r"\b(?:must|never|always|do not|don['’]t|should|shouldn['’]t|shall|(?:need|have|has|required|sure) to"
    r"|make sure|be sure|may not|not allowed|forbidden|prohibited|mandatory)\b",
    re.IGNORECASE,
)
_ITEM: Final = re.compile(r"\s*(?:>\s*)*(?:[-*+•]|\d{1,3}[.)])\s+(?:\[[ xX]\]\s+)?")
_HEADING: Final = re.compile(r" {0,3}#{1,6}(?:\s|$)")
_RULED: Final = re.compile(r"[\s|:=*_-]*")
_ENDS: Final = re.compile(r"(?<!e\.g)(?<!i\.e)(?<!\bvs)(?<!\betc)[.!?][\"')*_`\]]*\s+")
_CLAUSE: Final = re.compile(r"[:;]\**\s+|\s(?:—|–|->|→|-)\s|\)\s+")
# A command or file, and behind it what it does.
_DESCRIBED: Final = re.compile(r"[\s*_]*`[^`]+`[*_)]*(?:\s+(?:—|–|->|→|-|#)|:)\s")
_MARKS: Final = re.compile(r"^[^\w`]+")
_TOKEN: Final = re.compile(r"[\w-]+|[`*@\[\"]")
# The characters of a clause that show whether it asks for something.
_BEGINNING: Final = 200
_COMMA: Final = re.compile(r",\s+")
_WORD: Final = re.compile(r"[^\W\d_]+")
# The share of letters with accents, or of another script, in English.
_MOST_LETTERS: Final = 0.1


def instructions(text: str) -> int | None:
    """The number of sentences, items and cells that ask for something, None if the text is not in English."""
    shown = outside_code(text)
    return sum(map(is_instruction, sentences(shown))) if is_english(shown) else None


def sentences(shown: str) -> Iterator[str]:
    """The sentences of paragraphs, list items and cells."""
    block: list[str] = []
    for line in [*split_lines(shown), ""]:
        item, bare = _ITEM.match(line), line.strip()
        is_cell, is_text = bare.startswith("|"), bare and not _HEADING.match(line)
        if item or is_cell or not is_text:
            yield from _ENDS.split(" ".join(block))
            block = []
        if is_cell:
            yield from (each for each in line.split("|") if not _RULED.fullmatch(each))
        elif is_text:
            block.append(line[item.end() :] if item else bare)


def is_instruction(sentence: str) -> bool:
    """Whether a sentence has a word of duty or a clause in the imperative. Questions have neither."""
    if sentence.rstrip().endswith("?"):
        return False
    return bool(_DUTY.search(sentence)) or any(map(_is_imperative, _clauses(sentence)))


def _clauses(sentence: str) -> Iterator[list[str]]:
    """The first words and signs of each clause, in lower case. Nothing for the description of a command or file.

    Each part after a comma of a clause with a condition counts, too.
    """
    for clause in () if _DESCRIBED.match(sentence) else _CLAUSE.split(sentence):
        yield (tokens := _tokens(clause))
        if tokens and tokens[0] in _words()["conditions"]:
            yield from map(_tokens, _COMMA.split(clause)[1:])


def _tokens(clause: str) -> list[str]:
    return [each.lower() for each in _TOKEN.findall(_MARKS.sub("", clause[:_BEGINNING]))]


def _is_imperative(tokens: list[str]) -> bool:
    words = _words()
    first, second, *_ = *dropwhile(words["ahead"].__contains__, tokens), "", ""
    return first in words["verbs"] or (first in words["nouns"] and second in words["objects"])


@cache
def _words() -> dict[str, frozenset[str]]:
    return {kind: frozenset(words.split()) for kind, words in packaged_toml(__package__, "asked.toml").items()}


def is_english(shown: str) -> bool:
    """Whether nearly all letters are ASCII, and words of other languages do not outnumber English ones."""
    words = _WORD.findall(shown.lower())
    letters = "".join(words)
    english, others = (sum(map(_words()[kind].__contains__, words)) for kind in ("english", "others"))
    return english >= others and sum(not each.isascii() for each in letters) <= _MOST_LETTERS * len(letters)
