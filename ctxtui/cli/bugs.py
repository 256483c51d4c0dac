"""How a bug is shown to the user: one line, and a log to paste."""

from __future__ import annotations

import platform
import sys
import time
import traceback

from platformdirs import user_log_path

from ctxtui.core.files.state_folder import private_file
from ctxtui.core.plain import plain, plain_line
from ctxtui.version import __version__


def report_bug(error: BaseException) -> str:
    """Write the traceback to a log and return the sentence that names it."""
    head = f"ctxtui {__version__}, Python {platform.python_version()}, {platform.platform()}\n"
    trace = plain("".join(traceback.format_exception(error)))
    # Not `str(error)`: that may itself raise.
    what = plain_line("".join(traceback.format_exception_only(error)).strip())
    log = user_log_path("ctxtui") / f"bug-{time.strftime('%Y%m%d-%H%M%S')}.log"
    sentence = f"ctxtui: a bug, sorry: {what}"
    try:
        private_file(log).write_text(f"{head}{plain_line(' '.join(sys.argv))}\n\n{trace}", "utf-8")
    except OSError:
        return f"{sentence}\n{head}{trace}"
    return f"{sentence}\n  please report it with {log}"
