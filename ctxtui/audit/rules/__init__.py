"""The rules of the audit: a table of functions, in the order of reports."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from importlib import import_module
from typing import TYPE_CHECKING

from ctxtui.audit.rules.rule import Check, Rule

if TYPE_CHECKING:
    from ctxtui.audit.context import Audited
    from ctxtui.audit.types import Finding

USELESS = "useless-ignore"
"""The rule about ignores that match nothing."""


@dataclass(frozen=True, slots=True)
class _Later:
    """A check that is imported when it runs: the names of rules are needed much more often."""

    module: str
    name: str

    def __call__(self, audited: Audited) -> Iterable[Finding]:
        return self.load()(audited)

    def load(self) -> Check:
        """The check itself."""
        check: Check = getattr(import_module(f"{__name__}.{self.module}"), self.name)
        return check


def load_rules() -> None:
    """Import all checks, which takes a tenth of a second, while there is something else to wait for."""
    for rule in RULES:
        if isinstance(rule.check, _Later):
            rule.check.load()


RULES: tuple[Rule, ...] = (
    Rule(
        "never-loaded",
        "warning",
        "Never loaded",
        "The file is where an agent looks, but its name, place or metadata silently keep it out.",
        _Later("unloaded", "never_loaded"),
    ),
    Rule(
        "wrong-place",
        "warning",
        "Wrong place",
        "The file has an agent's file name or is in its folder, but that agent looks somewhere else.",
        _Later("places", "wrong_places"),
    ),
    Rule(
        "missing-twin",
        "warning",
        "Missing twin",
        "Claude Code reads no AGENTS.md in a folder once the project has a CLAUDE.md.",
        _Later("places", "missing_twins"),
    ),
    Rule(
        "shadowed",
        "warning",
        "Shadowed",
        "An agent skips AGENTS.md because of a file that does not lead to it, so that it never sees those rules.",
        _Later("shadowed", "shadowed"),
    ),
    Rule(
        "differing-twins",
        "warning",
        "Differing twins",
        "Two files that repeat each other drift apart, and each agent gets other instructions.",
        _Later("shadowed", "differing_twins"),
    ),
    Rule(
        "not-text",
        "warning",
        "Not text",
        "Bytes that are not UTF-8 reach the model as marks, or the file is skipped.",
        _Later("not_text", "not_text"),
    ),
    Rule(
        "cut-by-limit",
        "error",
        "Over a hard limit",
        "Text beyond an agent's limit is cut, or the agent refuses the whole file, usually without a sign.",
        _Later("unloaded", "cut_by_limit"),
    ),
    Rule(
        "near-limit",
        "info",
        "Near a limit",
        "The next lines that are added to it are lost, usually without a sign.",
        _Later("sizes", "near_limit"),
    ),
    Rule(
        "large-start",
        "warning",
        "Large start",
        "A file this large costs much in every session, and agents follow it less well.",
        _Later("sizes", "large_start"),
    ),
    Rule(
        "start-over-budget",
        "error",
        "Start over budget",
        "Every session and every subagent pays these tokens before the first request.",
        _Later("costs", "start_over_budget"),
    ),
    Rule(
        "paid-twice",
        "warning",
        "Paid twice",
        "The same text enters the same context several times from the start.",
        _Later("twice", "paid_twice"),
        saves=True,
    ),
    Rule(
        "listing-over-budget",
        "warning",
        "Listing over budget",
        "Descriptions that do not fit are dropped, and agents do not find what is not described.",
        _Later("costs", "listing_over_budget"),
    ),
    Rule(
        "heavy-trigger",
        "info",
        "Heavy trigger",
        "One touched file or one called skill brings more text than most tasks need.",
        _Later("costs", "heavy_trigger"),
    ),
    Rule(
        "could-be-scoped",
        "warning",
        "Could be scoped",
        "Text about one folder or language costs tokens in every session, but is needed only there.",
        _Later("scope", "could_be_scoped"),
        saves=True,
    ),
    Rule(
        "changing-text",
        "info",
        "Changing text",
        "A provider caches a start up to the first change; text after a date or version is paid for in full.",
        _Later("scope", "changing_text"),
    ),
    Rule(
        "frontmatter-rejected",
        "error",
        "Frontmatter rejected",
        "A strict reader drops the file or reads it without its metadata.",
        _Later("frontmatter", "rejected"),
    ),
    Rule(
        "globs-ignored",
        "warning",
        "Globs ignored",
        "The rule is for some files, but every session pays for it.",
        _Later("frontmatter", "ignored_globs"),
        saves=True,
    ),
    Rule(
        "dead-glob",
        "warning",
        "Dead glob",
        "A rule whose globs match no file is never read.",
        _Later("frontmatter", "dead_globs"),
    ),
    Rule(
        "skill-name",
        "warning",
        "Skill name",
        "The specification forbids names that are not well formed or not the folder's; some agents drop such skills.",
        _Later("skills", "skill_names"),
    ),
    Rule(
        "replaced-text",
        "warning",
        "Replaced text",
        "An agent puts words of the arguments into the code of a skill, which then means something else.",
        _Later("skills", "replaced_text"),
    ),
    Rule(
        "broken-import",
        "warning",
        "Broken import",
        "Imports that are missing, too deep or circular are silently skipped.",
        _Later("imports", "broken_imports"),
    ),
    Rule(
        "broken-link",
        "warning",
        "Broken link",
        "The model spends a call on a file that does not exist.",
        _Later("links", "broken_links"),
    ),
    Rule(
        "missing-path",
        "info",
        "Missing path",
        "The model looks for a file that the text names and that does not exist.",
        _Later("paths_named", "missing_paths"),
    ),
    Rule(
        "missing-file",
        "warning",
        "Missing file",
        "Agents silently skip files that a configuration names and that do not exist.",
        _Later("named", "missing_files"),
    ),
    Rule(
        "token-drift",
        "warning",
        "Token drift",
        "Loaders that plan by declared numbers load too much or too little.",
        _Later("declared", "token_drift"),
    ),
    Rule(
        "missing-section",
        "warning",
        "Missing section",
        "A declared section without a heading comes back empty when it is requested.",
        _Later("declared", "missing_sections"),
    ),
    Rule(
        "wrong-identity",
        "warning",
        "Wrong identity",
        "References by the claimed id lead to another file or to none.",
        _Later("catalog", "wrong_identity"),
    ),
    Rule(
        "wrong-index",
        "warning",
        "Wrong index",
        "Files that the index does not list are not found; missing files that it lists cost a search.",
        _Later("catalog", "wrong_index"),
    ),
    Rule(
        "missing-target",
        "warning",
        "Missing cross-domain target",
        "A trigger that fires brings nothing.",
        _Later("catalog", "missing_targets"),
    ),
    Rule(
        "repeated-text",
        "warning",
        "Repeated text",
        "The same lines in several files are paid for in each, and drift apart.",
        _Later("repeated", "repeated_text"),
        saves=True,
    ),
    Rule(
        "server-twice",
        "warning",
        "Same MCP server twice",
        "A server under two names is started twice, and its tools are in context twice.",
        _Later("servers", "servers_twice"),
    ),
    Rule(
        "tool-twice",
        "warning",
        "Same tool twice",
        "If two servers offer a tool of one name, the model can call the wrong one. Only servers that were weighed.",
        _Later("servers", "tools_twice"),
    ),
    Rule(
        "heavy-tool",
        "warning",
        "Heavy tool",
        "The definition of a tool is sent with every request once it is loaded. Only servers that were weighed.",
        _Later("servers", "heavy_tools"),
    ),
    Rule(
        "secret",
        "error",
        "Secret",
        "Credentials in context files go to the provider of the model with every session.",
        _Later("hygiene", "secrets"),
    ),
    Rule(
        "invisible-text",
        "warning",
        "Invisible text",
        "Instructions can hide in characters that reviewers cannot see, and each costs tokens.",
        _Later("hygiene", "invisible"),
        saves=True,
    ),
    Rule(
        "blob",
        "info",
        "Blob",
        "Encoded data and minified code cost many tokens and tell the model nothing.",
        _Later("hygiene", "blobs"),
        saves=True,
    ),
    Rule(
        USELESS,
        "warning",
        "Useless ignore",
        "An ignore that matches nothing hides the next finding that it happens to match.",
        _Later("ignores", "useless_comments"),
    ),
)
