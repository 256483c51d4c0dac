"""`ctxtui retrieve`: the passages of a project that answer a prompt, as the retrieval contract defines them."""

from __future__ import annotations

import argparse
import asyncio
from contextlib import nullcontext
from pathlib import Path

from ctxtui.cli.as_json import print_json
from ctxtui.cli.project import Narrator, narrated, open_project_path, scope_of
from ctxtui.cli.status import DONE
from ctxtui.cli.streams import put, relayed_stderr
from ctxtui.core.plain import plain, plain_line
from ctxtui.retrieval import ContextRetrievalRequest, ContextSnippet, FilesystemProvider, snippet_json
from ctxtui.retrieval.client.target import McpTarget, engine_target
from ctxtui.session.config import load_config
from ctxtui.workspace.listing import listing_of

_TIMEOUT = 15.0


@narrated
def run_retrieve(arguments: argparse.Namespace, narrator: Narrator) -> int:
    """Ask the engine; finding nothing is not an error (retrieval specification 3.3)."""
    root = open_project_path(arguments, narrator).resolve()
    request = ContextRetrievalRequest(arguments.prompt, "cli", "cli", str(root), arguments.provider, arguments.limit)
    if arguments.provider == "mcp":
        snippets = asyncio.run(_from_server(request, root, arguments, narrator))
    else:
        listing = listing_of(root, scope_of(arguments, load_config(root, on_notice=narrator)))
        provider = FilesystemProvider([root], _seconds(arguments), narrator, listing=listing)
        snippets = asyncio.run(provider.retrieve(request))
    if arguments.json:
        print_json([snippet_json(snippet) for snippet in snippets], narrator.notices)
    else:
        for snippet in snippets:
            lines = [f"    {line}" for line in plain(snippet.content).splitlines()]
            head = f"{snippet.score:.3f}  {plain_line(snippet.id)}  {plain_line(snippet.source)}"
            put("\n".join([head, *lines]))
    narrator.say(f"{len(snippets)} found")
    return DONE


def _seconds(arguments: argparse.Namespace, target: McpTarget | None = None) -> float:
    """The option, else the engine's timeout in the user's configuration, else the command's own default."""
    configured = target.timeout if target is not None else None
    return next(seconds for seconds in (arguments.timeout, configured, _TIMEOUT) if seconds is not None)


async def _from_server(
    request: ContextRetrievalRequest, root: Path, arguments: argparse.Namespace, narrator: Narrator
) -> list[ContextSnippet]:
    # The SDK takes a second to import.
    from ctxtui.retrieval.client.provider import McpProvider  # noqa: PLC0415

    config = load_config(root, on_notice=narrator)
    target = engine_target(arguments.server, config.mcp, config.place("mcp"))
    with nullcontext() if arguments.quiet else relayed_stderr() as errors:
        provider = McpProvider(target, timeout=_seconds(arguments, target), on_notice=narrator, errors=errors)
        try:
            return await provider.retrieve(request)
        finally:
            await provider.aclose()
