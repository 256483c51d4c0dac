"""`ctxtui protocol`: the five steps of a domain catalog for a project, each file with its reason."""

from __future__ import annotations

import argparse
from functools import partial
from pathlib import Path
from typing import Any, Final

from ctxtui.catalog.detection.signals import collect_signals
from ctxtui.catalog.protocol.cross_domain import derive_triggers
from ctxtui.catalog.protocol.run import run_protocol
from ctxtui.catalog.provider import MarkdownFileContextProvider
from ctxtui.catalog.source import find_catalogs
from ctxtui.catalog.types import LoadedFile, ProtocolResult
from ctxtui.cli.output.as_json import print_json
from ctxtui.cli.output.streams import put
from ctxtui.cli.payloads.payload import deliver_payload
from ctxtui.cli.payloads.picked import format_of
from ctxtui.cli.project import Narrator, aligned, narrated, require_domain, start_session
from ctxtui.cli.status import DONE
from ctxtui.core.base.errors import NotFound, invalid
from ctxtui.core.base.plain import plain_line
from ctxtui.core.base.wording import plural
from ctxtui.core.payload.types import Over
from ctxtui.core.text.projection import Shapes, project
from ctxtui.session.saved.config import load_config
from ctxtui.workspace.links import document_path
from ctxtui.workspace.opening.scan import require_folder
from ctxtui.workspace.scope import Scope
from ctxtui.workspace.workspace import Workspace

# Ids, tokens and reasons, since the contents would be long.
_SHAPES: Final[Shapes] = {LoadedFile: "id title=file.title step reason estimated_tokens=file.estimated_tokens"}


@narrated
def run_protocol_command(arguments: argparse.Namespace, narrator: Narrator) -> int:
    """Run the steps for a project, with its own triggers unless given, and print loaded and omitted files."""
    if arguments.max_files < 0:
        raise invalid(f"--max-files {arguments.max_files} is negative", hint="give 0 or more")
    place = _folder(arguments.directory or ".")
    project_folder = _folder(arguments.project) if arguments.project else place
    catalog = _catalog_folder(arguments.catalog, place, project_folder)
    provider = MarkdownFileContextProvider(catalog, on_notice=narrator)
    require_domain(arguments.domain, provider.domains(), f" in {provider.root}")
    signals = collect_signals(project_folder)
    triggers = tuple(arguments.trigger or ()) or derive_triggers(signals)
    narrator.say(f"catalog {catalog}, project {project_folder}, {plural(len(signals.file_patterns), 'file')} read")
    if triggers and not arguments.trigger:
        narrator.say(f"triggers taken from the project: {', '.join(triggers)}")
    result = run_protocol(provider, arguments.domain, signals, triggers, max_files=arguments.max_files)
    within = f"{plural(len(result.files), 'file')} within {result.max_files:,}"
    narrator.say(f"{within}, {plural(result.tokens, 'token')} (o200k_base)")
    if arguments.build:
        return _build(result, catalog, arguments, narrator)
    if arguments.json:
        print_json(_json(result, triggers), narrator.notices)
    else:
        _print(result)
    return DONE


def _build(result: ProtocolResult, catalog: Path, arguments: argparse.Namespace, narrator: Narrator) -> int:
    """Deliver the loaded files as a payload, in loading order. Returns the status. No files raise ContextError."""
    if not result.files:
        raise invalid(f"nothing is loaded for {result.domain}", hint="name triggers")
    # The protocol loads files of the catalog that git ignores, too.
    workspace = Workspace.open(catalog, scope=Scope(with_ignored=True), on_notice=narrator)
    config = load_config(_folder(arguments.directory or "."), on_notice=narrator)
    session = start_session(workspace, config, arguments)
    for file in result.files:
        path = document_path("", file.id)
        reference = workspace.by_path.get(path)
        session = session.pick(reference.id if reference else path)
    over: Over = arguments.over or "fail"
    return deliver_payload(
        session.with_output(format_of(arguments, session), over, arguments.secrets), arguments, narrator
    )


_folder: Final = partial(require_folder, hint="name a folder")


def _catalog_folder(named: str | None, place: Path, project: Path) -> Path:
    """The folder `named`, else the only catalog below `place`, else below `project`. Else raises ContextError."""
    if named:
        return _folder(named)
    for below in dict.fromkeys((place, project)):
        found = find_catalogs(below)
        if len(found) > 1:
            listed = ", ".join(str(below / each) for each in found)
            raise invalid(f"several catalogs: {listed}", hint="name one with --catalog DIR")
        if found:
            return below / found[0]
    raise NotFound(f"no domain catalog below {place}", hint="name its folder with --catalog DIR")


def _json(result: ProtocolResult, triggers: tuple[str, ...]) -> dict[str, Any]:
    return {**project(result, _SHAPES), "triggers": list(triggers), "tokens": result.tokens}


def _print(result: ProtocolResult) -> None:
    """Print each step with its loaded files (+) and the files that it left out (-), with reasons."""
    loaded = {each.id: each for each in result.files}
    left = {(each.id, each.step): each for each in result.left_out}
    for step in result.steps:
        put(f"{step.number}. {plain_line(step.title)}: {plain_line(step.reason)}")
        rows = [
            ("  +", plain_line(id_), f"{loaded[id_].file.estimated_tokens:,}", plain_line(loaded[id_].reason))
            for id_ in step.loaded
        ]
        rows += [("  -", plain_line(id_), "", plain_line(left[id_, step.number].reason)) for id_ in step.left_out]
        if rows:
            put("\n".join(aligned(rows, {2})))
