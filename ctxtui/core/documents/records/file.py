"""A record as a file: its name, frontmatter with the keys of the entries specification, then the body verbatim."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from hashlib import sha256
from typing import Any, Final

from ctxtui.core.base.errors import ContextError, invalid
from ctxtui.core.base.notices import Notice, OnNotice, log_notice
from ctxtui.core.disk.content import MAX_BYTES
from ctxtui.core.text.data.bounds import DataProblem
from ctxtui.core.text.data.yaml import MappingNode, Node, ScalarNode, SequenceNode, compose_yaml, dump_yaml
from ctxtui.core.text.metadata.frontmatter import Frontmatter, read_metadata
from ctxtui.core.text.metadata.reference import LenientValues

SUFFIX: Final = ".md"
_PLAIN = re.compile(r"[a-z0-9][a-z0-9._-]{0,119}")
_UNENCODED = frozenset("abcdefghijklmnopqrstuvwxyz0123456789._-")
_RESERVED = re.compile(r"(?:con|prn|aux|nul|com[0-9]|lpt[0-9])(?:\..*)?")
_MOST_BYTES = 200
_HASH = 32
_NULL = "tag:yaml.org,2002:null"

ENTRY_ID: Final = "entryId"
_TYPE, _TAGS, _CORRELATION, _CREATED = "category", "tags", "referenceCode", "createdAt"
# The category of a record without a category.
ANY_TYPE: Final = "Operational"
INCOMPLETE: Final = "entry-incomplete"
_KEYS: Final = (ENTRY_ID, _TYPE, _TAGS, _CORRELATION, _CREATED)
_TORN: Final = frozenset({"frontmatter-yaml", "frontmatter-unclosed"})
_BEFORE_ZONE = re.compile(r"\s+(?=[Z+-])")


def file_name(id_: str) -> str:
    """The file name of a record's id.

    A plain id is unchanged. Any other id is percent-encoded, including capitals, because many file systems ignore
    case. Names longer than 200 bytes are cut and end in a hash. Raises ContextError (invalid_request) for an id that
    is blank or contains NUL or a lone surrogate.
    """
    encoded = _encode(id_)
    return f"{encoded}{SUFFIX}" if len(encoded) <= _MOST_BYTES else spare_name(id_)


def spare_name(id_: str) -> str:
    """An alternative name that ends in a hash, for an id whose first name is taken."""
    encoded = _encode(id_)[: _MOST_BYTES - _HASH - 1]
    whole = re.sub(r"%.?$", "", encoded)
    return f"{whole}+{sha256(id_.encode()).hexdigest()[:_HASH]}{SUFFIX}"


def _encode(id_: str) -> str:
    """A plain id as it is, any other percent-encoded. Raises as `file_name` does."""
    if not id_.strip() or "\0" in id_:
        raise invalid(f"not an id for an entry: {id_[:80]!r}", hint="use letters and digits")
    try:
        data = id_.encode()
    except UnicodeEncodeError as error:
        raise invalid(f"the id {id_[:80]!r} is not valid Unicode") from error
    if _PLAIN.fullmatch(id_) and not id_.endswith(".") and not _RESERVED.fullmatch(id_):
        return id_
    text = "".join(chr(byte) if chr(byte) in _UNENCODED else f"%{byte:02X}" for byte in data)
    text = text if text[0].isalnum() and not _RESERVED.fullmatch(id_) else _escaped(text[0]) + text[1:]
    return text if not text.endswith(".") else text[:-1] + _escaped(".")


def _escaped(sign: str) -> str:
    """A sign as `%2E`. A `%` stays, because it already begins an escaped sign."""
    return sign if sign == "%" else f"%{ord(sign):02X}"


def as_written(values: Mapping[str, Any], keys: Sequence[str], raw: str) -> Mapping[str, Any]:
    """The values of a YAML mapping. Those under `keys` are texts, exactly as written in its source `raw`.

    An id `007` or a tag `1.10` or `yes` stays text: YAML would read a number, a date or a boolean.
    """
    if all(_is_text(values.get(key)) for key in keys):
        return values
    written = {str(key.value): node for key, node in _key_and_value_nodes(raw) if key.value in keys}
    return {**values, **{key: _as_texts(node, values.get(key)) for key, node in written.items()}}


def lines_of(raw: str) -> dict[str, str]:
    """The whole lines of each top-level key in a YAML mapping, up to the next key. Empty if unreadable."""
    raw = raw if raw.endswith(("\n", "\r")) else f"{raw}\n"
    keys = [(str(key.value), key.start_mark) for key, _ in _key_and_value_nodes(raw)]
    ends = [*(mark.index - mark.column for _, mark in keys[1:]), len(raw)]
    return {key: raw[mark.index : end] for (key, mark), end in zip(keys, ends, strict=False) if mark.column == 0}


def _key_and_value_nodes(raw: str) -> list[tuple[Any, Node]]:
    """The nodes of keys and values of a mapping, empty if the text is not YAML."""
    try:
        root = compose_yaml(raw)
    except DataProblem:
        return []
    return root.value if isinstance(root, MappingNode) else []


def _is_text(value: object) -> bool:
    if isinstance(value, list):
        return all(isinstance(item, str) for item in value)
    return value is None or isinstance(value, str)


def _as_texts(node: Node, value: object) -> object:
    """A scalar `node` as the written text, a list as the texts of its items, and any other node as its `value`."""
    if isinstance(node, ScalarNode):
        return node.value if value is not None else None
    if isinstance(node, SequenceNode) and isinstance(value, list):
        return [_as_texts(item, value) for item in node.value if item.value or item.tag != _NULL]
    return value


@dataclass(frozen=True, slots=True)
class Record:
    """The common part of an entry (entries specification) and an artifact (slices specification).

    `type` is an entry's category or an artifact's type, `correlation` its reference code or correlation id, `content`
    the body, `extra` the other keys of the frontmatter, which survive a rewrite. `is_torn` marks a record with broken
    frontmatter, some of whose keys may be missing.
    """

    id: str
    type: str
    content: str
    tags: tuple[str, ...]
    created_at: datetime
    correlation: str | None = None
    extra: Mapping[str, Any] = field(default_factory=dict, hash=False)
    is_torn: bool = field(default=False, compare=False)


@dataclass(frozen=True, slots=True)
class RecordFile:
    """The content of a file: the id it claims, its record if any, and its problems."""

    id: str | None = None
    record: Record | None = None
    notices: tuple[Notice, ...] = ()

    @property
    def is_whole(self) -> bool:
        """Whether the record has everything, without a value that was filled in."""
        return self.record is not None and not any(notice.code == INCOMPLETE for notice in self.notices)


def read_record(text: str, path: str, on_notice: OnNotice | None = None) -> Record | None:
    """The record in the text of a file, or None with a notice if it has no id or no time.

    Broken YAML is read line by line, and a time without offset counts as UTC, both with a notice.
    """
    file = parse_record(text, path)
    for notice in file.notices:
        (on_notice or log_notice)(notice)
    return file.record


def parse_record(text: str, path: str, modified: datetime | None = None) -> RecordFile:
    """Parse the text of a file. Never raises: problems are notices in the result.

    The body begins right after the closing line: blank lines and `## tags: [...]` belong to it. `modified` replaces a
    missing or invalid time.
    """
    found = read_metadata(text, path) or Frontmatter({}, 0)
    notices = list(found.notices)
    values = found.values
    if not _is_broken(notices):
        values = as_written(values, _KEYS, text[found.start : found.end])
    reader = _RecordReader(LenientValues(values, path, notices.append), notices, modified)
    id_ = reader.text(ENTRY_ID)
    if id_ is None:
        reader.refuse("no-entry-id", f"no `{ENTRY_ID}`, so this is not an entry; it is left out")
        return RecordFile(None, None, tuple(notices))
    record = reader.record(id_, text[found.body :])
    return RecordFile(id_, record, tuple(notices))


def write_record(record: Record, before: str = "") -> str:
    """The text of a record's file, laid out as in the entries specification. Nothing follows the body.

    Extra values that are unchanged from `before`, the previous text, keep their lines. Raises ContextError
    (invalid_request) for a record that would not read back the same.
    """
    file_name(record.id)
    if record.created_at.utcoffset() is None:
        raise _refused(record, "its time has no offset from UTC", "give an aware datetime")
    kept = _kept_lines(record, before) if before else {}
    text = _laid_out(record, kept)
    if kept and not _reads_back(record, text, record.extra):
        text = _laid_out(record, {})
    if not _reads_back(record, text):
        raise _refused(record, _refusal_reason(text))
    return text


def _refusal_reason(text: str) -> str:
    try:
        is_too_large = len(text.encode()) > MAX_BYTES
    except UnicodeEncodeError:
        return "it contains half of a surrogate pair, which UTF-8 cannot encode"
    return "it is too large" if is_too_large else "a value in it would read back differently"


def _refused(record: Record, reason: str, hint: str | None = None) -> ContextError:
    return invalid(f"{record.id[:80]!r} cannot be stored: {reason}", hint=hint)


def _is_broken(notices: Iterable[Notice]) -> bool:
    """Whether one of the notices says that the YAML was refused. No other parser may read it then."""
    return any(notice.code == "frontmatter-yaml" for notice in notices)


def _laid_out(record: Record, kept: Mapping[str, str]) -> str:
    """The text of a record's file, with the `kept` lines of extra keys. Raises ContextError (invalid_request)."""
    values: dict[str, Any] = {ENTRY_ID: record.id, _TYPE: record.type}
    if record.tags:
        values[_TAGS] = list(record.tags)
    if record.correlation is not None:
        values[_CORRELATION] = record.correlation
    try:
        values[_CREATED] = record.created_at.astimezone(UTC)
        unknown = {key: value for key, value in record.extra.items() if key not in _KEYS}
        extra = (kept.get(key) or dump_yaml({key: value}, inline=True) for key, value in unknown.items())
        return "".join(("---\n", dump_yaml(values, inline=True), *extra, "---\n", record.content))
    except OverflowError as error:
        raise _refused(record, "its time is outside the years that can be written in UTC") from error
    except DataProblem as error:
        raise _refused(record, str(error)) from error


