"""tiktoken as it is published, built without anything of ours: what our counts and times are held against."""

from binascii import a2b_base64
from functools import cache
from hashlib import sha256
from pathlib import Path
from typing import Any

import tiktoken
from tiktoken_ext import openai_public

import ctxtui.core.tokens

_DATA = Path(ctxtui.core.tokens.__file__).with_name("data")


def published(name: str) -> dict[str, Any]:
    """tiktoken's definition of an encoding; its vocabulary is the file that ships with ctxtui, not downloaded."""

    def load(_url: str, expected_hash: str) -> dict[bytes, int]:
        data = (_DATA / f"{name}.tiktoken").read_bytes()
        assert sha256(data).hexdigest() == expected_hash
        pairs = (line.split() for line in data.splitlines())
        return {a2b_base64(token): int(rank) for token, rank in pairs}

    # Not by a mock: what imports little is also measured with.
    download, openai_public.load_tiktoken_bpe = openai_public.load_tiktoken_bpe, load
    try:
        definition: dict[str, Any] = getattr(openai_public, name)()
    finally:
        openai_public.load_tiktoken_bpe = download
    return definition


@cache
def plain_encoding(name: str) -> tiktoken.Encoding:
    """The encoding by tiktoken's own definition."""
    return tiktoken.Encoding(**published(name))


def plain_count(text: str, name: str = "o200k_base") -> int:
    """How many tokens tiktoken itself makes of a text in which special tokens are plain text."""
    return len(plain_encoding(name).encode(text, disallowed_special=()))
