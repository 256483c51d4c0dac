"""Queries and snippets as picks: computed when built, kept in recipes as questions, exact to the token."""

import asyncio
import re
from typing import Any

import pytest

from ctxtui import ContextError, Session, Workspace
from ctxtui.core import get_counter
from ctxtui.core.payload.formats import FORMATS
from ctxtui.session.figures import figures
from ctxtui.session.saved.recipe import load_recipe, save_recipe
from tests.cases import cases
from tests.conftest import Project


def entry(id_: str, category: str, body: str, tags: str = "", day: int = 1, more: str = "") -> str:
    return (
        f"---\nentryId: {id_}\ncategory: {category}\ntags: [{tags}]\n{more}"
        f"createdAt: 2026-02-{day:02}T10:00:00Z\n---\n{body}\n"
    )


FILES = {
    "notes/a.md": entry("a", "Decision", "Use Postgres.", "db, api", 1),
    "notes/b.md": entry("b", "Lesson", "Never page by offset.", "db", 2),
    "notes/c.md": entry("c", "Decision", "Key AKIAIOSFODNN7EXAMPLF leaked.", "api", 3),
    "notes/d.md": entry("d", "Decision", "For nobody.", "api", 4, "visibility: {private: [boss]}\n"),
    "guide.md": "# Guide\none\ntwo\nthree\n",
}


@pytest.fixture
def session(project: Project) -> Session:
    return Workspace.open(project(FILES)).session()


def resolved(session: Session) -> Session:
    return asyncio.run(session.workspace.resolve(session))


def test_a_filter_or_a_tree_of_providers_is_computed_when_asked_for(session: Session) -> None:
    picked = session.with_query("decisions", {"entries": {"category": "decision", "tags": ["db", "api"]}})
    assert picked.payload().missing == ("query:decisions",)
    payload = resolved(picked).payload()
    assert payload.text.startswith("<!-- source: query: decisions -->\n## Decision: d (2026-02-04, api)\n")
    assert payload.text.index("Decision: c") < payload.text.index("Decision: a")
    assert "Lesson" not in payload.text
    assert payload.missing == ()
    # A tree shows who gave what, and hides what is private.
    tree = {"composite": [{"filter": {"types": ["Lesson"]}}, {"filter": {"tags": ["db"]}}]}
    (answer,) = resolved(session.with_query("q", {"context": tree})).answers.values()
    assert [item.id for item in answer.items] == ["entries/b", "entries/a"]
    assert {item.provider for item in answer.items} == {"CompositeProvider > FilteredContextProvider"}
    assert "For nobody" not in resolved(session.with_query("q", {"context": "all"})).payload().text


@cases("format", FORMATS)
@cases(
    "data",
    [
        {"entries": {"keywords": "use"}},
        {"entries": {}},
        {"context": "all"},
        {"context": {"filter": {"types": ["Decision"], "limit": 2}, "redact": {"patterns": ["Postgres"]}}},
    ],
)
def test_the_number_is_exact_with_queries_and_snippets(session: Session, data: dict[str, Any], format: str) -> None:
    picked = resolved(session.with_query("q", data).with_snippet("guide.md", 2, 3).pick("guide.md"))
    payload = picked.payload(format)
    assert payload.tokens == picked.layout(format).tokens == get_counter().count(payload.text)
    cut = picked.with_budget(40).payload(format)
    assert cut.tokens == get_counter().count(cut.text)


def test_secrets_in_an_answer_are_redacted_and_told(session: Session) -> None:
    picked = resolved(session.with_query("q", {"entries": {"keywords": "leaked"}}))
    payload = picked.payload()
    assert "AKIA" not in payload.text
    assert payload.secrets == 1
    with pytest.raises(ContextError, match="query q contains a secret"):
        picked.with_output(secrets="fail").payload()


def test_what_gives_nothing_fails_or_is_too_much_is_told(session: Session) -> None:
    empty = resolved(session.with_query("q", {"entries": {"keywords": "zzz"}})).payload()
    assert [notice.code for notice in empty.notices] == ["empty-query"]
    assert empty.missing == ()
    failed = resolved(session.with_query("q", {"entries": {}, "from": "../elsewhere"})).payload()
    assert [notice.code for notice in failed.notices] == ["query-failed"]
    assert failed.missing == ("query:q",)
    # A budget of its own keeps whole entries.
    picked = resolved(session.with_query("q", {"entries": {}, "budget": 40}))
    (answer,) = picked.answers.values()
    assert 0 < len(answer.items) < 4
    assert get_counter().count(answer.text) <= 40
    assert any(notice.code == "over-budget" for notice in picked.payload().notices)


