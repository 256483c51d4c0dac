"""A text of one long line fills a budget as others do: JSON at its elements, prose between its characters."""

import json
import unicodedata

from hypothesis import example, given
from hypothesis import strategies as st

from ctxtui import Session, Workspace
from ctxtui.core import get_counter
from ctxtui.core.payload.cuts import element_cuts, prose_cuts
from ctxtui.core.payload.formats import FORMATS
from ctxtui.core.payload.types import Payload
from tests.cases import cases
from tests.conftest import Project

ROWS = json.dumps([{"id": number, "name": f"row {number}", "tags": ["a,b", "[c]"]} for number in range(900)])
TEXTS = {
    "one.json": ROWS,
    "nested.json": json.dumps({f"key{number}": {"v": [number] * 9} for number in range(400)}, separators=(",", ":")),
    "cjk.md": "日本語" * 9_000,
    "cjk.txt": "日本語" * 9_000,
    "title.md": f"# 見出し\n\n{'規約を読む' * 4_000}\n",
    "thai.md": "ภาษาไทย" * 3_000,
    "words.txt": "some words without a stop " * 3_000,
    "blob.txt": "QUJDREVGR0hJSktMTU5PUFFSU1RVVldYWVo" * 400,
    "emoji.md": "👩‍👩‍👧‍👦🇩🇪e\u0301" * 900,
    "item.md": f"- a\n- {'日本語' * 9_000}\n",
    "lines.log": f"first\n{'x' * 40 + ' '}{'yz ' * 9_000}",
}
CODE = {"s.py": "a = [" + "1, " * 9_000 + "]\n", "s.svg": "<svg>" + "<path/>" * 9_000, "m.js": "f();" * 9_000}


def cut(session: Session, id_: str, budget: int, form: str) -> Payload:
    payload = session.pick(id_).with_output(form).with_budget(budget).payload(over="cut")
    assert payload.tokens == get_counter().count(payload.text) <= budget
    return payload


@cases(("form", "budget"), [*((form, 733) for form in FORMATS), ("markdown", 500), ("markdown", 4_000)])
def test_nine_tenths_of_a_budget_are_used(project: Project, form: str, budget: int) -> None:
    session = Workspace.open(project(TEXTS)).session()
    for id_ in TEXTS:
        payload = cut(session, id_, budget, form)
        assert payload.tokens >= 0.9 * budget, (id_, payload.tokens)
        assert "[truncated]" in payload.text


def test_more_room_never_shows_less_and_no_line_of_code_is_cut(project: Project) -> None:
    session = Workspace.open(project(TEXTS | CODE)).session()
    for id_ in CODE:
        assert cut(session, id_, 500, "markdown").tokens < 50
    for id_ in TEXTS:
        sizes = [len(cut(session, id_, budget, "markdown").text) for budget in range(500, 620, 23)]
        assert sizes == sorted(sizes), id_


@given(st.text(st.sampled_from("aé日e\u0301👩\u200d👧🏽🇩🇪🇫\ufe0f각ก่"), min_size=1, max_size=200), st.integers(0, 900))
@example("e\u0301" * 90, 0)
@example("🇩🇪" * 40, 3)
def test_no_character_is_parted_from_its_marks(text: str, shown: int) -> None:
    places = prose_cuts(text, shown)
    assert places == sorted(set(places))
    for place in places:
        assert 0 < place < len(text)
        if text[place - 1].isspace() or text[place - 1] in ".!?。":
            continue
        assert not unicodedata.combining(text[place])
        assert text[place] not in "\u200d\ufe0f🏽"
        assert text[place - 1] != "\u200d"
        flags = len(text[:place]) - len(text[:place].rstrip("🇩🇪🇫"))
        assert flags % 2 == 0 or flags > 60


VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text('ab,[]{}"\\é', max_size=12),
    lambda inner: st.lists(inner, max_size=6) | st.dictionaries(st.text('a,["\\', max_size=4), inner, max_size=6),
    max_leaves=60,
)


@given(VALUES, st.booleans())
def test_json_is_cut_between_elements_alone(value: object, is_tight: bool) -> None:
    text = json.dumps(value, ensure_ascii=False, separators=(",", ":") if is_tight else None)
    for place in element_cuts(text, 0):
        before = text[:place]
        assert before[-1] in ",[{"
        # What follows a comma or an opening bracket can be closed: no string is open.
        assert json.JSONDecoder().raw_decode(text)[0] == value
        assert before.replace("\\\\", "").replace('\\"', "").count('"') % 2 == 0
