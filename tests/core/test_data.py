"""The doors for YAML and TOML: what is written is read back equal, what is hostile is a problem with a line."""

import json
import string
from itertools import pairwise

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from ctxtui.core.text.data.bounds import MAX_DEPTH, DataProblem
from ctxtui.core.text.data.jsonc import load_jsonc
from ctxtui.core.text.data.lines import Steps, key_lines, toml_lines, yaml_lines
from ctxtui.core.text.data.toml import load_toml
from ctxtui.core.text.data.yaml import compose_yaml, dump_yaml, load_texts, load_yaml
from tests.cases import cases
from tests.core.texts import plain_data

_digests = st.text("0123456789abcdef", min_size=12, max_size=12)
_decimal = st.text("0123456789", min_size=1, max_size=20)
_yamlish = st.text(
    st.sampled_from("0189:-+_.eExo~=<>|*&!%@`'\"#?,[]{} \n\t\r\u0085\u2028\ufeffyYnNtruefalsnl"), max_size=12
)
_any_text = st.text(st.characters(exclude_categories=["Cs"]), max_size=40)
_texts = st.one_of(_digests, _decimal, _yamlish, _any_text, st.text(string.printable, max_size=30))
_values = plain_data(_texts, max_leaves=8)


@pytest.mark.parametrize("inline", [True, False])
@given(values=st.dictionaries(_texts, _values, max_size=4))
@example(values={"digest": "034711885772", "slug": "08", "n": "09", "t": "1:30", "v": "=", "m": "<<"})
@example(values={"prompt": "a\n---\n  b\n\n c \n"})
@example(values={"prompt": "\n a"})
@example(values={"prompt": "a\n"})
@example(values={"prompt": "a\n\n\n"})
@example(values={"x": "\x85", "\u2028": "\ufeff", "": ""})
def test_what_is_written_is_read_back_equal(values: dict[str, object], inline: bool) -> None:
    found, repeated = load_yaml(dump_yaml(values, inline=inline))
    assert (found or {}) == values
    assert repr(found or {}) == repr(values)
    assert not repeated


def test_every_decimal_digest_that_looks_like_an_octal_number_survives() -> None:
    digests = [f"0{digit}{number:010}" for digit in range(10) for number in range(0, 10**10, 10**8 - 7)]
    assert load_yaml(dump_yaml({"digests": digests}))[0] == {"digests": digests}
    # Texts of several lines are written as people read them.
    assert dump_yaml({"prompt": "Review this.\n\n- first\n"}) == "prompt: |\n  Review this.\n\n  - first\n"


@cases("value", ["\ud800", object(), 10**18, float("inf")])
def test_what_yaml_cannot_hold_is_refused_before_it_is_written(value: object) -> None:
    with pytest.raises(DataProblem):
        dump_yaml({"x": value})


def test_aliases_are_refused_where_values_are_walked_through() -> None:
    raw = "a: &x text\nb: [*x, *x]\n"
    for load in (load_yaml, compose_yaml):
        with pytest.raises(DataProblem, match="aliases"):
            load(raw)
    assert load_texts(raw) == ({"a": "text", "b": ["text", "text"]}, {})
    bomb = "a: &a [x]\n" + "".join(f"{n}: &{n} [{','.join([f'*{m}'] * 9)}]\n" for m, n in pairwise("abcdefghijklmn"))
    assert load_texts(bomb)[0]["a"] == ["x"]
    # Repeated keys tell their first value.
    assert load_texts("a: 1\nb: 2\na: [3]\na: 4\n") == ({"a": "4", "b": "2"}, {"a": "1"})


@cases("load", [load_yaml, load_texts, compose_yaml])
@cases(
    ("raw", "line"),
    [("a: 1\nb: " + "[" * 40 + "]" * 40, 1), ("a: 1\n\x07: 2\n", 1), ("a: 1\nb: [\n", 2), ("a: 1\n\ud800: 2\n", 1)],
)
def test_hostile_yaml_is_a_problem_with_its_line(load: object, raw: str, line: int) -> None:
    with pytest.raises(DataProblem) as caught:
        load(raw)  # type: ignore[operator]
    assert caught.value.line == line


@cases(
    ("raw", "line", "words"),
    [
        ("a = 1\nb = " + "1" * 5_000, 1, "more than 18 digits"),
        ("a = 1\nb = 0x" + "f" * 4_000, 1, "more than 18 digits"),
        ("a = 1\nb = 1234567890123456789", 1, "more than 18 digits"),
        ("a = 1\n[x]\nb = nan", 2, "more than 18 digits"),
        ("a = 1\nb = " + "[" * 5_000, 1, "nested"),
        ("a = 1\nb = " + "{a=" * 5_000, 1, "nested"),
        ("a = 1\nb = " + "[" * (MAX_DEPTH + 1) + "]" * (MAX_DEPTH + 1), 1, "nested"),
        ("a = 1\nb = \n", 1, "Invalid value"),
        ("a = 1\na = 2\n", 1, "overwrite"),
    ],
)
def test_hostile_toml_is_a_problem_with_its_line(raw: str, line: int, words: str) -> None:
    with pytest.raises(DataProblem, match=words) as caught:
        load_toml(raw)
    assert caught.value.line == line


