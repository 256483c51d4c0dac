"""Rules about metadata that readers reject or ignore, and about globs that match nothing."""

from __future__ import annotations

import json
import posixpath
import re
from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence

from ctxtui.agents.costs import Charge
from ctxtui.agents.frontmatter import globs_of, read_yaml
from ctxtui.agents.globs import split_globs
from ctxtui.agents.types import AT_START
from ctxtui.audit.context import AGENTS, Audited
from ctxtui.audit.costs import PLAIN
from ctxtui.audit.roles import SKILL
from ctxtui.audit.rules.phrases import listed, names, only, readers, source
from ctxtui.audit.rules.unloaded import Met, is_refused
from ctxtui.audit.types import Finding, Severity
from ctxtui.core.markdown.scan import is_markdown
from ctxtui.core.notices import Notice
from ctxtui.core.patterns.globs import compile_glob

_UNREADABLE = ("frontmatter-yaml", "frontmatter-unclosed")
_CODES: dict[str, Severity] = {
    **dict.fromkeys(_UNREADABLE, "error"),
    **dict.fromkeys(("frontmatter-mangled", "frontmatter-repeated", "metadata-type"), "warning"),
}
# Real rules have fewer globs, and each is compared with every path.
_MOST_GLOBS = 100
_GLOB_KEYS = ("globs", "paths", "applyTo", "fileMatchPattern")
# Claude Code reads such values as if they were quoted, if YAML rejects the block as written.
_QUOTING = ("claude-code", "claude-plugins")
_VALUE = re.compile(r"^([A-Za-z_-]+:[ \t]+)([^\r\n]+)", re.MULTILINE)
_SPECIAL = re.compile(r"[{}\[\]*&#!|>%@`]|: ")
_SPEC = "https://yaml.org/spec/1.2.2/"


def rejected(audited: Audited) -> Iterator[Finding]:
    """Frontmatter that a strict reader rejects, in whole or in part."""
    told: defaultdict[str, list[Notice]] = defaultdict(list)
    for notice in audited.workspace.notices:
        if notice.code in _CODES and notice.path:
            told[notice.path].append(notice)
    dropped: defaultdict[tuple[str, bool], list[Met]] = defaultdict(list)
    for context in audited.agents:
        for charge in context.charges:
            if charge.imported_by or charge.moment == "reference" or not is_markdown(charge.path):
                continue
            if context.agent.id in _QUOTING and _is_read_quoted(charge, audited):
                continue
            if charge.moment == "never" and is_refused(charge, audited):
                # A plugin's loader names an agent after its file; a skill needs a description.
                if context.agent.installable and charge.row.kind != "skill":
                    continue
                dropped[charge.path, True].append((context, charge))
            elif charge.moment != "never" and charge.row.asks and audited.files.is_torn(charge.path, charge.row):
                dropped[charge.path, False].append((context, charge))
    for (path, is_dropped), met in dropped.items():
        yield _refused(audited, path, is_dropped, met, told[path])
    agents_say = {path for path, _ in dropped}
    parsed = _parsed(audited)
    for path, notices in told.items():
        if path not in parsed:
            continue
        # Problems with single values do not matter if the YAML cannot be read at all.
        unreadable = [notice for notice in notices if notice.code in _UNREADABLE]
        if unreadable:
            yield from [] if path in agents_say else [_noticed(path, unreadable)]
            continue
        for code in dict.fromkeys(notice.code for notice in notices):
            yield _noticed(path, [notice for notice in notices if notice.code == code])


def _is_read_quoted(charge: Charge, audited: Audited) -> bool:
    """Whether frontmatter that is not YAML becomes YAML if the values of its lines are quoted."""
    block = audited.files.block(charge.path)
    if block is None or not audited.files.is_torn(charge.path, charge.row):
        return False
    return read_yaml(_VALUE.sub(_quoted, block.text)) is not None


def _quoted(line: re.Match[str]) -> str:
    value = line[2].strip()
    needs = _SPECIAL.search(value) and value[0] not in "\"'"
    return f"{line[1]}{json.dumps(value, ensure_ascii=False)}" if needs else line[0]


def _parsed(audited: Audited) -> frozenset[str]:
    """The files whose metadata not only agents read; the table says how strict each agent is."""
    return frozenset(each.path for each in audited.references if each.source not in (AGENTS, PLAIN))


def _refused(audited: Audited, path: str, is_dropped: bool, met: Sequence[Met], told: Iterable[Notice]) -> Finding:
    context, charge = met[0]
    contexts = [each for each, _ in met]
    who = readers(contexts)
    broken = next((notice for notice in told if notice.code in _UNREADABLE), None)
    meta = audited.files.meta(path, charge.row)
    missing = [key for key in charge.row.needs if not (meta or {}).get(key)]
    if audited.files.is_torn(path, charge.row):
        why = broken.message.partition(";")[0] if broken else "its frontmatter is not a YAML mapping"
    elif audited.files.block(path) is None:
        why = "it has no frontmatter"
    else:
        why = f"its frontmatter has no {' and no '.join(missing)}"
    is_one = len(contexts) == 1 and not context.agent.installable
    drop, take = ("drops", "takes") if is_one else ("drop", "take")
    what = f"{drop} the file" if is_dropped else f"{take} it as a file without metadata"
    line = broken.line if broken and broken.line else 1
    tokens = (audited.tokens(path) or 0) if is_dropped else 0
    # Files to install lose nothing in this project.
    severity: Severity = "error" if is_dropped and not context.agent.installable else "warning"
    several = (
        f"{drop} these {{count}} files" if is_dropped else f"{take} these {{count}} files as if without metadata"
    )
    kept_in = posixpath.dirname(posixpath.dirname(path) if posixpath.basename(path) == SKILL else path)
    return Finding(
        "frontmatter-rejected",
        severity,
        f"{who} {what}: {why}",
        path=path,
        line=line,
        tokens=tokens,
        evidence=source(context, charge),
        agent=only(contexts),
        subject="dropped" if is_dropped else "without metadata",
        cause=f"{kept_in}: {why}",
        many=f"{who} {several}: {why}",
    )


