"""The entry point: parse the arguments, run a command, turn errors into messages and exit statuses."""

from __future__ import annotations

import sys
from collections.abc import Sequence

from ctxtui.cli.output.streams import complain, fill_closed
from ctxtui.cli.parser import parse
from ctxtui.cli.status import BUG, FAILED, INTERRUPTED, NOT_FOUND, PASSED_LIMIT, WRONG_USAGE
from ctxtui.core.base.errors import ContextError, NotFound, OverBudget
from ctxtui.core.base.plain import plain, plain_line
from ctxtui.core.base.tuning import collect_rarely


def main(argv: Sequence[str] | None = None) -> int:
    """Run `ctxtui` with these arguments (the process's own by default) and return its exit status."""
    fill_closed()
    # Importing creates the first hundred thousand objects.
    collect_rarely()
    try:
        arguments = parse(sys.argv[1:] if argv is None else argv)
        status: int = arguments.run(arguments)
    except KeyboardInterrupt:
        return INTERRUPTED
    except Exception as error:  # noqa: BLE001 - the last line of defence: no traceback reaches a user
        return _report_error(error)
    return status


def _report_error(error: Exception) -> int:
    """Print an error and its hint, or for a bug the path of its log. Returns the exit status."""
    if not isinstance(error, ContextError):
        from ctxtui.cli.bugs import report_bug  # noqa: PLC0415 - platformdirs takes as long as all the rest

        complain(report_bug(error))
        return BUG
    complain(f"ctxtui: {plain_line(error.message)}")
    if error.hint:
        complain(f"  {plain(error.hint)}".replace("\n", "\n  "))  # so that no name begins a line
    if isinstance(error, NotFound):
        return NOT_FOUND
    if isinstance(error, OverBudget):
        return PASSED_LIMIT
    return WRONG_USAGE if error.category == "invalid_request" else FAILED


if __name__ == "__main__":
    sys.exit(main())
