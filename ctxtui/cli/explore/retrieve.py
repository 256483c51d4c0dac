"""`ctxtui retrieve`: the passages of a project that answer a prompt, as the retrieval contract defines them."""

from __future__ import annotations

import argparse
import asyncio
from contextlib import closing, nullcontext
from pathlib import Path

from ctxtui.cli.output.as_json import print_json
from ctxtui.cli.output.streams import Progress, put, relayed_stderr
from ctxtui.cli.project import Narrator, narrated, open_project_path, scope_of
from ctxtui.cli.status import DONE
from ctxtui.core.base.errors import ContextError, invalid
from ctxtui.core.base.plain import plain, plain_line
from ctxtui.retrieval import ContextRetrievalRequest, ContextSnippet, FilesystemProvider, snippet_json
from ctxtui.retrieval.client.target import engine_target
from ctxtui.retrieval.contract import RetrievalError
from ctxtui.retrieval.index.index import Reached
from ctxtui.session.saved.config import load_config
from ctxtui.workspace.listing import listing_of

_TIMEOUT = 15.0


@narrated
def run_retrieve(arguments: argparse.Namespace, narrator: Narrator) -> int:
    """Print the snippets that an engine finds. Finding nothing is not an error (retrieval specification 3.3)."""
    if arguments.timeout is not None and not arguments.timeout >= 0:
        raise invalid(f"--timeout cannot be {arguments.timeout:g}", hint="name a number of seconds, or leave it out")
    root = open_project_path(arguments, narrator).resolve()
    request = ContextRetrievalRequest(arguments.prompt, "cli", "cli", str(root), arguments.provider, arguments.limit)
    if arguments.provider == "mcp":
        snippets = asyncio.run(_from_server(request, root, arguments, narrator))
    else:
        listing = listing_of(root, scope_of(arguments, load_config(root, on_notice=narrator)))
        provider = FilesystemProvider([root], arguments.timeout, narrator, listing=listing)
        snippets = _from_files(provider, request, arguments)
    if arguments.json:
        print_json([snippet_json(snippet) for snippet in snippets], narrator.notices)
    else:
        for snippet in snippets:
            lines = [f"    {line}" for line in plain(snippet.content).splitlines()]
            head = f"{snippet.score:.3f}  {plain_line(snippet.id)}  {plain_line(snippet.source)}"
            put("\n".join([head, *lines]))
    narrator.say(f"{len(snippets)} found")
    return DONE


def _from_files(
    provider: FilesystemProvider, request: ContextRetrievalRequest, arguments: argparse.Namespace
) -> list[ContextSnippet]:
    """The snippets of the completed index of a project. Raises ContextError (timeout) if `--timeout` ends first."""
    indexed = ""

    def say(reached: Reached) -> None:
        nonlocal indexed
        indexed = f" with {reached.words} indexed"
        progress.reach(reached)

    try:
        with closing(provider), Progress("indexing", arguments.quiet) as progress:
            return provider.search(request, on_reached=say).snippets
    except RetrievalError as error:
        if error.category != "timeout":
            raise
        message = f"the {arguments.timeout:g} seconds of --timeout ended{indexed}"
        hint = "what is indexed is kept: ask again, or give it more seconds"
        raise ContextError("timeout", message, hint=hint) from error


async def _from_server(
    request: ContextRetrievalRequest, root: Path, arguments: argparse.Namespace, narrator: Narrator
) -> list[ContextSnippet]:
    """The snippets of an MCP server. Waits for `--timeout`, else for the configured seconds, else for 15."""
    # The SDK takes a second to import.
    from ctxtui.retrieval.client.provider import McpProvider  # noqa: PLC0415

    config = load_config(root, on_notice=narrator)
    target = engine_target(arguments.server, config.mcp, config.place("mcp"))
    with nullcontext() if arguments.quiet else relayed_stderr() as errors:
        configured = _TIMEOUT if target.timeout is None else target.timeout
        timeout = configured if arguments.timeout is None else arguments.timeout
        provider = McpProvider(target, timeout=timeout, on_notice=narrator, errors=errors)
        try:
            return await provider.retrieve(request)
        finally:
            await provider.aclose()
