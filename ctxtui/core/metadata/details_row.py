"""Details as rows of JSON, and back without loss."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from ctxtui.core.data.rows import plain_row, value_of
from ctxtui.core.metadata.reference import NO_DETAILS, Declared, Details


def details_row(details: Details) -> tuple[Any, ...] | None:
    """A document's details as a row; raises TypeError for a value that JSON cannot hold."""
    if details is NO_DETAILS:
        return None
    return (
        plain_row(details.values),
        details.type,
        details.domain,
        details.declared_tokens,
        [(each.name, each.estimated_tokens, each.keywords) for each in details.sections],
        details.tags,
        details.cross_domain_triggers,
        details.detection_triggers,
    )


def details_of(row: Sequence[Any] | None) -> Details:
    """The details of a row; raises ValueError or TypeError if it is not one."""
    if row is None:
        return NO_DETAILS
    values, type_, domain, tokens, sections, tags, cross, detection = row
    declared = tuple(Declared(name, estimated, tuple(keywords)) for name, estimated, keywords in sections)
    return Details(value_of(values), type_, domain, tokens, declared, tuple(tags), tuple(cross), tuple(detection))
