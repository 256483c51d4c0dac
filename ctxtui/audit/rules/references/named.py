"""The rule about configurations that name missing files."""

from __future__ import annotations

import posixpath
import re
from collections.abc import Iterable, Iterator
from typing import NamedTuple

from ctxtui.agents import Agent, AgentContext, load_table
from ctxtui.agents.project.configuration import names_at, value_at
from ctxtui.agents.project.globs import is_literal
from ctxtui.agents.project.packages import MANIFEST
from ctxtui.audit.context import Audited
from ctxtui.audit.rules.phrases import agent_source
from ctxtui.audit.rules.remedies import replace_on_line
from ctxtui.audit.text.facts import split_lines
from ctxtui.audit.text.named import made_by_project
from ctxtui.audit.types import Finding, Remedy, Severity
from ctxtui.core.base.errors import ContextError
from ctxtui.core.text.globs import compile_glob

_ELSEWHERE = re.compile(r"^[~/$]|^[A-Za-z][A-Za-z0-9+.-]*:|^\.\./|\$\{|%")
# The files with hooks, and the agent that runs them.
_HOOKS = (
    (".claude/settings.json", "claude-code"),
    (".claude/settings.local.json", "claude-code"),
    (".cursor/hooks.json", "cursor"),
    (".gemini/settings.json", "gemini-cli"),
)
# A script below the project's folder, or below that of a plugin.
_PATH = r"((?:[\w.-]{1,100}/){0,20}[\w.-]{1,100}\.(?:sh|bash|py|rb|pl|ps1|[cm]?js|ts))(?=$|[\s\"';&|)])"
_OF_PROJECT = re.compile(rf"(?:^|[\s\"'])(?:\$\{{?\w+_PROJECT_DIR\}}?[\"']?/|(?=\.?\w[\w.-]*/)|\./){_PATH}")
_IN_PLUGIN = re.compile(rf"\$\{{CLAUDE_PLUGIN_ROOT\}}[\"']?/{_PATH}")
_LEADS = re.compile(r"(?:^|[\s;&(])(?:cd|pushd)\s")
_BUILT = frozenset(("build", "dist", "node_modules", "out", "target"))
# A command that tests whether the file exists, or tolerates its absence.
_TOLERANT = re.compile(r"(?:\[|\btest)\s+(?:!\s+)?-[a-z]\s|\bif\s+\[|\|\|\s*(?:true\b|:|exit\s+0\b)")
# Claude Code runs hooks in the folder of the session: at the start the project, where this variable keeps it.
_AT_START = ("SessionStart", "Setup")
# A program and its options before a script.
_WORDS = re.compile(r"(?:(?!echo\b)[\w.=/-]+(?: |$))*")
_STAYS = "CLAUDE_BASH_MAINTAIN_PROJECT_WORKING_DIR"
_MOST_HOOKS = 500
# The end of a program or a variable, before the blanks, quotes, `$` or `.` with which a script begins.
_STARTED = re.compile(r"[^\s\"'&|;($.][ \t\"']*[ \t\"'$.]\Z")


_MISSING = "does not exist"
_MOVES = "is not found once the session has entered another folder"
_NO_PROGRAM = "nobody may execute"
_NO_FILE = "Claude Code refuses at the installation: `agents` takes files that end in .md"


class MissingFile(NamedTuple):
    """A missing or wrong file. `file` is the configuration that names it, `who` says who uses it for what."""

    file: str
    name: str
    agent: Agent
    who: str
    fault: str = _MISSING


def missing_files(audited: Audited) -> Iterator[Finding]:
    """Missing files named by the configuration of an agent, plugin or hook."""
    found = list(dict.fromkeys(_missing(audited)))
    # One call for all, because it reads every context file.
    made = made_by_project(audited, (each.name for each in found))
    yield from (_finding(audited, each, each.name in made) for each in found)


def _missing(audited: Audited) -> Iterator[MissingFile]:
    for context in audited.agents:
        yield from _named_by_packages(audited, context)
        if not context.agent.installable:
            yield from _named_by_settings(audited, context)
    yield from _run_by_hooks(audited)
    yield from _run_by_servers(audited)


