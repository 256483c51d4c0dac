"""Rules about metadata that readers reject or ignore, and globs without a match."""

from __future__ import annotations

import json
import posixpath
import re
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import chain, islice

from ctxtui.agents.costs import Charge
from ctxtui.agents.loads import Scope
from ctxtui.agents.moments import unmet_demands, why_marked, why_torn
from ctxtui.agents.project.base import is_above
from ctxtui.agents.project.frontmatter import NO_VALUES, globs_of, holds, read_yaml
from ctxtui.agents.project.globs import Trigger, narrows, split_globs
from ctxtui.agents.types import AT_START, LISTED, Row
from ctxtui.audit.context import Audited
from ctxtui.audit.roles import SKILL, is_about, is_fixture, is_readme, is_retired, is_sample, language_of
from ctxtui.audit.rules.loading.unloaded import has_trace, is_refused
from ctxtui.audit.rules.phrases import Met, agents_in, finding_of, is_plural, listed, names, readers
from ctxtui.audit.rules.references.imports import is_link
from ctxtui.audit.rules.references.removed import Removal, removed
from ctxtui.audit.rules.remedies import document_of, give_keys, put_in
from ctxtui.audit.text.facts import outside_code, split_lines
from ctxtui.audit.text.named import is_companion
from ctxtui.audit.types import Finding, Fix, Remedy, Severity
from ctxtui.core.base.notices import Notice
from ctxtui.core.documents.listing import SOURCES
from ctxtui.core.text.globs import compile_glob
from ctxtui.core.text.markdown.light import with_feeds
from ctxtui.core.text.markdown.scan import is_markdown

_UNREADABLE = ("frontmatter-yaml", "frontmatter-unclosed")
_CODES: dict[str, Severity] = {
    **dict.fromkeys(_UNREADABLE, "error"),
    **dict.fromkeys(("frontmatter-mangled", "frontmatter-repeated", "metadata-type"), "warning"),
}
# Real rules have fewer globs, and each is compared with every path.
_MOST_GLOBS = 100
# The literal folders of a glob.
_LITERAL = re.compile(r"[^*?\[{]+(?=/|$)")
_GLOB_KEYS = ("globs", "paths", "applyTo", "fileMatchPattern", "glob")
_CHOSEN, _CHOSEN_ALL = "loads only if the model chooses it", "load only if the model chooses them"
_QUOTES = "\"'"
# The rows whose files the model may also choose by their description.
_OFFERED = ("copilot.scoped",)
_NESTED = re.compile(r"\{[^}]*\{")
# A block of keys below other text.
_TOP = 4_000
_LATE = re.compile(r"\S\s*\n---[ \t]*\r?\n(?:[ \t]*+\r?\n)*+[a-z][\w-]*:[ \t\r\n](?:.*\n)*?---[ \t]*$", re.MULTILINE)
# Frontmatter below blank lines.
_LOW = re.compile(
    r"\s*\n---[ \t]*\n(?:[A-Za-z][\w-]*:(?:[ \t].*)?\n(?:(?:[ \t#]|-[ \t]).*\n|\n)*+)++---[ \t]*(?:\n|\Z)"
)
_AGENT_FOLDERS = ("agent", "agents", "chatmodes", "droids", "subagents")
_GUIDE = re.compile(r"guide|report|overview|(?-i:[A-Z]{3,}[-_][A-Z]{3,})", re.IGNORECASE)
# Metadata with the lower of its two lines only.
_HEADLESS = re.compile(r"(?=\w)(?:(?:[a-z][\w-]*:|#)[ \t].*\n)+\s*---[ \t]*\r?$", re.MULTILINE)
_INDENTED = re.compile(r"\n[ \t]+---[ \t]*\r?\n")
_TELLS = re.compile(r"\b(?:read|open|load|follow)\b.{0,40}\Z", re.IGNORECASE)
# A key with a plain text behind it or below it, which is no list, map or text in quotes.
_PLAIN = re.compile(r"([\w-]+):(?:[ \t]+|[ \t]*\n[ \t]+(?!-[ \t]|[\w-]+:[ \t\n]))(?![\"'|>\[{&*])\S")
_KEY = re.compile(r"^[\w-]+:", re.MULTILINE)
# Remedies by the demand of an agent that metadata does not meet.
_MET_BY = (
    (re.compile("(.*) must be a list"), "write {} as a YAML list"),
    (re.compile("has no (.*)"), "add {}"),
    (re.compile("has (.*), which the agent does not know"), "remove {}"),
)
_READ_AS = "read as YAML, https://yaml.org/spec/1.2.2/"


