"""The tools `load_context` (loader specification) and `build_payload`: texts for a model within a budget."""

from __future__ import annotations

from functools import partial
from typing import Any, Final

from ctxtui.core.base.errors import ContextError, NotFound, invalid
from ctxtui.core.base.wording import parse_tokens, plural
from ctxtui.core.disk.open_at import is_folder
from ctxtui.core.disk.root import Root
from ctxtui.core.payload.formats import FORMATS
from ctxtui.core.text.projection import project
from ctxtui.core.text.secrets import Secrets
from ctxtui.core.tokens.by_name import get_counter
from ctxtui.loader.api import DEFAULT_BUDGET, LoaderOptions, load_context
from ctxtui.loader.types import CONTEXT_DIR
from ctxtui.mcp.results import MAX_CHARACTERS
from ctxtui.mcp.tool import FLAG, TEXT, TEXTS, Arguments, Call, Schema, Tool, in_thread
from ctxtui.session.delivery.export import check_export
from ctxtui.session.pick_words import named_whole, outline_words, pick_words
from ctxtui.session.queries.git_picks import with_git
from ctxtui.session.queries.git_questions import KINDS
from ctxtui.session.queries.related_picks import with_related
from ctxtui.session.saved.recipe import load_recipe, staleness
from ctxtui.session.saved.recipe_yaml import Recipe
from ctxtui.session.session import Session, resolved
from ctxtui.session.suggest.suggest import suggest
from ctxtui.workspace.workspace import Workspace

_BUDGET: Final[Schema] = {"type": ["integer", "string"], "description": f"12k; default {DEFAULT_BUDGET:,}"}


def _load(call: Call) -> object:
    """The summary of `.context`, counted with o200k_base, and its files with sizes and, on request, structure."""
    _require_context(call.project.root)
    budget = _budget_tokens(call.arguments)
    options = LoaderOptions(
        call.project.root.path,
        token_budget=DEFAULT_BUDGET if budget is None else budget,
        counter=get_counter(),
        on_notice=call.tell,
        secrets=call.project.secrets,
    )
    data: dict[str, Any] = project(load_context(options))
    left_out = {"content"} if call.arguments.flag("structure") else {"content", "parsed"}
    data["files"] = [{key: value for key, value in file.items() if key not in left_out} for file in data["files"]]
    return data


def _require_context(root: Root) -> None:
    """Raise NotFound if the served folder itself has no context, because the loader also searches its parents."""
    if not is_folder(root.resolve(CONTEXT_DIR)):
        raise NotFound("no .context directory in this project")
    for name in root.names(CONTEXT_DIR):
        if name.endswith(".md"):
            root.resolve(f"{CONTEXT_DIR}/{name}")


def _build(call: Call) -> object:
    """The payload of a recipe, picks and git queries, cut to the budget even if a recipe would fail.

    Raises ContextError for an empty selection, and for a text longer than an answer may be.
    """
    workspace = call.project.workspace()
    session = _session(workspace, call)
    if session.selection.is_empty:
        raise invalid("nothing to build", hint="name a recipe, picks, or a diff")
    # A recipe says `fail` for people, who can ask again. An agent gets what its budget holds.
    payload = resolved(session).payload(over="fit" if session.selection.over == "fit" else "cut")
    call.tell(*payload.notices)
    check_export(session, payload)
    if len(payload.text) > MAX_CHARACTERS:
        message = f"the payload has {plural(payload.tokens, 'token')}, {plural(len(payload.text), 'character')}"
        raise invalid(message, hint=f"lower the budget: an answer has at most {MAX_CHARACTERS:,} characters")
    return {
        "text": payload.text,
        "tokens": payload.tokens,
        "wanted": payload.wanted,
        "limit": session.budget.effective,
        "tokenizer": session.budget.counter.name,
        "truncated": list(payload.truncated),
        "omitted": list(payload.omitted),
        "missing": list(payload.missing),
    }


