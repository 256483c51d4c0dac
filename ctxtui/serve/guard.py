"""Who may use the server: the browser that brings the token first, with pages that this server gave it."""

from __future__ import annotations

import hmac
import re
import secrets
from collections.abc import Mapping
from typing import Final, Literal

COOKIE: Final = "ctxtui"
Answer = Literal["welcome", "enter", "forbidden", "unknown", "used"]
"""`welcome` gets the cookie, `enter` has it; `forbidden` comes from elsewhere, `unknown` has neither."""

# Another port of this machine may be forwarded to ours; another name may lead here by a trick.
_LOCAL = re.compile(r"(?:127\.0\.0\.1|localhost|\[::1\])(?::\d{1,5})?")


class Guard:
    """One token that is exchanged once for the secret of one browser."""

    def __init__(self) -> None:
        self.token = secrets.token_urlsafe(32)
        self.secret = secrets.token_urlsafe(32)
        self._is_used = False

    def judge(self, headers: Mapping[str, str], cookie: str, token: str | None, is_socket: bool) -> Answer:
        """Whether a request may pass, by its headers, its cookie and the token in its address."""
        host = headers.get("Host", "")
        origin = headers.get("Origin")
        # A socket of another page would bring the cookie, too; browsers always name the page.
        is_own = origin == f"http://{host}" or (origin is None and not is_socket)
        if not _LOCAL.fullmatch(host) or not is_own:
            return "forbidden"
        if hmac.compare_digest(cookie.encode(), self.secret.encode()):
            return "enter"
        if token is None:
            return "unknown"
        if not hmac.compare_digest(token.encode("utf-8", "replace"), self.token.encode()):
            return "unknown"
        if self._is_used:
            return "used"
        self._is_used = True
        return "welcome"
