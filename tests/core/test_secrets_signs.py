"""Signs rule out only texts in which the finders find nothing."""

import json
import re
import string
import sys
from base64 import b64decode, b64encode
from pathlib import Path
from time import process_time

import pytest
import re2
from hypothesis import given, settings
from hypothesis import strategies as st

from ctxtui.core.secrets.data import table
from ctxtui.core.secrets.loose import loosened
from ctxtui.core.secrets.named import FAR, MNEMONIC, NEAR, PIN, SCHEME, SUFFIX
from ctxtui.core.secrets.names import ENDS, FOREIGN, NAMES
from ctxtui.core.secrets.plausible import Strength, strength
from ctxtui.core.secrets.search import found_by
from ctxtui.core.secrets.signs import DIGIT, Signs, noticeable, signs_in, strong
from ctxtui.core.secrets.tables import TELLING
from tests.core.test_secrets import CODE, EXAMPLES, PLACES, WORD
from tests.core.texts import nasty

ALL = Signs(shape=True, name=True, place=True)
ROWS = table("places")["place"]
PARTS = [row[key] for row in ROWS for key in ("pattern", "before", "line", "above") if key in row]
BODIES = [row[key] for row in table("shapes")["secret"] for key in ("body", "before") if key in row]
# fmt: off
PATTERNS = [
    *map(re.compile, [part.replace("(?:{value})", r"\w{6}").replace(r"\Z", "") for part in [*PARTS, *BODIES]]),
    *ENDS.values(), FAR, MNEMONIC, NEAR, PIN, SCHEME, SUFFIX, TELLING,
]
# fmt: on
WORDS = [
    *(anchor for row in ROWS for anchor in row["anchors"]),
    *(name.decode() for name in NAMES),
    *FOREIGN,
    *(example for _, example in EXAMPLES if len(example) < 200),
]


def _judged_alike(text: str) -> None:
    assert found_by(text, signs_in(text)) == found_by(text, ALL)


def _is_in(pattern: str, text: str) -> bool:
    options = re2.Options()
    options.encoding = re2.Options.Encoding.LATIN1
    return re2.compile(pattern.encode(), options).search(text.encode("utf-8", "surrogatepass")) is not None


@given(st.sampled_from(PATTERNS).flatmap(lambda each: st.tuples(st.just(each), st.from_regex(each))))
def test_what_a_pattern_matches_is_matched_loosened(case: tuple[re.Pattern[str], str]) -> None:
    pattern, text = case
    assert pattern.search(text)
    assert _is_in(loosened(pattern), text)


@pytest.mark.parametrize(
    ("pattern", "text"),
    [("(?i)s-[k]i", "\u017f-\u212a\u0131"), (r"\w{2}", "\u00e9\u6f22"), ("[^a]b", "\u20acb"), ("é.", "é漢")],
)
def test_a_loosened_pattern_matches_beyond_ascii(pattern: str, text: str) -> None:
    assert re.search(pattern, text)
    assert _is_in(loosened(pattern), text)


def test_a_pattern_of_another_kind_is_refused() -> None:
    with pytest.raises(ValueError, match="GROUPREF"):
        loosened(r"(a)\1")


def test_every_digit_is_one_in_a_sign() -> None:
    assert all(_is_in(DIGIT, char) for char in map(chr, range(sys.maxunicode + 1)) if char.isdigit())


_KINDS = st.sampled_from(
    [
        string.ascii_letters,
        string.ascii_lowercase,
        "abcdef-",
        "abC",
        string.digits,
        string.punctuation,
        "Aé漢²٣ ",
        "%4aB=",
    ]
)
_VALUES = st.one_of(
    st.lists(_KINDS.flatmap(lambda kind: st.text(kind, min_size=1, max_size=24)), min_size=1, max_size=5).map(
        "".join
    ),
    st.text(string.printable[:95], min_size=6, max_size=40).map(lambda text: b64encode(text.encode()).decode()),
    st.sampled_from([WORD, CODE, "pelican-glacier-turnip", "correcthorsebatterystaple", "abcdefab" * 4]),
)


@given(_VALUES)
def test_a_strong_value_is_one_in_a_sign(value: str) -> None:
    for character in (r"""[^"\r\n]""", r"""[^\s"'`<>|;&,]"""):
        if re.compile(f"(?:{character}){{4,400}}").fullmatch(value) and strength(value) >= Strength.PASSWORD:
            assert _is_in(f"^{strong(character)}", value)
            assert _is_in(f"^{noticeable(character)}", value)


@given(
    _VALUES,
    st.sampled_from(["password: {}", "The password is {}", 'pw("{}")', "<password>{}</password>", "clave='{}'"]),
)
def test_a_value_after_a_name_has_a_sign(value: str, place: str) -> None:
    _judged_alike(place.format(value))


@pytest.mark.parametrize(
    "text", [*(before + each for before in ("", "é ", "x: 1 ") for _, each in EXAMPLES), *PLACES]
)
def test_each_credential_is_found_by_its_signs(text: str) -> None:
    for value in (WORD, CODE, "pelican-glacier-turnip", "qLWgtRcYmZbNXfkHvDsJpTnGxKwBrVhMdFzQ"):
        filled = text.replace("{}", value)
        _judged_alike(filled)
        _judged_alike(f"1\n{filled.upper()}\nsee {filled}é\r\n")


def test_labelled_texts_are_judged_alike() -> None:
    data = json.loads((Path(__file__).parent / "data" / "secrets.json").read_text("utf-8"))
    for row in data["texts"]:
        _judged_alike(b64decode(row["text"][::-1]).decode())


_ENDS = st.sampled_from(
    [*": = \" ' ` , | > < ( ) / @ -".split(), ": ", " = ", '="', "\n", " ", " is ", "=>", "：", "é", "\r\n"]
)
_PIECES = st.one_of(
    st.sampled_from(WORDS), _ENDS, _ENDS, _VALUES, nasty, st.sampled_from(PARTS[:-1]).flatmap(st.from_regex)
)


@settings(max_examples=300)
@given(st.lists(_PIECES, max_size=12).map("".join))
def test_signs_rule_out_no_text_in_which_something_is_found(text: str) -> None:
    _judged_alike(text)


def test_most_texts_have_no_sign() -> None:
    assert not any(
        signs_in("# Title\n\nHow to pass a token: see `auth.py` and https://example.com/login, as 1 key.\n")
    )


def test_a_text_full_of_beginnings_is_judged_in_bounded_time() -> None:
    for piece in ("password: ", "value = key ", "://a:", "hook", '"key": "aB', "eyJ", "a1b2-" * 9, " -u a:", "密码"):
        text = piece * (500_000 // len(piece))
        start = process_time()
        signs_in(text)
        assert process_time() - start < 2
