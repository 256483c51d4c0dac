"""Writing the report of the Audit screen to a file, in the format that the end of its name asks for."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from pathlib import Path, PurePath
from typing import Final

from textual.app import App

from ctxtui.audit.reports.as_json import report_json
from ctxtui.audit.reports.as_markdown import to_markdown
from ctxtui.audit.reports.report import Report
from ctxtui.audit.reports.sarif import sarif_text
from ctxtui.core.base.wording import plural
from ctxtui.core.disk.root import write_named
from ctxtui.core.text.projection import json_document
from ctxtui.tui.actions.output import ask_path, download, written

_WRITERS: Final[dict[str, Callable[[Report], bytes]]] = {
    ".md": lambda report: to_markdown(report).encode("utf-8", "replace"),
    ".json": lambda report: json_document(report_json(report), report.notices),
    ".sarif": lambda report: sarif_text(report).encode("utf-8", "replace"),
}
NAME: Final = "audit.md"


async def write_report(app: App[object], report: Report) -> str | None:
    """Ask for a file name and write the report there; returns what to tell, None if the user changed their mind.

    A browser gets it as a file of its own. Raises ContextError if the file cannot be written.
    """
    if app.is_web:
        download(app, NAME, await asyncio.to_thread(_WRITERS[".md"], report))
        return f"sent {plural(len(report.findings), 'finding')} to the browser as {NAME}"
    path = await ask_path(app, "Write the report to a file (.md, .json or .sarif)", NAME, _complaint)
    if path is None:
        return None
    if not await written(app, lambda force: _write(report, path, force)):
        return None
    return f"wrote {plural(len(report.findings), 'finding')} to {path}"


def _write(report: Report, path: Path, force: bool) -> bool:
    write_named(path, _WRITERS[path.suffix.casefold()](report), force=force)
    return True


def _complaint(name: str) -> str | None:
    return None if PurePath(name).suffix.casefold() in _WRITERS else "end the name with .md, .json or .sarif"
