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
from ctxtui.audit.rules.folder_trees import missing_in_drawings
from ctxtui.audit.rules.phrases import shared_by_twins
from ctxtui.audit.rules.remedies import put_in
from ctxtui.audit.rules.removed import Removal, removed
from ctxtui.audit.text.commands import SCRIPT, commands_of
from ctxtui.audit.text.facts import LONGEST, outside_code, sentence_around, split_lines
from ctxtui.audit.text.hedges import FOREIGN_HEDGES, FOREIGN_MAKING
from ctxtui.audit.text.named import made_by_project
from ctxtui.audit.text.near import is_near, near_path
from ctxtui.audit.types import Finding, Fix, Remedy
from ctxtui.core.text.metadata.reference import Reference

# A path to a file with an extension, or to a folder with a final slash or a pattern for its files, or the name of a
# file, alone in its code span.
_CODE = r"\.(?:cs?|cpp|dart|exs?|go|hpp?|java|jsx?|kt|mdc?|php|py|rb|rs|scala|sql|svelte|swift|tsx?|vue)"
_SPAN = re.compile(
    r"(?<!`)`((?:\./)?[A-Za-z0-9_.-]+(?:/[A-Za-z0-9_.-]+)*(?:/|/[A-Za-z0-9_.-]*\.[A-Za-z]{1,5})"
    r"|[A-Za-z0-9.][\w.-]*\.[A-Za-z]{1,5}|\.env\.(?:dist|example|sample|template))"
    r"(?:(?<=/)\*\*?(?:/\*)?(?:\.[A-Za-z]{1,5})?|:\d+(?:-\d+)?)?`(?!`|\]\()"
)
_IS_CODE = re.compile(f"{_CODE}$")
# A name that hardly is one of another project, and lines about the form of names.
_TELLING = re.compile(r"(?=.{12}).*(?:[a-z][A-Z]|[._-].*\.)|\.env\.")
_NAMING = re.compile(r"case\b|naming|convention|such a|called", re.IGNORECASE)
_PLACEHOLDER = re.compile(
    r"example|sample|foo|\bbar\b|baz|your|\bmy|xxx|placeholder|path/to|yyyy|\.\.\.|\b(?:some|name|file|module|feature)\b"
    r"|dummy|demo|test_case|new[-_]|\bxyz\b|\bshort[-_]|(?:^|[/_-])(?:[a-z]|n{2,}|path)\.\w+$|^script\.\w+$"
    r"|\.\w+/\.\w+$",
    re.IGNORECASE,
)
# Lines that show syntax, or talk about another place.
_NEVER = re.compile(
    r"e\.g\.|i\.e\.|example|for instance|such as|optional|(?:if|when)\s+(?:it|th(?:ey|ere|at|is)|present|exist|your)"
    r"|(?:other|another|external|separate|sibling|different|own|their|that|private|public) repo|\brepos\b"
    r"|repositories|repo(?:sitory)? (?:at|on|of|is|has|with)\b|\bno\b|\bnot\b|n['’]t\b|never|avoid|❌|imagine|suppose"
    r"|would|could|might|\bmay\b|no longer|missing|\bfuture\b|planned|gitignore"
    r"|retired|is needed|only (?:if|when|while)|consum"
    r"|-?style (?:file)?names?\b|\bname (?:the )?files\b|must have|mandatory"
    rf"|\b(?:each|every) (?:repo|package|service|project)\w*|inherit|\bprojects (?:that|with|requir)"
    rf"|{FOREIGN_HEDGES}",
    re.IGNORECASE,
)
# Real paths of a project are examples, too: a list of them counts if one of its paths is there.
_EXAMPLES = re.compile(r"\bexamples?\b", re.IGNORECASE)
# Lines about temporary files, unless they say that the model reads or runs one.
_OTHERWISE = re.compile(
    r"\blike\b|should live|creat|generat|\bwrit|\bwrote|\bsav|\brecord|\bstor(?:e[sd]?|ing)\b|\blogs? (?:at|in)\b"
    r"|\badd|\bnew file|\bputs?\b|\binto\b|\boutput|produc|\bbuild|\bemit|download|install|clone|copy"
    r"|copied|copies|mov(?:e|ing)|renam|delet|remov|scrub|purg|\bwipe|deprecat|legacy|\bold\b|former|previous"
    r"|instead|→|->|=>"
    r"|\bimport(?:s|ed|ing)?\b|packag|\bnpm|\bpip|upstream|their|other|\btemplate|by convention|\bpattern|\bformat"
    rf"|\buser|target|\blogs? to\b|after running|{FOREIGN_MAKING}",
    re.IGNORECASE,
)
# Sentences and headings over files of code that are not there yet, or elsewhere.
_ABOVE = re.compile(
    r"creat|generat|output|produc|\badd|\bnew\b|scaffold|migrat|remov|delet|scrub|purg|\bwipe|renam|\bmov(?:e|ing)"
    r"|\btemplate|their|other|upstream|target|deprecat|legacy|\bold\b|former|instead|install|download|user"
    rf"|after running|{FOREIGN_MAKING}",
    re.IGNORECASE,
)
# Above a path to code, only words about the file itself count, and behind it only the nearest ones.
_MADE = re.compile(
    r"creat|generat|output|scaffold|delet|remov|renam|\bmov(?:e|ing)|upstream|deprecat|legacy|\bold\b|former|instead"
    rf"|\btheir|\bother|{FOREIGN_MAKING}",
    re.IGNORECASE,
)
_NEAR = 40
# Sentences and headings about files that are gone, and the words next to those that are denied or not there yet.
_GONE = re.compile(
    r"remov|delet|\bgone\b|legacy|\bold\b|former|früher|earlier|previous|deprecat|obsolete|retire|supersed|replac(?:ed|es)\b"
    r"|renam|\bmov(?:ed|es)\b|no longer|used to\b|\bw(?:as|ere)\b|\bhistory|archiv|change ?log|~~|取代|移除|更新日志"
    r"|变更|gelöscht|entfernt",
    re.IGNORECASE,
)
_NOT_THERE = re.compile(
    r"(?:\b(?:no|not|never|without|avoid|instead|unlike|nor|if|when|whether|optional(?:ly)?|new|fresh|into|include|your"
    r"|their|other|user['’]s|upstream|save|record|written (?:in)?to)\b|n['’]t\b"
    rf"|\b(?:creat|generat|write|writing|output|produc|add)|{FOREIGN_HEDGES}|{FOREIGN_MAKING})[^.;|]*$",
    re.IGNORECASE,
)
_NOT_YET = re.compile(
    r"\W*(?:(?:do(?:es)?|is|are|will|may|gets?|can)\b.{0,15}\b(?:not|creat|generat|writ|made|produc)|\w+n['’]t\b"
    r"|\W?\bnew\b|\(?(?:optional|generated|created|if|when|once|only while|instead|rather)\b"
    rf"|{FOREIGN_HEDGES}|{FOREIGN_MAKING})",
    re.IGNORECASE,
)
_DATED = re.compile(r"\W*\d{4}-\d\d-\d\d\b")
_DIVIDED = re.compile("[-_.]")
_CODE_SPAN = re.compile(r"`[^`]*`")
# Generic guides name shorter paths, such as `src/app.js`.
_DEEP = 2
_READ = re.compile(
    r"\b(?:run|execute|read|see|follow|source|patterns? (?:from|in|of|established in))(?: the)?[\s*_]*$",
    re.IGNORECASE,
)
# What a span names that is no path, in the words before or behind it.
_BRANCH = re.compile(r"\b(?:branch(?:es)?|prefix(?:es)?)\b[^`.]{0,30}$", re.IGNORECASE)
_PREFIX = re.compile(r"\bbranch(?:es)?\b|\bprefix(?:es)?\b", re.IGNORECASE)
_RULER = re.compile(r"\s*\|[\s|:-]+")
_NO_PATH = re.compile(r"[`*_]*\s+(?:git )?(?:branch|prefix|namespace|label|tag)", re.IGNORECASE)
_ITEM = re.compile(r"\s*(?:[-*+]|\d+[.)])\s|\s*\|")
# The end of a sentence, or of an independent clause.
_SENTENCE = re.compile(r"[.!?;:](?=[\s*_\"')]|$)")
_CLAUSE = re.compile(r"[.!?;:](?=[\s*_\"')]|$)|\s[-–—]+\s")
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
# Signs that look like a hyphen.
_DASHES = str.maketrans(dict.fromkeys("‐‑‒–", "-"))
_INSTALLED = re.compile(r"node_modules/(?=([\w.-]+)/)")


