"""Configuration and recipes come from the project alone, and nothing in their place blocks or fills memory."""

import os
import signal
from collections.abc import Callable, Iterator
from pathlib import Path
from types import FrameType

import pytest

from ctxtui.audit.baseline import read_baseline
from ctxtui.core.base.errors import ContextError, NotFound
from ctxtui.core.base.notices import Notice
from ctxtui.session.saved.config import load_config, user_file
from ctxtui.session.saved.recipe import FOLDER, load_recipe, recipe_names, save_recipe
from ctxtui.session.session import Session
from ctxtui.workspace.workspace import Workspace
from tests.cases import cases
from tests.conftest import Project

RECIPE = "picks: [AGENTS.md]\n"
CONFIG = 'budget = "3k"\n'
SHARED = '[tool.ctxtui]\nbudget = "3k"\n'


@pytest.fixture(autouse=True)
def _bounded() -> Iterator[None]:
    """What would block for ever fails instead."""

    def give_up(_signal: int, _frame: FrameType | None) -> None:
        raise TimeoutError("it blocks")

    before = signal.signal(signal.SIGALRM, give_up)
    signal.alarm(20)
    yield
    signal.alarm(0)
    signal.signal(signal.SIGALRM, before)


@pytest.fixture
def session(project: Project) -> Session:
    root = project({"AGENTS.md": "# A\n\ntext\n"})
    (root.parent / "outside").mkdir()
    (root.parent / "outside" / "r.yaml").write_text(RECIPE)
    (root / FOLDER).mkdir(parents=True)
    return Workspace.open(root).session().pick("AGENTS.md")


def _top(path: Path) -> Path:
    return next(each for each in path.parents if (each / "outside").is_dir())


TRAPS: dict[str, Callable[[Path], None]] = {
    "link out": lambda path: path.symlink_to(os.path.relpath(_top(path) / "outside" / "r.yaml", path.parent)),
    "pipe": os.mkfifo,
    "device": lambda path: path.symlink_to("/dev/zero"),
    "folder": Path.mkdir,
}


def config_of(root: Path) -> tuple[str | None, list[Notice]]:
    notices: list[Notice] = []
    return load_config(root, {}, notices.append).budget, notices


@pytest.mark.parametrize("trap", TRAPS)
def test_settings_that_are_no_file_of_a_project_are_refused_or_of_pyproject_told(session: Session, trap: str) -> None:
    root = session.workspace.root
    TRAPS[trap](root / "pyproject.toml")
    (root / "ctxtui.toml").write_text(CONFIG)
    budget, (notice,) = config_of(root)
    assert budget == "3k"
    assert notice.path == "pyproject.toml"
    assert "its settings are ignored" in notice.message
    (root / "ctxtui.toml").unlink()
    TRAPS[trap](root / "ctxtui.toml")
    with pytest.raises(ContextError, match=r"^ctxtui\.toml "):
        config_of(root)


@pytest.mark.parametrize("trap", TRAPS)
def test_a_recipe_that_is_no_file_of_the_project_is_neither_read_nor_written(session: Session, trap: str) -> None:
    place = session.workspace.root / FOLDER / "r.yaml"
    TRAPS[trap](place)
    assert recipe_names(session.workspace.reader.root) == ["r"]
    for act in (lambda: load_recipe(session.workspace, "r"), lambda: save_recipe(session, "r")):
        with pytest.raises(ContextError, match=r"\.ctxtui/recipes/r\.yaml") as caught:
            act()
        assert not isinstance(caught.value, NotFound)
    assert (_top(place) / "outside" / "r.yaml").read_text() == RECIPE


def test_a_folder_of_recipes_that_leads_out_is_neither_listed_nor_read_nor_written(session: Session) -> None:
    root = session.workspace.root
    (root / FOLDER).rmdir()
    (root / FOLDER).symlink_to("../../outside")
    acts: list[Callable[[], object]] = [
        *(lambda: recipe_names(session.workspace.reader.root), lambda: load_recipe(session.workspace, "r")),
        *(lambda: save_recipe(session, "r"), lambda: save_recipe(session, "new")),
    ]
    for act in acts:
        with pytest.raises(ContextError, match="leads out of the project"):
            act()
    assert [path.name for path in (root.parent / "outside").iterdir()] == ["r.yaml"]
    assert (root.parent / "outside" / "r.yaml").read_text() == RECIPE


def test_links_within_the_project_are_followed(session: Session) -> None:
    root = session.workspace.root
    (root / FOLDER).rmdir()
    (root / "shared").mkdir()
    (root / FOLDER).symlink_to("../shared")
    (root / "settings.toml").write_text(CONFIG)
    (root / "ctxtui.toml").symlink_to("settings.toml")
    save_recipe(session, "r")
    assert (root / "shared" / "r.yaml").is_file()
    assert load_recipe(session.workspace, "r").selection.picks == session.picks
    assert config_of(root) == ("3k", [])


