"""The rule about text that says something else than the files of the project."""

from __future__ import annotations

import posixpath
import re
from collections.abc import Iterator, Mapping
from importlib.resources import files
from typing import Any, Final, NamedTuple

from ctxtui.agents.configuration import parse_data, value_in
from ctxtui.audit.context import Audited
from ctxtui.audit.roles import folders_above, is_fixture, is_sample
from ctxtui.audit.rules.remedies import put_in
from ctxtui.audit.text.commands import commands
from ctxtui.audit.text.facts import split_lines
from ctxtui.audit.types import Finding, Place, Remedy
from ctxtui.core.text.data.toml import load_toml
from ctxtui.core.text.markdown.light import body_start, prose
from ctxtui.core.text.metadata.reference import Reference

_TABLES: Final = load_toml(files(__package__).joinpath("conflicts.toml").read_text("utf-8"))
_LOCKS: Final[Mapping[str, str]] = _TABLES["locks"]
_PACKAGES: Final[Mapping[str, str]] = _TABLES["packages"]
# Lines about another time, place or choice.
_OTHERWISE: Final = re.compile(
    r"n['’]t\b|\bnot\b|never|avoid|\bno\b|migrat|upgrad|legacy|\bold\b|former|previous|deprecat|support|compat|"
    r"instead|\bfrom\b|\bsince\b|\bif\b|\bwhen\b|example|such as|e\.g\.|\bor\b|differ|unlike|also|tested|user|docs",
    re.IGNORECASE,
)
_LEADS: Final = re.compile(r"\bcd[ \t]|[ \t](?:-C|--(?:prefix|cwd|dir))\b")
_SPEC: Final = re.compile(r"(?:npm:[^@]*@)?[\^~>=v ]*(\d+)(?:\.|$|\s|-)")
_LEAST: Final = re.compile(r">=\s*v?(\d+)(?:\.(\d+))?")
_VERSIONED: Final = re.compile(
    rf"(?<![\w@/-])({'|'.join(re.escape(each) for each in sorted(_PACKAGES, key=len, reverse=True))})"
    r"(?: v|@| version )?[ ]?(\d{1,2})(?:\.\d+|\.x)*(?![\w%+-]|\.\d| ?(?:px|rem|components?|files?|tests?)\b)",
    re.IGNORECASE,
)
_RUNTIMES: Final = re.compile(
    r"\b(Node(?:\.?js)?|Python)(?: version)? ?(?:>= ?)?v?(\d{1,2})(?:\.(\d{1,2}))?", re.IGNORECASE
)
_LENGTH: Final = re.compile(
    r"line[ -](?:length|width|limit)s?[^.\n\d]{0,24}(\d{2,3})\b|\b(\d{2,3})[ -]char(?:acter)?s?(?: per)? lines?\b",
    re.IGNORECASE,
)


class Conflict(NamedTuple):
    """What a line of a text says, and what a file of the project says of the same."""

    line: int
    said: str
    about: str
    file: str
    line_of_file: int
    value: str
    remedy: Remedy = Remedy("")


def conflicts(audited: Audited) -> Iterator[Finding]:
    """Statements in always-read text that a lock file, a manifest or a configuration contradicts."""
    facts = _Facts(audited)
    for reference in audited.instructions():
        if audited.always_read.isdisjoint(reference.paths):
            continue
        for each in (*_managers(audited, reference), *facts.in_text(audited.text(reference.path) or "")):
            yield _finding(reference.path, each)


def _finding(path: str, found: Conflict) -> Finding:
    other = f"{found.file}:{found.line_of_file}" if found.line_of_file else found.file
    message = f"says `{found.said}`, but {other} says {found.value}"
    places = Place(path, found.line, 0, found.said), Place(found.file, found.line_of_file or None, 0, found.value)
    many = f"says {{count}} times something else than {other}, such as `{found.said}`: it says {found.value}"
    return Finding(
        "conflicting-text",
        "warning",
        message,
        path,
        found.line,
        0,
        f"compared with {found.file}",
        subject=found.about,
        remedy=found.remedy,
        cause=f"{path}: {found.about}",
        many=many,
        places=places,
    )


def _managers(audited: Audited, reference: Reference) -> Iterator[Conflict]:
    """Scripts that the text runs with another package manager than the one of the lock file."""
    text, path = audited.text(reference.path) or "", audited.home(reference.path)
    owner = _manager(audited, path) if "npm" in text or "yarn" in text else None
    for command in commands(text) if owner else ():
        file, line, manager = owner or ("", 0, "")
        is_other = command.tool in ("npm", "pnpm", "yarn") and command.tool != manager
        if is_other and not re.search(rf"\b{manager}\b", command.about) and not _LEADS.search(command.about):
            new = f"{manager} run {command.name}"
            steps = put_in(audited, reference.path, command.line, command.written, new)
            remedy = Remedy(f"write `{new}`", f"write `{manager} run NAME`", new, steps)
            yield Conflict(command.line, command.written, "package manager", file, line, manager, remedy)