class Mention(NamedTuple):
    """A path in a code span, its line from 1, and whether the model should find it.

    `over` is the line, from 1, over the list of the path. The path `is_example` if that line says so. A sentence
    `is_denied` if it makes no claim about a file. Unless it says that a file is gone, the path may be one that git
    knows.
    """

    line: int
    written: str
    is_open: bool
    over: int
    is_example: bool
    is_denied: bool
    may_be_gone: bool


class _Line(NamedTuple):
    """A line with code spans, from 1, as written, its heading, the words over it, and its own, both without paths.

    `start` and `end` are the parts of its sentences on the lines around it. `over` and `is_example` are those of a
    `Mention`.
    """

    number: int
    written: str
    heading: str
    above: str
    said: str
    start: str
    end: str
    over: int
    is_example: bool


class MissingPath(NamedTuple):
    """A broken path: its file, line, the path as written, a suggestion, and the command that runs it, if any.

    If the text makes no clear claim about it, the path counts only if git knows it.
    """

    reference: Reference
    line: int
    written: str
    meant: str
    command: str = ""
    is_claim: bool = True

    @property
    def places(self) -> list[str]:
        """The paths that may be meant."""
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
    found = [each for reference in texts for each in _missing(audited, reference, folders)]
    # One call for all, because it reads every context file.
    made = made_by_project(audited, {each.written for each in found if not each.written.endswith("/")})
    scripts = list(_missing_scripts(audited))
    run = {(each.reference.path, each.line, posixpath.normpath(each.written)) for each in scripts}
    named = [each for each in found if (each.reference.path, each.line, each.written) not in run]
    # Claims first, because git is asked for a limited number of paths.
    told = [*scripts, *sorted(named, key=lambda each: not each.is_claim)]
    places = (place for each in told for place in each.places)
    gone = removed(audited, (*(place for _, place in drawn), *places))
    findings = [_decided(audited, finding, gone.get(place)) for finding, place in drawn]
    for each in told:
        place = next((place for place in each.places if place in gone), "")
        removal = gone.get(place)
        # A folder of a project may have had a file that a program writes.
        is_made = each.written in made and not (removal and "/" in each.written)
        if each.command or (not is_made and (each.is_claim or removal)):
            findings.append(_finding(audited, each, removal, place))
    yield from shared_by_twins(findings)


