"""A selection as the YAML of a recipe, and back; every error names file, line and remedy."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from typing import Any, Final, TypeVar, get_args

from ctxtui.core.data.bounds import DataProblem
from ctxtui.core.data.lines import Steps, line_of
from ctxtui.core.data.yaml import dump_yaml, load_yaml
from ctxtui.core.errors import ContextError
from ctxtui.core.markdown.document import FRONTMATTER
from ctxtui.core.markdown.task_filter import TASK_FILTERS
from ctxtui.core.payload.formats import FORMATS
from ctxtui.core.payload.types import Over, Position, Prompt
from ctxtui.core.secrets import Secrets
from ctxtui.core.tokens.by_name import get_counter
from ctxtui.core.tokens.parse import parse_tokens
from ctxtui.session.budget import Budget
from ctxtui.session.picks import QUERY, AnyPick, Pick, QueryPick, SnippetPick
from ctxtui.session.queries import definition_of, read_question
from ctxtui.session.selection import Selection
from ctxtui.session.session import Session
from ctxtui.workspace.workspace import Workspace, near

_DIGEST = 12
# Counted files need no reading; reading more files than this would take seconds.
_READ_AT_MOST = 500
UNKNOWN: Final = ""
_LINES = re.compile(r"(\d{1,9})(?:-(\d{1,9}))?")
Result = TypeVar("Result")
DigestOf = Callable[[Workspace, str], str | None]
_KEYS = frozenset(
    {"picks", "prompt", "prompt_position", "budget", "tokenizer", "model", "reserve", "format", "over", "secrets"}
)
_PICK_KEYS = frozenset({"id", "sections", "without", "frontmatter", "tasks", "lines", "pinned", "digest"})
_QUERY_KEYS = frozenset({"query", "entries", "context", "from", "budget", "pinned"})


@dataclass(frozen=True, slots=True)
class Recipe:
    """A saved selection, with the digest that each document had when it was saved."""

    selection: Selection
    digests: Mapping[str, str]


def dump_recipe(session: Session) -> str:
    """The YAML of a session's selection; raises ContextError (invalid_request) if that is impossible."""
    try:
        return dump_yaml(recipe_values(session))
    except DataProblem as problem:
        hint = "rename the file, or correct the prompt"
        raise ContextError("invalid_request", f"the selection cannot be saved: {problem}", hint=hint) from problem


