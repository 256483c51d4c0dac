"""The exceptions for errors that a user or a service causes."""

from __future__ import annotations

from typing import Literal

Category = Literal["invalid_request", "unauthorized", "unavailable", "timeout", "internal"]


class ContextError(Exception):
    """A request that cannot be met, in a category of the retrieval contract (3.3).

    `message` is safe to show. `hint` gives the next step. `retryable`: the same call may work later.
    """

    def __init__(self, category: Category, message: str, retryable: bool = False, hint: str | None = None) -> None:
        super().__init__(message)
        self.category = category
        self.message = message
        self.retryable = retryable
        self.hint = hint


def invalid(message: str, hint: str | None = None) -> ContextError:
    """The error of a request that its sender has to correct."""
    return ContextError("invalid_request", message, hint=hint)


class NotFound(ContextError):
    """An unknown name. The hint gives the closest known names."""

    def __init__(self, message: str, hint: str | None = None) -> None:
        super().__init__("invalid_request", message, hint=hint)


class Gone(ContextError):
    """A file that does not exist, or was deleted."""


class Binary(ContextError):
    """A file that holds no text."""

    def __init__(self, path: str) -> None:
        super().__init__("invalid_request", f"{path} is binary", hint="binary files are listed, never read")


class OverBudget(ContextError):
    """A payload over its token limit that may not be cut."""

    def __init__(self, message: str, hint: str | None = None) -> None:
        super().__init__("invalid_request", message, hint=hint)
