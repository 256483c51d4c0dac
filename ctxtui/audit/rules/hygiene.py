"""Rules about text that should not reach a model: credentials, invisible characters, encoded data.

Also paths of one machine, and files that are not UTF-8.
"""

from __future__ import annotations

import codecs
import posixpath
import re
from collections import Counter, defaultdict
from collections.abc import Iterator

from ctxtui.agents import AgentContext, load_table
from ctxtui.agents.costs import Charge
from ctxtui.agents.project.configuration import file_of
from ctxtui.audit.context import Audited
from ctxtui.audit.roles import is_fixture, is_sample, is_stand_in
from ctxtui.audit.rules.phrases import finding_of, short_list
from ctxtui.audit.rules.remedies import replace_on_line
from ctxtui.audit.text.facts import outside_code, sentence_around, split_lines
from ctxtui.audit.text.invisible import TAGS, visible_prefix, without_hidden
from ctxtui.audit.text.leaks import Leak, find_leaks
from ctxtui.audit.types import Finding, Remedy, Severity
from ctxtui.core.base.errors import ContextError
from ctxtui.core.base.wording import plural
from ctxtui.core.text.markdown.scan import is_markdown
from ctxtui.core.text.metadata.reference import Reference
from ctxtui.core.text.secrets import find_secrets

_SHAPE = "matches the published shape of the credential"
_NAMED = "a random value under the name of a credential"
_CLIENT = re.compile(
    r"authDomain|firebaseapp\.com|\b(?:NEXT_PUBLIC|EXPO_PUBLIC|VITE|REACT_APP|PUBLIC)_\w*FIREBASE\w*"
)
# Settings in which MCP servers, hooks and programs get their keys, besides the places in the table of agents.
_ANYWHERE = (".mcp.json", "opencode.json", "opencode.jsonc")
_SETTINGS = frozenset(
    "mcp.json mcp_config.json settings.json settings.local.json config.toml config.json hooks.json".split()
)
SETTINGS_FOLDERS = frozenset(
    ".claude .codex .cursor .gemini .github .kilocode .kiro .opencode .qwen .roo .trae .vscode .windsurf".split()
)
_AROUND = 8
_QUOTED = 30
_CUT_WORD = re.compile(r"\A[!-~]+")
_UNICODE = "https://www.unicode.org/reports/tr36/"
_REPLACED = "\ufffd"
_CODE = re.compile("`[^`]*`")
_ABOUT = re.compile(r"U\+FFFD|replacement|encod|mojibake|garbl|corrupt", re.IGNORECASE)
_MARKS = {
    codecs.BOM_UTF32_LE: "UTF-32",
    codecs.BOM_UTF32_BE: "UTF-32",
    codecs.BOM_UTF16_LE: "UTF-16",
    codecs.BOM_UTF16_BE: "UTF-16",
}
# A home folder, or a further disk, which has another name on each machine.
_PERSONAL_PATH = re.compile(
    r"(?<![^\s\"'`(=<*])(?:(?:/(?:Users|home)/|[A-Za-z]:\\{1,2}Users\\{1,2})(\w[\w.-]*)[/\\]"
    r"|(?:/Volumes/(?=\w[\w.-]*/\w)|[D-Zd-z]:\\{1,2}(?=\w))([\w.-]{3,}))"
)
_ABSOLUTE = re.compile(r"(?<![^\s\"'`(=])(?:/|~/|\$HOME/)(?:[\w.-]+/)+[\w.-]+")
# Within a permission, no variable is expanded.
_PERMITTED = re.compile(r"\b[A-Z]\w+\([^\")]*\Z")
# Settings with permissions and hooks that everybody gets.
_COMMITTED = (".claude/settings.json",)
_SIGNS = ("Users", "/home/", "/Volumes/", ":\\")
# Homes of machines that everybody has, and names that stand for any.
_ANY_USER = re.compile(
    r"(?:app\w*|admin|agent|build|codespace|coder|container|default|dev|developer|developers|dir|docker|git|home|jenkins"
    r"|jovyan|linuxbrew|me|my\w*|name|node|vsts|pi|public|runner|sandbox|shared|some\w*|ubuntu|user\w*|vagrant|vscode|www"
    r"|www-data|you\w*|x+|alice|bob|jane|john|jdoe|johndoe|foo|bar|test\w*|deploy|root|ec2-user|circleci|opam|gitpod"
    r"|steam|oracle|nonroot|claude|path|project|te?mp|windows|backups?|\.{2,})",
    re.IGNORECASE,
)
_SHOWN = re.compile(
    r"e\.g\.|example|such as|placeholder|replace|your|blocked|❌|\w = [\"']|\b[Ee]rror: "
    r"|\bnot\b|n['’]t\b|never|avoid|\babsolute\b|\bdrive\b|\b(?:ssh|scp|rsync)\b",
    re.IGNORECASE,
)


