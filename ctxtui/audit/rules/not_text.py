"""The rule about agent files that are not UTF-8, or were not."""

from __future__ import annotations

import codecs
import re
from collections.abc import Iterator

from ctxtui.agents import AgentContext
from ctxtui.agents.costs import Charge
from ctxtui.audit.context import Audited, got
from ctxtui.audit.rules.phrases import finding_of
from ctxtui.audit.text.facts import outside_code, split_lines
from ctxtui.audit.types import Finding, Remedy
from ctxtui.core.base.errors import ContextError
from ctxtui.core.base.wording import plural
from ctxtui.core.text.markdown.scan import is_markdown

_REPLACED = "\ufffd"
_CODE = re.compile("`[^`]*`")
_ABOUT = re.compile(r"U\+FFFD|replacement|encod|mojibake|garbl|corrupt", re.IGNORECASE)
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
    if not what:
        yield from _damaged(audited, context, charge)
    else:
        place = data.find(b"\0") if "NUL" in what else _first(data)
        agents = "agents read {} with marks instead, or not at all"
        message, many = f"{what}; {agents.format('it')}", agents.format("them")
        many, line = f"{{count}} files are not UTF-8 text; {many}", data.count(b"\n", 0, place) + 1
        met, cause = [(context, charge)], "not UTF-8"
        yield finding_of(met, "not-text", "warning", message, line, 0, "encoding", agent=None, cause=cause, many=many)


def _damaged(audited: Audited, context: AgentContext, charge: Charge) -> Iterator[Finding]:
    """Marks that stand for characters lost when a file was saved, outside of code and lines about such marks."""
    lines = enumerate(split_lines(outside_code(audited.text(charge.path) or "")), 1)
    found = [number for number, line in lines if _REPLACED in _CODE.sub("", line) and not _ABOUT.search(line)]
    if found:
        message = f"characters were lost when it was saved: marks stand for them in {plural(len(found), 'line')}"
        many, cause = "characters were lost when {count} files were saved", "replaced"
        met, remedy = [(context, charge)], Remedy("restore the characters from an older version")
        more = {"agent": None, "remedy": remedy, "cause": cause, "many": many}
        yield finding_of(met, "not-text", "info", message, found[0], 0, "U+FFFD in the text", **more)


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
