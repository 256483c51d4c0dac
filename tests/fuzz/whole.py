"""Doors of whole projects: payloads, audits, secrets, the command line and the MCP server's tools."""

import asyncio
import io
import json
import logging
from collections.abc import Mapping, Sequence
from contextlib import closing, redirect_stderr, redirect_stdout, suppress
from pathlib import Path
from random import Random
from typing import Any

from ctxtui import ContextError, Session, Workspace
from ctxtui.audit.fixes import apply, undo
from ctxtui.audit.reports.as_json import report_json
from ctxtui.audit.reports.as_markdown import to_markdown
from ctxtui.audit.reports.report import Report
from ctxtui.audit.reports.sarif import sarif_text
from ctxtui.audit.run import run_audit
from ctxtui.audit.slim.change import Change
from ctxtui.audit.slim.plan import make_plan
from ctxtui.cli.__main__ import main
from ctxtui.core.disk.root import Root
from ctxtui.core.payload.formats import FORMATS
from ctxtui.core.tokens.encodings import encoding
from ctxtui.mcp.project import Project
from ctxtui.mcp.resources import list_resources, read_resource
from ctxtui.mcp.server import TOOLS, answer
from ctxtui.session.saved.config import Config
from ctxtui.session.saved.recipe import load_recipe, recipe_names
from tests.fuzz.door import Check
from tests.fuzz.pieces import words
from tests.fuzz.projects import Files, write
from tests.fuzz.structured import value
from tests.fuzz.systems import dice
from tests.tui.hostile import FORBIDDEN

_MOST_CHANGES = 3
_BUDGETS = ("0", "50", "12k", "08", "-1", "x")
_OVERS = ("cut", "fit", "fail")
_STATUSES = frozenset({0, 1, 2, 3, 4})
_LISTING = frozenset({"ls", "check", "search", "suggest", "audit", "protocol", "show"})
_UNSEEN = frozenset(FORBIDDEN - {"\n", "\t"})


def pay(files: Files, check: Check) -> None:
    """The promise: after any picks, in every format, cut or fitted, the number is the text's exact count."""
    random = dice(files)
    workspace = Workspace.open(write(check.folder, files), on_notice=check.notices.append)
    for node in workspace.tree.walk():
        if node.children and node.tokens:
            check(node.tokens == sum(child.tokens for child in node.children), "rows add up", node.id)
    session = _picked(workspace, random)
    with suppress(ContextError):
        for name in recipe_names(workspace.reader.root):
            session = session.with_selection(load_recipe(workspace, name).selection)
    for form in FORMATS:
        limited = session.with_budget(random.choice((None, 0, 20, 150, 2_000)))
        _payload(limited, form, random.choice(("cut", "fit")), check)


def _picked(workspace: Workspace, random: Random) -> Session:
    session = workspace.session(tokenizer=random.choice(("o200k_base", "o200k_base", "cl100k_base", "heuristic")))
    nodes = [node.id for node in workspace.tree.walk()]
    for _ in range(random.randint(1, 5)):
        id_ = random.choice(nodes)
        step = random.choice((session.pick, session.pick, session.drop, session.pin))
        with suppress(ContextError):
            session = step(id_)
    return session.with_prompt(words(random) if random.random() < 0.3 else None)


def _payload(session: Session, form: str, over: Any, check: Check) -> None:
    payload = session.payload(form, over)
    counter, text = session.budget.counter, payload.text
    check(payload.tokens == counter.count(text), "the number is the payload's", (form, over, payload.tokens))
    if counter.name in ("o200k_base", "cl100k_base"):
        true = len(encoding(counter.name).encode(text, disallowed_special=()))
        check(payload.tokens == true, "the number is the encoder's", (form, over, payload.tokens, true))
    check(session.layout(form, over).tokens == payload.tokens, "the meter shows what is exported", (form, over))
    check(payload.tokens <= payload.wanted, "a budget adds nothing", (form, over))
    limit = session.budget.effective
    kept = limit is None or payload.upper <= limit or any(notice.code == "over-budget" for notice in payload.notices)
    check(kept, "what passes the limit is told", (limit, payload.tokens, payload.notices))
    check(form != "json" or not text or json.loads(text) is not None, "JSON is valid")


