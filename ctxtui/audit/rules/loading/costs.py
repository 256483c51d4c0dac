"""Rules about costs: too much at the start, too long lists, too much at once."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator

from ctxtui.agents import AgentContext, starts_of
from ctxtui.agents.costs import Listing
from ctxtui.agents.listing import WINDOW, list_room
from ctxtui.agents.loads import Scope
from ctxtui.agents.project.globs import Triggers
from ctxtui.audit.context import Audited
from ctxtui.audit.roles import agent_folder
from ctxtui.audit.rules.phrases import AgentCharge, finding_of, short_list
from ctxtui.audit.types import Finding, Remedy, Severity
from ctxtui.core.base.wording import plural
from ctxtui.core.documents.listing import AGENTS
from ctxtui.session.agent_start import whole_starts

_WIDEST = 1_000_000
"""The largest context window, in tokens, of current models in coding agents."""
# Hidden folders with files that people edit.
_OF_PEOPLE = ("", ".github")


def start_over_budget(audited: Audited) -> Iterator[Finding]:
    """Agents whose start exceeds their limit in the settings. An agent without a limit has no finding."""
    for context in audited.real_agents:
        limit = audited.settings.start_limits.get(context.agent.id)
        if limit is None:
            continue
        tokens, measured = _known_start(context, audited)
        if tokens <= limit:
            continue
        dearest = sorted(context.charges, key=lambda charge: -charge.start_tokens)[:3]
        files = short_list([f"{charge.path} {charge.start_tokens:,}" for charge in dearest if charge.start_tokens])
        over = tokens - limit
        start = f"{context.agent.name} starts with {plural(tokens, 'token')}"
        message = f"{start}, {over:,} over the limit of {limit:,}: {files}"
        evidence, agent = measured, context.agent.id
        yield Finding("start-over-budget", "error", message, None, None, over, evidence, agent, "start")


def _known_start(context: AgentContext, audited: Audited) -> tuple[int, str]:
    """The best known number of tokens of a start, and in words how it was counted."""
    ledger = audited.workspace.reader.ledger
    for start in whole_starts(starts_of([context]), audited.text, audited.counter, ledger):
        how = f"{start.whole.label} for {audited.counter.name}" if start.whole else audited.measured
        return start.known, how
    return 0, audited.measured


def listing_over_budget(audited: Audited) -> Iterator[Finding]:
    """Lists of names and descriptions that exceed an agent's limit."""
    for context in audited.real_agents:
        for listing in context.listings:
            if listing.wanted <= listing.room:
                continue
            charges = [each for each in context.charges if listing.limit in each.row.limits]
            cut = [each.entry for each in charges if each.entry and each.entry.limit == listing.limit]
            is_over_everywhere, window = _overflow(listing, context.agent.window, audited.settings.window)
            message = (
                f"the {listing.entries:,} names and descriptions that {context.agent.name} lists take"
                f" {listing.wanted:,} {listing.unit}, of which {listing.room:,} fit{window}:"
                f" {listing.limit.effect}"
            )
            sizes = {charge.path: len(charge.entry.description) for charge in charges if charge.entry}
            longest = sorted(sizes.items(), key=lambda size: (-size[1], size[0]))[:3]
            remedy = Remedy(f"shorten the longest: {', '.join(f'{path} {size:,}' for path, size in longest)}")
            severity: Severity = "warning" if is_over_everywhere else "info"
            tokens, first = sum(entry.lost_tokens for entry in cut), [(context, charges[0])]
            more = {"path": None, "remedy": remedy}
            yield finding_of(first, "listing-over-budget", severity, message, None, tokens, "listing", **more)