def test_which_directory_is_meant_has_to_be_clear(project: Project) -> None:
    session = Workspace.open(project({"notes/a.md": FILES["notes/a.md"], "more/b.md": FILES["notes/b.md"]})).session()
    unclear = resolved(session.with_query("q", {"entries": {}})).payload()
    assert "several entries directories" in unclear.notices[0].message
    named = resolved(session.with_query("q", {"entries": {}, "from": "./more"})).payload()
    assert "Never page" in named.text
    assert "Postgres" not in named.text


@cases(
    ("data", "said"),
    [
        ({}, "either `entries` or `context`"),
        ({"entries": {}, "context": "all"}, "either"),
        ({"entries": {"catgory": "x"}}, "unknown key `catgory`"),
        ({"entries": {"category": "Decison"}}, "unknown category Decison"),
        ({"entries": {"tags": "api"}}, "list of strings"),
        ({"entries": {"maxResults": -1}}, "maxResults"),
        ({"entries": {"referenceCode": "CTX-1"}}, "not a reference code"),
        ({"context": {"filtre": {}}}, "filtre"),
        ({"entries": {}, "budget": "lots"}, "lots"),
        ({"entries": {}, "from": 3}, "`from`"),
    ],
)
def test_a_bad_query_is_refused_before_it_is_picked(session: Session, data: dict[str, Any], said: str) -> None:
    with pytest.raises(ContextError, match=said):
        session.with_query("q", data)


def test_a_recipe_keeps_the_query_and_not_its_result_and_names_what_is_damaged(session: Session) -> None:
    picked = session.pick("guide.md").with_query("q", {"entries": {"category": "Lesson"}, "budget": "2k"})
    picked = picked.with_snippet("guide.md", 2, 3).pin("query:q").pin("lines:guide.md:2-3")
    save_recipe(picked, "r")
    assert "offset" not in (session.workspace.root / ".ctxtui/recipes/r.yaml").read_text()
    again = session.with_selection(load_recipe(session.workspace, "r").selection)
    assert again.picks == picked.picks
    before = resolved(again).payload().text
    (session.workspace.root / "notes/e.md").write_text(entry("e", "Lesson", "Measure first.", day=9))
    after = resolved(session.workspace.reload().session().with_selection(again.selection)).payload().text
    assert "Measure first" not in before
    assert "Measure first" in after
    path = session.workspace.root / ".ctxtui/recipes/r.yaml"
    tree = "query: q\n  context:\n    composite:\n    - all\n    - filter:\n        typs: [x]"
    for pick, said in (
        (tree, "8: `picks[1].context.composite[1].filter`: unknown key `typs`"),
        ("query: q\n  entries: {tag: x}", "4: `picks[1].entries`: unknown key `tag`"),
        ("query: ' '\n  log: HEAD", "3: `picks[1].query` should be a string that is not blank"),
        ("id: guide.md\n  lines: 9-3", "4: `picks[1].lines` should be lines of the document, not '9-3'"),
    ):
        path.write_text(f"picks:\n- guide.md\n- {pick}\n")
        with pytest.raises(ContextError, match=re.escape(f"r.yaml:{said}")):
            load_recipe(session.workspace, "r")


def test_a_snippet_is_its_lines_and_missing_when_they_are_gone(session: Session) -> None:
    picked = session.with_snippet("guide.md", 2, 3)
    assert picked.payload().text == "<!-- source: guide.md; lines 2-3 -->\none\ntwo\n"
    (session.workspace.root / "guide.md").write_text("# Guide\n")
    assert picked.on(session.workspace.reload()).payload().missing == ("lines:guide.md:2-3",)
    with pytest.raises(ContextError):
        session.with_snippet("guide.md", 2, 900)


def test_queries_and_lines_can_be_moved_pinned_toggled_and_dropped(session: Session) -> None:
    picked = session.with_query("q", {"entries": {}}).pick("guide.md")
    assert [pick.id for pick in picked.move("query:q", 1).picks] == ["guide.md", "query:q"]
    assert picked.pin("query:q").picks[0].pinned
    assert picked.state("query:q") == "all"
    assert [pick.id for pick in picked.toggle("query:q").picks] == ["guide.md"]
    replaced = picked.with_query("q", {"entries": {"keywords": "x"}})
    assert [pick.id for pick in replaced.picks] == ["query:q", "guide.md"]
    picked = session.pick("guide.md#L2-L3").pick("entries/a")
    own, other = (pick.id for pick in picked.picks)
    assert [pick.id for pick in picked.move("guide.md#L2-L3", 1).picks] == [other, own]
    for pinned in (picked.pin("guide.md#L2-L3"), session.pin("guide.md#L2-L3").pick("entries/a")):
        assert [(pick.id, pick.pinned) for pick in pinned.picks] == [(own, True), (other, False)]
        assert not pinned.pin("guide.md#L2-L3", pinned=False).picks[0].pinned
    assert figures(session.pick("entries/a#L7-L7")).sources.keys() == {"entries"}
