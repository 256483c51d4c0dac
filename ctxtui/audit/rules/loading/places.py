"""Rules about instructions in wrong folders, and about an AGENTS.md without a CLAUDE.md beside it."""

from __future__ import annotations

import posixpath
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Final, NamedTuple

from ctxtui.agents import AgentContext, load_table
from ctxtui.agents.project.configuration import parse_data
from ctxtui.agents.types import Agent
from ctxtui.audit.context import Audited
from ctxtui.audit.roles import SKILL, is_fixture, is_readme, is_retired, is_stand_in
from ctxtui.audit.rules.phrases import agent_source
from ctxtui.audit.rules.remedies import move_steps
from ctxtui.audit.text.named import is_companion, named_nowhere
from ctxtui.audit.types import Finding, NewFile, Remedy, Severity
from ctxtui.core.text.data.toml import packaged_toml
from ctxtui.core.text.globs import compile_glob

_CLAUDE = "claude-code"
# A plugin loads the files that its manifest names, wherever they are.
_MANIFESTS = (".claude-plugin/plugin.json", ".claude-plugin/marketplace.json")
_TWINS = ("CLAUDE.md", ".claude/CLAUDE.md", "CLAUDE.local.md")
# If this many folders have a counterpart, a folder without one is probably a mistake.
_NEIGHBOURS = 2


class Misplacement(NamedTuple):
    """A kind of misplaced file, and where its agent looks instead. `places.toml` explains the fields."""

    agent: str
    globs: Sequence[str]
    looks: str
    to: str
    others: Sequence[str] = ()
    needs: str = ""
    shared: bool = False
    unless: str = ""
    near: bool = False


_INSTRUCTIONS: Final = "copilot-instructions.md"
_SKILLS: Final = re.compile(r"(?P<skills>(?:.*/)?\.claude/skills)/(?P<inner>(?:[^/]+/)*)SKILL\.md")


def wrong_places(audited: Audited) -> Iterator[Finding]:
    """Files in an agent's own folder, or with its file name, that it does not look for there.

    Files that something else in the project names are left out, or noted if they are near the right place.
    """
    agents = {agent.id: agent for agent in (load_table() if audited.table is None else audited.table)}
    somewhere = audited.loaded_by_any
    manifests = "".join(audited.text(path) or "" for path in _MANIFESTS)
    for each in (Misplacement(**row) for row in packaged_toml(__package__, "places.toml")["place"]):
        agent = agents.get(each.agent)
        if agent is None:
            continue
        # A skill that a text imports is read, but offered to nobody.
        imported = _imported_paths(audited, agent.id) if each.needs else frozenset()
        read = (somewhere if each.near else _paths_read_by(audited, agent.id)) - imported
        wanted, others = compile_glob(*each.globs).matches, compile_glob(*each.others).matches
        found: list[str] = []
        for path in audited.paths:
            if not wanted(path) or (each.others and others(path)) or is_readme(path):
                continue
            is_named = posixpath.basename(path) != SKILL and is_companion(audited, path)
            if audited.is_vendored(path) or is_named or path in manifests:
                continue
            # Where the agent looks, there may be a link to the same file.
            is_read = audited.real(path) in read or audited.real(_expected_path(each.to, path)) == audited.real(path)
            if not is_read and _is_for_agent(audited, path, each):
                found.append(path)
        free = named_nowhere(audited, found) if each.shared or each.near else frozenset(found)
        for path in found if each.near else filter(free.__contains__, found):
            finding = _misplaced_finding(audited, agent, each, path, audited.real(path) in imported)
            # What something else names may have its name on purpose.
            yield finding if path in free else replace(finding, severity="info")
    yield from _misplaced_skills(audited, agents)


def _misplaced_skills(audited: Audited, agents: Mapping[str, Agent]) -> Iterator[Finding]:
    """Skills that are too deep or too high for Claude Code. A file within another skill belongs to that skill."""
    claude = audited.loaded.get(_CLAUDE)
    for path in audited.by_name.get(SKILL, ()) if claude is not None else ():
        found = _SKILLS.fullmatch(path)
        is_aside = audited.is_vendored(path) or is_fixture(path) or is_stand_in(path) or is_retired(path)
        if found is None or is_aside or (claude and audited.real(path) in claude):
            continue
        skills, folders = found["skills"], found["inner"].split("/")[:-1]
        above = ("/".join(folders[:depth]) for depth in range(1, len(folders)))
        if len(folders) != 1 and not any(audited.exists(f"{skills}/{each}/{SKILL}") for each in above):
            message = f"Claude Code does not read it: it lies too {'deep' if folders else 'high'}"
            message += f": Claude Code looks for {skills}/NAME/{SKILL}"
            remedy = Remedy(f"move it to {skills}/{folders[-1] if folders else 'NAME'}/")
            evidence, tokens = agent_source(agents[_CLAUDE]), audited.tokens(path) or 0
            yield Finding("wrong-place", "warning", message, path, 1, tokens, evidence, _CLAUDE, "name", remedy)


