"""The starts of a project's agents: predicted from the table, and captured where asked for or known."""

from __future__ import annotations

import posixpath
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from ctxtui.agents import AgentContext, starts_of
from ctxtui.agents.capture.capture import Home, Setting, capture, last_capture, state_of
from ctxtui.agents.capture.categories import sections, tokens_by_category
from ctxtui.agents.capture.kept import Capture
from ctxtui.agents.capture.launches import Program, find_program, launches
from ctxtui.agents.project.base import HOME, is_at_home
from ctxtui.agents.project.configuration import file_of
from ctxtui.agents.table import ALL
from ctxtui.audit.starts.compare import category_of, compare_capture, predicted_categories, predicted_files
from ctxtui.audit.starts.types import AgentStart, Category
from ctxtui.core.base.cancel import Check, go_on
from ctxtui.core.base.errors import ContextError
from ctxtui.core.tokens.counter import TokenCounter
from ctxtui.workspace.workspace import Workspace

Consent = Callable[[Program, Setting], bool]
"""Whether an agent may be started. It asks, or reads what the user agreed to before."""


@dataclass(frozen=True, slots=True)
class Project:
    """A workspace, its counter, and the contexts of the agents that start in its folder `cwd`."""

    workspace: Workspace
    contexts: Sequence[AgentContext]
    counter: TokenCounter
    cwd: str = ""

    def setting(self, home: Home, code: bool) -> Setting:
        """The files and folders for a capture. Files of the user are copied if `home` is `mine`."""
        above = self.workspace.above
        root = above.root.path if above.root else self.workspace.root
        paths = (above.base.to_root(path) for path in (*self.workspace.paths, *above.paths))
        copied: dict[str, Path] = {}
        for path in self.workspace.home.versions if home == "mine" else ():
            place, inner = self.workspace.home.places.place(path)
            if place is not None:
                copied[path.removeprefix(f"{HOME}/")] = place.path / inner
        return Setting(root, above.base.to_root(self.cwd), tuple(sorted(paths)), home, copied, code)

    def state(self, program: Program, setting: Setting) -> bytes:
        """A digest of all that a capture depends on: the program, the setting and the texts of files."""
        paths = {charge.path for context in self.contexts for charge in context.charges}
        parts = (part for context in self.contexts for part in context.agent.uncounted)
        names = {*program.launch.keeps, *(file_of(each) for part in parts for each in part.places)}
        paths |= {posixpath.join(folder, name) for folder in {"", self.cwd} for name in names if "*" not in name}
        kept = (path for path in paths if setting.home == "mine" or not is_at_home(path))
        return state_of(program, setting, {path: self.workspace.text(path) for path in kept})


def agent_ids(names: Sequence[str]) -> frozenset[str]:
    """The agent ids for given ids or program names. `all` and unknown names stay unchanged."""
    programs = {launch.executable: launch.agent for launch in launches().values()}
    return frozenset(programs.get(name, name) for name in names)


def look_at_starts(project: Project, ids: frozenset[str], home: Home, code: bool) -> tuple[AgentStart, ...]:
    """The starts of the agents `ids`, or of `all`, largest first, with captures if any are known. Runs no agent.

    `home` and `code` select captures with that home folder, and with or without the project's own code.
    """
    starts = [_start(context, project, home, code) for context in project.contexts if _is_wanted(context, ids)]
    return tuple(sorted(starts, key=lambda start: (-(start.captured or start.predicted), start.id)))


def _is_wanted(context: AgentContext, ids: frozenset[str]) -> bool:
    return context.agent.id in ids or (ALL in ids and not context.agent.installable)


def capture_starts(
    project: Project,
    ids: frozenset[str],
    agrees: Consent,
    home: Home = "clean",
    code: bool = False,
    check: Check = go_on,
) -> tuple[AgentStart, ...]:
    """The starts of agents, largest first, captured anew unless a capture of the same state is known.

    Runs installed agents to which the user agrees, with project code if `code` is set. `why` tells why one failed.
    """
    failed: dict[str, str] = {}
    ids = frozenset(context.agent.id for context in project.contexts if _is_wanted(context, ids))
    setting = project.setting(home, code)
    for id_ in sorted(ids & launches().keys()):
        program = find_program(launches()[id_], setting.root)
        if program is None:
            failed[id_] = f"{launches()[id_].executable} is not on the PATH"
            continue
        state = project.state(program, setting)
        before = last_capture(id_, setting)
        if before and before[1] == state:
            continue
        if not agrees(program, setting):
            failed[id_] = "not started, as you did not agree"
            continue
        check()
        try:
            capture(program, setting, state, check)
        except ContextError as error:
            failed[id_] = f"{error.message}{f'; {error.hint}' if error.hint else ''}"
    failed |= dict.fromkeys(ids - launches().keys(), "it cannot be started without its own service")
    return tuple(replace(each, why=failed.get(each.id, "")) for each in look_at_starts(project, ids, home, code))


def _start(context: AgentContext, project: Project, home: Home, code: bool) -> AgentStart:
    """The predicted start of an agent, compared with its known capture if there is one."""
    agent = context.agent
    categories = tuple(Category(name, tokens) for name, tokens in predicted_categories(context).items())
    left_out = next((start.left_out for start in starts_of([context])), "")
    verified = f"rows verified {agent.verified.told}" if agent.verified else ""
    files = predicted_files(context)
    start = AgentStart(agent.id, agent.name, context.start_tokens, categories, files, left_out, verified)
    launch = launches().get(agent.id)
    if launch is None:
        return start
    setting = project.setting(home, code)
    found = last_capture(agent.id, setting)
    if found is None:
        return start
    program = find_program(launch, setting.root)
    is_stale = program is None or project.state(program, setting) != found[1]
    return _with_capture(start, found[0], context, project, is_stale)


def _with_capture(
    start: AgentStart, made: Capture, context: AgentContext, project: Project, is_stale: bool
) -> AgentStart:
    # The table may not know that this agent reads the files of others, too.
    own = {charge.path for charge in context.charges}
    charges = (charge for each in project.contexts for charge in each.charges if charge.moment != "reference")
    others = {charge.path: category_of(charge) for charge in charges if charge.path not in own}
    text, counter = project.workspace.text, project.counter
    launch = launches().get(start.id)
    categories, files = compare_capture(made.parts, launch, context, others, text, counter)
    sizes = tokens_by_category(made.subagent, sections(made.subagent, launch), counter)
    subagent = {name: tokens for name, tokens in sizes.items() if tokens}
    return replace(start, categories=categories, files=files, capture=made, is_stale=is_stale, subagent=subagent)
