"""The number of instructions in a text: sentences and list items that tell the model to do or not to do something."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Final

from ctxtui.audit.text.facts import outside_code, split_lines

# Duty, wherever it stands in the sentence.
_DUTY: Final = re.compile(
    r"\b(?:must|never|always|do not|don['’]t|should|shouldn['’]t|shall|(?:need|have|has|required|sure) to"
    r"|make sure|be sure|may not|not allowed|forbidden|prohibited|mandatory)\b",
    re.IGNORECASE,
)
# First words of a sentence that are hardly ever anything but an imperative.
_VERBS: Final = frozenset(
    "accept account add address adhere adjust adopt align allow analyze answer append apply ask assert assume"
    " avoid await be bring bump call capture check choose cite clarify classify clean clear close collect"
    " combine compare complete compute configure confirm consider consult continue convert copy create declare"
    " defer define delegate delete deploy derive describe detect determine disable discover do"
    " document draft drive drop duplicate edit embed emit enable enforce ensure enter escape evaluate examine"
    " exclude execute expect explain explore expose extend extract favor fetch fill find finish fix flag follow"
    " gather generate get give group guard help hide identify ignore implement include increase indicate"
    " inform inherit initialize inject insert inspect install introduce investigate invoke isolate iterate keep"
    " launch learn leave let limit locate look maintain make mark match maximize mention merge minimize mirror"
    " modify move navigate never note notify obey omit open optimize organize override parse pass paste perform"
    " pick point prefer prefix prepare preserve prevent preview prioritize proceed produce propose protect provide"
    " publish pull push put quote raise re-run reach read rebuild recommend recompile record reduce refactor"
    " refer regenerate register reject reload rely remember remove rename render reopen repeat replace reply"
    " reproduce rerun resolve respect respond restart resume retain retry reuse revert rewrite run sanitize"
    " save say scan scope search see select send separate serve share ship show simplify skip sort spawn"
    " specify split stage start stay stick stop store strip study submit suggest summarize surface sync tag take"
    " teach tell think throw translate treat trim try understand undo unify update use validate verify view"
    " visit wait walk watch wire wrap write".split()
)
# First words that are nouns as often: imperatives if such a word follows.
_ALSO_NOUNS: Final = frozenset(
    "archive batch benchmark branch break build cache cap change commit contact cover debug default design"
    " dispatch display export file format handle hook host import issue label link lint list load log map measure"
    " mock model monitor name order pair pin place plan post print profile prompt query reference release report"
    " request research reserve reset restore return review route schedule set sign state step structure style support"
    " switch target test time trace track trigger trust type weigh work".split()
)
_OBJECT: Final = re.compile(
    r"\s+(?:`|\*\*|@|\[|\"|(?:a|an|the|all|any|each|every|your|this|that|these|those|it|its|them|their|one|only|both|no"
    r"|new|existing|against|as|at|before|after|by|for|from|if|in|into|on|out|to|up|using|via|when|whether|with"
    r"|through|within|without|non-|real|small|multiple|code|changes|tests)\b)",
    re.IGNORECASE,
)
# Behind these, the imperative is the first word after a comma.
_CONDITION: Final = re.compile(
    r"(?:if|when|whenever|before|after|for|in|on|to|while|unless|where|with|once|instead|at|by|as|otherwise|then"
    r"|by default|first|finally|next|also|and|please|only|just|during|except|until|because|since)\b",
    re.IGNORECASE,
)
_AHEAD: Final = re.compile(
    r"(?:please|always|also|then|finally|next|only|just|and|but|or|otherwise|instead|explicitly|carefully"
    r"|immediately|strictly|briefly|simply|directly|again|optionally|ideally|generally|manually)[,:]?\s+",
    re.IGNORECASE,
)
_ITEM: Final = re.compile(r"\s*(?:>\s*)*(?:[-*+•]|\d{1,3}[.)])\s+(?:\[[ xX]\]\s+)?")
_HEADING: Final = re.compile(r" {0,3}#{1,6}(?:\s|$)")
_RULED: Final = re.compile(r"[\s|:=*_-]*")
_ENDS: Final = re.compile(r"(?<!e\.g)(?<!i\.e)(?<!\bvs)(?<!\betc)[.!?][\"')*_`\]]*\s+")
_CLAUSE: Final = re.compile(r"[:;]\**\s+|\s+(?:—|–|->|→|-)\s+|\)\s+")
# A command or file, and behind it what it does.
_DESCRIBED: Final = re.compile(r"\W*`[^`]+`\W*?(?:\s(?:—|–|->|→|-|#)|:)\s")
_MARKS: Final = re.compile(r"^[^\w`]+")
_FIRST: Final = re.compile(r"[A-Za-z][\w-]*")
_COMMA: Final = re.compile(r",\s+(?:then\s+)?")


def instructions(text: str) -> int | None:
    """The sentences and list items that ask for something, None if the text is not in English."""
    shown = outside_code(text)
    return sum(map(is_instruction, sentences(shown))) if is_english(shown) else None


def sentences(shown: str) -> Iterator[str]:
    """The sentences of paragraphs, list items and cells."""
    block: list[str] = []
    for line in [*split_lines(shown), ""]:
        item = _ITEM.match(line)
        is_cell = line.lstrip().startswith("|")
        if item or is_cell or not line.strip() or _HEADING.match(line):
            yield from _ENDS.split(" ".join(block))
            block = []
        if is_cell:
            yield from (each for each in line.split("|") if not _RULED.fullmatch(each))
        elif line.strip() and not _HEADING.match(line):
            block.append(line[item.end() :] if item else line.strip())


def is_instruction(sentence: str) -> bool:
    if sentence.rstrip().endswith("?"):
        return False
    return bool(_DUTY.search(sentence)) or any(map(_is_imperative, _clauses(sentence)))


def _clauses(sentence: str) -> Iterator[str]:
    for clause in () if _DESCRIBED.match(sentence) else _CLAUSE.split(sentence):
        clause = _MARKS.sub("", clause)
        yield clause
        if _CONDITION.match(clause):
            yield from _COMMA.split(clause)[1:]


def _is_imperative(clause: str) -> bool:
    clause = _MARKS.sub("", clause)
    while ahead := _AHEAD.match(clause):
        clause = _MARKS.sub("", clause[ahead.end() :])
    first = _FIRST.match(clause)
    word = first[0].lower() if first else ""
    return word in _VERBS or bool(first and word in _ALSO_NOUNS and _OBJECT.match(clause, first.end()))


_LETTER: Final = re.compile(r"[^\W\d_]")
_WORD: Final = re.compile(r"[^\W\d_]+")
_ENGLISH: Final = frozenset("the of and to for with not is are when if this from be or use that it".split())
# The commonest words of German, French, Spanish, Portuguese, Italian, Dutch and Polish that are no English words.
_OTHERS: Final = frozenset(
    "der das und nicht ist ein eine mit wenn les des est une pas dans pour el los las una con por para que não uma do"
    " il della che di het een niet voor nie jest".split()
)
_MOST_LETTERS: Final = 0.1


def is_english(shown: str) -> bool:
    letters, words = _LETTER.findall(shown), _WORD.findall(shown.lower())
    is_latin = sum(not each.isascii() for each in letters) <= _MOST_LETTERS * len(letters)
    return is_latin and sum(each in _ENGLISH for each in words) >= sum(each in _OTHERS for each in words)
