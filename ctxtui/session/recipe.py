"""Recipes: a selection, prompt, budget and format as YAML, rebuilt headlessly to the same bytes."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, TypeVar, get_args

import yaml

from ctxtui.core.document import FRONTMATTER
from ctxtui.core.errors import ContextError, NotFound
from ctxtui.core.formats import FORMATS
from ctxtui.core.frontmatter import YamlProblem, load_yaml
from ctxtui.core.notices import Notice
from ctxtui.core.payload import Over, Position, Prompt
from ctxtui.core.root import write_atomic
from ctxtui.core.sizes import parse_tokens
from ctxtui.core.task_filter import TASK_FILTERS
from ctxtui.core.tokens.counter import get_counter
from ctxtui.session.budget import Budget
from ctxtui.session.drafts import Secrets
from ctxtui.session.selection import Pick
from ctxtui.session.session import Selection, Session
from ctxtui.workspace.workspace import Workspace, near

FOLDER = Path(".ctxtui") / "recipes"
_NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]{0,79}")
_DIGEST = 12
Result = TypeVar("Result")
_KEYS = frozenset(
    {"picks", "prompt", "prompt_position", "budget", "tokenizer", "model", "reserve", "format", "over", "secrets"}
)
_PICK_KEYS = frozenset({"id", "sections", "without", "frontmatter", "tasks", "pinned", "digest"})


@dataclass(frozen=True, slots=True)
class Recipe:
    """A saved selection, with the digest that each document had when it was saved."""

    selection: Selection
    digests: Mapping[str, str]


def recipe_path(root: Path, name: str) -> Path:
    """The file of a recipe by its name; raises ContextError (invalid_request) for an unusable name."""
    if not _NAME.fullmatch(name):
        raise ContextError(
            "invalid_request", f"no name for a recipe: {name!r}", hint="use letters, digits, dots, dashes"
        )
    return root / FOLDER / f"{name}.yaml"


def recipe_names(root: Path) -> list[str]:
    """The recipes of a project, by name."""
    return sorted(path.stem for path in (root / FOLDER).glob("*.yaml") if _NAME.fullmatch(path.stem))


def save_recipe(session: Session, name: str) -> Path:
    """Write the selection as `.ctxtui/recipes/NAME.yaml`, whole or not at all."""
    path = recipe_path(session.workspace.root, name)
    write_atomic(path, dump_recipe(session).encode())
    return path


def load_recipe(workspace: Workspace, name: str) -> Recipe:
    """Read a recipe of the project, by name or by path.

    Raises NotFound where there is none, ContextError (invalid_request) naming file and line where it is
    damaged.
    """
    path = Path(name) if name.endswith((".yaml", ".yml")) else recipe_path(workspace.root, name)
    try:
        text = path.read_text("utf-8")
    except FileNotFoundError as error:
        names = recipe_names(workspace.root)
        hint = near(name, names) or (f"there are {', '.join(names)}" if names else "save one in the app with w")
        raise NotFound(f"no recipe {name}", hint=hint) from error
    except (OSError, UnicodeDecodeError) as error:
        raise ContextError("unavailable", f"{path} cannot be read: {error}") from error
    return parse_recipe(text, str(path))


def dump_recipe(session: Session) -> str:
    """The YAML of a session's selection."""
    selection = session.selection
    budget = selection.budget
    values: dict[str, Any] = {
        "picks": [_dump_pick(pick, session.workspace) for pick in selection.picks],
        "format": selection.format,
        "over": selection.over,
    }
    if selection.prompt:
        values["prompt"] = selection.prompt.text
        values["prompt_position"] = selection.prompt.position
    if budget.limit is not None:
        values["budget"] = budget.limit
    if budget.model:
        values["model"] = budget.model
    else:
        values["tokenizer"] = budget.tokenizer
    if budget.reserve:
        values["reserve"] = budget.reserve
    if selection.secrets != "redact":
        values["secrets"] = selection.secrets
    return yaml.safe_dump(values, sort_keys=False, allow_unicode=True, width=100)


