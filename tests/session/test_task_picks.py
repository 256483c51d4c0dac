"""Picks narrowed to some tasks: on the value, in a recipe, in the payload's exact count."""

from collections.abc import Callable
from pathlib import Path

import pytest

from ctxtui import ContextError, Session, Workspace
from ctxtui.core import get_counter
from ctxtui.core.payload.formats import FORMATS
from ctxtui.session.saved.recipe import load_recipe, save_recipe
from tests.cases import cases

TASKS = """# Tasks

## Now

- [ ] write the tests #area:core
  - [x] think
- [ ] wait #blocked

## Done

- [x] begin with AKIAIOSFODNN7EXAMPLF
"""


@pytest.fixture
def session(project: Callable[..., Path]) -> Session:
    return Workspace.open(project({"TASKS.md": TASKS, "notes.md": "# Notes\n"})).session()


@cases("format", FORMATS)
@cases("tasks", ["open", "blocked", "done", "not-done"])
def test_the_number_is_exact(session: Session, tasks: str, format: str) -> None:
    narrowed = session.with_tasks("TASKS.md", tasks)
    payload = narrowed.payload(format)
    assert payload.tokens == get_counter().count(payload.text) == narrowed.layout(format).tokens


def test_open_tasks_only_or_those_of_sections_are_a_part(session: Session) -> None:
    assert session.with_tasks("TASKS.md", "open").payload().text == (
        "<!-- source: TASKS.md; open tasks only, blocked ones included -->\n"
        "# Tasks\n\n## Now\n- [ ] write the tests #area:core\n- [ ] wait #blocked\n\n"
    )
    done = session.pick("TASKS.md", ["Done"]).with_tasks("TASKS.md", "done").payload().text
    assert ("begin" in done, "think" in done) == (True, False)
    narrowed = session.with_tasks("TASKS.md", "open")
    assert narrowed.state("TASKS.md") == narrowed.state("TASKS.md#now") == narrowed.state("") == "part"
    whole = narrowed.toggle("TASKS.md")
    assert whole.state("TASKS.md") == "all"
    assert whole.payload().text.endswith(TASKS.replace("AKIAIOSFODNN7EXAMPLF", "[redacted: aws-key]"))


def test_secrets_outside_of_what_is_taken_are_not_told(session: Session) -> None:
    assert session.with_tasks("TASKS.md", "open").payload().secrets == 0
    taken = session.with_tasks("TASKS.md", "done").payload()
    assert taken.secrets == 1
    assert "AKIA" not in taken.text
    session.with_tasks("TASKS.md", "open").with_output(secrets="fail").payload()
    with pytest.raises(ContextError):
        session.with_tasks("TASKS.md", "done").with_output(secrets="fail").payload()


def test_what_has_no_tasks_left_or_at_all_is_told_or_refused(session: Session, project: Callable[..., Path]) -> None:
    for id_, tasks, said in (("notes.md", "open", "has no tasks"), ("TASKS.md", "some", "unknown filter")):
        with pytest.raises(ContextError, match=said):
            session.with_tasks(id_, tasks)
    # Nothing left is a problem, not a missing pick.
    session = Workspace.open(project({"TASKS.md": "- [x] done\n"})).session().with_tasks("TASKS.md", "open")
    payload = session.payload()
    assert (payload.text, payload.missing) == ("", ())
    assert [notice.code for notice in payload.notices] == ["no-tasks"]


def test_a_recipe_keeps_the_filter(session: Session) -> None:
    narrowed = session.with_tasks("TASKS.md", "open").pin("TASKS.md")
    save_recipe(narrowed, "open")
    again = load_recipe(session.workspace, "open").selection
    assert again.picks == narrowed.picks
    assert narrowed.with_selection(again).payload().text == narrowed.payload().text
    path = session.workspace.root / ".ctxtui/recipes/open.yaml"
    path.write_text(path.read_text().replace("tasks: open", "tasks: opne"))
    with pytest.raises(ContextError, match="opne"):
        load_recipe(session.workspace, "open")
