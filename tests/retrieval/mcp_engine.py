"""A small engine over stdio that does one thing wrong: `mcp_engine.py BEHAVIOR [FILE]`. Standard library only."""

import json
import os
import sys
import time
from pathlib import Path

SNIPPET = {"id": "e:a.md#L1-L1", "provider": "mcp", "path": "a.md", "source": "A", "content": "alpha", "score": 0.5}
CATEGORIES = ("invalid_request", "unauthorized", "unavailable", "timeout", "internal")
SCORES = (7, -0.1, 1e308, float("nan"), "1", True, 1, 0)
ROWS = {
    "bad-rows": [{"id": 1}, "x"],
    "scores": [{**SNIPPET, "score": score} for score in SCORES],
    "scores-outside": [{**SNIPPET, "score": score} for score in (1.5, float("inf"))],
}
RESULTS = {
    "wrong-result": {"content": "no list"},
    "no-list": {"content": [{"type": "text", "text": "hello"}]},
    "unstructured": {"content": [{"type": "text", "text": json.dumps([SNIPPET])}]},
}


def reply(id_, **body):
    """Answer a request."""
    print(json.dumps({"jsonrpc": "2.0", "id": id_, **body}), flush=True)


def rows(id_, found):
    """Answer with snippets."""
    reply(id_, result={"content": [], "structuredContent": {"result": found}})


def refuse(id_, text, structured=None):
    """Answer with a tool's error."""
    result = {"content": [{"type": "text", "text": text}], "isError": True}
    reply(id_, result=result | ({"structuredContent": structured} if structured else {}))


def call(behavior, id_, arguments):
    """What the tool does."""
    if behavior in CATEGORIES:
        error = {"category": behavior, "message": "told by the engine", "retryable": False, "contract": "v1"}
        refuse(id_, f"{behavior}: told by the engine", {"error": error})
    elif behavior.startswith("text-"):
        refuse(id_, behavior.removeprefix("text-"))
    elif behavior.startswith("code-"):
        reply(id_, error={"code": -int(behavior.removeprefix("code-")), "message": "no AKIAZ7Q3K5M2N8P4R6T2 here"})
    elif behavior.startswith("data-"):
        reply(id_, error={"code": -32603, "message": "x", "data": {"category": behavior.removeprefix("data-")}})
    elif behavior == "slow":
        time.sleep(1.2)
        rows(id_, [SNIPPET])
    elif behavior == "crash":
        os._exit(3)
    elif behavior == "crash-once":
        rows(id_, [SNIPPET])
        os._exit(3)
    elif behavior == "garbage":
        print("\x1b[31mgarbage {", flush=True)
        sys.stdout.buffer.write(b"\xff\xfe{}\n")
        sys.stdout.flush()
    elif behavior == "noise":
        print("a log line on stdout", flush=True)
        rows(id_, [SNIPPET])
    elif behavior in RESULTS:
        reply(id_, result=RESULTS[behavior])
    elif behavior == "echo":
        rows(id_, [{**SNIPPET, "content": arguments["prompt"], "source": str(arguments.get("limit"))}])
    elif behavior != "mute":
        rows(id_, ROWS.get(behavior, [SNIPPET]))


def main():
    """Serve until stdin ends."""
    behavior = sys.argv[1]
    if len(sys.argv) > 2:
        with Path(sys.argv[2]).open("a") as log:
            log.write(f"{os.getpid()}\n")
    if behavior == "dies":
        sys.exit(3)
    print("narration on stderr", file=sys.stderr)
    for line in sys.stdin:
        message = json.loads(line)
        method = message.get("method")
        if behavior == "silent":
            continue
        if behavior == "stubborn" and method == "tools/call":
            while True:
                time.sleep(60)
        if method == "initialize":
            version = message["params"]["protocolVersion"]
            info = {"name": "fake", "version": "0"}
            result = {"protocolVersion": version, "capabilities": {"tools": {}}, "serverInfo": info}
            reply(message["id"], result=result)
        elif method == "tools/list":
            name = "other" if behavior == "toolless" else "retrieve_context"
            reply(message["id"], result={"tools": [{"name": name, "inputSchema": {"type": "object"}}]})
        elif method == "tools/call":
            call(behavior, message["id"], message["params"]["arguments"])


if __name__ == "__main__":
    main()