def _dump_pick(pick: Pick, workspace: Workspace) -> dict[str, Any]:
    marks = [mark for mark in pick.marks if mark[0] != FRONTMATTER]
    values: dict[str, Any] = {"id": pick.id}
    taken = [slug for slug, wanted in marks if wanted]
    dropped = [slug for slug, wanted in marks if not wanted]
    if not pick.whole:
        values["sections"] = taken
    elif taken:
        values["sections"] = ["*", *taken]
    if dropped:
        values["without"] = dropped
    if (FRONTMATTER, True) in pick.marks:
        values["frontmatter"] = True
    if pick.tasks:
        values["tasks"] = pick.tasks
    if pick.pinned:
        values["pinned"] = True
    digest = current_digest(workspace, pick.id)
    if digest:
        values["digest"] = digest
    return values


def current_digest(workspace: Workspace, id_: str) -> str | None:
    """The digest of a document's content as it is now; None where it cannot be read."""
    reference = workspace.by_id.get(id_)
    if reference is None:
        return None
    known = workspace.reader.known(reference, get_counter())
    if known is not None:
        return known.digest.hex()[:_DIGEST]
    try:
        return workspace.document(reference).digest.hex()[:_DIGEST]
    except ContextError:
        return None


def parse_recipe(text: str, place: str) -> Recipe:
    """The recipe in a YAML text; `place` names it in errors."""
    try:
        values, _ = load_yaml(text)
    except YamlProblem as problem:
        raise ContextError(
            "invalid_request", f"{place}:{problem.line + 1}: {problem}", hint="correct the YAML, or save it anew"
        ) from problem
    if not isinstance(values, dict):
        raise ContextError("invalid_request", f"{place}: a recipe holds `picks:` and more", hint="see README")
    reading = _Reading(place)
    reading.known(values, _KEYS)
    picks, digests = reading.picks(values.get("picks") or [])
    selection = Selection(
        picks=tuple(picks),
        prompt=reading.prompt(values),
        format=reading.choice(values, "format", tuple(FORMATS), "markdown"),
        over=reading.choice(values, "over", get_args(Over), "fail"),
        secrets=reading.choice(values, "secrets", get_args(Secrets), "redact"),
    )
    return Recipe(reading.budget(selection, values), digests)


