"""Decide whether a payload may be exported: for the app, the command line and the MCP server."""

from __future__ import annotations

from ctxtui.core.base.errors import ContextError, OverBudget, invalid
from ctxtui.core.base.wording import plural
from ctxtui.core.payload.types import Payload
from ctxtui.session.session import Session


def check_export(session: Session, payload: Payload) -> None:
    """Check that a payload may be exported.

    Raises ContextError: invalid_request if nothing is picked, OverBudget if blocks that cannot be cut exceed the
    limit, unavailable if the whole selection is unreadable or empty.
    """
    if session.selection.is_empty:
        raise invalid("nothing is picked", hint="pick a document or write a prompt")
    limit = session.budget.effective
    if limit is not None and payload.upper > limit:
        alone = "prompt, pinned picks and header lines alone take"
        if session.selection.template is not None:
            alone = "what the template makes of prompt, pinned picks and header lines alone takes"
        raise OverBudget(
            f"not exported: {alone} {payload.upper:,} of {plural(limit, 'token')}",
            hint="leave out whole documents (fit), unpin something, shorten the prompt or raise the budget",
        )
    if not payload.pieces and not payload.missing:
        raise ContextError(
            "unavailable", "nothing to export: what is picked is empty now", hint="pick something else"
        )
    if not payload.pieces:
        raise ContextError(
            "unavailable", "nothing in the selection can be read", hint="see the problems for the reason"
        )
