"""The rules of the audit: a table of functions, in the order of reports."""

from __future__ import annotations

from collections.abc import Iterable
from importlib import import_module
from typing import TYPE_CHECKING

from ctxtui.audit.rules.rule import Check, Rule

if TYPE_CHECKING:
    from ctxtui.audit.context import Audited
    from ctxtui.audit.types import Finding

USELESS = "useless-ignore"
"""The rule about ignores that match nothing."""


def _in(module: str, check: str) -> Check:
    """A check that is imported when it runs: the names of rules are needed much more often."""

    def found(audited: Audited) -> Iterable[Finding]:
        findings: Iterable[Finding] = getattr(import_module(f"{__name__}.{module}"), check)(audited)
        return findings

    return found


RULES: tuple[Rule, ...] = (
    Rule(
        "never-loaded",
        "warning",
        "Never loaded",
        "The file is where an agent looks, but its name, place or metadata silently keep it out.",
        _in("unloaded", "never_loaded"),
    ),
    Rule(
        "wrong-place",
        "warning",
        "Wrong place",
        "The file has an agent's file name or is in its folder, but that agent looks somewhere else.",
        _in("places", "wrong_places"),
    ),
    Rule(
        "missing-twin",
        "warning",
        "Missing twin",
        "Claude Code reads no AGENTS.md in a folder once the project has a CLAUDE.md.",
        _in("places", "missing_twins"),
    ),
    Rule(
        "shadowed",
        "warning",
        "Shadowed",
        "An agent skips AGENTS.md because of a file that does not lead to it, so that it never sees those rules.",
        _in("shadowed", "shadowed"),
    ),
    Rule(
        "differing-twins",
        "warning",
        "Differing twins",
        "Two files that repeat each other drift apart, and each agent gets other instructions.",
        _in("shadowed", "differing_twins"),
    ),
    Rule(
        "not-text",
        "warning",
        "Not text",
        "Bytes that are not UTF-8 reach the model as marks, or the file is skipped.",
        _in("not_text", "not_text"),
    ),
    Rule(
        "cut-by-limit",
        "error",
        "Over a hard limit",
        "Text beyond an agent's limit is cut, or the agent refuses the whole file, usually without a sign.",
        _in("unloaded", "cut_by_limit"),
    ),
    Rule(
        "near-limit",
        "info",
        "Near a limit",
        "The next lines that are added to it are lost, usually without a sign.",
        _in("sizes", "near_limit"),
    ),
    Rule(
        "large-start",
        "warning",
        "Large start",
        "A file this large costs much in every session, and agents follow it less well.",
        _in("sizes", "large_start"),
    ),
    Rule(
        "start-over-budget",
        "error",
        "Start over budget",
        "Every session and every subagent pays these tokens before the first request.",
        _in("costs", "start_over_budget"),
    ),
    Rule(
        "paid-twice",
        "warning",
        "Paid twice",
        "The same text enters the same context several times from the start.",
        _in("twice", "paid_twice"),
        saves=True,
    ),
    Rule(
        "listing-over-budget",
        "warning",
        "Listing over budget",
        "Descriptions that do not fit are dropped, and agents do not find what is not described.",
        _in("costs", "listing_over_budget"),
    ),
    Rule(
        "heavy-trigger",
        "info",
        "Heavy trigger",
        "One touched file or one called skill brings more text than most tasks need.",
        _in("costs", "heavy_trigger"),
    ),
    Rule(
        "could-be-scoped",
        "warning",
        "Could be scoped",
        "Text about one folder or language costs tokens in every session, but is needed only there.",
        _in("scope", "could_be_scoped"),
        saves=True,
    ),
    Rule(
        "changing-text",
        "info",
        "Changing text",
        "A provider caches a start up to the first change; text after a date or version is paid for in full.",
        _in("scope", "changing_text"),
    ),
    Rule(
        "frontmatter-rejected",
        "error",
        "Frontmatter rejected",
        "A strict reader drops the file or reads it without its metadata.",
        _in("frontmatter", "rejected"),
    ),
    Rule(
        "globs-ignored",
        "warning",
        "Globs ignored",
        "The rule is for some files, but every session pays for it.",
        _in("frontmatter", "ignored_globs"),
        saves=True,
    ),
    Rule(
        "dead-glob",
        "warning",
        "Dead glob",
        "A rule whose globs match no file is never read.",
        _in("frontmatter", "dead_globs"),
    ),
    Rule(
        "skill-name",
        "warning",
        "Skill name",
        "The specification forbids names that are not well formed or not the folder's; some agents drop such skills.",
        _in("skills", "skill_names"),
    ),
    Rule(
        "replaced-text",
        "warning",
        "Replaced text",
        "An agent puts words of the arguments into the code of a skill, which then means something else.",
        _in("skills", "replaced_text"),
    ),
    Rule(
        "broken-import",
        "warning",
        "Broken import",
        "Imports that are missing, too deep or circular are silently skipped.",
        _in("imports", "broken_imports"),
    ),
    Rule(
        "broken-link",
        "warning",
        "Broken link",
        "The model spends a call on a file that does not exist.",
        _in("links", "broken_links"),
    ),
    Rule(
        "missing-path",
        "info",
        "Missing path",
        "The model looks for a file that the text names and that does not exist.",
        _in("paths_named", "missing_paths"),
    ),
    Rule(
        "missing-file",
        "warning",
        "Missing file",
        "Agents silently skip files that a configuration names and that do not exist.",
        _in("named", "missing_files"),
    ),
    Rule(
        "token-drift",
        "warning",
        "Token drift",
        "Loaders that plan by declared numbers load too much or too little.",
        _in("declared", "token_drift"),
    ),
    Rule(
        "missing-section",
        "warning",
        "Missing section",
        "A declared section without a heading comes back empty when it is requested.",
        _in("declared", "missing_sections"),
    ),
    Rule(
        "wrong-identity",
        "warning",
        "Wrong identity",
        "References by the claimed id lead to another file or to none.",
        _in("catalog", "wrong_identity"),
    ),
    Rule(
        "wrong-index",
        "warning",
        "Wrong index",
        "Files that the index does not list are not found; missing files that it lists cost a search.",
        _in("catalog", "wrong_index"),
    ),
    Rule(
        "missing-target",
        "warning",
        "Missing cross-domain target",
        "A trigger that fires brings nothing.",
        _in("catalog", "missing_targets"),
    ),
    Rule(
        "repeated-text",
        "warning",
        "Repeated text",
        "The same lines in several files are paid for in each, and drift apart.",
        _in("repeated", "repeated_text"),
        saves=True,
    ),
    Rule(
        "server-twice",
        "warning",
        "Same MCP server twice",
        "A server under two names is started twice, and its tools are in context twice.",
        _in("servers", "servers_twice"),
    ),
    Rule(
        "tool-twice",
        "warning",
        "Same tool twice",
        "If two servers offer a tool of one name, the model can call the wrong one. Only servers that were weighed.",
        _in("servers", "tools_twice"),
    ),
    Rule(
        "heavy-tool",
        "warning",
        "Heavy tool",
        "The definition of a tool is sent with every request once it is loaded. Only servers that were weighed.",
        _in("servers", "heavy_tools"),
    ),
    Rule(
        "secret",
        "error",
        "Secret",
        "Credentials in context files go to the provider of the model with every session.",
        _in("hygiene", "secrets"),
    ),
    Rule(
        "invisible-text",
        "warning",
        "Invisible text",
        "Instructions can hide in characters that reviewers cannot see, and each costs tokens.",
        _in("hygiene", "invisible"),
        saves=True,
    ),
    Rule(
        "blob",
        "info",
        "Blob",
        "Encoded data and minified code cost many tokens and tell the model nothing.",
        _in("hygiene", "blobs"),
        saves=True,
    ),
    Rule(
        USELESS,
        "warning",
        "Useless ignore",
        "An ignore that matches nothing hides the next finding that it happens to match.",
        _in("ignores", "useless_comments"),
    ),
)
