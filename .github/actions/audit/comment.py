"""Post a comment on the pull request of a workflow, or update the one that an earlier run posted.

Failures are warnings in the log: a fork's token may only read, and the summary of the job has the report.
"""

from __future__ import annotations

import json
import os
import sys
from pathlib import Path
from typing import Any
from urllib.error import HTTPError, URLError
from urllib.parse import quote
from urllib.request import Request, urlopen

_NOTHING = "Nothing changes what agents load."
_SECONDS = 30


def main(file: str) -> None:
    number = _pull_request()
    if number is None:
        print("no pull request, so no comment")
        return
    try:
        print(_post(number, Path(file).read_text("utf-8")))
    except HTTPError as error:
        _warn(
            "the token may not write, as for a fork" if error.code in (401, 403) else f"{error.code} {error.reason}"
        )
    except (URLError, TimeoutError, ValueError, TypeError, KeyError) as error:
        _warn(type(error).__name__)


def _warn(why: str) -> None:
    print(f"::warning::no comment ({why}); the summary of the job has the report")


def _pull_request() -> int | None:
    event = json.loads(Path(os.environ["GITHUB_EVENT_PATH"]).read_bytes())
    number = event.get("pull_request", {}).get("number")
    return number if isinstance(number, int) else None


def _post(number: int, text: str) -> str:
    place = f"/repos/{os.environ['GITHUB_REPOSITORY']}/issues"
    mark = f"<!-- ctxtui audit {quote(os.environ['AUDITED'])} -->"
    known = _known(f"{place}/{number}/comments", mark)
    if known is None and not text:
        return "nothing changes, so no comment"
    body = {"body": f"{mark}\n{text or _NOTHING}"}
    if known is None:
        _call("POST", f"{place}/{number}/comments", body)
        return "comment posted"
    _call("PATCH", f"{place}/comments/{known}", body)
    return "comment updated"


def _known(comments: str, mark: str) -> int | None:
    """The id of our comment. A comment of a person is never ours, no matter its text."""
    page = 1
    while found := _call("GET", f"{comments}?per_page=100&page={page}"):
        for each in found:
            if str(each["body"]).startswith(mark) and (each["user"] or {}).get("type") == "Bot":
                return int(each["id"])
        page += 1
    return None


def _call(method: str, path: str, body: object = None) -> Any:
    data = None if body is None else json.dumps(body).encode()
    headers = {
        "Accept": "application/vnd.github+json",
        "Authorization": f"Bearer {os.environ['TOKEN']}",
        "Content-Type": "application/json",
    }
    request = Request(f"{os.environ['GITHUB_API_URL']}{path}", data, headers, method=method)
    with urlopen(request, timeout=_SECONDS) as answer:
        return json.load(answer)


main(sys.argv[1])
