"""Rules about text that agents never load, cut, or load only if somebody names it."""

from __future__ import annotations

import posixpath
import re
from collections import defaultdict
from collections.abc import Collection, Iterator, Sequence
from typing import Final

from ctxtui.agents import AgentContext, load_table
from ctxtui.agents.costs import Charge, Entry
from ctxtui.agents.measure import limited_size
from ctxtui.agents.moments import unmet_demand
from ctxtui.agents.project.configuration import spoken_ref
from ctxtui.agents.project.globs import is_literal
from ctxtui.agents.project.paths import claimed_paths
from ctxtui.agents.types import AT_START, LISTED, Agent, Limit
from ctxtui.audit.context import Audited
from ctxtui.audit.roles import is_fixture, is_readme, is_stand_in
from ctxtui.audit.rules.loading.settings import unused_hooks
from ctxtui.audit.rules.loading.sizes import deep_starts, unit_of
from ctxtui.audit.rules.phrases import (
    AgentCharge,
    agent_names,
    contexts_in,
    finding_of,
    full_list,
    is_plural,
    only_agent,
    short_list,
)
from ctxtui.audit.rules.remedies import move_steps, set_keys_at
from ctxtui.audit.text.named import is_companion, is_named_in_agents_folder, named_nowhere
from ctxtui.audit.types import Finding, Remedy, Severity
from ctxtui.core.base.wording import plural
from ctxtui.core.text.globs import compile_glob

# The agents of these collections list their skills by themselves.
_PLUGINS = "-plugins"
# Singular and plural.
_ACTS = {
    "drop": ("drops the skill", "drop the skill"),
    "cut": ("cuts it in the list of skills", "cut it in their lists of skills"),
    "note": ("calls it invalid", "call it invalid"),
}

# Files that do not show which agent is used.
_SHARED = ("AGENTS.", ".agents/")


def _over_standard(audited: Audited, limit: Limit, size: int) -> str:
    """A phrase on how each agent treats a skill whose `size` exceeds a limit of the Agent Skills standard."""
    over = list(_agents_with_limit(audited, limit.of, size))
    clauses = []
    for act, (does, do) in _ACTS.items():
        # A row may stand for two agents: "Roo Code and Zoo Code".
        who = full_list([agent.name for agent, then in over if then == act])
        if who:
            clauses.append(f"{who} {do if ' and ' in who else does}")
    return f"more than the {limit.max:,} of the Agent Skills standard{': ' if clauses else ''}{'; '.join(clauses)}"


def _agents_with_limit(audited: Audited, of: str, size: int) -> Iterator[tuple[Agent, str]]:
    """The agents with a hard limit on `of`, a part of a skill, that `size` exceeds, each with what it does then."""
    for agent in load_table() if audited.table is None else audited.table:
        limits = (each for row in agent.rows if row.kind == "skill" for each in row.limits)
        own = next((each for each in limits if each.hard and of in each.of.split("+") and size > each.max), None)
        if own is not None and not agent.installable:
            then = own.then if own.then in _ACTS else "note"
            yield agent, "cut" if own.effect.startswith("cut ") else then


