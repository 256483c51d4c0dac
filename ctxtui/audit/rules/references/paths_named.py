"""The rule about paths in code spans, drawn trees and commands that do not exist."""

from __future__ import annotations

import posixpath
import re
from collections import Counter
from collections.abc import Collection, Iterator
from dataclasses import replace
from typing import NamedTuple

from ctxtui.audit.context import Audited
from ctxtui.audit.roles import SKILL, folders_above, is_stand_in
from ctxtui.audit.rules.phrases import with_shared_causes
from ctxtui.audit.rules.references.folder_trees import missing_in_drawings
from ctxtui.audit.rules.references.removed import Removal, removed
from ctxtui.audit.rules.remedies import replace_on_line
from ctxtui.audit.text.commands import SCRIPT, commands_of, says_around
from ctxtui.audit.text.named import made_by_project
from ctxtui.audit.text.near import differing_in_case, is_near, near_path
from ctxtui.audit.text.paths import IS_CODE, is_code_name, path_mentions
from ctxtui.audit.types import Finding, Fix, Remedy
from ctxtui.core.text.metadata.reference import Reference

_PLACEHOLDER = re.compile(
    r"example|sample|foo|\bbar\b|baz|your|\bmy|xxx|placeholder|path/to|yyyy|\.\.\.|\b(?:some|name|file|module|feature)\b"
    r"|dummy|demo|test_case|new[-_]|\bxyz\b|\bshort[-_]|(?:^|[/_-])(?:[a-z]|n{2,}|path)\.\w+$|^script\.\w+$"
    r"|\.\w+/\.\w+$|(?:component|feature|hook|module|service)name\b|x\.y\b",
    re.IGNORECASE,
)
_DIVIDED = re.compile("[-_.]")
_SETTINGS = re.compile(r"(?:^|/)(?:settings|config|mcp)[\w.-]*\.(?:json|toml|ya?ml)$")
_GENERATED = frozenset(
    "dist build out target output tmp temp logs coverage generated node_modules .changes .changeset memory"
    " memories".split()
)
# Further folders of programs that a project builds or installs.
_BUILT = _GENERATED | frozenset("vendor bin .venv venv".split())
# Git's own files, those of other projects, and texts that GitHub's workflows of agents load from their repository.
_ELSEWHERE = (".git/", "../", ".github/aw/")
_LEADS = re.compile(r"\bcd[ \t]")
_FETCHES = re.compile(r"\b(?:wget|curl)\b")
# Signs that look like a hyphen.
_DASHES = str.maketrans(dict.fromkeys("‐‑‒–", "-"))
_INSTALLED = re.compile(r"node_modules/(?=([\w.-]+)/)")


class MissingPath(NamedTuple):
    """A path in a text that does not exist. `meant` is the path probably meant, `command` the command that runs it.

    If it is no `is_claim`, the text may mean no existing file, and the path counts only if git knows it.
    """

    reference: Reference
    line: int
    written: str
    meant: str
    command: str = ""
    is_claim: bool = True

    @property
    def places(self) -> list[str]:
        """The paths that `written` may mean: relative to the root and to each folder above the file with it."""
        above = ("", *folders_above(self.reference.path))
        return [posixpath.normpath(posixpath.join(base, self.written)) for base in above]


def missing_paths(audited: Audited) -> Iterator[Finding]:
    """Missing files and folders that agent files name in code spans, draw as a tree or run."""
    # Deduplicated, because most folders have many files.
    inner = {path.rpartition("/")[0] for path in audited.paths} - {""}
    folders = inner.union(above for folder in inner for above in folders_above(folder))
    drawn = list(missing_in_drawings(audited, frozenset(folders)))
    # A template names the paths of the projects that are made from it.
    texts = [reference for reference in audited.instructions() if not is_stand_in(reference.path)]
    found = [each for reference in texts for each in _missing_in_text(audited, reference, folders)]
    # One call for all, because it reads every context file.
    made = made_by_project(audited, {each.written for each in found if not each.written.endswith("/")})
    scripts = list(_missing_scripts(audited))
    run = {(each.reference.path, each.line, posixpath.normpath(each.written)) for each in scripts}
    named = [each for each in found if (each.reference.path, each.line, each.written) not in run]
    # Claims first, because git is asked for a limited number of paths.
    missing = [*scripts, *sorted(named, key=lambda each: not each.is_claim)]
    places = (place for each in missing for place in each.places)
    gone = removed(audited, (*(place for _, place in drawn), *places))
    findings = [_with_removal(audited, finding, gone.get(place)) for finding, place in drawn]
    for each in missing:
        place = next((place for place in each.places if place in gone), "")
        removal = gone.get(place)
        # A folder of a project may have had a file that a program writes.
        is_made = each.written in made and not (removal and "/" in each.written)
        if each.command or (not is_made and (each.is_claim or removal)):
            findings.append(_finding(audited, each, removal, place))
    yield from with_shared_causes(findings)


