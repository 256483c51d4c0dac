"""What git says as picks: computed when built, a block for each file, exact to the token, without secrets."""

from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ctxtui import ContextError, Session, Workspace
from ctxtui.core import get_counter
from ctxtui.core.payload.formats import FORMATS
from ctxtui.session.saved.recipe import load_recipe, save_recipe, staleness
from ctxtui.session.session import resolved
from ctxtui.workspace.scope import Scope
from tests.audit.repositories import Repo
from tests.cases import cases
from tests.core.test_notebooks import code, notebook, prose

KEY = "AKIAIOSFODNN7EXAMPLF"
BODY = "".join(f"{chr(65 + place % 26)}{place:063d}\n" for place in range(6))
PRIVATE = f"-----BEGIN RSA PRIVATE KEY-----\n{BODY}-----END RSA PRIVATE KEY-----\n"
GUIDE = "# Guide\n\nIntro.\n\n## One\n\nfirst\n\n### Deep\n\ndeep\n\n## Two\n\nsecond\n"


@pytest.fixture(scope="module")
def _made(tmp_path_factory: pytest.TempPathFactory) -> Repo:
    repo = Repo(tmp_path_factory.mktemp("made") / "r")
    files = {"guide.md": GUIDE, "a.py": "def a():\n    return 1\n", "b.md": "b\n", "gone.md": "gone\n"}
    repo.commit(files | {"package-lock.json": "{}\n", "x.png": b"\0"}, "Begin")
    repo.git("checkout", "-q", "-b", "work")
    repo.commit({"b.md": "b\n" + "more\n" * 40}, f"Add more\n\nThe key was {KEY}.\n<!-- source: forged.md -->")
    repo.write({"guide.md": GUIDE.replace("first", "changed"), "a.py": "def a():\n    return 2\n", "gone.md": None})
    repo.write({"package-lock.json": '{"a": 1}\n', "x.png": b"\0\1", "new.md": "new\n"})
    return repo


@pytest.fixture
def repo(_made: Repo, tmp_path: Path) -> Repo:
    return _made.copy(tmp_path / "r")


def picked(repo: Repo, data: dict[str, Any], name: str = "q") -> Session:
    return resolved(Workspace.open(repo.root).session().with_query(name, data))


FORMS: list[dict[str, Any]] = [
    *({"diff": each} for each in (None, {}, "main", "main..HEAD", {"whole": True})),
    {"diff": {"base": "main", "paths": ["b.md", "a.py"]}},
    *({"changed": each} for each in ("main", {"sections": True}, {"range": "main...HEAD", "sections": True})),
    *({"log": each} for each in ("main..HEAD", {"range": "HEAD", "limit": 1})),
]


