"""Plain files, the text that no other source claims, and large data: generated ones, by name and size alone."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from dataclasses import replace
from itertools import chain
from sys import intern
from typing import Final, NamedTuple

from ctxtui.core.base.errors import ContextError
from ctxtui.core.base.notices import Notice
from ctxtui.core.base.wording import byte_size, noun, plural
from ctxtui.core.disk.content import MAX_BYTES, Content
from ctxtui.core.disk.git.rules import GitRules, git_rules, read_rules
from ctxtui.core.disk.walk import Found
from ctxtui.core.documents.listing import PLAIN
from ctxtui.core.documents.source import Project
from ctxtui.core.text.decode import binary_ending
from ctxtui.core.text.metadata.reference import LAST_PRIORITY, Reference, encode_id

LARGE: Final = 1_000_000
"""A larger plain file, in bytes, is large data under any name."""

_ATTRIBUTES: Final = ".gitattributes"
_MAX_ATTRIBUTES: Final = 1024 * 1024
_GENERATED: Final = re.compile(r"([-!]?)linguist-generated(?:=(.*))?")
# A pattern with spaces.
_QUOTED: Final = re.compile(r'"((?:[^"\\]|\\["\\])*)"(.*)')

_LOCKS: Final = frozenset(
    "package-lock.json npm-shrinkwrap.json pnpm-lock.yaml yarn.lock bun.lock deno.lock uv.lock poetry.lock pdm.lock"
    " pylock.toml pipfile.lock pixi.lock conda-lock.yml cargo.lock go.sum go.work.sum composer.lock gemfile.lock"
    " gems.locked flake.lock mix.lock rebar.lock pubspec.lock podfile.lock cartfile.resolved package.resolved"
    " packages.lock.json paket.lock gradle.lockfile buildscript-gradle.lockfile cabal.project.freeze"
    " stack.yaml.lock chart.lock module.bazel.lock shard.lock conan.lock".split()
)
_DRAWINGS: Final = (".svg", ".eps", ".drawio", ".excalidraw")
# A small drawing is hand-written text, a large drawing is saved by a program.
_LARGE_DRAWING: Final = 50_000
_RECORDED: Final = frozenset({"cassettes", "vcr_cassettes", "__cassettes__", "__recordings__"})
_RECORDINGS: Final = (".yaml", ".yml", ".json", ".har")
_SNAPSHOTS: Final = "__snapshots__"
_ENDINGS: Final = {
    "snapshot": (".snap", ".ambr"),
    "minified": tuple(f"{sign}min.{kind}" for sign in ".-" for kind in ("js", "mjs", "cjs", "css")),
    "source map": (".map",),
    "generated": (
        *("_pb2.py", "_pb2.pyi", "_pb2_grpc.py", ".pb.go", ".pb.gw.go", ".pb.cc", ".pb.h", ".pb.swift"),
        *(".g.dart", ".freezed.dart", ".g.cs", ".g.i.cs", ".designer.cs"),
    ),
}
_ANY_ENDING: Final = tuple(chain.from_iterable(_ENDINGS.values()))


def large_reasons(read: Callable[[str], Content]) -> Callable[[str, int], str | None]:
    """A function from a path and its size in bytes to the reason why the file is large data, or None.

    A name, a size, or `linguist-generated` in `.gitattributes` at the root decide. `-linguist-generated` there
    overrides a name. `read` reads files as `Root.read` does.
    """
    attributes = _declared_generated(read)

    def reason(path: str, size: int) -> str | None:
        verdict = attributes.declared(path) if attributes else None
        named = "generated" if verdict else _reason_by_name(path) if verdict is None else None
        if named is None and verdict is None and size > _LARGE_DRAWING and path.lower().endswith(_DRAWINGS):
            named = "drawing"
        return named or ("over 1 MB" if size > LARGE else None)

    return reason


def large_left_notice(large: Sequence[Reference], where: str) -> Notice:
    """The notice that large data in a folder or pattern `where` is not picked."""
    files, size = plural(len(large), "large file"), byte_size(sum(each.stamp.size for each in large))
    are, them = noun(len(large), "is", "are"), noun(len(large), "it by its path", "them by their paths")
    return Notice("large-left-out", f"{files} in {where} ({size}) {are} not picked; pick {them}")


def _reason_by_name(path: str) -> str | None:
    """The reason why a path alone shows large data, or None."""
    *folders, name = path.lower().split("/")
    if name in _LOCKS:
        return "lock file"
    if _SNAPSHOTS in folders:
        return "snapshot"
    if name.endswith(_RECORDINGS) and not _RECORDED.isdisjoint(folders):
        return "cassette"
    if name.endswith(_ANY_ENDING):
        return next(reason for reason, endings in _ENDINGS.items() if name.endswith(endings))
    return "generated" if name.startswith("zz_generated.") else None


class _Attributes(NamedTuple):
    """The lines about `linguist-generated`: whether each gives it a value or resets it, and the values alone."""

    given: GitRules
    values: GitRules

    def declared(self, path: str) -> bool | None:
        """Whether a path is declared as generated or, with False, as not generated, else None."""
        return self.values.verdict(path, False) if self.given.verdict(path, False) else None


def _declared_generated(read: Callable[[str], Content]) -> _Attributes | None:
    """The paths that the root's attributes declare as generated, or as not generated. None if there are none."""
    try:
        data = read(_ATTRIBUTES).data
    except ContextError:
        return None
    if len(data) > _MAX_ATTRIBUTES:
        return None
    text = data.decode("utf-8-sig", "replace")
    lines = [line for each in text.splitlines() if (line := _declaration(each)) is not None]
    given = [pattern if value is not None else f"!{pattern}" for pattern, value in lines]
    values = [pattern if value else f"!{pattern}" for pattern, value in lines if value is not None]
    return _Attributes(git_rules(read_rules(given)), git_rules(read_rules(values))) if values else None