def _overflow(listing: Listing, usual: int, chosen: int | None) -> tuple[bool, str]:
    """Whether a list exceeds its limit in every window that the user may have, and a remark about the window.

    These are the `chosen` window, or all up to a million tokens. A limit in characters is the same in all.
    """
    window, percent = chosen or usual or WINDOW, listing.limit.max
    if listing.limit.unit == "chars":
        return True, ""
    share = f"{percent} % of a window of {window:,} tokens"
    if chosen or window >= _WIDEST:
        return True, f" ({share})"
    room = list_room(listing.limit, _WIDEST).room
    if listing.wanted <= room:
        return False, f" ({share}; with {_WIDEST:,} tokens all fit)"
    return True, f" ({share}; {room:,} with {_WIDEST:,} tokens)"


def heavy_trigger(audited: Audited) -> Iterator[Finding]:
    """Triggers that load more than `heavy_tokens` at once: touching a file, or calling a skill or command.

    Each agent has at most one finding about touched files, and a file one for all agents.
    """
    limit = audited.settings.heavy_tokens
    called: defaultdict[str, list[AgentCharge]] = defaultdict(list)
    for context in audited.agents:
        # The globs of files to install match files of other projects.
        if not context.agent.installable and sum(each.touch_tokens for each in context.charges) > limit:
            yield from _heaviest_touch(context, audited, limit)
        for charge in context.at("listed", "manual"):
            if (charge.tokens or 0) > limit:
                called[charge.path].append((context, charge))
    for met in called.values():
        tokens = met[0][1].tokens or 0
        verb = "calling" if met[0][1].row.kind in ("skill", "command") else "reading"
        message = f"{verb} it adds {plural(tokens, 'token')}"
        yield finding_of(met, "heavy-trigger", "info", message, 1, tokens, "call", evidence=audited.measured)


def _heaviest_touch(context: AgentContext, audited: Audited, limit: int) -> Iterator[Finding]:
    """A finding about the files whose touch loads most text, if that exceeds `limit` tokens.

    Files that load the same text are one group. The finding names its first file and counts further heavy groups.
    """
    charges = [charge for charge in context.at("touch") if charge.scopes and charge.touch_tokens]
    numbers_by_scope: defaultdict[tuple[Scope, ...], list[int]] = defaultdict(list)
    for number, charge in enumerate(charges):
        numbers_by_scope[charge.scopes].append(number)
    triggers, numbers = Triggers(numbers_by_scope), list(numbers_by_scope.values())
    # The touched paths by the numbers of the charges that they bring.
    groups: defaultdict[frozenset[int], list[str]] = defaultdict(list)
    # Touching the agents' own files is work on the context itself.
    own = {reference.path for reference in audited.references if reference.source == AGENTS}
    for path in audited.paths:
        if path in own or agent_folder(path) not in _OF_PEOPLE:
            continue
        whole = context.base.to_root(path)
        firing = (number for scope in triggers.firing(whole) for number in numbers[scope])
        groups[frozenset(number for number in firing if charges[number].path != path)].append(path)
    sizes = {group: sum(charges[number].touch_tokens for number in group) for group in groups}
    heavy = {group: tokens for group, tokens in sizes.items() if tokens > limit}
    whole_groups = [group for group in heavy if not any(group < other for other in heavy)]
    for group in sorted(whole_groups, key=lambda group: (-heavy[group], groups[group]))[:1]:
        tokens, others = heavy[group], len(whole_groups) - 1
        bring = "brings" if others == 1 else "bring"
        more = f"; {plural(others, 'other group')} of files {bring} more than {limit:,}"
        paths = groups[group]
        brought = sorted((charges[number] for number in group), key=lambda charge: -charge.touch_tokens)
        shown = short_list([f"{charge.path} {charge.touch_tokens:,}" for charge in brought])
        message = (
            f"touching {paths[0]} ({plural(len(paths), 'file')} like it) brings {plural(tokens, 'token')}"
            f" into {context.agent.name}: {shown}{more if others else ''}"
        )
        yield finding_of([(context, brought[0])], "heavy-trigger", "info", message, 1, tokens, "touch")
