"""Patterns as picks: they find new files when a recipe is built again, and lose what is dropped by hand."""

from collections.abc import Callable
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ctxtui import ContextError, Session, Workspace
from ctxtui.core import get_counter
from ctxtui.session import glob_picks
from ctxtui.session.pick_words import pick_words
from ctxtui.session.saved.autosave import dump_saved, parse_saved
from ctxtui.session.saved.recipe import load_recipe, save_recipe, staleness
from ctxtui.session.saved.recipe_yaml import parse_recipe
from tests.cases import cases
from tests.conftest import Project

FILES = {"README.md": "# Readme\n", "src/a.py": "a = 1\n", "src/b.py": "b = 2\n", "src/deep/c.py": "c = 3\n"}
FILES |= {"src/deep/test_c.py": "def test_c(): ...\n", "src/{x,y}.py": "odd = 1\n", "uv.lock": "version = 1\n"}
WIDE = "{*[!a]*,?b*}" * 6
RECIPE = ".ctxtui/recipes/code.yaml"
YAML = "picks:\n- glob: 'src/**/*.py'\n  without: ['**/test_*', src/b.py]\n- README.md\n"


@pytest.fixture
def root(project: Project) -> Path:
    return project(FILES | {RECIPE: YAML})


def opened(root: Path) -> Session:
    workspace = Workspace.open(root)
    return workspace.session().with_selection(load_recipe(workspace, "code").selection)


def blocks(session: Session) -> list[str]:
    return [block.id for block in session.payload().blocks]


def test_a_recipe_finds_new_files_when_it_is_built_again(root: Path) -> None:
    session = opened(root)
    assert blocks(session) == ["src/a.py", "src/deep/c.py", "src/{x,y}.py", "README.md"]
    text = session.payload().text
    assert text == opened(root).payload().text
    assert session.payload().tokens == get_counter().count(text)
    (root / "src/new.py").write_text("n = 4\n")
    assert blocks(session.on(session.workspace.reload())) == blocks(opened(root))
    assert "src/new.py" in blocks(opened(root))
    (root / "src/a.py").unlink()
    assert "src/a.py" not in blocks(opened(root))
    assert staleness(load_recipe(Workspace.open(root), "code"), Workspace.open(root)).notices == []


def test_a_pattern_is_saved_as_such(root: Path) -> None:
    session = opened(root).pin("glob:src/**/*.py")
    assert all(pick.pinned for pick in session.picks if pick.id.startswith("src/"))
    save_recipe(session, "again")
    saved = load_recipe(session.workspace, "again").selection
    assert saved == session.selection.written
    assert [pick.id for pick in saved.picks] == ["glob:src/**/*.py", "README.md"]
    assert session.workspace.session().with_selection(saved).selection == session.selection
    assert parse_saved(dump_saved(session, None), "autosave").recipe.selection == saved


def test_a_file_of_a_pattern_is_dropped_narrowed_and_pinned_by_itself(root: Path) -> None:
    session = opened(root)
    dropped = session.drop("src/{x,y}.py")
    assert blocks(dropped) == ["src/a.py", "src/deep/c.py", "README.md"]
    assert dropped.state("src/{x,y}.py") == "none"
    save_recipe(dropped, "dropped")
    saved = load_recipe(session.workspace, "dropped").selection
    assert blocks(session.workspace.session().with_selection(saved)) == blocks(dropped)
    pinned = session.pin("src/a.py")
    assert [block.id for block in pinned.payload().blocks if block.pinned] == ["src/a.py"]
    assert sorted(blocks(pinned)) == sorted(blocks(session))
    assert blocks(pinned.drop("src/a.py")) == ["src/deep/c.py", "src/{x,y}.py", "README.md"]
    # A pattern of which all is dropped goes.
    assert [pick.id for pick in session.drop("src/").picks] == ["README.md"]
    assert [pick.id for pick in session.drop("glob:src/**/*.py").picks] == ["README.md"]
    # What is undone comes back.
    assert blocks(dropped.with_selection(session.selection)) == blocks(session)