def _named_by_packages(audited: Audited, context: AgentContext) -> Iterator[MissingFile]:
    """The files that manifests of plugins name: missing ones, and agents that are no `.md` files."""
    for package in context.packages:
        # A link to a folder is no path of the project, but exists.
        for path in (each for each in package.missing if not audited.exists(each)):
            yield MissingFile(package.manifest, path, context.agent, f"the plugin {package.name} names")
        named = value_at(f"{MANIFEST}#agents", audited.text, package.folder)
        for path in (named if isinstance(named, list) else [named]) if package.manifest.endswith(MANIFEST) else ():
            if isinstance(path, str) and not path.endswith(".md"):
                yield MissingFile(package.manifest, path, context.agent, f"the plugin {package.name} names", _NO_FILE)


def _named_by_settings(audited: Audited, context: AgentContext) -> Iterator[MissingFile]:
    """The names and globs in an agent's settings that match nothing, neither outside the project nor ignored."""
    refs = dict.fromkeys(ref for row in context.agent.rows if row.at != "home" for ref in row.listed_in)
    seen = set()
    for name, file in names_at(tuple(refs), audited.text, ("",)):
        is_known = (name, file) in seen or _ELSEWHERE.search(name) or _is_there(audited, name, file)
        if not is_known and not (is_literal(name) and audited.is_made_later(posixpath.normpath(name))):
            seen.add((name, file))
            yield MissingFile(file, name, context.agent, f"{context.agent.name} is configured to read")


def _is_there(audited: Audited, name: str, file: str) -> bool:
    """Whether a name or glob matches a file below the root or beside `file`. A bare name may be anywhere."""
    places = {posixpath.normpath(posixpath.join(base, name)) for base in ("", posixpath.dirname(file))}
    if is_literal(name):
        # Agents may look up a bare name in every ancestor folder.
        bare = f"/{name}" if "/" not in name else "\0"
        return any(map(audited.exists, places)) or any(path.endswith(bare) for path in audited.paths)
    return any(any(map(compile_glob(place).matches, audited.disk.all_paths or audited.paths)) for place in places)


def _run_by_hooks(audited: Audited) -> Iterator[MissingFile]:
    """The scripts that hooks cannot run: missing, not executable, or named by a path from the current folder."""
    agents = {context.agent.id: context.agent for context in audited.agents}
    for file, agent in _HOOKS:
        stays = agent != "claude-code" or _STAYS in (audited.text(file) or "")
        for is_later, command in (
            _commands_by_event(value_at(f"{file}#hooks", audited.text)) if agent in agents else ()
        ):
            for match in _OF_PROJECT.finditer(command):
                # Cursor once took such paths from the folder of the file.
                places = (match[1], posixpath.join(posixpath.dirname(file), match[1]))
                is_relative = "_DIR" not in match[0]
                is_here = not (is_relative and _LEADS.search(command))
                is_started = _STARTED.search(f"{command[: match.start()]}{match[0][0]}") is not None
                if is_here and _are_missing(audited, places):
                    yield MissingFile(file, match[1], agents[agent], "a hook runs")
                elif is_here and not is_started and _lacks_permission(audited, places):
                    yield MissingFile(file, match[1], agents[agent], "a hook runs", _NO_PROGRAM)
                elif is_relative and is_later and not stays and _WORDS.fullmatch(command[: match.start()]):
                    yield MissingFile(file, match[1], agents[agent], "a hook runs", _MOVES)
    plugins = next(agent for agent in load_table() if agent.id == "claude-plugins")
    for file in audited.by_name.get("hooks.json", ()):
        folder = posixpath.dirname(posixpath.dirname(file))
        is_of_plugin = audited.exists(posixpath.join(folder, ".claude-plugin/plugin.json"))
        for command in _hook_commands(value_at(f"{file}#hooks", audited.text)) if is_of_plugin else ():
            for path in _IN_PLUGIN.findall(command):
                if _are_missing(audited, (posixpath.join(folder, path),)):
                    yield MissingFile(file, path, plugins, "a hook runs")


