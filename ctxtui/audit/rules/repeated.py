"""The rule about text that several files share."""

from __future__ import annotations

import posixpath
from collections import defaultdict
from collections.abc import Iterable, Iterator
from dataclasses import replace

from ctxtui.audit.context import Audited
from ctxtui.audit.roles import SKILL, agent_folder, folders_above, is_retired, language_of
from ctxtui.audit.rules.loading.shadowed import differing_pairs
from ctxtui.audit.rules.loading.twice import is_near
from ctxtui.audit.rules.phrases import agent_names, is_plural, only_agent, short_list
from ctxtui.audit.shared import FileFacts, Shared, is_by_tool, is_generated
from ctxtui.audit.types import Finding, Place
from ctxtui.core.base.wording import plural

# Kinds of files with a packaged copy for each agent.
_PACKED = frozenset({"rule", "steering", "command", "agent"})
_SAME_LINES = 0.9
# Within a skill, smaller repeats are not worth splitting files.
_OF_SKILL = 4


Repeat = tuple[Shared, ...]
"""Text that one file shares with others at nearly the same lines."""


def repeated_text(audited: Audited) -> Iterator[Finding]:
    """Blocks of at least `repeat_tokens` that several context files share, exactly or nearly.

    Each pair of files is reported once, first for the agents that pay for it at the start.
    """
    reported = _reported_pairs(audited)
    least = audited.settings.repeat_tokens
    for repeat, payer, agent in _repeats_at_start(audited, least, reported):
        reported.update(_real_pair(audited, each) for each in repeat)
        yield _finding(audited, repeat, payer, agent)
    for files in _comparable_groups(audited):
        found = (each for each in audited.shared(files, least) if _real_pair(audited, each) not in reported)
        for repeat in _grouped_by_lines(found):
            yield _finding(audited, repeat, _payer(audited, repeat), None)


def _real_pair(audited: Audited, shared: Shared) -> frozenset[str]:
    return frozenset((audited.real(shared.one.path), audited.real(shared.other.path)))


def _reported_pairs(audited: Audited) -> set[frozenset[str]]:
    """The pairs of files, by real path, that the rules `paid-twice` and `differing-twins` are about."""
    pairs = differing_pairs(audited)
    for context in audited.agents:
        for repeat in context.repeats:
            first, *others = map(audited.real, repeat.paths)
            pairs.update(frozenset((first, each)) for each in others)
    for found in audited.shared_at_start.values():
        pairs.update(_real_pair(audited, each) for each in found if is_near(each))
    return pairs


def _repeats_at_start(
    audited: Audited, least: int, reported: set[frozenset[str]]
) -> Iterator[tuple[Repeat, str, str | None]]:
    """Text of at least `least` tokens that agents pay for repeatedly at the start. Pairs in `reported` are left out.

    With each come a phrase on who pays for it, and the id of the agent if it is only one.
    """
    met: dict[tuple[str, str], tuple[Shared, list[str]]] = {}
    for agent, found in audited.shared_at_start.items():
        for shared in found:
            large = tuple(block for block in shared.blocks if block.tokens >= least)
            if large and _real_pair(audited, shared) not in reported:
                both = shared.one.path, shared.other.path
                met.setdefault(both, (replace(shared, blocks=large), []))[1].append(agent)
    paying: defaultdict[tuple[str, ...], list[Shared]] = defaultdict(list)
    for shared, agents in met.values():
        paying[tuple(agents)].append(shared)
    for payers, pairs in paying.items():
        contexts = [context for context in audited.real_agents if context.agent.id in payers]
        payer = f"{agent_names(contexts)} {'pay' if is_plural(contexts) else 'pays'} for each from the start"
        yield from ((repeat, payer, only_agent(contexts)) for repeat in _grouped_by_lines(pairs))


