"""Answer notebook queries with the outputs in the current project."""

from __future__ import annotations

from ctxtui.core.base.errors import invalid
from ctxtui.core.text.decode import decode_as_written
from ctxtui.core.text.notebook import is_notebook, notebook_outputs
from ctxtui.session.queries.answers import Answer, AnswerItem
from ctxtui.workspace.workspace import Workspace


def answer_outputs(workspace: Workspace, id_: str) -> Answer:
    """The outputs of a notebook on disk. Raises ContextError if there is no readable notebook."""
    reference = workspace.require(id_)
    if not is_notebook(reference.path):
        raise invalid(f"{reference.path} is not a notebook", hint="name an .ipynb file")
    content = workspace.reader.root.read(reference.path)
    raw, damage = decode_as_written(content.data, reference.path)
    text = notebook_outputs(raw)
    items = (AnswerItem(reference.id, "outputs", text, "notebook", reference.path),) if text else ()
    return Answer(items, text, (damage,) if damage else ())
