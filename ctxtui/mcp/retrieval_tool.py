"""The tool `retrieve_context`: the retrieval contract v1, answered for the served project only."""

from __future__ import annotations

from dataclasses import replace
from typing import Final

from ctxtui.mcp.tool import TEXT, Call, Tool, in_thread
from ctxtui.retrieval.as_json import request_from_json, snippet_json
from ctxtui.retrieval.contract import MAX_LIMIT, expanded

# The contract's fields that mean nothing for one project: an agent need not make them up.
_USUAL: Final[dict[str, object]] = {"spaceId": "project", "sessionId": "agent", "rootPath": ".", "providerId": "mcp"}
# A first search of a large project uses what is indexed so far, and says so (retrieval specification 4.2).
_PATIENCE_SECONDS: Final = 1.0


def _retrieve(call: Call) -> object:
    """The best snippets, best first; a relative `rootPath` is relative to the served folder."""
    request = request_from_json({**_USUAL, **call.arguments.values})
    request = replace(request, root_path=str(call.project.root.path / expanded(request.root_path)))
    engine = call.project.engine(request.provider_id)
    found = engine.search(request, is_cancelled=call.left.is_set, patience=_PATIENCE_SECONDS)
    for notice in found.notices:
        call.tell(notice)
    return [snippet_json(snippet) for snippet in found.snippets]


RETRIEVAL = (
    Tool(
        "retrieve_context",
        "Search the project's text files for a prompt: ranked ContextSnippet[] (contract v1).",
        in_thread(_retrieve),
        {
            "prompt": TEXT,
            "spaceId": TEXT,
            "sessionId": TEXT,
            "rootPath": {"type": "string", "description": "folder to search; . is the project"},
            "providerId": {"enum": ["mcp", "filesystem"]},
            "limit": {"type": "integer", "minimum": 1, "description": f"default 5, at most {MAX_LIMIT}"},
        },
        ("prompt",),
    ),
)