def rejected(audited: Audited) -> Iterator[Finding]:
    """Frontmatter that a strict reader rejects, in whole or in part."""
    told: defaultdict[str, list[Notice]] = defaultdict(list)
    for notice in audited.workspace.notices:
        if notice.code in _CODES and notice.path:
            told[notice.path].append(notice)
    refused = _refusals(audited)
    for (path, is_dropped), met in refused.items():
        paths = dict.fromkeys((path, *(charge.path for _, charge in met)))
        yield _refused(audited, path, is_dropped, met, [notice for each in paths for notice in told.get(each, ())])
    named = {path for path, _ in refused}
    yield from _mended(audited, frozenset(map(audited.real, named)))
    # Other programs read this metadata, too. For agents the table says how strict each is.
    parsed = {each.path for each in audited.references if SOURCES[each.source].has_loader}
    for path, notices in told.items():
        if path not in parsed:
            continue
        # Problems with single values do not matter if the YAML is unreadable.
        unreadable = [notice for notice in notices if notice.code in _UNREADABLE]
        if unreadable:
            yield from [] if path in named else [_noticed(path, unreadable)]
            continue
        for code in dict.fromkeys(notice.code for notice in notices):
            yield _noticed(path, [notice for notice in notices if notice.code == code])


def _refusals(audited: Audited) -> dict[tuple[str, bool], list[Met]]:
    """The files whose frontmatter agents reject, and whether they skip the whole file or only its metadata."""
    refused: defaultdict[tuple[str, bool], list[Met]] = defaultdict(list)
    for context in audited.agents:
        for charge in context.charges:
            if charge.imported_by or charge.moment == "reference" or not is_markdown(charge.path):
                continue
            if charge.moment == "never" and is_refused(charge, audited):
                # A plugin's loader names an agent after its file. A skill needs a description.
                is_named = context.agent.installable and charge.row.kind != "skill"
                is_text = audited.files.block(charge.path) is None and is_about(charge.path)
                if not (is_named or is_text or is_readme(charge.path)):
                    refused[audited.home(charge.path), True].append((context, charge))
            elif charge.moment != "never" and charge.row.asks and _is_unread(audited, charge):
                refused[audited.home(charge.path), False].append((context, charge))
    return refused


def _is_unread(audited: Audited, charge: Charge) -> bool:
    """Whether an agent cannot read the frontmatter of a file, or does not see it below blank lines."""
    if audited.files.block(charge.path) is None:
        return _has_low_frontmatter(audited, charge.path)
    return audited.files.is_torn(charge.path, charge.row)


def _has_low_frontmatter(audited: Audited, path: str) -> bool:
    """Whether a file's frontmatter is below blank lines, where agents do not see it."""
    return _LOW.match(with_feeds(audited.text(path) or "")) is not None


def _mended(audited: Audited, refused: frozenset[str]) -> Iterator[Finding]:
    """Findings about invalid names or descriptions that all readers repair. `refused` files are left out."""
    mended: dict[str, Met] = {}
    for context in audited.agents:
        for charge in context.charges:
            # Commands are read by their own agent only.
            is_read = charge.moment != "reference" and charge.row.kind != "command"
            if is_read and audited.files.is_mended(charge.path, charge.row):
                mended.setdefault(audited.real(charge.path), (context, charge))
    for real, (context, charge) in mended.items():
        path = charge.path
        key = _spoilt_key(audited, path, charge.row)
        if real in refused or not key or is_fixture(path):
            continue
        who = context.agent.name.partition(",")[0].removesuffix(" plugins")
        message = f"`{key}` is not YAML; {who} mends it, strict readers drop the file"
        rest = f"{who} mends them, strict readers drop the files"
        line, many = audited.line_of(path, key), f"values of {{count}} files are not YAML; {rest}"
        remedy = Remedy("quote the value", "quote the values", "", _quoted(audited, path, key, line))
        met, cause, rule = [(context, charge)], f"{_kept_in(path)}: not YAML, mended", "frontmatter-rejected"
        # All readers of this project read the whole file.
        more = {"agent": None, "remedy": remedy, "cause": cause, "many": many}
        yield finding_of(met, rule, "info", message, line, 0, "mended", **more)


