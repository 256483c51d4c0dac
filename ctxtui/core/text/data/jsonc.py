"""JSON with comments and trailing commas, as in configuration files, read within bounds."""

from __future__ import annotations

import json
import re
from typing import Any

from ctxtui.core.text.data.bounds import MAX_DEPTH, MAX_DIGITS, DataProblem, first_problem

# Strings are matched first, so that their content is no comment. Both may be unterminated.
_EXTRAS = re.compile(r'("(?:[^"\\]|\\.)*+"?)|//[^\n]*+|/\*(?:.*?\*/|.*)', re.DOTALL)
_LAST_COMMA = re.compile(r'("(?:[^"\\]|\\.)*+"?)|,(?=\s*+[}\]])', re.DOTALL)


def load_jsonc(raw: str) -> Any:
    """The value of a JSON text of bounded depth and numbers, None if empty. Raises DataProblem."""
    try:
        data = json.loads(_LAST_COMMA.sub(lambda match: match[1] or "", _without_comments(raw)) or "null")
    except json.JSONDecodeError as error:
        raise DataProblem(error.msg, error.lineno - 1) from error
    except RecursionError as error:
        raise DataProblem(f"nested more than {MAX_DEPTH} deep", 0) from error
    except ValueError as error:
        raise DataProblem(f"a number with more than {MAX_DIGITS} digits", 0) from error
    problem = first_problem(data)
    if problem:
        raise DataProblem(problem, 0)
    return data


def json_problem(raw: str, comments: bool) -> DataProblem | None:
    """The syntax error of a JSON text for a parser that refuses trailing commas, and comments unless `comments`."""
    try:
        json.loads(_without_comments(raw) if comments else raw)
    except json.JSONDecodeError as error:
        return DataProblem(error.msg, error.lineno - 1)
    except (RecursionError, ValueError):
        # Other parsers have other bounds.
        return None
    return None


def _without_comments(raw: str) -> str:
    if "//" in raw or "/*" in raw:
        raw = _EXTRAS.sub(lambda match: match[1] or " " + "\n" * match[0].count("\n"), raw)
    return raw