def _with_removal(audited: Audited, finding: Finding, removal: Removal | None) -> Finding:
    """The finding with the commit that removed its path, if known: a warning if always read, else a note."""
    if removal is None:
        return finding
    reference = audited.workspace.by_path.get(finding.path or "")
    is_always = reference is not None and not audited.always_read.isdisjoint(reference.paths)
    return replace(finding, severity="warning" if is_always else "info", fact=f"{finding.fact}; {removal}")


def _missing_in_text(audited: Audited, reference: Reference, folders: Collection[str]) -> Iterator[MissingPath]:
    """The missing paths in code spans of a text, each once. A claim counts before a mere mention."""
    found: dict[str, MissingPath] = {}
    seen: set[tuple[str, bool, bool]] = set()
    is_always = not audited.always_read.isdisjoint(reference.paths)
    text = audited.text(reference.path) or ""
    mentions = list(path_mentions(text))
    real = {each.over for each in mentions if each.is_example and _is_known(audited, each.written)}
    # A list with names of files beside the text names no others.
    folder = posixpath.dirname(reference.path)
    files = (each for each in mentions if "/" in each.written or is_code_name(each.written))
    beside = Counter(each.over for each in files if audited.exists(posixpath.join(folder, each.written)))
    # A text may say that a folder of its own stands for one of an installed package.
    installed = frozenset(_INSTALLED.findall(text))
    for each in mentions:
        line, written = each.line, each.written
        # No other project has a rule of this name.
        is_rule = written.endswith(".mdc")
        is_claim = not each.is_denied and (not each.is_example or each.over in real)
        is_open = is_claim and each.is_open
        # A line that makes no claim about a path says nothing about the next one.
        known = found.get(written)
        if (known and known.is_claim) or (written, is_claim, is_open) in seen:
            continue
        seen.add((written, is_claim, is_open))
        if written.partition("/")[0] in installed or _is_placeholder(audited, written):
            continue
        # A heading may name a package that is elsewhere.
        if each.within and not any(f"/{folder}".endswith(f"/{each.within}") for folder in folders):
            continue
        # Many disks cannot hold two files that differ in case alone.
        spelled = differing_in_case(audited, [written]) if "/" in written else []
        meant = None
        if spelled and spelled[0] not in text and _is_nowhere(audited, reference, written, folders):
            meant = spelled[0]
        elif is_claim and written.endswith("/"):
            meant = _meant_folder(audited, reference, written, folders, is_open)
        elif is_open and (
            "/" in written or (is_code_name(written) and (is_always or beside[each.over] > 1 or is_rule))
        ):
            is_asked = each.is_asked and each.may_be_gone and is_always
            meant = _meant_file(audited, reference, written, folders, is_asked)
        if meant is not None:
            found[written] = MissingPath(reference, line, written, meant)
        elif (
            known is None
            and each.may_be_gone
            # One with a folder, or a compound name in text that is always read, can hardly mean another place.
            and ("/" in written[:-1] or (is_always and _DIVIDED.search(written[:-1]) is not None))
            and _is_nowhere(audited, reference, written.rstrip("/"), folders)
        ):
            found[written] = MissingPath(reference, line, written, "", is_claim=False)
    yield from found.values()


