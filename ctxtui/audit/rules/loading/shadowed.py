"""Rules about an AGENTS.md that another file hides, and about counterparts that differ."""

from __future__ import annotations

import posixpath
import re
from collections import Counter
from collections.abc import Iterator
from itertools import takewhile

from ctxtui.agents import AgentContext
from ctxtui.agents.costs import Charge
from ctxtui.agents.project.globs import is_literal
from ctxtui.agents.project.paths import with_ancestors
from ctxtui.audit.context import LEAST_SHARED, Audited
from ctxtui.audit.roles import agent_folder, is_stand_in, is_vendored, language_of
from ctxtui.audit.rules.loading.places import missing_twins, twin_remedy
from ctxtui.audit.rules.phrases import finding_of
from ctxtui.audit.rules.remedies import document_of, insert_on_top
from ctxtui.audit.shared import is_by_tool
from ctxtui.audit.text.facts import split_lines
from ctxtui.audit.types import Finding, Remedy, Removal, Severity
from ctxtui.core.base.wording import plural

_MAIN = "AGENTS.md"
_TWIN = "CLAUDE.md"
_SAME = 0.8
_POINTER = re.compile(r"(?<![\w/@.-])(?:\./)?AGENTS\.md(?![\w/])")
# A file up to this many characters may do no more than name another file.
_SIGN = 600
# One of up to this many says nothing else.
_POINTING = 200
# With a larger common share, an import would duplicate text.
_OVERLAP = 0.2
# So many sections with the same headings are about the same things.
_HEADINGS = 3
_HEADING = re.compile(r"^#{2,6}[ \t]+(.*\w)", re.MULTILINE)
# The first lines, with a title and imports.
_HEAD = 5
_TITLE = re.compile(r"\A#[^\r\n]*")
# Words about the file, not an import of it.
_NAMED = re.compile(r"(?<!@)(?<!/)\bAGENTS\.md\b")
# Words that ask for the files of all folders.
_ALL = re.compile(
    r"\b(?:read|scan|use|check|consult|see|follow|open|load)\b[^.\n]{0,60}\b(?:nested|nearest|closest|child|each|every)\b"
    r"[^.\n]{0,40}\bAGENTS\.md\b",
    re.I,
)
# In names of folders, an underscore ends a word.
_OTHERS = (
    r"(?<![a-z])(?:codex|copilot|gemini|opencode|open code|cursor|windsurf|cline|aider|jules|junie|kilo(?:code)?|roo)"
    r"(?![a-z\d])"
)
_OTHER_AGENT = re.compile(_OTHERS, re.I)
_FOR_ANOTHER = re.compile(
    rf"\bfor (?:(?:the|openai|github|google|ai|coding|other|agents|assistants|tools)[ (]+)*{_OTHERS}", re.I
)


def shadowed(audited: Audited) -> Iterator[Finding]:
    """AGENTS.md files that an agent does not read because of another file, unless that one leads to them.

    Also files hidden by a blank one, and CLAUDE.md files that name an AGENTS.md without an import.
    """
    yield from hidden_by_blank(audited)
    yield from named_in_words(audited)
    reported = {place for each in missing_twins(audited) for place in (each.path, *(one.path for one in each.places))}
    for context, charge in audited.real_charges("never"):
        path, loaded = charge.path, audited.loaded[context.agent.id]
        is_lost = posixpath.basename(path) == _MAIN and audited.real(path) not in loaded and path not in reported
        # Within a skill, AGENTS.md is a document that the skill names.
        if not is_lost or _is_aside(path) or audited.skill_of(path) is not None:
            continue
        other, text = _shadowing_file(audited, charge), audited.text(path) or ""
        # A short file that names the one that is read instead says no more, and an empty one nothing.
        is_sign = not text.strip() or (len(text) < _SIGN and posixpath.basename(other) in text)
        if not other or is_sign or _leads_to(audited, context, other, path):
            continue
        # A file that names another agent is deliberate.
        if not _is_for_others(audited, path, other):
            yield _finding(audited, context, charge, other)


def hidden_by_blank(audited: Audited) -> Iterator[Finding]:
    """Files that an agent skips because it takes a blank one instead, once for each agent."""
    seen = set()
    for context, charge in audited.real_charges("never"):
        other = _preferred_file(audited, charge) if charge.row.pick == "first" else ""
        text = audited.received_text(other) if other else None
        if text is None or text.strip() or audited.real(charge.path) in audited.loaded[context.agent.id]:
            continue
        if (charge.path, context.agent.id) not in seen:
            seen.add((charge.path, context.agent.id))
            message = f"{context.agent.name} takes {other} instead, which is empty, and so reads neither"
            document, tokens = document_of(audited, other), audited.tokens(charge.path) or 0
            steps = (Removal(other, document.digest),) if document and audited.real(other) == other else ()
            remedy = Remedy(f"remove {posixpath.basename(other)}, or write into it", steps=steps)
            yield finding_of([(context, charge)], "shadowed", "warning", message, 1, tokens, other, remedy=remedy)


