from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ctxtui import ContextError, Session, Workspace
from ctxtui.core.base.errors import NotFound
from ctxtui.session.figures import PickedTokens, figures
from ctxtui.session.picks import Pick, SnippetPick
from ctxtui.session.saved.autosave import from_recipe
from ctxtui.session.saved.recipe_yaml import dump_recipe, parse_recipe
from tests.cases import cases
from tests.conftest import Project

GUIDE = "---\nid: guide\n---\nintro\n# A\na\n## B\nb\n### D\nd\n## C\nc\n# E\ne\n"
FILES = {"guide.md": GUIDE, "docs/x.md": "# X\nx\n", "docs/deep/y.md": "# Y\ny\n", "src/main.py": "print(1)\n"}
PARTS = ["(preamble)", "a", "b", "d", "c", "e"]


@pytest.fixture
def session(project: Callable[..., Path]) -> Session:
    return Workspace.open(project(FILES)).session()


def _text(session: Session, id_: str = "guide.md") -> str:
    block = next(block for block in session.payload().blocks if block.id == id_)
    return block.text.split("-->\n", 1)[1]


def test_a_section_brings_the_ones_nested_in_it_and_can_be_dropped_out_of_a_whole(session: Session) -> None:
    picked = session.pick("guide.md#b")
    assert _text(picked) == "## B\nb\n### D\nd\n"
    assert [picked.state(f"guide.md#{slug}") for slug in PARTS] == ["none", "part", "all", "all", "none", "none"]
    assert picked.state("guide.md") == "part"
    assert "sections: B -->" in picked.payload().text
    picked = session.pick("guide.md").drop("guide.md#b")
    assert _text(picked) == "intro\n# A\na\n## C\nc\n# E\ne\n"
    assert "sections: (preamble), A, E" in picked.payload().text
    assert picked.pick("guide.md#b").selection == session.pick("guide.md").selection
    # All parts are the whole.
    picked = session.pick("guide.md", sections=["(preamble)", "A", "E"])
    assert picked.selection == session.pick("guide.md").selection


@pytest.mark.parametrize("name", ["B", "b", "A/B", "a/b"])
def test_sections_are_named_by_name_slug_or_path(session: Session, name: str) -> None:
    wanted = session.pick("guide.md#b").selection
    assert session.pick(f"guide.md#{name}").selection == wanted
    assert session.pick("guide.md", sections=[name]).selection == wanted


def test_folders_are_picked_and_dropped_whole(session: Session) -> None:
    picked = session.pick("docs/")
    assert {pick.id for pick in picked.picks} == {"docs/deep/y.md", "docs/x.md"}
    assert (picked.state("docs/"), picked.state("")) == ("all", "part")
    part = picked.drop("docs/x.md")
    assert (part.state("docs/"), part.state("docs/deep/")) == ("part", "all")
    assert picked.drop("docs/").selection == session.selection
    assert session.state("docs/") == "none"


@cases("id_", ["guide.md", "guide.md#a", "guide.md#(frontmatter)", "docs/", "src/main.py"])
def test_toggling_twice_changes_nothing(session: Session, id_: str) -> None:
    once = session.toggle(id_)
    assert once.state(id_) == "all"
    assert once.toggle(id_).selection == session.selection
    assert session.pick("guide.md#b").toggle("guide.md").state("guide.md") == "all"


def test_picks_are_moved_and_pinned_in_the_order_in_which_they_were_made(session: Session) -> None:
    picked = session.pick("src/main.py").pick("guide.md").pick("docs/x.md")
    assert [block.id for block in picked.payload().blocks] == ["src/main.py", "guide.md", "docs/x.md"]
    moved = picked.move("docs/x.md", -2)
    assert [pick.id for pick in moved.picks] == ["docs/x.md", "src/main.py", "guide.md"]
    assert [pick.id for pick in moved.move("docs/x.md", 99).picks] == ["src/main.py", "guide.md", "docs/x.md"]
    assert moved.move("docs/x.md#x", 2).selection == picked.selection
    assert picked.move("docs/deep/y.md", 1) is picked
    assert picked.pick("src/main.py").selection == picked.selection
    pinned = session.pin("guide.md#a")
    assert pinned.state("guide.md") == "part"
    assert pinned.picks[0].pinned
    assert pinned.pick("guide.md").picks[0].pinned
    assert not pinned.pin("guide.md", False).picks[0].pinned


def test_a_session_is_a_value(session: Session) -> None:
    before = session.selection
    changed = session.pick("guide.md").pin("docs/x.md").with_prompt("x").with_budget("2k").with_output("xml")
    assert session.selection is before
    assert changed.with_selection(before).payload().text == ""
    assert changed.with_selection(changed.selection).selection == changed.selection