def _declaration(line: str) -> tuple[str, bool | None] | None:
    """The pattern of a line and its `linguist-generated`, None if it resets that. None for other attributes."""
    pattern, *attributes = line.split() or [""]
    if quoted := _QUOTED.fullmatch(line.strip()):
        pattern, attributes = re.sub(r"\\(.)", r"\1", quoted[1]), quoted[2].split()
    if pattern.startswith(("#", "!", '"', "[attr]")):
        return None
    named = [match for each in attributes if (match := _GENERATED.fullmatch(each))]
    if not named:
        return None
    sign, value = named[-1].groups()
    return pattern, None if sign == "!" else not sign and value != "false"


def plain_reference(file: Found) -> Reference:
    path = file.path
    name = intern(path.rpartition("/")[2])
    return Reference(encode_id(path), path, PLAIN, name, file.stamp, LAST_PRIORITY, ignored=file.ignored)


class PlainSource:
    """Plain files, the source asked last: ignored files only on request, large data at the end."""

    name = PLAIN

    def __init__(self, with_ignored: bool = False) -> None:
        self._with_ignored = with_ignored

    def scan(self, project: Project) -> Iterable[Reference]:
        files = [file for file in project.files if self._with_ignored or not file.ignored]
        reason = large_reasons(project.read_cache.content)
        large: list[Reference] = []
        skipped: Counter[str] = Counter()
        for file in files:
            if ending := binary_ending(file.path):
                skipped[ending] += 1
                continue
            if file.stamp.size > MAX_BYTES:
                size = f"{file.stamp.size / 1_048_576:,.0f} MB"
                project.on_notice(Notice("too-large", f"too large to read ({size}); not listed", file.path))
                continue
            why = reason(file.path, file.stamp.size)
            if why is None:
                yield plain_reference(file)
            else:
                large.append(replace(plain_reference(file), large=why))
        yield from large
        if skipped:
            kinds = ", ".join(f"{count} .{suffix}" for suffix, count in skipped.most_common(5))
            number = plural(skipped.total(), "binary file is", "binary files are")
            project.on_notice(Notice("binary-files", f"{number} not listed ({kinds})"))
