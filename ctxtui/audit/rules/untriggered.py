"""The rule about rules that nothing triggers."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from ctxtui.agents.types import AT_START, LISTED
from ctxtui.audit.context import Audited
from ctxtui.audit.roles import is_fixture, is_readme, is_stand_in
from ctxtui.audit.rules.phrases import finding_of
from ctxtui.audit.rules.remedies import give_keys
from ctxtui.audit.text.named import is_named_anywhere
from ctxtui.audit.types import Finding, Remedy, Severity

# Cursor's keys in their documented order, and the key of Copilot's instructions.
_KEYS: Final = {
    "cursor": (("alwaysApply", "globs", "description"), "give it one of them"),
    "copilot": (("applyTo", "description"), 'give it `applyTo: "**"` or a narrower glob'),
}


def untriggered(audited: Audited) -> Iterator[Finding]:
    """Rules without a key that would load them, so that an agent reads them only if somebody names them."""
    read = frozenset(
        audited.real(charge.path)
        for context in audited.real_agents
        for charge in context.at(*AT_START, "touch", *LISTED)
    )
    for context in audited.real_agents:
        keys, remedy = _KEYS.get(context.agent.id, ((), ""))
        for charge in context.at("manual") if keys else ():
            path = charge.path
            is_aside = audited.is_vendored(path) or is_fixture(path) or is_stand_in(path) or is_readme(path)
            is_rule = charge.row.kind == "rule" and charge.row.globs and not is_aside
            # Copilot's command line reads instructions without a key, the editor does not.
            is_read = audited.real(path) in read
            if not is_rule or (is_read and context.agent.id != "copilot") or not (audited.text(path) or "").strip():
                continue
            if is_named_anywhere(audited, path):
                continue
            # Cursor writes `alwaysApply: false` and empty keys for a rule that is to be called by name.
            severity: Severity = "info" if is_read or audited.line_of(path, *keys) > 1 else "warning"
            lacks = f"{', '.join(keys[:-1])} and {keys[-1]} are missing or empty"
            name = context.agent.name
            message, many = (
                f"nothing makes {name} read it: {lacks}",
                f"nothing makes {name} read {{count}} rules: {lacks}",
            )
            steps = give_keys(audited, path, {"applyTo": '"**"'}) if keys[0] == "applyTo" else ()
            tokens, cause = audited.tokens(path) or 0, f"{context.agent.id}: no trigger"
            more = {"remedy": Remedy(remedy, steps=steps), "cause": cause, "many": many}
            yield finding_of([(context, charge)], "untriggered", severity, message, 1, tokens, "", **more)
