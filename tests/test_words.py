"""Plain English: phrases that no message, docstring, comment or document of the project uses."""

import io
import re
import tokenize
from collections.abc import Iterator
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
# A phrase, and what to write instead.
PHRASES = {
    r"anew": "again",
    r"so many": "that many, or name the number",
    r"(?:stands?|stood)(?! for\b)": "is, or means",
    r"(?<!there\s)(?:is|are|was|were) no(?! longer\b| more\b)": "is not a, or does not exist",
    r"heed(?:s|ed)?": "follow, or read",
    r"betrays?": "show",
    r"(?:held|holds?) against": "compared with",
    r"(?:is|are) to be": "must be, or an active verb",
    r"of which (?:somebody|nobody|everybody)": "name the actor",
    r"(?:takes?|took|taken) (?:it )?back": "revert",
    r"(?:on|after) a yes": "after you confirm",
    r"dear(?:er|est)": "more expensive, or largest",
    r"furnish\w*": "provide",
    r"where (?:there|none|nobody|nothing|somebody|it does|it has|it cannot)": "if",
    r"(?:is|are|was|were|been|not) told(?! apart\b)": "is reported",
    r"tells": "says, shows, reports, or returns",
    r"again and again": "repeatedly, or often",
    r"in silence": "silently",
    r"in vain": "useless, or without effect",
    r"in the place of": "instead of",
    r"(?:takes?|took|taken) the place": "replace",
    r"(?:lies?|lay) in": "is in, or contains",
    r"(?:none|only|but|except|not) where(?! needed\b)": "if",
    r"of (?:now|then)": "current, or old",
    r"pass(?:ed|es)? over": "skip",
    r"somebody": "name the actor",
    r"whatever": "all, any, or no matter what",
    r"without a word": "silently",
    r"work(?:s|ed) out": "compute",
    r"whoever": "name the actor",
    r"for ever": "forever, or in bounded time",
    r"seed 0\d\d": "the name of the specification",
}
SPACE = r"\s+"
_WRONG = {
    re.compile(rf"\b(?:{phrase.replace(' ', SPACE)})(?!\w)", re.IGNORECASE): instead
    for phrase, instead in PHRASES.items()
}
# One search through a text instead of thirty.
_ANY = re.compile("|".join(pattern.pattern for pattern in _WRONG), re.IGNORECASE)
# Lines of data files that contain sentences: comments and notes.
_SENTENCE = re.compile(r"^#|\b(?:note|effect|what): ")
_GENERATED = re.compile(r"<!-- begin (\w+) -->.*?<!-- end \1 -->", re.DOTALL)


def texts() -> Iterator[tuple[Path, int, str]]:
    """Every text that a person may read, with its file and first line."""
    for folder in (".", ".github", ".claude", "ctxtui/docs"):
        for file in sorted((ROOT / folder).glob("*.md")):
            # Made from code, which is checked itself.
            yield file, 1, _GENERATED.sub(lambda made: "\n" * made[0].count("\n"), file.read_text("utf-8"))
    for file in sorted((ROOT / "ctxtui").rglob("*.*")):
        if file.suffix == ".py":
            code = file.read_text("utf-8")
            # Few files contain any of the phrases, and tokenizing all takes a second.
            if any(phrases_in(code)):
                yield from ((file, *each) for each in strings_and_comments(code))
        elif file.suffix in {".toml", ".yaml"}:
            lines = enumerate(file.read_text("utf-8").splitlines(), 1)
            yield from ((file, number, line) for number, line in lines if _SENTENCE.search(line))


def strings_and_comments(code: str) -> Iterator[tuple[int, str]]:
    for token in tokenize.generate_tokens(io.StringIO(code).readline):
        name = tokenize.tok_name[token.type]
        # Lists of stop words are no sentences: lower-case words without punctuation.
        if name in {"COMMENT", "STRING", "FSTRING_MIDDLE"} and not re.fullmatch(r'"[a-z ]{60,}"', token.string):
            yield token.start[0], token.string


def phrases_in(text: str) -> Iterator[tuple[int, str]]:
    """The lines of a text, from 0, that use one of the phrases, with what to write instead."""
    for pattern, instead in _WRONG.items() if _ANY.search(text) else ():
        for match in pattern.finditer(text):
            yield text[: match.start()].count("\n"), f"{match[0]!r}, write {instead}"


def test_texts_are_in_plain_english() -> None:
    wrong = [
        f"{file.relative_to(ROOT)}:{start + line}: {problem}"
        for file, start, text in texts()
        for line, problem in phrases_in(text)
    ]
    assert not wrong, "\n".join(wrong)


@pytest.mark.parametrize(
    "text", ["A link\nis  no file.", "The reason stands beside it.", "`x` is no key", "None where there is none."]
)
def test_phrases_are_found_across_line_ends_too(text: str) -> None:
    assert list(phrases_in(text))


@pytest.mark.parametrize("text", ["There is no file.", "`{value}` stands for a word.", "It is no longer there."])
def test_plain_english_is_left_alone(text: str) -> None:
    assert not list(phrases_in(text))
