"""Report a bug to the user: one line, and a log to paste."""

from __future__ import annotations

import platform
import sys
import time
import traceback

from platformdirs import user_log_path

from ctxtui.core.base.errors import ContextError
from ctxtui.core.base.plain import plain, plain_line
from ctxtui.core.disk.root import write_atomic
from ctxtui.core.text.secrets import redact
from ctxtui.version import __version__


def report_bug(error: BaseException) -> str:
    """Write the traceback, without credentials, to a log and return the sentence that names it."""
    head = f"ctxtui {__version__}, Python {platform.python_version()}, {platform.platform()}\n"
    trace = redact(plain("".join(traceback.format_exception(error))))[0]
    # `str(error)` may itself raise.
    what = redact(plain_line("".join(traceback.format_exception_only(error)).strip()))[0]
    called = redact(plain_line(" ".join(sys.argv)))[0]
    log = user_log_path("ctxtui") / f"bug-{time.strftime('%Y%m%d-%H%M%S')}.log"
    sentence = f"ctxtui: a bug, sorry: {what}"
    try:
        # It may quote texts of a project.
        write_atomic(log, f"{head}{called}\n\n{trace}".encode("utf-8", "replace"), mode=0o600)
    except ContextError:
        return f"{sentence}\n{head}{trace}"
    return f"{sentence}\n  please report it with {log}"
