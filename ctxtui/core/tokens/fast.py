"""The fast engine: gigatoken with our own vocabularies, once it has shown that it splits texts as tiktoken does."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable
from functools import cache
from hashlib import blake2b
from typing import Any

from ctxtui.core.tokens.counter import Count
from ctxtui.core.tokens.encodings import count_tokens, vocabulary_file
from ctxtui.core.tokens.engines import FAST, Unusable, fast_version, is_tested

PRETOKENIZERS = {"o200k_base": "o200k", "cl100k_base": "cl100k"}

# The characters that Unicode 17 added, some neighbors included, in UTF-8: letters and marks to gigatoken 0.10, not
# yet to tiktoken 0.14. Texts with one are left to tiktoken; all other characters are split alike.
_NEW = (b"\xe0\xa2\x8f", b"\xe0\xb1\x9c", b"\xe0\xb3\x9c", b"\xe1\xab", b"\xea\x9f")
_NEW_OF_FOUR_BYTES = re.compile(
    rb"\xf0(?:\x90[\xa5\xbb]|\x91[\xad\xb6\xb7]|\x96[\xba\xbb\xbf]|\x98[\x9f\xb4-\xb7]|\x9e\x9b|\xab\x9c|\xac\xba"
    rb"|[\xb2\xb3])"
)


def _has_new(data: bytes) -> bool:
    return any(each in data for each in _NEW) or (b"\xf0" in data and _NEW_OF_FOUR_BYTES.search(data) is not None)


_CODES = (*range(1, 0x250), *range(0x250, 0xD800, 37), *range(0xF900, 0x32000, 71))
_SCRIPTS = tuple(code for code in _CODES if not _has_new(chr(code).encode()))

PROBES = (
    "Hello, world!\n\n# It's 1234567 o'clock, I'LL say; don't we'Ve? 'ſ 'S\u212a\n",
    "a<|endoftext|>b<|endofprompt|><|fim_prefix|><|fim_middle|><|fim_suffix|>\n",
    "one\r\ntwo\r\rthree\n\r\n  four\t\n \n\x00\x0b\x0c\x1c\x85\u2028\u2029 five",
    "//x/*y*/\n/z\n//\n ///\n\n/ .../\n```py\n    def f(x):\n\treturn {'a': [1, 2]}  # !\n```\n",
    "漢字仮名交じり文。日本語、한국어 텍스트, ไทย, हिन्दी, العربية ١٢٣, ǅǈʰˇªº²½Ⅷ",
    "😀👩\u200d👩\u200d👧🏽 e\u0301 \u0345 \u202ea\u202c \ufeff\u00a0\u3000x\ufffd\ue000\U00100000\U0003134a",
    "a" * 3_000 + " " * 3_001 + "-" * 3_000 + "\n" * 900 + "=" * 80 + "\t" * 700 + "9" * 1_000 + "漢" * 2_000,
    "".join(f"{chr(code)}a{chr(code)} {chr(code)}1\n" for code in _SCRIPTS),
)
"""Texts that break naive splitting, among them one with a character of every script."""


# The digests of the ids that tiktoken makes of the probes.
IDS = {
    "o200k_base": "d5557e4a9e41e97d98dddb7164f0765b",
    "cl100k_base": "8592df9ab9082cfbf5f7ac38ef4e6588",
}


@cache
def fast_counter(name: str) -> Count:
    """What counts as `count_tokens` does for the named encoding, some ten times as fast; 0.4 s to build.

    Raises Unusable if gigatoken is not installed in a tested version, fails, or splits texts differently.
    """
    if not is_tested():
        raise Unusable(f"{FAST} {fast_version()} is not a version that was compared with tiktoken")
    try:
        encode = _build(name)
        ids = digest_of_ids(encode(probe.encode()).tobytes() for probe in PROBES)
    except Exception as error:
        raise Unusable(f"{FAST} {fast_version()} failed: {error}") from error
    if ids != IDS[name]:
        raise Unusable(f"{FAST} {fast_version()} does not split texts as tiktoken does")

    def count(text: str, name: str) -> int:
        try:
            data = text.encode()
        except UnicodeEncodeError:
            return count_tokens(text, name)
        return count_tokens(text, name) if not text.isascii() and _has_new(data) else len(encode(data))

    return count


def digest_of_ids(ids: Iterable[bytes]) -> str:
    """A digest of the ids of several texts, given as native unsigned integers of four bytes."""
    digest = blake2b(digest_size=16)
    for each in ids:
        digest.update(each)
    return digest.hexdigest()


def _build(name: str) -> Callable[[bytes], Any]:
    import gigatoken  # noqa: PLC0415 - optional, and slow to load

    # By the name of the file alone it would take `<|endoftext|>` in a text for a special token.
    with vocabulary_file(name) as file:
        tokenizer = gigatoken.Tokenizer.from_tiktoken(file, pretokenizer=PRETOKENIZERS[name], special_tokens={})
    encode: Callable[[bytes], Any] = tokenizer.encode
    return encode
