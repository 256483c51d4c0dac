"""What a project may decide: no key, and secrets no less strictly than its user wants."""

import re
from itertools import product
from pathlib import Path

import pytest

from ctxtui.core.base.errors import ContextError
from ctxtui.core.base.notices import Notice
from ctxtui.core.text.secrets import SecretFound, Secrets
from ctxtui.session.assembly import templates
from ctxtui.session.saved import config, recipe_yaml
from ctxtui.session.saved.config import PROJECT_FILE, SHARED_FILE, load_config, user_file
from ctxtui.session.saved.recipe import FOLDER, load_recipe
from ctxtui.workspace.workspace import Workspace
from tests.cases import cases
from tests.conftest import REPOSITORY, Project

KEY = "AKIA" + "A1B2C3D4E5F6G7H8"
WORDS: tuple[Secrets | None, ...] = (None, "keep", "redact", "fail")


def _setting(secrets: Secrets | None) -> str:
    return f'secrets = "{secrets}"\n' if secrets else ""


def _users(text: str) -> None:
    user_file().parent.mkdir(parents=True, exist_ok=True)
    user_file().write_text(text)


@pytest.mark.parametrize(("name", "head", "line"), [("ctxtui.toml", "", 3), ("pyproject.toml", "[tool.ctxtui]\n", 4)])
def test_the_keys_of_a_project_are_told_and_left_out(project: Project, name: str, head: str, line: int) -> None:
    table = "tool.ctxtui.keys" if head else "keys"
    root = project({name: f'{head}budget = "3k"\n\n[{table}]\nyes = "n"\nno = "y"\n'})
    _users('[keys]\npick = "5"\n')
    notices: list[Notice] = []
    found = load_config(root, {}, notices.append)
    assert (found.keys, found.budget) == ({"pick": "5"}, "3k")
    assert [(each.code, each.path, each.line) for each in notices] == [("not-from-project", name, line)]
    assert str(user_file()) in notices[0].message


@cases(("environment", "users", "projects"), list(product(WORDS, WORDS, WORDS)))
def test_the_stricter_of_user_and_project_counts(
    environment: Secrets | None, users: Secrets | None, projects: Secrets | None, project: Project
) -> None:
    root = project({"ctxtui.toml": _setting(projects)})
    _users(_setting(users))
    found = load_config(root, {"CTXTUI_SECRETS": environment} if environment else {})
    words = [word for word in (environment or users, projects) if word]
    assert found.secrets == (max(words, key=WORDS.index) if words else None)


@cases("places", list(product(("", 'model = "gpt-4o"', 'tokenizer = "cl100k_base"'), repeat=4)))
def test_the_most_specific_place_decides_which_model_or_tokenizer_counts(
    places: tuple[str, ...], project: Project
) -> None:
    users, shared, projects, environment = places
    _users(users)
    key, _, value = environment.partition(" = ")
    root = project({"ctxtui.toml": projects, "pyproject.toml": f"[tool.ctxtui]\n{shared}\n"})
    found = load_config(root, {f"CTXTUI_{key.upper()}": value.strip('"')} if key else {})
    said = [f'{name} = "{value}"' for name in ("model", "tokenizer") if (value := getattr(found, name))]
    assert said == list(filter(None, places))[-1:]


def test_a_model_beside_a_tokenizer_is_refused_where_they_are(project: Project) -> None:
    both = 'model = "gpt-4o"\nbudget = 5\ntokenizer = "cl100k_base"\n'
    _users(both)
    for root, where in (
        (project({}), f"{user_file()}:3"),
        (project({"pyproject.toml": f"[tool.ctxtui]\n{both}"}), "pyproject.toml:4"),
    ):
        with pytest.raises(ContextError, match=f"{re.escape(where)}: `tokenizer`: a model determines") as refused:
            load_config(root, {}, with_user="pyproject" not in where)
        assert refused.value.hint == "set one of them"
    with pytest.raises(ContextError, match="CTXTUI_TOKENIZER: a model determines"):
        load_config(project({}), {"CTXTUI_MODEL": "gpt-4o", "CTXTUI_TOKENIZER": "heuristic"}, with_user=False)
    with pytest.raises(ContextError, match=r"r\.yaml: a model determines"):
        recipe_yaml.parse_recipe("picks: []\nmodel: gpt-4o\ntokenizer: heuristic\n", "r.yaml")


