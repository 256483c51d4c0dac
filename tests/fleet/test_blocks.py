"""Blocks of a text: their tokens add up, they are named by what they say, and an edit changes few of them."""

import tarfile
from itertools import pairwise
from pathlib import Path

import pytest
from hypothesis import example, given

from ctxtui.core.base.plain import plain_line
from ctxtui.core.disk.cache import Cache
from ctxtui.core.text.decode import line_ends, line_starts
from ctxtui.core.tokens.by_name import get_counter
from ctxtui.fleet.outcome import block_starts, blocks_of
from tests.cases import cases
from tests.core.texts import any_markdown, markdown

COUNTERS = ("o200k_base", "cl100k_base", "heuristic", "claude-opus-4-1")
HEURISTIC = get_counter("heuristic")
KEY = "ghp_" + "a8Kd93jfLq02mZxvT7uYbN4cRw6sE1hGp5Q0"


def heads(text: str) -> list[str]:
    return [block.head for block in blocks_of(text, HEURISTIC)]


@pytest.mark.parametrize("name", COUNTERS)
@given(text=any_markdown)
@example("a\n\n/b\n\n\n//c\n").via("slashes at the margin join the line break before them")
@example("a\n\n\u3000b\n\n \u00a0\n\n\x0bc").via("white space that is no blank")
@example(" \n\n").via("white space only")
@example("---\na: 1\n---").via("frontmatter only")
def test_the_tokens_of_all_blocks_are_those_of_the_text(name: str, text: str) -> None:
    counter = get_counter(name)
    blocks = blocks_of(text, counter)
    assert sum(block.tokens for block in blocks) == counter.count(text)
    assert bool(blocks) == bool(text)


@given(any_markdown)
def test_blocks_tile_the_text_and_know_their_lines(text: str) -> None:
    starts = block_starts(text)
    assert starts == sorted(set(starts))
    assert "".join(text[start:end] for start, end in pairwise([*starts, len(text)])) == text
    lines = line_starts(text)
    for block, (start, end) in zip(blocks_of(text, HEURISTIC), pairwise([*starts, len(text)]), strict=True):
        piece = text[start:end]
        first = start + len(piece) - len(piece.lstrip())
        assert block.line == sum(1 for begin in lines if begin <= (first if piece.strip() else start))


@given(any_markdown)
def test_line_ends_are_counted_as_lines_are_split(text: str) -> None:
    assert line_ends(text) == len(line_starts(text)) - 1


@given(markdown)
def test_line_ends_do_not_tell_blocks_apart(text: str) -> None:
    digests = [block.digest for block in blocks_of(text, HEURISTIC)]
    assert [block.digest for block in blocks_of(text.replace("\n", "\r\n"), HEURISTIC)] == digests


def test_white_space_does_not_tell_blocks_apart() -> None:
    first = blocks_of("Write  tests\nfirst.\n\n\nThen code.", HEURISTIC)[0]
    assert first.digest == blocks_of("Write tests first.\n", HEURISTIC)[0].digest
    assert first.digest != blocks_of("Writetests first.\n", HEURISTIC)[0].digest


@given(any_markdown)
def test_first_words_are_one_harmless_line(text: str) -> None:
    for head in heads(text):
        assert head == plain_line(head)
        assert len(head) <= 80


@cases(
    ("text", "found"),
    [
        ("One.\nStill one.\n\nTwo.\n", ["One. Still one.", "Two."]),
        ("# Name\n\nText.\n", ["# Name", "Text."]),
        ("## Tests\n\n\nRun them.\n\nAll.\n", ["## Tests Run them.", "All."]),
        ("## One\n\n## Two\n\nText.\n", ["## One", "## Two Text."]),
        ("Text.\n## Next\nMore.\n", ["Text.", "## Next More."]),
        ("Run:\n\n```sh\na\n\n# b\n\nc\n```\n\nAfter.\n", ["Run: ```sh a # b c ```", "After."]),
        ("Two\n---\n\nText.\n", ["Two --- Text."]),
        ("---\na: 1\n\nb: 2\n---\nText.\n", ["--- a: 1 b: 2 ---", "Text."]),
        ("| a | b |\n|---|---|\n| 1 | 2 |\n\nText.\n", ["| a | b | |---|---| | 1 | 2 |", "Text."]),
        ("- one\n\n  more of it\n\nText.\n", ["- one more of it", "Text."]),
        ("\n\n  Indented.\n", ["Indented."]),
        ("```\nnever closed\n\n# so all is code\n", ["``` never closed # so all is code"]),
        ("x" * 200, ["x" * 79 + "…"]),
        ("a\x1b[31m\u202eb\n", ["a␛[31m\ufffdb"]),
    ],
)
def test_blocks_are_what_people_read_as_one(text: str, found: list[str]) -> None:
    assert heads(text) == found


def test_a_changed_item_leaves_most_of_a_long_list_as_it_was() -> None:
    items = [f"- Rule number {number}: do not do the thing {number * 7}.\n" for number in range(80)]
    before = {block.digest for block in blocks_of("".join(items), HEURISTIC)}
    after = {block.digest for block in blocks_of("".join([*items[:40], "- A new rule.\n", *items[41:]]), HEURISTIC)}
    assert len(before) > 8
    assert len(before - after) <= 2
    assert len(after - before) <= 2


@pytest.mark.parametrize("where", ["KEY", "Set `token = KEY` first.", "word " * 13 + "KEY"])
def test_no_part_of_a_secret_is_in_the_first_words(where: str) -> None:
    one, other = (f"Before.\n\n{where.replace('KEY', key)}\n" for key in (KEY, KEY[:-4] + "Zz9Y"))
    (_, told), (_, also) = blocks_of(one, HEURISTIC), blocks_of(other, HEURISTIC)
    assert KEY[4:12] not in told.head
    # Nor can it be found by trying: the digest is that of the text without it.
    assert told.digest == also.digest


def test_what_is_kept_of_a_text_holds_no_secret(tmp_path: Path) -> None:
    cache = Cache(tmp_path)
    blocks_of(f"Set `token = {KEY}` first.\n", HEURISTIC, cache)
    cache.flush()
    assert KEY.encode() not in b"".join(file.read_bytes() for file in tmp_path.iterdir())


def test_a_text_made_of_blank_lines_has_a_bounded_number_of_blocks() -> None:
    text = "a\n\n" * 50_000
    blocks = blocks_of(text, HEURISTIC)
    assert len(blocks) == 10_000
    assert sum(block.tokens for block in blocks) == HEURISTIC.count(text)


def test_real_files_add_up(corpora: Path) -> None:
    counter, files = get_counter("o200k_base"), 0
    for archive in sorted((corpora / "agents").glob("*.tar.gz")):
        with tarfile.open(archive) as packed:
            for member in packed:
                file = packed.extractfile(member) if member.isfile() and member.size else None
                if file and member.name.endswith((".md", ".mdc", ".json", ".toml", ".yaml")) and files < 1_500:
                    text, files = file.read().decode("utf-8", "replace"), files + 1
                    assert sum(block.tokens for block in blocks_of(text, counter)) == counter.count(text), member.name
    assert files > 500
