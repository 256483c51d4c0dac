"""Suggestions: what a task names, says and tests comes first, within the limit, with the reason."""

from collections.abc import Iterator
from contextlib import closing
from functools import partial
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ctxtui import Session, Workspace
from ctxtui.core.base.errors import ContextError
from ctxtui.core.documents.git_history import read_changes
from ctxtui.session.queries.prompt_search import PromptSearch
from ctxtui.session.suggest.rank_files import kind_of
from ctxtui.session.suggest.suggest import Suggestion, suggest
from tests.audit.repositories import Repo
from tests.cases import cases
from tests.conftest import REPOSITORY, Project

URLS = '''"""Addresses."""


def split_host(text: str) -> str:
    """The host of an address."""
    return text.partition("/")[0]


def join_query(parts: list[str]) -> str:
    return "&".join(parts)
'''
REFUNDS = '''"""Refunds."""


class Till:
    """Money that goes back."""

    def refund(self, cents: int) -> int:
        """Pays back after the window closed."""
        return -cents

    def count(self) -> int:
        return 0
'''
FILES = {
    "shop/urls.py": URLS,
    "shop/refunds.py": REFUNDS,
    "shop/other.py": "def nothing() -> None:\n    pass\n",
    "tests/test_refunds.py": "def test_refund_after_window() -> None:\n    assert True\n",
    "CHANGES.md": "# Changes\n\n## 1.0\n\n- refund after the window closed\n- refund window again\n",
    "docs/refunds.md": "# Refunds\n\n## Window\n\nA refund closes after the window of thirty days.\n",
    "lib/refunds.pl": "# refund window\nsub window_closed {\n  1\n}\n",
}


@pytest.fixture
def root(project: Project) -> Path:
    return project(FILES)


def found(place: Path | Session, task: str, limit: int = 2_000) -> Suggestion:
    session = place if isinstance(place, Session) else Workspace.open(place).session()
    with closing(PromptSearch({})) as prompter:
        return suggest(session, task, partial(prompter.weigh, session.workspace), limit)


@cases(
    ("task", "first", "reason"),
    [
        ("refund after the window closed", "shop/refunds.py#Till.refund", "matches refund, "),
        ("`split_host` breaks on ports", "shop/urls.py#split_host", "defines `split_host`, named in the task"),
        ("join_query() loses the last part", "shop/urls.py#join_query", "defines `join_query`, named in the task"),
        ('File "/srv/app/shop/urls.py", line 10, in main', "shop/urls.py#join_query", "line 10 is named in the task"),
    ],
)
def test_the_part_that_the_task_means_comes_first(root: Path, task: str, first: str, reason: str) -> None:
    row = found(root, task).rows[0]
    assert row.id == first
    assert row.reason.startswith(reason)
    with pytest.raises(ContextError, match="no words"):
        found(root, "?!")


@cases("written", [".github/bin/", "./.github/bin/", "../.github/bin/", "/srv/.github/bin/", ".../bin/", "...bin/"])
def test_a_named_path_may_begin_with_dots(project: Project, written: str) -> None:
    row = found(project(FILES | {".github/bin/run.py": REFUNDS}), f"it fails in {written}run.py:7").rows[0]
    assert (row.id, row.reason) == (".github/bin/run.py#Till.refund", "line 7 is named in the task")


def test_tests_have_their_own_list_and_documents_rank_lower(root: Path) -> None:
    answer = found(root, "refund after the window closed")
    assert [file.path for file in answer.tests] == ["tests/test_refunds.py"]
    [test] = [row for row in answer.rows if row.group == "test"]
    assert test.reason.endswith("test of shop/refunds.py")
    ranked = [file.path for file in answer.files]
    assert ranked.index("shop/refunds.py") < ranked.index("docs/refunds.md") < ranked.index("CHANGES.md")


def test_data_words_of_any_change_and_many_alike_leave_room_for_what_is_meant(project: Project) -> None:
    data = {"conf/refund.yaml": "refund:\n  after: the refund window closed\n  window: the refund window closed\n"}
    assert found(project({**FILES, **data}), "refund after the window closed").ids[0] == "shop/refunds.py#Till.refund"
    said = "def common() -> None:\n    # TODO: this should be correct, improve it.\n    return None\n"
    files = {"a.py": said, "b.py": "def cross(zebra: str) -> str:\n    return zebra\n"}
    assert found(project(files), "Improve the zebra, it should be correct").ids[0] == "b.py#cross"
    alike = "".join(f"def zebra_{number}() -> str:\n    return 'the crossing'\n\n\n" for number in range(9))
    other = "def walk() -> str:\n    return 'a zebra at the crossing'\n"
    assert "b.py#walk" in found(project({"a.py": alike, "b.py": other}), "the zebra crossing").ids[:5]


def test_a_project_of_documents_is_asked_for_documents_unless_code_is_named(project: Project) -> None:
    page = "# Zebras\n\n## Walking\n\nAll zebras walk over the crossing, one behind the other, as they always did.\n"
    files = {
        "skills/zebra.md": page,
        ".agents/skills/zebra.md": page,
        "docs/de-DE/skills/zebra.md": f"{page}Die crossing der zebras, zebras walk.\n",
        "notes.md": "# Notes\n",
        "run.py": "def zebras() -> None:\n    walk(crossing)\n",
    }
    ids = found(project(files), "how zebras walk over the crossing").ids
    assert ids[:2] == ["skills/zebra.md#walking", "docs/de-DE/skills/zebra.md#walking"]
    assert not [id_ for id_ in ids if id_.startswith(".agents/")]
    documents = {f"docs/{number}.md": f"# Orders {number}\n\nAn order is placed by number.\n" for number in range(9)}
    root = project({**documents, "shop.py": "def place(order: int) -> int:\n    return order\n"})
    assert found(root, "KeyError at shop.py:2 when an order is placed").ids[0] == "shop.py#place"
    assert found(root, "describe how an order is placed by number").ids[0].startswith("docs/")


