"""The rules about skills: their names, and text that changes when they are called."""

from __future__ import annotations

import posixpath
import re
from collections import defaultdict
from collections.abc import Iterator
from typing import NamedTuple

from ctxtui.agents import AgentContext
from ctxtui.agents.costs import Charge
from ctxtui.agents.frontmatter import find_block
from ctxtui.audit.context import Audited
from ctxtui.audit.roles import SKILL, is_sample, language_of
from ctxtui.audit.rules.phrases import finding_of
from ctxtui.audit.types import Finding, Severity
from ctxtui.core.text.markdown.code_spans import replace_code
from ctxtui.core.text.markdown.light import prose


class Named(NamedTuple):
    """A skill as it names itself, and its folder."""

    path: str
    name: str
    folder: str


_SHAPE = re.compile(r"[a-z0-9]+(?:-[a-z0-9]+)*")
_LONGEST = 64
# The agents that put words of the arguments into a skill, and how the skill says that it wants them.
_WITH_ARGUMENTS = ("claude-code", "claude-plugins")
# `$1.2M` and `$2,500` are prices.
_ARGUMENT = re.compile(r"(?<!\\)\$(\d)(?!\w|[.,]\d)")
_NUMBERS = ("no", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten")
_ORDINALS = "first second third fourth fifth sixth seventh eighth ninth tenth".split()
_WANTED = ("argument-hint", "arguments")
_SPEC = "https://agentskills.io/specification"


def skill_names(audited: Audited) -> Iterator[Finding]:
    """Skills whose name differs from that of their folder, or that the specification does not allow."""
    droppers: defaultdict[str, list[str]] = defaultdict(list)
    skills: dict[str, Named] = {}
    for context in audited.agents:
        for charge in context.charges:
            folder = posixpath.basename(posixpath.dirname(charge.path))
            is_skill = charge.row.kind == "skill" and posixpath.basename(charge.path) == SKILL
            if not is_skill or charge.moment == "reference" or not folder or _is_aside(audited, charge.path):
                continue
            name = (audited.files.meta(charge.path, charge.row) or {}).get("name")
            if isinstance(name, str) and name:
                skills.setdefault(audited.real(charge.path), Named(charge.path, name, folder))
                if charge.row.misnamed == "drop":
                    droppers[charge.path].append(context.agent.name)
    parents: dict[tuple[str, str], str] = {}
    for each in skills.values():
        # Editions of one skill have one cause, and so do skills in one folder.
        parents.setdefault((each.name, each.folder), posixpath.dirname(posixpath.dirname(each.path)))
    for each in skills.values():
        parent = parents[each.name, each.folder]
        if each.name != each.folder:
            yield _misnamed(audited, each, parent, droppers[each.path])
        elif not _SHAPE.fullmatch(each.name) or len(each.name) > _LONGEST:
            yield _misshapen(audited, each, parent)


def replaced_text(audited: Audited) -> Iterator[Finding]:
    """Skills that ask for no arguments, but in which `$1` and the like would be replaced by words of them."""
    told = set()
    for context in audited.agents:
        for charge in context.charges if context.agent.id in _WITH_ARGUMENTS else ():
            is_skill = charge.row.kind == "skill" and posixpath.basename(charge.path) == SKILL
            real = audited.real(charge.path)
            if is_skill and charge.moment != "reference" and real not in told and not _is_aside(audited, charge.path):
                told.add(real)
                yield from _replaced(audited, context, charge)


def _replaced(audited: Audited, context: AgentContext, charge: Charge) -> Iterator[Finding]:
    text = audited.text(charge.path) or ""
    meta = audited.files.meta(charge.path, charge.row) or {}
    if "$ARGUMENTS" in text or any(key in meta for key in _WANTED):
        return
    block = find_block(text)
    matches = list(_ARGUMENT.finditer(text, block.body if block else 0))
    said = _prose(text) if matches else ""
    found = [each for each in matches if said[each.start()] != "$"]
    if not found:
        return
    mend = "write a backslash before the dollar sign"
    # What the call has no word for stays as it is written.
    is_certain = any(each[1] == "0" for each in found)
    first, others = min(found, key=lambda each: each[1] != "0") if is_certain else found[0], len(found) - 1
    more = f" and {others:,} more" if others else ""
    call = f"/{posixpath.basename(posixpath.dirname(charge.path))}"
    becomes = f"`{first[0]}` becomes the {_ORDINALS[int(first[1])]} word after `{call}`"
    if not is_certain:
        becomes += f" if there are at least {_NUMBERS[int(first[1]) + 1]}"
    severity: Severity = "warning" if is_certain else "info"
    words = f"`{first[0]}`{more} with words of the arguments in a call of the skill"
    message = f"Claude Code replaces {words}: {becomes}; {mend}"
    many = (
        f"Claude Code replaces the likes of `{first[0]}` in {{count}} skills with words of their arguments"
        f"{'' if is_certain else ' if a call has that many'}; {mend}"
    )
    met, line = [(context, charge)], text.count("\n", 0, first.start()) + 1
    yield finding_of(met, "replaced-text", severity, message, line, 0, first[0], cause="arguments", many=many)


def _prose(text: str) -> str:
    """A text with blanks for all of its code, where alone a dollar and a digit are a variable."""
    parts, end = [], 0
    for span in prose(text):
        shown = replace_code(text[span.start : span.end], lambda code, _: " " * len(code))
        parts += [" " * (span.start - end), shown]
        end = span.end
    return "".join([*parts, " " * (len(text) - end)])


def _is_aside(audited: Audited, path: str) -> bool:
    """Whether a skill is a translation, a sample or a vendored copy, or is within another skill."""
    within = audited.skill_of(posixpath.dirname(path)) is not None
    return within or audited.is_vendored(path) or is_sample(path) or bool(language_of(path))


def _misnamed(audited: Audited, named: Named, parent: str, droppers: list[str]) -> Finding:
    drop = f"; {' and '.join(droppers)} {'drops' if len(droppers) == 1 else 'drop'} the skill" if droppers else ""
    is_shape = re.sub(r"[\s_]+", "-", named.name.strip().lower()) == named.folder
    says, differ = "they must be the same", "differ from their folders, but must be the same"
    if is_shape:
        says = f"names have no capitals and no spaces: write `{named.folder}`"
        differ = "have capitals or spaces; write them as their folders"
    # The specification alone asks for it if no agent here drops the skill.
    severity: Severity = "warning" if droppers else "info"
    message = f"its name is `{named.name}`, its folder `{named.folder}`; {says}{drop}"
    cause = f"{parent}: {'capitals' if is_shape else 'folder'}{drop}"
    return _named(audited, named.path, severity, message, "folder", cause, f"{differ}{drop}")


def _misshapen(audited: Audited, named: Named, parent: str) -> Finding:
    form = f"use lower-case letters, digits and single hyphens, at most {_LONGEST} characters"
    message, cause = f"`{named.name}` is not a valid skill name; {form}", f"{parent}: shape"
    return _named(audited, named.path, "info", message, "shape", cause, f"are not valid; {form}")


def _named(
    audited: Audited, path: str, severity: Severity, message: str, subject: str, cause: str, several: str
) -> Finding:
    line, many = audited.line_of(path, "name"), f"the names of {{count}} skills {several}"
    return Finding("skill-name", severity, message, path, line, 0, _SPEC, None, subject, None, cause, many)
