"""JSON of the catalog's values: the specification's camelCase keys."""

from __future__ import annotations

from typing import Any

from ctxtui.core.projection import project


def to_json(value: object) -> Any:
    """A value of this package, or a list of them, as JSON data with the keys of the catalog specification's tables.

    Fields that the specification does not have (`reason`, `explanation`) are omitted if empty; metadata
    keep the keys they have in the file.
    """
    return project(value)
