"""The rule about links to missing files."""

from __future__ import annotations

import posixpath
import re
from collections import defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import replace
from functools import cache
from typing import NamedTuple
from urllib.parse import quote

from ctxtui.agents.project.packages import MANIFEST
from ctxtui.audit.context import Audited
from ctxtui.audit.roles import SKILL, agent_folder, folders_above, is_fixture, is_stand_in, language_of
from ctxtui.audit.rules.phrases import short_list
from ctxtui.audit.rules.references.removed import Removal, removed
from ctxtui.audit.rules.remedies import replace_on_line
from ctxtui.audit.text.facts import Facts, outside_code, split_lines
from ctxtui.audit.text.links import (
    Mention,
    candidate_paths,
    is_path,
    leads_somewhere,
    meant_within,
    mentions_of,
)
from ctxtui.audit.text.named import made_by_project
from ctxtui.audit.text.near import is_common_name, near_path
from ctxtui.audit.types import Finding, Remedy, Severity
from ctxtui.core.documents.listing import AGENTS
from ctxtui.core.text.markdown.scan import is_markdown
from ctxtui.core.text.metadata.reference import Reference
from ctxtui.workspace.links import catalog_root

_UNREAD = ("never", "reference")
_WORD = re.compile(r"[\w./-]+")
# So many files that miss as many of one folder are a part of a larger text.
_MANY = 6
_MAKES = re.compile(r"\b(?:write|create|add|generate|scaffold)\b", re.IGNORECASE)
# A line, or the one behind it, about a file that need not be there.
_MAYBE = re.compile(r"\b(?:if|when|where)\b.{0,30}\b(?:exists?|present|available)\b|not exist|\boptional", re.I)
# Links that lead to further links.
_MOST_LINKS = 5
# Signs that end a target outside of angle brackets.
_ENDS_LINK = re.compile("[ ()]")
_FOLLOWED = "symbolic links were resolved"


class Reached:
    """The files whose links count. Of a skill that no agent reads, only untranslated files that its texts name."""

    def __init__(self, audited: Audited) -> None:
        self._audited = audited
        self._of_skill = cache(self._reachable_files)
        charges = (charge for _, charge in audited.real_charges() if charge.moment not in _UNREAD)
        self._read = frozenset(audited.real(charge.path) for charge in charges)

    def __contains__(self, reference: Reference) -> bool:
        skill = self._audited.skill_of(reference.path)
        is_read = not self._read.isdisjoint(map(self._audited.real, reference.paths))
        if reference.source != AGENTS or skill is None or is_read:
            return True
        return not language_of(reference.path) and not self._of_skill(skill).isdisjoint(reference.paths)

    def _reachable_files(self, skill: str) -> frozenset[str]:
        """SKILL.md, and the files of the skill that it names, by name or folder, itself or through other files."""
        todo = [f"{skill}/{SKILL}"]
        left = {each for each in self._audited.paths if each.startswith(f"{skill}/") and is_markdown(each)} - {*todo}
        found = set[str]()
        while todo:
            found.add(path := todo.pop())
            words = {each.rstrip(".") for each in _WORD.findall(self._audited.text(path) or "")}
            ends = {posixpath.basename(each) for each in words}
            folders = {posixpath.basename(each.rstrip("/")) for each in words if each.endswith("/")}
            named = {each for each in left if _is_named(each, skill, ends, folders)}
            left -= named
            todo += named
        return frozenset(found)


def _is_named(path: str, skill: str, ends: set[str], folders: set[str]) -> bool:
    folder, name = posixpath.split(path)
    stem = name.rpartition(".")[0]
    return name in ends or stem in ends or (folder != skill and posixpath.basename(folder) in folders)


class Broken(NamedTuple):
    """A broken target. `path` is the file with the `links` to it, `place` the path that should exist.

    `bases` are the folders to which they may be relative, and `skill` is that of the file, if any.
    """

    reference: Reference
    path: str
    target: str
    links: list[Mention]
    bases: Sequence[str]
    skill: str
    place: str


# The settings of a site beside the folder of its pages.
_HUGO = tuple(f"{name}.{ending}" for name in ("hugo", "config") for ending in ("toml", "yaml", "yml", "json"))