@cases(("least", "recipes"), list(product(WORDS, WORDS)))
def test_a_recipe_is_no_less_strict(least: Secrets | None, recipes: Secrets | None, project: Project) -> None:
    said = f"secrets: {recipes}\n" if recipes else ""
    root = project({"a.md": f"# A\n\nkey: {KEY}\n", f"{FOLDER}/r.yaml": f"picks: [a.md]\n{said}"})
    workspace = Workspace.open(root)
    session = workspace.session().with_output(secrets=least).with_selection(load_recipe(workspace, "r").selection)
    wanted = max((least or "keep", recipes or "redact"), key=WORDS.index)
    assert session.secrets == wanted
    if wanted == "fail":
        with pytest.raises(SecretFound):
            session.payload()
        with pytest.raises(SecretFound):
            session.layout()
    else:
        assert (KEY in session.payload().text) == (wanted == "keep")
    # What is saved is the recipe's own word.
    assert session.selection.secrets == (recipes or "redact")
    assert KEY in session.with_output(secrets="keep").payload().text


@pytest.mark.parametrize("least", ["redact", "fail"])
def test_what_was_saved_before_is_handled_as_strictly(least: Secrets, project: Project, tmp_path: Path) -> None:
    root = project({"a.md": f"# A\n\nkey: {KEY}\n"})
    kept = Workspace.open(root).session().with_output(secrets="keep").pick("a.md")
    new = kept.workspace.session().with_output(secrets=least).with_selection(kept.selection).on(Workspace.open(root))
    assert new.secrets == least
    assert new.drop("a.md").pick("a.md").with_prompt("x").with_budget("1k").secrets == least


_ROW = re.compile(r"\| (`[^|]+) \| (yes|asked|stricter|no) \| [^|]+ \|")


def _decisions() -> list[dict[str, str]]:
    """The tables of the manual that say what a project decides: of settings, of recipes, and of other files."""
    text = (REPOSITORY / "ctxtui/docs/configuration.md").read_text("utf-8").partition("## Settings of a project")[2]
    tables = re.findall(r"\|---\|---\|---\|\n((?:\|.*\n)+)", text)
    found = [[_ROW.fullmatch(line) for line in table.splitlines()] for table in tables]
    assert all(row for table in found for row in table)
    return [
        {name: row[2] for row in table if row is not None for name in re.findall(r"`([^`]+)`", row[1])}
        for table in found
    ]


# What a project and its user write for each setting.
_SAID = {
    **dict.fromkeys(("budget", "reserve", "model", "theme", "editor"), ('"1k"', '"2k"')),
    "tokenizer": ('"cl100k_base"', '"heuristic"'),
    "format": ('"xml"', '"json"'),
    "over": ('"fit"', '"cut"'),
    "secrets": ('"keep"', '"redact"'),
    "user": ("true", "false"),
    **dict.fromkeys(("include", "exclude"), ('["a"]', '["b"]')),
    **dict.fromkeys(("keys", "limits", "rules", "agents", "mcp"), ('{ a = "1" }', '{ a = "2" }')),
    "load": ('{ context_dir = "a" }', '{ context_dir = "b" }'),
}


def test_each_setting_has_a_decision() -> None:
    settings, of_recipes, others = _decisions()
    assert set(settings) == set(config.FIELDS) == set(_SAID)
    assert set(of_recipes) == set(recipe_yaml.FIELDS)
    assert {PROJECT_FILE, SHARED_FILE, FOLDER, templates.FOLDER} <= set(others)


@cases("key", _SAID)
def test_a_setting_is_the_projects_only_if_that_was_decided(key: str, project: Project) -> None:
    projects, users = _SAID[key]
    _users(f"{key} = {users}\n")
    alone = getattr(load_config(project({}), {}), key)
    root = project({PROJECT_FILE: f"{key} = {projects}\n"})
    decision = _decisions()[0][key]
    if decision == "no" and key != "keys":
        with pytest.raises(ContextError, match=rf"ctxtui\.toml:1: `{key}` .*a project cannot set it"):
            load_config(root, {})
    else:
        assert (getattr(load_config(root, {}, lambda _: None), key) != alone) == (decision == "yes")
