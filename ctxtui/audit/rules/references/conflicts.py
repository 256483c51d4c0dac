"""The rule about text that says something else than the files of the project."""

from __future__ import annotations

import posixpath
import re
from collections.abc import Iterator, Mapping
from typing import Final, NamedTuple

from ctxtui.agents.project.configuration import value_at
from ctxtui.audit.context import Audited
from ctxtui.audit.roles import folders_above, is_fixture, is_sample
from ctxtui.audit.rules.references.counted import miscounted
from ctxtui.audit.rules.remedies import replace_on_line
from ctxtui.audit.text.commands import Command, commands_of, says_around
from ctxtui.audit.text.facts import outside_code, split_lines
from ctxtui.audit.types import Finding, Place, Remedy
from ctxtui.core.text.data.lines import key_lines
from ctxtui.core.text.data.toml import packaged_toml
from ctxtui.core.text.metadata.reference import Reference

_TABLES: Final = packaged_toml(__package__, "conflicts.toml")
_LOCKS: Final[Mapping[str, str]] = _TABLES["locks"]
_PACKAGES: Final[Mapping[str, str]] = _TABLES["packages"]
# Lines about another time, place or choice.
_OTHERWISE: Final = re.compile(
    r"n['’]t\b|\bnot\b|never|avoid|\bno\b|migrat|upgrad|legacy|\bold\b|former|previous|deprecat|support|compat|"
    r"兼容|instead|\bfrom\b|\bsince\b|\bif\b|\bwhen\b|example|such as|e\.g\.|\bor\b|differ|unlike|also|tested|user"
    r"|docs|chrome|firefox|safari",
    re.IGNORECASE,
)
# Skills, subagents and commands may be those of any project.
_OF_ANY_PROJECT: Final = re.compile(r"(?:^|/)(?:skills|agents|commands|prompts)/")
_LEADS: Final = re.compile(r"\bcd[ \t]|[ \t](?:-C|--(?:prefix|cwd|dir))\b")
_SPEC: Final = re.compile(r"(?:npm:[^@]*@)?([\^~>=v ]*)(\d+)(?:\.(\d+))?(?:\.|$|\s|-)")
_LEAST: Final = re.compile(r"(?:>=\s*v?|^go )(\d+)(?:\.(\d+))?")
_GO: Final = re.compile(r"^go \d+\.\d+(?:\.\d+)?", re.MULTILINE)
_COUNTED: Final = (
    r"cases?|components?|errors?|fail(?:ed|ing|ures?)|files?|findings?|hooks?|issues?|modules?|pages?|pass(?:ed|ing)?"
    r"|plugins?|problems?|routes?|rules?|seconds?|specs?|suites?|tests?|violations?|warnings?"
)
_VERSIONED: Final = re.compile(
    rf"(?<![\w@/-])({'|'.join(re.escape(each) for each in sorted(_PACKAGES, key=len, reverse=True))})"
    # A zero without a sign of a version is a count, and so is a number of things.
    r"(?: v|@| version )?[ ]?((?<=[v@])0|0(?=\.[\dx])|[1-9]\d?)(?:\.(\d+))?(?:\.\d+|\.x)*"
    rf"(?![\w%+-]|\.\d|/\d| ?(?:px|rem|{_COUNTED})\b)",
    re.IGNORECASE,
)
_RUNTIMES: Final = re.compile(
    r"(?<!\()\b(Node(?:\.?js)?|Python|(?-i:Go))[ *_`:(]{1,6}(?:version[ *_`:(]{1,6})?(?:(?:>=|≥) ?)?v?(\d{1,2})"
    # Before other words, and alone in parentheses, it is the version that brought a feature.
    r"(?:\.(\d{1,2}))?(?=[\d.x]*\+?[*_`)]*(?:$|[^\s\w+/]| (?:[^\w ]|and|is|minimum|required|with)))",
    re.IGNORECASE,
)
_MARKUP: Final = re.compile(r"[*_`:(]+")
_LENGTH: Final = re.compile(
    r"line[ -](?:length|width|limit)s?[^.\n\d]{0,24}(\d{2,3})\b|\b(\d{2,3})[ -]char(?:acter)?s?(?: per)? lines?\b",
    re.IGNORECASE,
)
_VERSION_OF: Final = "version of "
_INDENTATION: Final = re.compile(
    r"\b([248])[- ]spaces? indent|indent\w*[^.\n\d]{0,24}\b([248])[- ]spaces?\b", re.IGNORECASE
)
# A formatter of scripts says nothing about other languages.
_OTHER_CODE: Final = ("pyproject.toml", "setup.py", "go.mod", "Cargo.toml", "composer.json", "Gemfile", "pom.xml")
_OF_OTHERS: Final = re.compile(
    r"commit|subject|title|comment|docstring|summary|message|\blists?\b|markdown|json|ya?ml", re.IGNORECASE
)
_LINTED: Final = re.compile(r"max[-_]line[-_]length\s*[=:]\s*(\d{2,3})\b")
_MOST_MANIFESTS: Final = 200
_OPENS: Final = "<" * 7 + " "
# The beginnings of the lines between which git puts the sides of a merge, in their order.
_MARKS: Final = (re.compile(_OPENS), re.compile("={7}$"), re.compile(">{7} "))


