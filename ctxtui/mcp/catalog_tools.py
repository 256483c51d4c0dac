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
_SIGNALS: Final = ("imports", "filePatterns", "codePatterns", "configFiles")
_REFERENCE: Final[Schema] = {"description": "its id, such as python/index, or a ContextReference"}


def _detect(provider: ContextProvider, call: Call) -> DetectionResult:
    """The project type by the caller's signals, else by those of the served project."""
    given = call.arguments.inner("signals")
    if given is None:
        signals = collect_signals(call.project.root.path)
    else:
        signals = DetectionSignals(*map(given.texts, _SIGNALS))
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


def _redacted_sections(
    provider: ContextProvider, reference: ContextReference, names: Sequence[str]
) -> PartialContextFile:
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
        return _known_reference(provider, *split_id(id_))
    except NotFound as error:
        if id_ in call.project.workspace().by_id:
            hint = f'build_payload reads it: picks ["{id_}#SECTION"]'
            raise NotFound(f"{id_} is a file of the project, in no catalog", hint=hint) from error
        raise


def _known_reference(provider: ContextProvider, domain: str, file: str) -> ContextReference:
    found = provider.get_reference(domain, file)
    if found is None:
        raise NotFound(f"there is no {file} in {domain}", hint="get_catalog lists the files")
    return found


def _tool(name: str, description: str, words: str = "", ask: Ask | None = None, **schemas: Schema) -> Tool:
    """A tool that asks the catalog, by default the method of its name with the values of the parameters.

    `words` are the parameters in order: a text, an optional one?, some texts*. `schemas` are those of other types.
    """
    signs = {word.rstrip("?*"): word[-1] for word in words.split()}
    reading = {"?": Arguments.optional_text, "*": Arguments.texts}

    def method(provider: ContextProvider, call: Call) -> object:
        given = (reading.get(sign, Arguments.text)(call.arguments, each) for each, sign in signs.items())
        return getattr(provider, name)(*given)

    def run(call: Call) -> Any:
        with call.project.catalogs.use(call.arguments.optional_text("catalog"), call.tell) as provider:
            return to_json((ask or method)(provider, call))

    parameters = {each: TEXTS if sign == "*" else TEXT for each, sign in signs.items()} | schemas
    required = tuple(each for each, sign in signs.items() if sign != "?")
    return Tool(name, description, in_thread(run), parameters, required, of_catalog=True)


CATALOG: Final = (
    _tool("get_catalog", "List a domain's context files, or all, by metadata.", "domain?"),
    _tool("get_domain_index", "Step 1: a domain's files, workflows and detection hints.", "domain"),
    _tool("get_loading_protocol", "The five loading steps, the file budget and the priorities."),
    _tool("get_always_load_files", "Step 2: the files that every task in a domain loads, with content.", "domain"),
    _tool(
        "detect_project_type",
        "Step 3: detect framework and libraries from signals, by default the project's own.",
        "domain signals?",
        _detect,
        signals={"type": "object", "properties": dict.fromkeys(_SIGNALS, TEXTS)},
    ),
    _tool(
        "get_conditional_context",
        "Step 4: the files that a DetectionResult recommends, by default the project's own, with content.",
        "domain detection?",
        _conditional,
        detection={"type": "object"},
    ),
    _tool(
        "get_cross_domain_context",
        "Step 5: files of other domains for triggers such as auth_code, with content.",
        "domain triggers*",
    ),
    _tool(
        "get_reference",
        "A file's metadata and sections, without content.",
        "domain file",
        lambda provider, call: _known_reference(provider, call.arguments.text("domain"), call.arguments.text("file")),
    ),
    _tool(
        "materialize",
        "A file's whole content.",
        "reference",
        lambda provider, call: provider.materialize(_reference(provider, call)),
        reference=_REFERENCE,
    ),
    _tool(
        "materialize_sections",
        "Named sections of a file.",
        "reference sections*",
        lambda provider, call: _redacted_sections(
            provider, _reference(provider, call), call.arguments.texts("sections")
        ),
        reference=_REFERENCE,
    ),
    _tool("search", "Find catalog files by tag, keyword, title or trigger, best first.", "query domain?"),
)