def secrets(audited: Audited) -> Iterator[Finding]:
    """Texts that look like credentials, one finding for each kind in a context file and each place in settings."""
    for reference, facts in audited.facts():
        by_kind: defaultdict[str, list[Leak]] = defaultdict(list)
        for leak in facts.leaks:
            by_kind[leak.kind].append(leak)
        for kind, leaks in by_kind.items():
            times = f", {plural(len(leaks), 'time')}" if len(leaks) > 1 else ""
            message = f"contains what looks like a credential ({kind}){times}; exports redact it, agents read it"
            is_sure = any(leak.sure for leak in leaks)
            is_public = kind == "google-key" and all(_is_of_client(audited, reference, leak) for leak in leaks)
            severity: Severity = "info" if is_public else "error" if is_sure else "warning"
            remedy = Remedy(
                "restrict it to your sites, apps and APIs: clients contain it by design" if is_public else ""
            )
            path, line, evidence = reference.path, leaks[0].line, _SHAPE if is_sure else _NAMED
            yield Finding("secret", severity, message, path, line, evidence=evidence, subject=kind, remedy=remedy)
    yield from _secrets_in_settings(audited)


def _secrets_in_settings(audited: Audited) -> Iterator[Finding]:
    """Credentials in the settings and lists of MCP servers that the project keeps for agents."""
    known = {path for reference in audited.references for path in reference.paths}
    by_name = (f"{folder}/{name}" for folder in sorted(SETTINGS_FOLDERS) for name in sorted(_SETTINGS))
    table = load_table() if audited.table is None else audited.table
    places = (place for agent in table for each in agent.uncounted for place in each.places if "#" in place)
    at_root = (*_ANYWHERE, *map(file_of, places), *by_name)
    below = (path for path in audited.paths if posixpath.basename(path) in _ANYWHERE)
    for path in dict.fromkeys((*at_root, *below)):
        # What git ignores is for one person.
        is_kept = path not in known and audited.exists(path) and not audited.is_made_later(path)
        text = audited.text(path) if is_kept and not is_fixture(path) else None
        for leak in find_leaks(text, find_secrets(text, audited.workspace.reader.cache)) if text else ():
            message = f"contains what looks like a credential ({leak.kind}), for everyone who has the project"
            severity: Severity = "error" if leak.sure else "warning"
            evidence = _SHAPE if leak.sure else _NAMED
            remedy = Remedy("name a variable of the environment instead, and revoke it")
            found = (message, path, leak.line, 0, evidence, None, leak.kind, remedy)
            yield Finding("secret", severity, *found)


def _is_of_client(audited: Audited, reference: Reference, leak: Leak) -> bool:
    """Whether the lines around a key look like the configuration of a client, which is public."""
    lines = split_lines(audited.text(reference.path) or "")
    return _CLIENT.search("\n".join(lines[max(leak.line - _AROUND, 0) : leak.line + _AROUND])) is not None