def broken_links(audited: Audited) -> Iterator[Finding]:
    """Links from context files to missing files of the project, also broken symbolic links of agents.

    Findings are merged if they miss the same file, if they lead from one file into one folder, or if many files miss
    many targets in one folder.
    """
    found = [each for reference, facts in audited.prose() for each in _broken_targets(reference, facts, audited)]
    # A line that says "generated" may mean another file with the same common name.
    made = made_by_project(audited, {each.place for each in found if not is_common_name(each.place)})
    broken = [each for each in found if each.place not in made]
    sources: defaultdict[str, set[str]] = defaultdict(set)
    targets: defaultdict[tuple[str, str], set[str]] = defaultdict(set)
    parts: defaultdict[str, set[tuple[str, str]]] = defaultdict(set)
    for each in broken:
        place, path = _within_skill(each.place, each.skill), _within_skill(each.path, each.skill)
        sources[place].add(path)
        parts[posixpath.dirname(place)].add((path, place))
        targets[path, posixpath.dirname(place)].add(place)
    reached = Reached(audited)
    gone = removed(audited, (each.place for each in broken))
    for each in broken:
        place, path = _within_skill(each.place, each.skill), _within_skill(each.path, each.skill)
        folder, there = posixpath.dirname(place), posixpath.dirname(each.place)
        is_missed_by_several = len(sources[place]) > len(targets[path, folder])
        removal = gone.get(each.place)
        is_sure = _is_of_folder(audited, each) or removal is not None
        is_reached = is_sure and each.reference in reached and audited.is_for_agents(each.path)
        finding = _finding(audited, each, removal, is_reached, is_missed_by_several)
        if all(len(set(paths)) >= _MANY for paths in zip(*parts[folder], strict=True)):
            many = f"{{count}} links lead to files that do not exist in {f'{there}/' if there else 'the root'}"
            finding = replace(finding, cause=f"all in {folder}", many=many)
        yield finding
    yield from _dangling_links(audited)
    yield from _links_astray(audited)


def _links_astray(audited: Audited) -> Iterator[Finding]:
    """Links in a text that exist from its real folder, but not from the symbolic link by which an agent reads it."""
    for path in sorted(audited.always_read):
        real, here = audited.real(path), posixpath.dirname(path)
        there = posixpath.dirname(real)
        reference = audited.workspace.by_path.get(real) if there != here else None
        document = audited.document(reference) if reference else None
        for link in mentions_of(document) if document else ():
            leads = [leads_somewhere(link.target, bases, audited.exists) for bases in ((there,), (here, ""))]
            if is_path(link.target) and leads == [True, False]:
                start = here or "the root"
                message = f"it is a link to {real}, whose link to {link.target} leads nowhere from {start}"
                many = f"it is a link to {real}, of whose links {{count}} lead nowhere from {start}"
                remedy = Remedy(f"write paths from the root, or write a text that leads to {real}")
                found = (message, path, link.line, 0, _FOLLOWED, None, link.target, remedy, f"{path}: astray", many)
                yield Finding("broken-link", "info", *found)


def _dangling_links(audited: Audited) -> Iterator[Finding]:
    """Broken symbolic links in agent folders, with one cause per folder."""
    unreadable = (notice.path for notice in audited.workspace.notices if notice.code == "unreadable-file")
    for path in sorted({path for path in unreadable if path}):
        # A link to the folder of a skill has no ending.
        is_text = is_markdown(path) or posixpath.basename(posixpath.dirname(path)) == "skills"
        is_asked = agent_folder(path) and is_text and not (audited.is_vendored(path) or is_fixture(path))
        target = audited.disk.broken_link_target(path) if is_asked else None
        if target is not None and not _is_installed_later(audited, path, target):
            folder = "/".join(path.split("/")[:-1][:2])
            message = f"it is a link to {target}, which does not exist; no agent reads it"
            where = f"{folder}/" if folder else "the root"
            many = f"{{count}} files in {where} are links to nowhere; no agent reads them"
            found = (message, path, 1, 0, _FOLLOWED, None, "dangling", Remedy(""), f"{folder}: dangling", many)
            yield Finding("broken-link", "warning", *found)


def _is_installed_later(audited: Audited, path: str, target: str) -> bool:
    """Whether a link ends, directly or through further links, at a path that git ignores."""
    for _ in range(_MOST_LINKS):
        path = posixpath.normpath(posixpath.join(posixpath.dirname(path), target))
        if path.startswith(("../", "/")):
            return False
        if audited.is_made_later(path):
            return True
        target = audited.disk.broken_link_target(path) or ""
        if not target:
            return False
    return False


def _broken_targets(reference: Reference, facts: Facts, audited: Audited) -> Iterator[Broken]:
    """The targets in a file that lead nowhere, each with all its links outside of code and comments."""
    # The Agent Skills specification resolves relative paths from the skill's root. A linked file was written for the
    # folder of its target.
    path = audited.real_if_listed(reference.path)
    skill = audited.skill_of(path) or ""
    bases = (posixpath.dirname(path), skill, "", catalog_root(reference) or "", *_page_folder(audited, path))
    # In files to install, the root is the root of the installing project.
    is_at_home = audited.is_read_here(reference)
    wanted = (each for each in facts.targets if is_at_home or not each.startswith("/"))
    suspects = {target for target in wanted if _leads_nowhere(target, bases, audited)}
    if not suspects:
        return
    lines: defaultdict[str, list[Mention]] = defaultdict(list)
    document = audited.document(reference)
    for link in mentions_of(document) if document else ():
        # The suspects include links in code and comments.
        if link.target in suspects:
            lines[link.target].append(link)
    for target, links in lines.items():
        yield Broken(reference, path, target, links, bases, skill, next(candidate_paths(target, bases)))


