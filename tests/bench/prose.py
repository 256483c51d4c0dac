"""Writes realistic Markdown and code of any size; the same random numbers give the same text."""

import posixpath
import re
from collections.abc import Callable, Sequence
from itertools import count
from random import Random
from typing import TypeVar

from tests.bench.words import ADJECTIVES, CODE, FOREIGN, ITEMS, NOUNS, PEOPLE, PREFIXES, SENTENCES, SUFFIXES, VERBS

SMALLEST, LARGEST = 1_000, 30_000  # bytes of one file
_MEAN_LOG, _SPREAD = 8.77, 0.75  # of a log-normal size: about 8 KB on average
_LONG = 24  # characters of a line that gets a number
_LANGUAGES = {
    ".py": "python",
    **dict.fromkeys((".ts", ".tsx", ".js", ".mjs"), "typescript"),
    ".sh": "bash",
    **dict.fromkeys((".yaml", ".yml"), "yaml"),
    ".json": "json",
    ".toml": "toml",
}
_ONE_BLOCK = frozenset({"json", "toml"})
_FENCE = re.compile(r"^```\w*\n", re.MULTILINE)
_RARE = 0.12  # the share of words that an encoder must put together
_T = TypeVar("_T")


class _Words:
    """Fills templates with words, names and numbers."""

    def __init__(self, random: Random) -> None:
        self._random = random
        self._makers: dict[str, Callable[[], str]] = {
            "n": lambda: self._word(NOUNS),
            "v": lambda: self._word(VERBS),
            "a": lambda: self._word(ADJECTIVES),
            "cap": lambda: self.one(VERBS).capitalize(),
            "person": lambda: self.one(PEOPLE),
            "id": lambda: f"{self.one(NOUNS)}_{self.one(NOUNS)}",
            "value": lambda: f"{self.one(ADJECTIVES)}-{self.one(NOUNS)}",
            "flag": lambda: f"{self.one(VERBS)}-{self.one(NOUNS)}",
            "cmd": lambda: f"{self.one(NOUNS)} {self.one(VERBS)} --{self.one(NOUNS)}",
            "link": lambda: "/AGENTS.md",
            "env": lambda: f"{self.one(NOUNS)}_{self.one(NOUNS)}".upper(),
            "fn": lambda: f"{self.one(VERBS)}_{self.one(ADJECTIVES)}_{self.one(NOUNS)}".replace("-", "_"),
            "arg": lambda: self.one(NOUNS),
            "Cls": lambda: self.one(NOUNS).title() + self.one(NOUNS).title(),
            "camel": lambda: self.one(VERBS) + self.one(NOUNS).title() + self.one(NOUNS).title(),
            "num": lambda: str(random.randint(2, 900)),
            "pct": lambda: str(random.randint(10, 59)),
            "v0": lambda: f"{random.randint(0, 9)}.{random.randint(0, 30)}.{random.randint(0, 9)}",
            "date": lambda: f"202{random.randint(3, 6)}-{random.randint(1, 12):02}",
            "hex": lambda: f"{random.getrandbits(128):032x}",
        }

    def one(self, words: Sequence[_T]) -> _T:
        return words[int(self._random.random() * len(words))]

    def _word(self, words: list[str]) -> str:
        """A word, now and then one that was made up."""
        word = self.one(words)
        if self._random.random() > _RARE:
            return word
        return self.one(PREFIXES) + word if self._random.random() < 0.5 else word + self.one(SUFFIXES)

    def __getitem__(self, key: str) -> str:
        """A new word for every place of a template; `fn2` is another `fn`."""
        return self._makers[key if key in self._makers else key.rstrip("0123456789")]()

    def fill(self, template: str) -> str:
        return template.format_map(self)