class Conflict(NamedTuple):
    """Words `said` about a subject, and another `value` for it in a file, at `keys` if it has such."""

    said: str
    about: str
    file: str
    keys: str
    value: str


def conflicts(audited: Audited) -> Iterator[Finding]:
    """Statements that a lock file, manifest or configuration contradicts, wrong numbers, and unfinished merges."""
    yield from miscounted(audited)
    yield from _unfinished_merges(audited)
    for reference in audited.instructions():
        if _OF_ANY_PROJECT.search(reference.path):
            continue
        yield from _manager_conflicts(audited, reference)
        subjects = set[str]()
        for number, line in _statements(audited.text(reference.path) or ""):
            formats = _format_conflicts(audited, posixpath.basename(reference.path), line)
            found = (*_version_conflicts(audited, line), *_runtime_conflicts(audited, line), *formats)
            for each in (each for each in found if each.about not in subjects):
                subjects.add(each.about)
                yield _finding(audited, reference.path, number, each, Remedy(""))


def _unfinished_merges(audited: Audited) -> Iterator[Finding]:
    """Texts with both sides of a merge that nobody ended."""
    for reference in audited.instructions():
        text = audited.text(reference.path) or ""
        line = _merge_line(text) if _OPENS in text else 0
        if line:
            remedy = Remedy("keep one side, and remove the marks")
            more = ("both sides stand between marks of git", None, "merge", remedy)
            message = "holds both sides of a merge conflict"
            yield Finding("conflicting-text", "warning", message, reference.path, line, 0, *more)


def _merge_line(text: str) -> int:
    """The line, from 1, of the first mark of a merge whose other marks follow, 0 without one."""
    first, left = 0, list(_MARKS)
    # Within a fence, the marks are an example.
    for number, line in enumerate(split_lines(outside_code(text)), 1):
        if left[0].match(line):
            first = first or number
            left.pop(0)
            if not left:
                return first
    return 0


def _finding(audited: Audited, path: str, line: int, conflict: Conflict, remedy: Remedy) -> Finding:
    """The finding with both places: that of the words, and that of the other value."""
    said, about, file, keys, value = conflict
    at = key_lines(file, audited.text(file) or "")(tuple(keys.split("."))) if keys else None
    other = f"{file}:{at}" if at else file
    is_version = about.startswith(_VERSION_OF)
    # Versions go out of date together, in each text that names them.
    cause = file if is_version else f"{path}: {about}"
    places = (Place(path, line, 0, said), Place(file, at, 0, value))
    whole = file if is_version else other
    many = f"says {{count}} times something else than {whole}, such as `{said}`: it says {value}"
    message = f"says `{said}`, but {other} says {value}"
    more = (f"compared with {file}", None, about, remedy, cause, many, places)
    return Finding("conflicting-text", "info", message, path, line, 0, *more)


def _manager_conflicts(audited: Audited, reference: Reference) -> Iterator[Finding]:
    """Findings about commands in a text that use another package manager than the project does."""
    text, path = audited.text(reference.path) or "", reference.path
    is_told = "npm" in text or "yarn" in text
    file, keys, manager = _manager(audited, audited.real_if_listed(path)) if is_told else ("", "", "")
    lines, named = split_lines(text), re.compile(rf"\b{manager}\b")
    for command in commands_of(audited, reference) if manager else ():
        is_other = command.tool in ("npm", "pnpm", "yarn") and command.tool != manager
        if is_other and not any(says_around(each, command.about) for each in (named, _LEADS)):
            new = _command_for(manager, command, lines[command.line - 1])
            steps = replace_on_line(audited, path, command.line, command.written, new) if new else ()
            instead = f"write {manager} instead"
            remedy = Remedy(f"write `{new}`" if new else instead, instead, new, steps)
            conflict = Conflict(command.written, "package manager", file, keys, manager)
            yield _finding(audited, path, command.line, conflict, remedy)


def _command_for(manager: str, command: Command, line: str) -> str:
    """The same command for another manager, empty if it has flags, which may mean something else to that one."""
    _, *words, name = command.written.split()
    if words not in ([], ["run"], ["run-script"]) or f"{command.written} -" in line:
        return ""
    # Only npm needs `run` for every script but a few, and the others for names of their own commands.
    is_own = name != "test" if manager == "npm" else name in _TABLES["own"].get(manager, ())
    return f"{manager} run {name}" if words or is_own else f"{manager} {name}"


def _manager(audited: Audited, path: str) -> tuple[str, str, str]:
    """The file that decides on the package manager of a text, its key, and the manager. All empty if unclear."""
    for folder in (*folders_above(path), ""):
        there = {each: _LOCKS[each] for each in _LOCKS if audited.exists(posixpath.join(folder, each))}
        wanted = str(value_at("package.json#packageManager", audited.text, folder) or "").partition("@")[0]
        if wanted in _LOCKS.values() and {*there.values()} <= {wanted}:
            return posixpath.join(folder, "package.json"), "packageManager", wanted
        if there:
            # A lock file of another manager than the manifest's may be left over.
            is_one = len({*there.values(), wanted} - {""}) == 1
            return (posixpath.join(folder, min(there)), "", there[min(there)]) if is_one else ("", "", "")
    return "", "", ""


