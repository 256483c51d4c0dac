"""Measure a text with its vendor's token-counting endpoint, after the user agrees."""

from __future__ import annotations

import http.client
import json
import os
import urllib.error
import urllib.request
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import IO, Any, Final, NoReturn
from urllib.parse import quote, urlsplit

from ctxtui.core.base.errors import ContextError, invalid
from ctxtui.core.base.loopback import is_loopback
from ctxtui.core.base.plain import plain_line
from ctxtui.core.tokens.families import plain_name
from ctxtui.core.tokens.ledger import Ledger
from ctxtui.core.tokens.whole import keep_measured

_TIMEOUT: Final = 30.0
_LONGEST_ANSWER: Final = 1_000_000
_LONGEST_REASON: Final = 200


@dataclass(frozen=True, slots=True)
class Vendor:
    """The endpoint of a vendor.

    `models` are beginnings of model names. `keys` are environment variables for the user's key, the first that is set
    counts. `base` is the variable that replaces `address`. `path` and `body` take the model, `body` also the text.
    `answer` is the key of the number of tokens in the response.
    """

    name: str
    models: tuple[str, ...]
    keys: tuple[str, ...]
    base: str
    address: str
    path: Callable[[str], str]
    headers: Callable[[str], Mapping[str, str]]
    body: Callable[[str, str], object]
    answer: str


# Documented at platform.claude.com/docs/en/api/messages-count-tokens, developers.openai.com/api/reference (responses,
# input tokens) and ai.google.dev/api/tokens; read 2026-11-22.
VENDORS: Final = (
    Vendor(
        "Anthropic",
        ("claude",),
        ("ANTHROPIC_API_KEY",),
        "ANTHROPIC_BASE_URL",
        "https://api.anthropic.com",
        lambda _model: "/v1/messages/count_tokens",
        lambda key: {"x-api-key": key, "anthropic-version": "2023-06-01"},
        lambda model, text: {"model": model, "messages": [{"role": "user", "content": text}]},
        "input_tokens",
    ),
    Vendor(
        "OpenAI",
        ("gpt", "o1", "o3", "o4", "chatgpt"),
        ("OPENAI_API_KEY",),
        "OPENAI_BASE_URL",
        "https://api.openai.com/v1",
        lambda _model: "/responses/input_tokens",
        lambda key: {"Authorization": f"Bearer {key}"},
        lambda model, text: {"model": model, "input": text},
        "input_tokens",
    ),
    Vendor(
        "Google",
        ("gemini",),
        ("GEMINI_API_KEY", "GOOGLE_API_KEY"),
        "GOOGLE_GEMINI_BASE_URL",
        "https://generativelanguage.googleapis.com",
        lambda model: f"/v1beta/models/{quote(model, safe='')}:countTokens",
        lambda key: {"x-goog-api-key": key},
        lambda _model, text: {"contents": [{"role": "user", "parts": [{"text": text}]}]},
        "totalTokens",
    ),
)


@dataclass(frozen=True, slots=True)
class Request:
    """A text to count for a model, the URL, and the variable with the user's key."""

    vendor: Vendor
    model: str
    text: str
    url: str
    variable: str

    @property
    def question(self) -> str:
        """The question that asks for the user's consent."""
        host = plain_line(urlsplit(self.url).netloc)
        return (
            f"{len(self.text):,} characters, with secrets as they are exported, go to {host} and are counted for"
            f" {plain_line(self.model)}, with the key in {self.variable}"
        )


