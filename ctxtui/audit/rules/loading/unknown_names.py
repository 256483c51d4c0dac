"""The rule about tools, models, events and settings that an agent does not know."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterator, Mapping
from functools import cache, lru_cache
from itertools import chain, islice
from typing import Any, Final, NamedTuple

from ctxtui.agents.project.configuration import MAX_NAMES, parse_data, value_at
from ctxtui.audit.context import Audited
from ctxtui.audit.rules.loading.settings import SETTINGS, hook_commands
from ctxtui.audit.rules.remedies import replace_on_line
from ctxtui.audit.text.facts import split_lines
from ctxtui.audit.text.near import near_name
from ctxtui.audit.types import Finding, Remedy, Severity
from ctxtui.core.text.data.lines import key_lines
from ctxtui.core.text.data.toml import packaged_toml
from ctxtui.core.text.markdown.scan import is_markdown

_CLAUDE: Final = "claude-code"
_GEMINI: Final = "gemini-cli"
_HOOKS: Final = ((_CLAUDE, SETTINGS), ("cursor", (".cursor/hooks.json",)))
_WITH_SETTINGS: Final = ((_CLAUDE, SETTINGS), (_GEMINI, (".gemini/settings.json",)))
_SETTING: Final = "setting"
_EVENT: Final = "hook event"
# A tool with what it may do in parentheses. Names with other signs are those of servers and plugins.
_TOOL: Final = re.compile(r"([^\s,(]+)(?:\([^)]*\)?)?")
_PLAIN: Final = re.compile(r"(?!\w*__)[A-Za-z][A-Za-z_]*(?: [A-Za-z_]+)*")
_PERMISSION: Final = re.compile(r"[A-Z]\w+\(.*[ *:].*\)")
# Permissions with a path that Claude Code asks of `Edit` alone. One for everything is one for the tool.
_OF_FILES: Final = re.compile(r"(?:Write|NotebookEdit)(\((?!\**\)).+\))")
# One slash begins a path at the project, two at the root of the disk.
_OF_DISK: Final = re.compile(r"((?:Read|Edit)\()(/(?:etc|home|mnt|opt|private|root|tmp|usr|var|Users|Volumes)\b.*)")
_OF_PAGES: Final = re.compile(r"(WebFetch\(domain:[^/)]+)/.*(\))")
# A colon stands only before the last star of a command.
_OF_WORDS: Final = re.compile(
    r"Bash\(((?:adb|bun|cargo|docker|gh|git|go|kubectl|make|node|npm|npx|pip|pnpm|python3?|uv|yarn))"
    r":([a-z][\w -]*:\*)\)"
)
_PERMISSION_KIND: Final = "permission"
# Each list of permissions outranks those behind it.
_LISTS: Final = ("deny", "ask", "allow")
_WORDS: Final = re.compile(r"[A-Za-z_]+(?: [A-Za-z_]+)+")
# Identifiers of models and of other providers may be any.
_MODEL: Final = re.compile(r"(?!.*(?:claude|anthropic))[A-Za-z][\w.-]*", re.IGNORECASE)
_KEY: Final = "key"
# Other settings are comments.
_OF_SETTING: Final = re.compile(r"(?!comments?$|description$|notes?$)[A-Za-z][\w.:/ -]{0,80}", re.IGNORECASE)
_PATTERNS: Final = {
    "model": _MODEL,
    "color": re.compile(".+"),
    "matcher": _PERMISSION,
    _PERMISSION_KIND: re.compile(".+"),
    _EVENT: _OF_SETTING,
    _SETTING: _OF_SETTING,
    _KEY: re.compile(".+"),
}
_KEYS: Final = ("tools", "disallowedTools", "allowed-tools")


class Named(NamedTuple):
    """A name in a file that an agent reads: what kind of name it is, and all names of this kind that the agent knows.

    `place` is where, or as what, the agent would accept it. `shape` says what else must change before another name
    works. A setting that `is_empty` does nothing under any name, a permission nothing beside `place`. `at` are the
    keys above the name, or itself for a key.
    """

    path: str
    agent: str
    kind: str
    name: str
    known: tuple[str, ...]
    place: str = ""
    shape: str = ""
    is_empty: bool = False
    at: tuple[str, ...] = ()


def unknown_names(audited: Audited) -> Iterator[Finding]:
    """Names in metadata and settings that an agent does not know, each once in a list."""
    known = _known_names()
    for each in dict.fromkeys((*_in_metadata(audited), *_in_settings(audited), *_setting_keys(audited))):
        pattern = _PATTERNS.get(each.kind, _PLAIN)
        if each.name not in each.known and pattern.fullmatch(each.name):
            yield _finding(audited, each, known[_CLAUDE]["gone"])
    yield from hook_commands(audited)


@cache
def _known_names() -> dict[str, Any]:
    return packaged_toml(__package__, "known_names.toml")


def _in_metadata(audited: Audited) -> Iterator[Named]:
    """The keys, tools, models and colors in Claude Code's agents, skills and commands."""
    known = _known_names()
    tools = (*known[_CLAUDE]["tools"], *(known["copilot-cli"]["tools"] if "copilot-cli" in audited.loaded else ()))
    # Its plugins have the same files.
    for context in (each for each in audited.agents if each.agent.id in (_CLAUDE, "claude-plugins")):
        for charge in context.charges:
            if charge.imported_by or charge.row.kind not in ("agent", "skill", "command"):
                continue
            # Nobody reads the metadata of a file that a skill names.
            if charge.moment in ("never", "reference") or audited.is_vendored(charge.path):
                continue
            meta = audited.files.meta(charge.path, charge.row) or {}
            keys = tuple(known[_CLAUDE]["keys"])
            is_agent = charge.row.kind == "agent"
            for name in meta:
                # Skills name the tools that need no question, and subagents all that they have.
                if is_agent and "tools" not in meta and _letters(name) == "allowedtools":
                    yield Named(charge.path, _CLAUDE, _KEY, name, (), "tools", at=(name,))
                elif not is_agent and _respelled(name, keys):
                    yield Named(charge.path, _CLAUDE, _KEY, name, keys, at=(name,))
            for key in _KEYS:
                for name in _tool_names(meta.get(key)):
                    yield Named(charge.path, _CLAUDE, "tool", name, tools, at=(key,))
            color = meta.get("color")
            if is_agent and isinstance(color, str):
                yield Named(charge.path, _CLAUDE, "color", color, tuple(known[_CLAUDE]["colors"]), at=("color",))
            model = meta.get("model")
            if isinstance(model, str) and model:
                name, models = model.partition("[")[0], tuple(known[_CLAUDE]["models"])
                yield Named(charge.path, _CLAUDE, "model", name, models, at=("model",))