def never_loaded(audited: Audited) -> Iterator[Finding]:
    """Files that look like an agent's but that no agent loads, and scripts for hooks that nothing runs.

    Files for an agent without any other trace in the project are left out, because they may be meant for it.
    """
    loaded = audited.loaded_by_any
    unseen = _claimed_by_undetected(audited)
    lost: defaultdict[str, list[AgentCharge]] = defaultdict(list)
    never = list(audited.real_charges("never"))
    # Another rule reports these.
    refused = {audited.real(charge.path) for _, charge in never if is_refused(charge, audited)}
    for context, charge in never:
        path = charge.path
        is_lost = audited.real(path) not in loaded and path not in unseen
        # Another rule reports these.
        is_reported = bool(charge.imported_by or audited.real(path) in refused or dropped_by(charge, audited))
        if is_reported or not (is_lost or _is_pushed_out(charge, audited)) or audited.files.text(path) is None:
            continue
        # Files for people and files that a text or rule names need not load.
        is_needless = is_readme(path) or is_companion(audited, path) or is_named_in_agents_folder(audited, path)
        if not is_needless and not _has_read_copy(audited, context, path):
            lost[path].append((context, charge))
    for path, met in lost.items():
        charge, contexts = met[0][1], contexts_in(met)
        load, tokens = "load" if is_plural(contexts) else "loads", audited.tokens(path) or 0
        varies = f"; {charge.row.varies}" if charge.row.varies else ""
        remedy = Remedy("")
        if "must end in .mdc" in charge.reason:
            to = f"{posixpath.splitext(path)[0]}.mdc"
            remedy = Remedy(
                "rename it to end in .mdc", "rename each to end in .mdc", "", move_steps(audited, path, to)
            )
            if audited.exists(to):
                remedy = Remedy(f"remove it: {to} is beside it", "remove each: its .mdc is beside it")
        elif "has no description" in charge.reason:
            remedy = Remedy("add a `description`")
        elif "`trigger`" in charge.reason:
            remedy = Remedy("give it a `trigger`, such as `always_on`", "give each a `trigger`, such as `always_on`")
        # Cursor wrote rules of this name for a while.
        severity: Severity = "info" if varies or posixpath.basename(path) == "RULE.md" else "warning"
        message, many = (
            f"{agent_names(contexts)} never {load} {these}: {charge.reason.removesuffix('.')}{varies}"
            for these in ("it", "these {count} files")
        )
        cause = f"{posixpath.dirname(path)}: {charge.reason}"
        more = {"remedy": remedy, "cause": cause, "many": many}
        yield finding_of(met, "never-loaded", severity, message, 1, tokens, "", **more)
    yield from unused_hooks(audited)


def _has_read_copy(audited: Audited, context: AgentContext, path: str) -> bool:
    """Whether an agent reads the text of a file from another one."""
    tokens, text = audited.tokens(path), audited.text(path)
    others = (each for each in context.charges if each.moment not in ("never", "reference"))
    same = (each.path for each in others if each.tokens == tokens)
    return any(audited.text(each) == text for each in same)


def _claimed_by_undetected(audited: Audited) -> frozenset[str]:
    """The paths that undetected agents would claim."""
    found = set(audited.loaded)
    table = load_table() if audited.table is None else audited.table
    rows = [row for agent in table if agent.id not in found for row in agent.rows if row.load[-1].moment != "never"]
    return frozenset(path for row in rows if not row.common for path in claimed_paths(row, audited.index))


def _is_pushed_out(charge: Charge, audited: Audited) -> bool:
    """Whether only personal files, such as `CLAUDE.local.md`, keep a team's file from loading."""
    present = [glob for glob in charge.row.unless if is_literal(glob) and glob in audited.listed]
    return bool(present) and all(".local." in glob for glob in present)


def is_refused(charge: Charge, audited: Audited) -> bool:
    """Whether an agent rejects a file for its frontmatter."""
    row = charge.row
    if not row.asks or audited.files.text(charge.path) is None:
        return False
    values = audited.files.values(charge.path, row)
    return values is None or bool(unmet_demand(row, values))


def dropped_by(charge: Charge, audited: Audited) -> Limit | None:
    """The limit for which an agent drops the whole file, or None if it has another reason or none."""
    for limit in charge.row.limits:
        if limit.then == "drop" and limit.hard and charge.moment == "never":
            size = limited_size(limit, charge.row, charge.path, audited.files)
            if size is not None and size > limit.max:
                return limit
    return None