def request_for(model: str | None, text: str, environment: Mapping[str, str] = os.environ) -> Request:
    """The request that counts a text for a model. Sends nothing.

    Raises ContextError: invalid_request if no model is chosen, its vendor has no endpoint, or the address is not
    encrypted, unauthorized if no variable holds a key, or the key cannot be sent.
    """
    if not model:
        raise invalid("no model to measure for is chosen", hint="name one with --model")
    name = plain_name(model)
    vendor = next((each for each in VENDORS if name.startswith(each.models)), None)
    if vendor is None:
        known = ", ".join(each.name for each in VENDORS)
        message = f"no endpoint is known that counts tokens for {plain_line(model)}"
        raise invalid(message, hint=f"models of {known} can be measured")
    variable = next((each for each in vendor.keys if _key(environment, each)), None)
    if variable is None:
        message = f"measuring for {plain_line(model)} needs your key of {vendor.name}"
        raise ContextError("unauthorized", message, hint=f"set {vendor.keys[0]}")
    if not (key := _key(environment, variable)).isascii() or not key.isprintable():
        raise ContextError("unauthorized", f"{variable} has characters that no key has", hint="set it again")
    url = (environment.get(vendor.base) or vendor.address).rstrip("/") + vendor.path(name)
    _check_url(url, vendor.base)
    return Request(vendor, name, text, url, variable)


def measure(request: Request, ledger: Ledger, environment: Mapping[str, str] = os.environ) -> int:
    """Send the text and return its tokens, including the few that a request adds. The ledger keeps the result.

    Raises ContextError (unavailable) if the endpoint refuses, cannot be reached or returns no number.
    """
    headers = {"content-type": "application/json", **request.vendor.headers(_key(environment, request.variable))}
    data = json.dumps(request.vendor.body(request.model, request.text)).encode()
    sent = urllib.request.Request(request.url, data, headers, method="POST")  # noqa: S310 - checked above
    try:
        with urllib.request.build_opener(_StayHere).open(sent, timeout=_TIMEOUT) as answer:
            tokens = _tokens(answer, request.vendor.answer)
    except urllib.error.HTTPError as error:
        with error:
            _fail(request, f"answers {error.code}: {_reason(error)}")
    except (OSError, http.client.HTTPException) as error:
        reason = getattr(error, "reason", error)
        _fail(request, f"cannot be reached: {plain_line(str(reason))[:_LONGEST_REASON]}")
    except ValueError:
        # Its words may hold the key.
        _fail(request, "cannot be asked: the address or the key has characters that cannot be sent")
    if tokens is None:
        _fail(request, f"answers without a number in {request.vendor.answer}")
    keep_measured(ledger, request.model, request.text, tokens)
    return tokens


class _StayHere(urllib.request.HTTPRedirectHandler):
    """Follows no redirect, which would send text and key to another machine."""

    def redirect_request(self, *_args: object) -> None:
        return None


def _key(environment: Mapping[str, str], variable: str) -> str:
    """The user's key, without the line end that a file of Windows may leave behind it, or ""."""
    return environment.get(variable, "").strip()


def _fail(request: Request, what: str) -> NoReturn:
    host = plain_line(urlsplit(request.url).netloc)
    message = f"{host} {what}"
    raise ContextError("unavailable", message, hint="without --measure, the number stays an estimate") from None


def _tokens(answer: IO[bytes], key: str) -> int | None:
    """The number under `key` in a JSON response, None if there is no such number."""
    try:
        data: Any = json.loads(answer.read(_LONGEST_ANSWER))
    except (ValueError, RecursionError):
        return None
    tokens = data.get(key) if isinstance(data, dict) else None
    return tokens if isinstance(tokens, int) and not isinstance(tokens, bool) and tokens >= 0 else None


def _reason(error: urllib.error.HTTPError) -> str:
    """The message in the body of an error response, which all three vendors format alike, else the HTTP status."""
    try:
        data = json.loads(error.read(_LONGEST_ANSWER))
        told = data["error"]["message"]
    except (OSError, ValueError, LookupError, TypeError, RecursionError, http.client.HTTPException):
        told = error.reason
    return plain_line(str(told))[:_LONGEST_REASON]


def _check_url(url: str, variable: str) -> None:
    """Raise ContextError (invalid_request), naming `variable`, unless the key can be sent to the URL unread.

    HTTPS is safe, HTTP only to this machine.
    """
    try:
        parts = urlsplit(url)
        host = parts.hostname or ""
    except ValueError:
        raise invalid(f"{variable} is not a URL", hint="such as https://host/") from None
    if parts.scheme == "https" and host:
        return
    if parts.scheme != "http" or not is_loopback(host):
        message = f"{variable} does not begin with https://, so your key could be read on the way"
        raise invalid(message, hint="use https, or http to this machine")
