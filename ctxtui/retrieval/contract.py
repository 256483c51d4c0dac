"""The retrieval contract v1: the request, the snippet, the error and the protocol of providers."""

from __future__ import annotations

import logging
import os
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Final, Literal, Protocol, get_args

from ctxtui.core.base.errors import Category, ContextError
from ctxtui.core.tokens.arguments import shown

ContextProviderId = Literal["filesystem", "mcp"]
PROVIDER_IDS: Final[tuple[str, ...]] = get_args(ContextProviderId)
CATEGORIES: Final[tuple[str, ...]] = get_args(Category)
DEFAULT_LIMIT: Final = 5
MAX_LIMIT: Final = 50
MAX_CONTENT: Final = 1_200
"""The maximum number of characters of a snippet's content."""

_INTERNAL = "internal error of the retrieval; see the log"
_RETRYABLE = frozenset({"unavailable", "timeout"})


class RetrievalError(ContextError):
    """A failed retrieval, by category (retrieval specification 3.3), with a message that is safe to show."""

    def __init__(self, category: Category, message: str, hint: str | None = None) -> None:
        super().__init__(category, message, category in _RETRYABLE, hint)


@dataclass(frozen=True, slots=True)
class ContextRetrievalRequest:
    """The arguments of a retrieval (retrieval specification 3.1), checked on use.

    `root_path` bounds the files that may be read. `~/…` is in the home folder of the provider's user. `limit` counts
    snippets: None means 5, more than 50 mean 50.
    """

    prompt: str
    space_id: str
    session_id: str
    root_path: str
    provider_id: ContextProviderId
    limit: int | None = None


@dataclass(frozen=True, slots=True)
class ContextSnippet:
    """One ranked passage (retrieval specification 3.2).

    `path` is relative to the root, in POSIX style. `source` is the heading path, else the path again. `content` has
    at most 1,200 characters and no secrets. `score` is within 0..1. `id` is `provider:path#Lstart-Lend`, lines
    counted from 1.
    """

    id: str
    provider: ContextProviderId
    path: str
    source: str
    content: str
    score: float


class ContextProvider(Protocol):
    """A retrieval backend (retrieval specification 3)."""

    async def retrieve(self, request: ContextRetrievalRequest) -> list[ContextSnippet]:
        """The best snippets, best first. Empty if nothing matches. Raises RetrievalError."""


def check_request(request: ContextRetrievalRequest) -> None:
    """Raise RetrievalError (invalid_request) for a request that retrieval specification 3.1 does not allow.

    A prompt is any text: without searchable terms it is valid, but finds nothing.
    """
    value: object = request
    if not isinstance(value, ContextRetrievalRequest):
        raise RetrievalError("invalid_request", f"not a request: {shown(value)}", "give a ContextRetrievalRequest")
    _check_text("prompt", request.prompt)
    ids = {"spaceId": request.space_id, "sessionId": request.session_id}
    for name, value in {**ids, "rootPath": request.root_path}.items():
        _check_text(name, value)
        if not value.strip() or "\0" in value:
            raise RetrievalError("invalid_request", f"{name} is blank or contains a NUL character")
    if request.provider_id not in PROVIDER_IDS:
        raise RetrievalError("invalid_request", "unknown providerId", hint=f"one of {', '.join(PROVIDER_IDS)}")
    limit: object = request.limit
    if limit is not None and (not isinstance(limit, int) or isinstance(limit, bool) or limit < 1):
        raise RetrievalError("invalid_request", "limit is not a whole number of 1 or more")


def _check_text(name: str, value: object) -> None:
    if not isinstance(value, str):
        raise RetrievalError("invalid_request", f"{name} is {'missing' if value is None else 'not text'}")


def expanded(path: str) -> str:
    """A path with a leading `~` replaced by the user's home folder. `~name` is not expanded."""
    return os.path.expanduser(path) if path == "~" or path.startswith(("~/", f"~{os.sep}")) else path  # noqa: PTH111


def limit_of(request: ContextRetrievalRequest) -> int:
    """The maximum number of snippets of a checked request (retrieval specification 3.1.2)."""
    return DEFAULT_LIMIT if request.limit is None else min(request.limit, MAX_LIMIT)


@contextmanager
def safe_errors() -> Iterator[None]:
    """Turn exceptions into RetrievalError (retrieval specification 3.3). Only messages of ContextError are kept.

    Unexpected errors go to the log.
    """
    try:
        yield
    except RetrievalError:
        raise
    except ContextError as error:
        raise RetrievalError(error.category, error.message, error.hint) from None
    except TimeoutError:
        raise RetrievalError("timeout", "the retrieval took too long") from None
    except Exception:
        logging.getLogger("ctxtui").exception("retrieval failed")
        raise RetrievalError("internal", _INTERNAL) from None
