"""Names that look like patterns: at every door a word that names something means it and nothing else."""

from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Literal
from unicodedata import normalize

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from ctxtui import Session, Workspace
from ctxtui.session.pick_words import pick_words
from ctxtui.session.saved.recipe_yaml import dump_recipe, parse_recipe
from ctxtui.workspace.scope import Scope
from tests.cases import cases
from tests.conftest import Project

NEXT = dict.fromkeys(("app/[id]/page.ts", "app/[id]/[tab].ts", "app/i/page.ts", "app/i/t.ts"), "export {}\n")
NEXT |= {
    "src/[...slug]/+page.md": "# Slug\n",
    "src/./+page.md": "# Dot\n",
    "C#/notes.md": "# Notes\n\n## Sec\ntext\n",
}
NEXT |= {"!important/a.md": "# A\n", "important/a.md": "# B\n", "{a,b}/x.md": "# X\n", "a/x.md": "# AX\n"}
Form = Literal["NFC", "NFD", "NFKC", "NFKD"]
SIGNS = "[]{}!#*?,-^ %\\'\"$;()@+=:~&ai.é" + "e\u0301"
NAMES = st.text(SIGNS, min_size=1, max_size=7).filter(lambda name: name.strip(". ") and name[0] != ".")
TREES = st.lists(st.lists(NAMES, min_size=1, max_size=3).map("/".join), min_size=2, max_size=5, unique=True)


def ids(session: Session) -> set[str]:
    return {pick.id for pick in session.picks if not pick.id.startswith("glob:")}


def chosen(session: Session, *words: str) -> set[str]:
    return ids(pick_words(session, words, lambda _: None, session.workspace.root)[0])


@cases(
    ("words", "expected"),
    [
        (["app/[id]"], {"app/[id]/page.ts", "app/[id]/[tab].ts"}),
        (["app/[id]/"], {"app/[id]/page.ts", "app/[id]/[tab].ts"}),
        (["app/[id]/**"], {"app/[id]/page.ts", "app/[id]/[tab].ts"}),
        (["app/[id]/[pq]*.ts"], {"app/[id]/page.ts"}),
        (["app/[xi]/*"], {"app/i/page.ts", "app/i/t.ts"}),
        (["app", "!app/[id]/"], {"app/i/page.ts", "app/i/t.ts"}),
        (["app", "!app/[id]"], {"app/i/page.ts", "app/i/t.ts"}),
        (["src/[...slug]/*"], {"src/[...slug]/+page.md"}),
        (["!important"], {"!important/a.md"}),
        (["!important/*"], {"!important/a.md"}),
        (["important", "!important", "!./important"], {"!important/a.md"}),
        (["{a,b}"], {"{a,b}/x.md"}),
        (["{a,b}/*.md"], {"{a,b}/x.md"}),
        (["C#/notes.md#sec"], {"C%23/notes.md"}),
        (["C#"], {"C%23/notes.md"}),
    ],
)
def test_a_name_that_exists_wins_over_a_pattern(project: Project, words: list[str], expected: set[str]) -> None:
    root = project({name: text for name, text in NEXT.items() if "/./" not in name})
    assert chosen(Workspace.open(root).session(), *words) == expected


def test_a_name_that_is_not_listed_is_no_pattern(project: Project) -> None:
    root = project({"app/[id].ts": "a\n", "app/i.ts": "b\n", ".gitignore": "\\[id].ts\n"})
    session = Workspace.open(root).session()
    assert chosen(session, "app/[id].*") == {"app/i.ts"}
    with pytest.raises(Exception, match="id"):
        chosen(session, "app/[id].ts")


def test_a_section_of_a_file_whose_name_holds_a_number_sign_is_found(project: Project) -> None:
    session = Workspace.open(project({"C#/notes.md": NEXT["C#/notes.md"], "a#b.md": "# One\n\n# Two\nx\n"})).session()
    for word, id_, slug in (("C#/notes.md#sec", "C%23/notes.md", "sec"), ("a#b.md#two", "a%23b.md", "two")):
        (pick,) = pick_words(session, [word], print, session.workspace.root)[0].picks
        assert (pick.id, pick.marks) == (id_, ((slug, True),))  # type: ignore[union-attr]


