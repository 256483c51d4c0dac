"""Words that pick: ids, paths, folders, patterns, and `!` to take away what earlier words picked."""

from collections.abc import Sequence
from fnmatch import fnmatchcase
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ctxtui import ContextError, Session, Workspace
from ctxtui.core.base.errors import NotFound
from ctxtui.core.base.notices import Notice
from ctxtui.core.text.globs import compile_glob, literal
from ctxtui.session.pick_words import pick_words
from ctxtui.workspace.choose import MAX_PATTERN, named_by
from tests.cases import cases
from tests.conftest import Project

FILES = {
    "AGENTS.md": "# Rules\n\n## Tests\nRun them.\n",
    "docs/guide.md": "# Guide\n\n## Install\nNow.\n",
    "src/deep/test_b.py": "def test_b(): ...\n",
}
FILES |= {".github/instructions/api.instructions.md": "# API\n", ".github/notes.txt": "plain\n", "!odd.md": "# Odd\n"}
FILES |= {"lib/src.py": "alike = 1\n", "src/a.py": "a = 1\n", "src/deep/b.py": "b = 2\n", "uv.lock": "version = 1\n"}
FILES |= {"src/web/[id].tsx": "export {}\n", "src/web/i.tsx": "export {}\n"}


def picked(root: Path, words: Sequence[str], below: str = ".") -> tuple[list[str], list[Notice]]:
    session, told = Workspace.open(root).session(), []
    for word in words:
        session, _ = pick_words(session, [word], told.append, root / below)
    return ids(session), told


def ids(session: Session) -> list[str]:
    return [pick.id for pick in session.picks]


PY = ["src/a.py", "src/deep/b.py", "src/deep/test_b.py"]
TSX = ["src/web/[id].tsx", "src/web/i.tsx"]
ALL_SRC = [*PY, *TSX]


@cases(
    ("words", "expected"),
    [
        (["src"], ALL_SRC),
        (["src/"], ALL_SRC),
        (["./src/deep"], PY[1:]),
        (["src/**/*.py"], PY),
        (["src/*.py"], PY[:1]),
        (["src/*/"], ALL_SRC[1:]),
        (["src/**/*.{py,md}"], PY),
        (["src/**/*.py", "!**/test_*"], PY[:2]),
        (["src", "!src/deep/", "!src/web"], PY[:1]),
        (["!**/test_*", "src/**/*.py"], PY),
        (["src/deep/test_b.py", "src/**/*.py"], [PY[2], PY[0], PY[1]]),
        (["src/web/[id].tsx"], TSX[:1]),
        (["src/web/[ix].tsx"], TSX[1:]),
        (["AGENTS.md#tests", "docs/*"], ["AGENTS.md", "docs/guide.md"]),
        (["!odd.md", "src/a.py"], ["!odd.md", "src/a.py"]),
        (["a.py"], PY[:1]),
        (["uv.lock"], ["uv.lock"]),
        (["uv.lock", ".", "!**/*.md", "!.github", "!src", "!lib"], ["uv.lock"]),
        (["uv.lock", "docs", "!*.lock"], ["docs/guide.md"]),
    ],
)
def test_words_pick_in_the_order_of_the_workspace(project: Project, words: list[str], expected: list[str]) -> None:
    assert picked(project(FILES), words)[0] == expected


def test_a_dot_and_names_pick_below_the_current_folder_first(project: Project) -> None:
    root = project(FILES)
    listed = [each.id for each in Workspace.open(root).references if each.large is None]
    found, told = picked(root, ["."])
    assert found == listed
    assert [notice.code for notice in told] == ["large-left-out"]
    assert picked(root, ["."], "src")[0] == ALL_SRC
    assert picked(root, [".."], "src")[0] == listed
    assert picked(root, [f"{root}/src/**"], "docs")[0] == ALL_SRC
    # What the current folder does not have is looked for from the root.
    assert picked(root, ["*.py", "!deep/"], "src")[0] == PY[:1]
    assert picked(root, ["docs/*.md"], "src")[0] == ["docs/guide.md"]
    root = project({"docs/a.md": "a\n", "src/docs/b.md": "b\n", "src/main.py": "c\n"})
    assert picked(root, ["docs"], "src") == (["src/docs/b.md"], [])
    assert named_by(Workspace.open(root), "docs", root / "src") == ("docs", "src/docs", True)