class _Reading:
    """Reads the values of one recipe; whatever is wrong is an error that names the file."""

    def __init__(self, place: str) -> None:
        self._place = place

    def refuse(self, message: str, hint: str | None = None) -> ContextError:
        return ContextError("invalid_request", f"{self._place}: {message}", hint=hint)

    def known(self, values: Mapping[Any, Any], keys: frozenset[str]) -> None:
        for key in values:
            if key not in keys:
                raise self.refuse(f"unknown key `{key}`", near(str(key), sorted(keys)) or f"known: {sorted(keys)}")

    def choice(self, values: Mapping[str, Any], key: str, allowed: tuple[str, ...], default: str | None) -> Any:
        value = values.get(key, default)
        if value not in allowed:
            raise self.refuse(f"`{key}: {value}` is unknown", f"one of {', '.join(allowed)}")
        return value

    def texts(self, values: Mapping[str, Any], key: str) -> list[str]:
        value = values.get(key, [])
        if not isinstance(value, list) or not all(isinstance(item, str) for item in value):
            raise self.refuse(f"`{key}` should be a list of section slugs")
        return value

    def picks(self, values: object) -> tuple[list[Pick], dict[str, str]]:
        if not isinstance(values, list):
            raise self.refuse("`picks` should be a list")
        picks: dict[str, Pick] = {}
        digests: dict[str, str] = {}
        for value in values:
            entry = {"id": value} if isinstance(value, str) else value
            if not isinstance(entry, dict) or not isinstance(entry.get("id"), str):
                raise self.refuse(f"no pick: {value!r}", "write an id, or `id:` with `sections:`")
            self.known(entry, _PICK_KEYS)
            pick = self.pick(entry)
            if pick.id in picks:
                raise self.refuse(f"{pick.id} is picked twice", "name its sections in one pick")
            picks[pick.id] = pick
            if "digest" in entry:
                digests[pick.id] = str(entry["digest"])
        return list(picks.values()), digests

    def pick(self, entry: Mapping[str, Any]) -> Pick:
        sections = self.texts(entry, "sections")
        marks = [(slug, True) for slug in sections if slug != "*"]
        marks += [(slug, False) for slug in self.texts(entry, "without")]
        if entry.get("frontmatter") is True:
            marks.append((FRONTMATTER, True))
        whole = "sections" not in entry or "*" in sections
        tasks = self.choice(entry, "tasks", tuple(TASK_FILTERS), None) if "tasks" in entry else None
        return Pick(entry["id"], whole, tuple(marks), entry.get("pinned") is True, tasks)

    def prompt(self, values: Mapping[str, Any]) -> Prompt | None:
        text = values.get("prompt")
        if text is None:
            return None
        if not isinstance(text, str):
            raise self.refuse("`prompt` should be a text")
        return Prompt(text, self.choice(values, "prompt_position", get_args(Position), "last"))

    def budget(self, selection: Selection, values: Mapping[str, Any]) -> Selection:
        def tokens(key: str) -> int | None:
            value = values.get(key)
            if isinstance(value, str):
                return self.within(lambda: parse_tokens(value))
            if value is not None and (isinstance(value, bool) or not isinstance(value, int) or value < 0):
                raise self.refuse(f"`{key}: {value}` is no number of tokens")
            return value

        limit, reserve = tokens("budget"), tokens("reserve") or 0
        return self.within(lambda: with_budget(selection, limit, reserve, values))

    def within(self, make: Callable[[], Result]) -> Result:
        """What a function makes, its errors naming this recipe."""
        try:
            return make()
        except ContextError as error:
            raise self.refuse(error.message, error.hint) from error


def with_budget(selection: Selection, limit: int | None, reserve: int, values: Mapping[str, Any]) -> Selection:
    """The selection with the budget that plain values describe: `model` or `tokenizer`, limit, reserve."""
    model, tokenizer = values.get("model"), values.get("tokenizer")
    budget = Budget(limit, reserve=reserve)
    if isinstance(tokenizer, str):
        budget = replace(budget, tokenizer=tokenizer)
    if isinstance(model, str):
        from ctxtui.core.tokens.models import find_model  # noqa: PLC0415 - price data only for chosen models

        budget = replace(budget, model=model, window=find_model(model).window)
    _ = budget.counter
    return replace(selection, budget=budget)


@dataclass(frozen=True, slots=True)
class Staleness:
    """The picks of a recipe whose documents changed since it was saved, and what of them is gone."""

    changed: tuple[str, ...]
    missing: tuple[str, ...]

    @property
    def notices(self) -> list[Notice]:
        """Both as notices."""
        gone = [Notice("missing", f"{id_} is gone or cannot be read; it is left out") for id_ in self.missing]
        return gone + [Notice("stale", f"{id_} has changed since it was saved") for id_ in self.changed]


def staleness(recipe: Recipe, workspace: Workspace) -> Staleness:
    """What has changed or gone since a recipe was saved."""
    changed: list[str] = []
    missing: list[str] = []
    for pick in recipe.selection.picks:
        digest = current_digest(workspace, pick.id)
        if digest is None:
            missing.append(pick.id)
            continue
        if pick.marks:
            try:
                document = workspace.document(workspace.by_id[pick.id])
            except ContextError:
                missing.append(pick.id)
                continue
            missing += [f"{pick.id}#{slug}" for slug in pick.lost(document)]
        if recipe.digests.get(pick.id, digest) != digest:
            changed.append(pick.id)
    return Staleness(tuple(changed), tuple(missing))
