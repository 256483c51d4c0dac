"""What inputs are made of: hostile words, planted secrets, and the texts of this repository as seeds."""

from functools import cache
from pathlib import Path
from random import Random
from typing import Final

from tests.tui.hostile import TEXTS

REPOSITORY: Final = Path(__file__).parents[2]
WORDS: Final = tuple("alpha refund the don't 42 security test ## tests 漢字 é 😀 model token a-b a_b TODO".split())
_MARKS: Final = """--- ... ``` ~~~~ <!-- --> *** __ | |-| [ ] - [x] - [] 1. # #tag #blocked > === ---|--- [[[[ {{{{ (((( ]]]] }}}}
    {a,b} **/* [!a- \\ \\ % %23 %00 ${HOME} @x.md <|endoftext|> <|im_start|> </document> ]]> &amp; <script> javascript:x"""
_SCALARS: Final = """08 09 0o7 0x1F 1e400 -0 .5 .inf .nan 1_000 9999999999999999999 034711885772 12:30:45 1:2:3 null ~ yes NO on true = <<
    2026-02-30 2026-01-31T12:00:00Z 0000-00-00 9999-12-31T23:59:59-14:00 CTX-2026-0226-001"""
_PATHS: Final = "../ ../../etc/passwd /etc/passwd ~/.ssh/id_rsa C:\\x con a//b ./. file:///etc/passwd"
_CHARACTERS: Final = (
    "\r \r\n \n\n\n \x0b \x0c \x1c \x85 \u2028 \ufeff \x00 \x1b[2J \ud800 \udfff \ufffd \u0660\u0661 \t"
)
_SPACED: Final = (
    *("- [ ] x", "**Key**: x", "**Blocked by:** x", "####### x", "!!int 08", "!!binary x", "!!set {a}"),
    *("!!python/object:os.system x", "{% x %}", "`````", "    x"),
)
HOSTILE: Final = (
    *TEXTS,
    *(piece for table in (_MARKS, _SCALARS, _PATHS) for piece in table.split()),
    *_CHARACTERS.split(" "),
    *_SPACED,
)
HUGE: Final = (
    *("!!int 0x" + "f" * 4_500, "1" * 5_000, "!!float " + "9" * 400, "[" * 200, "{a: " * 150, "- " * 300, "? " * 100),
    *("`" * 600, "> " * 150, "a" * 3_000, " " * 2_000, "#" * 800, "|" * 500, "*a " * 300, "(a+)+" * 20),
)
_PLAIN: Final = "ABCDEFGHIJKLMNPQRSTUVWXYZ23456789"
_MIXED: Final = _PLAIN + "abcdefghijkmnopqrstuvwxyz"


def secret(random: Random) -> str:
    """A made-up credential of a known shape."""
    shape, size = random.choice((("AKIA", 16), ("ghp_", 36), ("glpat-", 20), ("sk_live_", 24), ("npm_", 36)))
    return shape + "".join(random.choices(_PLAIN if shape == "AKIA" else _MIXED, k=size))


def word(random: Random) -> str:
    return random.choice(WORDS if random.random() < 0.7 else HOSTILE)


def words(random: Random, most: int = 8) -> str:
    return " ".join(word(random) for _ in range(random.randint(1, most)))


@cache
def seeds() -> tuple[str, ...]:
    """The texts of the sample project and of the tests' data, each of at most 6,000 characters."""
    places = [*(REPOSITORY / "sample_context").rglob("*"), *(REPOSITORY / "tests" / "core" / "golden").rglob("*")]
    texts = (place.read_text("utf-8", "replace")[:6_000] for place in sorted(places) if place.is_file())
    return tuple(filter(None, texts))
