"""`ctxtui load`: the summary of a `.context` directory within a budget (loader specification)."""

from __future__ import annotations

import argparse
from collections.abc import Sequence
from typing import Any, cast

from ctxtui.cli.as_json import print_json
from ctxtui.cli.project import Narrator, open_project_path
from ctxtui.cli.status import DONE
from ctxtui.cli.streams import write_stdout
from ctxtui.core.errors import ContextError
from ctxtui.core.secrets import Secrets
from ctxtui.core.tokens.by_name import get_counter
from ctxtui.core.tokens.counter import DEFAULT_TOKENIZER, TokenCounter
from ctxtui.core.tokens.parse import parse_tokens
from ctxtui.loader.api import DEFAULT_BUDGET, LoaderOptions, load_context
from ctxtui.loader.priority import CONTEXT_DIR, DEFAULT_PRIORITY
from ctxtui.loader.types import ContextFile, Item, LoadedContext, Section
from ctxtui.session.config import Config, load_config

_KEYS = {"context_dir": 'context_dir = ".context"', "priority_order": 'priority_order = ["CONSTITUTION", "TASKS"]'}


def run_load(arguments: argparse.Namespace) -> int:
    """Print the summary, or with `--json` the whole `LoadedContext`; cut and missing files are listed on stderr."""
    narrator = Narrator(arguments.quiet)
    place = open_project_path(arguments)
    config = load_config(place, on_notice=narrator)
    counter = _counter(arguments, config)
    budget = _budget(arguments.budget or config.budget, DEFAULT_BUDGET)
    directory, priority = _place_and_order(arguments, config)
    secrets = cast("Secrets", arguments.secrets or config.secrets or "redact")
    options = LoaderOptions(place, directory, budget, priority, counter, on_notice=narrator, secrets=secrets)
    loaded = load_context(options)
    if arguments.json:
        print_json(_context_json(loaded), narrator.notices)
    else:
        write_stdout(loaded.summary.encode("utf-8", "replace"))
    _narrate(loaded, counter, narrator)
    return DONE


def _place_and_order(arguments: argparse.Namespace, config: Config) -> tuple[str, Sequence[str]]:
    """The context directory's name and the priority order: from options, else from `[load]`, else the default."""
    for key, value in config.load.items():
        is_names = isinstance(value, list) and all(isinstance(name, str) for name in value)
        if key not in _KEYS:
            raise ContextError("invalid_request", f"[load]: unknown key `{key}`", hint=f"one of {', '.join(_KEYS)}")
        if not (is_names if key == "priority_order" else isinstance(value, str) and value):
            raise ContextError("invalid_request", f"[load]: `{key}` cannot be {value!r}", hint=_KEYS[key])
    directory = arguments.context_dir or config.load.get("context_dir", CONTEXT_DIR)
    return directory, arguments.priority or config.load.get("priority_order", DEFAULT_PRIORITY)


def _budget(written: str | None, default: int) -> int:
    return parse_tokens(written) if written else default


def _counter(arguments: argparse.Namespace, config: Config) -> TokenCounter:
    if arguments.model and arguments.tokenizer:
        raise ContextError("invalid_request", "a model determines its tokenizer", hint="give --model or --tokenizer")
    chosen = arguments.model or arguments.tokenizer or config.model or config.tokenizer
    return get_counter(chosen or DEFAULT_TOKENIZER)


def _narrate(loaded: LoadedContext, counter: TokenCounter, narrator: Narrator) -> None:
    sign, band = ("", "") if counter.exact else ("≈ ", f", {counter.band}")
    cut = ", truncated" if loaded.truncated else ""
    narrator.say(f"{sign}{loaded.token_count:,} tokens ({counter.name}{band}) of {len(loaded.files)} files{cut}")
    if loaded.missing:
        narrator.say(f"missing: {', '.join(loaded.missing)}")


def _context_json(loaded: LoadedContext) -> dict[str, Any]:
    return {
        "files": [_file_json(file) for file in loaded.files],
        "summary": loaded.summary,
        "tokenCount": loaded.token_count,
        "truncated": loaded.truncated,
        "missing": list(loaded.missing),
    }


def _file_json(file: ContextFile) -> dict[str, Any]:
    return {
        "name": _text(file.name),
        "path": _text(file.path),
        "content": file.content,
        "parsed": {
            "title": file.parsed.title,
            "sections": [_section_json(section) for section in file.parsed.sections],
            "metadata": dict(file.parsed.metadata),
        },
        "tokenCount": file.token_count,
    }


def _section_json(section: Section) -> dict[str, Any]:
    items = [_item_json(item) for item in section.items]
    return {"title": section.title, "items": items, "content": section.content}


def _item_json(item: Item) -> dict[str, Any]:
    return {
        "title": item.title,
        "fields": dict(item.fields),
        "tags": list(item.tags),
        "status": item.status,
        "children": list(item.children),
    }


def _text(name: str) -> str:
    """A file name as text; names that are not UTF-8 contain characters that cannot be encoded."""
    return name.encode("utf-8", "replace").decode()
