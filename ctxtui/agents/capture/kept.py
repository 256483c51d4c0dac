"""Captures that are kept: the first requests of agents, by agent and by setting."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from typing import Final

from ctxtui.agents.capture.wires import Part
from ctxtui.core.base.packed import pack, unpack
from ctxtui.core.disk.cache import user_cache

KIND: Final = "capture"
# A newer program need not start an agent again. Increase this if the form of a capture changes.
_FORM: Final = b"4"


@dataclass(frozen=True, slots=True)
class Capture:
    """The parts of the first request of one agent, before the user typed, headless.

    `at` is the moment, `model` the model asked for, `written` the files that the agent wrote into the overlay, `note`
    a remark on the figures. `subagent` are the parts of a subagent's first request, if one was started.
    """

    agent: str
    version: str
    model: str
    at: datetime
    home: str
    isolation: str
    seconds: float
    parts: tuple[Part, ...]
    written: tuple[str, ...] = ()
    note: str = ""
    subagent: tuple[Part, ...] = ()

    @property
    def label(self) -> str:
        """Version, day, model and home in words."""
        home = "your home folder" if self.home == "mine" else "an empty home folder"
        version = f" {self.version}" if self.version else ""
        return f"captured{version}, {self.at.date()}, headless, {self.model or 'model not named'}, {home}"


def latest_capture(agent: str) -> tuple[Capture, str] | None:
    """The last capture of an agent in any project, and the stamp of its program, or None."""
    kept = kept_capture(agent.encode())
    return (kept[0], kept[1].decode()) if kept else None


def kept_capture(name: bytes) -> tuple[Capture, bytes] | None:
    """The capture kept under a name (made of agent and setting), and the state kept with it, or None."""
    snapshot = user_cache().snapshot(KIND, name, version=_FORM)
    capture = unpack(snapshot.data) if snapshot else None
    return (capture, snapshot.state) if snapshot and isinstance(capture, Capture) else None


def keep_capture(name: bytes, capture: Capture, state: bytes) -> None:
    user_cache().keep_snapshot(KIND, name, pack(capture), state, _FORM)
