"""Remarks on a path that an agent may touch, besides what it reads then."""

from __future__ import annotations

from collections.abc import Sequence

from ctxtui.agents import Touched
from ctxtui.core.base.notices import Notice
from ctxtui.core.base.plain import plain_line
from ctxtui.workspace.workspace import Workspace


def touch_notices(workspace: Workspace, path: str, touched: Sequence[Touched]) -> list[Notice]:
    """That the file does not exist, and that no agent reads anything more, if so."""
    name = plain_line(path)
    notices = []
    if not workspace.reader.root.exists(path):
        notices.append(Notice("no-such-file", f"{name} does not exist; this is what agents would read if it did"))
    if not any(each.charges or each.perhaps for each in touched):
        notices.append(Notice("nothing-read", f"no agent reads more when {name} is touched"))
    return notices