def audit(files: Files, check: Check) -> None:
    """An audit of anything ends, its reports are valid, and a fix that is taken back leaves no trace."""
    workspace = Workspace.open(write(check.folder, files), on_notice=check.notices.append)
    report = run_audit(workspace, workspace.session().budget, Config(), on_notice=check.notices.append)
    _reports(report, check)
    fixes = [finding.fix for finding in report.findings if finding.fix]
    root = workspace.reader.root
    before = {fix.path: root.read(fix.path).data for fix in fixes}
    with suppress(ContextError):
        undo(root, apply(root, fixes))
    check(before == {path: root.read(path).data for path in before}, "a fix can be taken back")
    starts = {each.agent.id: each.start_tokens for each in report.result.agents}
    for change in make_plan(workspace, report).changes[:_MOST_CHANGES]:
        _slim(check, starts, change)


def _slim(check: Check, starts: Mapping[str, int], change: Change) -> None:
    """A change saves what it says, and undoing it leaves no trace."""
    root, before = Root(check.folder), _contents(check.folder)
    try:
        written = apply(root, change.steps)
    except ContextError as error:
        check(before == _contents(check.folder), "a change that fails writes nothing", error.message)
        return
    workspace = Workspace.open(check.folder, on_notice=check.notices.append)
    after = run_audit(workspace, workspace.session().budget, Config(), on_notice=check.notices.append)
    seen = {
        each.agent.id: starts.get(each.agent.id, 0) - each.start_tokens
        for each in after.result.agents
        if each.start_tokens != starts.get(each.agent.id, 0) and not each.agent.installable
    }
    said = {each.agent: each.tokens for each in change.saved}
    check(said == seen, "a change saves what it says", (change.title, said, seen))
    undo(root, written)
    check(before == _contents(check.folder), "a change can be taken back", change.title)


def _contents(folder: Path) -> dict[str, bytes]:
    return {str(path): path.read_bytes() for path in folder.rglob("*") if path.is_file()}


def _reports(report: Report, check: Check) -> None:
    data = json.loads(json.dumps(report_json(report)))
    check(len(data["findings"]) == len(report.findings), "the report holds all findings")
    runs = json.loads(sarif_text(report))["runs"]
    check(len(runs) == 1 and runs[0]["columnKind"], "SARIF is valid")
    check(not _UNSEEN & set(to_markdown(report)), "the report shows no control character")


def leak(files: Files, check: Check) -> None:
    """What was planted leaves by no way out: payloads, snippets, tools."""
    written = json.loads(held) if isinstance(held := files.get("secrets.json"), bytes | str) else []
    # Making a crash small may leave nothing of a secret.
    planted = [each for each in written if isinstance(each, str) and len(each) >= 16]
    place = write(check.folder, {name: content for name, content in files.items() if name != "secrets.json"})
    workspace = Workspace.open(place, on_notice=check.notices.append)
    session = workspace.session()
    for reference in workspace.references:
        session = session.pick(reference.id)
    shown = [session.payload(form, "cut").text for form in FORMATS]
    calls: list[tuple[str, dict[str, object]]] = [("load_context", {}), ("build_payload", {"picks": ["AGENTS.md"]})]
    shown += [text for text, _ in _answers(place, calls)]
    shown += [_run(["retrieve", "key use", "-C", str(place), "--json"], check)]
    for each in planted:
        check(not any(each in text for text in shown), "a planted secret stays inside", each)


def _lines(random: Random, place: Path) -> Sequence[Sequence[str]]:
    common = ["-C", str(place)]
    json_ = random.choice(([], ["--json"]))
    id_ = random.choice(("AGENTS.md", ".context/TASKS", "TASKS.md#done", "docs/a.md", "python/api", "none", "#", ""))
    return (
        ["ls", *common, *json_],
        ["show", id_, *common, *json_, *random.choice(([], ["--content"], ["--section", "08"]))],
        ["search", words(random, 2), *common, *json_, "--in", random.choice(("meta", "text", "entries", "prompt"))],
        ["search", words(random, 2), *common, *json_],
        ["suggest", words(random, 4), "--table", *common, *json_, "--budget", random.choice(("0", "50", "12k"))],
        ["build", *common, "--pick", id_, "--budget", random.choice(_BUDGETS), "--over", random.choice(_OVERS)],
        ["check", *common, *json_],
        ["audit", *common, "--format", random.choice(("table", "json", "sarif", "markdown"))],
        ["load", *common, *json_, "--budget", random.choice(("0", "50", "12k"))],
        ["protocol", "python", *common, *json_],
        ["entry", "query", *common, *json_, *random.choice(([], ["--tag", "a"], ["--keywords", "x"]))],
        ["retrieve", words(random, 2), *common, *json_],
    )


