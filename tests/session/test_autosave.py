"""Autosave: whatever is picked comes back equal, and thousands of picks need no thousands of reads."""

import os
import time
from dataclasses import replace
from types import SimpleNamespace

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from ctxtui import Session, Workspace
from ctxtui.core.disk.state_folder import state_folder
from ctxtui.core.payload.types import Prompt
from ctxtui.session.assembly.templates import TemplateName
from ctxtui.session.picks import AnyPick, Pick, SnippetPick
from ctxtui.session.saved.autosave import Autosave, dump_saved, from_last, parse_saved
from ctxtui.workspace.counting import count_all
from tests.conftest import Project

# No text that a file name or a slug may hold is left out, lone surrogates (undecodable names) included.
_names = st.text(min_size=1) | st.sampled_from(["08", "1e3", "~", "null", "\udc80", "a: b", "#", "\x00\x85"])
_slugs = st.dictionaries(_names.filter(lambda name: name not in ("*", "(frontmatter)")), st.booleans(), max_size=3)


def _pick(name: str, marks: dict[str, bool], pinned: bool) -> AnyPick:
    taken = [(slug, True) for slug, wanted in marks.items() if wanted]
    return Pick(name, not taken, (*taken, *((slug, False) for slug in marks if not marks[slug])), pinned)


@pytest.fixture
def session(project: Project) -> Session:
    return Workspace.open(project({"a.md": "# A\n"})).session(500)


_picks = st.one_of(
    st.builds(_pick, _names, _slugs, st.booleans()),
    st.builds(lambda name, first, more: SnippetPick.of(name, first, first + more), _names, *2 * [st.integers(1, 99)]),
)


@given(st.lists(_picks, max_size=5, unique_by=lambda pick: pick.id), st.one_of(st.none(), _names))
@example([Pick("0#")], None)
def test_what_is_saved_comes_back_equal(session: Session, picks: list[AnyPick], prompt: str | None) -> None:
    wanted = replace(session.selection, picks=tuple(picks), prompt=Prompt(prompt, "first") if prompt else None)
    saved = parse_saved(dump_saved(session.with_selection(wanted), "review"), "autosave")
    assert (saved.recipe.selection, saved.name) == (wanted, "review")


def test_digests_of_digits_alone_come_back(project: Project) -> None:
    """This content's digest reads as a number: 075419268108."""
    session = Workspace.open(project({"note.md": "# note 227\n"})).session().pick("note.md")
    Autosave(session.workspace.root).save(session, None)
    restored = from_last(session.workspace.session())
    assert restored.session.picks == session.picks
    assert restored.changed == frozenset()


def test_of_thousands_of_files_only_counted_ones_are_compared(project: Project) -> None:
    root = project({f"d{number % 20}/{number}.md": f"# {number}\n" for number in range(700)})
    session = Workspace.open(root).session().pick("")
    Autosave(root).save(session, None)
    restored = from_last(session.workspace.session())
    assert restored.session.picks == session.picks
    assert restored.message == "restored 700 picks, 200 not compared · press u to start with none"
    count_all(session.workspace, session.budget.counter)
    Autosave(root).save(session, None)
    (root / "d3/3.md").write_text("# Another\n")
    (root / "d4/4.md").unlink()
    restored = from_last(Workspace.open(root).session())
    assert restored.changed == {"d3/3.md"}
    assert "1 changed, 1 missing" in restored.message


def test_the_selection_saved_last_counts_whatever_the_clock_says_and_whoever_began_first(project: Project) -> None:
    root = project({"a.md": "# A\n", "b.md": "# B\n", "c.md": "# C\n"})
    empty = Workspace.open(root).session()
    # Another process saved it while the clock was three days ahead.
    ahead = time.time_ns() + 3 * 86_400 * 10**9
    kept = state_folder("selections", root)
    kept.mkdir(parents=True)
    for number in range(9):
        place = kept / f"{ahead + number}-1.json"
        place.write_text(dump_saved(empty.pick("a.md"), None))
        os.utime(place, ns=(ahead, ahead))
    later = Autosave(root)
    later.save(empty.pick("b.md"), None)
    assert [pick.id for pick in from_last(empty).session.picks] == ["b.md"]
    later.save(empty.pick("c.md"), None)
    later.tidy()
    Autosave(root).tidy()
    assert [pick.id for pick in from_last(empty).session.picks] == ["c.md"]
    root = project({"a.md": "# A\n", "b.md": "# B\n", "c.md": "# C\n"})
    empty = Workspace.open(root).session()
    one, two = Autosave(root), Autosave(root)
    one.save(empty.pick("a.md"), None)
    two.save(empty.pick("b.md"), None)
    one.save(empty.pick("c.md"), None)
    assert [pick.id for pick in from_last(empty).session.picks] == ["c.md"]
    texts = [file.read_text() for file in state_folder("selections", root).iterdir()]
    assert sorted(sum(text.count(f'"id":"{name}.md"') for text in texts) for name in "abc") == [0, 1, 1]
    assert len(texts) == 2


def test_no_process_is_asked_on_windows_where_the_question_would_end_it(
    project: Project, monkeypatch: pytest.MonkeyPatch
) -> None:
    root = project({"a.md": "# A\n"})
    empty = Workspace.open(root).session()
    kept = state_folder("selections", root)
    kept.mkdir(parents=True)
    for number in range(9):
        (kept / f"{number + 1}-{os.getpid() + 1}.json").write_text(dump_saved(empty.pick("a.md"), None))
    asked: list[int] = []
    system = SimpleNamespace(name="nt", getpid=os.getpid, kill=lambda process, _signal: asked.append(process))
    monkeypatch.setattr("ctxtui.session.saved.autosave.os", system)
    Autosave(root).tidy()
    assert (asked, len(list(kept.iterdir()))) == ([], 9)


def test_a_template_alone_comes_back(session: Session) -> None:
    root = session.workspace.root
    (root / ".ctxtui/templates").mkdir(parents=True)
    (root / ".ctxtui/templates/t.md.j2").write_text("Hello\n")
    template = TemplateName(".ctxtui/templates/t.md.j2", "project")
    Autosave(root).save(session.with_template(template), None)
    assert from_last(session).session.selection.template == template
    Autosave(root).save(session, None)
    assert from_last(session).message == ""


def test_damaged_selections_are_told_and_kept_aside(session: Session) -> None:
    root = session.workspace.root
    Autosave(root).save(session.pick("a.md"), None)
    (kept,) = state_folder("selections", root).iterdir()
    good = kept.read_bytes()
    bad = (
        *(b"", b"{\n", b"\xff\xfe", good[: len(good) // 2]),
        b'{"selection": {"picks": [[1]]}}',
        b'[{"picks": ["CLAUDE.md"]}]',
        b'{"selection": ["CLAUDE.md"]}',
        b'{"selection": {"picks": ["CLAUDE.md"]',
    )
    for number, data in enumerate(bad):
        (kept.parent / f"{10**20 + number}-1.json").write_bytes(data)
    restored = from_last(session)
    assert "restored an earlier selection: 1 pick" in restored.message
    newest = kept.parent / f"{10**20 + len(bad) - 1}-1.damaged"
    assert f"the last selection could not be read; it is kept as {newest}" in restored.message
    assert sorted(file.read_bytes() for file in kept.parent.glob("*.damaged")) == sorted(bad)
    kept.write_bytes(b"\0")
    restored = from_last(session)
    assert f"could not be read; it is kept as {kept.with_suffix('.damaged')}" in restored.message
    assert (restored.session.picks, kept.with_suffix(".damaged").read_bytes()) == ((), b"\0")
