"""Rules about skills: names, and text that a call replaces."""

from __future__ import annotations

import posixpath
import re
from collections import defaultdict
from collections.abc import Iterator

from ctxtui.agents import AgentContext
from ctxtui.agents.costs import Charge
from ctxtui.agents.project.frontmatter import find_block
from ctxtui.audit.context import Audited
from ctxtui.audit.roles import SKILL, is_sample, language_of
from ctxtui.audit.rules.phrases import finding_of
from ctxtui.audit.rules.remedies import document_of, replace_on_line
from ctxtui.audit.types import Edit, Finding, Remedy, Severity
from ctxtui.core.text.markdown.code_spans import replace_code
from ctxtui.core.text.markdown.light import prose

_SHAPE = re.compile(r"[a-z0-9]+(?:-[a-z0-9]+)*")
_SIGNS = re.compile(r"[a-z0-9-]+")
_LONGEST = 64
# The agents that substitute arguments in a skill, and the ways in which a skill asks for them.
_WITH_ARGUMENTS = ("claude-code", "claude-plugins")
# `$1.2M` and `$2,500` are prices.
_ARGUMENT = re.compile(r"(?<!\\)\$(\d)(?!\w|[.,]\d)")
_NUMBERS = ("no", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten")
_ORDINALS = "first second third fourth fifth sixth seventh eighth ninth tenth".split()
_WANTED = ("argument-hint", "arguments")
_SPEC = "https://agentskills.io/specification"


def skill_names(audited: Audited) -> Iterator[Finding]:
    """Skills whose name differs from their folder or violates the specification, and invalid names of subagents."""
    droppers: defaultdict[str, list[str]] = defaultdict(list)
    # The path and name of each skill, by its real path.
    skills: dict[str, tuple[str, str]] = {}
    for context in audited.agents:
        for charge in context.charges:
            folder = posixpath.basename(posixpath.dirname(charge.path))
            is_skill = charge.row.kind == "skill" and posixpath.basename(charge.path) == SKILL
            if not is_skill or charge.moment == "reference" or not folder or _is_aside(audited, charge.path):
                continue
            # A program of the project loads others by its own rules.
            if not (audited.is_for_agents(charge.path) or "skills" in charge.path.split("/")):
                continue
            name = (audited.files.meta(charge.path, charge.row) or {}).get("name")
            if isinstance(name, str) and name:
                skills.setdefault(audited.real(charge.path), (charge.path, name))
                if charge.row.misnamed == "drop":
                    droppers[charge.path].append(context.agent.name)
    yield from _subagent_names(audited)
    parents: dict[tuple[str, str], str] = {}
    for path, name in skills.values():
        parent, folder = posixpath.split(posixpath.dirname(path))
        # Variants of a skill have one cause, and so do skills in one folder.
        parents.setdefault((name, folder), parent)
        if name != folder or not _is_valid(name):
            yield _name_finding(audited, path, name, parents[name, folder], droppers[path])


def _subagent_names(audited: Audited) -> Iterator[Finding]:
    """Subagents of Claude Code whose names have other characters than lower-case letters and hyphens."""
    for context in audited.real_agents:
        for charge in context.charges if context.agent.id == _WITH_ARGUMENTS[0] else ():
            is_agent = charge.row.kind == "agent" and charge.moment != "never" and not charge.imported_by
            name = (audited.files.meta(charge.path, charge.row) or {}).get("name") if is_agent else None
            if isinstance(name, str) and name and not _SIGNS.fullmatch(name):
                message = f"its name is `{name}`; {context.agent.name} asks for lower-case letters and hyphens"
                many = "the names of {count} subagents have other signs than lower-case letters and hyphens"
                line, cause = audited.line_of(charge.path, "name"), posixpath.dirname(charge.path)
                more = {"remedy": Remedy("write it in lower case with hyphens"), "cause": cause, "many": many}
                yield finding_of([(context, charge)], "skill-name", "info", message, line, 0, "agent", **more)


def replaced_text(audited: Audited) -> Iterator[Finding]:
    """Skills that take no arguments but contain `$1` or similar outside of code, which the agent would replace."""
    seen = set()
    for context in audited.agents:
        for charge in context.charges if context.agent.id in _WITH_ARGUMENTS else ():
            is_skill = charge.row.kind == "skill" and posixpath.basename(charge.path) == SKILL
            real = audited.real(charge.path)
            if is_skill and charge.moment != "reference" and real not in seen and not _is_aside(audited, charge.path):
                seen.add(real)
                yield from _replaced_arguments(audited, context, charge)


def _replaced_arguments(audited: Audited, context: AgentContext, charge: Charge) -> Iterator[Finding]:
    """At most one finding about a skill, at its first `$0` or else its first placeholder."""
    text = audited.text(charge.path) or ""
    meta = audited.files.meta(charge.path, charge.row) or {}
    if "$ARGUMENTS" in text or any(key in meta for key in _WANTED):
        return
    block = find_block(text)
    matches = list(_ARGUMENT.finditer(text, block.body if block else 0))
    said = _without_code(text) if matches else ""
    found = [each for each in matches if said[each.start()] != "$"]
    if not found:
        return
    # Placeholders without an argument stay as written.
    is_certain = any(each[1] == "0" for each in found)
    first, others = min(found, key=lambda each: each[1] != "0") if is_certain else found[0], len(found) - 1
    more = f" and {others:,} more" if others else ""
    call = f"/{posixpath.basename(posixpath.dirname(charge.path))}"
    becomes = f"`{first[0]}` becomes the {_ORDINALS[int(first[1])]} word after `{call}`"
    if not is_certain:
        becomes += f" if there are at least {_NUMBERS[int(first[1]) + 1]}"
    words = f"`{first[0]}`{more} with words of the arguments in a call of the skill"
    message = f"Claude Code replaces {words}: {becomes}"
    many = (
        f"Claude Code replaces the likes of `{first[0]}` in {{count}} skills with words of their arguments"
        f"{'' if is_certain else ' if a call has that many'}"
    )
    line = text.count("\n", 0, first.start()) + 1
    # Other agents read the backslash as it is written.
    read = (audited.loaded[each] for each in audited.loaded if each not in _WITH_ARGUMENTS)
    is_shared = any(audited.real(charge.path) in paths for paths in read)
    document = None if is_shared else document_of(audited, charge.path)
    steps = [Edit(charge.path, each.start(), each.start(), "\\", document.digest) for each in found if document]
    words = "move the code into a script" if is_shared else "write a backslash before the dollar sign"
    remedy = Remedy(words, steps=tuple(steps))
    met = [(context, charge)]
    fields = {"remedy": remedy, "cause": "arguments", "many": many}
    yield finding_of(met, "replaced-text", "info", message, line, 0, first[0], **fields)


def _without_code(text: str) -> str:
    """The text with blanks in place of code, because `$1` is a variable there. All offsets stay."""
    parts, end = [], 0
    for span in prose(text):
        shown = replace_code(text[span.start : span.end], lambda code, _: " " * len(code))
        parts += [" " * (span.start - end), shown]
        end = span.end
    return "".join([*parts, " " * (len(text) - end)])


def _is_aside(audited: Audited, path: str) -> bool:
    """Whether a skill is a translation, sample or vendored copy, or inside another skill."""
    within = audited.skill_of(posixpath.dirname(path)) is not None
    return within or audited.is_vendored(path) or is_sample(path) or bool(language_of(path))


def _name_finding(audited: Audited, path: str, name: str, parent: str, droppers: list[str]) -> Finding:
    """The finding for a skill's name that differs from its folder, or that equals it but is not valid."""
    folder = posixpath.basename(posixpath.dirname(path))
    drop = f"; {' and '.join(droppers)} {'drops' if len(droppers) == 1 else 'drop'} the skill" if droppers else ""
    line, is_shape = audited.line_of(path, "name"), re.sub(r"[\s_]+", "-", name.strip().lower()) == folder
    # If no agent drops the skill, only the specification requires the name.
    severity: Severity = "warning" if droppers else "info"
    message, subject = f"its name is `{name}`, its folder `{folder}`{drop}", "folder"
    cause, several = f"capitals{drop}" if is_shape else f"folder{drop}", f"differ from their folders{drop}"
    steps = replace_on_line(audited, path, line, name, folder) if _is_valid(folder) else ()
    remedy = Remedy(f"write `{folder}`", "write the names of their folders", folder, steps)
    if name == folder:
        severity, message, subject, cause = "info", f"`{name}` is not a valid skill name", "shape", "shape"
        several = "are not valid"
        remedy = Remedy(f"use lower-case letters, digits and single hyphens, at most {_LONGEST} characters")
    elif is_shape:
        several = f"have capitals or spaces{drop}"
    cause, many = f"{parent}: {cause}", f"the names of {{count}} skills {several}"
    return Finding("skill-name", severity, message, path, line, 0, _SPEC, None, subject, remedy, cause, many)


def _is_valid(name: str) -> bool:
    return _SHAPE.fullmatch(name) is not None and len(name) <= _LONGEST
