"""The package as a whole: its public names, and what importing it loads."""

import json
import subprocess
import sys

from ctxtui import slices


def test_all_public_names_are_there() -> None:
    assert all(getattr(slices, name).__module__.startswith("ctxtui.slices.") for name in slices.__all__)


def test_importing_it_is_cheap() -> None:
    code = "import json, sys\nfrom ctxtui.slices import *\nprint(json.dumps(sorted(sys.modules)))"
    run = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    modules = set(json.loads(run.stdout))
    assert not {"tiktoken", "markdown_it", "textual", "pydantic", "ctxtui.workspace", "ctxtui.entries"} & modules
