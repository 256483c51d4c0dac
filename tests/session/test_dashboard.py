"""What Start shows, as data: the largest files and folders, changed files, recipes."""

import os
from pathlib import Path

from hypothesis import given
from hypothesis import strategies as st

from ctxtui.core.tokens.by_name import get_counter
from ctxtui.session.agent_start import longer_starts
from ctxtui.session.dashboard import dashboard, largest_files
from ctxtui.session.figures import Figures, totals
from ctxtui.session.saved.recipe import recent_recipes, save_recipe
from ctxtui.workspace.counting import count_all
from ctxtui.workspace.workspace import Workspace
from tests.conftest import Project


def _counted(root: Path) -> tuple[Workspace, Figures]:
    workspace = Workspace.open(root, on_notice=lambda _notice: None)
    count_all(workspace, get_counter())
    return workspace, Figures(totals=totals(workspace, get_counter()))


def test_a_counted_file_is_listed_once_however_many_links_lead_to_it(project: Project) -> None:
    root = project({"AGENTS.md": "rule " * 50, "src/big.py": "x = 1\n" * 500, "empty.md": ""})
    (root / "CLAUDE.md").symlink_to("AGENTS.md")
    uncounted = Workspace.open(root)
    assert largest_files(uncounted, totals(uncounted, get_counter())) == ()
    workspace, figures = _counted(root)
    files = largest_files(workspace, figures.totals)
    assert [each.reference.path for each in files] == ["src/big.py", "AGENTS.md"]
    assert files[0].total.tokens > files[1].total.tokens > 0
    assert [each.reference.source for each in files] == ["files", "agents"]


def test_a_longer_start_counts_a_linked_file_once_as_the_audit_does(project: Project) -> None:
    root = project(
        {"AGENTS.md": "rule " * 100, "pkg/AGENTS.md": "other " * 60, ".github/copilot-instructions.md": ""}
    )
    (root / "CLAUDE.md").symlink_to("AGENTS.md")
    told = longer_starts(Workspace.open(root))
    assert told == ("GitHub Copilot CLI in pkg/, 72% more instructions than at the root",)


def test_files_that_are_not_counted_are_not_ranked(project: Project) -> None:
    workspace = Workspace.open(project({"a.py": "x\n" * 100}))
    assert largest_files(workspace, totals(workspace, get_counter())) == ()


@given(sizes=st.lists(st.integers(0, 40), min_size=1, max_size=12), count=st.integers(1, 5))
def test_the_largest_come_first_and_none_larger_is_missing(project: Project, sizes: list[int], count: int) -> None:
    root = project({f"d{place % 3}/f{place}.txt": "word " * size for place, size in enumerate(sizes)})
    workspace, figures = _counted(root)
    tokens = [each.total.tokens for each in largest_files(workspace, figures.totals, count)]
    every = sorted((figures.totals[each.id].tokens for each in workspace.references), reverse=True)
    assert tokens == [each for each in every if each][:count]


def test_changed_files_are_those_of_the_project_the_latest_first(project: Project) -> None:
    root = project({f"f{number}.md": "x\n" for number in range(8)})
    for number in range(8):
        os.utime(root / f"f{number}.md", (1_700_000_000 + number,) * 2)
    workspace, figures = _counted(root)
    marks = {f"f{number}.md": "M" for number in range(8)} | {"gone.md": "D", "f3.md": "?"}
    data = dashboard(workspace.session(), figures, marks)
    assert [each.reference.path for each in data.changed] == ["f7.md", "f6.md", "f5.md", "f4.md", "f3.md"]
    assert data.changed[-1].mark == "?"
    assert (len(data.changed_ids), data.deleted) == (8, 1)


def test_recipes_come_by_the_time_at_which_they_were_saved(project: Project) -> None:
    root = project({"a.md": "x\n"})
    workspace, figures = _counted(root)
    assert recent_recipes(workspace.reader.root) == []
    for day, name in enumerate(["older", "newest", "oldest", "b", "c", "d"]):
        path = save_recipe(workspace.session().pick("a.md"), name).path
        os.utime(path, (1_700_000_000 + 86_400 * [2, 9, 1, 3, 4, 5][day],) * 2)
    found = recent_recipes(workspace.reader.root)
    assert [name for name, _ in found] == ["newest", "d", "c", "b", "older", "oldest"]
    assert found[-1][1].isoformat() == "2023-11-15T22:13:20+00:00"
    assert dashboard(workspace.session(), figures, {}).recipes == tuple(found[:5])
    os.utime(root / ".ctxtui/recipes/oldest.yaml", (10**11, 10**11))
    assert recent_recipes(workspace.reader.root)[0][0] == "oldest", "a time far ahead is a time"
