"""A selection as the YAML of a recipe, and back. Every error names file, line and remedy."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from typing import Any, Final, get_args

from ctxtui.core.base.errors import ContextError, invalid
from ctxtui.core.base.target import OUTLINE as OUTLINE_SECTION
from ctxtui.core.base.target import Target
from ctxtui.core.payload.formats import FORMATS
from ctxtui.core.payload.types import Over, Position, Prompt, Tree
from ctxtui.core.text.code.outline import OUTLINE
from ctxtui.core.text.data.bounds import DataProblem
from ctxtui.core.text.data.lines import yaml_lines
from ctxtui.core.text.data.schema import Place, Reader, choice, filled, flag, many, read, text, tokens
from ctxtui.core.text.data.yaml import dump_yaml, load_yaml
from ctxtui.core.text.markdown.document import FRONTMATTER
from ctxtui.core.text.markdown.task_filter import TASK_FILTERS
from ctxtui.core.text.secrets import Secrets
from ctxtui.core.tokens.by_name import get_counter
from ctxtui.session.assembly.templates import TemplateName
from ctxtui.session.budget import Budget
from ctxtui.session.glob_picks import check_patterns
from ctxtui.session.picks import QUERY, AnyPick, GlobPick, Pick, QueryPick, SnippetPick
from ctxtui.session.queries.answers import definition_of
from ctxtui.session.selection import Selection
from ctxtui.session.session import Session
from ctxtui.workspace.workspace import Workspace

_DIGEST = 12
# Reading more files takes seconds. Counted files need no reading.
_READ_AT_MOST = 500
UNKNOWN: Final = ""
_LINES = re.compile(r"(\d{1,9})(?:-(\d{1,9}))?")
DigestOf = Callable[[Workspace, str], str | None]


@dataclass(frozen=True, slots=True)
class Recipe:
    """A saved selection, the digest of each document at that time, and the version of the file."""

    selection: Selection
    digests: Mapping[str, str]
    version: str = ""


def dump_recipe(session: Session) -> str:
    """The YAML of a session's selection. Raises ContextError (invalid_request) if YAML cannot express it."""
    try:
        return dump_yaml(recipe_values(session))
    except DataProblem as problem:
        hint = "rename the file, or correct the prompt"
        raise invalid(f"the selection cannot be saved: {problem}", hint=hint) from problem


def recipe_values(session: Session, digest_of: DigestOf | None = None) -> dict[str, Any]:
    """The keys and values of a session's recipe. `digest_of` gives each document's digest, by default the current."""
    digest_of = digest_of or current_digest
    selection = session.selection
    budget = selection.budget
    picks = [_dump_pick(pick, session.workspace, digest_of) for pick in selection.written.picks]
    prompt = selection.prompt
    optional = {
        "template": selection.template.name if selection.template else None,
        "tree": selection.tree,
        "prompt": prompt.text if prompt else None,
        "prompt_position": prompt.position if prompt else None,
        "budget": budget.limit,
        "model": budget.model or None,
        "tokenizer": None if budget.model else budget.tokenizer,
        "reserve": budget.reserve or None,
        "secrets": None if selection.secrets == "redact" else selection.secrets,
    }
    given = {key: value for key, value in optional.items() if value is not None}
    return {"picks": picks, "format": selection.format, "over": selection.over, **given}


def _dump_pick(pick: AnyPick, workspace: Workspace, digest_of: DigestOf) -> dict[str, Any]:
    if isinstance(pick, Pick):
        return _dump_document(pick, digest_of(workspace, pick.id))
    pinned = {"pinned": True} if pick.pinned else {}
    if isinstance(pick, QueryPick):
        return {"query": pick.name, **json.loads(pick.definition), **pinned}
    if isinstance(pick, GlobPick):
        without = {"without": list(pick.without)} if pick.without else {}
        return {"glob": pick.pattern, **without, **({"as": OUTLINE} if pick.outline else {}), **pinned}
    digest = digest_of(workspace, pick.document)
    lines = f"{pick.first}-{pick.last}"
    return {"id": pick.document, "lines": lines, **pinned, **({"digest": digest} if digest else {})}