def test_code_without_a_grammar_is_proposed_too_whatever_ends_its_lines(root: Path, project: Project) -> None:
    assert "lib/refunds.pl" in found(root, "window_closed in perl").ids[0]
    old = project({"old.pl": "# the zebra crossing jams\r" * 300})
    assert found(old, "the zebra crossing jams").ids[0].startswith("old.pl#L")


def test_what_changed_together_and_lately_counts(root: Path) -> None:
    repo = Repo(root)
    for number in range(3):
        (root / "shop/other.py").write_text(f"def nothing() -> int:\n    return {number}\n")
        (root / "shop/urls.py").write_text(f"{URLS}\n# {number}\n")
        repo.commit(subject=f"Keep the zebra crossing open {number}")
    assert [change.message for change in read_changes(root)][:1] == ["Keep the zebra crossing open 2"]
    # No file says a word of it: only the history knows.
    answer = found(root, "the zebra crossing jams")
    assert {file.path for file in answer.files[:2]} == {"shop/other.py", "shop/urls.py"}
    # Of two functions that say the same, the history knows the one that such a change wrote.
    twins = "def {}() -> str:\n    return 'a crossing of zebras'\n\n\n"
    (root / "shop/twins.py").write_text(twins.format("one") + twins.format("two"))
    repo.commit(subject="Add both")
    (root / "shop/twins.py").write_text(twins.format("one") + twins.format("two").replace("a cross", "the cross"))
    repo.commit(subject="Jams of zebras at the crossing")
    (root / "shop/twins.py").write_text((root / "shop/twins.py").read_text().replace("a cross", "this cross"))
    repo.commit(subject="Say it with an article")
    assert found(root, "the zebra crossing jams").ids[0] == "shop/twins.py#two"


def test_a_test_that_reads_like_the_task_leads_to_what_changed_with_it(root: Path) -> None:
    repo = Repo(root)
    for number in range(3):
        (root / "shop/other.py").write_text(f"def nothing() -> int:\n    return {number}  # a zebra\n")
        (root / "shop/third.py").write_text("def third() -> int:\n    return 1  # a zebra\n")
        (root / "tests/test_all.py").write_text(f"def test_that_the_zebra_crossing_jams():\n    assert {number}\n")
        repo.commit(subject=f"Number {number}")
    row = found(root, "the zebra crossing jams").rows[0]
    assert row.id == "shop/other.py#nothing"
    assert row.reason.endswith("changed together with tests/test_all.py in 3 of its 3 changes")


def test_only_what_is_not_picked_is_proposed(root: Path, project: Project) -> None:
    session = Workspace.open(root).session().pick("shop/refunds.py")
    answer = found(session, "refund after the window closed")
    assert answer.rows
    assert all(row.document != "shop/refunds.py" for row in answer.rows)
    assert session.pick_in_order(answer.ids).layout().wanted == answer.tokens <= 2_000
    body = "".join(f"def refund_{number}() -> str:\n    return 'refund'\n\n\n" for number in range(4))
    session = Workspace.open(project({"a.py": body})).session().pick("a.py#refund_1")
    assert {row.id for row in found(session, "the refund").rows} == {f"a.py#refund_{number}" for number in (0, 2, 3)}


@pytest.fixture(scope="module")
def opened() -> Iterator[tuple[Session, PromptSearch]]:
    """The sample project, opened once for all limits."""
    with closing(PromptSearch({})) as prompter:
        yield Workspace.open(REPOSITORY / "sample_context").session(), prompter


@settings(max_examples=12)
@given(limit=st.integers(1, 1_500), model=st.sampled_from((None, "claude-opus-5")))
def test_a_proposal_fits_its_limit(opened: tuple[Session, PromptSearch], limit: int, model: str | None) -> None:
    session, prompter = opened
    session = session.with_budget(limit, model=model)
    task = "refund window for orders in src/api/orders.py"
    answer = suggest(session, task, partial(prompter.weigh, session.workspace))
    # An estimate fits if the upper end of its band does.
    payload = session.pick_in_order(answer.ids).payload(over="fail")
    assert payload.tokens == (answer.tokens if answer.rows else 0)
    assert payload.tokens <= payload.upper <= limit


def test_rules_for_the_best_files_and_what_agents_read_apply(project: Project) -> None:
    rules = {
        "AGENTS.md": "# Agents\n\nBe kind.\n",
        ".claude/rules/urls.md": "---\npaths: shop/urls.py\n---\nNo slash here.\n",
        ".claude/rules/other.md": "---\npaths: elsewhere/**\n---\nNothing here.\n",
    }
    answer = found(project({**FILES, **rules}), "`split_host` breaks on ports", 4_000)
    applying = {row.id: row.reason for row in answer.rows if row.group == "rule"}
    assert applying.keys() == {"AGENTS.md", ".claude/rules/urls.md"}
    assert applying[".claude/rules/urls.md"] == "Claude Code reads it when shop/urls.py is touched"
    assert applying["AGENTS.md"].endswith("read it at the start")


@cases(
    ("path", "kind"),
    [
        ("src/a.rb", "code"),
        ("src/App.vue", "code"),
        ("compose.yaml", "other"),
        ("a.json", "other"),
        ("src/client/tests.rs", "test"),
        ("src/Shop.Specs/Helpers/Tills.cs", "test"),
    ],
)
def test_data_and_tests_are_no_code(path: str, kind: str) -> None:
    assert kind_of(path) == kind
