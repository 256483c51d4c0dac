"""Who may use the server: the browser that brings the token first, and the app only its page that has the key.

Browsers send a cookie to the servers at all ports of this machine, so that the cookie alone opens pages that
hold nothing. The key of the socket is in the fragment of the address, which browsers never send.
"""

from __future__ import annotations

import hmac
import re
import secrets
from collections.abc import Mapping
from typing import Final, Literal

PROTOCOL: Final = "ctxtui"
Answer = Literal["welcome", "enter", "forbidden", "unknown", "used"]
"""`welcome` gets the cookie, `enter` has it; `forbidden` comes from elsewhere, `unknown` lacks cookie or key."""

# Another port of this machine may be forwarded to ours; another name may lead here by a trick.
_LOCAL = re.compile(r"(?:127\.0\.0\.1|localhost|\[::1\])(?::\d{1,5})?")


class Guard:
    """One token that is exchanged once for the secret of one browser, and the key of the page."""

    def __init__(self, port: int) -> None:
        # Servers at several ports share the cookies of a browser.
        self.cookie = f"ctxtui-{port}"
        self.token, self.secret, self.key = (secrets.token_urlsafe(32) for _ in range(3))
        self._is_used = False

    def judge(self, headers: Mapping[str, str], cookie: str, token: str | None, is_socket: bool) -> Answer:
        """Whether a request may pass, by its headers, its cookie and the token in its address.

        A socket brings the key as a protocol, after ours: a page cannot set any other header of it.
        """
        host = headers.get("Host", "")
        origin = headers.get("Origin")
        # A socket of another page would bring the cookie, too; browsers always name the page.
        is_own = origin == f"http://{host}" or (origin is None and not is_socket)
        if not _LOCAL.fullmatch(host) or not is_own:
            return "forbidden"
        if hmac.compare_digest(cookie.encode(), self.secret.encode()):
            brought = headers.get("Sec-WebSocket-Protocol", "").encode("utf-8", "replace").split(b",")
            has_key = hmac.compare_digest(brought[-1].strip(), self.key.encode())
            return "enter" if has_key or not is_socket else "unknown"
        if token is None:
            return "unknown"
        if not hmac.compare_digest(token.encode("utf-8", "replace"), self.token.encode()):
            return "unknown"
        if self._is_used:
            return "used"
        self._is_used = True
        return "welcome"
