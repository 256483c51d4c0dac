"""Transcripts made for tests, record by record after public examples.

Claude Code: github.com/lorenzosfienti/ctxwinnow, `internal/transcript/testdata/overhead_main.jsonl` (order and keys of
the records of 2.1.283, itself synthetic), and `rendered` as github.com/Sinity/polylogue describes it in
`polylogue/sources/origin_specs.py`. Codex: github.com/openai/codex, `codex-rs/history/src/lib.rs` (records),
`codex-rs/core/src/context/` (texts), `codex-rs/protocol/src/protocol.rs` (usage).
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from ctxtui.audit.logs.read import claude_slug

DAY = "2026-09-{:02}T09:00:00.000Z"
Record = dict[str, Any]


def lines(records: Iterable[Record]) -> bytes:
    """Records as JSON lines."""
    return b"".join(json.dumps(record).encode() + b"\n" for record in records)


def attachment(kind: str, rendered: str | None = None, **values: Any) -> Record:
    """An attachment of Claude Code, with the text as it reached the model if that is recorded."""
    record: Record = {"type": "attachment", "attachment": {"type": kind, **values}}
    return record if rendered is None else {**record, "rendered": [{"content": rendered}]}


def instructions(files: Mapping[Path, str], rendered: str | None = None) -> Record:
    """The instruction files of a start."""
    listed = [{"path": str(path), "type": "Project", "content": text} for path, text in files.items()]
    return attachment("instructions", rendered, files=listed)


def skill_listing(entries: Mapping[str, str]) -> Record:
    """The list of skills; an entry without a description is a name only."""
    text = "\n".join(f"- {name}: {about}" if about else f"- {name}" for name, about in entries.items())
    return attachment("skill_listing", content=text, names=list(entries), skillCount=len(entries), isInitial=True)


def said(text: str, **more: Any) -> Record:
    """What the user wrote."""
    return {"type": "user", "message": {"role": "user", "content": text}, **more}


def answer(billed: Sequence[int], *tools: tuple[str, Record], model: str = "claude-opus-5", **more: Any) -> Record:
    """An answer with its bill (plain input, cache writes, cache reads) and calls of tools."""
    usage = dict(zip(("input_tokens", "cache_creation_input_tokens", "cache_read_input_tokens"), billed, strict=True))
    content = [{"type": "tool_use", "id": "toolu_1", "name": name, "input": given} for name, given in tools]
    message = {"id": "msg_1", "role": "assistant", "model": model, "content": content, "usage": usage}
    return {"type": "assistant", "message": message, **more}


@dataclass
class Home:
    """A user's folder with transcripts of agents in one project."""

    place: Path
    root: Path
    made: int = field(default=0)

    @property
    def environment(self) -> dict[str, str]:
        """The environment that names the folder."""
        return {"HOME": str(self.place)}

    def claude(self, *records: Record, day: int = 20, folder: Path | None = None, id_: str = "") -> Path:
        """Write a conversation of Claude Code; every record gets its folder, version and time."""
        self.made += 1
        id_ = id_ or f"conversation-{self.made}"
        cwd = str(folder or self.root)
        about = {"sessionId": id_, "cwd": cwd, "version": "2.1.283", "timestamp": DAY.format(day)}
        return self.write(f"{claude_slug(cwd)}/{id_}.jsonl", lines({**about, **record} for record in records))

    def write(self, path: str, data: bytes) -> Path:
        """Write a file below Claude Code's folder of transcripts."""
        place = self.place / ".claude" / "projects" / path
        place.parent.mkdir(parents=True, exist_ok=True)
        place.write_bytes(data)
        return place

    def codex(self, *records: Record, day: int = 20, folder: Path | None = None, **meta: Any) -> Path:
        """Write a rollout of Codex, with its first record."""
        self.made += 1
        about = {"id": f"thread-{self.made}", "cwd": str(folder or self.root), "cli_version": "0.153.4", **meta}
        first = {"type": "session_meta", "payload": about}
        place = self.place / f".codex/sessions/2026/09/{day:02}/rollout-2026-09-{day:02}T09-00-00-{self.made}.jsonl"
        place.parent.mkdir(parents=True, exist_ok=True)
        place.write_bytes(lines({"timestamp": DAY.format(day), **record} for record in (first, *records)))
        return place


def message(role: str, *texts: str) -> Record:
    """A message in a rollout."""
    content = [{"type": "input_text", "text": text} for text in texts]
    return {"type": "response_item", "payload": {"type": "message", "role": role, "content": content}}


def agents_md(folder: Path, text: str) -> Record:
    """The instructions of a rollout."""
    return message("user", f"# AGENTS.md instructions for {folder}\n\n<INSTRUCTIONS>\n{text}\n</INSTRUCTIONS>")


def item(kind: str, **values: Any) -> Record:
    """Another item of a rollout."""
    return {"type": "response_item", "payload": {"type": kind, **values}}


def counted(total: int, cached: int = 0, written: int = 0) -> Record:
    """The bill of a request in a rollout; `total` holds the other two."""
    usage = {"input_tokens": total, "cached_input_tokens": cached, "cache_write_input_tokens": written}
    info = {"total_token_usage": usage, "last_token_usage": usage, "model_context_window": 258400}
    return {"type": "event_msg", "payload": {"type": "token_count", "info": info}}


def turn(model: str = "gpt-5.5") -> Record:
    """The model of a turn."""
    return {"type": "turn_context", "payload": {"model": model}}
