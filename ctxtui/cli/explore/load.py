"""`ctxtui load`: the summary of a `.context` directory within a budget (loader specification)."""

from __future__ import annotations

import argparse

from ctxtui.cli.output.as_json import print_json
from ctxtui.cli.output.streams import write_stdout
from ctxtui.cli.project import Narrator, configured, named_model, narrated, one_model
from ctxtui.cli.status import DONE
from ctxtui.core.base.wording import parse_tokens, plural
from ctxtui.core.text.projection import project
from ctxtui.core.tokens.by_name import get_counter, model_counter
from ctxtui.core.tokens.counter import DEFAULT_TOKENIZER, TokenCounter
from ctxtui.loader.api import DEFAULT_BUDGET, LoaderOptions, load_context
from ctxtui.loader.types import CONTEXT_DIR, DEFAULT_PRIORITY, LoadedContext
from ctxtui.session.saved.config import Config


@narrated
def run_load(arguments: argparse.Namespace, narrator: Narrator) -> int:
    """Print the summary, or with `--json` the whole `LoadedContext`. stderr lists cut and missing files."""
    place, config = configured(arguments, narrator)
    counter = _counter(arguments, config)
    written = arguments.budget or config.budget
    budget = parse_tokens(written) if written else DEFAULT_BUDGET
    directory = arguments.context_dir or config.load.get("context_dir", CONTEXT_DIR)
    priority = arguments.priority or config.load.get("priority_order", DEFAULT_PRIORITY)
    secrets = arguments.secrets or config.secrets or "redact"
    options = LoaderOptions(place, directory, budget, priority, counter, on_notice=narrator, secrets=secrets)
    loaded = load_context(options)
    if arguments.json:
        print_json({}, narrator.notices, project(loaded))
    else:
        write_stdout(loaded.summary.encode("utf-8", "replace"))
    _narrate(loaded, counter, narrator)
    return DONE


def _counter(arguments: argparse.Namespace, config: Config) -> TokenCounter:
    one_model(arguments.model, arguments.tokenizer)
    model = named_model(arguments, config)
    if model:
        return model_counter(model)
    return get_counter(arguments.tokenizer or config.tokenizer or DEFAULT_TOKENIZER)


def _narrate(loaded: LoadedContext, counter: TokenCounter, narrator: Narrator) -> None:
    sign, band = ("", "") if counter.exact else ("≈ ", f", {counter.band}")
    cut = ", truncated" if loaded.truncated else ""
    tokens, files = plural(loaded.token_count, "token"), plural(len(loaded.files), "file")
    narrator.say(f"{sign}{tokens} ({counter.name}{band}) of {files}{cut}")
    if loaded.missing:
        narrator.say(f"missing: {', '.join(loaded.missing)}")
