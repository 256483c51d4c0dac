"""How far off a declared number may be before the tree marks it: the settings of the audit."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from ctxtui.core.errors import ContextError
from ctxtui.session.config import load_config

if TYPE_CHECKING:
    from ctxtui.audit.types import Settings

_RULE = "token-drift"


def drift_settings(root: Path) -> Settings | None:
    """How far off a declared number may be in a project; None if the rule is off there."""
    # In the thread, once the tree is on the screen.
    from ctxtui.audit.declared import file_drift  # noqa: F401, PLC0415 - the rows of the tree need it next
    from ctxtui.audit.rule_settings import settings_for  # noqa: PLC0415
    from ctxtui.audit.types import Settings  # noqa: PLC0415

    try:
        settings = settings_for(_RULE, load_config(root, on_notice=lambda _notice: None))
    except ContextError:
        # The audit says what is wrong with the configuration.
        return Settings()
    return None if _RULE in settings.off else settings