@cases("form", ["NFC", "NFD", "NFKC", "NFKD"])
@cases("kept", ["NFC", "NFD"])
def test_a_name_is_found_in_every_form(project: Project, form: Form, kept: Form) -> None:
    names = [normalize(kept, name) for name in ("é.md", "ü/å.md", "ü/b.md", "日本/ガ.md")]
    session = Workspace.open(project(dict.fromkeys([*names, "other.md"], "# T\n"))).session()
    for name in names:
        word = normalize(form, name)
        assert chosen(session, word) == {name}
        assert chosen(session.pick_in_order(names), f"!{word}") == {*names} - {name}
    assert chosen(session, normalize(form, "ü")) == chosen(session, normalize(form, "ü/*")) == {*names[1:3]}
    assert len(list(Workspace.open(session.workspace.root, scope=Scope(exclude=(normalize(form, "ü"),))).by_id)) == 3


def test_of_two_names_that_look_alike_each_finds_its_own(project: Project) -> None:
    names = [normalize("NFC", "é.md"), normalize("NFD", "é.md")]
    workspace = Workspace.open(project(dict.fromkeys(names, "# T\n")))
    for one, other in (names, names[::-1]):
        assert chosen(workspace.session(), one) == {one}
        assert ids(workspace.session().with_glob("*.md").drop(one)) == {other}


def every(root: Path, **scope: tuple[str, ...]) -> set[str]:
    return {each.id for each in Workspace.open(root, scope=Scope(**scope)).references}  # type: ignore[arg-type]


def recipe(session: Session, pattern: str, without: tuple[str, ...]) -> set[str]:
    made = session.with_glob(pattern, without)
    return ids(session.with_selection(parse_recipe(dump_recipe(made), "recipe").selection))


DOORS: Mapping[str, Callable[[Session, str, str, set[str]], set[str]]] = {
    "word": lambda session, id_, _path, _all: chosen(session, id_),
    "recipe": lambda session, id_, _path, _all: recipe(session, id_, ()),
    "include": lambda session, _id, path, _all: every(session.workspace.root, include=(f"/{path}",)),
}
AWAY: Mapping[str, Callable[[Session, str, str, set[str]], set[str]]] = {
    "!": lambda session, id_, path, all_: chosen(
        session.pick_in_order(sorted(all_)),
        f"!{id_}" if not (session.workspace.root / f"!{path}".split("/")[0]).exists() else f"!./{path}",
    ),
    "without": lambda session, id_, _path, _all: recipe(session, ".", (id_,)),
    "dropped": lambda session, id_, _path, _all: ids(session.with_glob(".").drop(id_)),
    "dropped, then saved": lambda session, id_, _path, _all: ids(
        session.with_selection(parse_recipe(dump_recipe(session.with_glob(".").drop(id_)), "r").selection)
    ),
    "exclude": lambda session, _id, path, _all: every(session.workspace.root, exclude=(f"/{path}",)),
}


@given(TREES)
@example(["[id]/page", "i/page", "[[]id]/page"])
@example(["a%23b", "a#b"])
@example(["{x,y}", "ax,y}", "x", "y"])
@example(["*", "**", "?", "a"])
@example(["e\u0301", "\u00e9", "[é]", "[e\u0301]"])
@example(["!a", "a", "#a", "a ", "a\\", "\\a"])
def test_every_listed_name_means_its_file_at_every_door(project: Project, names: list[str]) -> None:
    root = project({})
    for name in names:
        place = root / name
        try:
            place.parent.mkdir(parents=True, exist_ok=True)
            place.write_text("x\n")
        except (FileExistsError, NotADirectoryError, IsADirectoryError):
            continue
    workspace = Workspace.open(root)
    usual = [each for each in workspace.references if each.large is None]
    all_ = {each.id for each in usual}
    session = workspace.session()
    # Globs of a scope take two names that look alike for one.
    forms = [normalize("NFC", each.path) for each in usual]
    for each in usual:
        is_twin = forms.count(normalize("NFC", each.path)) > 1
        for door, pick in DOORS.items():
            if is_twin and door == "include":
                continue
            assert pick(session, each.id, each.path, all_) == {each.id}, door
        for door, drop in AWAY.items():
            if is_twin and door == "exclude":
                continue
            assert drop(session, each.id, each.path, all_) & all_ == all_ - {each.id}, door
