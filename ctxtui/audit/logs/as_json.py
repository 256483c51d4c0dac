"""The transcripts beside our prediction as JSON data: the `logs` of `ctxtui audit --logs --json`."""

from __future__ import annotations

from typing import Any, Final

from ctxtui.audit.logs.report import Logs
from ctxtui.audit.logs.unused import MIN_DAYS, MIN_STARTS
from ctxtui.core.text.projection import Shapes, project

_SHAPES: Final[Shapes] = {
    "AgentLogs": "id=agent place tokenizer=counter.name exact=counter.exact read starts here compared first last days"
    " versions files billed explained fixed unexplained costs uses skipped",
    "FileRow": "kind name state counts tokens sent? now? line version opened",
    "Version": "commit time",
    "Range": "low median high",
    "Cost": "time version? model? counter billed predicted explained fixed unexplained",
    "TokenCounter": "name exact band?",
    "Billed": "total input cache_write cache_read",
    "Use": "kind name path tokens sent_in used_in besides days last_used verdict",
}


def logs_json(logs: Logs) -> dict[str, Any]:
    """All agents; numbers of starts and tokens, names and digests, never a text."""
    return {
        "isWhole": logs.is_whole,
        "verdictNeeds": {"starts": MIN_STARTS, "days": MIN_DAYS},
        "agents": project(logs.agents, _SHAPES),
    }
