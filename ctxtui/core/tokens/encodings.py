"""The byte-pair encodings of tiktoken, built from vocabularies shipped with the package."""

from __future__ import annotations

import re
import threading
from binascii import a2b_base64
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from hashlib import sha256
from io import BytesIO
from itertools import chain, count, islice
from typing import TYPE_CHECKING

from ctxtui.core.base.errors import ContextError
from ctxtui.core.text.safe_cut import SAFE_CUT

if TYPE_CHECKING:
    import tiktoken

# tiktoken's regular expressions give up on about a million white-space characters in a row, so longer
# runs are counted in pieces: a multiple of 128, the longest run of spaces that is one token.
# The last character of a run stays with the text after it, as in the patterns.
_LONG_RUN = re.compile(r"([^\S\r\n]{196608,}(?![^\s]))")
_RUN_PIECE = 98_304
_CHUNK = 262_144

_UPPER = r"[\p{Lu}\p{Lt}\p{Lm}\p{Lo}\p{M}]"
_LOWER = r"[\p{Ll}\p{Lm}\p{Lo}\p{M}]"
_CONTRACTION = r"(?i:'s|'t|'re|'ve|'m|'ll|'d)?"
# tiktoken's own patterns, but for this: all that does not look ahead is one group without possessive parts. Its
# engine matches such a group at once, instead of one alternative after the other.
_O200K_GROUP = "|".join(
    (
        rf"[^\r\n\p{{L}}\p{{N}}]?{_UPPER}*{_LOWER}+{_CONTRACTION}",
        rf"[^\r\n\p{{L}}\p{{N}}]?{_UPPER}+{_LOWER}*{_CONTRACTION}",
        r"\p{N}{1,3}",
        r" ?[^\s\p{L}\p{N}]+[\r\n/]*",
        r"\s*[\r\n]+",
    )
)
_O200K_PATTERN = rf"(?:{_O200K_GROUP})|\s+(?!\S)|\s+"
_CL100K_GROUP = r"'(?i:[sdmt]|ll|ve|re)|[^\r\n\p{L}\p{N}]?\p{L}+|\p{N}{1,3}| ?[^\s\p{L}\p{N}]+[\r\n]*|\s+$|\s*[\r\n]"
_CL100K_PATTERN = rf"(?:{_CL100K_GROUP})|\s+(?!\S)|\s"


@dataclass(frozen=True, slots=True)
class Vocabulary:
    """An encoding without its ranks: the hash of the rank file, the split pattern, the special tokens."""

    digest: str
    pattern: str
    special: dict[str, int]


REFERENCE = "tiktoken"
"""The engine whose numbers all others must give."""
VOCABULARIES = {
    "o200k_base": Vocabulary(
        "446a9538cb6c348e3516120d7c08b09f57c36495e2acfffe59a5bf8b0cfb1a2d",
        _O200K_PATTERN,
        {"<|endoftext|>": 199999, "<|endofprompt|>": 200018},
    ),
    "cl100k_base": Vocabulary(
        "223921b76ee99bde995b7ff738513eef100fb51d18c93597a113bcffe865b2a7",
        _CL100K_PATTERN,
        {
            "<|endoftext|>": 100257,
            "<|fim_prefix|>": 100258,
            "<|fim_middle|>": 100259,
            "<|fim_suffix|>": 100260,
            "<|endofprompt|>": 100276,
        },
    ),
}
# What tiktoken calls the special tokens that may stand for themselves, and the size of a token in its buffers.
_NO_SPECIAL: frozenset[str] = frozenset()
_TOKEN_BYTES = 4
# Bytes of a vocabulary that are read at once.
_PIECE = 65_536
_build_lock = threading.Lock()
# From so many bytes on the fast engine pays: it takes 0.4 s to load and a quarter of the time to count.
FAST_FROM = 8_000_000
# The encodings of which so much text is expected.
expected: set[str] = set()


def encoding(name: str) -> tiktoken.Encoding:
    """The named encoding, built on first use (0.2 s) offline. Raises ContextError (internal) if damaged."""
    with _build_lock:
        return _build(name)


