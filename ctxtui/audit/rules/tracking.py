"""The rule about files that git keeps or leaves out against their purpose."""

from __future__ import annotations

import posixpath
import re
import shlex
from collections.abc import Iterator
from typing import Final

from ctxtui.audit.context import Audited
from ctxtui.audit.roles import SKILL, agent_folder
from ctxtui.audit.types import Finding, Remedy

_PERSONAL: Final = re.compile(r"(?:.*/)?(?:(?:AGENTS|CLAUDE|GEMINI)\.local\.md|\.claude/settings\.local\.json)")
_EVIDENCE: Final = "git's index and its ignore files"


def wrong_tracking(audited: Audited) -> Iterator[Finding]:
    """Files of one person that git tracks, and folders for agents whose new files git ignores."""
    ignored = (audited.text(".gitignore") or "").splitlines()
    # A project that excepts single files leaves the others out on purpose.
    excepted = {line.removeprefix("!").lstrip("/").rstrip() for line in ignored if line.startswith("!")}
    for path in audited.paths:
        is_personal = _PERSONAL.fullmatch(path) is not None
        # A vendored folder comes whole from elsewhere, whatever git ignores.
        is_shared = agent_folder(path) and path in audited.ever_read and not audited.is_vendored(path)
        if is_personal or (is_shared and path not in excepted):
            folder = posixpath.dirname(path)
            beside = f"{folder}/NEW.md"
            # A skill may be excepted from its folder, which others ignore on purpose.
            new = (beside, f"{posixpath.dirname(folder)}/NEW/{SKILL}") if path.endswith(SKILL) else (beside,)
            if is_personal and audited.disk.is_tracked(path):
                message = "git tracks it, but it is meant for one person: everybody who has the project gets it"
                remedy = Remedy(f"`git rm --cached {shlex.quote(path)}`, and let git ignore it")
                yield Finding("wrong-tracking", "info", message, path, 1, 0, _EVIDENCE, None, "personal", remedy)
            elif not is_personal and all(map(audited.is_made_later, new)) and audited.disk.is_tracked(path):
                yield _left_out(path)


def _left_out(path: str) -> Finding:
    """The finding about an agent's folder whose new files git ignores, at a tracked file in it."""
    folder = path.partition(f"{agent_folder(path)}/")[0] + agent_folder(path)
    lost = "so that nobody else gets them"
    message = f"git tracks it but ignores new files beside it, {lost}"
    many = f"git tracks {{count}} files in {folder}/ that agents read but ignores new files there, {lost}"
    remedy, cause = Remedy(f"take {folder}/ out of the ignore file, or except it there"), f"ignored: {folder}"
    return Finding("wrong-tracking", "info", message, path, 1, 0, _EVIDENCE, None, "", remedy, cause, many)
