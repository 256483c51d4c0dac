"""The table of doors: adding one is a function that checks, and a row here."""

from typing import Final

from tests.fuzz import documents, projects, readers, structured, systems, whole
from tests.fuzz.door import Door

_READERS: Final = (
    Door("frontmatter", documents.headed, readers.read_metadata),
    Door("markdown", documents.document, readers.scan_markdown),
    Door("tasks", documents.document, readers.read_tasks),
    Door("code", structured.code, readers.divide_code),
    Door("labels", documents.document, readers.read_labels),
    Door("globs", structured.pattern, readers.read_globs),
    Door("bytes", documents.raw, readers.decode_bytes),
    Door("secrets", documents.document, readers.hide_secrets),
    Door("plain", structured.plain_text, readers.show_plain),
    Door("tokens", documents.document, readers.count_tokens),
    Door("record", documents.document, readers.read_entry),
    Door("recipe", structured.recipe, readers.read_recipe),
    Door("selection", structured.plain_text, readers.write_recipe),
    Door("config", structured.toml, readers.read_config),
    Door("entries", structured.entry, systems.keep_entries),
    Door("slices", structured.tree, systems.declare),
)
_PROJECTS: Final = (
    Door("loader", projects.context, systems.load, 6_000, True),
    Door("catalog", projects.catalog, systems.browse, 6_000, True),
    Door("retrieval", projects.project, systems.retrieve, 3_000, True),
    Door("payload", projects.project, whole.pay, 10_000, True),
    Door("audit", projects.project, whole.audit, 4_000, True),
    Door("leaks", projects.leaking, whole.leak, 1_000, True),
    Door("command", projects.project, whole.command, 4_000, True),
    Door("server", projects.project, whole.serve, 3_000, True),
)
DOORS: Final = {door.name: door for door in (*_READERS, *_PROJECTS)}
