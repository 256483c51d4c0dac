"""Generators of documents: frontmatter, Markdown, and the bytes of files."""

from collections.abc import Callable
from random import Random
from typing import Final

from tests.fuzz.mutators import mutated
from tests.fuzz.pieces import HOSTILE, HUGE, secret, seeds, word, words

Generator = Callable[[Random], str]

_KEYS: Final = (
    "id domain title type loadingStrategy estimatedTokens tags sections crossDomainTriggers detectionTriggers description name"
    " globs paths alwaysApply entryId category createdAt referenceCode version order applyTo"
).split()
_VALUES: Final = (
    *"always onDemand index framework 120 08 'x' [] 2026-01-31 2026-01-31T09:30:00Z Decision decision '**/*.py' true ' *a".split(),
    *("", "[a, b]", "{a: 1}", "[!!int 0x10]", "&a [x]", "[unclosed", "# x", "\t- x", "|\n  a\n  b", ">-\n  folded"),
    *("\n  - a\n  - b", "\n  - name: State\n    estimatedTokens: 9\n    keywords: [shared]", "\n- name: ' '\n- 1"),
)
_OPENINGS: Final = (*("---\n",) * 8, "--- \n", "\n---\n", "---", "\ufeff---\n", "----\n", "---\r\n")
_ODD_CLOSINGS: Final = ("...\n", "", "--\n", "--- x\n", " ---\n", "---", "## tags: [a]\n---\n", "---\n## tags: [a]\n")
_CLOSINGS: Final = (*("---\n",) * 8, *_ODD_CLOSINGS)


def frontmatter(random: Random) -> str:
    """Metadata: closed, unclosed, mangled, repeated, too deep, of odd numbers and tags."""
    keys = random.choices(_KEYS, k=random.randint(0, 7))
    lines = [
        f"{key}: {random.choice(_VALUES) if random.random() < 0.75 else random.choice((word(random), *HOSTILE))}\n"
        for key in keys
    ]
    if random.random() < 0.05:
        lines.append(f"tags: [{random.choice(HUGE)}]\n")
    return random.choice(_OPENINGS) + "".join(lines) + random.choice(_CLOSINGS)


_HEADINGS: Final = ("{} {}\n", "{} {}\n\n", "{}{}\n", "{} {} {{#a}}\n", "{} 1. {} ##\n", "{} `{}`\n")
_MARKS: Final = ("- ", "* ", "+ ", "1. ", "- [ ] ", "- [x] ", "- [] ", "-[ ] ", "- [X] ")
_INDENTS: Final = ("", "", "", " ", "  ", "    ", "\t", "> ")
_ENDS: Final = (
    "",
    "",
    " #tag",
    " **Key**: value",
    "\n  **Blocked by**: x",
    " | **a**: b",
    "\n\n  more",
    "\n```\n# x",
    "  ",
)
_FENCES: Final = ("```", "~~~", "````", "```py", "   ```", "    ```", "")
_LINKS: Final = ("[{}]({})\n", "![{}]({})\n", "[{}]: {}\n", "@{1}\n", "see @{1} `@{1}`\n", "[{}]({}\n")
_TARGETS: Final = ("a.md", "../x.md", "a%20b.md", "#done", "x.md#a", "<a b>", "http://x", "")
_ODD: Final = (
    *("<!-- {} -->\n", "<!-- {}\n", "<div>\n{}\n</div>\n", "{}\n===\n", "{}\n---\n", "> {}\n", "    {}\n", "{}  \n"),
    *("**Version**: {}\n", "*Last Updated: {}*\n", "**Maintained For**: {}\n", "**Date:** {}\n", "***\n"),
)


def _heading(random: Random) -> str:
    name = random.choice(("Done", "Blocked", "08", "2026-01-05 x", words(random, 4)))
    return random.choice(_HEADINGS).format("#" * random.choice((1, 2, 2, 3, 3, 4, 6, 7)), name)


def _list(random: Random) -> str:
    parts = ((_INDENTS, _MARKS, (words(random, 5),), _ENDS) for _ in range(random.randint(1, 6)))
    return "".join("".join(map(random.choice, each)) + "\n" for each in parts)


def _fence(random: Random) -> str:
    return f"{random.choice(_FENCES)}\n# {words(random)}\n- [ ] x\n{random.choice(_FENCES)}\n"


def _table(random: Random) -> str:
    width = random.randint(1, 4)
    widths = [width, *(width + random.choice((0, 0, -1, 1)) for _ in range(random.randint(0, 4)))]
    head, *rows = (f"| {' | '.join(words(random, 3) for _ in range(each))} |\n" for each in widths)
    return "".join([head, "|---" * width, "|\n", *rows])


def _link(random: Random) -> str:
    return random.choice(_LINKS).format(word(random), random.choice((*_TARGETS, word(random))))


_BLOCKS: Final[tuple[Generator, ...]] = (
    *(_heading,) * 4,
    *(_list,) * 3,
    *(_fence, _table, _link),
    *(lambda random: random.choice(_ODD).format(words(random)),) * 2,
    lambda random: words(random, 30) + random.choice(("\n", "\n\n")),
    lambda random: f"key {secret(random)} end\n",
)


def body(random: Random) -> str:
    """Markdown: headings, lists, tasks, fences, tables, links, comments, secrets."""
    return "".join(random.choice(_BLOCKS)(random) for _ in range(random.randint(0, 14)))


def document(random: Random) -> str:
    """A Markdown file: generated, or one of the seeds, mutated."""
    if random.random() < 0.25:
        return mutated(random, random.choice(seeds()))
    return mutated(random, (frontmatter(random) if random.random() < 0.5 else "") + body(random))


def headed(random: Random) -> str:
    """A document after metadata, perhaps its second."""
    return frontmatter(random) + document(random)


def raw(random: Random) -> str:
    """The bytes of a file as characters below 256: every encoding, marks at its start, invalid sequences."""
    text = document(random)
    encoding = random.choice(("utf-8", "utf-8", "utf-8", "utf-8-sig", "utf-16", "utf-16-be", "utf-32", "cp1252"))
    data = text.encode(encoding, "surrogatepass" if encoding.startswith("utf") else "replace").decode("latin-1")
    return mutated(random, data) if random.random() < 0.4 else data