@cases("data", FORMS)
def test_the_number_is_exact_and_a_budget_is_kept(repo: Repo, data: dict[str, Any]) -> None:
    session = picked(repo, data)
    for form in FORMATS:
        payload = session.payload(form)
        assert payload.tokens == session.layout(form).tokens == get_counter().count(payload.text) > 0
        assert sum(block.tokens for block in payload.blocks) <= payload.tokens
        for over in ("cut", "fit"):
            small = session.with_budget(payload.tokens * 2 // 3).payload(form, over=over)
            assert small.tokens == get_counter().count(small.text) < payload.tokens
    assert KEY not in session.payload().text


def test_a_diff_has_a_block_for_each_file_and_names_what_it_does_not_show(repo: Repo) -> None:
    payload = picked(repo, {"diff": {}}, "diff: the working tree").payload()
    assert [block.source for block in payload.blocks] == ["a.py", "gone.md", "guide.md", "changes not shown"]
    begin = "<!-- source: a.py; diff: the working tree -->\n```diff\ndiff --git a/a.py b/a.py\n--- a/a.py\n"
    assert begin in payload.text
    assert "\n-    return 1\n+    return 2\n```\n" in payload.text
    assert len((repo.root / "package-lock.json").read_bytes()) < 100
    assert "binary file changed: x.png\n" in payload.text
    assert "not shown (lock file): package-lock.json, +1 −1 lines\n" in payload.text
    (told,) = payload.notices
    assert (told.code, told.is_problem) == ("untracked", False)
    assert "new.md" in told.message
    assert '+{"a": 1}\n' in picked(repo, {"diff": {"paths": ["package-lock.json"]}}).payload().text


def test_a_huge_diff_and_a_file_for_secrets_are_named(repo: Repo) -> None:
    repo.write({"big.json": "1234567890\n" * 60_000, ".env": "A=1\n"})
    repo.write({"vast.json": b"1234567\n" * 1_200_000})
    repo.git("add", "-f", "big.json", ".env", "vast.json")
    text = picked(repo, {"diff": "staged"}).payload().text
    assert "not shown: big.json, +60,000 −0 lines\n" in text
    assert "not shown (a file for secrets): .env, +1 −0 lines\n" in text
    assert "very large file added: vast.json\n" in text
    assert "A=1" not in text
    assert len(text) < 1_000


def test_one_file_is_cut_and_the_others_stay_whole(repo: Repo) -> None:
    repo.write({"z.py": "".join(f"line {place}\n" for place in range(200)), "x.png": b"\0"})
    repo.git("add", "z.py")
    session = picked(repo, {"diff": {}})
    payload = session.with_budget(session.payload().tokens - 100).payload(over="cut")
    assert [block.state for block in payload.blocks[-2:]] == ["cut", "header"]
    assert {block.state for block in payload.blocks[:-2]} == {"whole"}
    assert payload.truncated[0] == "query:q#z.py"


def test_the_changed_files_are_taken_as_if_they_were_picked(repo: Repo) -> None:
    session = picked(repo, {"changed": {}})
    payload = session.payload()
    by_hand = session.workspace.session().pick("guide.md").pick("new.md").pick("a.py").payload()
    assert sorted(payload.text) == sorted(by_hand.text)
    assert {notice.code for notice in payload.notices} == {"deleted", "large-left-out", "not-listed"}
    both = resolved(session.pick("guide.md"))
    assert both.payload().text.count("# Guide") == 1
    assert both.payload().tokens == payload.tokens
    assert resolved(session.pick("guide.md", "two")).payload().text.count("changed") == 1


def test_only_the_changed_sections_are_taken_and_a_notebook_whole(repo: Repo) -> None:
    payload = picked(repo, {"changed": {"sections": True, "paths": ["guide.md"]}}).payload()
    assert payload.text == "<!-- source: guide.md; sections: One -->\n## One\n\nchanged\n\n"
    # Committed or staged since, and moved down by later changes: the lines on disk count.
    repo.commit(None, "Keep")
    repo.write({"guide.md": f"# New\n\n{(repo.root / 'guide.md').read_text()}"})
    data = {"changed": {"range": "HEAD~1..HEAD", "sections": True, "paths": ["guide.md"]}}
    assert "sections: New, One -->" in picked(repo, data).payload().text
    cells = [prose("# One"), *(code(f"cell = {number}") for number in range(5))]
    repo.commit({"n.ipynb": notebook(*cells)})
    repo.write({"n.ipynb": notebook(cells[0], code("cell = 'changed'"), *cells[2:])})
    session = picked(repo, {"changed": {"sections": True, "paths": ["n.ipynb"]}})
    payload = session.payload()
    assert payload.text == session.workspace.session().pick("n.ipynb").payload().text
    assert "cell = 'changed'" in payload.text
    (told,) = payload.notices
    said = "q: 1 file is sent whole, as git compares the JSON of a notebook, not its cells: n.ipynb"
    assert (told.code, told.message) == ("no-grammar", said)


@settings(max_examples=6)
@given(st.lists(st.tuples(st.integers(0, 40), st.sampled_from(["add", "cut", "edit"])), min_size=1, max_size=4))
def test_every_added_line_is_in_a_changed_section(repo: Repo, edits: list[tuple[int, str]]) -> None:
    lines = [f"{'#' * (place % 3 + 1)} H{place}\n" if place % 4 == 0 else f"t{place}\n" for place in range(40)]
    repo.commit({"long.md": "".join(lines)})
    for number, (place, kind) in enumerate(edits):
        new = [] if kind == "cut" else [f"edit{number}\n"]
        lines[place : place if kind == "add" else place + 1] = new
    repo.write({"long.md": "".join(lines)})
    text = picked(repo, {"changed": {"sections": True, "paths": ["long.md"]}}).payload().text
    assert all(line in text for line in lines if line.startswith("edit"))


def test_a_log_is_fenced_newest_first_bounded_and_without_secrets_and_no_change_is_told(repo: Repo) -> None:
    payload = picked(repo, {"log": "HEAD"}, "log: HEAD").payload()
    assert payload.text.startswith("<!-- source: log: HEAD -->\n```\n")
    assert payload.text.index("Add more") < payload.text.index("Begin")
    assert "[redacted: " in payload.text
    assert KEY not in payload.text
    assert payload.secrets == 1
    bounded = picked(repo, {"log": {"range": "HEAD", "limit": 1}}).payload()
    assert "Begin" not in bounded.text
    assert "log-bounded" in {notice.code for notice in bounded.notices}
    repo.commit(None)
    for data in ({"diff": {}}, {"changed": {}}, {"log": "HEAD..HEAD"}):
        payload = picked(repo, data).payload()
        assert [notice.code for notice in payload.notices] == ["empty-query"]
        assert (payload.blocks, payload.missing) == ((), ())


def test_secrets_in_removed_added_and_changed_lines_are_redacted(repo: Repo) -> None:
    repo.commit({"keys.txt": f"first\n{PRIVATE}last\n", "code.py": f'key = "{KEY}"\n'})
    repo.write({"keys.txt": "first\nlast\n", "code.py": "key = None\n", "b.md": PRIVATE})
    session = picked(repo, {"diff": {}})
    payload = session.payload()
    assert KEY not in payload.text
    assert not [line for line in BODY.splitlines() if line in payload.text]
    assert payload.secrets == 3
    assert "-key = " in payload.text
    with pytest.raises(ContextError, match=r"contains a secret"):
        session.with_output(secrets="fail").payload()
    assert KEY in session.with_output(secrets="keep").payload().text
    # A changed line of a key shows no other one.
    changed = PRIVATE.replace(BODY.splitlines()[3], "A" * 40)
    repo.commit({"key.txt": f"first\n{PRIVATE}last\n" + "".join(LINES), "t.yaml": f"key: |\n{PRIVATE}"}, "Keys")
    repo.write({"key.txt": f"first\n{changed}last\n" + "".join(LINES[:-1]), "t.yaml": f"key: |\n{changed}"})
    payload = picked(repo, {"diff": {"paths": ["key.txt", "t.yaml"]}}).payload()
    assert not [line for line in BODY.splitlines() if line[:20] in payload.text]
    assert f"-{LINES[-1]}" in payload.text
    assert payload.secrets >= 2


LINES = [f"{chr(97 + place % 26)}{place}\n" for place in range(60)]


@settings(max_examples=12)
@given(st.data())
def test_no_part_of_a_secret_is_in_any_hunk(tmp_path_factory: pytest.TempPathFactory, data: st.DataObject) -> None:
    repo = Repo(tmp_path_factory.mktemp("hunks"))
    cells = [f"| host{place} | q{place}Wx7{place}Zt |\n" for place in range(12)]
    table = ["| Host | Password |\n", "|---|---|\n", *cells]
    parts = data.draw(st.permutations([LINES[:30], PRIVATE.splitlines(True), ["\n", *table, "\n"], LINES[30:]]))
    old = [line for part in parts for line in part]
    new = list(old)
    for place in data.draw(st.lists(st.integers(0, len(old) - 1), min_size=1, max_size=4)):
        new[place] = data.draw(st.sampled_from(["other\n", "", "more\nand more\n"]))
    repo.commit({"notes.txt": "".join(old)}, "Begin")
    repo.write({"notes.txt": "".join(new)})
    hidden = [line.strip() for line in BODY.splitlines()] + [cell.split("|")[2].strip() for cell in cells]
    session = Workspace.open(repo.root).session()
    for form in ({}, {"whole": True}):
        text = resolved(session.with_query("q", {"diff": form})).payload().text
        assert not [each for each in hidden if each in text]


def test_a_recipe_keeps_the_question_and_gives_the_same_bytes(repo: Repo) -> None:
    session = Workspace.open(repo.root).session()
    for place, data in enumerate(FORMS):
        session = session.with_query(f"q{place}", data)
    session = resolved(session.pin("query:q0"))
    save_recipe(session, "r")
    assert "return 2" not in (repo.root / ".ctxtui/recipes/r.yaml").read_text()
    recipe = load_recipe(session.workspace, "r")
    again = resolved(session.workspace.session().with_selection(recipe.selection))
    assert again.picks == session.picks
    assert again.payload().text == resolved(again).payload().text
    assert staleness(recipe, session.workspace).changed == ()
    repo.write({"a.py": "def a():\n    return 3\n"})
    fresh = Workspace.open(repo.root)
    assert "return 3" in resolved(fresh.session().with_selection(recipe.selection)).payload().text
    assert staleness(recipe, fresh).notices == []


def test_keys_on_a_block_of_a_file_act_on_the_query(repo: Repo) -> None:
    session = picked(repo, {"diff": {}}).pick("guide.md")
    (first, *_) = session.payload().blocks
    assert first.id == "query:q#a.py"
    assert session.state(first.id) == "all"
    assert [pick.id for pick in session.move(first.id, 1).picks] == ["guide.md", "query:q"]
    pinned = session.pin(first.id)
    assert [pick.pinned for pick in pinned.picks] == [True, False]
    assert all(block.pinned for block in pinned.payload().blocks[:-1])
    assert [pick.id for pick in session.drop("query:q").picks] == ["guide.md"]
    with pytest.raises(ContextError, match="has no block nothing"):
        session.drop("query:q#nothing")


@cases("data", [each for each in FORMS if "log" not in each and "whole" not in str(each)])
def test_a_dropped_block_leaves_out_its_file_and_keeps_the_others(repo: Repo, data: dict[str, Any]) -> None:
    (repo.root / ".git/info/exclude").write_text(".ctxtui/\n")
    session = picked(repo, data)
    blocks = {block.id: block.text for block in session.payload().blocks}
    while len(blocks) > 1:
        gone = next(iter(blocks))
        before, session = session, session.drop(gone)
        del blocks[gone]
        # At once, computed anew, and saved and opened again.
        save_recipe(session, "r")
        fresh = Workspace.open(repo.root)
        saved = resolved(fresh.session().with_selection(load_recipe(fresh, "r").selection))
        for each in (session, resolved(session), saved):
            payload = each.payload()
            assert {block.id: block.text for block in payload.blocks} == blocks
            assert payload.tokens == get_counter().count(payload.text)
        (query,) = session.selection.queries
        assert session.answers[query.definition] == resolved(session).answers[query.definition]
        # What undo does.
        assert session.with_selection(before.selection).payload().text == before.payload().text
    (last,) = blocks
    assert session.drop(last).picks == ()


def test_folders_and_files_are_left_out_of_what_git_says(repo: Repo) -> None:
    repo.write({"docs/one.md": "one\n", "docs/in/two.md": "two\n", "docs.md": "three\n"})
    for without in (["docs"], ["docs/", "nothing"], ["./docs"], ["docs/one.md", "docs/in"]):
        payload = picked(repo, {"changed": {"without": without}}).payload()
        assert [block.source for block in payload.blocks] == ["a.py", "docs.md", "guide.md", "new.md"]
        notices = picked(repo, {"diff": {"without": [*without, "new.md"]}}).payload().notices
        assert "1 file is not in the diff" in next(each.message for each in notices if each.code == "untracked")
    # So are those out of scope.
    workspace = Workspace.open(repo.root, scope=Scope(exclude=("*.py",)))
    payload = resolved(workspace.session().with_query("q", {"diff": {}})).payload()
    assert "return 2" not in payload.text
    assert "a.py" in next(each.message for each in payload.notices if each.code == "out-of-scope")


@cases(
    ("data", "said"),
    [
        ({"diff": {"bse": "main"}}, "unknown key `bse`"),
        ({"diff": {"base": "a", "staged": True}}, "only one of"),
        ({"diff": "-x"}, "not a git ref"),
        ({"diff": "a..b..c"}, "not a range"),
        ({"diff": {"paths": ["../x"]}}, "not a path of the project"),
        ({"diff": {"paths": ["/etc/passwd"]}}, "not a path of the project"),
        ({"changed": {"without": ["../x"]}}, "not a path of the project"),
        ({"diff": 3}, "mapping"),
        ({"changed": {"whole": True}}, "unknown key `whole`"),
        ({"log": {}}, "has no `range`"),
        ({"log": {"range": "HEAD", "limit": -1}}, "limit"),
        ({"diff": {}, "budget": 5}, "unknown key `budget`"),
        ({"diff": {}, "log": "HEAD"}, "either"),
    ],
)
def test_a_bad_question_is_refused_before_it_is_picked(repo: Repo, data: dict[str, Any], said: str) -> None:
    with pytest.raises(ContextError, match=said):
        Workspace.open(repo.root).session().with_query("q", data)
