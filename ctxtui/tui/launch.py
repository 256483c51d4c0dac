"""The options of the app, and its outcome."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any, Literal

from ctxtui.session.saved.autosave import Restored
from ctxtui.session.session import Session
from ctxtui.workspace.workspace import Workspace


@dataclass(frozen=True, slots=True)
class Launch:
    """The options of the app: the first session, the receiver of the payload, the user's settings.

    `keys` remaps bindings by their ids. `editor` is a command line. `engines` is the user's own `[mcp]`. `can_talk`
    says whether an agent that receives the payload has a terminal for a conversation. With `is_audit` the app begins
    with the audit, and leaving the audit quits.
    """

    first_session: Callable[[Workspace], Restored]
    is_piped: bool = False
    command: str | None = None
    editor: str | None = None
    theme: str | None = None
    keys: dict[str, str] | None = None
    engines: Mapping[str, Any] = field(default_factory=dict)
    can_talk: bool = True
    is_audit: bool = False


@dataclass(frozen=True, slots=True)
class Outcome:
    """The end of the app. `command` receives the payload of the session once the terminal is free again."""

    kind: Literal["accepted", "run", "quit"]
    session: Session | None = None
    command: str | None = None