def _in_settings(audited: Audited) -> Iterator[Named]:
    """The tools and permissions in settings, and the events and matchers of hooks."""
    known = _known_names()
    there = defaultdict[str, list[str]](list)
    for file in SETTINGS:
        permissions = value_at(f"{file}#permissions", audited.text)
        for rank, key in enumerate(_LISTS if isinstance(permissions, dict) else ()):
            value = permissions.get(key)
            named = [each for each in value if isinstance(each, str)] if isinstance(value, list) else []
            there[key] += named
            held = frozenset(chain.from_iterable(there[each] for each in _LISTS[: rank + 1]))
            for each in named:
                tool = each.partition("(")[0]
                # A permission is one tool, and its parentheses may have any text.
                at = ("permissions", key)
                yield Named(file, _CLAUDE, "tool", tool, tuple(known[_CLAUDE]["tools"]), at=at)
                if works := _working_permission(audited, each):
                    kept = next((one for one in (works, works.partition("(")[0]) if one in held), "")
                    yield Named(file, _CLAUDE, _PERMISSION_KIND, each, (), kept or works, "", bool(kept), at)
    for agent, places in _HOOKS:
        for file in places:
            events = value_at(f"{file}#hooks", audited.text)
            for name, hooks in islice(events.items(), MAX_NAMES) if isinstance(events, dict) else ():
                for each in hooks if isinstance(hooks, list) and agent == _CLAUDE else ():
                    matcher = each.get("matcher") if isinstance(each, dict) else None
                    if isinstance(matcher, str) and _PERMISSION.fullmatch(matcher):
                        # A matcher is a pattern of tool names, not a permission.
                        tool, at = matcher.partition("(")[0], ("hooks", str(name))
                        yield Named(file, agent, "matcher", matcher, (), tool, at=at)
                shape = "" if isinstance(hooks, list) else ", with a list of hooks"
                names = tuple(known[agent]["events"])
                meant = _respelled(str(name), names)
                twin = meant if meant in events else ""
                yield Named(file, agent, _EVENT, str(name), names, twin, shape, at=("hooks", str(name)))


def _working_permission(audited: Audited, permission: str) -> str:
    """The permission that works in place of one that never applies, such as `Edit(…)` for `Write(…)`, else empty."""
    of_files = _OF_FILES.fullmatch(permission)
    works = f"Edit{of_files[1]}" if of_files else permission
    found = _OF_DISK.fullmatch(works)
    if found and not audited.exists(found[2].strip("/)").partition("/")[0]):
        return f"{found[1]}/{found[2]}"
    if of_files:
        return works
    if found := _OF_PAGES.fullmatch(permission):
        return f"{found[1]}{found[2]}"
    found = _OF_WORDS.fullmatch(permission)
    return f"Bash({found[1]} {found[2]})" if found else ""


def _setting_keys(audited: Audited) -> Iterator[Named]:
    """The top-level keys of settings files."""
    for agent, files in _WITH_SETTINGS:
        row = _known_names()[agent][_SETTING]
        places = {place.rpartition(".")[2]: place for place in row["inside"]} | row["renamed"]
        for file in files:
            for name, value in islice(parse_data(file, audited.text(file) or "").items(), MAX_NAMES):
                # `model` was a string and is a table now. A table `agents` of one's own is no misspelled `agent`.
                is_old = name in places and not isinstance(value, dict)
                known = () if is_old else tuple(each for each in row["names"] if f"{each}s" != name)
                is_empty = value in ({}, [], "")
                yield Named(file, agent, _SETTING, name, known, places.get(name, ""), "", is_empty, (name,))


