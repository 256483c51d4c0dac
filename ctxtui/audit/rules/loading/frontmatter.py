"""The rule about frontmatter that readers reject, in whole or in part."""

from __future__ import annotations

import json
import posixpath
import re
from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence

from ctxtui.agents.costs import Charge
from ctxtui.agents.moments import unmet_demands, why_marked, why_torn
from ctxtui.agents.project.frontmatter import NO_VALUES, read_yaml
from ctxtui.agents.types import Row
from ctxtui.audit.context import Audited
from ctxtui.audit.roles import SKILL, is_fixture, is_index_or_readme, is_readme, is_retired, is_sample, language_of
from ctxtui.audit.rules.loading.unloaded import has_trace, is_refused
from ctxtui.audit.rules.phrases import AgentCharge, contexts_in, finding_of, is_plural, reader_names
from ctxtui.audit.rules.references.imports import is_link_text
from ctxtui.audit.rules.remedies import document_of, replace_on_line
from ctxtui.audit.text.facts import outside_code, split_lines
from ctxtui.audit.text.named import is_companion
from ctxtui.audit.types import Finding, Fix, Remedy, Severity
from ctxtui.core.base.notices import Notice
from ctxtui.core.documents.listing import SOURCES
from ctxtui.core.text.markdown.light import with_feeds
from ctxtui.core.text.markdown.scan import is_markdown

_UNREADABLE = ("frontmatter-yaml", "frontmatter-unclosed")
_CODES: dict[str, Severity] = {
    **dict.fromkeys(_UNREADABLE, "error"),
    **dict.fromkeys(("frontmatter-mangled", "frontmatter-repeated", "metadata-type"), "warning"),
}
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
    notices_at: defaultdict[str, list[Notice]] = defaultdict(list)
    for notice in audited.workspace.notices:
        if notice.code in _CODES and notice.path:
            notices_at[notice.path].append(notice)
    refused = _refusals(audited)
    for (path, is_dropped), met in refused.items():
        paths = dict.fromkeys((path, *(charge.path for _, charge in met)))
        yield _refusal(
            audited, path, is_dropped, met, [notice for each in paths for notice in notices_at.get(each, ())]
        )
    named = {path for path, _ in refused}
    yield from _mended_values(audited, frozenset(map(audited.real, named)))
    # Other programs read this metadata, too. For agents the table says how strict each is.
    parsed = {each.path for each in audited.references if SOURCES[each.source].has_loader}
    for path, notices in notices_at.items():
        if path not in parsed:
            continue
        # Problems with single values do not matter if the YAML is unreadable.
        unreadable = [notice for notice in notices if notice.code in _UNREADABLE]
        if unreadable:
            yield from [] if path in named else [_notice_finding(path, unreadable)]
            continue
        for code in dict.fromkeys(notice.code for notice in notices):
            yield _notice_finding(path, [notice for notice in notices if notice.code == code])


def _refusals(audited: Audited) -> dict[tuple[str, bool], list[AgentCharge]]:
    """The files whose frontmatter agents reject, and whether they skip the whole file or only its metadata."""
    refused: defaultdict[tuple[str, bool], list[AgentCharge]] = defaultdict(list)
    for context in audited.agents:
        for charge in context.charges:
            if charge.imported_by or charge.moment == "reference" or not is_markdown(charge.path):
                continue
            if charge.moment == "never" and is_refused(charge, audited):
                # A plugin's loader names an agent after its file. A skill needs a description.
                is_named = context.agent.installable and charge.row.kind != "skill"
                is_text = audited.files.block(charge.path) is None and is_index_or_readme(charge.path)
                if not (is_named or is_text or is_readme(charge.path)):
                    refused[audited.real_if_listed(charge.path), True].append((context, charge))
            elif charge.moment != "never" and charge.row.asks and _is_unread(audited, charge):
                refused[audited.real_if_listed(charge.path), False].append((context, charge))
    return refused


def _is_unread(audited: Audited, charge: Charge) -> bool:
    """Whether an agent cannot read the frontmatter of a file, or does not see it below blank lines."""
    if audited.files.block(charge.path) is None:
        return _has_low_frontmatter(audited, charge.path)
    return audited.files.is_torn(charge.path, charge.row)


def _has_low_frontmatter(audited: Audited, path: str) -> bool:
    """Whether a file's frontmatter is below blank lines, where agents do not see it."""
    return _LOW.match(with_feeds(audited.text(path) or "")) is not None


def _mended_values(audited: Audited, refused: frozenset[str]) -> Iterator[Finding]:
    """Findings about invalid names or descriptions that all readers repair. `refused` files are left out."""
    mended: dict[str, AgentCharge] = {}
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
        remedy = Remedy("quote the value", "quote the values", "", _quote_fixes(audited, path, key, line))
        met, cause, rule = (
            [(context, charge)],
            f"{_containing_folder(path)}: not YAML, mended",
            "frontmatter-rejected",
        )
        # All readers of this project read the whole file.
        more = {"agent": None, "remedy": remedy, "cause": cause, "many": many}
        yield finding_of(met, rule, "info", message, line, 0, "mended", **more)