def _manager(audited: Audited, path: str) -> tuple[str, int, str] | None:
    """The file that decides about the package manager of a text, its line, and the manager."""
    for folder in (*folders_above(path), ""):
        there = {each: _LOCKS[each] for each in _LOCKS if audited.exists(posixpath.join(folder, each))}
        manifest = posixpath.join(folder, "package.json")
        wanted = str(parse_data(manifest, audited.text(manifest) or "").get("packageManager") or "").partition("@")[0]
        if wanted in _LOCKS.values() and {*there.values()} <= {wanted}:
            return manifest, audited.line_of(manifest, '  "packageManager"'), wanted
        if there:
            one = len(set(there.values())) == 1
            return (posixpath.join(folder, min(there)), 0, next(iter(there.values()))) if one else None
    return None


class _Facts:
    """What the manifests and the configuration of a project say of versions and of the length of lines."""

    def __init__(self, audited: Audited) -> None:
        self._audited = audited
        self._data: dict[str, Any] = {}
        self._manifests: list[str] | None = None

    def in_text(self, text: str) -> Iterator[Conflict]:
        lines, told = split_lines(text), set[str]()
        shown = _lines_of_prose(text)
        for number, line in enumerate(lines, 1):
            if number not in shown or not any(map(str.isdigit, line)) or _OTHERWISE.search(line):
                continue
            for found in (*self._versions(number, line), *self._runtimes(number, line), *self._length(number, line)):
                if found.about not in told:
                    told.add(found.about)
                    yield found

    def _versions(self, number: int, line: str) -> Iterator[Conflict]:
        for match in _VERSIONED.finditer(line):
            package = _PACKAGES[match[1].lower()]
            specs = [each for path in self._packages() if (each := self._spec(path, package))]
            majors = {found[1] if (found := _SPEC.match(spec)) else "" for _, spec in specs}
            # A specification without a number may be any version.
            if specs and "" not in majors and match[2] not in majors:
                path, spec = specs[0]
                at = self._line(path, f'"{package}"')
                yield Conflict(number, match[0], f"version of {package}", path, at, f"`{spec}`")

    def _packages(self) -> list[str]:
        if self._manifests is None:
            found = self._audited.by_name.get("package.json", ())
            others = (is_fixture, is_sample, self._audited.is_vendored)
            own = [path for path in found if not any(is_other(path) for is_other in others)]
            self._manifests = sorted(own, key=lambda path: (path.count("/"), path))[:200]
        return self._manifests

    def _spec(self, path: str, package: str) -> tuple[str, str] | None:
        data = self._parsed(path)
        for key in ("dependencies", "devDependencies", "peerDependencies"):
            table = data.get(key)
            spec = table.get(package) if isinstance(table, dict) else None
            if isinstance(spec, str):
                return path, spec
        return None

    def _runtimes(self, number: int, line: str) -> Iterator[Conflict]:
        """Versions below the least one that the manifest accepts."""
        matches = list(_RUNTIMES.finditer(line))
        for match in matches if len(matches) == 1 else ():
            is_python = match[1].lower() == "python"
            ref = "pyproject.toml#project.requires-python" if is_python else "package.json#engines.node"
            file, key = ref.partition("#")[0], ref.rpartition(".")[2]
            value = value_in(self._parsed(file), ref)
            least = _LEAST.search(value) if isinstance(value, str) else None
            if least is None or (is_python and match[3] is None):
                continue
            said = int(match[2]), int(match[3] or 0) if is_python else 0
            if said < (int(least[1]), int(least[2] or 0) if is_python else 0):
                at = self._line(file, key)
                yield Conflict(number, match[0], f"version of {match[1]}", file, at, f"`{value}`")

    def _length(self, number: int, line: str) -> Iterator[Conflict]:
        match = _LENGTH.search(line)
        if match is None or re.search(r"commit|subject|title|comment|docstring|summary|message", line, re.IGNORECASE):
            return
        values = {ref: value_in(self._parsed(ref.partition("#")[0]), ref) for ref in _TABLES["lengths"]["places"]}
        known = {ref: value for ref, value in values.items() if isinstance(value, int)}
        said = int(match[1] or match[2])
        if known and said not in known.values():
            ref, value = next(iter(known.items()))
            file, key = ref.partition("#")[0], ref.rpartition(".")[2].rpartition("#")[2]
            yield Conflict(number, match[0], "length of lines", file, self._line(file, key), f"{value:,}")

    def _parsed(self, path: str) -> Any:
        if path not in self._data:
            text = self._audited.text(path) if self._audited.exists(path) else None
            self._data[path] = parse_data(f"{path}.yaml" if path == ".prettierrc" else path, text or "")
        return self._data[path]

    def _line(self, path: str, word: str) -> int:
        text = self._audited.text(path) or ""
        return text.count("\n", 0, max(text.find(word), 0)) + 1


def _lines_of_prose(text: str) -> frozenset[int]:
    """The lines outside of frontmatter and fences, from 1."""
    start, count = body_start(text), text.count
    spans = ((count("\n", 0, each.start), count("\n", 0, each.end)) for each in prose(text) if each.end > start)
    return frozenset(line for first, last in spans for line in range(first + 1, last + 2))
