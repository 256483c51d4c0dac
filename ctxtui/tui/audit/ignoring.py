"""Ignoring a finding of the audit: asks for the reason, shows what would be written and where, and writes it."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from typing import Any

from textual.app import App

from ctxtui.audit.fixes import Written
from ctxtui.audit.types import Finding
from ctxtui.audit.write_ignore import covered, ignore_entry, propose_ignore, write_ignore
from ctxtui.core.base.wording import plural
from ctxtui.core.disk.root import Root
from ctxtui.tui.screens.dialogs import Ask, Confirm


async def ignored(app: App[Any], root: Root, finding: Finding, findings: Sequence[Finding]) -> Written | None:
    """What was written so that a finding is ignored, None if the user changed their mind.

    `findings` are those of the audit. Raises ContextError if no entry can be added to the configuration.
    """

    def check(reason: str) -> None:
        ignore_entry(finding, reason)

    hint = f"the reason why {finding.rule} does not matter here; readers of the configuration see it"
    reason = await app.push_screen_wait(Ask("Ignore this finding because", hint, check=check))
    if reason is None:
        return None
    addition = await asyncio.to_thread(propose_ignore, root, finding, reason)
    question = "Write this?" if addition.before is not None else "Write this new file?"
    if not await app.push_screen_wait(Confirm(f"{_effect(finding, findings)}{question}", addition.diff)):
        return None
    await asyncio.to_thread(write_ignore, root, addition)
    return addition.written


def _effect(finding: Finding, findings: Sequence[Finding]) -> str:
    """What an ignore leaves out besides the finding itself."""
    others = len(covered(finding, findings)) - finding.count
    return f"This also ignores {plural(others, 'other finding')} of {finding.rule}.\n" if others > 0 else ""
