"""The eleven methods of the catalog specification as tools, with its parameters and JSON keys."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Any, Final

from ctxtui.catalog.contract import ContextProvider
from ctxtui.catalog.detection.signals import collect_signals
from ctxtui.catalog.library import split_id
from ctxtui.catalog.types import ContextReference, DetectionResult, DetectionSignals, PartialContextFile, to_json
from ctxtui.core.base.errors import NotFound, invalid
from ctxtui.core.text.secrets import Cut
from ctxtui.mcp.tool import TEXT, TEXTS, Arguments, Call, Schema, Tool, in_thread

Ask = Callable[[ContextProvider, Call], object]
_REFERENCE: Final[Schema] = {"description": "its id, such as python/index, or a ContextReference"}


def _detect(provider: ContextProvider, call: Call) -> DetectionResult:
    given = call.arguments.inner("signals")
    if given is None:
        signals = collect_signals(call.project.root.path)
    else:
        keys = ("imports", "filePatterns", "codePatterns", "configFiles")
        signals = DetectionSignals(*(given.texts(key) for key in keys))
    return provider.detect_project_type(call.arguments.text("domain"), signals)


def _conditional(provider: ContextProvider, call: Call) -> object:
    given = call.arguments.inner("detection")
    detection = _detection(given) if given else _detect(provider, call)
    return provider.get_conditional_context(call.arguments.text("domain"), detection)


def _detection(given: Arguments) -> DetectionResult:
    return DetectionResult(
        framework=given.optional_text("framework") or "",
        libraries=given.texts("libraries"),
        architecture=given.optional_text("architecture") or "",
        testing_framework=given.optional_text("testingFramework") or "",
        recommended_files=given.texts("recommendedFiles"),
    )


def _sections(provider: ContextProvider, reference: ContextReference, names: Sequence[str]) -> PartialContextFile:
    """The named sections. Secrets are redacted as in the whole file."""
    found, whole = provider.materialize_sections(reference, names), provider.materialize(reference).content

    def hidden(text: str) -> str:
        at = whole.find(text)
        return text if at < 0 else Cut.of(whole, [(at, at + len(text))]).redacted()

    return replace(found, sections=tuple(replace(each, content=hidden(each.content)) for each in found.sections))


def _reference(provider: ContextProvider, call: Call) -> ContextReference:
    """The reference of an id or of an object with an id, read again, so that a caller's path is never used."""
    given = call.arguments.get("reference")
    inner = call.arguments.inner("reference") if isinstance(given, dict) else None
    id_ = inner.text("id") if inner else given
    if not isinstance(id_, str) or not id_:
        raise invalid("reference is neither an id DOMAIN/FILE nor a ContextReference")
    try:
        return _known(provider, *split_id(id_))
    except NotFound as error:
        if id_ in call.project.workspace().by_id:
            hint = f'build_payload reads it: picks ["{id_}#SECTION"]'
            raise NotFound(f"{id_} is a file of the project, in no catalog", hint=hint) from error
        raise


def _known(provider: ContextProvider, domain: str, file: str) -> ContextReference:
    found = provider.get_reference(domain, file)
    if found is None:
        raise NotFound(f"there is no {file} in {domain}", hint="get_catalog lists the files")
    return found


def _tool(
    name: str, description: str, ask: Ask, parameters: dict[str, Schema] | None = None, required: str = ""
) -> Tool:
    def run(call: Call) -> Any:
        with call.project.catalogs.use(call.arguments.optional_text("catalog"), call.tell) as provider:
            return to_json(ask(provider, call))

    return Tool(name, description, in_thread(run), parameters or {}, tuple(required.split()), of_catalog=True)


def _method(name: str, description: str, words: str = "") -> Tool:
    """The tool of a provider's method. Its parameters are `words` in order: a text, an optional one?, some texts*."""
    signs = {word.rstrip("?*"): word[-1] for word in words.split()}
    reading = {"?": Arguments.optional_text, "*": Arguments.texts}

    def ask(provider: ContextProvider, call: Call) -> object:
        given = (reading.get(sign, Arguments.text)(call.arguments, each) for each, sign in signs.items())
        return getattr(provider, name)(*given)

    required = " ".join(each for each, sign in signs.items() if sign != "?")
    return _tool(
        name, description, ask, {each: TEXTS if sign == "*" else TEXT for each, sign in signs.items()}, required
    )


CATALOG: Final = (
    _method("get_catalog", "List a domain's context files, or all, by metadata.", "domain?"),
    _method("get_domain_index", "Step 1: a domain's files, workflows and detection hints.", "domain"),
    _method("get_loading_protocol", "The five loading steps, the file budget and the priorities."),
    _method("get_always_load_files", "Step 2: the files that every task in a domain loads, with content.", "domain"),
    _tool(
        "detect_project_type",
        "Step 3: detect framework and libraries from signals, by default the project's own.",
        _detect,
        {
            "domain": TEXT,
            "signals": {
                "type": "object",
                "properties": dict.fromkeys(("imports", "filePatterns", "codePatterns", "configFiles"), TEXTS),
            },
        },
        "domain",
    ),
    _tool(
        "get_conditional_context",
        "Step 4: the files that a DetectionResult recommends, by default the project's own, with content.",
        _conditional,
        {"domain": TEXT, "detection": {"type": "object"}},
        "domain",
    ),
    _method(
        "get_cross_domain_context",
        "Step 5: files of other domains for triggers such as auth_code, with content.",
        "domain triggers*",
    ),
    _tool(
        "get_reference",
        "A file's metadata and sections, without content.",
        lambda provider, call: _known(provider, call.arguments.text("domain"), call.arguments.text("file")),
        {"domain": TEXT, "file": TEXT},
        "domain file",
    ),
    _tool(
        "materialize",
        "A file's whole content.",
        lambda provider, call: provider.materialize(_reference(provider, call)),
        {"reference": _REFERENCE},
        "reference",
    ),
    _tool(
        "materialize_sections",
        "Named sections of a file.",
        lambda provider, call: _sections(provider, _reference(provider, call), call.arguments.texts("sections")),
        {"reference": _REFERENCE, "sections": TEXTS},
        "reference sections",
    ),
    _method("search", "Find catalog files by tag, keyword, title or trigger, best first.", "query domain?"),
)
