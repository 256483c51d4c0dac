"""`ctxtui mcp`: the project as an MCP server, over stdio or HTTP."""

from __future__ import annotations

import argparse
import os
from pathlib import Path

from ctxtui.cli.output.streams import require_stdin, require_stdout, stdout_failed
from ctxtui.cli.project import Narrator, narrated, open_project_path, scope_of
from ctxtui.core.base.errors import ContextError, invalid
from ctxtui.mcp import Options, serve
from ctxtui.session.saved.config import load_config

_TOKEN = "CTXTUI_MCP_TOKEN"  # noqa: S105 - the variable's name


@narrated
def run_mcp(arguments: argparse.Namespace, narrator: Narrator) -> int:
    """Serve until the caller disconnects or a signal arrives. Over stdio, stdout carries only the protocol."""
    place = open_project_path(arguments, narrator)
    token = _token(arguments.token_file)
    if arguments.token_file and arguments.http is None:
        raise invalid("--token-file requires --http", hint="add --http PORT")
    if arguments.http is None:
        require_stdin()
        require_stdout()
    config = load_config(place, on_notice=narrator.tell_now)
    options = Options(
        port=arguments.http,
        token=token,
        allow_store=arguments.allow_store,
        scope=scope_of(arguments, config),
        secrets=config.secrets or "redact",
        say=narrator.say,
        on_notice=narrator.tell_now,
    )
    try:
        return serve(place, options)
    except OSError as error:
        if arguments.http is not None:
            raise
        raise stdout_failed(error) from error


def _token(file: str | None) -> str | None:
    """The token of the file, else of the environment, else None. Raises ContextError if the file cannot be read."""
    if file is None:
        return os.environ.get(_TOKEN) or None
    try:
        return Path(file).read_text("utf-8").strip()
    except (OSError, UnicodeDecodeError) as error:
        raise ContextError("unavailable", f"the token file {file} cannot be read") from error
