"""Switch off what agents pay for and transcripts show unused, or what is dear, in the agents' own settings."""

from __future__ import annotations

import json
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Sequence
from functools import partial, reduce
from posixpath import join
from typing import Final, NamedTuple

from ctxtui.agents import AgentContext
from ctxtui.agents.project.base import is_at_home
from ctxtui.agents.project.configuration import file_of, spoken_ref
from ctxtui.agents.types import AT_START, LISTED, Switch
from ctxtui.audit.context import Audited
from ctxtui.audit.fixes import Written
from ctxtui.audit.logs.report import Logs
from ctxtui.audit.logs.unused import UNUSED, USED, Use
from ctxtui.audit.rules.phrases import short_list
from ctxtui.audit.slim.change import Change, Loaded
from ctxtui.audit.types import Edit, NewFile, Step
from ctxtui.audit.weigh.types import Weighed
from ctxtui.audit.weigh.weigh import weigh_servers
from ctxtui.core.base.digest import digest_of
from ctxtui.core.base.errors import ContextError, Gone
from ctxtui.core.base.notices import Notice
from ctxtui.core.base.wording import plural
from ctxtui.core.text.data.bounds import DataProblem
from ctxtui.core.text.data.yaml import MappingNode, Node, SequenceNode, compose_yaml

DEAR: Final = 1_000
"""The tokens at every start that justify a switch without a word about use."""
_SHARED = " Everyone who works on the project shares this file."


class Expendable(NamedTuple):
    """A skill, subagent, rule or server that a start pays for, and why to switch it off.

    `path` is its file, empty for a server.
    """

    switch: Switch
    name: str
    path: str
    why: str


def switches(audited: Audited, logs: Logs, servers: Sequence[Weighed]) -> Iterator[Change | Notice]:
    """A draft for each settings file that can switch items off, or a notice if it cannot be changed here."""
    used = {(use.kind, use.name) for agent in logs.agents for use in agent.uses if use.verdict == USED}
    for context in audited.real_agents:
        uses = [use for agent in logs.agents if agent.agent == context.agent.id for use in agent.uses]
        found: defaultdict[str, list[Expendable]] = defaultdict(list)
        items = _unused(context, uses, servers) if uses else _dear_servers(context, servers, used)
        for item in (*items, *_dear_rules(context)):
            file = file_of(item.switch.place)
            found[file if is_at_home(file) else join(audited.settings.cwd, file)].append(item)
        for file, group in found.items():
            yield _draft(audited, context, file, group)


def _switch_for(context: AgentContext, what: str) -> Switch | None:
    return next((each for each in context.agent.switches if each.what == what), None)


def _unused(context: AgentContext, uses: Iterable[Use], servers: Sequence[Weighed]) -> Iterator[Expendable]:
    """Things that the agent's own transcripts show unused, if they are still there."""
    present = {each.server.name: "" for each in _project_servers(context, servers)}
    present |= {each.entry.name: each.path for each in context.at(*LISTED) if each.entry and not each.package}
    for use in uses:
        switch = _switch_for(context, use.kind)
        if switch and use.verdict == UNUSED and use.name in present:
            why = f"sent in {plural(use.sent_in, 'start')} over {plural(use.days, 'day')}, called in none"
            yield Expendable(switch, use.name, present[use.name], why)


def _project_servers(context: AgentContext, servers: Sequence[Weighed]) -> Iterator[Weighed]:
    for each in servers:
        if each.state == "weighed" and each.server.owner == "project" and context.agent.id in each.server.agents:
            yield each


def _dear_servers(
    context: AgentContext, servers: Sequence[Weighed], used: set[tuple[str, str]]
) -> Iterator[Expendable]:
    """Servers of at least 1,000 tokens at every start, unless transcripts of another agent show them in use."""
    switch = _switch_for(context, "server")
    if switch is None:
        return
    for each in _project_servers(context, servers):
        tokens = next(price.start for price in each.prices if price.agent == context.agent.id)
        if tokens >= DEAR and ("server", each.server.name) not in used:
            why = f"{plural(tokens, 'token')}, and no transcript says whether it is used"
            yield Expendable(switch, each.server.name, "", why)


def _dear_rules(context: AgentContext) -> Iterator[Expendable]:
    """The user's own rules that cost at least 1,000 tokens at every start."""
    switch = _switch_for(context, "rule")
    for charge in context.at(*AT_START) if switch else ():
        if switch and charge.home and charge.row.kind == "rule" and charge.start_tokens >= DEAR:
            why = f"{plural(charge.start_tokens, 'token')} of your own, here only"
            yield Expendable(switch, charge.path.removeprefix("~/"), charge.path, why)


