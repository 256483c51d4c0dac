"""The rule about text that an agent pays for more than once at its start."""

from __future__ import annotations

import posixpath
from collections import defaultdict
from collections.abc import Iterator, Sequence

from ctxtui.agents import AgentContext
from ctxtui.agents.costs import Repeat
from ctxtui.agents.project.base import is_at_home
from ctxtui.agents.sums import COPY, ENTRY, LINK
from ctxtui.audit.context import Audited
from ctxtui.audit.rules.loading.shadowed import differing_pairs
from ctxtui.audit.rules.phrases import agent_names, file_source, only_agent, short_list
from ctxtui.audit.shared import Shared, is_by_tool, is_generated
from ctxtui.audit.text.facts import split_lines
from ctxtui.audit.types import Finding, Remedy, Severity
from ctxtui.core.base.wording import plural

_NEARLY = 0.8
# Fewer tokens are hardly worth an edit.
_WORTH = 100


def paid_twice(audited: Audited) -> Iterator[Finding]:
    """Text of at least `twice_tokens` that is in an agent's start several times, exactly or nearly."""
    alike: defaultdict[tuple[str, ...], list[tuple[AgentContext, list[Repeat]]]] = defaultdict(list)
    for context in audited.real_agents:
        listed_again = [repeat for repeat in context.repeats if repeat.why == ENTRY]
        texts = [[repeat] for repeat in context.repeats if repeat.why != ENTRY]
        for repeats in filter(None, [listed_again, *texts]):
            paths = sorted({path for repeat in repeats for path in repeat.paths})
            alike[repeats[0].why, *paths].append((context, repeats))
    for (why, *paths), met in alike.items():
        contexts = [context for context, _ in met]
        tokens = max(sum(repeat.tokens for repeat in repeats) for _, repeats in met)
        if tokens >= audited.settings.twice_tokens:
            first = met[0][1][0]
            path, kept = _drop_and_keep(audited, first)
            # Sources do not say whether an agent lists equal names once or twice, or whether Cursor reads links
            # again.
            is_unsure = why == ENTRY or (why == LINK and {context.agent.id for context in contexts} == {"cursor"})
            is_made = any(is_generated(audited.text(each) or "") for each in paths)
            severity: Severity = "info" if is_unsure or is_made or tokens < _WORTH else "warning"
            repeated = f"{plural(len(met[0][1]), 'name')} listed more than once, first {short_list(first.paths)}"
            said = (
                f"{repeated}; no source says which of them wins"
                if why == ENTRY
                else _repeat_in_words(first, path, kept)
            )
            message, remedy = f"{agent_names(contexts)}: {said}", Remedy(_advice(audited, first, path))
            evidence, agent = file_source(contexts[0], path), only_agent(contexts)
            subject = "listed again" if why == ENTRY else ", ".join(paths)
            yield Finding("paid-twice", severity, message, path, 1, tokens, evidence, agent, subject, remedy)
    yield from _near_copies(audited)


def _drop_and_keep(audited: Audited, repeat: Repeat) -> tuple[str, str]:
    """The file to remove or shorten, and the file that keeps the text."""
    paths = list(dict.fromkeys(repeat.paths))
    path = _claude_twin(*paths) or paths[-1]
    if repeat.why == COPY and len(paths) == 2:
        path = _claude_twin(*paths) or _needless_copy(audited, *paths) or path
    if is_at_home(path):
        # The last path inside the project.
        path = next((each for each in reversed(paths) if not is_at_home(each)), paths[-1])
    main = _agents_md_beside(path) if path == _claude_twin(*paths) else ""
    return path, main or next((each for each in paths if each != path), path)


def _repeat_in_words(repeat: Repeat, path: str, kept: str) -> str:
    if path == kept:
        return f"{path} is read {len(repeat.paths)} times ({repeat.why})"
    others = [each for each in dict.fromkeys(repeat.paths) if each not in (path, kept)]
    return f"all the text of {short_list([path, *others])} is in {kept} as well ({repeat.why})"


def _advice(audited: Audited, repeat: Repeat, path: str) -> str:
    """A sentence on how to pay for the text only once, empty if no simple way exists. `path` is the file to drop."""
    if repeat.why == ENTRY or is_at_home(path):
        return ""
    if path == _claude_twin(*repeat.paths):
        return _import_advice(audited, path)
    paths = dict.fromkeys(repeat.paths)
    if repeat.why == COPY and len(paths) == 2 and _needless_copy(audited, *paths) == path:
        return f"drop {path}, unless something else reads it"
    return ""


def _claude_twin(*paths: str) -> str:
    """The CLAUDE.md among these paths if the AGENTS.md of its folder is among them, too, else empty."""
    claude = next((path for path in paths if posixpath.basename(path) == "CLAUDE.md"), "")
    return claude if claude and _agents_md_beside(claude) in paths else ""


def _agents_md_beside(claude: str) -> str:
    return posixpath.join(posixpath.dirname(claude), "AGENTS.md")