def _quoted(audited: Audited, path: str, key: str, line: int) -> tuple[Fix, ...]:
    """The fix that quotes the value of `key` on a line, from 1. Empty if the value is not plain text on that line."""
    text = split_lines(audited.text(path) or "")[line - 1]
    value = text.removeprefix(f"{key}:").strip()
    new = json.dumps(value, ensure_ascii=False)
    fits = value and value[0] not in "\"'[{|>&*!" and read_yaml(f"{key}: {new}") is not None
    return put_in(audited, path, line, value, new) if fits else ()


def _byte_mark_remedy(audited: Audited, path: str) -> Remedy:
    document = document_of(audited, path)
    words = f"remove the byte order mark of {path}"
    if document is None:
        return Remedy(words)
    first = document.text.partition("\n")[0].rstrip("\r")
    fix = Fix(path, 1, words, f"\ufeff{first}", first, -1, -1, "", document.digest)
    return Remedy(words, steps=(fix,))


def _spoilt_key(audited: Audited, path: str, row: Row) -> str:
    """The first key, of those that an agent reads, whose line alone is invalid YAML. Empty if there is none."""
    block = audited.files.block(path)
    lines = block.text.split("\n") if block else []
    spoilt = (key for key in row.meta for line in lines if line.startswith(f"{key}:") and read_yaml(line) is None)
    return next(spoilt, "")


def _refused(audited: Audited, path: str, is_dropped: bool, met: Sequence[Met], told: Iterable[Notice]) -> Finding:
    context, charge = met[0]
    contexts = agents_in(met)
    who = readers(contexts)
    broken = next((notice for notice in told if notice.code in _UNREADABLE), None)
    marked, remedy = why_marked(path, charge.row, audited.files), Remedy("")
    if marked:
        why, remedy = marked, _byte_mark_remedy(audited, path)
    elif audited.files.is_torn(path, charge.row):
        why = _why_torn(audited, path, charge.row, broken)
        remedy = Remedy("keep one of them") if why.endswith("twice") else _requoted(audited, path, broken)
    elif not (audited.text(path) or "").strip():
        why, remedy = "it is empty", Remedy("write it, or remove it", "write them, or remove them")
    elif is_link(audited.text(path) or ""):
        words = "make {} again, or write its text"
        why, remedy = "it is a link stored as text", Remedy(words.format("it a link"), words.format("each a link"))
    elif audited.files.block(path) is None:
        text = (audited.text(path) or "")[:_TOP]
        is_late = _has_low_frontmatter(audited, path) or _LATE.search(outside_code(text))
        first = text.partition("\n")[0]
        why = "its frontmatter is not on line 1" if is_late else "it has no frontmatter"
        is_skill = charge.row.kind == "skill"
        keys = ("name", "description") if is_skill else charge.row.needs
        needs = f" with {' and '.join(keys)}" if keys else ""
        aside = "" if is_skill else ", or move it to another folder"
        remedy = Remedy(f"begin it with frontmatter{needs}{aside}", f"begin each with frontmatter{needs}")
        remedy = Remedy("move it to line 1") if is_late else remedy
        if _HEADLESS.match(text):
            why, remedy = "its frontmatter has no `---` above it", Remedy("write `---` as its first line")
        if first.strip() == "---":
            is_open = first.rstrip() == "---" and not _INDENTED.search(text)
            why = "its frontmatter is not closed" if is_open else "its frontmatter is indented"
            remedy = Remedy("close it with a line `---`") if is_open else Remedy("remove the blanks before its lines")
    else:
        values = audited.files.values(path, charge.row) or NO_VALUES
        faults = list(unmet_demands(charge.row, values))
        # The standard asks for both, of which readers miss one only.
        if context.agent.installable and charge.row.kind == "skill" and not values.meta.get("name"):
            faults = [each.replace("has no description", "has no name and no description") for each in faults]
        why, acts = ", and ".join(faults), [_met_by(each) for each in faults]
        remedy = Remedy(" and ".join(acts) if all(acts) else "")
    are_many = is_plural(contexts) or context.agent.installable
    drop, take = ("drop", "take") if are_many else ("drops", "takes")
    what = f"{drop} the file" if is_dropped else f"{take} it as a file without metadata"
    line = broken.line if broken and broken.line else 1
    tokens = (audited.tokens(path) or 0) if is_dropped else 0
    # Files to install lose nothing in this project. Fixtures and samples may be broken on purpose. A prompt that
    # another file names is read without frontmatter.
    is_named = audited.files.block(path) is None and (is_companion(audited, path) or _is_told(audited, path))
    is_shown = is_fixture(path) or is_sample(path) or is_retired(path) or is_named
    is_shown = is_shown or (context.agent.installable and (language_of(path) != "" or not audited.is_used(path)))
    # Beside subagents, files of a subfolder or named like a guide are only material for them.
    folder, name = posixpath.split(path)
    is_material = posixpath.basename(folder) not in _AGENT_FOLDERS or _GUIDE.search(name) is not None
    is_shown = is_shown or (charge.row.kind == "agent" and audited.files.block(path) is None and is_material)
    # An agent without other traces that still reads the text needs no change.
    is_idle = not is_dropped and not any(each.agent.installable or has_trace(audited, each) for each in contexts)
    is_sure = is_dropped and not context.agent.installable and why != "it is empty"
    # The agent that a folder is for reads what another one drops.
    is_other = path.startswith(".claude/") and not any(each.agent.id.startswith("claude") for each in contexts)
    severity: Severity = "error" if is_sure and not is_other else "warning"
    severity = "info" if is_shown or is_idle else severity
    those = why.replace("its frontmatter has", "their frontmatter has").replace("it has", "they have")
    those = those.replace("its frontmatter is", "their frontmatter is").replace("it is a link", "they are links")
    those = those.replace("it is empty", "they are empty")
    several = (
        f"{drop} these {{count}} files" if is_dropped else f"{take} these {{count}} files as if without metadata"
    )
    subject, cause = "dropped" if is_dropped else "without metadata", f"{_kept_in(path)}: {why}"
    more = {"path": path, "remedy": remedy, "cause": cause, "many": f"{who} {several}: {those}"}
    return finding_of(met, "frontmatter-rejected", severity, f"{who} {what}: {why}", line, tokens, subject, **more)