def _meant_file(
    audited: Audited, reference: Reference, written: str, folders: Collection[str], is_asked: bool
) -> str | None:
    """The file that a broken path probably means, empty if unclear. None if the path should not be reported.

    If the text asks to read a path of code or Markdown, even its folder may be missing.
    """
    is_lost = _leads_nowhere(audited, reference, written, folders)
    if not is_lost and is_asked and "/" in written and IS_CODE.search(written):
        is_lost = _is_nowhere(audited, reference, written, folders)
    if not is_lost:
        return None
    meant = near_path(audited, [written])
    if meant.translate(_DASHES) == written:
        # The name of the file is at fault, not the text.
        return None
    # A name such as `next.config.js` alone may be that of any project.
    is_telling = meant or "/" in written or written.count(".") == 1 or written.startswith(".")
    return meant if is_telling else None


def _is_placeholder(audited: Audited, written: str) -> bool:
    """Whether the part of a path that does not exist is a placeholder."""
    if written.startswith(".env.") or not _PLACEHOLDER.search(written):
        return False
    parts = written.split("/")
    known = next((n for n in range(len(parts) - 1, 0, -1) if audited.exists("/".join(parts[:n]))), 0)
    return _PLACEHOLDER.search("/".join(parts[known:])) is not None


def _missing_scripts(audited: Audited) -> Iterator[MissingPath]:
    """Missing scripts that commands in code run, each once in a file. Their folder must exist."""
    for reference in audited.instructions():
        seen = set[str]()
        for command in commands_of(audited, reference):
            name, path = (posixpath.normpath(posixpath.join(at, command.name)) for at in ("", command.folder))
            if command.tool != SCRIPT or path in seen:
                continue
            seen.add(path)
            # A program without an ending may be one that is built.
            is_named = "/" in name or (bool(command.folder or command.name.startswith("./")) and "." in name)
            is_open = is_named and _BUILT.isdisjoint(path.split("/")) and not _PLACEHOLDER.search(path)
            # In a folder that another line enters, the path may be another one.
            is_fetched = says_around(_FETCHES, command.about) and command.about.count(posixpath.basename(path)) > 1
            is_elsewhere = is_fetched or (not command.folder and says_around(_LEADS, command.about))
            if is_open and not is_elsewhere and _leads_nowhere(audited, reference, path):
                yield MissingPath(reference, command.line, path, near_path(audited, [path]), command.written)


def _meant_folder(
    audited: Audited, reference: Reference, written: str, folders: Collection[str], is_open: bool
) -> str | None:
    """The folder that a broken name probably means, empty if unclear. None if it should not be reported.

    A name without a folder counts only if a similar name exists beside the file or at the root.
    """
    name = written.rstrip("/")
    above, last = posixpath.split(name)
    is_there = any(folder == name or folder.endswith(f"/{name}") for folder in folders)
    bases = sorted({"", *folders_above(reference.path)})
    places = [posixpath.normpath(posixpath.join(base, name)) for base in bases]
    is_made = not _GENERATED.isdisjoint(name.lower().split("/")) or name.startswith((".git/", "../"))
    if is_there or is_made or any(map(audited.exists, places)) or any(map(audited.is_made_later, places)):
        return None
    beside = {posixpath.dirname(place) for place in places}
    there = (each for each in folders if each.rpartition("/")[0] in beside)
    near = sorted(each for each in there if is_near(posixpath.basename(each), last))
    # Hidden folders are not listed.
    others = (other for place in places for other in (f"{place}s", place.removesuffix("s")) if other != place)
    near = near or [other for other in others if audited.exists(other)][:1]
    if len(near) == 1:
        return f"{near[0]}/"
    is_near_home = any(posixpath.normpath(posixpath.join(base, above)) in folders for base in bases)
    if not above or not is_open or not is_near_home:
        return None
    same = [each for each in folders if each.startswith(f"{above}/") and posixpath.basename(each) == last]
    return f"{same[0]}/" if len(same) == 1 else ""


def _is_known(audited: Audited, written: str) -> bool:
    """Whether a file's path is this one or ends with it, or this one probably means a file of the same name."""
    name = posixpath.basename(written)
    paths = audited.by_name.get(name, ())
    is_end = any(f"/{path}".endswith(f"/{written}") for path in paths)
    return is_end or posixpath.basename(near_path(audited, [written])) == name