def _kept_lines(record: Record, before: str) -> dict[str, str]:
    """The lines in `before` of the extra values that the record leaves unchanged, by key."""
    file = parse_record(before, "")
    old = file.record
    if old is None or _is_broken(file.notices):
        return {}
    found = read_metadata(before, "")
    raw = before[found.start : found.end] if found else ""
    # `repr` distinguishes 1 from True and from 1.0.
    same = {key for key, value in record.extra.items() if key in old.extra and repr(old.extra[key]) == repr(value)}
    return {key: lines for key, lines in lines_of(raw).items() if key in same}


def _reads_back(record: Record, text: str, extra: Mapping[str, Any] | None = None) -> bool:
    """Whether a text can be stored and reads back the same. Extra values are compared only if given."""
    try:
        size = len(text.encode())
    except UnicodeEncodeError:
        return False
    file = parse_record(text, "")
    found = file.record
    if found is None or file.notices or size > MAX_BYTES or "\0" in text:
        return False
    return found == replace(record, extra=found.extra if extra is None else extra)


@dataclass(frozen=True, slots=True)
class _RecordReader:
    """Reads the keys of a record and reports invalid values."""

    frontmatter: LenientValues
    notices: list[Notice]
    modified: datetime | None

    def refuse(self, code: str, message: str) -> None:
        self.notices.append(Notice(code, message, self.frontmatter.path))

    def record(self, id_: str, content: str) -> Record | None:
        """The record, None without a time. A missing category becomes a notice."""
        kind, created_at = self.text(_TYPE), self._creation_time()
        tags, correlation = self.frontmatter.texts(_TAGS), self.text(_CORRELATION)
        if created_at is None:
            return None
        if kind is None:
            self.refuse(INCOMPLETE, f"no `{_TYPE}`; it is read as {ANY_TYPE}")
            kind = ANY_TYPE
        extra = {key: value for key, value in self.frontmatter.values.items() if key not in _KEYS}
        is_torn = any(notice.code in _TORN for notice in self.notices)
        return Record(id_, kind, content, tags, created_at, correlation, extra, is_torn)

    def text(self, key: str) -> str | None:
        """The text under a key, None if it is missing, blank or no text."""
        found = self.frontmatter.text(key)
        return found if found and found.strip() else None

    def _creation_time(self) -> datetime | None:
        """The time in UTC, else that of the file, None without either. Problems become notices."""
        text = self.text(_CREATED)
        if text is None:
            return self._file_time(f"no `{_CREATED}`")
        try:
            time = datetime.fromisoformat(_BEFORE_ZONE.sub("", text.upper()))
            if time.utcoffset() is None:
                self.refuse("naive-time", f"`{_CREATED}` has no offset from UTC; it is read as UTC")
                return time.replace(tzinfo=UTC)
            return time.astimezone(UTC)
        except (ValueError, OverflowError):
            return self._file_time(f"`{_CREATED}` is not a time ({text[:40]!r})")

    def _file_time(self, reason: str) -> datetime | None:
        instead = "the time of the file is used" if self.modified else "the entry is left out"
        self.refuse(INCOMPLETE, f"{reason}; {instead}")
        return self.modified
