import codecs
import re
import tracemalloc

from hypothesis import given
from hypothesis import strategies as st

from ctxtui.core.base.errors import ContextError
from ctxtui.core.base.plain import plain, plain_line
from ctxtui.core.text.decode import Lines, decode
from tests.cases import cases
from tests.core.texts import nasty, refused


@cases(
    "data",
    [
        *("é\r\n".encode(), "é\r\n".encode("utf-8-sig")),
        *("\ufeffé\r\n".encode(f"utf-{size}-{order}") for size in (16, 32) for order in ("le", "be")),
    ],
)
def test_a_mark_names_the_encoding_and_is_no_text(data: bytes) -> None:
    assert decode(data, "a.md") == ("é\r\n", None)


@cases(
    "data",
    [
        b"one\r\ntwo\nth\xffree\n",
        codecs.BOM_UTF16_LE + "one\r\ntwo\nth|ree\n".encode("utf-16-le").replace(b"|\0", b"\0\xd8"),
    ],
)
def test_invalid_sequences_are_replaced_and_reported_with_their_line(data: bytes) -> None:
    text, notice = decode(data, "a.md")
    assert text == "one\r\ntwo\nth\ufffdree\n"
    assert (notice.code, notice.path, notice.line) == ("invalid-text", "a.md", 3)


@cases("data", [b"\x89PNG\r\n\x1a\n\0\0", b"text\0text"])
def test_binary_data_is_refused(data: bytes) -> None:
    with refused():
        decode(data, "a.bin")


@given(st.binary(max_size=200))
def test_any_bytes_are_text_or_refused_and_the_text_can_be_written(data: bytes) -> None:
    try:
        text, notice = decode(data, "a")
    except ContextError:
        return
    text.encode()
    is_plain = notice is None and data[:2] not in (b"\xff\xfe", b"\xfe\xff")
    assert not is_plain or data.decode("utf-8", "replace").removeprefix("\ufeff") == text


@given(nasty)
def test_lines_are_split_at_line_ends_only(text: str) -> None:
    lines = Lines.of(text)
    pieces = [text[lines.start(line) : lines.start(line + 1)] for line in range(len(lines.starts))]
    assert "".join(pieces) == text
    for number, piece in enumerate(pieces):
        assert not re.search(r"[\n\r]", piece.removesuffix("\n").removesuffix("\r"))
        assert all(lines.at(lines.start(number) + offset) == number for offset in range(len(piece)))


@cases("end", ["\n", "\r\n"])
def test_a_line_takes_a_few_bytes(end: str) -> None:
    text = end * 20_000
    tracemalloc.start()
    try:
        lines = Lines.of(text)
        held, most = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    assert (len(lines.starts), lines.start(20_000)) == (20_001, len(text))
    assert held < 10 * 20_000
    assert most < 32 * 20_000


@given(st.text())
def test_nothing_that_steers_a_terminal_gets_through(text: str) -> None:
    codes = [*range(9), *range(11, 32), *range(0x7F, 0xA0), *range(0x202A, 0x202F), *range(0x2066, 0x206A)]
    forbidden = {*map(chr, codes)}
    assert not {*plain(text)} & forbidden
    assert not {*plain_line(text)} & (forbidden | {"\n", "\t", "\r"})


def test_plain_text_stays_as_it_is() -> None:
    assert plain("Ünï 漢字 😀\n\tx") == "Ünï 漢字 😀\n\tx"
    assert plain("a\r\nb\x1b[31m") == "a\nb\u241b[31m"
    assert plain("a\rb\r\nc\r") == "a\nb\nc\n"
    assert plain_line("a\nb\tc\rd") == "a b c d"