def _met_by(why: str) -> str:
    """The remedy that meets the demand of an agent, by the reason of its refusal, empty if a person must think."""
    forms = ((form.search(why), words) for form, words in _MET_BY)
    return next((words.format(found[1].replace(" and no ", " and ")) for found, words in forms if found), "")


def _is_told(audited: Audited, path: str) -> bool:
    """Whether a text that is always read tells agents to read the files of this file's folder as prompts."""
    folder = f"{posixpath.dirname(path)}/"
    lines = (line for each in audited.always_read for line in split_lines(audited.text(each) or "") if folder in line)
    return any(_TELLS.search(line.partition(folder)[0]) for line in lines)


def _why_torn(audited: Audited, path: str, row: Row, broken: Notice | None) -> str:
    # A line that YAML takes for the end may be before the one that agents take for it.
    if broken and broken.code == "frontmatter-yaml":
        return broken.message.partition(";")[0]
    why = why_torn(path, row, audited.files)
    return why if why.endswith("twice") else "its frontmatter is not a YAML mapping"


def _requoted(audited: Audited, path: str, broken: Notice | None) -> Remedy:
    """The remedy that quotes the value at a YAML error. It has no words if that value is not plain text."""
    text = "\n".join(split_lines(audited.text(path) or "")[: (broken.line or 0) if broken else 0])
    start = max((key.start() for key in _KEY.finditer(text)), default=None)
    found = _PLAIN.match(text, start) if start is not None else None
    return Remedy(f"write `{found[1]}` in quotes, or as a block below `{found[1]}: |`" if found else "")


def _kept_in(path: str) -> str:
    """The folder of a file, or for a SKILL.md the folder that contains the skill's folder."""
    return posixpath.dirname(posixpath.dirname(path) if posixpath.basename(path) == SKILL else path)


def _noticed(path: str, notices: Sequence[Notice]) -> Finding:
    first = notices[0]
    more = f" (and {len(notices) - 1} more)" if len(notices) > 1 else ""
    severity, message, line, evidence = _CODES[first.code], f"{first.message}{more}", first.line or 1, _READ_AS
    return Finding("frontmatter-rejected", severity, message, path, line, evidence=evidence, subject=first.code)