def _page_folder(audited: Audited, path: str) -> tuple[str, ...]:
    """The folder to which links are relative on the page that Hugo makes of a file. Empty for other files."""
    site, found, _ = f"/{path}".partition("/content/")
    is_page = found and any(audited.exists(f"{site}/{name}".lstrip("/")) for name in _HUGO)
    return (posixpath.splitext(path)[0],) if is_page else ()


def _is_of_folder(audited: Audited, broken: Broken) -> bool:
    """Whether the folder of a target exists or is in the skill. Otherwise the target may be made or elsewhere."""
    is_rooted, skill = broken.target.startswith("/"), broken.skill
    folder = posixpath.dirname(broken.target.lstrip("/") if is_rooted else broken.place)
    is_of_skill = not is_rooted and skill and f"{folder}/".startswith(f"{skill}/")
    return bool(not folder or is_of_skill or audited.exists(folder))


def _finding(
    audited: Audited, broken: Broken, removal: Removal | None, is_reached: bool, is_missed_by_several: bool
) -> Finding:
    _, path, target, links, bases, skill, place = broken
    more = [f"{link.line:,}" for link in links[1:]]
    again = f", also on line {short_list(more)}" if more else ""
    folder = next((f"{each}/" for each in folders_above(place) if audited.exists(each)), "the root")
    meant = removal.to if removal else ""
    meant = meant or meant_within(place, audited.exists) or near_path(audited, list(candidate_paths(target, bases)))
    # A path that leads out of a skill is not installed with it.
    is_whole = target.startswith("../") or audited.is_read_here(broken.reference)
    if not is_whole and not meant.startswith(_installed_with(path, audited)):
        meant = ""
    beside = "beside the file, at the root of its skill" if skill else "beside the file"
    cause = f"{_within_skill(path, skill)}: {_within_skill(folder, skill)}"
    many = f"links to files that do not exist, such as {target}"
    several = ""
    if is_missed_by_several:
        cause = f"missing: {_within_skill(place, skill)}"
        many = f"links lead to {place}, which does not exist"
        several = f"make them lead to {meant}"
    # Without an extension, the target may be a page or another repository.
    is_file = "." in posixpath.basename(place) or target.endswith("/")
    # What a project ships as a template may link to what another one brings.
    is_aside = audited.is_vendored(path) or is_stand_in(path) or _may_be_missing(audited, path, links[0].line)
    severity: Severity = "warning" if is_reached and is_file and not is_aside else "info"
    known = f"; {removal}" if removal else ""
    message, line = f"links to {target}, which does not exist{again}{known}", links[0].line
    evidence, remedy = f"searched for {beside} and at the root", _remedy(audited, path, links, meant, several)
    return Finding("broken-link", severity, message, path, line, 0, evidence, None, target, remedy, cause, many)


def _may_be_missing(audited: Audited, path: str, line: int) -> bool:
    """Whether the heading above a link tells to write its target, or its line says that it need not exist."""
    lines = split_lines(outside_code(audited.text(path) or ""))
    heading = next((each for each in reversed(lines[: line - 1]) if each.startswith("#")), "")
    return bool(_MAKES.search(heading) or _MAYBE.search(" ".join(lines[line - 1 : line + 1])))


def _installed_with(path: str, audited: Audited) -> str:
    """The folder, with a final slash, of the plugin or skill that contains a file. Empty if there is none."""
    above = (*folders_above(path), "")
    plugin = next((each for each in above if audited.exists(posixpath.join(each, MANIFEST))), None)
    owner = audited.skill_of(path) if plugin is None else plugin
    return f"{owner}/" if owner else ""


def _remedy(audited: Audited, path: str, links: Sequence[Mention], meant: str, several: str) -> Remedy:
    """The remedy that makes links to one target lead to `meant`. Without words if that is empty."""
    if not meant:
        return Remedy("")
    target = links[0].target
    part = target[len(target.partition("#")[0]) :]
    to = f"mdc:{meant}" if target.startswith("mdc:") else posixpath.relpath(meant, posixpath.dirname(path) or ".")
    escaped = _ENDS_LINK.sub(lambda found: quote(found[0]), to)
    steps = [
        step
        for link in links
        for before, new in (("](", escaped), ("](<", to), ("]: ", escaped))
        for step in replace_on_line(audited, path, link.line, f"{before}{target}", f"{before}{new}{part}")
    ]
    return Remedy(f"write {to}", several, meant, tuple(steps))


def _within_skill(path: str, skill: str) -> str:
    """The path from the name of its skill on, equal in all copies of the skill. Unchanged outside of the skill."""
    return f"{posixpath.basename(skill)}{path[len(skill) :]}" if skill and path.startswith(f"{skill}/") else path


def _leads_nowhere(target: str, bases: Sequence[str], audited: Audited) -> bool:
    """Whether a target looks like a project path but exists below none of the bases, and git does not ignore it."""
    if not is_path(target) or leads_somewhere(target, bases, audited.exists):
        return False
    places = (place for place in candidate_paths(target, bases) if not place.startswith("../"))
    return not any(map(audited.is_made_later, places))