@cases("word", ["cassettes", "./cassettes/", "../tests/cassettes"])
def test_a_folder_of_large_data_alone_is_picked_by_its_name(project: Project, word: str) -> None:
    root = project({"tests/cassettes/a.yaml": "x\n", "tests/a.py": "y\n"})
    assert picked(root, [word], "tests") == (["tests/cassettes/a.yaml"], [])
    assert picked(root, [".", f"!{word}"], "tests")[0] == ["tests/a.py"]


def test_a_word_that_takes_away_drops_sections_and_lines_or_is_told(project: Project) -> None:
    session = Workspace.open(project(FILES)).session().pick("docs/guide.md").with_snippet("docs/guide.md", 1, 1)
    session, _ = pick_words(session, ["!docs/guide.md#install"], lambda notice: None, session.workspace.root)
    assert "Now." not in session.payload().text
    session, _ = pick_words(session, ["!docs/**"], lambda notice: None, session.workspace.root)
    assert session.picks == ()
    root = project(FILES)
    found, told = picked(root, ["src", "!**/*.zig"])
    assert (found, [notice.code for notice in told]) == (ALL_SRC, ["no-match"])
    with pytest.raises(NotFound):
        picked(root, ["src", "!scr"])
    with pytest.raises(ContextError, match="at most 1,000 characters"):
        picked(root, ["*" * (MAX_PATTERN + 1)])


@cases(
    ("word", "hint"),
    [
        ("scr/**/*.py", "did you mean src?"),
        ("src/dep/*.py", "did you mean src/deep?"),
        ("giude*.md", "did you mean docs/guide.md?"),
        ("sr*", "it matches only folders: sr*/ picks what is in them"),
        ("*.lock", "it finds only large data: pick it by its path"),
        ("**/*.zig", "ctxtui ls lists what can be picked"),
        ("../**", "ctxtui ls lists what can be picked"),
        ("scr", None),
    ],
)
def test_a_word_that_finds_nothing_is_an_error_with_a_remedy(project: Project, word: str, hint: str | None) -> None:
    with pytest.raises(NotFound) as caught:
        picked(project(FILES), [word])
    assert caught.value.hint == hint


NAMES = ["a.py", "b.py", "test_a.py", "c.md", "x/a.py", "x/test_b.py", "x/y/a.py", "x/y/c.md", "z/c.md"]
WORDS = st.lists(
    st.tuples(st.booleans(), st.sampled_from(["**/*.py", "*.py", "**/test_*", "x/**", "**/y/*", "x/*.py", "*.md"])),
    max_size=6,
)


@given(WORDS)
def test_words_add_or_take_away_what_they_match_once(project: Project, words: list[tuple[bool, str]]) -> None:
    session = Workspace.open(project({name: f"{name}\n" for name in NAMES})).session()
    order = [each.id for each in session.workspace.references]
    expected: list[str] = []
    for takes_away, pattern in words:
        word = f"!{pattern}" if takes_away else pattern
        session, _ = pick_words(session, [word], lambda notice: None, Path("/"))
        found = [id_ for id_ in order if _matches(id_, pattern)]
        expected = [id_ for id_ in expected if not takes_away or id_ not in found]
        expected += [id_ for id_ in found if not takes_away and id_ not in expected]
        assert ids(session) == expected
        again, _ = pick_words(session, [word], lambda notice: None, Path("/"))
        assert again.selection == session.selection


def _matches(path: str, pattern: str) -> bool:
    """What a pattern means, said in another way."""
    folders, _, name = path.rpartition("/")
    above, _, last = pattern.rpartition("/")
    if last == "**":
        return path.startswith(f"{above}/")
    if not fnmatchcase(name, last):
        return False
    if above == "**/y":
        return folders.endswith("y")
    return above == "**" or folders == above


@given(st.text("ab*?[]{},!^/.", min_size=1, max_size=12))
def test_a_path_taken_literally_matches_itself(path: str) -> None:
    plain = "/".join(part for part in path.split("/") if part and part != ".") or "a"
    assert compile_glob(literal(plain)).matches(plain)
