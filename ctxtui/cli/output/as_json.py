"""JSON of results: one document with `result` and `notices`, keys in lower camel case."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING, Any, Final

from ctxtui.cli.output.streams import write_stdout
from ctxtui.core.base.notices import Notice
from ctxtui.core.text.metadata.reference import Reference
from ctxtui.core.text.projection import Shapes, json_document, project

if TYPE_CHECKING:
    from ctxtui.core.payload.types import Payload
    from ctxtui.session.session import Session

_NOTHING: Final[Mapping[str, Any]] = {}
_REFERENCE: Final[Shapes] = {
    Reference: "id domain=details.domain title type=details.type estimated_tokens=details.declared_tokens"
    " loading_strategy=strategy tags=details.tags cross_domain_triggers=details.cross_domain_triggers"
    " detection_triggers=details.detection_triggers path aliases source ignored"
}
_SIZES: Final[Shapes] = {"Payload": "tokens wanted text_tokens"}
_BLOCKS: Final[Shapes] = {
    "Payload": "blocks truncated omitted missing secrets",
    "Block": "id source tokens text_tokens wanted state pinned",
}


def print_json(result: object, notices: Iterable[Notice], exported: Mapping[str, Any] = _NOTHING) -> None:
    """Print a result and notices as one JSON document without secrets. The result includes `exported` as it is."""
    write_stdout(json_document(result, notices, exported))


def reference_json(reference: Reference) -> dict[str, Any]:
    """A reference with the keys of the catalog specification's ContextReference, and its source."""
    data: dict[str, Any] = project(reference, _REFERENCE)
    return data


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