@cache
def _build(name: str) -> tiktoken.Encoding:
    from importlib.resources import files  # noqa: PLC0415 - a warm start shows exact numbers without it

    import tiktoken  # noqa: PLC0415 - as above

    vocabulary, data = VOCABULARIES[name], (files(__package__) / "data" / f"{name}.tiktoken").read_bytes()
    if sha256(data).hexdigest() != vocabulary.digest:
        raise ContextError("internal", f"the shipped vocabulary {name} is damaged", hint="reinstall ctxtui")
    # One "token rank" pair per line. The hash of the file proves that the ranks are 0, 1, 2, … in order.
    ranks: dict[bytes, int] = {}
    with BytesIO(data) as lines:
        # A list of all tokens leaves 20 MB of holes in the memory of the process.
        while piece := lines.readlines(_PIECE):
            ranks.update(zip(map(a2b_base64, b"".join(piece).split()[::2]), count(len(ranks)), strict=False))
    built = tiktoken.Encoding(
        name, pat_str=vocabulary.pattern, mergeable_ranks=ranks, special_tokens=vocabulary.special
    )
    # The encoding keeps this dictionary beside its own tables and never looks into it: 40 MB.
    ranks.clear()
    return built


def count_tokens(text: str, name: str) -> int:
    """The tokens of a text in the named encoding. Special tokens in the text count as plain text."""
    return count_texts((text,), name)[0]


def count_texts(texts: Sequence[str], name: str) -> list[int]:
    """The tokens of each text, counted in one call."""
    parts = [[text] if len(text) <= _CHUNK else _chunks(text) for text in texts]
    counts = iter(_count_each(list(chain.from_iterable(parts)), name))
    return [sum(islice(counts, len(chunks))) for chunks in parts]


def expect_bytes(name: str, size: int) -> None:
    """Use the fast engine from now on if `size` bytes of text pay for loading it.

    Has no effect outside the main thread: while the engine loads, no other thread runs, and the app would freeze.
    """
    if name in VOCABULARIES and size >= FAST_FROM and threading.current_thread() is threading.main_thread():
        expected.add(name)


def fast_engine_problem(name: str) -> str:
    """Why the fast engine is not used although it should be, empty if it is used or not needed."""
    if name not in expected:
        return ""
    from ctxtui.core.tokens.fast import fast_engine  # noqa: PLC0415 - only for much text

    return fast_engine(name).problem


def _count_each(texts: Sequence[str], name: str) -> list[int]:
    """The tokens of each text, by the fast engine where it is expected and exact."""
    if name in expected:
        from ctxtui.core.tokens.fast import fast_engine  # noqa: PLC0415 - as above

        with _build_lock:
            fast = fast_engine(name).texts
        if fast is not None:
            found = zip(texts, fast(texts), strict=True)
            return [_count_slowly(text, name) if count is None else count for text, count in found]
    return [_count_slowly(text, name) for text in texts]


def _count_slowly(text: str, name: str) -> int:
    """The tokens of a text by tiktoken, in pieces if it has a run of blanks on which tiktoken gives up."""
    codec = encoding(name)
    try:
        return _number_of_tokens(codec, text)
    except ValueError:
        pieces = (piece for run in _LONG_RUN.split(text) for piece in _split_blank_run(run))
        return sum(_number_of_tokens(codec, piece) for piece in pieces)


def _number_of_tokens(codec: tiktoken.Encoding, text: str) -> int:
    """The number of tokens, without a list of them. Raises ValueError if the engine gives up on the text.

    `encode_to_numpy` is the public way to this buffer, but needs numpy.
    """
    try:
        return memoryview(codec._core_bpe.encode_to_tiktoken_buffer(text, _NO_SPECIAL)).nbytes // _TOKEN_BYTES
    except UnicodeEncodeError:
        return len(codec.encode(text, disallowed_special=()))


def _split_blank_run(run: str) -> list[str]:
    if len(run) < 2 * _RUN_PIECE or not run.isspace():
        return [run]
    return [run[start : start + _RUN_PIECE] for start in range(0, len(run), _RUN_PIECE)]


def _chunks(text: str) -> list[str]:
    """The text in chunks of about 256,000 characters, longer ones without safe cuts. Their counts add up exactly."""
    parts: list[str] = []
    start = 0
    while len(text) - start > _CHUNK:
        cut = SAFE_CUT.search(text, start + _CHUNK)
        if cut is None:
            break
        parts.append(text[start : cut.start()])
        start = cut.start()
    parts.append(text[start:])
    return parts
