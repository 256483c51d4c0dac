"""JSON of a payload: its numbers, its blocks and its text."""

from __future__ import annotations

from typing import Any, Final

from ctxtui.core.payload.types import Block, Payload
from ctxtui.core.text.projection import Shapes, project
from ctxtui.session.session import Session

_SIZES: Final[Shapes] = {Payload: "tokens wanted text_tokens"}
_BLOCKS: Final[Shapes] = {
    Payload: "blocks truncated omitted missing secrets",
    Block: "id source tokens text_tokens wanted state pinned",
}


def payload_json(payload: Payload, session: Session) -> dict[str, Any]:
    """A payload's numbers and blocks, without its text."""
    counter = session.budget.counter
    return {
        **project(payload, _SIZES),
        **counter.described(),
        **({"whole": project(payload.whole)} if payload.whole else {}),
        "limit": session.budget.effective,
        **project(payload, _BLOCKS),
    }
