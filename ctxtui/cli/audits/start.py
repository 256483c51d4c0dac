"""`ctxtui start`: what agents have in context before the first request, as predicted and as sent."""

from __future__ import annotations

import argparse
from collections.abc import Iterator, Sequence

from ctxtui.agents.capture.capture import Setting, allow, is_allowed, question
from ctxtui.agents.capture.launches import Program, find_program, launches
from ctxtui.audit.context import Audited
from ctxtui.audit.starts.look import Project, agent_ids, capture_starts, look_at_starts
from ctxtui.audit.starts.types import AgentStart
from ctxtui.audit.types import Settings
from ctxtui.cli.output.as_json import print_json
from ctxtui.cli.output.streams import Progress, complain, put
from ctxtui.cli.output.terminal import agreed
from ctxtui.cli.project import Narrator, aligned, budget_of, configured, narrated, open_configured
from ctxtui.cli.status import DONE, FAILED
from ctxtui.core.base.plain import plain_line
from ctxtui.core.base.wording import plural
from ctxtui.core.text.projection import Shapes, project
from ctxtui.workspace.resolve import resolve_folder

_SHAPES: Shapes = {
    "AgentStart": "id name predicted captured categories files left_out? verified? stale=is_stale why? capture"
    " subagent?",
    "Category": "name predicted captured",
    "FileStart": "path category predicted sent expected sent_tokens differs",
    "Capture": "version at model home isolation seconds written note? label",
}
_MOST_FILES = 12


@narrated
def run_start(arguments: argparse.Namespace, narrator: Narrator) -> int:
    """Print the starts of agents. With `--capture`, start the installed agents and read their first requests.

    Returns 4 if an installed agent could not be captured.
    """
    arguments.user = arguments.home == "mine"
    place, config = configured(arguments, narrator)
    installed = [each.agent for each in launches().values() if find_program(each, place)]
    named = agent_ids(arguments.agents)
    arguments.agent = named or (installed if arguments.capture else ())
    workspace = open_configured(place, config, arguments, narrator)
    cwd = resolve_folder(workspace, arguments.cwd) if arguments.cwd else ""
    budget = budget_of(config, arguments)
    top = workspace.above.root.path if workspace.above.root else workspace.root
    settings = Settings(window=budget.window, cwd=cwd, table=workspace.scope.table, top=top.as_posix())
    contexts = Audited(workspace, budget.counter, settings).agents
    found = Project(workspace, contexts, budget.counter, cwd)
    ids = named or frozenset(each.agent.id for each in contexts if not each.agent.installable)
    if arguments.capture:
        starts = _capture_with_consent(found, frozenset(named or installed), arguments)
    else:
        starts = look_at_starts(found, ids, arguments.home, arguments.project_code)
    if arguments.json:
        print_json({"agents": project(starts, _SHAPES), **budget.counter.described()}, narrator.notices)
    else:
        table = "\n\n".join("\n".join(_start_lines(each, arguments.every)) for each in starts)
        put(table or "no agent files found; name an agent")
        narrator.say(_capture_summary(starts, installed, arguments.capture), is_ours=True)
    return FAILED if any(each.why and each.id in installed for each in starts) else DONE


def _capture_with_consent(
    found: Project, ids: frozenset[str], arguments: argparse.Namespace
) -> tuple[AgentStart, ...]:
    """The starts of agents. Each program is started only after a yes, which is kept for the same setting."""

    def agrees(program: Program, setting: Setting) -> bool:
        if not is_allowed(program, setting):
            complain("\n".join(question(program, setting)))
            if not arguments.yes and not agreed(f"Start {program.launch.agent}", "--yes"):
                return False
            allow(program, setting)
        progress.say(program.launch.agent)
        return True

    with Progress("starting agents", arguments.quiet) as progress:
        return capture_starts(found, ids, agrees, arguments.home, arguments.project_code)


def _capture_summary(starts: Sequence[AgentStart], installed: Sequence[str], has_captured: bool) -> str:
    """The number of captured starts and differing files, or the agents that `--capture` could start."""
    captured = [each for each in starts if each.capture]
    if not has_captured:
        could = [each.id for each in starts if each.id in installed and not each.capture]
        nothing = "predicted from the table of agents"
        return f"--capture starts {', '.join(could)} and reads what it sends" if could else nothing
    differing = sum(len(each.differing) for each in captured)
    return f"{plural(len(captured), 'agent')} captured, {plural(differing, 'file differs', 'files differ')}"


def _start_lines(start: AgentStart, every: bool) -> Iterator[str]:
    if start.capture is None:
        yield f"START  {start.id}  {start.predicted:,} predicted"
    else:
        yield f"START  {start.id}  {start.captured:,} sent, {start.predicted:,} of the project predicted"
        stale = "; files or program have changed since" if start.is_stale else ""
        yield f"  {plain_line(start.capture.label)}{stale}"
    if start.verified:
        yield f"  {start.verified}"
    if start.why:
        yield f"  not captured: {plain_line(start.why)}"
    yield from aligned(list(_category_rows(start)), {1, 2})
    yield from aligned(list(_file_rows(start, every)), {2, 3})
    hidden = len(start.files) - _MOST_FILES
    if hidden > 0 and not every:
        yield f"  and {plural(hidden, 'file')} more; --every shows them"
    if start.subagent:
        parts = ", ".join(f"{tokens:,} {name}" for name, tokens in start.subagent.items())
        yield f"  a subagent's first request  {sum(start.subagent.values()):,} sent: {parts}"
    if start.capture is None and start.left_out:
        yield f"  {plain_line(start.left_out)}"
    if start.capture and start.capture.note:
        yield f"  {start.capture.note}"


def _category_rows(start: AgentStart) -> Iterator[tuple[str, str, str]]:
    for each in start.categories:
        sent = "" if start.capture is None else f"{each.captured:,} sent"
        yield f"  {each.name}", f"{each.predicted:,} predicted" if each.predicted else "", sent


def _file_rows(start: AgentStart, every: bool) -> Iterator[tuple[str, str, str, str]]:
    files = sorted(start.files, key=lambda each: not each.differs)
    for each in files if every else files[:_MOST_FILES]:
        form = f"{each.sent or each.expected} ≠ {each.expected}" if each.differs else each.sent or each.expected
        size = "" if each.sent_tokens is None else f"{each.sent_tokens:,} sent"
        yield f"  {form}", plain_line(each.path), f"{each.predicted:,}", size
