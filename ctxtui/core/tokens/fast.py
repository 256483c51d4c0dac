"""The fast engine: toktok for large amounts of text, used after it passed probes against tiktoken.

It takes a quarter of tiktoken's time. `tests/core/test_fast.py` shows that the counts are the same.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import cache
from hashlib import blake2b
from typing import Final, NamedTuple

FAST: Final = "toktok-rs"
# The versions whose counts were compared with tiktoken's, character by character.
_TESTED: Final = "0.3."
# Characters that toktok splits differently: `'ſ`, which is a contraction to tiktoken, and those that Unicode 17
# added, neighbors included: letters and marks to toktok 0.3, not yet to tiktoken 0.14.
_UNLIKE: Final = (
    r"[\x{17f}\x{88f}\x{c5c}\x{cdc}\x{1ac0}-\x{1aff}\x{a7c0}-\x{a7ff}\x{10940}-\x{1097f}\x{10ec0}-\x{10eff}"
    r"\x{11b40}-\x{11b7f}\x{11d80}-\x{11dff}\x{16e80}-\x{16eff}\x{16fc0}-\x{16fff}\x{187c0}-\x{187ff}"
    r"\x{18d00}-\x{18dff}\x{1e6c0}-\x{1e6ff}\x{2b700}-\x{2b73f}\x{2ce80}-\x{2cebf}\x{32000}-\x{33fff}]"
)
# A longer text may have a run of white space that tiktoken gives up on, so it is counted in pieces.
_LONGEST: Final = 900_000
# For fewer texts, starting threads takes longer than counting.
_FEW: Final = 8


def is_alike(text: str) -> bool:
    """Whether toktok surely splits a text like tiktoken: never with lone surrogates or over 900,000 characters."""
    if len(text) > _LONGEST:
        return False
    if text.isascii():
        return True
    try:
        data = text.encode()
    except UnicodeEncodeError:
        return False
    return _unlike_search()(data) is None


@cache
def _unlike_search() -> Callable[[bytes], object]:
    import re2  # noqa: PLC0415 - only for texts beyond ASCII

    search: Callable[[bytes], object] = re2.compile(_UNLIKE).search
    return search


_CODES = (*range(1, 0x250), *range(0x250, 0xD800, 37), *range(0xF900, 0x32000, 71))


@cache
def probes() -> tuple[str, ...]:
    """Texts that break naive splitting, among them some with a character of every script."""
    return (
        "Hello, world!\n\n# It's 1234567 o'clock, I'LL say; don't we'Ve? 'S\u212a\n",
        "a<|endoftext|>b<|endofprompt|><|fim_prefix|><|fim_middle|><|fim_suffix|>\n",
        "one\r\ntwo\r\rthree\n\r\n  four\t\n \n\x00\x0b\x0c\x1c\x85\u2028\u2029 five",
        "//x/*y*/\n/z\n//\n ///\n\n/ .../\n```py\n    def f(x):\n\treturn {'a': [1, 2]}  # !\n```\n",
        "漢字仮名交じり文。日本語、한국어 텍스트, ไทย, हिन्दी, العربية ١٢٣, ǅǈʰˇªº²½Ⅷ",
        "😀👩\u200d👩\u200d👧🏽 e\u0301 \u0345 \u202ea\u202c \ufeff\u00a0\u3000x\ufffd\ue000\U00100000\U0003134a",
        "a" * 3_000 + " " * 3_001 + "-" * 3_000 + "\n" * 900 + "=" * 80 + "\t" * 700 + "9" * 1_000 + "漢" * 2_000,
        *(f"{char}a{char} {char}1\n" for char in map(chr, _CODES) if is_alike(char)),
    )


# The digests of tiktoken's counts of the probes.
COUNTS: Final = {
    "o200k_base": "fd8b5ef615d9980d25aee121fca4a423",
    "cl100k_base": "b501bc345aeaabeb7d021b15c47ec002",
}

CountTexts = Callable[[Sequence[str]], list[int | None]]


class Engine(NamedTuple):
    """`texts` counts many texts at once, with None for a text left to tiktoken. If missing, `problem` says why."""

    texts: CountTexts | None
    problem: str = ""


def fast_version() -> str:
    """The version of toktok, empty if it is not installed or cannot be loaded."""
    try:
        # The metadata of installed packages takes ten times as long.
        from toktok import __version__  # noqa: PLC0415 - only for much text
    except ImportError:
        return ""
    return str(__version__)


def engines() -> str:
    """The installed engines with their versions, for people."""
    from importlib.metadata import version  # noqa: PLC0415 - only for people

    fast = fast_version()
    unused = "" if fast.startswith(_TESTED) else " (not used)"
    return f"tiktoken {version('tiktoken')}" + (f", {FAST} {fast}{unused}" if fast else "")


@cache
def fast_engine(name: str) -> Engine:
    """The fast engine for the named encoding. Building it takes 0.4 s and holds the GIL."""
    installed = fast_version()
    if not installed:
        return Engine(None, "it is not installed")
    if not installed.startswith(_TESTED):
        return Engine(None, f"version {installed} was not compared with tiktoken")
    try:
        from toktok import batch_count  # noqa: PLC0415 - only for much text

        if digest_of(batch_count(probes(), name, 1)) != COUNTS[name]:
            return Engine(None, f"version {installed} does not split texts as tiktoken does")
    except Exception as error:  # noqa: BLE001 - tiktoken counts instead
        return Engine(None, f"version {installed} failed: {error}")

    def count(texts: Sequence[str]) -> list[int | None]:
        alike = [text for text in texts if is_alike(text)]
        counts: list[int | None] = batch_count(alike, name, 0 if len(alike) > _FEW else 1)
        if len(alike) == len(texts):
            return counts
        known = iter(counts)
        return [next(known) if is_alike(text) else None for text in texts]

    return Engine(count)


def digest_of(counts: Sequence[int]) -> str:
    return blake2b(repr(list(counts)).encode(), digest_size=16).hexdigest()