def test_lines_of_toml_are_found_beside_brackets_in_arrays_and_names() -> None:
    raw = 'a = [\n  ["x"],\n]\nb = 1\n["t[1]"]  # named\nc = 2\n[[d]]\n[[d]]\ne = 3\n'
    steps: list[Steps] = [("b",), ("t[1]", "c"), ("d", 1, "e"), ("x",)]
    assert list(map(toml_lines(raw), steps)) == [4, 6, 9, None]


def test_lines_of_toml_are_found_behind_quotes_in_comments_and_strings() -> None:
    quotes = '"""'
    lines = [f"# {quotes}", f"""a = "'''"  # {quotes}""", f"b = {quotes}x", f"c = 1 ''' {quotes}"]
    lines += [f"d = '{quotes}'", r"""e = "a\"'''" """, f"f = '''{quotes}'''", "g = 1"]
    raw = "\n".join(lines)
    assert set(load_toml(raw)) == set("abdefg")
    assert [toml_lines(raw)((key,)) for key in "abcdefg"] == [2, 3, None, 5, 6, 7, 8]


_toml_text = st.text(st.characters(exclude_categories=["Cs"], exclude_characters="\x7f"), max_size=20)
_toml_value = st.booleans() | st.integers(-(10**18) + 1, 10**18 - 1) | _toml_text
_toml_values = st.recursive(_toml_value, lambda inner: st.lists(inner, max_size=3), max_leaves=6)


@given(st.dictionaries(_toml_text, _toml_values, max_size=4))
def test_harmless_toml_is_read_as_it_is(values: dict[str, object]) -> None:
    raw = "\n".join(f"{json.dumps(key, ensure_ascii=False)} = {_as_toml(value)}" for key, value in values.items())
    assert load_toml(raw) == values


def _as_toml(value: object) -> str:
    return (
        f"[{', '.join(map(_as_toml, value))}]" if isinstance(value, list) else json.dumps(value, ensure_ascii=False)
    )


@given(st.text(st.sampled_from("ab=[]{}\"'.#\n 0x1\ud800\x00"), max_size=40))
def test_any_text_is_toml_or_a_problem(raw: str) -> None:
    try:
        assert isinstance(load_toml(raw), dict)
    except DataProblem as problem:
        assert 0 <= problem.line <= raw.count("\n")  # noqa: PT017 - most texts are a problem


def test_the_line_of_a_value_is_told() -> None:
    raw = "picks:\n- id: a\n  sections: [x]\n- id: b\nbudget: 1\n"
    steps: list[Steps] = [("picks", 1), ("picks", 0, "sections"), ("budget",), ("none",)]
    assert list(map(yaml_lines(raw), steps)) == [4, 3, 5, None]
    assert yaml_lines("[")(("a",)) is None


def test_the_line_of_a_value_in_json_with_comments() -> None:
    raw = '{// all\n"hooks": [\n{"command": "a"},\n{"note": "in 10: late"},\n{"command": "b"}\n]}'
    assert key_lines("settings.json", raw)(("hooks", 0, "command")) == 3


@pytest.mark.parametrize("end", ["\n", "\r\n", "\r"])
def test_the_line_of_a_character_that_yaml_refuses(end: str) -> None:
    with pytest.raises(DataProblem) as refused:
        load_yaml(f"a: 1{end}b: 2{end}c: \x01{end}")
    assert refused.value.line == 2


@cases(
    ("raw", "value"),
    [
        ("", None),
        ('{"a": 1, // one\n "b": [1, 2,],}', {"a": 1, "b": [1, 2]}),
        ('/* { */ {"a": "// no comment, ] /* either"}', {"a": "// no comment, ] /* either"}),
        ('{"a": "\\", // b"}', {"a": '", // b'}),
    ],
)
def test_json_with_comments_is_read(raw: str, value: object) -> None:
    assert load_jsonc(raw) == value


@cases(
    ("raw", "message", "line"),
    [
        ('{\n"a": 1,\n// two\n"b" 2}', "delimiter", 3),
        ("[" * 100_000, "nested", 0),
        ("[" * 40 + "]" * 40, "nested", 0),
        ('{"a": ' + "9" * 5_000 + "}", "digits", 0),
        ('{"a": NaN}', "not finite", 0),
    ],
)
def test_json_beyond_the_bounds_is_a_problem(raw: str, message: str, line: int) -> None:
    with pytest.raises(DataProblem, match=message) as problem:
        load_jsonc(raw)
    assert problem.value.line == line


@given(plain_data(st.text(), max_leaves=8))
def test_plain_json_means_the_same_with_comments(value: object) -> None:
    assert load_jsonc(json.dumps(value, indent=1).replace("\n", " // ,]\n/* } */ ")) == value