def invisible(audited: Audited) -> Iterator[Finding]:
    """Characters that models read as prose and people cannot see, one finding for each file.

    The tokens are the difference that these characters make, line by line.
    """
    for reference, facts in audited.facts():
        if not facts.hidden or not _is_read_as_prose(audited, reference):
            continue
        counts: Counter[str] = Counter()
        for each in facts.hidden:
            counts[each.kind] += each.count
        codes = short_list(sorted({code for each in facts.hidden for code in each.codes}))
        kinds = f"{' and '.join(plural(count, kind) for kind, count in counts.most_common())} ({codes})"
        lines = dict.fromkeys(each.line for each in facts.hidden)
        where = f"line {next(iter(lines)):,}" if len(lines) == 1 else plural(len(lines), "line")
        split = split_lines(audited.text(reference.path) or "")
        shown = [split[line - 1] for line in lines if line <= len(split)]
        tokens = sum(audited.count(line) - audited.count(without_hidden(line)) for line in shown)
        severity: Severity = "error" if TAGS in counts else "warning"
        quoted = f": “{_quoted_around(shown[0])}”" if shown else ""
        message = f"{kinds} in {where}, which the model reads and people cannot see{quoted}"
        path, line = reference.path, facts.hidden[0].line
        yield Finding("invisible-text", severity, message, path, line, max(tokens, 0), _UNICODE)


def _is_read_as_prose(audited: Audited, reference: Reference) -> bool:
    """Whether models read a file as prose. Code and test inputs do not count, since they may need such characters."""
    path = reference.path
    if is_stand_in(path):
        return False
    is_read = not audited.ever_read.isdisjoint(reference.paths)
    return is_read or (audited.is_prose(reference) and not (is_sample(path) or is_fixture(path)))


def _quoted_around(line: str) -> str:
    """The words around the first invisible character, which is shown as a mark."""
    place = len(visible_prefix(line))
    start = max(place - _QUOTED, 0)
    before, after = without_hidden(line[start:place]), line[place:]
    if start:
        # A cut word may be the rest of an escape.
        before = _CUT_WORD.sub("", before)
    return f"{before.lstrip()}␣{without_hidden(after)[:_QUOTED].rstrip()}"


def blobs(audited: Audited) -> Iterator[Finding]:
    """Encoded data and minified code of at least `blob_tokens`, one finding at the largest place in a file."""
    for reference, facts in audited.prose():
        if not facts.blobs:
            continue
        split = split_lines(audited.text(reference.path) or "")
        sized = [(blob, audited.count("\n".join(split[blob.first - 1 : blob.last]))) for blob in facts.blobs]
        large = [(blob, tokens) for blob, tokens in sized if tokens >= audited.settings.blob_tokens]
        if not large:
            continue
        tokens = sum(cost for _, cost in large)
        blob, cost = max(large, key=lambda each: each[1])
        where = f"line {blob.first:,}" if blob.first == blob.last else f"lines {blob.first:,} to {blob.last:,}"
        more = f" ({plural(len(large), 'place')} in all, {plural(tokens, 'token')})" if len(large) > 1 else ""
        message = f"{blob.kind} of {plural(cost, 'token')} in {where}{more}"
        path, evidence = reference.path, audited.measured
        yield Finding("blob", "info", message, path, blob.first, tokens, evidence, subject=blob.kind)


def not_text(audited: Audited) -> Iterator[Finding]:
    """Markdown for agents that is not UTF-8 text, or in which marks stand for lost characters, once for each file."""
    seen: set[str] = set()
    for context in audited.agents:
        for charge in context.charges:
            real = audited.real(charge.path)
            if real in seen or charge.moment == "reference" or not is_markdown(charge.path):
                continue
            seen.add(real)
            text = audited.received_text(charge.path)
            if text is None or _REPLACED in text:
                yield from _encoding_findings(audited, context, charge)


def _encoding_findings(audited: Audited, context: AgentContext, charge: Charge) -> Iterator[Finding]:
    """At most one finding about a file whose text has marks for undecodable bytes. None if it is unreadable."""
    try:
        data = audited.workspace.reader.root.read(charge.path).data
    except ContextError:
        return
    fault = _find_fault(data)
    if fault is None:
        yield from _lost_characters(audited, context, charge)
    else:
        reason, offset = fault
        message = f"{reason}; agents read it with marks instead, or not at all"
        many = "{count} files are not UTF-8 text; agents read them with marks instead, or not at all"
        line = data.count(b"\n", 0, offset) + 1
        met, cause = [(context, charge)], "not UTF-8"
        yield finding_of(met, "not-text", "warning", message, line, 0, "encoding", agent=None, cause=cause, many=many)