def _statements(text: str) -> Iterator[tuple[int, str]]:
    """Number, from 1, and text of each line of prose that may state a present number about this project."""
    for number, line in enumerate(split_lines(outside_code(text)), 1):
        if any(map(str.isdigit, line)) and not _OTHERWISE.search(line):
            yield number, line


def _version_conflicts(audited: Audited, line: str) -> Iterator[Conflict]:
    """Versions of packages in a line that no package.json of the project asks for."""
    matches = list(_VERSIONED.finditer(line))
    for match in matches:
        # A line that names two versions compares them.
        if len({each[2] for each in matches if each[1].lower() == match[1].lower()}) > 1:
            continue
        package, others = _PACKAGES[match[1].lower()], (is_fixture, is_sample, audited.is_vendored)
        paths = [path for path in audited.by_name.get("package.json", ()) if not any(each(path) for each in others)]
        specs = {
            (path, f"{table}.{package}"): spec
            for path in sorted(paths, key=lambda path: (path.count("/"), path))[:_MOST_MANIFESTS]
            for table in ("dependencies", "devDependencies", "peerDependencies")
            if isinstance(
                spec := value_at(f"package.json#{table}.{package}", audited.text, posixpath.dirname(path)), str
            )
        }
        known = [_SPEC.match(each.strip()) for spec in specs.values() for each in spec.split("||")]
        # A specification without a number may be any version.
        if specs and all(known) and not any(_meets(match, each) for each in known if each):
            place, spec = next(iter(specs.items()))
            yield Conflict(match[0], f"{_VERSION_OF}{package}", *place, f"`{spec}`")


def _meets(said: re.Match[str], wanted: re.Match[str]) -> bool:
    """Whether the version `said` meets `wanted`: the same major number, and at least its minor number.

    A later major number meets one that is only a minimum.
    """
    major, least = int(said[2]), int(wanted[2])
    is_of_same = major == least and int(said[3] or wanted[3] or 0) >= int(wanted[3] or 0)
    return is_of_same or (">" in wanted[1] and major > least)


def _runtime_conflicts(audited: Audited, line: str) -> Iterator[Conflict]:
    """A version of Python, Node or Go below the manifest's minimum. Of Node, only the first number counts."""
    matches = list(_RUNTIMES.finditer(line))
    for match in matches if len(matches) == 1 else ():
        runtime = match[1].lower()
        file, keys, value = _minimum(audited, runtime)
        least, has_minor = _LEAST.search(value), not runtime.startswith("node")
        if least is not None and (match[3] is not None or not has_minor):
            both = match.group(2, 3), least.groups()
            said, wanted = ((int(major), int(minor or 0) * has_minor) for major, minor in both)
            if said < wanted:
                yield Conflict(_MARKUP.sub("", match[0]), f"{_VERSION_OF}{match[1]}", file, keys, f"`{value}`")


def _minimum(audited: Audited, runtime: str) -> tuple[str, str, str]:
    """The file and key with the project's oldest version of a runtime, and its value, empty without one."""
    if runtime == "go":
        found = _GO.search(audited.text("go.mod") or "")
        return "go.mod", "", found[0] if found else ""
    is_python = runtime == "python"
    file, keys = ("pyproject.toml", "project.requires-python") if is_python else ("package.json", "engines.node")
    value = value_at(f"{file}#{keys}", audited.text)
    # An alternative may begin lower.
    return file, keys, value if isinstance(value, str) and "||" not in value else ""


def _is_linter_length(audited: Audited, length: int) -> bool:
    """Whether a linter of the project, which is not its formatter, is set to this line length."""
    texts = (audited.text(path) or "" for path in _TABLES["lengths"]["linters"] if audited.exists(path))
    return any(int(each) == length for text in texts for each in _LINTED.findall(text))


def _format_conflicts(audited: Audited, name: str, line: str) -> Iterator[Conflict]:
    """Line lengths and indentations in a line that differ from all formatter settings. `name` is the text's file."""
    for about, table, pattern in (
        ("length of lines", "lengths", _LENGTH),
        ("indentation", "indentation", _INDENTATION),
    ):
        match = None if _OF_OTHERS.search(f"{name} {line}") else pattern.search(line)
        is_mixed = pattern is _INDENTATION and any(map(audited.by_name.get, _OTHER_CODE))
        refs = _TABLES[table]["places"] if match and not is_mixed else ()
        known = {ref: value for ref in refs if isinstance(value := value_at(ref, audited.text), int)}
        said = int(match[1] or match[2]) if match else 0
        if match and known and said not in known.values() and not _is_linter_length(audited, said):
            ref, value = next(iter(known.items()))
            file, keys = ref.split("#")
            yield Conflict(match[0], about, file, keys, f"{value:,}")