def _comparable_groups(audited: Audited) -> Iterator[list[FileFacts]]:
    """Groups of files to compare, each of one language, agent folder and plugin.

    They have no vendored or old file, and one variant of a skill.
    """
    kinds = {charge.path: charge.row.kind for _, charge in audited.real_charges()}
    loaded = frozenset().union(*(audited.loaded[context.agent.id] for context in audited.real_agents))
    prose = ((each[0].path, each) for each in audited.prose())
    held = [each for path, each in prose if not (audited.is_vendored(path) or is_retired(path))]
    skills: dict[str, str] = {}
    groups: defaultdict[tuple[str, str, str], list[tuple[int, FileFacts]]] = defaultdict(list)
    plugins = {package.folder for context in audited.agents for package in context.packages}
    # Of several variants of a skill, one that agents of this project read is preferred.
    for place, each in sorted(enumerate(held), key=lambda one: audited.real(one[1][0].path) not in loaded):
        path = each[0].path
        skill = audited.skill_of(path)
        if skill is None or skills.setdefault(posixpath.basename(skill), skill) == skill:
            owner = agent_folder(path) if kinds.get(path) in _PACKED else ""
            # Of two plugins, only one may be installed.
            plugin = next(filter(plugins.__contains__, folders_above(path)), "")
            groups[language_of(path), owner, plugin].append((place, each))
    for group in groups.values():
        yield [each for _, each in sorted(group, key=lambda one: one[0])]


def _grouped_by_lines(found: Iterable[Shared]) -> Iterator[Repeat]:
    """Group pairs of files into repeats. The pairs of a repeat share nearly the same lines of the earlier file."""
    by_file: defaultdict[str, list[Shared]] = defaultdict(list)
    for each in found:
        by_file[each.one.path].append(each)
    for shared in by_file.values():
        group: list[Shared] = []
        for each in sorted(shared, key=lambda one: (one.largest.here, len(one.blocks))):
            if group and not _same_lines(group[0], each):
                yield tuple(group)
                group = []
            group.append(each)
        yield tuple(group)


def _same_lines(one: Shared, other: Shared) -> bool:
    first, second = one.largest.here, other.largest.here
    common = min(first.last, second.last) - max(first.first, second.first) + 1
    whole = max(first.last, second.last) - min(first.first, second.first) + 1
    return common >= _SAME_LINES * whole


def _payer(audited: Audited, repeat: Repeat) -> str:
    """A phrase on who reads all files of a repeat: a user of their skill, or `ctxtui load`. Empty if no one does."""
    references = [repeat[0].one, *(each.other for each in repeat)]
    skills = {audited.skill_of(each.path) for each in references}
    skill = skills.pop()
    tokens = max(each.tokens for each in repeat)
    has_skill = skill and not skills and any(posixpath.basename(each.path) == SKILL for each in references)
    every = "both" if len(references) == 2 else "all"
    if has_skill and tokens >= _OF_SKILL * audited.settings.repeat_tokens:
        return f"an agent that uses the skill may read {every}"
    if all(posixpath.basename(posixpath.dirname(each.path)) == ".context" for each in references):
        return f"`ctxtui load` loads {every}"
    return ""


def _is_generated(audited: Audited, path: str) -> bool:
    return is_generated(audited.text(path) or "")


def _finding(audited: Audited, repeat: Repeat, payer: str, agent: str | None) -> Finding:
    """The finding at the first of the files. Its tokens are those of all copies. `payer` is a remark or empty."""
    one, here = repeat[0].one, repeat[0].largest.here
    others = [f"{each.largest.there} of {each.other.path}" for each in repeat]
    blocks = len(repeat[0].blocks)
    more = f" ({plural(blocks, 'block')} in all)" if len(repeat) == 1 and blocks > 1 else ""
    tokens = sum(each.tokens for each in repeat)
    made = _is_generated(audited, one.path) or all(_is_generated(audited, each.other.path) for each in repeat)
    marked = not made and all(is_by_tool(each, audited.text) for each in repeat)
    message = f"{here} {'is' if here.first == here.last else 'are'} equal to {short_list(others)}, or nearly so{more}"
    message += f"; {payer}" if payer else ""
    message += "; one is generated from the other, says its text" if made else ""
    message += "; a tool writes it, between its marks" if marked else ""
    many = "files that are generated, as they say, repeat the text of others in {count} places" if made else ""
    further = (Place(each.other.path, each.largest.there.first, each.tokens) for each in repeat)
    places = Place(one.path, here.first), *further
    evidence, agent = f"equal lines, repeats {audited.measured}", None if made else agent
    subject = ", ".join(each.other.path for each in repeat)
    finding = Finding("repeated-text", "info", message, one.path, here.first, tokens, evidence, agent, subject)
    return replace(finding, cause="generated" if made else "", many=many, places=places)