def _noticed(path: str, notices: Sequence[Notice]) -> Finding:
    first = notices[0]
    more = f" (and {len(notices) - 1} more)" if len(notices) > 1 else ""
    message = f"{first.message}{more}"
    return Finding(
        "frontmatter-rejected",
        _CODES[first.code],
        message,
        path=path,
        line=first.line or 1,
        evidence=f"read as YAML, {_SPEC}",
        subject=first.code,
    )


def ignored_globs(audited: Audited) -> Iterator[Finding]:
    """Rules whose globs an agent ignores, so that they always load."""
    ignored: defaultdict[tuple[str, str, str], list[Met]] = defaultdict(list)
    for context in audited.real_agents:
        for charge in context.at(*AT_START):
            key = _ignored_key(charge, audited)
            if key:
                wanted = f"`{key}` as a YAML list" if key in charge.row.globs else f"`{charge.row.globs[0]}`"
                ignored[charge.path, key, wanted].append((context, charge))
    for (path, key, wanted), met in ignored.items():
        context, charge = met[0]
        contexts = [each for each, _ in met]
        verb = "ignores" if len(met) == 1 else "ignore"
        message = f"{names(contexts)} {verb} `{key}`, so the rule always loads; write {wanted}"
        yield Finding(
            "globs-ignored",
            "warning",
            message,
            path=path,
            line=audited.line_of(path, key),
            tokens=charge.tokens or 0,
            evidence=source(context, charge),
            agent=only(contexts),
            subject=key,
        )


def _ignored_key(charge: Charge, audited: Audited) -> str | None:
    """The key with globs that an agent ignores: another agent's key, or a string if it accepts lists only."""
    row = charge.row
    if not row.globs or charge.imported_by:
        return None
    meta = audited.files.meta(charge.path, row) or {}
    given = [key for key in _GLOB_KEYS if globs_of(meta.get(key, ()))]
    own = next((key for key in given if key in row.globs), None)
    if own is None:
        return given[0] if given else None
    takes_lists_only = any(case.test == f"{own}=[*]" and case.moment == "touch" for case in row.load)
    return own if takes_lists_only and isinstance(meta[own], str) else None


def dead_globs(audited: Audited) -> Iterator[Finding]:
    """Globs that match no file of the project, so that they never apply."""
    met: defaultdict[tuple[str, tuple[str, ...]], list[Met]] = defaultdict(list)
    for context in audited.real_agents:
        for charge in context.at("touch"):
            if charge.row.globs and not charge.imported_by:
                globs = tuple(glob for glob in charge.globs if not glob.startswith("!"))
                met[charge.path, globs].append((context, charge))
    for (path, globs), agents in met.items():
        dead = [glob for glob in globs[:_MOST_GLOBS] if _is_dead(glob, audited)]
        if dead:
            yield _dead(audited, path, globs, dead, agents)


def _dead(audited: Audited, path: str, globs: Sequence[str], dead: Sequence[str], met: Sequence[Met]) -> Finding:
    context, charge = met[0]
    contexts = [each for each, _ in met]
    shown = listed([f"`{glob}`" for glob in dead])
    is_all = len(dead) == len(globs)
    match = "matches" if len(dead) == 1 else "match"
    message = f"{shown} {match} no file" + ("; the rule never loads" if is_all else "")
    if charge.row.whole_globs and any(len(split_globs(glob)) > 1 for glob in dead):
        message += "; commas do not separate globs here: write a YAML list"
    severity: Severity = "warning" if is_all else "info"
    tokens = (charge.tokens or 0) if is_all else 0
    subject = ", ".join(dead)
    several = f"; {{count}} rules {'never load' if is_all else 'name files that do not exist'}"
    return Finding(
        "dead-glob",
        severity,
        message,
        path=path,
        line=audited.line_of(path, *charge.row.globs),
        tokens=tokens,
        evidence=source(context, charge),
        agent=only(contexts),
        subject=subject,
        cause=f"{charge.row.id}: {subject}",
        many=f"{shown} {match} no file{several}",
    )


def _is_dead(glob: str, audited: Audited) -> bool:
    """Whether a glob matches nothing on disk, even if it is read generously."""
    matches = compile_glob(*_readings(glob)).matches
    if any(map(matches, audited.paths)):
        return False
    every = audited.all_paths
    return every is not None and not any(map(matches, every))


def _readings(glob: str) -> list[str]:
    """The meanings of a glob in its dialects: as written, a folder with all below it, a name in any folder."""
    bare = glob.strip("/").removeprefix("./")
    readings = [glob, bare, f"{bare}/**"]
    return readings if "/" in bare else [*readings, f"**/{bare}", f"**/{bare}/**"]
