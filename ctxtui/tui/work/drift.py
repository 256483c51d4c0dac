"""Find wrong declared numbers of the visible files, in a thread."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING

from ctxtui.core.base.errors import ContextError
from ctxtui.core.disk.content import Stamp
from ctxtui.core.text.metadata.reference import Reference
from ctxtui.core.tokens.counter import TokenCounter
from ctxtui.session.saved.config import load_config
from ctxtui.session.session import Session

if TYPE_CHECKING:
    from ctxtui.audit.types import Settings

_RULE = "token-drift"
_Version = tuple[str, Stamp, TokenCounter]


class Drifts:
    """The drift of declared numbers, computed for files that rows asked about, since reading takes a moment.

    `settings` have the tolerance. `on_wanted` is called when a row asks about an unknown file.
    """

    def __init__(self, settings: Settings, on_wanted: Callable[[], object]) -> None:
        self.settings = settings
        self._on_wanted = on_wanted
        self._known: dict[_Version, str] = {}
        self._wanted: dict[_Version, Reference] = {}

    def find(self, reference: Reference, counter: TokenCounter) -> str:
        """The badge of a file, empty if its number is right or not checked yet."""
        version = (reference.path, reference.stamp, counter)
        known = self._known.get(version)
        if known is None:
            is_first = not self._wanted
            self._wanted[version] = reference
            if is_first:
                self._on_wanted()
        return known or ""

    def take(self) -> list[Reference]:
        """The files that were asked about and not checked yet, each once."""
        wanted, self._wanted = self._wanted, {}
        return list(wanted.values())

    def look(self, session: Session) -> None:
        """Read and count the files that were asked about. Runs in a thread."""
        for reference in self.take():
            counter = session.budget.counter
            self._known[reference.path, reference.stamp, counter] = _badge(session, reference, self.settings)
        session.workspace.reader.cache.flush()


def drifts_in(root: Path, before: Drifts | None, on_wanted: Callable[[], object]) -> Drifts | None:
    """For the settings of a project, with the results of `before` if its settings are the same.

    None if the rule is off.
    """
    # In the thread, once the tree is on the screen.
    from ctxtui.audit.rule_settings import settings_for  # noqa: PLC0415
    from ctxtui.audit.types import Settings  # noqa: PLC0415

    try:
        settings = settings_for(_RULE, load_config(root, on_notice=lambda _notice: None))
    except ContextError:
        # The audit reports errors of the configuration.
        settings = Settings()
    if _RULE in settings.off:
        return None
    return before if before is not None and before.settings == settings else Drifts(settings, on_wanted)


def _badge(session: Session, reference: Reference, settings: Settings) -> str:
    from ctxtui.audit.declared import file_drift  # noqa: PLC0415 - in the thread

    try:
        document = session.workspace.document(reference)
        drift = file_drift(session.workspace.reader, document, session.budget.counter, settings)
    except ContextError:
        return ""
    if drift is None:
        return ""
    return f"drift {(drift.tokens - drift.declared) / drift.declared:+.0%}" if drift.declared else "drift"