def _import_advice(audited: Audited, claude: str) -> str:
    """Advice to turn a CLAUDE.md that repeats AGENTS.md into an import, or to delete it, without losing text."""
    main = _agents_md_beside(claude)
    if audited.real(main) == claude:
        return f"rename {claude} to {main}, now a link to it, and write the one line `@AGENTS.md` into {claude}"
    what = "replace the link by a file of" if audited.real(claude) != claude else "reduce it to"
    others = {".claude/CLAUDE.md", "CLAUDE.local.md"} & audited.listed
    needed = _readers(audited, claude, False) - _readers(audited, main, False) - {"claude-code"}
    delete = (
        ""
        if posixpath.dirname(claude) or others or needed
        else (", or delete it: without it Claude Code reads AGENTS.md, since version 2.1.277")
    )
    return f"{what} the one line `@AGENTS.md`{delete}"


def _readers(audited: Audited, path: str, is_start: bool) -> frozenset[str]:
    """The agents that read a file in full, at any time or at the start only."""
    readers = audited.readers.get(path, {}).items()
    return frozenset(agent for agent, reads_at_start in readers if reads_at_start or not is_start)


def _needless_copy(audited: Audited, one: str, other: str) -> str | None:
    """Of two equal files, the one that no agent needs, or None if each has readers of its own."""
    for path, left in ((other, one), (one, other)):
        # User files serve other projects too.
        needed = (_readers(audited, path, is_start) - _readers(audited, left, is_start) for is_start in (True, False))
        if not is_at_home(path) and not any(needed):
            return path
    return None


def is_near(shared: Shared) -> bool:
    """Whether one file nearly contains the other."""
    return max(shared.share_of_one, shared.share_of_other) >= _NEARLY


def _near_copies(audited: Audited) -> Iterator[Finding]:
    """Pairs of files of one start in which one nearly contains the other."""
    reported = {frozenset(map(audited.real, repeat.paths)) for each in audited.real_agents for repeat in each.repeats}
    reported |= differing_pairs(audited)
    met: dict[tuple[str, str], tuple[Shared, list[AgentContext]]] = {}
    for context in audited.real_agents:
        for shared in audited.shared_at_start[context.agent.id]:
            pair = shared.one.path, shared.other.path
            if is_near(shared) and frozenset(map(audited.real, pair)) not in reported:
                met.setdefault(pair, (shared, []))[1].append(context)
    for shared, contexts in met.values():
        if shared.tokens >= audited.settings.twice_tokens:
            yield _near_copy_finding(audited, shared, contexts)


def _stripped_lines(audited: Audited, path: str) -> set[str]:
    return {line.strip() for line in split_lines(audited.text(path) or "")}


def _near_copy_finding(audited: Audited, shared: Shared, contexts: Sequence[AgentContext]) -> Finding:
    """The finding at the file to drop or, if both are needed, at the file that the other one contains."""
    one, other = shared.one.path, shared.other.path
    inner = other if shared.share_of_other >= shared.share_of_one else one
    spare = _needless_copy(audited, one, other)
    is_both = min(shared.share_of_one, shared.share_of_other) >= _NEARLY
    dropped = spare if spare and (is_both or spare == inner) else None
    kept = one if (dropped or inner) == other else other
    path = dropped or inner
    is_whole = not _stripped_lines(audited, path) - _stripped_lines(audited, kept)
    # Rounding would call a file that has one more line the same.
    share = 1 if is_whole else min(shared.share_of_other if path == other else shared.share_of_one, 0.99)
    who = agent_names(contexts)
    folder, kept_folder = posixpath.dirname(path) or "the root", posixpath.dirname(kept) or "the root"
    leads = _claude_twin(one, other)
    why, advice, several = "; each has readers of its own", "", ""
    if dropped:
        first = "" if is_whole else f"move what {kept} lacks into it, then "
        advice = f"{first}drop {path}, unless something else reads it"
        several = f"drop those of {folder}, unless something else reads them"
    elif spare:
        advice = f"remove it from {kept}, whose readers all read {path}"
    elif leads:
        lacking = "" if is_whole and path == leads else " and what AGENTS.md lacks"
        advice = f"keep in {leads} the line `@AGENTS.md`{lacking}"
    if is_by_tool(shared, audited.text):
        advice, why = "", "; a tool writes it into both"
    why = "" if advice else why
    message = f"{who}: {share:.0%} of the text of {path} is in {kept} as well{why}".replace("%", " %")
    many = f"{who}: the text of {{count}} files of {folder} is nearly all in files of {kept_folder} as well"
    cause = f"{folder} and {kept_folder}" if folder != kept_folder else f"{path} and {kept}"
    evidence, tokens = f"equal lines, {audited.measured}; {file_source(contexts[0], path)}", shared.tokens
    agent, remedy = only_agent(contexts), Remedy(advice, several)
    return Finding("paid-twice", "info", message, path, 1, tokens, evidence, agent, kept, remedy, cause, many)
