"""A board over an entries directory: every entry is an artifact, and every artifact a file."""

from __future__ import annotations

import asyncio
import json
import os
from collections.abc import Callable, Iterator
from dataclasses import replace
from typing import Any, Final, TypeVar

from ctxtui.core.base.errors import ContextError, invalid
from ctxtui.core.base.notices import Notice, OnNotice, log_notice
from ctxtui.core.documents.records.directory import Record, RecordDirectory, read_record, write_record
from ctxtui.core.tokens.arguments import a_function
from ctxtui.slices.artifact import Artifact, an_artifact
from ctxtui.slices.board import QueryResult, answer_query
from ctxtui.slices.filters import FilterConfig
from ctxtui.slices.json_data import Payload, payload_of, plain_data
from ctxtui.slices.visibility import Private, Public, Visibility, read_visibility, visibility_data

CONTENT: Final = "content"
PRODUCER: Final = "producedBy"
VISIBILITY: Final = "visibility"
PAYLOAD: Final = "payload"
_OWN_KEYS: Final = (PRODUCER, VISIBILITY, PAYLOAD)

Read = TypeVar("Read")
Result = TypeVar("Result")


class EntryBoard:
    """The entries of a directory as a board. Its owner sees everything, agents get a bound view.

    An entry's category is the artifact's type, its reference code the correlation id, its text the payload's
    `content`. Producer, visibility and the rest of the payload are additional keys of the file. Other keys are the
    artifact's `meta`. An entry without visibility is public. Files are read and written off the event loop.
    """

    def __init__(self, directory: str | os.PathLike[str], on_notice: OnNotice | None = None) -> None:
        self._on_notice = a_function(on_notice, "on_notice") or log_notice
        self._pending_notices: list[Notice] = []
        self._directory = RecordDirectory(directory, self._pending_notices.append)
        self._artifacts_by_id: dict[str, tuple[Record, Artifact]] = {}

    async def publish(self, artifact: Artifact) -> None:
        """Write the artifact's file atomically, replacing an artifact with the same id.

        Raises ContextError: invalid_request for an artifact that a file cannot represent, unavailable if writing
        fails.
        """
        kept = an_artifact(artifact).copy()
        await self._off_loop(lambda: self._directory.store(_record(kept)))

    async def get(self, id: str) -> Artifact | None:  # noqa: A002 - as in the protocol
        """The artifact with an id, from the current file, or None."""
        return await self._off_loop(lambda: self._artifact_with_id(id))

    async def query_artifacts(self, filters: FilterConfig | None = None, embed_meta: bool = False) -> QueryResult:
        """Copies of the matching artifacts in order, up to the limit, and the total without the limit."""
        return await self._off_loop(lambda: answer_query(self._all_artifacts(), filters, embed_meta))

    async def _off_loop(self, work: Callable[[], Result]) -> Result:
        """Run work off the event loop, and report its notices on the loop."""
        try:
            return await asyncio.to_thread(work)
        finally:
            while self._pending_notices:
                self._on_notice(self._pending_notices.pop(0))

    def _artifact_with_id(self, id_: str) -> Artifact | None:
        record = self._directory.get(id_)
        return self._artifact(record).copy() if record else None

    def _all_artifacts(self) -> list[Artifact]:
        records = self._directory.all()
        artifacts = [self._artifact(record) for record in records]
        self._artifacts_by_id = {
            record.id: (record, artifact) for record, artifact in zip(records, artifacts, strict=True)
        }
        return artifacts

    def _artifact(self, record: Record) -> Artifact:
        known = self._artifacts_by_id.get(record.id)
        if known is None or known[0] is not record:
            known = self._artifacts_by_id[record.id] = (record, artifact_of(record, self._pending_notices.append))
        return known[1]