def named_in_words(audited: Audited) -> Iterator[Finding]:
    """Short CLAUDE.md files that name the AGENTS.md beside them in words, which loads nothing."""
    for path in audited.by_name.get(_TWIN, ()):
        other = posixpath.join(posixpath.dirname(path), _MAIN)
        text = audited.text(path) or ""
        is_read = path in audited.always_read and audited.real(other) not in audited.loaded.get("claude-code", ())
        if not is_read or len(text) > _POINTING or not audited.exists(other) or audited.is_vendored(path):
            continue
        named = [number for number, line in enumerate(split_lines(text), 1) if _POINTER.search(line)]
        if named:
            message = f"names {_MAIN} in words, so that Claude Code has it only once the model opens it"
            remedy = Remedy(f"write `@{_MAIN}`", steps=insert_on_top(audited, path, f"@{_MAIN}"))
            tokens, evidence = audited.tokens(other) or 0, "only `@path` imports"
            found = (message, path, named[0], tokens, evidence, "claude-code", other, remedy)
            yield Finding("shadowed", "info", *found)


def _preferred_file(audited: Audited, charge: Charge) -> str:
    """The existing file that comes before the charged one in its row and is read instead, else empty."""
    configured = audited.files.names(charge.row.also_in, with_ancestors(posixpath.dirname(charge.path)))
    names = [*filter(is_literal, charge.row.files), *(name for name, _ in configured)]
    own = next((name for name in names if f"/{charge.path}".endswith(f"/{name}")), "")
    folder = charge.path.removesuffix(own)
    before = takewhile(lambda name: name != own, names)
    return next((folder + name for name in before if folder + name in audited.listed), "")


def _is_aside(path: str) -> bool:
    """Whether a file is no text for this agent: a copy, sample or translation, or in another agent's folder."""
    is_other = is_vendored(path) or is_stand_in(path) or bool(language_of(path))
    is_other |= _OTHER_AGENT.search(posixpath.dirname(path)) is not None
    return is_other or agent_folder(path) not in ("", ".claude")


def _is_for_others(audited: Audited, path: str, other: str) -> bool:
    """Whether a file is for agents other than Claude Code by its title, or names `other`, which is read instead."""
    text = audited.text(path) or ""
    head: list[str] = []
    for line in filter(str.strip, split_lines(text)):
        head.append(line)
        if not line.startswith(("#", "@")) or len(head) == _HEAD:
            break
    # All lines but the last one are titles.
    *titles, last = head or [""]
    is_title = not titles or last.startswith(("#", "@"))
    is_named = _OTHER_AGENT.search(" ".join(titles)) or (_OTHER_AGENT if is_title else _FOR_ANOTHER).search(last)
    is_for_others = is_named is not None and "claude" not in " ".join(head).lower()
    return is_for_others or posixpath.basename(other) in text


def _shadowing_file(audited: Audited, charge: Charge) -> str:
    """The team's file that an agent loads in place of the charged one, empty if there is none."""
    folder = posixpath.dirname(charge.path)
    beside = (posixpath.join(folder, name) for name in charge.row.unless_beside)
    places = (*beside, *(glob for glob in charge.row.unless if is_literal(glob)))
    return next((path for path in places if path in audited.listed and ".local." not in path), "")


def _leads_to(audited: Audited, context: AgentContext, other: str, path: str) -> bool:
    """Whether `other`, or an import of the start, leads to the file at `path`.

    It does if it names the file or all files of that name, or contains nearly all of its text.
    """
    read = {charge.path for charge in context.at("start") if charge.path == other or charge.imported_by}
    for each in sorted(read | {other}):
        # From its folder, or from the root.
        written = "|".join(map(re.escape, (posixpath.relpath(path, posixpath.dirname(each) or "."), path)))
        pattern = re.compile(rf"(?<![\w/])(?:\.?/)?(?:{written})(?![\w/])")
        text = audited.text(each) or ""
        if pattern.search(text) or _ALL.search(text) or _contained_share(audited, path, each) >= _SAME:
            return True
    return False


