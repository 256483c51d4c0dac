"""The audit's tasks for each text while it is counted."""

from __future__ import annotations

from typing import Final

from ctxtui.audit.declared import learn_declared
from ctxtui.audit.text.known_facts import learn_facts
from ctxtui.core.documents.count_files import TextTask

AUDIT_TASKS: Final[tuple[TextTask, ...]] = (learn_facts, learn_declared)