def _quote_fixes(audited: Audited, path: str, key: str, line: int) -> tuple[Fix, ...]:
    """The fix that quotes the value of `key` on a line, from 1. Empty if the value is not plain text on that line."""
    text = split_lines(audited.text(path) or "")[line - 1]
    value = text.removeprefix(f"{key}:").strip()
    new = json.dumps(value, ensure_ascii=False)
    fits = value and value[0] not in "\"'[{|>&*!" and read_yaml(f"{key}: {new}") is not None
    return replace_on_line(audited, path, line, value, new) if fits else ()


def _byte_mark_remedy(audited: Audited, path: str) -> Remedy:
    """The remedy that removes a byte order mark, with a fix if the file is readable."""
    document = document_of(audited, path)
    words = f"remove the byte order mark of {path}"
    if document is None:
        return Remedy(words)
    first = document.text.partition("\n")[0].rstrip("\r")
    fix = Fix(path, 1, words, f"\ufeff{first}", first, -1, -1, "", document.digest)
    return Remedy(words, steps=(fix,))


def _spoilt_key(audited: Audited, path: str, row: Row) -> str:
    """The first key, of those that an agent reads, whose line alone is invalid YAML. Empty without one."""
    block = audited.files.block(path)
    lines = block.text.split("\n") if block else []
    spoilt = (key for key in row.meta for line in lines if line.startswith(f"{key}:") and read_yaml(line) is None)
    return next(spoilt, "")


def _refusal(
    audited: Audited, path: str, is_dropped: bool, met: Sequence[AgentCharge], notices: Iterable[Notice]
) -> Finding:
    """The finding about frontmatter that agents reject. The tokens are those of a dropped file, else 0."""
    contexts = contexts_in(met)
    who = reader_names(contexts)
    broken = next((notice for notice in notices if notice.code in _UNREADABLE), None)
    why, remedy = _fault(audited, path, met[0], broken)
    are_many = is_plural(contexts) or met[0][0].agent.installable
    drop, take = ("drop", "take") if are_many else ("drops", "takes")
    what = f"{drop} the file" if is_dropped else f"{take} it as a file without metadata"
    several = (
        f"{drop} these {{count}} files" if is_dropped else f"{take} these {{count}} files as if without metadata"
    )
    why_several = why
    for singular, plural in _PLURALS.items():
        why_several = why_several.replace(singular, plural)
    line = broken.line if broken and broken.line else 1
    tokens = (audited.tokens(path) or 0) if is_dropped else 0
    severity = _severity(audited, path, is_dropped, met, why)
    subject, cause = "dropped" if is_dropped else "without metadata", f"{_containing_folder(path)}: {why}"
    more = {"path": path, "remedy": remedy, "cause": cause, "many": f"{who} {several}: {why_several}"}
    return finding_of(met, "frontmatter-rejected", severity, f"{who} {what}: {why}", line, tokens, subject, **more)


_PLURALS = {
    "it has": "they have",
    "it is a link": "they are links",
    "it is empty": "they are empty",
    "its frontmatter has": "their frontmatter has",
    "its frontmatter is": "their frontmatter is",
}


def _fault(audited: Audited, path: str, first: AgentCharge, broken: Notice | None) -> tuple[str, Remedy]:
    """The reason why an agent rejects a file's frontmatter, and its remedy. `broken` is the notice of a reader."""
    context, charge = first
    text = audited.text(path) or ""
    marked = why_marked(path, charge.row, audited.files)
    if marked:
        return marked, _byte_mark_remedy(audited, path)
    if audited.files.is_torn(path, charge.row):
        why = _why_torn(audited, path, charge.row, broken)
        return why, Remedy("keep one of them") if why.endswith("twice") else _quote_remedy(audited, path, broken)
    if not text.strip():
        return "it is empty", Remedy("write it, or remove it", "write them, or remove them")
    if is_link_text(text):
        words = "make {} again, or write its text".format
        return "it is a link stored as text", Remedy(words("it a link"), words("each a link"))
    if audited.files.block(path) is None:
        return _why_no_block(audited, path, charge.row)
    values = audited.files.values(path, charge.row) or NO_VALUES
    faults = list(unmet_demands(charge.row, values))
    # The standard asks for both, of which readers miss one only.
    if context.agent.installable and charge.row.kind == "skill" and not values.meta.get("name"):
        faults = [each.replace("has no description", "has no name and no description") for each in faults]
    acts = [_act_for(each) for each in faults]
    return ", and ".join(faults), Remedy(" and ".join(acts) if all(acts) else "")