class Writer(_Words):
    """Composes files of a wanted size from pools of prebuilt paragraphs, lists, tables and code."""

    def __init__(self, random: Random) -> None:
        super().__init__(random)
        self._numbers = count(1)
        self._sentences = sentences = self._pool(4_000, lambda: self.fill(self.one(SENTENCES)))
        items = self._pool(2_000, lambda: self.fill(self.one(ITEMS)))
        self._headings = self._pool(3_000, self._heading)
        paragraphs = self._pool(4_000, lambda: self._joined(" ", sentences, 2, 5))
        bullets = self._pool(1_200, lambda: self._joined("\n", items, 3, 7, "- "))
        tasks = self._pool(600, lambda: self._tasks(items))
        # Repeats are weights: prose most of all, then lists and code.
        self._blocks = (
            *[paragraphs] * 9,
            *[bullets] * 3,
            self._pool(600, lambda: self._joined("\n", items, 3, 7, "1. ")),
            tasks,
            *[self._pool(500, self._table)] * 2,
            *[self._pool(900, lambda: self.fill(self.one(CODE)))] * 4,
            self._pool(300, lambda: "> " + self._joined(" ", sentences, 1, 2)),
        )
        self._foreign = self._pool(200, lambda: self.fill(self._joined(" ", list(FOREIGN), 1, 4)))

    @staticmethod
    def _pool(size: int, make: Callable[[], str]) -> list[str]:
        return [make() for _ in range(size)]

    def _joined(self, between: str, pool: list[str], low: int, high: int, before: str = "") -> str:
        chosen = (before + self.one(pool) for _ in range(self._random.randint(low, high)))
        return between.join(chosen) + "\n"

    def _heading(self) -> str:
        return self.fill(self.one(["{a} {n}", "{v} {a} {n}s", "{n}s and {n}s", "`{id}`"])).capitalize()

    def _tasks(self, items: list[str]) -> str:
        marks = ("- [ ] ", "- [x] ", "  - [ ] ")
        rows = [self.one(marks) + self.one(items) for _ in range(self._random.randint(3, 8))]
        return "\n".join(rows) + "\n"

    def _table(self) -> str:
        row = "| `{id}` | {a} {n} | {num} | {v} {n} |"
        rows = [self.fill(row) for _ in range(self._random.randint(3, 9))]
        return "\n".join(["| Name | Kind | Count | What it does |", "|---|---|---:|---|", *rows]) + "\n"

    def size(self) -> int:
        """A file's size in bytes, as they are in real documentation: most small, a few large."""
        return max(SMALLEST + 500, min(LARGEST, int(self._random.lognormvariate(_MEAN_LOG, _SPREAD))))

    def slug(self) -> str:
        """The readable part of a file's name."""
        return self.fill("{a}-{n}")

    def title(self) -> str:
        return self.fill("{cap} the {a} {n}")

    def file(self, title: str, size: int, metadata: str = "") -> str:
        """A Markdown file of about that many bytes, never more than the largest; no long line of it repeats."""
        pieces = [f"---\n{metadata}---\n"] if metadata else []
        pieces += [f"# {title}\n", self.one(self._sentences) + "\n"]
        left = size - sum(map(len, pieces))
        level = 1
        while left > 0:
            level = self._random.choice((2, 2, 3, 3, 4)) if level > 1 else 2
            section = [f"{'#' * level} {self.one(self._headings)}\n", *self._body()]
            length = sum(len(piece.encode()) + 1 for piece in section)
            if length > left and size - left > SMALLEST:
                break
            pieces += section
            left -= length
        return self._numbered("\n".join(pieces), metadata.count("\n") + 2 if metadata else 0)

    def _numbered(self, text: str, after: int) -> str:
        lines = text.split("\n")
        for place, line in enumerate(lines):
            if place >= after and len(line) > _LONG:
                lines[place] = f"{line} {next(self._numbers)}"
        return "\n".join(lines)

    def code(self, path: str) -> str:
        """A code file of the language that the name tells."""
        language = _LANGUAGES.get(posixpath.splitext(path)[1], "go")
        templates = [each for each in CODE if each.startswith(f"```{language}")]
        blocks = 1 if language in _ONE_BLOCK else self._random.randint(2, 12)
        return "\n".join(_FENCE.sub("", self.fill(self.one(templates))) for _ in range(blocks))

    def _body(self) -> list[str]:
        body = [self.one(self.one(self._blocks)) for _ in range(self._random.randint(1, 3))]
        if self._random.random() < 0.06:
            body.append(self.one(self._foreign))
        return body