def test_a_path_that_the_user_gives_is_read_outside_as_well_if_it_is_a_regular_file(session: Session) -> None:
    outside = session.workspace.root.parent / "outside"
    assert load_recipe(session.workspace, str(outside / "r.yaml")).selection.picks == session.picks
    os.mkfifo(outside / "pipe.yaml")
    (outside / "zero.yml").symlink_to("/dev/zero")
    for name in ("pipe.yaml", "zero.yml"):
        with pytest.raises(ContextError, match=f"{name} is not a regular file"):
            load_recipe(session.workspace, str(outside / name))
    with pytest.raises(NotFound):
        load_recipe(session.workspace, str(outside / "none.yaml"))
    os.mkfifo(session.workspace.root / "base.json")
    with pytest.raises(ContextError, match=r"base\.json is not a regular file"):
        read_baseline(session.workspace.root / "base.json")


def test_no_name_in_a_project_is_taken_for_a_path(session: Session, monkeypatch: pytest.MonkeyPatch) -> None:
    """`r.yaml.yaml` would be opened as `r.yaml` of the folder that somebody happens to be in."""
    root = session.workspace.root
    monkeypatch.chdir(root.parent / "outside")
    (root / FOLDER / "r.yaml.yaml").write_text(RECIPE)
    assert recipe_names(session.workspace.reader.root) == []
    with pytest.raises(ContextError, match="not a name for a recipe"):
        save_recipe(session, "r.yaml")


def test_only_a_table_of_ours_counts_however_it_is_written(session: Session) -> None:
    ours = (SHARED, 'tool.ctxtui.budget = "3k"', '[tool]\nctxtui = {budget = "3k"}')
    texts = [(text.encode(), "3k") for text in ours]
    texts += [(text, None) for text in (b"[broken", b"a = \xff", b"tool = 3", b"[tool]\nctxtui-like = 1\n")]
    for text, budget in texts:
        (session.workspace.root / "pyproject.toml").write_bytes(text)
        assert config_of(session.workspace.root) == (budget, []), text


@pytest.mark.parametrize(
    ("text", "said"),
    [
        (f"[broken\n{SHARED}", "pyproject.toml:1: "),
        (f"a = 1\nb = '\xff'\n{SHARED}", "pyproject.toml:2: not valid UTF-8"),
        ("[[tool.ctxtui]]\nbudget = 1\n", "should be a table"),
    ],
)
def test_a_broken_pyproject_with_a_table_of_ours_is_an_error(session: Session, text: str, said: str) -> None:
    (session.workspace.root / "pyproject.toml").write_bytes(text.encode("latin-1"))
    with pytest.raises(ContextError, match=said) as caught:
        config_of(session.workspace.root)
    assert str(session.workspace.root / "pyproject.toml") in caught.value.message
    assert caught.value.hint


@cases(
    ("name", "text", "said"),
    [
        ("ctxtui.toml", '\nbudgt = "3k"\n', "ctxtui.toml:2: unknown key `budgt`"),
        ("ctxtui.toml", "[load]\n\nprority_order = []\n", "ctxtui.toml:3: `load`: unknown key `prority_order`"),
        ("ctxtui.toml", "include = [\n'a',\n1]\n", "ctxtui.toml:1: `include[1]` should be a string, not `1`"),
        ("pyproject.toml", "[tool.ctxtui]\na.b = 1\nformat = 'htm'\n", "pyproject.toml:2: unknown key `a`"),
        ("pyproject.toml", "[tool]\nctxtui.format = 'htm'\n", "pyproject.toml:2: `format` cannot be 'htm'"),
    ],
)
def test_what_is_wrong_names_file_and_line(session: Session, name: str, text: str, said: str) -> None:
    (session.workspace.root / name).write_text(text)
    with pytest.raises(ContextError) as caught:
        config_of(session.workspace.root)
    assert caught.value.message == f"{session.workspace.root}/{said}"
    assert caught.value.hint


def test_an_entry_of_a_table_names_the_file_that_it_comes_from(session: Session) -> None:
    user_file().parent.mkdir(parents=True, exist_ok=True)
    user_file().write_text("[limits]\ntotal = 1\nstrat = 2\n[mcp.engine]\ntoken = 5\n")
    (session.workspace.root / "ctxtui.toml").write_text("[limits]\n\ntotal = 'x'\n[limits.start]\nnobody = 2\n")
    config = load_config(session.workspace.root, {})
    assert str(config.place("limits").at("strat").error("x")) == f"{user_file()}:3: [limits]: `strat`: x"
    own = session.workspace.root / "ctxtui.toml"
    assert str(config.place("limits").at("total").error("x")) == f"{own}:3: [limits]: `total`: x"
    assert str(config.place("limits").at("start", "nobody").error("x")) == f"{own}:5: [limits]: `start.nobody`: x"
    told = config.place("mcp").at("engine", "token").should_be("a string", "letmein")
    assert str(told) == f"{user_file()}:5: [mcp]: `engine.token` should be a string"
