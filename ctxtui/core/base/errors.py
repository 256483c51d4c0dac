"""The one exception type for errors of a user or a service."""

from __future__ import annotations

from typing import Literal

Category = Literal["invalid_request", "unauthorized", "unavailable", "timeout", "internal"]


class ContextError(Exception):
    """A request that cannot be met, in one of the five categories of the retrieval contract (3.3).

    `message` is safe to show, `hint` says what to do next, `retryable` whether the same call may work later.
    """

    def __init__(self, category: Category, message: str, retryable: bool = False, hint: str | None = None) -> None:
        super().__init__(message)
        self.category = category
        self.message = message
        self.retryable = retryable
        self.hint = hint


class NotFound(ContextError):
    """A name that does not exist; the hint names the closest ones."""

    def __init__(self, message: str, hint: str | None = None) -> None:
        super().__init__("invalid_request", message, hint=hint)


class Gone(ContextError):
    """A file that does not exist, or no longer does."""


class Binary(ContextError):
    """A file that holds no text."""

    def __init__(self, path: str) -> None:
        super().__init__("invalid_request", f"{path} is binary", hint="binary files are listed, never read")


class OverBudget(ContextError):
    """A payload over its limit when nothing may be cut; sizes are in tokens."""

    def __init__(self, message: str, hint: str | None = None) -> None:
        super().__init__("invalid_request", message, hint=hint)