def ignored_globs(audited: Audited) -> Iterator[Finding]:
    """Rules with globs that an agent ignores, so that they always load."""
    ignored: defaultdict[tuple[str, str, Remedy], list[Met]] = defaultdict(list)
    for context in audited.real_agents:
        for charge in context.at(*AT_START, *LISTED):
            key = _ignored_key(charge, audited)
            if key:
                ignored[charge.path, key, _remedy(key, charge, audited)].append((context, charge))
    for (path, key, remedy), met in ignored.items():
        contexts, line = agents_in(met), audited.line_of(path, key)
        who = f"{names(contexts)} {'ignore' if is_plural(contexts) else 'ignores'} `{key}`"
        # The model may still choose a rule by its description.
        loads, load = ("always loads", "always load") if met[0][1].moment in AT_START else (_CHOSEN, _CHOSEN_ALL)
        message, many = f"{who}, so the rule {loads}", f"{who} of {{count}} rules, which therefore {load}"
        tokens, more = met[0][1].tokens or 0, {"remedy": remedy, "cause": f"{who}: {remedy.words}", "many": many}
        # A rule with a switch may be meant to load always.
        severity: Severity = "info" if _switch(met[0][1], audited) else "warning"
        yield finding_of(met, "globs-ignored", severity, message, line, tokens, key, **more)


def _remedy(key: str, charge: Charge, audited: Audited) -> Remedy:
    """The remedy for globs that an agent ignores. It has steps only if every glob matches a file."""
    switch, path, own = _switch(charge, audited), charge.path, charge.row.globs
    if switch and key in own:
        return Remedy(f"drop `{switch}`, or the globs")
    words = f"write `{key}` as a YAML list" if key in own else f"write `{own[0]}`"
    globs = globs_of((audited.files.meta(path, charge.row) or {}).get(key, ()))
    return Remedy(words, steps=give_keys(audited, path, {own[0]: globs}) if match_files(audited, globs) else ())


def match_files(audited: Audited, globs: Sequence[str]) -> bool:
    """Whether there are globs, and each matches a file of the project."""
    return bool(globs) and all(any(map(compile_glob(glob).matches, audited.paths)) for glob in globs)


def _ignored_key(charge: Charge, audited: Audited) -> str | None:
    """The key whose globs an agent ignores: another agent's, text in place of a list, or under a switch, or None."""
    row = charge.row
    if not row.globs or charge.imported_by:
        return None
    meta = audited.files.meta(charge.path, row) or {}
    given = [key for key in _GLOB_KEYS if globs_of(meta.get(key, ()))]
    own = next((key for key in given if key in row.globs), None)
    if own is None:
        # A rule that is to load always needs no globs.
        is_meant = given and narrows(globs_of(meta[given[0]])) and not _switch(charge, audited)
        return given[0] if is_meant else None
    if _switch(charge, audited):
        return own if narrows(globs_of(meta[own])) else None
    takes_lists_only = any(case.test == f"{own}=[*]" and case.moment == "touch" for case in row.load)
    return own if takes_lists_only and isinstance(meta[own], str) else None


def _switch(charge: Charge, audited: Audited) -> str:
    """The frontmatter line that makes a rule load always despite its globs, such as `alwaysApply: true`, or empty."""
    meta = audited.files.meta(charge.path, charge.row) or {}
    case = next((case for case in charge.row.load if holds(case.test, meta)), None)
    key, _, value = case.test.partition("=") if case else ("", "", "")
    return f"{key}: {value}" if value == "true" else ""


def dead_globs(audited: Audited) -> Iterator[Finding]:
    """Rules whose globs match no file of the project."""
    met: defaultdict[tuple[str, tuple[Scope, ...]], list[Met]] = defaultdict(list)
    for context in audited.real_agents:
        for charge in context.at("touch"):
            # Rules above the opened folder may match files elsewhere.
            if charge.row.globs and not charge.imported_by and not is_above(charge.path):
                met[charge.path, charge.scopes].append((context, charge))
    dead: defaultdict[tuple[str, tuple[str, ...]], list[Met]] = defaultdict(list)
    for (path, scopes), agents in met.items():
        each = dict(pair for scope in scopes for pair in scope.each())
        if each and all(_is_dead(scope, audited) for scope in islice(each.values(), _MOST_GLOBS)):
            dead[path, tuple(each)] += agents
    gone = removed(audited, (_folder_of(glob) for _, globs in dead for glob in globs))
    yield from (_dead(audited, *rule, agents, gone) for rule, agents in dead.items())


