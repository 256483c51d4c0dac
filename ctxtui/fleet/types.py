"""What is known of one repository of a fleet: values that travel between processes and into the results."""

from __future__ import annotations

from typing import NamedTuple

from ctxtui.audit.types import Severity


class Member(NamedTuple):
    """A repository to audit: its name, which no other of the fleet has, and its folder or the address to fetch."""

    name: str
    place: str


class AgentStart(NamedTuple):
    """An agent found in a repository, and the tokens that are in its context before the first request.

    `home` of them come from the user's home, `lost` are tokens of files that it cuts off.
    """

    agent: str
    start: int
    home: int = 0
    lost: int = 0


class Fault(NamedTuple):
    """A finding of the audit; `key` is its identity over edits, `path` empty if it is about an agent as a whole."""

    rule: str
    severity: Severity
    message: str
    path: str
    line: int
    tokens: int
    key: str


class Block(NamedTuple):
    """A paragraph, list or the like of a context file: the digest of its text, its first line, and its tokens.

    Texts that differ in white space only have one digest. `head` are its first words, secrets redacted. The tokens
    of all blocks of a file add up to those of the file.
    """

    digest: bytes
    line: int
    tokens: int
    head: str


class ContextFile(NamedTuple):
    """A context file: the digest of its bytes, its tokens, and the most of them that an agent has at its start.

    `blocks` are in order; empty for files without text.
    """

    path: str
    kind: str
    digest: bytes
    tokens: int
    start: int
    blocks: tuple[Block, ...] = ()


class Outcome(NamedTuple):
    """What the audit of one repository found, or the reason why there is nothing: `error`, else empty.

    `commit` is what git has checked out, empty outside of git; `files`, `tokens` and `bytes` are those of all context
    files; `seconds` the time that it took.
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
