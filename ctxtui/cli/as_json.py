"""JSON of results: one document with `result` and `notices`, keys in lower camel case."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any, Final

from ctxtui.cli.streams import write_stdout
from ctxtui.core.base.notices import Notice
from ctxtui.core.text.metadata.reference import Reference
from ctxtui.core.text.projection import Shapes, json_document, project

_NOTHING: Final[Mapping[str, Any]] = {}
_REFERENCE: Final[Shapes] = {
    Reference: "id domain=details.domain title type=details.type estimated_tokens=details.declared_tokens"
    " loading_strategy=strategy tags=details.tags cross_domain_triggers=details.cross_domain_triggers"
    " detection_triggers=details.detection_triggers path aliases source ignored"
}


def print_json(result: object, notices: Iterable[Notice], exported: Mapping[str, Any] = _NOTHING) -> None:
    write_stdout(json_document(result, notices, exported))


def reference_json(reference: Reference) -> dict[str, Any]:
    """A reference with the keys of the catalog specification's ContextReference, and its source."""
    data: dict[str, Any] = project(reference, _REFERENCE)
    return data
