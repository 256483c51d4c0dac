"""Switch off what agents pay for and transcripts show unused, or what is dear, in the agents' own settings."""

from __future__ import annotations

import json
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Sequence
from functools import partial, reduce
from posixpath import join
from typing import Final, NamedTuple

from ctxtui.agents import AgentContext, load_table
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
from ctxtui.audit.weigh.weigh import look
from ctxtui.core.base.digest import digest_of
from ctxtui.core.base.errors import ContextError, Gone
from ctxtui.core.base.notices import Notice
from ctxtui.core.base.wording import plural
from ctxtui.core.text.data.bounds import DataProblem
from ctxtui.core.text.data.yaml import MappingNode, Node, SequenceNode, compose_yaml

DEAR: Final = 1_000
"""The tokens at every start that justify a switch without a word about use."""
_SHARED = " Everyone who works on the project shares this file."


class Thing(NamedTuple):
    """A skill, subagent, rule or server that a start pays for, and why to switch it off.

    `path` is its file, empty for a server.
    """

    switch: Switch
    name: str
    path: str
    why: str


def switches(audited: Audited, logs: Logs, servers: Sequence[Weighed]) -> Iterator[Change | Notice]:
    """A draft for each settings file that can switch things off, or a notice if it cannot be changed here."""
    used = {(use.kind, use.name) for agent in logs.agents for use in agent.uses if use.verdict == USED}
    for context in audited.real_agents:
        uses = [use for agent in logs.agents if agent.agent == context.agent.id for use in agent.uses]
        found: defaultdict[str, list[Thing]] = defaultdict(list)
        things = _unused(context, uses, servers) if uses else _dear_servers(context, servers, used)
        for thing in (*things, *_dear_rules(context)):
            file = file_of(thing.switch.place)
            found[file if is_at_home(file) else join(audited.settings.cwd, file)].append(thing)
        for file, group in found.items():
            yield _draft(audited, context, file, group)


def _switch(context: AgentContext, what: str) -> Switch | None:
    return next((each for each in context.agent.switches if each.what == what), None)


def _unused(context: AgentContext, uses: Iterable[Use], servers: Sequence[Weighed]) -> Iterator[Thing]:
    """Things that the agent's own transcripts show unused, if they are still there."""
    there = {each.server.name: "" for each in _own(context, servers)}
    there |= {each.entry.name: each.path for each in context.at(*LISTED) if each.entry and not each.package}
    for use in uses:
        switch = _switch(context, use.kind)
        if switch and use.verdict == UNUSED and use.name in there:
            why = f"sent in {plural(use.sent_in, 'start')} over {plural(use.days, 'day')}, called in none"
            yield Thing(switch, use.name, there[use.name], why)


def _own(context: AgentContext, servers: Sequence[Weighed]) -> Iterator[Weighed]:
    for each in servers:
        if each.state == "weighed" and each.server.owner == "project" and context.agent.id in each.server.agents:
            yield each


def _dear_servers(context: AgentContext, servers: Sequence[Weighed], used: set[tuple[str, str]]) -> Iterator[Thing]:
    """Servers of at least 1,000 tokens at every start, unless transcripts of another agent show them in use."""
    switch = _switch(context, "server")
    for each in _own(context, servers) if switch else ():
        tokens = next(price.start for price in each.prices if price.agent == context.agent.id)
        if switch and tokens >= DEAR and ("server", each.server.name) not in used:
            yield Thing(
                switch, each.server.name, "", f"{plural(tokens, 'token')}, and no transcript says whether it is used"
            )


def _dear_rules(context: AgentContext) -> Iterator[Thing]:
    """The user's own rules that cost at least 1,000 tokens at every start."""
    switch = _switch(context, "rule")
    for charge in context.at(*AT_START):
        if switch and charge.home and charge.row.kind == "rule" and charge.start_tokens >= DEAR:
            why = f"{plural(charge.start_tokens, 'token')} of your own, here only"
            yield Thing(switch, charge.path.removeprefix("~/"), charge.path, why)