def _draft(audited: Audited, context: AgentContext, file: str, items: list[Expendable]) -> Change | Notice:
    """The draft that switches `items` off in one file. A notice for a user file, or for one that cannot be edited."""
    agent = context.agent
    counts = Counter(item.switch.what for item in items)
    what = short_list([plural(number, kind) for kind, number in counts.items()])
    reasons: defaultdict[str, list[str]] = defaultdict(list)
    for item in items:
        reasons[item.why].append(f"`{item.name}`")
    words = "; ".join(f"{short_list(names)}: {why}" for why, names in reasons.items())
    if is_at_home(file):
        place = spoken_ref(items[0].switch.place)
        return Notice("slim-by-hand", f"{agent.name} pays for {words}; {place} can switch that off", file)
    step = _switch_off(audited, file, items)
    if step is None:
        return Notice(
            "slim-by-hand", f"{agent.name} need not load {words}; the file has comments or an own value", file
        )
    lost = f"{agent.name} no longer offers {words}.{'' if '.local.' in file else _SHARED}"
    real = frozenset(audited.real(item.path) for item in items if item.path)
    is_safe = partial(_leaves_only, agent=agent.id, paths=real)
    affects_servers = "server" in counts
    title = f"Switch off {what} for {agent.name} in {file}"
    return Change("switch", file, title, (step,), lost, is_safe, affects_servers=affects_servers)


def _leaves_only(before: Loaded, after: Loaded, agent: str, paths: frozenset[str]) -> bool:
    """Whether no file loads later or never, except that `agent` may lose the files at `paths` and in their skills."""
    folders = tuple(f"{path.rpartition('/')[0]}/" for path in paths if path.endswith("/SKILL.md"))
    later = [key for key, moment in before.items() if after.get(key, moment + 1) > moment]
    return all(key[0] == agent and (key[1] in paths or key[1].startswith(folders)) for key in later)


def _switch_off(audited: Audited, file: str, items: Sequence[Expendable]) -> Step | None:
    """The step that switches `items` off in a settings file, or None if the file cannot be read or edited."""
    root = audited.workspace.reader.root
    try:
        data = root.read(file).data
        text = data.decode()
    except Gone:
        data, text = None, "{}"
    except (ContextError, UnicodeDecodeError):
        return None
    new = text
    for item in items:
        made = _with_setting(new, *_setting(item))
        if made is None:
            return None
        new = made
    if data is None:
        return NewFile(file, f"{json.dumps(json.loads(new), indent=2, ensure_ascii=False)}\n")
    return Edit(file, 0, len(text), new, digest_of(data))


def _setting(item: Expendable) -> tuple[list[str], object]:
    """The keys that lead to a setting, and the value to write there, in a list if the setting is a list of names."""
    keys, entry = item.switch.place.partition("#")[2].split("."), item.switch.entry.format(name=item.name)
    if not item.switch.values:
        return keys, [entry]
    value = item.switch.values[0]
    return [*keys, *entry.split("/")], False if value == "false" else value


def _with_setting(text: str, keys: Sequence[str], value: object) -> str | None:
    """The JSON text with `value` added under `keys`. None if it is no plain JSON or has another value there."""
    try:
        node: Node | None = compose_yaml(text)
    except DataProblem:
        return None
    for place, key in enumerate(keys):
        if not isinstance(node, MappingNode):
            return None
        inner = next((child for name, child in node.value if name.value == key), None)
        if inner is None:
            rest = reduce(lambda made, name: {name: made}, reversed(keys[place + 1 :]), value)
            pair = json.dumps({key: rest}, ensure_ascii=False)[1:-1]
            return _with_first(text, node, node.value[0][0] if node.value else None, pair)
        node = inner
    if not isinstance(node, SequenceNode) or not isinstance(value, list):
        return None
    return _with_first(text, node, node.value[0] if node.value else None, json.dumps(value[0], ensure_ascii=False))


def _with_first(text: str, node: Node, first: Node | None, piece: str) -> str | None:
    """The text with `piece` as the new first child of a node, laid out alike, or None for a node without brackets."""
    start = node.start_mark.index + 1
    if text[start - 1 : start] not in ("{", "["):
        return None
    if first is None:
        return f"{text[:start]}{piece}{text[start:]}"
    gap, rest = text[start : first.start_mark.index], text[first.start_mark.index :]
    return f"{text[:start]}{gap}{piece},{gap or ' '}{rest}"


def server_tokens(audited: Audited, changed: Iterable[Written] = ()) -> Counter[str]:
    """The tokens of weighed servers at the start, by agent id, after some changes."""
    settings = audited.settings
    new = {each.path: each.after or b"" for each in changed}
    weighing = weigh_servers(
        audited.workspace, audited.counter, folder=settings.cwd, window=settings.window, changed=new
    )
    tokens: Counter[str] = Counter()
    for price in (price for each in weighing.servers for price in each.prices):
        tokens[price.agent] += price.start
    return tokens
