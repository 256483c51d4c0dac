"""A stand-in of Claude Code on the PATH: reads files of its folder, runs hooks of its settings, asks its model."""

import json
import os
import signal
import socket
import subprocess
import sys
import urllib.request
from contextlib import suppress
from pathlib import Path


def main() -> None:
    mode = Path("mode").read_text().strip() if Path("mode").exists() else ""
    settings = json.loads(Path(".claude/settings.json").read_text()) if Path(".claude/settings.json").exists() else {}
    for command in settings.get("hooks", []):
        subprocess.run(command, shell=True, check=False, stderr=subprocess.DEVNULL)
    if mode == "silent":
        print("cannot reach my model")
        return
    sleeper = [sys.executable, "-c", "import time; time.sleep(600)", "left-behind"]
    if mode in ("hang", "orphan"):
        subprocess.Popen(sleeper, start_new_session=True)
    if mode == "hang":
        print("waiting")
        sys.stdout.flush()
        socket.create_server(("127.0.0.1", 0)).accept()
    if mode == "swarm":
        for _ in range(320):
            if os.fork() == 0:
                break
        signal.pause()
    target = Path("target").read_text() if Path("target").exists() else ""
    for name in ("written", os.path.expanduser("~/written"), target):
        with suppress(OSError):
            Path(name).write_text("x")
    told = {"env": sorted(os.environ), "settings": settings, "files": sorted(map(str, Path().rglob("*")))}
    told["mcp"] = Path(".mcp.json").exists()
    home = Path.home()
    told["home"] = sorted(each.relative_to(home).as_posix() for each in home.rglob("*") if each.is_file())
    if Path("port").exists():
        with socket.socket() as one:
            told["reached"] = one.connect_ex(("127.0.0.1", int(Path("port").read_text()))) == 0
    rules = Path("CLAUDE.md").read_text() if Path("CLAUDE.md").exists() else ""
    body = {
        "model": "claude-fake",
        "system": "You are a fake.\n" + json.dumps(told),
        "messages": [{"role": "user", "content": f"Obey:\n{rules}\n\nhi"}],
        "tools": [{"name": "look", "description": "Looks."}],
        "stream": True,
    }
    url = settings.get("env", {}).get("ANTHROPIC_BASE_URL") or os.environ["ANTHROPIC_BASE_URL"]
    answer = ask(url, body)
    if mode == "delegate" and "tool_use" in answer:
        ask(url, body | {"system": "You are a helper of a fake. Say hi to the stand-in."})
        ask(url, body | {"messages": [{"role": "user", "content": "call_ctxtui has ended"}]})


def ask(url: str, body: dict[str, object]) -> str:
    request = urllib.request.Request(f"{url}/v1/messages", json.dumps(body).encode(), {"User-Agent": "fake/3.2.1"})
    return str(urllib.request.urlopen(request, timeout=20).read())


main()
