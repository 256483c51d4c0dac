"""Starts the server as the command line does: `launch.py '{"path": ..., ...}'`."""

import argparse
import json
import sys

from ctxtui.cli.mcp import run_mcp
from ctxtui.core.base.errors import ContextError

OPTIONS = dict.fromkeys(("path", "directory", "http", "token_file", "include", "exclude"))
OPTIONS |= {"allow_store": False, "quiet": False}

if __name__ == "__main__":
    try:
        sys.exit(run_mcp(argparse.Namespace(**OPTIONS | json.loads(sys.argv[1]))))
    except ContextError as error:
        print(f"{error.category}: {error.message} ({error.hint})", file=sys.stderr)
        sys.exit(4)
