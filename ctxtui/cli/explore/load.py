"""`ctxtui load`: the summary of a `.context` directory within a budget (loader specification)."""

from __future__ import annotations

import argparse

from ctxtui.cli.output.as_json import print_json
from ctxtui.cli.output.streams import write_stdout
from ctxtui.cli.project import Narrator, budget_of, configured, narrated
from ctxtui.cli.status import DONE
from ctxtui.core.base.wording import plural
from ctxtui.core.text.projection import project
from ctxtui.core.tokens.counter import TokenCounter
from ctxtui.loader.api import DEFAULT_BUDGET, LoaderOptions, load_context
from ctxtui.loader.types import CONTEXT_DIR, DEFAULT_PRIORITY, LoadedContext


@narrated
def run_load(arguments: argparse.Namespace, narrator: Narrator) -> int:
    """Print the summary, or with `--json` the whole `LoadedContext`. stderr lists cut and missing files."""
    place, config = configured(arguments, narrator)
    budget = budget_of(config, arguments)
    limit, counter = DEFAULT_BUDGET if budget.limit is None else budget.limit, budget.counter
    directory = arguments.context_dir or config.load.get("context_dir", CONTEXT_DIR)
    priority = arguments.priority or config.load.get("priority_order", DEFAULT_PRIORITY)
    secrets = arguments.secrets or config.secrets or "redact"
    options = LoaderOptions(place, directory, limit, priority, counter, on_notice=narrator, secrets=secrets)
    loaded = load_context(options)
    if arguments.json:
        print_json({}, narrator.notices, project(loaded))
    else:
        write_stdout(loaded.summary.encode("utf-8", "replace"))
    _narrate(loaded, counter, narrator)
    return DONE


def _narrate(loaded: LoadedContext, counter: TokenCounter, narrator: Narrator) -> None:
    sign, band = ("", "") if counter.exact else ("≈ ", f", {counter.band}")
    cut = ", truncated" if loaded.truncated else ""
    tokens, files = plural(loaded.token_count, "token"), plural(len(loaded.files), "file")
    narrator.say(f"{sign}{tokens} ({counter.name}{band}) of {files}{cut}")
    if loaded.missing:
        narrator.say(f"missing: {', '.join(loaded.missing)}")