def command(files: Files, check: Check) -> None:
    """The command line: statuses that are documented, JSON that is valid, nothing that steers a terminal."""
    place = write(check.folder, files)
    random = dice(files)
    for line in random.sample(_lines(random, place), 3):
        output = _run(line, check)
        if output and ("--json" in line or line[-1] in ("json", "sarif")):
            check(json.loads(output) is not None, "the output is JSON", line)
        elif line[0] in _LISTING and not {"--content", "--section"} & set(line):
            check(not _UNSEEN & set(output), "lists show no control character", line)


def _run(line: Sequence[str], check: Check) -> str:
    out, err = io.BytesIO(), io.BytesIO()
    streams = io.TextIOWrapper(out, "utf-8"), io.TextIOWrapper(err, "utf-8", "backslashreplace")
    with redirect_stdout(streams[0]), redirect_stderr(streams[1]):
        try:
            status = main(line)
        except SystemExit as exit_:
            status = exit_.code if isinstance(exit_.code, int) else 1
    for stream in streams:
        stream.flush()
    shown, told = (buffer.getvalue().decode("utf-8", "replace") for buffer in (out, err))
    check(status in _STATUSES, "the status is a documented one", f"{status} {line[0]}: {told[-600:]}")
    check("Traceback" not in told and not _UNSEEN & set(told), "messages are plain", told)
    return shown


def _answers(place: Path, calls: Sequence[tuple[str, dict[str, object]]]) -> list[tuple[str, dict[str, Any]]]:
    async def ask(project: Project) -> list[tuple[str, dict[str, object]]]:
        tools = {tool.name: tool for tool in TOOLS}
        given = [await answer(project, tools, name, arguments) for name, arguments in calls]
        return [(each.text, each.data) for each in given]

    with closing(Project(place, lambda _: None)) as project:
        return asyncio.run(ask(project))


def serve(files: Files, check: Check) -> None:
    """The server's tools and resources under wrong types: an answer or a refusal, never a fault inside."""
    place = write(check.folder, files)
    random = dice(files)
    logged: list[logging.LogRecord] = []
    handler = logging.Handler()
    handler.emit = logged.append  # type: ignore[method-assign, assignment]
    logging.getLogger("ctxtui").addHandler(handler)
    try:
        calls = [(tool.name, _arguments(random, tool)) for tool in random.sample(TOOLS, 5)]
        for (name, arguments), (text, data) in zip(calls, _answers(place, calls), strict=True):
            faults = [record.exc_info[1] for record in logged if record.exc_info and record.exc_info[1]]
            if faults:
                raise faults[0]
            is_sound = data.get("error", {}).get("category") != "internal"
            check(is_sound, "a tool does not fail inside", (name, arguments, text))
            check(len(json.dumps(data)) < 2_000_000, "an answer is bounded", name)
    finally:
        logging.getLogger("ctxtui").removeHandler(handler)
    with closing(Project(place, lambda _: None)) as project, suppress(ContextError):
        for row in list_resources(project)[:6]:
            with suppress(ContextError):
                check(isinstance(read_resource(project, row.uri)[0], str), "a resource is a text")


_SANE: dict[str, object] = {"domain": "python", "file": "api", "prompt": "refund", "spaceId": "s", "sessionId": "t"}
_SANE |= {"rootPath": ".", "providerId": "mcp", "picks": ["AGENTS.md"]}


def _arguments(random: Random, tool: Any) -> dict[str, object]:
    given = {
        name: _SANE.get(name) if random.random() < 0.5 else value(random)
        for name in tool.parameters
        if random.random() < 0.85
    }
    return {name: each for name, each in given.items() if each is not None}