def test_what_does_not_exist_or_is_several_is_refused_with_the_nearest(session: Session) -> None:
    with pytest.raises(NotFound) as caught:
        session.pick("giude.md")
    assert caught.value.hint == "did you mean guide.md?"
    for act, id_ in ((session.pick, "guide.md#x"), (session.pick, "gone/"), (session.drop, "gone.md")):
        with pytest.raises(NotFound):
            act(id_)
    with pytest.raises(ContextError) as several:
        _edited(session, "# Done\n# DONE\n").pick("guide.md#Done ")
    assert "guide.md#done, guide.md#done-1" in (several.value.hint or "")


def _edited(session: Session, text: str | None, path: str = "guide.md") -> Session:
    place = session.workspace.root / path
    if text is None:
        place.unlink()
    else:
        place.write_text(text)
    return session.on(session.workspace.reload())


WITH_NEW = GUIDE.replace("## C\n", "## New\nnew\n## C\n")


@cases(
    ("slug", "edit", "shown"),
    [
        ("a", WITH_NEW, "# A\na\n## B\nb\n### D\nd\n## New\nnew\n## C\nc\n"),
        ("b", WITH_NEW, "## B\nb\n### D\nd\n"),
        ("e", "# E\nmoved up\n# A\na\n", "# E\nmoved up\n"),
    ],
)
def test_a_picked_section_goes_with_the_edits_of_its_file(session: Session, slug: str, edit: str, shown: str) -> None:
    edited = _edited(session.pick(f"guide.md#{slug}"), edit)
    assert (_text(edited), edited.payload().missing) == (shown, ())


def test_a_removed_section_is_missing_unless_it_was_dropped_and_the_rest_stays(session: Session) -> None:
    picked = session.pick("guide.md", sections=["b", "e"])
    edited = _edited(picked, "# A\na\n# E\ne\n")
    assert edited.payload().missing == ("guide.md#b",)
    assert edited.layout().missing == ("guide.md#b",)
    assert _text(edited) == "# E\ne\n"
    assert edited.picks == picked.picks
    assert _edited(edited, GUIDE).payload().text == picked.payload().text
    edited = _edited(edited, GUIDE)
    edited = _edited(edited.drop("guide.md").pick("guide.md").drop("guide.md#b"), "# A\na\n# E\ne\n")
    assert edited.payload().missing == ()
    assert _text(edited) == "# A\na\n# E\ne\n"


def test_a_vanished_document_is_missing_and_comes_back(session: Session) -> None:
    picked = session.pick("guide.md").pick("docs/x.md")
    edited = _edited(picked, None)
    assert edited.payload().missing == ("guide.md",)
    assert [block.id for block in edited.payload().blocks] == ["docs/x.md"]
    assert edited.drop("guide.md").payload().missing == ()
    assert _edited(edited, GUIDE).payload().text == picked.payload().text
    # So is one that vanishes after the scan or becomes a folder.
    picked = session.pick("guide.md").pick("docs/x.md")
    place = session.workspace.root / "guide.md"
    for change in (place.unlink, place.mkdir):
        change()
        payload = picked.payload()
        assert payload.missing == ("guide.md",)
        assert [(notice.code, notice.path) for notice in payload.notices] == [("unreadable-file", "guide.md")]


@cases(("id_", "taken"), [("guide.md", PickedTokens(whole=1)), ("guide.md#a", PickedTokens(part=1))])
def test_what_became_binary_is_left_out_and_told(project: Callable[..., Path], id_: str, taken: PickedTokens) -> None:
    picked = Workspace.open(project(FILES)).session().pick(id_)
    (picked.workspace.root / "guide.md").write_bytes(b"\x00\x01binary")
    payload = picked.payload()
    assert (payload.missing, payload.blocks) == ((), ())
    assert [(notice.code, notice.path) for notice in payload.notices] == [("binary-file", "guide.md")]
    assert figures(picked).picked["guide.md"] == taken


def test_an_edit_after_the_scan_is_exported_as_it_is_now(session: Session) -> None:
    picked = session.pick("guide.md")
    (session.workspace.root / "guide.md").write_text("# Other\n")
    payload = picked.payload()
    assert payload.text.endswith("# Other\n")
    assert payload.tokens == picked.budget.counter.count(payload.text)