def _dead(audited: Audited, path: str, dead: Sequence[str], met: list[Met], gone: Mapping[str, Removal]) -> Finding:
    # The quotes of a list that its reader takes for a text.
    charge, shown = met[0][1], listed([f"`{glob.strip(_QUOTES)}`" for glob in dead])
    match = "matches" if len(dead) == 1 else "match"
    is_offered = charge.row.id in _OFFERED and bool((audited.files.meta(path, charge.row) or {}).get("description"))
    then = "only its description may bring the rule" if is_offered else "the rule never loads"
    message, words = f"{shown} {match} no file; {then}", ""
    if charge.row.whole_globs and any(len(split_globs(glob)) > 1 for glob in dead):
        message, words = f"{message}; commas do not separate globs here", "write a YAML list"
    if any(glob.endswith("/") for glob in dead):
        message, words = f"{message}; a pattern that ends in `/` never matches a file", "write `…/**`"
    if charge.row.globs_as.anywhere and any(glob.startswith(("/", "./")) for glob in dead):
        message += "; the agent compares whole paths of the machine"
        words = "write it without `/` or `./` at its start"
    known = {folder: gone[folder] for glob in dead if (folder := _folder_of(glob)) in gone}
    message = "; ".join((message, *(removal.told_of(folder) for folder, removal in known.items())))
    moved = [] if words else [_moved(audited, glob, gone) for glob in dead]
    # The files of another glob may be there one day.
    is_sure = bool(words or (moved and all(moved)) or (known and len(dead) == 1))
    severity: Severity = "warning" if is_sure else "info"
    line, subject = audited.line_of(path, *charge.row.globs), ", ".join(dead)
    tokens = 0 if is_offered else charge.tokens or 0
    cause, many = f"{charge.row.id}: {subject}", f"{shown} {match} no file; {{count}} rules never load"
    if not is_sure or is_offered:
        cause, many = f"{charge.row.id}: dead", f"the globs of {{count}} rules match no file, such as {shown}"
    remedy = Remedy(words)
    if moved and all(moved):
        block = audited.files.block(path)
        numbers = range(line, line + (block.text.count("\n") + 1 if block else 1))
        steps = [
            next(filter(None, (put_in(audited, path, number, old, new) for number in numbers)), ())
            for old, new in zip(dead, moved, strict=True)
        ]
        new = listed([f"`{glob}`" for glob in moved])
        remedy = Remedy(f"write {new}", steps=tuple(chain.from_iterable(steps)) if all(steps) else ())
    more = {"remedy": remedy, "cause": cause, "many": many}
    return finding_of(met, "dead-glob", severity, message, line, tokens, subject, **more)


def _folder_of(glob: str) -> str:
    """The folders at the beginning of a glob, up to the first wildcard, without a final slash."""
    head = _LITERAL.match(glob.removeprefix("./").lstrip("/"))
    return head[0].rstrip("/") if head else ""


def _moved(audited: Audited, glob: str, gone: Mapping[str, Removal]) -> str:
    """A glob that matches nothing, rewritten for the folder's new place: by git, or the only one with matches.

    Empty if there is no such place or several.
    """
    head = _folder_of(glob)
    removal = gone.get(head)
    new = f"{removal.to}{glob[glob.index(head) + len(head) :]}" if removal and removal.to else ""
    if new and any(map(compile_glob(new).matches, audited.paths)):
        return new
    if not head or "/" not in glob:
        return ""
    inside, matches = f"/{head}/", compile_glob(f"**/{glob}").matches
    bases = {path[: path.index(inside)] for path in audited.paths if inside in path and matches(path)}
    return f"{bases.pop()}/{glob}" if len(bases) == 1 else ""


def _is_dead(scope: Scope, audited: Audited) -> bool:
    """Whether a glob matches nothing on disk as the agent reads it, and no ignored path.

    False for nested braces, about which agents disagree, and if there are too many paths to tell.
    """
    if any(_NESTED.search(glob) or glob.count("{") != glob.count("}") for glob in scope.globs):
        return False
    base = audited.workspace.above.base
    folder = _folder_of(scope.globs[0].removeprefix("**/"))
    if folder and audited.is_made_later(base.to_folder(posixpath.join(scope.folder, folder, "new"))):
        return False
    fires = base.from_folder(Trigger((scope,)).fires)
    if any(map(fires, audited.paths)):
        return False
    others = audited.unlisted
    return others is not None and not any(map(fires, others))