def _decided(audited: Audited, finding: Finding, removal: Removal | None) -> Finding:
    """A finding with the commit that removed its path: a warning in text that is always read."""
    if removal is None:
        return finding
    reference = audited.workspace.by_path.get(finding.path or "")
    is_always = reference is not None and not audited.always_read.isdisjoint(reference.paths)
    return replace(finding, severity="warning" if is_always else "info", fact=f"{finding.fact}; {removal}")


def _missing(audited: Audited, reference: Reference, folders: Collection[str]) -> Iterator[MissingPath]:
    found: dict[str, MissingPath] = {}
    seen: set[tuple[str, bool, bool]] = set()
    is_always = not audited.always_read.isdisjoint(reference.paths)
    text = audited.text(reference.path) or ""
    mentions = list(_mentions(text))
    real = {each.over for each in mentions if each.is_example and _is_known(audited, each.written)}
    # A list with names of files beside the text names no others.
    folder = posixpath.dirname(reference.path)
    files = (each for each in mentions if "/" in each.written or _names_code(each.written))
    beside = Counter(each.over for each in files if audited.exists(posixpath.join(folder, each.written)))
    # A text may say that a folder of its own stands for one of an installed package.
    installed = frozenset(_INSTALLED.findall(text))
    for each in mentions:
        line, written = each.line, each.written
        is_claim = not each.is_denied and (not each.is_example or each.over in real)
        is_open = is_claim and each.is_open
        # A line that makes no claim about a path says nothing about the next one.
        known = found.get(written)
        if (known and known.is_claim) or (written, is_claim, is_open) in seen:
            continue
        seen.add((written, is_claim, is_open))
        if written.partition("/")[0] in installed or _is_stand_in(audited, written):
            continue
        meant = None
        if is_claim and written.endswith("/"):
            meant = _meant_folder(audited, reference, written, folders, is_open)
        elif is_open and ("/" in written or (_names_code(written) and (is_always or beside[each.over] > 1))):
            meant = _meant_file(audited, reference, written, folders)
        if meant is not None:
            found[written] = MissingPath(reference, line, written, meant)
        elif (
            known is None
            and each.may_be_gone
            and _is_clear(written, is_always)
            and _is_nowhere(audited, reference, written.rstrip("/"), folders)
        ):
            found[written] = MissingPath(reference, line, written, "", is_claim=False)
    yield from found.values()


