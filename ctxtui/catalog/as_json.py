"""JSON of the catalog's values: the specification's camelCase keys."""

from __future__ import annotations

from typing import Any

from ctxtui.core.projection import project


def to_json(value: object) -> Any:
    """Return a value of this package, or a list of values, as JSON data with the specification's keys.

    Fields that the specification lacks (`reason`, `explanation`) are omitted if empty. Metadata keep the keys of the
    file.
    """
    return project(value)