def test_a_pattern_that_loses_too_many_files_leaves_the_others(root: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(glob_picks, "MAX_WITHOUT", 2)
    session = Workspace.open(root).session().with_glob("src/**").with_glob("*.md").drop("src/a.py").drop("src/b.py")
    assert session.selection.patterns[0].without == ("src/a.py", "src/b.py")
    less = session.drop("src/deep/c.py")
    assert blocks(less) == ["src/deep/test_c.py", "src/{x,y}.py", "README.md"]
    assert [pick.pattern for pick in less.selection.patterns] == ["*.md"]
    assert parse_saved(dump_saved(less, None), "autosave").recipe.selection == less.selection.written
    assert [pick.id for pick in session.drop("glob:src/**").picks] == ["glob:*.md", "README.md"]


def test_a_word_takes_away_from_the_pattern_of_a_recipe(root: Path) -> None:
    session, _ = pick_words(opened(root), ["!**/c.py"], lambda notice: None, root)
    assert blocks(session) == ["src/a.py", "src/{x,y}.py", "README.md"]
    (root / "src/new.py").write_text("n = 4\n")
    assert blocks(session.on(session.workspace.reload())) == ["src/a.py", "src/new.py", "src/{x,y}.py", "README.md"]


def test_a_pattern_moves_with_all_that_it_finds_and_two_lose_a_file_together(root: Path) -> None:
    session = opened(root)
    below = session.move("src/deep/c.py", 1)
    assert blocks(below) == ["README.md", "src/a.py", "src/deep/c.py", "src/{x,y}.py"]
    assert blocks(below.move("README.md", 1)) == blocks(session)
    session = Workspace.open(root).session().with_glob("src/*.py").with_glob("**/a.py").with_glob("*/b.py")
    assert blocks(session) == ["src/a.py", "src/b.py", "src/{x,y}.py"]
    assert blocks(session.drop("src/b.py")) == ["src/a.py", "src/{x,y}.py"]


def test_large_data_too_many_files_and_nothing_are_told(root: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    empty = Workspace.open(root).session()

    def codes(pattern: str) -> list[str]:
        return [notice.code for notice in empty.with_glob(pattern).payload().notices]

    assert codes("*") == ["large-left-out"]
    assert codes("**/*.zig") == ["no-match"]
    assert codes("../**") == ["no-match"]
    assert codes("src/") == []
    monkeypatch.setattr(glob_picks, "MAX_FILES", 2)
    many = Workspace.open(root).session().with_glob("src/**")
    assert [notice.code for notice in many.payload().notices] == ["too-many-files"]
    assert len(blocks(many)) == 2


@cases(
    ("entry", "message"),
    [
        ("- glob: ''", "r:2: `picks[0].glob`: a pattern has 1 to 1,000 characters"),
        (f"- glob: '{'?' * 1_001}'", "1 to 1,000 characters"),
        ("- glob: src/**\n  without: '**/x'", "a list of patterns, ids or paths"),
        ("- glob: src/**\n  sections: [a]", "sections"),
        (f"- glob: src/**\n  without: [{', '.join(f'p{n}' for n in range(501))}]", "at most 500 others"),
        ("- glob: src/**\n- glob: src/**", "picked twice"),
        ("- glob: 7", "is not a pick"),
        (f"- glob: '{'{a,b}' * 7}'", "cannot be matched"),
        ("- glob: '[z-a]'", "cannot be matched"),
        ("- glob: src/**\n  without: ['{a,b}{a,b}{a,b}{a,b}{a,b}{a,b}{a,b}']", "cannot be matched"),
        (
            f"- glob: src/**\n  without: [{', '.join(f'{chr(39)}{n}{WIDE}{chr(39)}' for n in range(400))}]",
            "too large",
        ),
    ],
)
def test_a_damaged_pattern_is_an_error_with_its_place(entry: str, message: str) -> None:
    with pytest.raises(ContextError) as caught:
        parse_recipe(f"picks:\n{entry}\n", "r")
    assert message in str(caught.value)
    assert str(caught.value).startswith("r:")


NAMES = ["src/a.py", "src/b.py", "src/deep/c.py", "README.md"]
DOING: dict[str, Callable[[Session, str], Session]] = {
    "pick": Session.pick,
    "drop": Session.drop,
    "pin": Session.pin,
    "glob": lambda session, name: session.with_glob(f"{name[:4]}**"),
    "move": lambda session, name: session.move(name, -1),
}
STEPS = st.lists(st.tuples(st.sampled_from(sorted(DOING)), st.sampled_from(NAMES)), max_size=8)


@given(STEPS)
def test_a_dropped_file_stays_away_and_recipes_keep_the_rest(project: Project, steps: list[tuple[str, str]]) -> None:
    session = Workspace.open(project({name: f"{name}\n" for name in NAMES})).session()
    for what, name in steps:
        session = DOING[what](session, name)
        if what != "move":
            assert (session.state(name) == "none") == (what == "drop")
        assert session.workspace.session().with_selection(session.selection.written).picks == session.picks
        assert len({pick.id for pick in session.picks}) == len(session.picks)