def _dump_document(pick: Pick, digest: str | None) -> dict[str, Any]:
    """The keys of a document's pick, without defaults. `*` among the sections means the whole text."""
    marks = [mark for mark in pick.marks if mark[0] != FRONTMATTER]
    values: dict[str, Any] = {"id": pick.id}
    taken = [slug for slug, wanted in marks if wanted]
    dropped = [slug for slug, wanted in marks if not wanted]
    if not pick.whole and (taken or not pick.outline):
        values["sections"] = taken
    elif pick.whole and (taken or pick.outline or Target.parse(pick.id).section):
        values["sections"] = ["*", *taken]
    optional = {
        "without": dropped,
        "frontmatter": (FRONTMATTER, True) in pick.marks,
        "as": OUTLINE if pick.outline else None,
        "tasks": pick.tasks,
        "pinned": pick.pinned,
        "digest": digest,
    }
    return values | {key: value for key, value in optional.items() if value}


def current_digest(workspace: Workspace, id_: str) -> str | None:
    """The digest of a document's current content, None if it is not listed or cannot be read. May read the file."""
    known = known_digest(workspace, id_)
    reference = workspace.by_id.get(id_)
    if known is not None or reference is None:
        return known
    try:
        return workspace.document(reference).digest.hex()[:_DIGEST]
    except ContextError:
        return None


def known_digest(workspace: Workspace, id_: str) -> str | None:
    """The digest of a document that is counted in the default encoding, else None. Reads no file."""
    reference = workspace.by_id.get(id_)
    known = workspace.reader.known_entry(reference, get_counter()) if reference is not None else None
    return known.digest.hex()[:_DIGEST] if known is not None else None


def sparing_digest() -> DigestOf:
    """`current_digest` that reads a limited number of uncounted files, and returns `UNKNOWN` for the others."""
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
    """The recipe in a YAML text. Raises ContextError (invalid_request) naming `place` and line."""
    try:
        values, _ = load_yaml(text)
    except DataProblem as problem:
        hint = "correct the YAML, or save the recipe again"
        raise invalid(f"{place}:{problem.line + 1}: {problem}", hint=hint) from problem
    if not isinstance(values, dict):
        raise invalid(f"{place}: a recipe has `picks:` and other keys", hint="see ctxtui help recipes")
    return read_recipe(values, place, text)


def read_recipe(values: Mapping[Any, Any], place: str, text: str) -> Recipe:
    """The recipe in plain values, None meaning the default. Its `over` is `fail` by default.

    Raises ContextError (invalid_request) naming `place` and the line in `text`.
    """
    where = Place.named(place, lambda steps: yaml_lines(text)(steps))
    given = read(where, {key: each for key, each in values.items() if each is not None or key not in FIELDS}, FIELDS)
    picks = given.get("picks", ())
    prompt = given.get("prompt")
    chosen = {name: given[name] for name in ("tokenizer", "model", "reserve") if name in given}
    selection = Selection(
        picks=tuple(pick for pick, _ in picks),
        prompt=None if prompt is None else Prompt(prompt, given.get("prompt_position", "last")),
        budget=where.within(lambda: Budget().with_budget(given.get("budget"), **chosen)),
        format=given.get("format", "markdown"),
        over=given.get("over", "fail"),
        secrets=given.get("secrets", "redact"),
        template=given.get("template"),
        tree=given.get("tree"),
    )
    return Recipe(selection, {pick.id: digest for pick, digest in picks if digest})


def _read_picks(place: Place, value: object) -> tuple[_Picked, ...]:
    picks = many(_read_pick, "a list of picks")(place, value)
    ids: set[str] = set()
    for position, (pick, _) in enumerate(picks):
        if pick.id in ids:
            raise place.at(position).error(f"{pick.id} is picked twice", "name its sections in one pick")
        ids.add(pick.id)
    return picks


