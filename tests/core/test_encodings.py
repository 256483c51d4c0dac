import base64
import os
import random
import subprocess
import sys
from hashlib import sha256
from importlib.resources import files
from itertools import pairwise
from pathlib import Path

import pytest
import tiktoken_ext.openai_public as published
from hypothesis import given
from hypothesis import strategies as st

from ctxtui.core.tokens.encodings import SAFE_CUT, count_tokens, encoding
from tests.core.texts import ENCODINGS, nasty, true_count


def _shipped(name: str) -> bytes:
    return (files("ctxtui.core.tokens") / "data" / f"{name}.tiktoken").read_bytes()


@pytest.mark.parametrize("name", ENCODINGS)
def test_equals_the_published_definition(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    def load(_url: str, expected_hash: str) -> dict[bytes, int]:
        data = _shipped(name)
        assert sha256(data).hexdigest() == expected_hash
        pairs = (line.split() for line in data.splitlines())
        return {base64.b64decode(token): int(rank) for token, rank in pairs}

    monkeypatch.setattr(published, "load_tiktoken_bpe", load)
    definition = getattr(published, name)()
    ours = encoding(name)
    assert ours._pat_str == definition["pat_str"]
    assert ours._mergeable_ranks == definition["mergeable_ranks"]
    assert ours._special_tokens == definition["special_tokens"]


@pytest.mark.parametrize("name", ENCODINGS)
def test_special_tokens_are_plain_text(name: str) -> None:
    assert count_tokens("<|endoftext|>", name) == true_count("<|endoftext|>", name) > 1
    assert encoding(name).decode(encoding(name).encode("<|endoftext|>", disallowed_special=())) == "<|endoftext|>"


def test_the_empty_text_has_no_tokens() -> None:
    assert count_tokens("", "o200k_base") == 0


@pytest.mark.parametrize("name", ENCODINGS)
@pytest.mark.parametrize("after", ["", "b", "\nb", "#", "\r\n\n", "/", "漢"])
def test_a_million_spaces_in_one_line_are_counted(name: str, after: str) -> None:
    """tiktoken gives up on so many; 128 spaces make one token, so fewer tell how many it would make."""
    rest, run = 17_010, 98_304
    assert true_count(" " * (rest + run) + after, name) == true_count(" " * rest + after, name) + run // 128
    expected = true_count(" " * rest + after, name) + 10 * run // 128
    assert count_tokens(" " * (rest + 10 * run) + after, name) == expected
    assert rest + 10 * run == 1_000_050


@pytest.mark.parametrize("name", ENCODINGS)
@pytest.mark.parametrize("end", ["\n", "\r\n", "\r", " ", "\n/", "\n\n  "])
def test_long_texts_count_as_one_encode(name: str, end: str) -> None:
    random_words = random.Random(end)
    words = ["alpha", "#", "/", "beta gamma", "漢字", "don't", "12345", "", "  x", "\t", "😀"]
    text = "".join(random_words.choice(words) + random_words.choice([" ", end]) for _ in range(110_000))
    assert len(text) > 1.5 * 262_144
    assert count_tokens(text, name) == true_count(text, name)


@pytest.mark.parametrize("name", ENCODINGS)
@given(data=st.data())
def test_counts_add_up_at_safe_cuts(name: str, data: st.DataObject) -> None:
    text = data.draw(nasty) + "\n" + data.draw(nasty)
    cuts = [0, *(match.start() for match in SAFE_CUT.finditer(text)), len(text)]
    pieces = [text[start:end] for start, end in pairwise(cuts)]
    assert sum(true_count(piece, name) for piece in pieces) == true_count(text, name)


def test_safe_cuts_are_before_indented_lines_but_not_before_a_slash_at_the_margin() -> None:
    lines = ["a\n", "    b\n", "\t// c\n/d\n", "e\n  \n", " f"]
    assert SAFE_CUT.split("".join(lines)) == lines


def test_counting_needs_no_network_and_writes_no_file(tmp_path: Path) -> None:
    code = (
        "import socket\n"
        "def refuse(*_a, **_k): raise OSError('no network')\n"
        "socket.socket = socket.create_connection = socket.getaddrinfo = refuse\n"
        "from ctxtui.core import get_counter\n"
        "print(get_counter('o200k_base').count('hello world'), get_counter('cl100k_base').count('hello world'))"
    )
    env = os.environ | {"TMPDIR": str(tmp_path), "TIKTOKEN_CACHE_DIR": "/nowhere", "DATA_GYM_CACHE_DIR": "/nowhere"}
    run = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True, env=env)
    assert run.stdout.split() == ["2", "2"]
    assert not list(tmp_path.iterdir())
