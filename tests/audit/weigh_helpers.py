"""What the tests of weighing share: configurations of servers, and what is found in them."""

import json
import sys
from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from ctxtui.audit.weigh.types import Server, Weighed, Weighing
from ctxtui.audit.weigh.weigh import weigh_servers
from ctxtui.core import get_counter
from ctxtui.workspace.scope import EVERYTHING
from ctxtui.workspace.workspace import Workspace
from tests.audit.auditing_helpers import ignore

SERVER = Path(__file__).with_name("mcp_server.py")


def entry(behavior: str = "good", *arguments: str, **more: Any) -> dict[str, Any]:
    """An entry for the small server."""
    return {"command": sys.executable, "args": ["-S", str(SERVER), behavior, *arguments], **more}


def usual(**servers: Any) -> str:
    """A file of servers as most agents write it."""
    return json.dumps({"mcpServers": servers}, indent=2)


def looked(root: Path, *words: str, user: bool = False, **options: Any) -> Weighing:
    """The servers of a folder; words name those to weigh."""
    workspace = Workspace.open(root, scope=replace(EVERYTHING, home=user), on_notice=ignore)
    return weigh_servers(workspace, get_counter(), words, **options)


def named(found: Weighing) -> dict[str, Server]:
    """The servers by name."""
    return {each.server.name: each.server for each in found.servers}


def weighed(root: Path, name: str = "small", user: bool = False) -> Weighed:
    """A server of a project, weighed with consent."""
    (server,) = [each.server for each in looked(root, user=user).servers if each.server.name == name]
    (found,) = [
        each for each in looked(root, f"{name}={server.digest}", user=user).servers if each.server.name == name
    ]
    return found


def in_home(files: Mapping[str, str]) -> Path:
    """Writes files in the home folder of this test."""
    for name, text in files.items():
        place = Path.home() / name
        place.parent.mkdir(parents=True, exist_ok=True)
        place.write_text(text)
    return Path.home()


def names(found: Sequence[Any]) -> list[str]:
    """The names of tools or servers."""
    return [each.name for each in found]