def _read_pick(place: Place, value: object) -> _Picked:
    """One pick of a recipe, and its digest if it has one. Documents need not exist."""
    entry = {"id": value} if isinstance(value, str) else value
    if not isinstance(entry, dict) or not any(isinstance(entry.get(kind), str) for kind in ("id", "query", "glob")):
        raise place.wrong("is not a pick", "write an id, `id:` with `sections:`, `glob:` or `query:`")
    if "glob" in entry:
        return _read_glob(place, entry), None
    if "query" in entry:
        return _read_query(place, entry), None
    given = read(place, entry, _PICK)
    target = Target.parse(given["id"])
    # The id of a part, as search and retrieve return it. `_dump_document` writes a key of these for a file.
    if target.section and not {"sections", "lines", "as"} & given.keys():
        given = {**given, "id": target.document, **_part_keys(place, target)}
    pinned = given.get("pinned", False)
    if "lines" in given:
        narrowing = next((key for key in _OF_WHOLE if given.get(key)), None)
        if narrowing is not None:
            raise place.error(f"lines have no {narrowing}", f"remove `lines:` or `{narrowing}:`")
        return replace(SnippetPick.of(given["id"], *given["lines"]), pinned=pinned), given.get("digest")
    sections = given.get("sections", ())
    marks = [(slug, True) for slug in sections if slug != "*"] + [(slug, False) for slug in given.get("without", ())]
    if given.get("frontmatter"):
        marks.append((FRONTMATTER, True))
    outline = "as" in given
    whole = "*" in sections or ("sections" not in given and not outline)
    pick = Pick(given["id"], whole, tuple(marks), pinned, given.get("tasks"), outline=outline)
    if outline and pick.tasks:
        raise place.error("an outline has no tasks", "remove `as:` or `tasks:`")
    return pick, given.get("digest")


def _part_keys(place: Place, target: Target) -> dict[str, Any]:
    if target.lines:
        return {"lines": _line_range(place, "{}-{}".format(*target.lines))}
    return {"as": OUTLINE} if target.section == OUTLINE_SECTION else {"sections": (target.section,)}


def _read_query(place: Place, entry: Mapping[str, Any]) -> QueryPick:
    name = filled(place.at("query"), entry["query"]).strip()
    pinned = flag(place.at("pinned"), entry.get("pinned", False))
    data = {key: value for key, value in entry.items() if key not in ("query", "pinned")}
    from ctxtui.session.queries.questions import read_question  # noqa: PLC0415 - few recipes have queries

    read_question(place, data)
    return QueryPick(f"{QUERY}{name}", definition_of(data), pinned)


def _read_glob(place: Place, entry: Mapping[str, Any]) -> GlobPick:
    given = read(place, entry, _GLOB)
    pick = GlobPick.of(given["glob"], given.get("without", ()), given.get("pinned", False), "as" in given)
    place.at("glob").within(lambda: check_patterns((pick.pattern, *pick.without)))
    return pick


def _line_range(place: Place, value: object) -> tuple[int, int]:
    match = _LINES.fullmatch(str(value))
    if match is None or not 1 <= int(match[1]) <= int(match[2] or match[1]):
        raise place.should_be("lines of the document", value, "write `lines: 10-24`")
    return int(match[1]), int(match[2] or match[1])


_Picked = tuple[AnyPick, str | None]
_PICK: Final[Mapping[str, Reader]] = {
    "id": text,
    "sections": many(text, "a list of section slugs"),
    "without": many(text, "a list of section slugs"),
    "frontmatter": flag,
    "as": choice(OUTLINE),
    "tasks": choice(*TASK_FILTERS),
    "lines": _line_range,
    "pinned": flag,
    # YAML reads twelve decimal digits as a number.
    "digest": lambda _, value: str(value),
}
# Keys that narrow or extend a document, not lines of it.
_OF_WHOLE: Final = ("sections", "without", "frontmatter", "as", "tasks")
_GLOB: Final[Mapping[str, Reader]] = {
    "glob": text,
    "without": many(text, "a list of patterns, ids or paths"),
    "as": choice(OUTLINE),
    "pinned": flag,
}


def _template(place: Place, value: object) -> TemplateName:
    word = filled(place, value)
    return place.within(lambda: TemplateName.of(word))


FIELDS: Final[Mapping[str, Reader]] = {
    "picks": _read_picks,
    "prompt": text,
    "prompt_position": choice(*get_args(Position)),
    "budget": tokens,
    "tokenizer": text,
    "model": text,
    "reserve": tokens,
    "format": choice(*FORMATS),
    "template": _template,
    "tree": choice(*get_args(Tree)),
    "over": choice(*get_args(Over)),
    "secrets": choice(*get_args(Secrets)),
}
