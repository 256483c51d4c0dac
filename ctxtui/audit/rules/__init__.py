"""The rules of the audit: a table of functions, in the order in which they are told."""

from __future__ import annotations

from functools import partial

from ctxtui.audit.rules import (
    catalog,
    costs,
    declared,
    frontmatter,
    hygiene,
    ignores,
    leads,
    links,
    loading,
    repeated,
    twice,
)
from ctxtui.audit.rules.rule import Rule

_OF_CONTEXT: tuple[Rule, ...] = (
    Rule(
        "never-loaded",
        "warning",
        "Never loaded",
        "The file lies where an agent looks, and its name, place or metadata keep it out without a word.",
        loading.never_loaded,
    ),
    Rule(
        "cut-by-limit",
        "error",
        "Cut by a hard limit",
        "What lies beyond an agent's limit never reaches the model, mostly without a mark.",
        loading.cut_by_limit,
    ),
    Rule(
        "start-over-budget",
        "error",
        "Start over budget",
        "Every session and every subagent pays these tokens before anything is asked.",
        costs.start_over_budget,
    ),
    Rule(
        "paid-twice",
        "warning",
        "Paid twice",
        "The same text enters the same context several times from the start.",
        twice.paid_twice,
        saves=True,
    ),
    Rule(
        "listing-over-budget",
        "warning",
        "Listing over budget",
        "Descriptions that do not fit are dropped, and what is not described is not found.",
        costs.listing_over_budget,
    ),
    Rule(
        "heavy-trigger",
        "info",
        "Heavy trigger",
        "One touched file or one called skill brings more text than most tasks need.",
        costs.heavy_trigger,
    ),
    Rule(
        "frontmatter-rejected",
        "error",
        "Frontmatter rejected",
        "A strict reader drops the file or reads it without its metadata.",
        frontmatter.rejected,
    ),
    Rule(
        "globs-ignored",
        "warning",
        "Globs ignored",
        "The rule was meant for some files and is paid for in every session.",
        frontmatter.ignored_globs,
        saves=True,
    ),
    Rule(
        "dead-glob",
        "warning",
        "Dead glob",
        "A rule whose globs match no file is never read.",
        frontmatter.dead_globs,
    ),
    Rule(
        "broken-import",
        "warning",
        "Broken import",
        "Imports that are missing, too deep or circular are skipped in silence.",
        leads.broken_imports,
    ),
    Rule(
        "broken-link",
        "warning",
        "Broken link",
        "The model spends a call on a file that is not there.",
        links.broken_links,
    ),
    Rule(
        "token-drift",
        "warning",
        "Token drift",
        "Loaders that plan by declared numbers load too much or too little.",
        declared.token_drift,
    ),
    Rule(
        "missing-section",
        "warning",
        "Missing section",
        "A section that is declared and is no heading comes back empty when it is asked for.",
        declared.missing_sections,
    ),
    Rule(
        "wrong-identity",
        "warning",
        "Wrong identity",
        "References by the claimed id lead to another file or to none.",
        catalog.wrong_identity,
    ),
    Rule(
        "wrong-index",
        "warning",
        "Wrong index",
        "What the index does not list is not found, and what it lists in vain is looked for.",
        catalog.wrong_index,
    ),
    Rule(
        "missing-target",
        "warning",
        "Missing cross-domain target",
        "A trigger that fires brings nothing.",
        catalog.missing_targets,
    ),
    Rule(
        "repeated-text",
        "warning",
        "Repeated text",
        "The same lines in several files are paid for in each, and drift apart.",
        repeated.repeated_text,
        saves=True,
    ),
    Rule(
        "secret",
        "error",
        "Secret",
        "Credentials in context files go to the provider of the model with every session.",
        hygiene.secrets,
    ),
    Rule(
        "invisible-text",
        "warning",
        "Invisible text",
        "Instructions can hide in characters that no review shows, and each costs tokens.",
        hygiene.invisible,
        saves=True,
    ),
    Rule(
        "blob",
        "info",
        "Blob",
        "Encoded data and minified code cost many tokens and tell the model nothing.",
        hygiene.blobs,
        saves=True,
    ),
)

RULES: tuple[Rule, ...] = (
    *_OF_CONTEXT,
    Rule(
        ignores.USELESS,
        "warning",
        "Useless ignore",
        "An ignore that matches nothing hides the next finding that it happens to match.",
        partial(ignores.useless_comments, known=(*(rule.id for rule in _OF_CONTEXT), ignores.USELESS)),
    ),
)
