import os
import random
import re
import subprocess
import sys
from itertools import cycle
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ctxtui.core.text.safe_cut import SAFE_CUT
from ctxtui.core.tokens.encodings import count_tokens, encoding
from tests.cases import cases
from tests.core.texts import ENCODINGS, nasty, true_count
from tests.plain import plain_count, plain_encoding, published


@pytest.mark.parametrize("name", ENCODINGS)
def test_equals_the_published_definition(name: str) -> None:
    definition, ours = published(name), encoding(name)
    # A group, and whether a piece keeps what it has matched, make no difference: nothing follows within a piece that
    # could match what was given back.
    bare = ours._pat_str.replace("(?:", "", 1).replace(r")|\s+(?!\S)", r"|\s+(?!\S)", 1)
    assert bare == re.sub(r"([?+*]|\{\d,\d\})\+", r"\1", definition["pat_str"])
    ranks = definition["mergeable_ranks"]
    assert {token: ours.encode_single_token(token) for token in ranks} == ranks
    assert len(ours.token_byte_values()) == len(ranks)
    assert ours._special_tokens == definition["special_tokens"]


@pytest.mark.parametrize("name", ENCODINGS)
@given(st.text() | st.text(st.characters(categories=("Zs", "Zl", "Cc", "Lu", "Lm", "Mn", "Nd", "Po"))) | nasty)
def test_the_same_tokens_as_those_of_the_published_definition(name: str, text: str) -> None:
    tokens = plain_encoding(name).encode(text, disallowed_special=())
    assert encoding(name).encode(text, disallowed_special=()) == tokens
    assert count_tokens(text, name) == len(tokens)


@pytest.mark.parametrize("name", ENCODINGS)
def test_half_characters_are_counted_as_tiktoken_does_and_special_tokens_as_plain_text(name: str) -> None:
    assert count_tokens("a\ud800b\ud83d\ude00", name) == plain_count("a\ud800b\ud83d\ude00", name)
    assert count_tokens("<|endoftext|>", name) == true_count("<|endoftext|>", name) > 1
    assert encoding(name).decode(encoding(name).encode("<|endoftext|>", disallowed_special=())) == "<|endoftext|>"


@cases(("after", "name"), zip(["", "b", "\nb", "#", "\r\n\n", "/", "漢"], cycle(ENCODINGS), strict=False))
def test_a_million_spaces_in_one_line_are_counted(after: str, name: str) -> None:
    """tiktoken gives up on so many; 128 spaces make one token, so fewer tell how many it would make."""
    rest, run = 1_026, 1_280
    assert true_count(" " * (rest + run) + after, name) == true_count(" " * rest + after, name) + run // 128
    expected = true_count(" " * rest + after, name) + 780 * run // 128
    assert count_tokens(" " * (rest + 780 * run) + after, name) == expected


@cases(("end", "name"), zip(["\n", "\r\n", "\r", " ", "\n/", "\n\n  "], cycle(ENCODINGS), strict=False))
def test_long_texts_count_as_one_encode(end: str, name: str) -> None:
    chance = random.Random(end)
    words = ["alpha", "#", "/", "beta gamma", "漢字", "don't", "12345", "", "  x", "\t", "😀"]
    text = "".join(chance.choice(words) + chance.choice([" ", end]) for _ in range(110_000))
    assert len(text) > 1.5 * 262_144
    assert count_tokens(text, name) == true_count(text, name)


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


def test_no_python_objects_are_left_of_the_vocabulary() -> None:
    # Its tokens as Python's bytes would be 12 MB.
    program = """
import tracemalloc, tiktoken
from ctxtui.core.tokens.encodings import encoding
tracemalloc.start()
assert len(encoding("cl100k_base").encode("two words")) == 2
assert tracemalloc.get_traced_memory()[0] < 5_000_000
"""
    subprocess.run([sys.executable, "-c", program], check=True)
