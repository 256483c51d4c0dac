"""The rule about agent files that are not UTF-8."""

from __future__ import annotations

import codecs
from collections.abc import Iterator

from ctxtui.agents import AgentContext
from ctxtui.agents.costs import Charge
from ctxtui.audit.context import Audited, got
from ctxtui.audit.rules.phrases import finding_of
from ctxtui.audit.types import Finding
from ctxtui.core.base.errors import ContextError
from ctxtui.core.text.markdown.scan import is_markdown

_REPLACED = "\ufffd"
_MARKS = {
    codecs.BOM_UTF32_LE: "UTF-32",
    codecs.BOM_UTF32_BE: "UTF-32",
    codecs.BOM_UTF16_LE: "UTF-16",
    codecs.BOM_UTF16_BE: "UTF-16",
}


def not_text(audited: Audited) -> Iterator[Finding]:
    """Markdown for agents with invalid UTF-8."""
    told: set[str] = set()
    for context in audited.agents:
        for charge in context.charges:
            real = audited.real(charge.path)
            if real in told or charge.moment == "reference" or not is_markdown(charge.path):
                continue
            told.add(real)
            text = got(audited, charge.path)
            if text is None or _REPLACED in text:
                yield from _found(audited, context, charge)


def _found(audited: Audited, context: AgentContext, charge: Charge) -> Iterator[Finding]:
    try:
        data = audited.workspace.reader.root.read(charge.path).data
    except ContextError:
        return
    what = _fault(data)
    if what:
        place = data.find(b"\0") if "NUL" in what else _first(data)
        agents = "agents read {} with marks instead, or not at all"
        message, many = f"{what}; {agents.format('it')}", agents.format("them")
        many, line = f"{{count}} files are not UTF-8 text; {many}", data.count(b"\n", 0, place) + 1
        met, cause = [(context, charge)], "not UTF-8"
        yield finding_of(met, "not-text", "warning", message, line, 0, "encoding", agent=None, cause=cause, many=many)


def _fault(data: bytes) -> str:
    """The reason why bytes are not UTF-8, with the first place, empty for text."""
    mark = next((name for mark, name in _MARKS.items() if data.startswith(mark)), "")
    if mark:
        return f"it is {mark} text"
    place = _first(data)
    if place is not None:
        return f"it is not UTF-8 text, see byte {place:,}"
    nul = data.find(b"\0")
    return f"it is not text: byte {nul:,} is NUL" if nul >= 0 else ""


def _first(data: bytes) -> int | None:
    """The offset of the first byte that is not UTF-8."""
    try:
        data.decode()
    except UnicodeDecodeError as error:
        return error.start
    return None