def _draft(audited: Audited, context: AgentContext, file: str, things: list[Thing]) -> Change | Notice:
    agent = context.agent
    counts = Counter(thing.switch.what for thing in things)
    what = short_list([plural(number, kind) for kind, number in counts.items()])
    reasons: defaultdict[str, list[str]] = defaultdict(list)
    for thing in things:
        reasons[thing.why].append(f"`{thing.name}`")
    told = "; ".join(f"{short_list(names)}: {why}" for why, names in reasons.items())
    if is_at_home(file):
        place = spoken_ref(things[0].switch.place)
        return Notice("slim-by-hand", f"{agent.name} pays for {told}; {place} can switch that off", file)
    step = _step(audited, file, things)
    if step is None:
        return Notice(
            "slim-by-hand", f"{agent.name} need not load {told}; the file has comments or an own value", file
        )
    lost = f"{agent.name} no longer offers {told}.{'' if '.local.' in file else _SHARED}"
    real = frozenset(audited.real(thing.path) for thing in things if thing.path)
    is_safe = partial(_leaves_only, agent=agent.id, paths=real)
    is_priced = "server" in counts
    title = f"Switch off {what} for {agent.name} in {file}"
    return Change("switch", file, title, (step,), lost, is_safe, is_priced=is_priced)


def _leaves_only(before: Loaded, after: Loaded, agent: str, paths: frozenset[str]) -> bool:
    """Whether no file loads later or never, except that `agent` may lose the files at `paths` and in their skills."""
    folders = tuple(f"{path.rpartition('/')[0]}/" for path in paths if path.endswith("/SKILL.md"))
    later = [key for key, moment in before.items() if after.get(key, moment + 1) > moment]
    return all(key[0] == agent and (key[1] in paths or key[1].startswith(folders)) for key in later)


def _step(audited: Audited, file: str, things: Sequence[Thing]) -> Step | None:
    """The step that switches `things` off in a settings file, or None if the file cannot be read or edited."""
    root = audited.workspace.reader.root
    try:
        data = root.read(file).data
        text = data.decode()
    except Gone:
        data, text = None, "{}"
    except (ContextError, UnicodeDecodeError):
        return None
    new = text
    for thing in things:
        made = _inserted(new, *_way(thing))
        if made is None:
            return None
        new = made
    if data is None:
        return NewFile(file, f"{json.dumps(json.loads(new), indent=2, ensure_ascii=False)}\n")
    return Edit(file, 0, len(text), new, digest_of(data))


def _way(thing: Thing) -> tuple[list[str], object]:
    """The keys that lead to a setting, and the value to write there, in a list if the setting is a list of names."""
    keys, entry = thing.switch.place.partition("#")[2].split("."), thing.switch.entry.format(name=thing.name)
    if not thing.switch.values:
        return keys, [entry]
    value = thing.switch.values[0]
    return [*keys, *entry.split("/")], False if value == "false" else value


def _inserted(text: str, keys: Sequence[str], value: object) -> str | None:
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
            return _put(text, node, node.value[0][0] if node.value else None, pair)
        node = inner
    if not isinstance(node, SequenceNode) or not isinstance(value, list):
        return None
    return _put(text, node, node.value[0] if node.value else None, json.dumps(value[0], ensure_ascii=False))


def _put(text: str, node: Node, first: Node | None, piece: str) -> str | None:
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
    workspace, settings = audited.workspace, audited.settings
    table = workspace.scope.table or load_table()
    found = look(
        workspace,
        table,
        audited.counter,
        folder=settings.cwd,
        user=workspace.scope.home,
        window=settings.window,
        changed={each.path: each.after or b"" for each in changed},
    )
    tokens: Counter[str] = Counter()
    for price in (price for each in found.servers for price in each.prices):
        tokens[price.agent] += price.start
    return tokens
