"""JSON of results: one document with `result` and `notices`, keys in lower camel case."""

from __future__ import annotations

import json
from collections.abc import Iterable
from typing import Any

from ctxtui.cli.streams import write_stdout
from ctxtui.core.metadata.reference import Reference
from ctxtui.core.notices import Notice
from ctxtui.core.payload.types import Payload
from ctxtui.core.plain import plain_json
from ctxtui.session.session import Session


def print_json(result: object, notices: Iterable[Notice]) -> None:
    """Print one document to stdout; nothing in it controls a terminal, and a reader gets the same value."""
    document = {"result": result, "notices": [notice_json(notice) for notice in notices]}
    text = json.dumps(document, ensure_ascii=False, indent=2, default=str)
    write_stdout(f"{plain_json(text)}\n".encode())


def notice_json(notice: Notice) -> dict[str, Any]:
    """A notice as an object."""
    return {"code": notice.code, "message": notice.message, "path": notice.path, "line": notice.line}


def reference_json(reference: Reference) -> dict[str, Any]:
    """A reference with the keys of the catalog specification's ContextReference, and its source."""
    details = reference.details
    return {
        "id": reference.id,
        "domain": details.domain,
        "title": reference.title,
        "type": details.type,
        "estimatedTokens": details.declared_tokens,
        "loadingStrategy": reference.strategy,
        "tags": list(details.tags),
        "crossDomainTriggers": list(details.cross_domain_triggers),
        "detectionTriggers": list(details.detection_triggers),
        "path": reference.path,
        "aliases": list(reference.aliases),
        "source": reference.source,
        "ignored": reference.ignored,
    }


def payload_json(payload: Payload, session: Session, text: str | None) -> dict[str, Any]:
    """A payload's numbers and blocks; its text unless that is written elsewhere."""
    counter = session.budget.counter
    return {
        "tokens": payload.tokens,
        "wanted": payload.wanted,
        "textTokens": payload.text_tokens,
        "tokenizer": counter.name,
        "exact": counter.exact,
        "limit": session.budget.effective,
        "blocks": [
            {
                "id": block.id,
                "source": block.source,
                "tokens": block.tokens,
                "textTokens": block.text_tokens,
                "wanted": block.wanted,
                "state": block.state,
                "pinned": block.pinned,
            }
            for block in payload.blocks
        ],
        "truncated": list(payload.truncated),
        "omitted": list(payload.omitted),
        "missing": list(payload.missing),
        "secrets": payload.secrets,
        **({"text": text} if text is not None else {}),
    }
