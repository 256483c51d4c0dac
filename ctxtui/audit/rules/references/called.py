"""Skills, slash commands and subagents that a text names and that nothing in the project defines."""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import cache
from itertools import chain
from typing import Final, NamedTuple

from ctxtui.agents.project.configuration import value_at
from ctxtui.audit.context import Audited
from ctxtui.audit.roles import SKILL
from ctxtui.audit.rules.phrases import with_shared_causes
from ctxtui.audit.text.facts import outside_fences, split_lines, without_samples
from ctxtui.audit.text.words import FOREIGN_HEDGES, says
from ctxtui.audit.types import Finding, Remedy
from ctxtui.core.text.metadata.reference import Reference

# A name has several words, because single ones are often routes, folders or commands of the agent.
_NAME: Final = r"[a-z][a-z0-9]*(?:-[a-z0-9]+)+"
_SLASH: Final = re.compile(rf"(?:`|\|[ \t]*)/({_NAME}|[a-z][\w-]*:[a-z][\w-]*)(?=[ `]|[ \t]*\|)")
_SKILL: Final = re.compile(
    rf"(?:`|\*\*)((?:[a-z-]+:)?{_NAME})(?:`|\*\*) skill\b|\bskill (?:`|\*\*)((?:[a-z-]+:)?{_NAME})(?:`|\*\*)"
    rf"|\*\*([a-z-]+:{_NAME})\*\*|\bREQUIRED [A-Z -]{{4,20}}:(?:\*\*)? (?:[\w ]{{1,30}} )?([a-z-]+:{_NAME})"
)
_AGENT: Final = re.compile(r"@agent-(?!(?:id|name|type)\b)([a-z]+(?:-[a-z0-9]+)*)")
_STARTED: Final = re.compile(rf"""\bsubagent_type["']?\s?[=:]\s?["']({_NAME})["']""")
# Commands, skills and subagents that agents bring, and skills of Anthropic that many people have installed.
_BUILT_IN: Final = frozenset(
    "add-dir claude-api code-review fewer-permission-prompts install-github-app output-style pr-comments"
    " release-notes security-review skill-creator terminal-setup update-config"
    " claude-code-guide explore general-purpose output-style-setup plan statusline-setup"
    " artifact-design canvas-design frontend-design mcp-builder theme-factory webapp-testing".split()
)
_INSTALLED_SKILLS: Final = (
    ".claude/settings.json#enabledPlugins",
    ".claude/settings.json#extraKnownMarketplaces",
    "agents.toml#skills",
)
# Words before a name, and around it, by which it is that of another project, of a person, or of no skill.
_BEFORE: Final = says(
    r"example|suppose|imagine|placeholder|creat|propos|suggest|planned|future|\bnew\b|remov|renam|deprecat|no longer"
    r"|replac|former|legacy|\bold\b|\bnot\b|n['’]t\b|never|\bno\b|route|endpoint|\bAPI\b|\bURL|\bpages?\b"
    rf"|{FOREIGN_HEDGES}",
)
_AROUND: Final = re.compile(
    r"e\.g\.|such as|install|plugin|marketplace|global|personal|optional|available|dispon|verfügbar|https?:|\bif\b",
    re.IGNORECASE,
)
_ELSEWHERE: Final = re.compile(r"~/|global|plugin|marketplace", re.IGNORECASE)
_COMMAND: Final = re.compile(r"slash[- ]command|\bskills?\b|/commands/", re.IGNORECASE)
_NEAR: Final = 60
_KINDS: Final = {
    _SLASH: ("/", "command"),
    _SKILL: ("", "skill"),
    _AGENT: ("@agent-", "subagent"),
    _STARTED: ("", "subagent"),
}
_MISSING: Final = "nothing in the project defines"
_EVIDENCE: Final = "compared with all names of files, folders and skills"


class Call(NamedTuple):
    """A skill, command or subagent that a text names: as `written`, by its name, its kind, and the line, from 1.

    `is_told` says that the text calls it a command, because routes and folders begin with slashes, too.
    """

    line: int
    written: str
    name: str
    kind: str
    is_told: bool

    @property
    def folder(self) -> str:
        """The part of a command before a colon, which is a plugin or a folder of commands. Empty without one."""
        return self.written.rpartition(":")[0].lstrip("/") if self.written.startswith("/") else ""


