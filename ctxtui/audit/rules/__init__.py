"""The table of audit rules, in the order of reports."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from importlib import import_module
from typing import TYPE_CHECKING, Final, cast

from ctxtui.audit.rules.rule import Check, Rule

if TYPE_CHECKING:
    from ctxtui.audit.context import Audited
    from ctxtui.audit.types import Finding, Severity

USELESS = "useless-ignore"
"""The id of the rule about ignores without a match."""


@dataclass(frozen=True, slots=True)
class _Later:
    """A check that is imported when it runs, because most callers need only the names of rules."""

    module: str
    name: str

    def __call__(self, audited: Audited) -> Iterable[Finding]:
        return self.load()(audited)

    def load(self) -> Check:
        check: Check = getattr(import_module(f"{__name__}.{self.module}"), self.name)
        return check


def load_rules() -> None:
    """Import all checks (a tenth of a second) while the program waits for something else."""
    for rule in RULES:
        if isinstance(rule.check, _Later):
            rule.check.load()


# Id, severity and check of each rule, whether a fix saves tokens, and the reason for the rule.
_TABLE: Final = {
    "never-loaded warning unloaded.never_loaded": (
        "The file is where an agent looks, but its name, place or metadata silently keep it out."
    ),
    "wrong-place warning places.wrong_places": (
        "The file has an agent's file name or is in its folder, but that agent looks somewhere else."
    ),
    "untriggered warning untriggered.untriggered": (
        "Without a description, globs or another trigger, an agent reads a rule only if somebody names it."
    ),
    "missing-twin warning places.missing_twins": (
        "Claude Code reads no AGENTS.md in a folder once the project has a CLAUDE.md."
    ),
    "shadowed warning shadowed.shadowed": (
        "An agent skips AGENTS.md because of a file that does not lead to it, so that it never sees those rules."
    ),
    "differing-twins warning shadowed.differing_twins": (
        "Two files that repeat each other drift apart, and each agent gets other instructions."
    ),
    "not-text warning not_text.not_text": (
        "Bytes that are not UTF-8 reach the model as marks, or the file is skipped."
    ),
    "cut-by-limit error unloaded.cut_by_limit": (
        "Text beyond an agent's limit is cut, or the agent refuses the whole file, usually without a sign."
    ),
    "near-limit info sizes.near_limit": "The next lines that are added to it are lost, usually without a sign.",
    "large-start warning sizes.large_start": (
        "A file this large costs much in every session, and agents follow it less well."
    ),
    "start-over-budget error costs.start_over_budget": (
        "Every session and every subagent pays these tokens before the first request."
    ),
    "paid-twice warning twice.paid_twice saves": (
        "The same text enters the same context several times from the start."
    ),
    "listing-over-budget warning costs.listing_over_budget": (
        "Descriptions that do not fit are dropped, and agents do not find what is not described."
    ),
    "heavy-trigger info costs.heavy_trigger": (
        "One touched file or one called skill brings more text than most tasks need."
    ),
    "could-be-scoped warning scope.could_be_scoped saves": (
        "Text about one folder or language costs tokens in every session, but is needed only there."
    ),
    "changing-text info scope.changing_text": (
        "A provider caches a start up to the first change; text after a date or version is paid for in full."
    ),
    "frontmatter-rejected error frontmatter.rejected": (
        "A strict reader drops the file or reads it without its metadata."
    ),
    "globs-ignored warning frontmatter.ignored_globs saves": (
        "The rule is for some files, but every session pays for it."
    ),
    "dead-glob warning frontmatter.dead_globs": "A rule whose globs match no file is never read.",
    "skill-name warning skills.skill_names": (
        "The specification forbids names that are not well formed or not the folder's; some agents drop such skills."
    ),
    "replaced-text warning skills.replaced_text": (
        "An agent replaces `$1` in the code of a skill by an argument, so that the code changes."
    ),
    "broken-import warning imports.broken_imports": (
        "Imports that are missing, too deep or circular are silently skipped."
    ),
    "broken-link warning links.broken_links": "The model spends a call on a file that does not exist.",
    "missing-path info paths_named.missing_paths": (
        "The model looks for a file that the text names and that does not exist."
    ),
    "missing-command warning commands.missing_commands": (
        "The model runs a command that fails, and guesses what was meant."
    ),
    "missing-file warning named.missing_files": (
        "Agents silently skip files that a configuration names and that do not exist."
    ),
    "unknown-name warning unknown_names.unknown_names": (
        "An agent ignores tools, models and events of hooks that it does not know."
    ),
    "conflicting-text warning conflicts.conflicts": (
        "The text says something else than the project, and the model believes one of the two."
    ),
    "token-drift warning declared.token_drift": "Loaders that plan by declared numbers load too much or too little.",
    "missing-section warning declared.missing_sections": (
        "A declared section without a heading comes back empty when it is requested."
    ),
    "wrong-identity warning catalog.wrong_identity": "References by the claimed id lead to another file or to none.",
    "wrong-index warning catalog.wrong_index": (
        "Files that the index does not list are not found; missing files that it lists cost a search."
    ),
    "missing-target warning catalog.missing_targets": "A trigger that fires brings nothing.",
    "repeated-text warning repeated.repeated_text saves": (
        "The same lines in several files are paid for in each, and drift apart."
    ),
    "server-twice warning servers.servers_twice": (
        "A server under two names is started twice, and its tools are in context twice."
    ),
    "broken-server warning servers.broken_servers": (
        "A server that does not start gives no tools, and one without a version changes without a commit."
    ),
    "tool-twice warning servers.tools_twice": (
        "If two servers offer a tool of one name, the model can call the wrong one. Only servers that were weighed."
    ),
    "heavy-tool warning servers.heavy_tools": (
        "The definition of a tool is sent with every request once it is loaded. Only servers that were weighed."
    ),
    "secret error hygiene.secrets": (
        "Credentials in context files go to the provider of the model with every session."
    ),
    "invisible-text warning hygiene.invisible saves": (
        "Instructions can hide in characters that reviewers cannot see, and each costs tokens."
    ),
    "blob info hygiene.blobs saves": "Encoded data and minified code cost many tokens and tell the model nothing.",
    "useless-ignore warning ignores.useless_comments": (
        "An ignore that matches nothing hides the next finding that it happens to match."
    ),
}
_TITLES: Final = {
    "cut-by-limit": "Over a hard limit",
    "near-limit": "Near a limit",
    "missing-target": "Missing cross-domain target",
    "server-twice": "Same MCP server twice",
    "tool-twice": "Same tool twice",
}


def _rule(row: str, about: str) -> Rule:
    id_, severity, check, *saves = row.split()
    title = _TITLES.get(id_, id_.replace("-", " ").capitalize())
    return Rule(id_, cast("Severity", severity), title, about, _Later(*check.split(".")), bool(saves))


RULES: tuple[Rule, ...] = tuple(_rule(row, about) for row, about in _TABLE.items())