def _why_no_block(audited: Audited, path: str, row: Row) -> tuple[str, Remedy]:
    """The reason why an agent finds no frontmatter in a file: absent, too low, indented or not closed; the remedy."""
    text = (audited.text(path) or "")[:_TOP]
    first = text.partition("\n")[0]
    if first.strip() == "---":
        if first.rstrip() == "---" and not _INDENTED.search(text):
            return "its frontmatter is not closed", Remedy("close it with a line `---`")
        return "its frontmatter is indented", Remedy("remove the blanks before its lines")
    if _HEADLESS.match(text):
        return "its frontmatter has no `---` above it", Remedy("write `---` as its first line")
    if _has_low_frontmatter(audited, path) or _LATE.search(outside_code(text)):
        return "its frontmatter is not on line 1", Remedy("move it to line 1")
    is_skill = row.kind == "skill"
    keys = ("name", "description") if is_skill else row.needs
    needs = f" with {' and '.join(keys)}" if keys else ""
    aside = "" if is_skill else ", or move it to another folder"
    remedy = Remedy(f"begin it with frontmatter{needs}{aside}", f"begin each with frontmatter{needs}")
    return "it has no frontmatter", remedy


def _severity(audited: Audited, path: str, is_dropped: bool, met: Sequence[AgentCharge], why: str) -> Severity:
    """`info` if the file may be so on purpose or is still read, `error` if this project loses it, else `warning`."""
    context, charge = met[0]
    contexts = contexts_in(met)
    is_bare = audited.files.block(path) is None
    # Files to install lose nothing in this project. Fixtures and samples may be broken on purpose. A prompt that
    # another file names is read without frontmatter.
    is_named = is_bare and (is_companion(audited, path) or _is_read_as_prompt(audited, path))
    is_shown = is_fixture(path) or is_sample(path) or is_retired(path) or is_named
    is_elsewhere = context.agent.installable and (language_of(path) != "" or not audited.is_for_agents(path))
    # Beside subagents, files of a subfolder or named like a guide are only material for them.
    folder, name = posixpath.split(path)
    is_aside = posixpath.basename(folder) not in _AGENT_FOLDERS or _GUIDE.search(name) is not None
    is_material = charge.row.kind == "agent" and is_bare and is_aside
    # An agent without other traces that still reads the text needs no change.
    is_idle = not is_dropped and not any(each.agent.installable or has_trace(audited, each) for each in contexts)
    if is_shown or is_elsewhere or is_material or is_idle:
        return "info"
    is_lost = is_dropped and not context.agent.installable and why != "it is empty"
    # The agent that a folder is for reads what another one drops.
    is_other = path.startswith(".claude/") and not any(each.agent.id.startswith("claude") for each in contexts)
    return "error" if is_lost and not is_other else "warning"


def _act_for(why: str) -> str:
    """The remedy that meets the demand of an agent, by the reason of its refusal, empty if a person must think."""
    forms = ((form.search(why), words) for form, words in _MET_BY)
    return next((words.format(found[1].replace(" and no ", " and ")) for found, words in forms if found), "")


def _is_read_as_prompt(audited: Audited, path: str) -> bool:
    """Whether a text that is always read tells agents to read the files of this file's folder as prompts."""
    folder = f"{posixpath.dirname(path)}/"
    lines = (line for each in audited.always_read for line in split_lines(audited.text(each) or "") if folder in line)
    return any(_TELLS.search(line.partition(folder)[0]) for line in lines)


def _why_torn(audited: Audited, path: str, row: Row, broken: Notice | None) -> str:
    """The reason why frontmatter is no mapping: an error of YAML, or a key that it has twice, if known."""
    # A line that YAML takes for the end may be before the one that agents take for it.
    if broken and broken.code == "frontmatter-yaml":
        return broken.message.partition(";")[0]
    why = why_torn(path, row, audited.files)
    return why if why.endswith("twice") else "its frontmatter is not a YAML mapping"


def _quote_remedy(audited: Audited, path: str, broken: Notice | None) -> Remedy:
    """The remedy that quotes the value at a YAML error. It has no words if that value is not plain text."""
    text = "\n".join(split_lines(audited.text(path) or "")[: (broken.line or 0) if broken else 0])
    start = max((key.start() for key in _KEY.finditer(text)), default=None)
    found = _PLAIN.match(text, start) if start is not None else None
    return Remedy(f"write `{found[1]}` in quotes, or as a block below `{found[1]}: |`" if found else "")


def _containing_folder(path: str) -> str:
    """The folder of a file, or for a SKILL.md the folder that contains the skill's folder."""
    return posixpath.dirname(posixpath.dirname(path) if posixpath.basename(path) == SKILL else path)


def _notice_finding(path: str, notices: Sequence[Notice]) -> Finding:
    """The finding for the first of these notices, which counts the others."""
    first = notices[0]
    more = f" (and {len(notices) - 1} more)" if len(notices) > 1 else ""
    severity, message, line, evidence = _CODES[first.code], f"{first.message}{more}", first.line or 1, _READ_AS
    return Finding("frontmatter-rejected", severity, message, path, line, evidence=evidence, subject=first.code)
