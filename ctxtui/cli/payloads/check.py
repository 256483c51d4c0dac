"""`ctxtui check`: find stale, missing and oversized recipes, for CI."""

from __future__ import annotations

import argparse
from collections.abc import Sequence
from contextlib import suppress
from typing import Any

from ctxtui.cli.output.as_json import print_json
from ctxtui.cli.output.streams import put
from ctxtui.cli.payloads.picked import load_with_hint
from ctxtui.cli.project import Narrator, narrated, open_project, override_budget
from ctxtui.cli.status import DONE, PASSED_LIMIT
from ctxtui.core.base.errors import ContextError, OverBudget
from ctxtui.core.base.notices import Notice
from ctxtui.core.base.plain import plain_line
from ctxtui.core.base.wording import plural
from ctxtui.core.payload.types import Payload
from ctxtui.core.text.projection import project
from ctxtui.core.tokens.whole import is_reconstructible
from ctxtui.session.saved.recipe import load_recipe, recipe_names, staleness
from ctxtui.session.session import Session, resolved

# Notices about payload contents that no recipe can fix.
_ABOUT_CONTENT = frozenset(("invalid-text", "binary-file"))


@narrated
def run_check(arguments: argparse.Namespace, narrator: Narrator) -> int:
    """Check one recipe or all. Exits with 1 if any is stale, missing or over its limit."""
    workspace, config = open_project(arguments, narrator)
    empty = workspace.session().with_output(secrets=config.secrets)
    if arguments.recipe:
        results = [_check(empty, arguments.recipe, arguments, narrator)]
    else:
        names = recipe_names(workspace.reader.root)
        results = [_check_or_explain(empty, name, arguments, narrator) for name in names]
    if arguments.json:
        print_json(results if arguments.recipe is None else results[0], narrator.notices)
    else:
        for result in results:
            _print(result)
        if not results:
            narrator.say("no recipes; save one in the app with w")
    return DONE if all(result["ok"] for result in results) else PASSED_LIMIT


def _check_or_explain(empty: Session, name: str, arguments: argparse.Namespace, narrator: Narrator) -> dict[str, Any]:
    """As `_check`, but an unreadable recipe is a problem of the result."""
    try:
        return _check(empty, name, arguments, narrator)
    except ContextError as error:
        message = f"{error.message}; {error.hint}" if error.hint else error.message
        tokenizer = empty.budget.counter.name
        return _result(name, None, None, tokenizer, [Notice("unreadable-recipe", message)])


def _check(empty: Session, name: str, arguments: argparse.Namespace, narrator: Narrator) -> dict[str, Any]:
    """The result of checking a recipe in an `empty` session. Raises ContextError for an unreadable recipe."""
    workspace = empty.workspace
    recipe = load_with_hint(name, workspace.root, lambda: load_recipe(workspace, name))
    session = resolved(override_budget(empty.with_selection(recipe.selection), arguments))
    payload = _layout(session)
    narrator.tell(notice for notice in payload.notices if notice.code in _ABOUT_CONTENT)
    problems = [*staleness(recipe, workspace).notices]
    problems += [notice for notice in payload.notices if notice.code == "query-failed"]
    limit = session.budget.effective
    excess = max(0, payload.upper - limit) if limit is not None else 0
    return _result(name, payload.wanted, limit, session.budget.counter.name, problems, excess)


def _layout(session: Session) -> Payload:
    """The payload's numbers. If an estimate is over the limit, the count of the whole text decides, as in `build`."""
    layout, limit = session.layout(over="fail"), session.budget.effective
    if limit is not None and layout.upper > limit and is_reconstructible(session.budget.counter):
        with suppress(OverBudget):
            return session.payload(over="fail")
    return layout


def _result(
    name: str, tokens: int | None, limit: int | None, tokenizer: str, problems: Sequence[Notice], excess: int = 0
) -> dict[str, Any]:
    """The result of a recipe. `tokens` is None if it cannot be read, `excess` the tokens beyond the limit."""
    return {
        "recipe": name,
        "ok": not problems and not excess,
        "tokens": tokens,
        "limit": limit,
        "over": excess > 0,
        "overBy": excess,
        "tokenizer": tokenizer,
        "problems": project(problems),
    }


def _print(result: dict[str, Any]) -> None:
    word = "ok  " if result["ok"] else "FAIL"
    tokens, limit = result["tokens"], result["limit"]
    size = plural(tokens or 0, "token") if limit is None else f"{tokens:,} of {plural(limit, 'token')}"
    told = "" if tokens is None else f"  {size} ({result['tokenizer']})"
    put(f"{word} {plain_line(result['recipe'])}{told}")
    if result["over"]:
        put(f"     over its limit by {result['overBy']:,}")
    for problem in result["problems"]:
        put(f"     {problem['code']}: {plain_line(problem['message'])}")