@given(data=st.data())
def test_marks_decide_exactly_which_own_texts_are_taken(session: Session, data: st.DataObject) -> None:
    """The rule, told once more: a pick or drop sets a section and all nested ones."""
    nested = {"a": ["a", "b", "d", "c"], "b": ["b", "d"], "(frontmatter)": ["(frontmatter)"], "guide.md": PARTS}
    taken = dict.fromkeys([*PARTS, "(frontmatter)"], False)
    picked = session
    for _ in range(data.draw(st.integers(1, 8))):
        slug = data.draw(st.sampled_from([*PARTS, "(frontmatter)", "guide.md"]))
        wanted = data.draw(st.booleans())
        id_ = slug if slug == "guide.md" else f"guide.md#{slug}"
        picked = picked.pick(id_) if wanted else picked.drop(id_)
        taken |= dict.fromkeys(nested.get(slug, [slug]), wanted)
        if slug == "guide.md" and not wanted:
            taken["(frontmatter)"] = False
    document = session.workspace.document(session.workspace.by_id["guide.md"])
    expected = "".join(document.own_text(part) for part in document.parts if taken[part.slug])
    assert (_text(picked) if picked.picks else "") == expected


@cases("slug", ["one", "gone", "L3-L5", "L3-L99"])
def test_an_id_with_a_section_in_a_recipe_is_that_part_and_not_the_whole(project: Project, slug: str) -> None:
    recipe = f"picks:\n- id: a.md#{slug}\n"
    workspace = Workspace.open(project({"a.md": "# A\n\n## One\n\nx\n", ".ctxtui/recipes/r.yaml": recipe}))
    payload = from_recipe(workspace.session(), "r").session.payload()
    assert "# A" not in payload.text.replace("## One", "")
    assert ("## One\n\nx\n" in payload.text) == (slug != "gone")
    assert payload.missing == (("a.md#gone",) if slug == "gone" else ())


@cases("id_", ["gone.md#one", "gone.md#L1-L2", "gone.md#(outline)", "a#b#c"])
def test_an_id_with_a_number_sign_that_is_no_part_is_read_back_equal(session: Session, id_: str) -> None:
    whole, part = Pick(id_, marks=(("a", False),), tasks="open"), Pick(id_, False, (("a", True),))
    for picks in ((Pick(id_), SnippetPick.of(id_, 3, 4)), (whole,), (part,), (Pick(id_, False),)):
        written = dump_recipe(session.with_selection(replace(session.selection, picks=picks)))
        assert parse_recipe(written, "r.yaml").selection.picks == picks


@cases("key", ["sections: [a]", "without: [a]", "frontmatter: true", "as: outline", "tasks: open"])
def test_lines_in_a_recipe_refuse_a_key_that_they_would_ignore(key: str) -> None:
    with pytest.raises(ContextError, match=f"lines have no {key.partition(':')[0]}"):
        parse_recipe(f"picks:\n- id: guide.md\n  lines: 1-2\n  {key}\n", "r.yaml")


@cases("words", ["a.md", "*.md", "a.md#b", "a.md#L2-L9", "a.md#L1-L3 a.md#b", "b.py"])
def test_dropped_lines_leave_what_is_picked_and_the_others_stay(project: Project, words: str) -> None:
    text = "---\nx: front\n...\npreamble\n\n# A\nof a\n## B\nof b\n\nmore b\n# C\nof c\n"
    files = {"a.md": text, "b.py": "def f():\n    one = 1\n    two = 2\n\n\nlast = 3\n", "z.md": "# Z\n"}
    session = Workspace.open(project(files)).session()
    for word in words.split():
        session = session.with_glob(word) if "*" in word else session.pick(word)
    name = "b.py" if words == "b.py" else "a.md"
    lines = files[name].splitlines()
    before = session.payload().text.splitlines()
    for first, last in ((1, 3), (3, 6), (5, 5), (6, 6), (8, 11), (9, 9), (2, 12)):
        if last > len(lines):
            continue
        after = session.drop(f"{name}#L{first}-L{last}").payload().text.splitlines()
        wanted = [line for number, line in enumerate(lines, 1) if line in before and not first <= number <= last]
        assert list(filter(None, wanted)) == [line for line in lines if line and line in after]
        assert ("# Z" in after) == ("# Z" in before)


def test_a_section_of_which_lines_are_dropped_leaves_pinned_lines_in_its_place(project: Project) -> None:
    session = Workspace.open(project({"a.md": "# A\na\n# B\none\ntwo\nthree\n# C\n", "z.md": "z\n"})).session()
    picks = session.pick("a.md").pin("a.md").pick("z.md").drop("a.md#L5").picks
    assert picks == (
        Pick("a.md", True, (("b", False),), pinned=True),
        *(replace(SnippetPick.of("a.md", *lines), pinned=True) for lines in ((3, 4), (6, 6))),
        Pick("z.md"),
    )


def test_lines_of_tasks_cannot_be_dropped(project: Project) -> None:
    session = Workspace.open(project({"a.md": "# A\n- [ ] one\n- [x] two\n"})).session().with_tasks("a.md", "open")
    with pytest.raises(ContextError, match="lines of tasks"):
        session.drop("a.md#L2")
    assert session.pick("a.md#L2").drop("a.md#L2").selection.picks == session.selection.picks
