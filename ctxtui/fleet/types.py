"""Values about one repository of a fleet, passed between processes and stored in results."""

from __future__ import annotations

from typing import NamedTuple

from ctxtui.audit.types import Severity


class Member(NamedTuple):
    """A repository to audit: its unique name, and its folder or address."""

    name: str
    place: str


class Where(NamedTuple):
    """The workers: a scheduler's address with TLS files, or local processes, by default one per core."""

    scheduler: str = ""
    ca: str = ""
    cert: str = ""
    key: str = ""
    workers: int | None = None


class AgentStart(NamedTuple):
    """An agent's start in a repository. `home` tokens are from user files. `lost` tokens were cut off files."""

    agent: str
    start: int
    home: int = 0
    lost: int = 0


class Fault(NamedTuple):
    """A finding. `key` identifies it across edits. `path` is empty for a finding about a whole agent."""

    rule: str
    severity: Severity
    message: str
    path: str
    line: int
    tokens: int
    key: str


class TextBlock(NamedTuple):
    """A paragraph, list or similar part of a context file: digest, first line, tokens.

    Texts that differ only in white space have the same digest. `head` are the first words, redacted. The tokens of
    all blocks of a file add up to the tokens of the file.
    """

    digest: bytes
    line: int
    tokens: int
    head: str


class ContextFile(NamedTuple):
    """A context file: its digest, tokens, the most of them in one agent's start, and the blocks of its text."""

    path: str
    kind: str
    digest: bytes
    tokens: int
    start: int
    blocks: tuple[TextBlock, ...] = ()


class Outcome(NamedTuple):
    """The audit of one repository. `error` is empty, or the reason of the failure.

    `commit` is the commit checked out, empty outside of git. `files`, `tokens` and `bytes` cover all context files.
    `seconds` is the time taken.
    """

    member: Member
    error: str = ""
    commit: str = ""
    files: int = 0
    tokens: int = 0
    bytes: int = 0
    seconds: float = 0.0
    agents: tuple[AgentStart, ...] = ()
    faults: tuple[Fault, ...] = ()
    context: tuple[ContextFile, ...] = ()