def _tool_names(value: object) -> Iterator[str]:
    """The tool names in a list, or in a text with commas, without the parentheses that limit a tool."""
    items = [*map(str, value)] if isinstance(value, list | tuple) else []
    # An item of several words is one name.
    whole = [item for item in items if _WORDS.fullmatch(item)]
    yield from whole
    # A reader may have divided a text at the commas within parentheses.
    text = ", ".join(item for item in items if item not in whole) if items else value
    yield from _TOOL.findall(text) if isinstance(text, str) else ()


def _finding(audited: Audited, named: Named, gone: Mapping[str, str]) -> Finding:
    """The finding about an unknown name: a warning if a known name is meant. `gone` are new names of old tools."""
    path, agent, kind, name, known, place, _, is_empty, _ = named
    is_gone = kind == "tool" and name in gone
    meant = gone[name] if is_gone else place or _respelled(name, known) or near_name(name, known)
    # A new version may know names that are not like others, and a former tool does no harm.
    severity: Severity = "warning" if not (is_gone or is_empty) and meant else "info"
    verb = "never applies" if kind == _PERMISSION_KIND else "no longer knows" if is_gone else "does not know"
    why = _WHY["/" if _OF_DISK.fullmatch(name) else place.partition("(")[0]] if kind == _PERMISSION_KIND else ""
    says = f"{_NAMES[agent]} {verb}"
    message, many = f"{says} the {kind} `{name}`{why}", f"{says} {{subjects}} {kind}s, such as `{name}`{why}"
    line = _line_of(audited, named)
    remedy = _remedy(audited, named, line, meant, _OF_GONE if is_gone else "")
    data = _known_names()[agent]
    data = data.get(kind, data)
    evidence, subject = f"{data['src']}, checked {data['checked']}", f"{kind} {name}"
    cause = f"{path if kind in (_SETTING, _EVENT) else agent}: {'former ' * is_gone}{kind}"
    return Finding("unknown-name", severity, message, path, line, 0, evidence, agent, subject, remedy, cause, many)


def _remedy(audited: Audited, named: Named, line: int, meant: str, of_gone: str) -> Remedy:
    """The remedy for a name. `meant` is the known name for it or empty, `of_gone` its text for several old tools."""
    path, _, kind, name, _, place, shape, is_empty, _ = named
    if not meant:
        return Remedy("remove it", of_gone) if of_gone else Remedy("")
    if kind == _PERMISSION_KIND and is_empty:
        return Remedy(f"remove it: `{place}` is there", "remove them: the ones that work are there")
    if kind == _PERMISSION_KIND:
        steps = replace_on_line(audited, path, line, name, place)
        return Remedy(f"write `{place}`", f"write each like `{place}`", place, steps)
    if place and kind != _KEY:
        if kind == _EVENT or _has_all_keys(audited, named):
            return Remedy(f"remove it: `{place}` {'is there' if kind == _EVENT else 'has it'}")
        return Remedy(f"{'move it to' if place.startswith('.') else 'write'} `{place}`", "", place)
    end = ":" if kind == _KEY else ""
    steps = () if shape else replace_on_line(audited, path, line, f"{name}{end}", f"{meant}{end}")
    return Remedy(f"write `{meant}`{shape}", f"write the current names{shape}" if shape else of_gone, meant, steps)


_WHY: Final = {
    "Edit": ": for files, only those of `Edit` count",
    "/": ": a path with one slash begins at the project",
    "WebFetch": ": a domain has no path",
    "Bash": ": no command has this name",
}
_OF_GONE: Final = "write their current names, or remove them"
_NAMES: Final = {_CLAUDE: "Claude Code", "cursor": "Cursor", _GEMINI: "Gemini CLI"}


def _has_all_keys(audited: Audited, named: Named) -> bool:
    """Whether the file at `place`, to which a table belongs, already has all of its keys."""
    paths = named.path, named.place
    here, there = (parse_data(path, audited.text(path) or "").get(named.name) for path in paths)
    return isinstance(here, dict) and isinstance(there, dict) and here.keys() <= there.keys()


def _respelled(name: str, known: tuple[str, ...]) -> str:
    """The known name that is written in another way, such as `pre_tool_use`, empty if there is none."""
    letters = _letters(name)
    meant = next((each for each in known if _letters(each) == letters), "")
    return "" if meant == name else meant


def _letters(name: str) -> str:
    return name.replace("-", "").replace("_", "").lower()


_line_of_keys = lru_cache(len(SETTINGS))(key_lines)


def _line_of(audited: Audited, named: Named) -> int:
    path, name, text = named.path, named.name, audited.text(named.path) or ""
    first = audited.line_of(path, *named.at) if is_markdown(path) else _line_of_keys(path, text)(named.at) or 1
    pattern = re.compile(rf"(?<![\w-]){re.escape(name)}(?![\w-])")
    lines = enumerate(split_lines(text)[first - 1 :], first)
    return next((number for number, line in lines if pattern.search(line)), first)