def _contained_share(audited: Audited, path: str, other: str) -> float:
    """The share (0 to 1) of a file's text that `other` contains, too."""
    pair = [audited.by_real_path.get(audited.real(each)) for each in (path, other)]
    if pair[0] is None or pair[1] is None:
        return 0.0
    for each in audited.shared([pair[0], pair[1]], LEAST_SHARED):
        return each.share_of_one
    return 0.0


def _is_alike(audited: Audited, path: str, other: str) -> bool:
    """Whether two files share much of their text, or speak of the same things under equal headings."""
    if max(_contained_share(audited, path, other), _contained_share(audited, other, path)) >= _OVERLAP:
        return True
    headings = [set(_HEADING.findall((audited.text(each) or "").lower())) for each in (path, other)]
    return len(headings[0] & headings[1]) >= _HEADINGS


def _finding(audited: Audited, context: AgentContext, charge: Charge, other: str) -> Finding:
    """The finding about an AGENTS.md that the agent leaves out because `other` exists."""
    path, name = charge.path, context.agent.name
    real = audited.real(other)
    link = f" (a link to {real})" if real != other else ""
    is_beside = posixpath.dirname(path) == posixpath.dirname(other)
    if is_beside and link:
        kept = posixpath.relpath(real, posixpath.dirname(other) or ".")
        remedy = Remedy(f"make {other} a file with the lines `@{_MAIN}` and `@{kept}`, so that it loads both")
    elif is_beside and _is_alike(audited, path, other):
        remedy = Remedy(f"merge both into {_MAIN}, with `@{_MAIN}` in {other}, or delete one")
    elif is_beside:
        remedy = Remedy(f"write `@{_MAIN}` into {other}", steps=insert_on_top(audited, other, f"@{_MAIN}"))
    elif audited.exists(twin := posixpath.join(posixpath.dirname(path), _TWIN)):
        remedy = Remedy(f"write `@{_MAIN}` into {twin}", steps=insert_on_top(audited, twin, f"@{_MAIN}"))
    else:
        remedy = twin_remedy(path)
    because = f"because {other}{link} exists"
    severity: Severity = "warning" if not is_beside and _expects_nested(audited, context) else "info"
    many = f"{name} reads none of these {{count}} files, {because}"
    message, tokens = f"{name} does not read it, {because}", audited.tokens(path) or 0
    more = {"remedy": remedy, "cause": f"{other}: {'beside' if is_beside else 'above'}", "many": many}
    return finding_of([(context, charge)], "shadowed", severity, message, 1, tokens, "", **more)


def _expects_nested(audited: Audited, context: AgentContext) -> bool:
    """Whether an agent starts with the root's AGENTS.md and no file of its start mentions an AGENTS.md in words."""
    starts = {audited.real(each.path): each.path for each in context.at("start")}
    is_named = any(_NAMED.search(_TITLE.sub("", audited.text(path) or "", count=1)) for path in starts.values())
    return audited.real(_MAIN) in starts and not is_named


def differing_twins(audited: Audited) -> Iterator[Finding]:
    """CLAUDE.md files that are nearly equal to the AGENTS.md beside them."""
    for path in audited.by_name.get(_MAIN, ()):
        twin = posixpath.join(posixpath.dirname(path), _TWIN)
        one, other = audited.by_real_path.get(audited.real(path)), audited.by_real_path.get(audited.real(twin))
        if one is None or other is None or one is other or audited.is_vendored(path):
            continue
        if audited.text(path) == audited.text(twin):
            continue
        for shared in audited.shared([one, other], LEAST_SHARED):
            if min(shared.share_of_one, shared.share_of_other) >= _SAME and not is_by_tool(shared, audited.text):
                texts = (split_lines(audited.text(each) or "") for each in (path, twin))
                mine, other_lines = (Counter(filter(None, map(str.strip, lines))) for lines in texts)
                differing = max((mine - other_lines).total(), (other_lines - mine).total(), 1)
                message = f"it differs from {_MAIN} beside it in {plural(differing, 'line')} only"
                remedy = Remedy(f"keep only `@{_MAIN}` and the lines for Claude Code, so that the two cannot drift")
                tokens, evidence = shared.tokens, f"equal lines, {audited.measured}"
                yield Finding("differing-twins", "info", message, twin, 1, tokens, evidence, None, path, remedy)


def differing_pairs(audited: Audited) -> set[frozenset[str]]:
    """The pairs of files, by real path, that `differing_twins` reports."""
    return {frozenset(map(audited.real, (each.path or "", each.subject))) for each in differing_twins(audited)}
