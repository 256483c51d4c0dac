"""Many cases in one test: as thousands of tests, short cases take longer to collect and report than to run."""

import inspect
from collections.abc import Callable, Iterable
from functools import wraps
from typing import Any

import pytest


def cases(
    names: str | tuple[str, ...], values: Iterable[Any]
) -> Callable[[Callable[..., object]], Callable[..., None]]:
    """As `parametrize`, but one test runs all cases and names those that fail."""
    is_one = isinstance(names, str) and "," not in names
    given = tuple(names.replace(" ", "").split(",")) if isinstance(names, str) else names
    those = [dict(zip(given, (value,) if is_one else value, strict=True)) for value in values]

    def decorate(test: Callable[..., object]) -> Callable[..., None]:
        @wraps(test)
        def run(**fixtures: object) -> None:
            assert those
            failed = []
            for case in those:
                try:
                    test(**fixtures, **case)
                except (Exception, pytest.fail.Exception) as error:  # noqa: BLE001 - raised below, with the others
                    error.add_note(f"case: {case}")
                    failed.append(error)
            if failed:
                raise failed[0] if len(failed) == 1 else BaseExceptionGroup(f"{len(failed)} cases", failed)

        signature = inspect.signature(test)
        fixtures = [each for name, each in signature.parameters.items() if name not in given]
        run.__signature__ = signature.replace(parameters=fixtures)  # type: ignore[attr-defined]
        return run

    return decorate
