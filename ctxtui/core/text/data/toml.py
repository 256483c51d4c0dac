"""TOML read within bounds. Every error names its line."""

from __future__ import annotations

import re
from typing import Any

from ctxtui.core.base.errors import invalid
from ctxtui.core.text.data.bounds import MAX_DEPTH, MAX_DIGITS, DataProblem, first_problem

_PLACE = re.compile(r"\s*\(at (?:line (\d+), column \d+|end of document)\)$")
_LONG_NUMBER = re.compile(rf"(?<![\w.])[-+]?(?:0[xob][\da-fA-F_]{{15,}}|[\d_]{{{MAX_DIGITS + 1},}}|inf\b|nan\b)")


def load_toml(raw: str) -> dict[str, Any]:
    """Load TOML of bounded depth and numbers, without byte-order mark. Raises DataProblem with reason and line."""
    import tomllib  # noqa: PLC0415 - most projects have no settings

    try:
        data = tomllib.loads(raw.removeprefix("\ufeff"))
    except tomllib.TOMLDecodeError as error:
        place = _PLACE.search(str(error))
        message = str(error)[: place.start()] if place else str(error)
        raise DataProblem(message, int(place[1]) - 1 if place and place[1] else raw.count("\n")) from error
    except RecursionError as error:
        raise DataProblem(f"nested more than {MAX_DEPTH} deep", _deepest_line(raw)) from error
    except ValueError as error:
        # Python refuses to read integers of thousands of digits, dates that do not exist, and the like.
        raise DataProblem(f"a number with more than {MAX_DIGITS} digits", _number_line(raw)) from error
    problem = first_problem(data)
    if problem:
        raise DataProblem(problem, _deepest_line(raw) if problem.startswith("nested") else _number_line(raw))
    return data


def read_toml(data: bytes, name: str) -> tuple[str, dict[str, Any]]:
    """The text and values of a TOML file. Raises ContextError (invalid_request) with file name and line."""
    try:
        raw = data.decode()
        return raw, load_toml(raw)
    except DataProblem as problem:
        raise invalid(f"{name}:{problem.line + 1}: {problem}", hint="correct the TOML") from problem
    except UnicodeDecodeError as error:
        line = data.count(b"\n", 0, error.start) + 1
        raise invalid(f"{name}:{line}: not valid UTF-8", hint="save it as UTF-8") from error


def packaged_toml(package: str, name: str) -> dict[str, Any]:
    from importlib.resources import files  # noqa: PLC0415 - a kept project is listed without a table

    return load_toml(files(package).joinpath(name).read_text("utf-8"))


def _number_line(raw: str) -> int:
    found = _LONG_NUMBER.search(raw)
    return raw.count("\n", 0, found.start()) if found else 0


def _deepest_line(raw: str) -> int:
    lines = raw.split("\n")
    return max(range(len(lines)), key=lambda number: lines[number].count("[") + lines[number].count("{"))