def artifact_of(record: Record, on_notice: OnNotice) -> Artifact:
    """A record as an artifact. A key that cannot be read is a notice.

    An invalid visibility hides the artifact from everyone, and so does broken frontmatter, which may have lost a
    restricting line.
    """
    extra = record.extra

    def read(key: str, make: Callable[[Any], Read], default: Any, instead: Read) -> Read:
        try:
            return make(extra.get(key, default))
        except (ValueError, RecursionError, ContextError) as error:
            on_notice(Notice("artifact-key", f"`{key}` of {record.id} cannot be read ({error})"))
            return instead

    nobody: Visibility = Private(())
    if record.is_torn:
        message = f"the frontmatter of {record.id} is broken; no agent sees it until you fix it"
        on_notice(Notice("artifact-key", message))
    rest = read(PAYLOAD, _payload, None, None)
    content = {CONTENT: record.content} if record.content or rest is None else {}
    others = {key: read(key, plain_data, None, None) for key in extra if key not in _OWN_KEYS}
    return Artifact(
        record.id,
        record.type,
        (rest or {}) | content,
        read(PRODUCER, _text, "", ""),
        record.tags,
        record.correlation,
        record.created_at,
        nobody if record.is_torn else read(VISIBILITY, read_visibility, "public", nobody),
        others,
    )


def _text(value: object) -> str:
    if not isinstance(value, str):
        raise ValueError("it is not text")
    return value


def _payload(value: object) -> Payload | None:
    """The payload's keys besides the text, from a mapping or its JSON. None for None. Raises ValueError."""
    payload = json.loads(value) if isinstance(value, str) else value
    if payload is None:
        return None
    if not isinstance(payload, dict):
        raise ValueError("it is not a mapping")
    return payload_of(payload)


def _record(artifact: Artifact) -> Record:
    """A record that reads back as the same artifact. Raises ContextError (invalid_request) if there is none."""
    for record in _possible_records(artifact):
        # The result of the trial shows any problem.
        try:
            written = read_record(write_record(record), record.id, lambda _notice: None)
        except ContextError as error:
            refused = error
            continue
        if written and _is_same(artifact_of(written, lambda _notice: None), artifact):
            return record
        refused = invalid(f"{artifact.id[:80]!r} would read back differently")
    raise refused


def _is_same(first: Artifact, second: Artifact) -> bool:
    """Whether two artifacts are the same. In their data 1, 1.0 and true differ."""
    first_data, second_data = (json.dumps([each.payload, each.meta], sort_keys=True) for each in (first, second))
    return first_data == second_data and replace(first, payload={}, meta={}) == replace(second, payload={}, meta={})


def _possible_records(artifact: Artifact) -> Iterator[Record]:
    """Records for an artifact, the most readable first: extra payload as YAML, as JSON, the whole payload as JSON."""
    rest = dict(artifact.payload)
    content = rest.pop(CONTENT) if rest.get(CONTENT) and isinstance(rest[CONTENT], str) else ""
    whole = json.dumps(artifact.payload)
    if artifact.payload == {CONTENT: ""}:
        yield _record_with(artifact, "", None)
    elif content:
        yield _record_with(artifact, content, rest or None)
        yield _record_with(artifact, content, json.dumps(rest))
    else:
        yield _record_with(artifact, "", rest)
    yield _record_with(artifact, "", whole)


def _record_with(artifact: Artifact, content: str, payload: object) -> Record:
    """The record of an artifact with this text and extra payload. Raises ContextError for a foreign visibility."""
    extra = dict(artifact.meta)
    if artifact.produced_by:
        extra[PRODUCER] = artifact.produced_by
    if artifact.visibility != Public():
        try:
            extra[VISIBILITY] = visibility_data(artifact.visibility)
        except ValueError as error:
            raise invalid(str(error), hint="use one of the visibilities of slices") from error
    if payload is not None:
        extra[PAYLOAD] = payload
    tags = tuple(artifact.tags)
    return Record(artifact.id, artifact.type, content, tags, artifact.created_at, artifact.correlation_id, extra)