def _run_by_servers(audited: Audited) -> Iterator[MissingFile]:
    """The missing scripts that MCP servers of the project would run."""
    agents = {context.agent.id: context.agent for context in audited.agents}
    for server in (each.server for each in audited.settings.servers if each.state != "off"):
        agent = next((agents[each] for each in server.agents if each in agents), None)
        folder = posixpath.relpath(server.launch.folder or ".", str(audited.workspace.root))
        if agent is None or server.owner != "project" or folder.startswith(".."):
            continue
        for word in server.launch.command:
            found = _OF_PROJECT.fullmatch(word.replace("${workspaceFolder}/", "./", 1))
            if found is None:
                continue
            if _are_missing(audited, (posixpath.normpath(posixpath.join(folder, found[1])),)):
                yield MissingFile(server.path, found[1], agent, f"the MCP server {server.name} runs")
            # What follows are arguments of the script, which looks for them where it likes.
            break


def _commands_by_event(hooks: object) -> Iterator[tuple[bool, str]]:
    """The commands in a table of hooks. The bool is true if the hook runs only after the session has started."""
    for event, value in hooks.items() if isinstance(hooks, dict) else ():
        is_later = isinstance(value, list) and event not in _AT_START
        yield from ((is_later, command) for command in _hook_commands(value))


def _are_missing(audited: Audited, places: Iterable[str]) -> bool:
    """Whether a script exists at none of the places, and none is outside the project, ignored or a build folder."""
    return not any(
        place.startswith("../")
        or not _BUILT.isdisjoint(place.split("/"))
        or audited.exists(posixpath.normpath(place))
        or audited.is_made_later(posixpath.normpath(place))
        for place in places
    )


def _lacks_permission(audited: Audited, places: Iterable[str]) -> bool:
    """Whether the first of the places that exists is a file that nobody may execute."""
    for place in places:
        try:
            return not audited.workspace.reader.root.mode(posixpath.normpath(place)) & 0o111
        except ContextError:
            continue
    return False


def _hook_commands(value: object) -> Iterator[str]:
    """The commands in a table of hooks, at any depth, without those that tolerate a missing file."""
    todo, seen = [value], 0
    while todo and seen < _MOST_HOOKS:
        each, seen = todo.pop(), seen + 1
        if isinstance(each, dict):
            command = each.get("command")
            if isinstance(command, str) and not _TOLERANT.search(command):
                yield command
            todo += each.values()
        elif isinstance(each, list):
            todo += each


def _finding(audited: Audited, missing: MissingFile, is_made: bool) -> Finding:
    file, name, agent, who, fault = missing
    made = "; the project says that it is generated" if is_made else ""
    text = audited.text(file) or ""
    line = text.count("\n", 0, max(text.find(name), 0)) + 1
    severity: Severity = "info" if is_made or fault == _MOVES else "warning"
    message, many = f"{who} {name}, which {fault}{made}", f"{{count}} files that {file} names do not exist"
    cause, remedy = (file, Remedy("")) if fault == _MISSING else ("", Remedy("list the files of the folder"))
    if fault == _NO_PROGRAM:
        cause, many = f"{file}: {fault}", f"hooks run {{count}} files that {fault}, such as {name}"
        remedy = Remedy(f"run `chmod +x {name}`", "run `chmod +x` on each")
    if fault == _MOVES:
        cause, many = f"{file}: folder", f"hooks run {{count}} files by a path that {fault}, such as {name}"
        remedy = _project_path_remedy(audited, file, name)
    more = (agent_source(agent), agent.id, name, remedy, cause, many)
    return Finding("missing-file", severity, message, file, line, 0, *more)


def _project_path_remedy(audited: Audited, file: str, name: str) -> Remedy:
    """The remedy that runs a script by a path which begins with the folder of the project."""
    written = re.compile(rf'": "{_WORDS.pattern}{re.escape(name)}[" ]')
    lines = [number for number, each in enumerate(split_lines(audited.text(file) or ""), 1) if written.search(each)]
    new = rf"\"$CLAUDE_PROJECT_DIR\"/{name}"
    steps = tuple(step for number in lines for step in replace_on_line(audited, file, number, name, new))
    return Remedy(f'write `"$CLAUDE_PROJECT_DIR"/{name}`', "begin each with `$CLAUDE_PROJECT_DIR`", "", steps)