def missing_skills(audited: Audited) -> Iterator[Finding]:
    """Missing skills, commands and subagents, each once in a file. Nothing if the project has skills installed."""
    if any(value_at(ref, audited.text) for ref in _INSTALLED_SKILLS):
        return
    findings = list[Finding]()
    # Computed only on demand, because most texts call nothing.
    defined = cache(lambda: _defined_names(audited))
    for reference in audited.instructions():
        calls = list(_calls(audited.text(reference.path) or ""))
        # A text that calls something of the project means the others in the same way.
        is_calling = any(each.name in defined() and not each.folder for each in calls)
        for each in calls:
            is_missing = (is_calling or each.is_told) and each.name not in defined()
            if each.folder:
                # Without the command in the project, the folder may be a plugin of the user.
                files = (*audited.by_name.get(f"{each.name}.md", ()), f".claude/skills/{each.name}/{SKILL}")
                commands = (path for path in files if path.startswith((".claude/commands/", ".claude/skills/")))
                is_missing = each.is_told and each.folder not in defined() and any(map(audited.exists, commands))
            skills = (f"{folder}/skills/{each.name}/{SKILL}" for folder in (".agents", ".claude", ".cursor"))
            # Where git ignores its place, somebody may install it.
            if is_missing and (":" in each.written or not any(map(audited.is_made_later, skills))):
                findings.append(_finding(reference, each))
    yield from with_shared_causes(findings)


def _calls(text: str) -> Iterator[Call]:
    """The first mention of each name, without built-in names and names that the text calls new, foreign or gone."""
    names = set[str]()
    heading = above = ""
    # Samples, comments and metadata stay out, fences do not.
    shown = without_samples(text)
    lines = zip(split_lines(outside_fences(shown)), split_lines(shown), strict=True)
    for number, (line, code) in enumerate(lines, 1):
        if line.startswith("#"):
            heading = line
        above = line or above
        found = (pattern.finditer(code if pattern is _STARTED else line) for pattern in _KINDS)
        for match in chain.from_iterable(found):
            written = next(filter(None, match.groups()))
            name = written.partition(":")[2] or written
            before, after = match.string[: match.start()], match.string[match.end() : match.end() + 2 * _NEAR]
            around = f"{before[-_NEAR:]} {after}"
            words = f"{heading} {above if match.re is _STARTED else ''} {before[-2 * _NEAR :]}"
            is_other = _BEFORE(words) or _ELSEWHERE.search(heading) or _AROUND.search(around)
            if not is_other and name not in names and name not in _BUILT_IN:
                names.add(name)
                sign, kind = _KINDS[match.re]
                is_told = sign != "/" or _COMMAND.search(f"{heading} {line}") is not None
                yield Call(number, f"{sign}{written}", name, kind, is_told)


def _defined_names(audited: Audited) -> frozenset[str]:
    """The names of all files and folders without extension, and the names in the metadata of skills and the like."""
    parts = {part.partition(".")[0] for path in audited.paths for part in path.split("/")}
    named: list[object] = [
        (audited.files.meta(charge.path, charge.row) or {}).get("name")
        for context in audited.agents
        for charge in context.charges
        if charge.row.kind in ("skill", "command", "agent")
    ]
    named += (value_at(f"{path}#name", audited.text) for path in audited.by_name.get("plugin.json", ()))
    return frozenset(parts | {each for each in named if isinstance(each, str)})


def _finding(reference: Reference, called: Call) -> Finding:
    path, line, written = reference.path, called.line, called.written
    message = f"names the {called.kind} `{written}`, which {_MISSING}"
    many = f"names {{subjects}} skills, commands and subagents that {_MISSING}, such as `{written}`"
    remedy = Remedy(f"write `/{called.name}`" if called.folder else "")
    found = (message, path, line, 0, _EVIDENCE, None, written, remedy, "called", many)
    return Finding("missing-command", "info", *found)