def _places(audited: Audited, reference: Reference, written: str) -> list[str]:
    """The paths that `written` may mean, below folders above the text and above the file that it is a link to."""
    bases = {"", *folders_above(reference.path), *folders_above(audited.real_if_listed(reference.path))}
    return [posixpath.normpath(posixpath.join(base, written)) for base in sorted(bases)]


def _is_nowhere(audited: Audited, reference: Reference, written: str, folders: Collection[str]) -> bool:
    """Whether a path, without a final slash, exists nowhere and neither git nor folders show that it is made."""
    is_made = not _GENERATED.isdisjoint(written.lower().split("/"))
    if is_made or written.startswith(_ELSEWHERE) or _SETTINGS.search(written):
        return False
    places = _places(audited, reference, written)
    if any(map(audited.exists, places)) or any(map(audited.is_made_later, places)):
        return False
    # Texts name one file for the files of all skills.
    folder, name = posixpath.split(written)
    skills = map(posixpath.dirname, audited.by_name.get(SKILL, ()) if name == SKILL else ())
    if any(each.startswith(f"{folder}/") for each in skills):
        return False
    if "/" not in written and audited.by_lower_name.get(written.lower()):
        return False
    # Paths may be relative to any package.
    is_end = any(path.endswith(f"/{written}") for path in audited.by_name.get(name, ()))
    # What begins with a dot may be how names end.
    is_end = is_end or (
        name == written and name.startswith(".") and any(each.endswith(name) for each in audited.by_name)
    )
    return not is_end and not any(each.endswith(f"/{written}") for each in folders)


def _leads_nowhere(audited: Audited, reference: Reference, written: str, folders: Collection[str] = ()) -> bool:
    """Whether a path exists nowhere, although its folder exists below a folder above the text.

    If `folders` has all of the project, only the first folder of a path to code must exist, and the path may begin
    within a package where a similar file exists. A name alone needs no folder.
    """
    if not _is_nowhere(audited, reference, written, ()):
        return False
    folder = posixpath.dirname(written)
    if folder and folders and IS_CODE.search(written):
        # Within a package, its folder and a file that it may mean have to be there.
        if any(each.endswith(f"/{folder}") for each in folders) and near_path(audited, [written]):
            return True
        folder = written.partition("/")[0]
    return not folder or any(map(audited.exists, _places(audited, reference, folder)))


def _folder_name(path: str) -> str:
    return posixpath.basename(posixpath.dirname(path.rstrip("/")))


def _fixes_in_span(audited: Audited, path: str, line: int, written: str, meant: str) -> tuple[Fix, ...]:
    found = (replace_on_line(audited, path, line, f"`{before}{written}", f"`{meant}") for before in ("", "./"))
    return next(filter(None, found), ())


def _finding(audited: Audited, missing: MissingPath, removal: Removal | None, place: str) -> Finding:
    """The finding about a missing path. A `removal` of the path `place` tells the new path, if it has one."""
    reference, line, written, meant, command, _ = missing
    if removal and removal.to:
        # Written from the same folder as before, if that is above both.
        base = place.removesuffix(posixpath.normpath(written))
        meant = f"{removal.to.removeprefix(base)}{'/' if written.endswith('/') else ''}"
    elif removal and _folder_name(meant) != _folder_name(written):
        # A file of the same name that git does not take for the removed one.
        meant = ""
    folder = f"{posixpath.dirname(written.rstrip('/'))}/" if "/" in written else "the project"
    path, remedy, cause = reference.path, Remedy(""), folder
    message = f"names `{written}`, which does not exist"
    many = f"names paths that do not exist, such as `{written}`"
    evidence = "searched for in the folders on the way to the file, and by its end anywhere"
    if command:
        message = f"runs `{command}`, but {written} does not exist"
        many = f"runs files that do not exist, such as `{command}`"
        remedy = Remedy("correct the path, or remove the command")
        cause = folder.rstrip("/")
        evidence = f"the folder {cause} exists" if "/" in written else "no file of the project has this name"
    if meant:
        steps = (replace_on_line if command else _fixes_in_span)(audited, path, line, written, meant)
        remedy = Remedy(f"write `{meant}`", "", meant, steps)
    found = Finding("missing-path", "info", message, path, line, 0, evidence, None, written, remedy, cause, many)
    return _with_removal(audited, found, removal)