def recipe_values(session: Session, digest_of: DigestOf | None = None) -> dict[str, Any]:
    """A session's selection as plain values; `digest_of` is `current_digest` unless another is given."""
    digest_of = digest_of or current_digest
    selection = session.selection
    budget = selection.budget
    values: dict[str, Any] = {
        "picks": [_dump_pick(pick, session.workspace, digest_of) for pick in selection.picks],
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
    return values


def _dump_pick(pick: AnyPick, workspace: Workspace, digest_of: DigestOf) -> dict[str, Any]:
    if isinstance(pick, Pick):
        return _dump_document(pick, digest_of(workspace, pick.id))
    pinned = {"pinned": True} if pick.pinned else {}
    if isinstance(pick, QueryPick):
        return {"query": pick.name, **json.loads(pick.definition), **pinned}
    digest = digest_of(workspace, pick.document)
    lines = f"{pick.first}-{pick.last}"
    return {"id": pick.document, "lines": lines, **pinned, **({"digest": digest} if digest else {})}


def _dump_document(pick: Pick, digest: str | None) -> dict[str, Any]:
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
    if digest:
        values["digest"] = digest
    return values


def current_digest(workspace: Workspace, id_: str) -> str | None:
    """The digest of a document's current content; None if it cannot be read."""
    known = known_digest(workspace, id_)
    reference = workspace.by_id.get(id_)
    if known is not None or reference is None:
        return known
    try:
        return workspace.document(reference).digest.hex()[:_DIGEST]
    except ContextError:
        return None


def known_digest(workspace: Workspace, id_: str) -> str | None:
    """The digest of a document that has been counted; None for others, whose file would have to be read."""
    reference = workspace.by_id.get(id_)
    known = workspace.reader.known(reference, get_counter()) if reference is not None else None
    return known.digest.hex()[:_DIGEST] if known is not None else None


def sparing_digest() -> DigestOf:
    """As `current_digest`, but reads only some of the files not counted yet; `UNKNOWN` for the others."""
    left = _READ_AT_MOST

    def digest_of(workspace: Workspace, id_: str) -> str | None:
        nonlocal left
        known = known_digest(workspace, id_)
        if known is not None or id_ not in workspace.by_id:
            return known
        if left == 0:
            return UNKNOWN
        left -= 1
        return current_digest(workspace, id_)

    return digest_of


def parse_recipe(text: str, place: str) -> Recipe:
    """The recipe in a YAML text; `place` names it in errors."""
    try:
        values, _ = load_yaml(text)
    except DataProblem as problem:
        hint = "correct the YAML, or save the recipe again"
        raise ContextError("invalid_request", f"{place}:{problem.line + 1}: {problem}", hint=hint) from problem
    if not isinstance(values, dict):
        raise ContextError(
            "invalid_request",
            f"{place}: a recipe has `picks:` and other keys",
            hint="see ctxtui help recipes",
        )
    return read_recipe(values, place, text)


def read_recipe(values: Mapping[Any, Any], place: str, text: str) -> Recipe:
    """The recipe in plain values; errors name `place` and the line in `text`."""
    reading = _Reading(place, text)
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
    """Reads the values of one recipe; every error names the file."""

    def __init__(self, place: str, text: str) -> None:
        self._place = place
        self._text = text

    def refuse(self, message: str, hint: str | None = None, at: Steps = ()) -> ContextError:
        line = line_of(self._text, at) if at else None
        where = self._place if line is None else f"{self._place}:{line}"
        return ContextError("invalid_request", f"{where}: {message}", hint=hint)

    def known(self, values: Mapping[Any, Any], keys: frozenset[str], at: Steps = ()) -> None:
        for key in values:
            if key not in keys:
                hint = near(str(key), sorted(keys)) or f"known: {', '.join(sorted(keys))}"
                raise self.refuse(f"unknown key `{key}`", hint, (*at, str(key)))

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

    def picks(self, values: object) -> tuple[list[AnyPick], dict[str, str]]:
        if not isinstance(values, list):
            raise self.refuse("`picks` should be a list", at=("picks",))
        picks: dict[str, AnyPick] = {}
        digests: dict[str, str] = {}
        for place, value in enumerate(values):
            entry = {"id": value} if isinstance(value, str) else value
            at: Steps = ("picks", place)
            if not isinstance(entry, dict) or not isinstance(entry.get("id", entry.get("query")), str):
                raise self.refuse(f"not a pick: {value!r}", "write an id, `id:` with `sections:`, or `query:`", at)
            pick = self.any_pick(entry, at)
            if pick.id in picks:
                raise self.refuse(f"{pick.id} is picked twice", "name its sections in one pick", at)
            picks[pick.id] = pick
            if "digest" in entry:
                digests[pick.id] = str(entry["digest"])
        return list(picks.values()), digests

    def any_pick(self, entry: Mapping[str, Any], at: Steps) -> AnyPick:
        if "query" in entry:
            return self.query(entry, at)
        self.known(entry, _PICK_KEYS, at)
        return self.snippet(entry, at) if "lines" in entry else self.pick(entry)

    def query(self, entry: Mapping[str, Any], at: Steps) -> QueryPick:
        self.known(entry, _QUERY_KEYS, at)
        data = {key: value for key, value in entry.items() if key not in ("query", "pinned")}
        where = f"{self._place}:{line_of(self._text, at)}: query {entry['query']}"
        read_question(data, where, self._place, lambda path: line_of(self._text, (*at, "context", *path)))
        return QueryPick(f"{QUERY}{entry['query']}", definition_of(data), entry.get("pinned") is True)

    def snippet(self, entry: Mapping[str, Any], at: Steps) -> SnippetPick:
        match = _LINES.fullmatch(str(entry["lines"]))
        if match is None or not 1 <= int(match[1]) <= int(match[2] or match[1]):
            raise self.refuse(f"`lines: {entry['lines']}` are not lines", "write `lines: 10-24`", (*at, "lines"))
        pick = SnippetPick.of(entry["id"], int(match[1]), int(match[2] or match[1]))
        return replace(pick, pinned=entry.get("pinned") is True)

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
                raise self.refuse(f"`{key}: {value}` is not a number of tokens")
            return value

        limit, reserve = tokens("budget"), tokens("reserve") or 0
        return self.within(lambda: with_budget(selection, limit, reserve, values))

    def within(self, make: Callable[[], Result]) -> Result:
        """The result of a function; its errors name this recipe."""
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