def _paths_read_by(audited: Audited, agent: str) -> frozenset[str]:
    """The real paths that an agent reads, apart from subfolders, and those that the rule `never-loaded` reports."""
    context = next((each for each in audited.real_agents if each.agent.id == agent), None)
    charges = context.charges if context else ()
    somewhere = audited.loaded_by_any
    read = (each.path for each in charges if each.moment != "never" and each.row.at != "down")
    lost = (each.path for each in charges if each.moment == "never" and audited.real(each.path) not in somewhere)
    return frozenset(map(audited.real, (*read, *lost)))


def _imported_paths(audited: Audited, agent: str) -> frozenset[str]:
    """The real paths of the files that other files import into an agent's context."""
    charges = [charge for context in audited.real_agents if context.agent.id == agent for charge in context.charges]
    return frozenset(audited.real(charge.path) for charge in charges if charge.imported_by)


def _is_for_agent(audited: Audited, path: str, each: Misplacement) -> bool:
    """Whether a misplaced file is for its agent, by the fields `near`, `needs` and `unless`. Never a blank one."""
    text = audited.text(path)
    if each.near and (is_fixture(path) or is_stand_in(path) or audited.exists(_expected_path(each.to, path))):
        return False
    if not text or not text.strip():
        return False
    folder, skills = f"{posixpath.dirname(path)}/", audited.by_name.get(SKILL, ())
    # Text beside no skill is a text for the agent, and not material of one.
    is_alone = path.endswith(".md") and not any(other.startswith(folder) for other in skills)
    if each.needs and not (is_alone or _has_key(audited, path, each.needs)):
        return False
    beside = (other for other in audited.paths if posixpath.dirname(other) == posixpath.dirname(path))
    return not each.unless or not any(audited.line_of(other, each.unless) > 1 for other in beside)


def _has_key(audited: Audited, path: str, key: str) -> bool:
    if path.endswith(".json"):
        return bool(parse_data(path, audited.text(path) or "").get(key))
    return audited.line_of(path, key) > 1


def _misplaced_finding(audited: Audited, agent: Agent, each: Misplacement, path: str, is_imported: bool) -> Finding:
    does_not, none = f"{agent.name} does not read", "here at the start"
    # Lists of servers and hooks beside settings are often kept for another tool, or with one machine's paths.
    severity: Severity = "info" if path.endswith(".json") else "warning"
    if each.shared:
        does_not, none, severity = f"{agent.name} does not offer", "as a prompt", "info"
    none = "" if each.near else f" {none}"
    remedy = _remedy(audited, each, path)
    if is_imported:
        does_not, none, severity = f"{agent.name} does not offer", " as a skill, only as an import", "info"
        remedy = Remedy(remedy.words, remedy.several)
    # Some disks take names that differ in case for equal.
    case = "on a disk that tells case, " if _expected_path(each.to, path).lower() == path.lower() else ""
    message, many = (f"{case}{does_not} {these}{none}: it {each.looks}" for these in ("it", "these {count} files"))
    tokens = 0 if is_imported or path.endswith(".json") else audited.tokens(path) or 0
    folder = posixpath.dirname(path)
    cause = f"{posixpath.dirname(folder) if posixpath.basename(path) == SKILL else folder}: {each.looks}"
    evidence = agent_source(agent)
    return Finding("wrong-place", severity, message, path, 1, tokens, evidence, agent.id, "", remedy, cause, many)


