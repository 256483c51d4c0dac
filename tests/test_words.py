"""Plain English: phrases that no message, docstring, comment or document of the project uses."""

import io
import re
import tokenize
from collections.abc import Iterator
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
# Packages whose texts have not been rewritten yet; this list only shrinks.
NOT_YET: set[str] = set()
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
    r"(?:is|are) told": "is reported",
    r"whoever": "name the actor",
    r"for ever": "forever, or in bounded time",
    r"seed 0\d\d": "the name of the specification",
}
SPACE = r"\s+"
_WRONG = {
    re.compile(rf"\b(?:{phrase.replace(' ', SPACE)})(?!\w)", re.IGNORECASE): instead
    for phrase, instead in PHRASES.items()
}
_GENERATED = re.compile(r"<!-- begin (\w+) -->.*?<!-- end \1 -->", re.DOTALL)


def texts() -> Iterator[tuple[Path, int, str]]:
    """Every text that a person may read, with its file and first line."""
    for folder in (".", ".github", ".claude", "ctxtui/docs"):
        for file in sorted((ROOT / folder).glob("*.md")):
            # Made from code, which is checked itself.
            yield file, 1, _GENERATED.sub(lambda made: "\n" * made[0].count("\n"), file.read_text("utf-8"))
    for file in sorted((ROOT / "ctxtui").rglob("*.*")):
        if file.relative_to(ROOT / "ctxtui").parts[0] in NOT_YET:
            continue
        if file.suffix == ".py":
            code = file.read_text("utf-8")
            # Few files contain any of the phrases, and tokenizing all takes a second.
            if any(phrases_in(code)):
                yield from ((file, *each) for each in strings_and_comments(code))
        elif file.suffix in {".toml", ".yaml"}:
            lines = enumerate(file.read_text("utf-8").splitlines(), 1)
            yield from ((file, number, line) for number, line in lines if line.startswith("#"))


def strings_and_comments(code: str) -> Iterator[tuple[int, str]]:
    for token in tokenize.generate_tokens(io.StringIO(code).readline):
        name = tokenize.tok_name[token.type]
        # Lists of stop words are no sentences: lower-case words without punctuation.
        if name in {"COMMENT", "STRING", "FSTRING_MIDDLE"} and not re.fullmatch(r'"[a-z ]{60,}"', token.string):
            yield token.start[0], token.string


def phrases_in(text: str) -> Iterator[tuple[int, str]]:
    """The lines of a text, from 0, that use one of the phrases, with what to write instead."""
    for pattern, instead in _WRONG.items():
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