def _lost_characters(audited: Audited, context: AgentContext, charge: Charge) -> Iterator[Finding]:
    """A finding about prose in which replacement marks (U+FFFD) stand for lost characters, if there are any.

    Lines about encodings and code spans may have such marks.
    """
    lines = enumerate(split_lines(outside_code(audited.text(charge.path) or "")), 1)
    found = [number for number, line in lines if _REPLACED in _CODE.sub("", line) and not _ABOUT.search(line)]
    if found:
        message = f"characters were lost when it was saved: marks stand for them in {plural(len(found), 'line')}"
        many, cause = "characters were lost when {count} files were saved", "replaced"
        met, remedy = [(context, charge)], Remedy("restore the characters from an older version")
        more = {"agent": None, "remedy": remedy, "cause": cause, "many": many}
        yield finding_of(met, "not-text", "info", message, found[0], 0, "U+FFFD in the text", **more)


def is_utf8(audited: Audited, path: str) -> bool:
    """Whether a file is UTF-8 text without NUL, or cannot be read."""
    try:
        return _find_fault(audited.workspace.reader.root.read(path).data) is None
    except ContextError:
        return True


def _find_fault(data: bytes) -> tuple[str, int] | None:
    """The reason why bytes are not UTF-8 text, and the offset of the first bad byte, from 0. None for text."""
    mark = next((name for mark, name in _MARKS.items() if data.startswith(mark)), "")
    try:
        data.decode()
    except UnicodeDecodeError as error:
        place = error.start
        return f"it is {mark} text" if mark else f"it is not UTF-8 text, see byte {place:,}", place
    nul = data.find(b"\0")
    return (f"it is not text: byte {nul:,} is NUL", nul) if nul >= 0 else None


def machine_paths(audited: Audited) -> Iterator[Finding]:
    """Absolute paths of one machine, in a home folder or on a further disk, in texts and settings for agents."""
    for path in (*(reference.path for reference in audited.instructions()), *_COMMITTED):
        text = audited.text(path) or ""
        lines, is_told = split_lines(text) if any(sign in text for sign in _SIGNS) else (), False
        for number, line in enumerate(lines, 1):
            for match in filter(_is_personal_path, _PERSONAL_PATH.finditer(line)):
                is_told = True
                remedy = Remedy("write a path below the project, or `~`")
                message = f"names `{match[0]}…`, a folder of one machine"
                many = "names folders of one machine in {count} places"
                evidence, cause = "an absolute path below a home folder, or on a further disk", f"{path}: one machine"
                found = (message, path, number, 0, evidence, None, match[0], remedy, cause, many)
                yield Finding("machine-path", "info", *found)
        if path in _COMMITTED and not is_told:
            yield from _absolute_project_paths(audited, path, text)


def _is_personal_path(match: re.Match[str]) -> bool:
    """Whether a path is one of a single person, and its sentence does not merely show it."""
    is_shown = _SHOWN.search(sentence_around(match.string, *match.span()))
    return not is_shown and not _ANY_USER.fullmatch(match[1] or match[2])


def _absolute_project_paths(audited: Audited, path: str, text: str) -> Iterator[Finding]:
    """Findings about absolute paths in settings that end like the path of a project file."""
    for number, line in enumerate(split_lines(text), 1):
        for match in _ABSOLUTE.finditer(line):
            parts = match[0].split("/")
            ends = ("/".join(parts[place:]) for place in range(2, len(parts) - 1))
            own = next((end for end in ends if end in audited.listed), "")
            if own:
                new = f"$CLAUDE_PROJECT_DIR/{own}"
                remedy = Remedy(f"write `{new}`", "", new, replace_on_line(audited, path, number, match[0], new))
                if _PERMITTED.search(line[: match.start()]):
                    remedy = Remedy("write its path from the project")
                message = f"names `{match[0]}`, which is {own} on one machine"
                many = "names files of the project in {count} places by where one machine has them"
                evidence, cause = "an absolute path that ends like one of the project", f"{path}: one machine"
                found = (message, path, number, 0, evidence, None, match[0], remedy, cause, many)
                yield Finding("machine-path", "info", *found)
