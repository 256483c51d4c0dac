"""Expand references such as `${GITHUB_TOKEN}` as agents do, without prompts or commands."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path

from ctxtui.audit.weigh.types import Launch
from ctxtui.core.base.errors import invalid
from ctxtui.core.base.plain import plain_line

_REFERENCE = re.compile(r"\$?\{([^{}\s]{1,200})\}")
_VARIABLE = re.compile(r"(?:env:)?([A-Za-z_]\w*)(?::-(.*))?")
_FOLDERS = ("workspaceFolder", "workspaceRoot", "CLAUDE_PROJECT_DIR")


def environment_names(launch: Launch) -> tuple[str, ...]:
    """The sorted names of variables that a server takes from the user's environment."""
    texts = (*launch.command, launch.folder, launch.url, *launch.env.values(), *launch.headers.values())
    found = (_variable(each) for text in texts for each in _REFERENCE.finditer(text))
    named = {variable[0] for variable in found if variable}
    return tuple(sorted(named | {*launch.passed} | ({launch.token_env} - {""})))


def expanded(launch: Launch, environment: Mapping[str, str], home: Path) -> Launch:
    """Expand references to variables and folders. Raises ContextError (invalid_request) if one cannot be expanded."""

    def fill(text: str) -> str:
        return _REFERENCE.sub(lambda found: _value(found, launch.folder, environment, home), text)

    return replace(
        launch,
        command=tuple(map(fill, launch.command)),
        url=fill(launch.url),
        folder=fill(launch.folder),
        env={
            **{name: environment[name] for name in launch.passed if name in environment},
            **{name: fill(value) for name, value in launch.env.items()},
        },
        headers={name: fill(value) for name, value in launch.headers.items()},
    )


def _variable(found: re.Match[str]) -> tuple[str, str | None] | None:
    """The name of the variable in a reference, and its default or None. None for a reference to something else."""
    match = _VARIABLE.fullmatch(found[1])
    is_env = found[1].startswith("env:")
    if match is None or match[1] in (*_FOLDERS, "userHome") or not (is_env or found[0].startswith("$")):
        return None
    return match[1], match[2]


def _value(found: re.Match[str], folder: str, environment: Mapping[str, str], home: Path) -> str:
    """The text that replaces a reference. Braces without `$` that name no variable stay."""
    if found[0] in (f"${{{name}}}" for name in _FOLDERS):
        return folder
    if found[0] == "${userHome}":
        return str(home)
    variable = _variable(found)
    shown = plain_line(found[0])
    if variable is None:
        if found[0].startswith("$") or found[1].startswith("file:"):
            raise invalid(f"only the agent can fill in {shown}", hint="set it to a variable")
        return found[0]
    name, default = variable
    value = environment.get(name, default)
    if value is None:
        raise invalid(f"{shown} is not set", hint=f"set the variable {name}")
    return value