def _suggest(call: Call) -> object:
    workspace = call.project.workspace()
    engine = call.project.engine("filesystem")
    session = workspace.session(_budget_tokens(call.arguments)).with_output(secrets=call.project.secrets)
    found = suggest(session, call.arguments.text("task"), partial(engine.weigh, str(workspace.root)))
    call.tell(*found.notices)
    picks = [{"id": row.id, "tokens": row.tokens, "reason": row.reason} for row in found.rows]
    return {"picks": picks, "tokens": found.tokens, "limit": found.limit, "tokenizer": session.budget.counter.name}


def _session(workspace: Workspace, call: Call) -> Session:
    """The session of `build_payload`. The budget is the caller's, else the recipe's, else `DEFAULT_BUDGET`."""
    arguments = call.arguments
    session = workspace.session(DEFAULT_BUDGET).with_output(secrets=call.project.secrets)
    name = arguments.optional_text("recipe")
    if name is not None:
        recipe = _recipe(workspace, name)
        call.tell(*staleness(recipe, workspace).notices)
        if recipe.selection.template is not None and arguments.optional_text("format") is None:
            raise _template_refusal(recipe)
        session = session.with_selection(recipe.selection)
        if session.budget.effective is None:
            session = session.with_budget(DEFAULT_BUDGET)
    of_recipe = session
    session, choices = pick_words(session, arguments.texts("picks"), call.tell, workspace.root)
    session = with_git(session, {kind: arguments.optional_text(kind) for kind in KINDS})
    # Later blocks are cut first: outlines are secondary to the change.
    session = outline_words(
        session, arguments.texts("outline"), named_whole(of_recipe, choices), call.tell, workspace.root
    )
    related = arguments.number("related")
    if related is not None:
        session = with_related(session, related, call.tell, call.check)
    prompt = arguments.optional_text("prompt")
    if prompt is not None:
        session = session.with_prompt(prompt)
    budget = _budget_tokens(arguments)
    if budget is not None:
        session = session.with_budget(budget)
    return session.with_output(arguments.optional_text("format"))


def _budget_tokens(arguments: Arguments) -> int | None:
    value = arguments.get("budget")
    return parse_tokens(value) if isinstance(value, str) else arguments.number("budget")


def _recipe(workspace: Workspace, name: str) -> Recipe:
    """A saved recipe by its name. Never another file, no matter where a name or link points."""
    if name.endswith((".yaml", ".yml")):
        raise invalid("name the recipe without its extension")
    return load_recipe(workspace, name)


def _template_refusal(recipe: Recipe) -> ContextError:
    """The error for a recipe with a template. An agent can read blocks and cannot consent to a template."""
    return invalid(f"the recipe is written with a template ({recipe.selection.output})", hint="name a format")


def recipe_text(workspace: Workspace, name: str, secrets: Secrets = "redact") -> str:
    """A recipe's current payload, with `secrets` as the least strict policy.

    Raises ContextError if it cannot be exported.
    """
    recipe = _recipe(workspace, name)
    if recipe.selection.template is not None:
        raise _template_refusal(recipe)
    session = resolved(workspace.session().with_output(secrets=secrets).with_selection(recipe.selection))
    payload = session.payload()
    check_export(session, payload)
    return payload.text


PAYLOADS: Final = (
    Tool(
        "load_context",
        "The project's .context directory as one summary within a budget.",
        in_thread(_load),
        {"budget": _BUDGET, "structure": {**FLAG, "description": "sections and tasks"}},
    ),
    Tool(
        "build_payload",
        "One text of a recipe, picks, outlines, git changes, related files (1-3), cut to budget.",
        in_thread(_build),
        {
            "recipe": TEXT,
            "picks": {**TEXTS, "description": "ids, globs: A.md#done, !**/test_*"},
            "outline": TEXTS,
            "changed": {**TEXT, "description": "base, a..b, staged or empty"},
            "sections": {**TEXT, "description": "their changed sections"},
            "diff": {**TEXT, "description": "likewise"},
            "log": {**TEXT, "description": "a..b"},
            "related": {"type": "integer"},
            "prompt": TEXT,
            "budget": _BUDGET,
            "format": {"enum": list(FORMATS)},
        },
    ),
    Tool(
        "suggest_context",
        "Picks for build_payload that belong to a task, with reasons.",
        in_thread(_suggest),
        {"task": TEXT, "budget": {"type": _BUDGET["type"]}},
        ("task",),
    ),
)