def cut_by_limit(audited: Audited) -> Iterator[Finding]:
    """Text that a hard limit removes, and files that break a hard limit in another way.

    Lost text is one finding for each agent, other faults are one for each file and limit.
    """
    broken: defaultdict[tuple[str, Limit], list[AgentCharge]] = defaultdict(list)
    shortened: defaultdict[str, list[tuple[AgentContext, Charge, Entry]]] = defaultdict(list)
    yield from deep_starts(audited)
    for context in audited.agents:
        for charge in context.charges:
            if charge.lost:
                yield _cut_finding(context, charge, _cut_severity(audited, context, charge.path))
            if charge.entry and charge.entry.limit and charge.entry.limit.of != "listing":
                shortened[charge.path].append((context, charge, charge.entry))
            limit = dropped_by(charge, audited)
            if limit:
                broken[charge.path, limit].append((context, charge))
            for passed in charge.passed:
                if passed.limit.hard and passed.limit.then == "note":
                    broken[charge.path, passed.limit].append((context, charge))
    for path, entries in shortened.items():
        yield _shortened_finding(audited, path, entries)
    for (path, limit), met in broken.items():
        # `_shortened_finding` already reports this description.
        if not (path in shortened and limit.of == "description" and limit.then == "note"):
            yield _limit_finding(audited, path, limit, met)


def _cut_severity(audited: Audited, context: AgentContext, path: str) -> Severity:
    """`error` if the project or the file shows that the agent is used.

    Else `warning` if the settings name a `cwd` or the project shows no agent's use, and `info` otherwise.
    """
    word = re.escape(context.agent.id.partition("-")[0])
    if has_trace(audited, context) or re.search(rf"\b{word}\b", audited.text(path) or "", re.I):
        return "error"
    # A start folder that the user named counts like an agent in use.
    is_asked = bool(audited.settings.cwd) or not any(has_trace(audited, each) for each in audited.real_agents)
    return "warning" if is_asked else "info"


def has_trace(audited: Audited, context: AgentContext) -> bool:
    """Whether the project has files for this agent only."""
    own = [glob for glob in context.agent.detect if not glob.startswith(_SHARED)]
    return bool(own) and any(map(compile_glob(*own).matches, audited.paths))


def _cut_finding(context: AgentContext, charge: Charge, severity: Severity) -> Finding:
    """The finding at the first lost line, with the tokens of all lost text."""
    first, tokens = charge.lost[0], sum(loss.tokens for loss in charge.lost)
    limit, line = first.limit, first.line
    what = "all of it" if not charge.tokens else f"the text from line {line:,} on"
    remedy = Remedy(f"shorten it, or raise {spoken_ref(limit.set_in)}" if limit.set_in else "shorten it")
    most = f"more than {limit.max:,} {unit_of(limit)}"
    message, met = f"{context.agent.name} never shows the model {what}: {most}, {limit.effect}", [(context, charge)]
    return finding_of(met, "cut-by-limit", severity, message, line, tokens, limit.of, remedy=remedy)


def _shortened_finding(audited: Audited, path: str, entries: Sequence[tuple[AgentContext, Charge, Entry]]) -> Finding:
    """The finding about a description that agents list in part, with the largest loss of all agents."""
    shown = [
        f"{context.agent.name.partition(',')[0]} {len(entry.description) - len(entry.lost):,}"
        for context, _, entry in entries
    ]
    entry, line = entries[0][2], audited.line_of(path, "description")
    over = max(len(entry.lost) for *_, entry in entries)
    message = (
        f"its description has {plural(len(entry.description), 'character')}, of which fewer are listed:"
        f" {short_list(shown)}"
    )
    met, tokens = [each[:2] for each in entries], max(each.lost_tokens for *_, each in entries)
    remedy = Remedy(f"shorten it by {plural(over, 'character')}")
    return finding_of(met, "cut-by-limit", "warning", message, line, tokens, "description", remedy=remedy)


