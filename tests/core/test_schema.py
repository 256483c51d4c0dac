"""Plain data checked: whatever is wrong names place, key and remedy; lines are those of the keys."""

import tomllib
from datetime import date
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ctxtui.core.base.errors import ContextError
from ctxtui.core.text.data import schema
from ctxtui.core.text.data.lines import toml_lines
from ctxtui.core.text.data.schema import Place, Reader, read
from tests.cases import cases
from tests.core.texts import refused

PLACE = Place.named("a.yaml")
FIELDS: dict[str, Reader] = {
    "text": schema.text,
    "filled": schema.filled,
    "texts": schema.texts,
    "flag": schema.flag,
    "number": schema.number,
    "tokens": schema.tokens,
    "day": schema.day,
    "choice": schema.choice("one", "two"),
    "table": schema.table(schema.tokens, ["codex"]),
    "many": schema.many(schema.table(schema.flag)),
}
ANYTHING: st.SearchStrategy[Any] = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=5) | st.dates(),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.sampled_from([*FIELDS, "x"]), inner, max_size=3),
    max_leaves=8,
)


def test_what_is_right_is_read() -> None:
    same = {"text": "", "choice": "two", "table": {"codex": 5}}
    written = {"texts": ["a"], "tokens": "12k", "day": "2026-01-31", "many": [{"any": True}]}
    found = {"texts": ("a",), "tokens": 12_000, "day": date(2026, 1, 31), "many": ({"any": True},)}
    assert read(PLACE, same | written, FIELDS) == same | found


@cases(
    ("data", "said", "hint"),
    [
        (None, "a.yaml: should be a mapping, not NoneType", "with text, filled"),
        ({"tex": 1}, "a.yaml: unknown key `tex`", "did you mean `text`?"),
        ({"zzz": 1}, "a.yaml: unknown key `zzz`", "known: text, filled"),
        ({"text": 5}, "a.yaml: `text` should be a string, not `5`", "put it in quotes"),
        ({"filled": " "}, "a.yaml: `filled` should be a string that is not blank", None),
        ({"texts": "a"}, "a.yaml: `texts` should be a list of strings, not 'a'", None),
        ({"texts": ["a", []]}, "a.yaml: `texts[1]` should be a string, not list", "put it in quotes"),
        ({"flag": 1}, "a.yaml: `flag` should be true or false, not `1`", None),
        ({"number": True}, "a.yaml: `number` should be a whole number, not `True`", "0 or more"),
        ({"number": -(10**5_000)}, "a.yaml: `number` should be a whole number, not int", "0 or more"),
        ({"number": -1}, "a.yaml: `number` should be a whole number, not `-1`", "0 or more"),
        ({"tokens": "many"}, "a.yaml: `tokens`: not a number of tokens: 'many'", "write 12000 or 12k"),
        ({"day": "2026-02-30"}, "a.yaml: `day` should be a date, not '2026-02-30'", "such as 2026-11-01"),
        ({"choice": "twoo"}, "a.yaml: `choice` cannot be 'twoo'", "did you mean `two`?"),
        ({"choice": 3}, "a.yaml: `choice` should be one of one, two, not `3`", None),
        ({"table": []}, "a.yaml: `table` should be a table, not list", None),
        ({"table": {"codx": 5}}, "a.yaml: `table`: unknown key `codx`", "did you mean `codex`?"),
        ({"many": [{}, {"a": 1}]}, "a.yaml: `many[1].a` should be true or false, not `1`", None),
    ],
)
def test_what_is_wrong_is_named(data: object, said: str, hint: str | None) -> None:
    with refused() as caught:
        read(PLACE, data, FIELDS)
    assert caught.value.message == said
    assert (hint or "") in (caught.value.hint or "")


def test_what_is_missing_is_named() -> None:
    with pytest.raises(ContextError, match=r"^a\.yaml: `x` has no `text`$"):
        read(PLACE.at("x"), {"flag": True}, FIELDS, "flag", "text")
    # Names with dots stay whole.
    assert str(PLACE.at(".context").error("x")) == "a.yaml: `.context`: x"
    # What is private is not shown.
    for key, said in (("number", "^a: `number` should be a whole number$"), ("choice", "^(?!.*letmein)")):
        with pytest.raises(ContextError, match=said):
            read(Place.named("a", private=True), {key: "letmein"}, FIELDS)


@given(ANYTHING)
def test_anything_is_read_or_refused_in_one_line(data: Any) -> None:
    said = None
    try:
        assert set(read(PLACE, data, FIELDS)) <= set(FIELDS)
    except ContextError as error:
        said = error.message
    assert said is None or (said.startswith("a.yaml: ") and "\n" not in said)


TOML = """\
budget = 5
[limits]
"total" = 1

[limits.start]
codex = "x" # [keys]
text = '''
[keys]
'''
[[agents.codex.rows]]
id = "a"
[[agents.codex.rows]]
id = "b"
limits = [
  { of = "file" },
]
[agents.codex.rows.deep]
x.y = 1
[keys]
sort = "Z"
"""


@cases(
    ("steps", "line"),
    [
        *((("budget",), 1), (("limits",), 2), (("limits", "total"), 3), (("limits", "start", "codex"), 6)),
        (("limits", "start", "codex", "inside"), 6),
        (("limits", "nothing"), 2),
        (("agents", "codex", "rows", 0, "id"), 11),
        (("agents", "codex", "rows", 1, "id"), 13),
        (("agents", "codex", "rows", 1, "limits", 0, "of"), 14),
        (("agents", "codex", "rows", 1, "deep", "x", "y"), 18),
        *((("keys", "sort"), 20), (("absent",), None)),
    ],
)
def test_lines_of_toml(steps: tuple[str | int, ...], line: int | None) -> None:
    assert tomllib.loads(TOML)
    assert toml_lines(TOML)(steps) == line