def _is_clear(written: str, is_always: bool) -> bool:
    """Whether a path hardly means another place. A name alone may, except in text that is always read."""
    return "/" in written[:-1] or (is_always and _DIVIDED.search(written[:-1]) is not None)


def _names_code(name: str) -> bool:
    return _IS_CODE.search(name) is not None or name.startswith(".env.")


def _meant_file(audited: Audited, reference: Reference, written: str, folders: Collection[str]) -> str | None:
    """The file that a broken path means, empty if unclear, or None if nothing is wrong with the path."""
    if not _leads_nowhere(audited, reference, written, folders):
        return None
    meant = near_path(audited, [written])
    if meant.translate(_DASHES) == written:
        # The name of the file is at fault, not the text.
        return None
    # A name such as `next.config.js` alone may be that of any project.
    is_telling = meant or "/" in written or written.count(".") == 1 or written.startswith(".")
    return meant if is_telling else None


def _is_stand_in(audited: Audited, written: str) -> bool:
    """Whether the part of a path that does not exist stands for others."""
    if written.startswith(".env.") or not _PLACEHOLDER.search(written):
        return False
    parts = written.split("/")
    known = next((n for n in range(len(parts) - 1, 0, -1) if audited.exists("/".join(parts[:n]))), 0)
    return _PLACEHOLDER.search("/".join(parts[known:])) is not None


def _missing_scripts(audited: Audited) -> Iterator[MissingPath]:
    """Scripts in commands of code, each once in a file, whose folder exists."""
    for reference in audited.instructions():
        told = set[str]()
        for command in commands_of(audited, reference):
            if command.tool != SCRIPT or command.name in told:
                continue
            told.add(command.name)
            path = posixpath.normpath(command.name)
            # A program without an ending may be one that is built.
            is_named = "/" in path or (command.name.startswith("./") and "." in path)
            is_open = is_named and _BUILT.isdisjoint(path.split("/")) and not _PLACEHOLDER.search(path)
            # In a folder that the text enters, the path may be another one.
            if is_open and _leads_nowhere(audited, reference, path) and not _LEADS.search(command.about):
                yield MissingPath(reference, command.line, path, near_path(audited, [path]), command.written)


