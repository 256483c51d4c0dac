"""The dates of sections: of decisions and logs, in the heading or in a `**Date**:` field."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ctxtui.core.markdown.inline_fields import DATE, find_fields
from ctxtui.core.markdown.tasks import prose

if TYPE_CHECKING:
    from ctxtui.core.markdown.document import Document, Part

_FIELDS = frozenset({"date", "decided", "decided on", "adopted"})


def section_date(document: Document, part: Part) -> str:
    """The ISO date in a section's heading or in a date field of its own text; "" where it has none."""
    named = DATE.search(part.name) if part.level else None
    if named:
        return named[1]
    if not part.level or not DATE.search(document.own_text(part)):
        return ""
    lines, body = document.scan.lines, document.body_start
    last = lines.at(max(part.start, part.own_end - 1) - body)
    own = document.items.lines[lines.at(part.start - body) + 1 : last + 1]
    fields = find_fields(prose(line) for line in own)
    found = (DATE.search(value) for key, value in fields.items() if key.casefold() in _FIELDS)
    return next((match[1] for match in found if match), "")