def _limit_finding(audited: Audited, path: str, limit: Limit, met: Sequence[AgentCharge]) -> Finding:
    """The finding about a file that exceeds a limit: an error if agents drop it, a note for a fixture."""
    contexts, charge = list(dict.fromkeys(contexts_in(met))), met[0][1]
    size = limited_size(limit, charge.row, path, audited.files, audited.count) or 0
    is_dropped = limit.then == "drop"
    tokens = (audited.tokens(path) or 0) if is_dropped else 0
    severity: Severity = "error" if is_dropped else "warning"
    has = f"its {limit.of} has {size:,} {unit_of(limit)}"
    message = f"{agent_names(contexts)}: {has}, more than {limit.max:,}: {limit.effect}"
    if limit.by:
        message = f"{has}, more than {limit.max:,}: {limit.by} {limit.effect}"
    elif all(context.agent.installable for context in contexts):
        is_of_plugin = any(context.agent.id.endswith(_PLUGINS) for context in contexts)
        severity = "warning" if audited.is_for_agents(path) and not is_of_plugin else "info"
        message = f"{has}, {_over_standard(audited, limit, size)}"
    if is_fixture(path):
        severity = "info"
    line, agent = audited.line_of(path, *limit.of.split("+")), only_agent(contexts)
    remedy = Remedy(f"shorten it by {plural(size - limit.max, unit_of(limit)[:-1])}")
    return finding_of(met, "cut-by-limit", severity, message, line, tokens, limit.of, agent=agent, remedy=remedy)


# Cursor's keys in their documented order, and the key of Copilot's instructions.
_KEYS: Final = {
    "cursor": (("alwaysApply", "globs", "description"), "give it one of them"),
    "copilot": (("applyTo", "description"), 'give it `applyTo: "**"` or a narrower glob'),
}


def untriggered(audited: Audited) -> Iterator[Finding]:
    """Rules that neither a usable key nor another text brings in: an agent reads them only if somebody names them."""
    read = frozenset(audited.real(charge.path) for _, charge in audited.real_charges(*AT_START, "touch", *LISTED))
    for context in audited.real_agents:
        keys, remedy = _KEYS.get(context.agent.id, ((), ""))
        silent = [charge for charge in context.at("manual") if keys and _is_silent(audited, context, charge, read)]
        free = named_nowhere(audited, (charge.path for charge in silent))
        for charge in silent:
            path, is_read = charge.path, audited.real(charge.path) in read
            if path not in free or "manual" in posixpath.basename(path):
                continue
            # Cursor writes `alwaysApply: false` and empty keys for a rule that is to be called by name.
            severity: Severity = "info" if is_read or audited.line_of(path, *keys) > 1 else "warning"
            name, value, kind = context.agent.name, '"**"', "no trigger"
            lacks, words, several = f"{', '.join(keys[:-1])} and {keys[-1]} are missing or empty", remedy, ""
            globs = (audited.files.meta(path, charge.row) or {}).get(keys[0])
            if globs and isinstance(globs, list | tuple):
                value, kind = f'"{",".join(map(str, globs))}"', "list"
                lacks, words = f"its {keys[0]} is a list, which it ignores", f"write `{keys[0]}: {value}`"
                several = "write each as one text with commas"
            message, many = (
                f"{name} reads it only if somebody names it: {lacks}",
                f"{name} reads {{count}} rules only if somebody names them: {lacks}",
            )
            steps = set_keys_at(audited, path, {keys[0]: value}) if keys[0] == "applyTo" else ()
            tokens, cause = audited.tokens(path) or 0, f"{context.agent.id}: {kind}"
            more = {"remedy": Remedy(words, several, steps=steps), "cause": cause, "many": many}
            yield finding_of([(context, charge)], "untriggered", severity, message, 1, tokens, "", **more)


def _is_silent(audited: Audited, context: AgentContext, charge: Charge, read: Collection[str]) -> bool:
    """Whether a charge is a rule of this project with text that nothing loads. `read` are real paths of loads."""
    path = charge.path
    is_aside = audited.is_vendored(path) or is_fixture(path) or is_stand_in(path) or is_readme(path)
    is_rule = charge.row.kind == "rule" and charge.row.globs and not is_aside
    # Copilot's command line reads instructions without a key, the editor does not.
    is_left = audited.real(path) not in read or context.agent.id == "copilot"
    return bool(is_rule and is_left and (audited.text(path) or "").strip())