def _meant_folder(
    audited: Audited, reference: Reference, written: str, folders: Collection[str], is_open: bool
) -> str | None:
    """The folder that a broken name means, empty if unclear, or None if nothing is wrong.

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
    near = sorted(
        each for each in folders if each.rpartition("/")[0] in beside and is_near(posixpath.basename(each), last)
    )
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
    """Whether a file has the path, the end of its own is the path, or it alone has the name."""
    name = posixpath.basename(written)
    paths = audited.by_name.get(name, ())
    is_end = any(f"/{path}".endswith(f"/{written}") for path in paths)
    return is_end or posixpath.basename(near_path(audited, [written])) == name


def _lines(text: str) -> Iterator[_Line]:
    """The lines with code spans, each with what a list, an item or an unfinished sentence above says of it."""
    intro = before = opener = heading = ""
    over = indent = 0
    lines = split_lines(outside_code(text)) if _SPAN.search(text) else []
    for number, (line, after) in enumerate(zip(lines, [*lines[1:], ""], strict=False), 1):
        before, unfinished = line, _unfinished(before)
        if not line.strip():
            continue
        heading = line if line.startswith("#") else heading
        # A sentence above a list applies to its items, and a sentence may span lines.
        is_first = _ITEM.match(line) is not None
        is_item = is_first or line.startswith("  ")
        end = _SENTENCE.split(after)[0] if _unfinished(line) and not _ITEM.match(after) else ""
        depth = len(line) - len(line.lstrip())
        # An item that ends with a colon applies to the items within, and the head of a table to its rows.
        opener = opener if is_item and depth > indent else ""
        over_it = f"{intro} {opener} {'' if is_first else unfinished}" if is_item else unfinished
        if is_first and line.rstrip().endswith(":"):
            opener, indent = line, depth
        elif line.lstrip().startswith("|") and _RULER.fullmatch(after):
            opener, indent = line, depth - 1
        intro, over = (intro, over) if is_item else (line, number)
        if "`" in line:
            above = _SPAN.sub("", over_it)
            is_example = is_item and _EXAMPLES.search(above) is not None
            above = _EXAMPLES.sub("", above) if is_example else above
            start = "" if is_first else unfinished
            yield _Line(number, line, heading, above, _SPAN.sub("", f"{line} {end}"), start, end, over, is_example)


def _mentions(text: str) -> Iterator[Mention]:
    """The paths in code spans, and how clearly a sentence says that the project has them."""
    for number, line, heading, above, said, start, end, over, is_example in _lines(text):
        # Read once for a line, which may name thousands of paths.
        whole = f"{above} {said}"
        is_never, is_naming = _NEVER.search(whole) is not None, _NAMING.search(whole) is not None
        is_plain = not _OTHERWISE.search(said)
        is_free = {True: is_plain and not _ABOVE.search(above), False: is_plain and not _OTHERWISE.search(above)}
        is_dated = _DATED.match(line) is not None
        is_past = is_dated or _GONE.search(f"{heading} {above}") is not None
        for match in _SPAN.finditer(line):
            written = match[1].removeprefix("./")
            is_code, is_deep = _IS_CODE.search(written) is not None, written.count("/") >= _DEEP
            if "/" not in written and (is_naming or not _TELLING.match(written)):
                continue
            is_branch = written.endswith("/") and (_BRANCH.search(line[: match.start()]) or _PREFIX.search(above))
            if is_branch or _NO_PATH.match(line, match.end()):
                continue
            sentence = sentence_around(line, *match.span())
            is_denied = is_dated or (is_never and not (is_deep and not _NEVER.search(f"{above} {sentence}")))
            is_open = is_free[is_code] or _READ.search(line[: match.start()]) is not None
            if not is_open and is_deep and (is_code or written.endswith("/")):
                is_open = _is_claimed(line, match) and not _MADE.search(above)
            before = f"{start} {line[max(0, match.start() - LONGEST) : match.start()]}"
            behind = f"{line[match.end() : match.end() + LONGEST]} {end}"
            may_be_gone = not is_past and _is_there(before, behind)
            yield Mention(number, written, is_open, over, is_example, is_denied, may_be_gone)


def _is_claimed(line: str, match: re.Match[str]) -> bool:
    """Whether the words next to a path do not say that it is elsewhere or not there yet."""
    lead = _SPAN.sub("", _CLAUSE.split(sentence_around(line, match.start(), len(line)))[-1])
    behind = _SPAN.sub("", sentence_around(line, 0, match.end()))[:_NEAR]
    return not (_OTHERWISE.search(lead) or _ABOVE.search(behind))


def _is_there(before: str, behind: str) -> bool:
    """Whether the words around a path do not say that it is gone, denied or made later."""
    before, behind = _CODE_SPAN.sub("", before), _CODE_SPAN.sub("", behind)
    if _GONE.search(sentence_around(f"{before} {behind}", len(before), len(before))):
        return False
    lead = sentence_around(before, len(before), len(before))
    return not (_NOT_THERE.search(lead[-_NEAR:]) or _NOT_YET.match(behind[:_NEAR]))


def _unfinished(line: str) -> str:
    """The unfinished last sentence of a line, empty for headings and finished lines."""
    return "" if line.startswith("#") else _SENTENCE.split(line)[-1]


def _is_nowhere(audited: Audited, reference: Reference, written: str, folders: Collection[str]) -> bool:
    """Whether a path to a file or folder, without a final slash, is nowhere, and git does not ignore it."""
    is_made = not _GENERATED.isdisjoint(written.lower().split("/"))
    if is_made or written.startswith(_ELSEWHERE) or _SETTINGS.search(written):
        return False
    bases = {"", *folders_above(reference.path), *folders_above(audited.home(reference.path))}
    places = [posixpath.normpath(posixpath.join(base, written)) for base in sorted(bases)]
    if any(map(audited.exists, places)) or any(map(audited.is_made_later, places)):
        return False
    # Texts name one file for the files of all skills.
    folder, name = posixpath.split(written)
    if name == SKILL and any(
        posixpath.dirname(path).startswith(f"{folder}/") for path in audited.by_name.get(SKILL, ())
    ):
        return False
    if "/" not in written and audited.by_folded.get(written.lower()):
        return False
    # Paths may be relative to any package.
    is_end = any(path.endswith(f"/{written}") for path in audited.by_name.get(name, ()))
    return not is_end and not any(each.endswith(f"/{written}") for each in folders)


def _leads_nowhere(audited: Audited, reference: Reference, written: str, folders: Collection[str] = ()) -> bool:
    """Whether a path exists in no ancestor folder of the file, although a folder of it does.

    Of a path to data or a script that is run, its own folder has to exist. A name alone has to be that of no file.
    `folders`, all of the project, are for a path that a sentence names: it may begin within a package.
    """
    if not _is_nowhere(audited, reference, written, ()):
        return False
    folder = posixpath.dirname(written)
    if folder and folders and _IS_CODE.search(written):
        # Within a package, its folder and a file that it may mean have to be there.
        if any(each.endswith(f"/{folder}") for each in folders) and near_path(audited, [written]):
            return True
        folder = written.partition("/")[0]
    bases = {"", *folders_above(reference.path), *folders_above(audited.home(reference.path))}
    return not folder or any(audited.exists(posixpath.normpath(posixpath.join(base, folder))) for base in bases)


def _in_span(audited: Audited, path: str, line: int, written: str, meant: str) -> tuple[Fix, ...]:
    found = (put_in(audited, path, line, f"`{before}{written}", f"`{meant}") for before in ("", "./"))
    return next(filter(None, found), ())


def _finding(audited: Audited, missing: MissingPath, removal: Removal | None, place: str) -> Finding:
    reference, line, written, meant, command, _ = missing
    if removal and removal.to:
        # Written from the same folder as before, if that is above both.
        base = place.removesuffix(posixpath.normpath(written))
        meant = f"{removal.to.removeprefix(base)}{'/' if written.endswith('/') else ''}"
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
        steps = (put_in if command else _in_span)(audited, path, line, written, meant)
        remedy = Remedy(f"write `{meant}`", "", meant, steps)
    found = Finding("missing-path", "info", message, path, line, 0, evidence, None, written, remedy, cause, many)
    return _decided(audited, found, removal)