def _remedy(audited: Audited, each: Misplacement, path: str) -> Remedy:
    """The remedy that moves a file to the place where its agent looks, or its text if that place is occupied."""
    folder, name = posixpath.split(path)
    stem = posixpath.splitext(name)[0].removesuffix(".instructions")
    to, all_to = (_expected_path(each.to, path, word) for word in (stem, "NAME"))
    if name == _INSTRUCTIONS:
        main = _expected_path(f"{{above}}.github/{_INSTRUCTIONS}", path)
        first = f"move its text into {main}" if audited.exists(main) else f"move it to {main}"
        return Remedy(f"{first}, or rename it to NAME.instructions.md")
    if "{plural}" in each.to:
        steps = move_steps(audited, path, posixpath.join(to, name), each.agent)
        return Remedy(f"move it into {to}", f"move them into {to}", "", steps)
    steps = move_steps(audited, path, to, each.agent)
    if "{inner}" in each.to:
        return Remedy(f"move it to {to}", "move each a folder up", "", steps)
    if audited.exists(to):
        return Remedy(f"move its text into {to}")
    if posixpath.dirname(to) == folder:
        new, all_new = posixpath.basename(to), posixpath.basename(all_to)
        return Remedy(f"rename it to {new}", f"rename each to {all_new}", "", steps)
    return Remedy(f"move it to {to}", f"move each to {all_to}", "", steps)


def _expected_path(to: str, path: str, stem: str = "") -> str:
    """The path at which the agent reads such a file: the pattern `to`, filled in with parts of `path` and `stem`."""
    folder, name = posixpath.split(path)
    parts = path.split("/")
    hidden = next((place for place, part in enumerate(parts) if part.startswith(".")), 0)
    above = "".join(f"{part}/" for part in parts[:hidden])
    filled = to.format(
        above=above,
        folder=folder,
        name=name,
        stem=stem,
        plural=f"{(*parts, '')[hidden + 1]}s",
        inner="/".join(parts[hidden + 2 :]),
    )
    return filled.lstrip("/")


def missing_twins(audited: Audited) -> Iterator[Finding]:
    """AGENTS.md files that Claude Code does not read, if the root and two other folders have a CLAUDE.md."""
    claude = next((each for each in audited.real_agents if each.agent.id == _CLAUDE), None)
    if claude is None or not any(name in audited.listed for name in _TWINS):
        return
    alone, twins = [], 0
    # A link that leads nowhere, or out of the project, is no path of it.
    there = audited.listed.union(each.path for each in audited.workspace.notices if each.path)
    for path in audited.paths:
        folder, name = posixpath.split(path)
        is_aside = audited.is_vendored(path) or audited.skill_of(path) or is_stand_in(path)
        if name == "AGENTS.md" and not is_aside:
            beside = [twin for twin in _TWINS if posixpath.join(folder, twin) in there]
            twins += any(_is_twin(audited, path, posixpath.join(folder, twin)) for twin in beside)
            if not beside and audited.real(path) not in audited.loaded[_CLAUDE]:
                alone.append(path)
    if twins >= _NEIGHBOURS:
        yield from (_missing_twin_finding(audited, claude, path, twins) for path in alone)


def _is_twin(audited: Audited, path: str, twin: str) -> bool:
    if audited.real(path) == audited.real(twin):
        return True
    folder = posixpath.dirname(twin)
    imported = (posixpath.normpath(posixpath.join(folder, each)) for each in audited.files.mentions(twin))
    return path in imported or audited.text(twin) == audited.text(path)


def _missing_twin_finding(audited: Audited, claude: AgentContext, path: str, twins: int) -> Finding:
    why = f"the project has a CLAUDE.md, and {twins:,} folders have one that leads to their AGENTS.md"
    message, many = (
        f"Claude Code never reads {these}: there is no CLAUDE.md beside {them}; {why}"
        for these, them in (("it", "it"), ("these {count} AGENTS.md", "them"))
    )
    tokens, evidence, cause = audited.tokens(path) or 0, agent_source(claude.agent), "AGENTS.md without CLAUDE.md"
    remedy = twin_remedy(path)
    return Finding("missing-twin", "warning", message, path, 1, tokens, evidence, _CLAUDE, "", remedy, cause, many)


def twin_remedy(path: str) -> Remedy:
    """The remedy that writes a CLAUDE.md to import the AGENTS.md at a path."""
    new = posixpath.join(posixpath.dirname(path), _TWINS[0])
    line = "with the one line `@AGENTS.md`"
    steps = (NewFile(new, "@AGENTS.md\n"),)
    return Remedy(f"write {new} {line}", f"put a {_TWINS[0]} beside each {line}", "", steps)
