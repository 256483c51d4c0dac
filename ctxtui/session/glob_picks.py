"""Pattern picks: each is followed by picks of the documents that it matches in the current snapshot."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass, replace
from typing import Final

from ctxtui.core.base.errors import ContextError, invalid
from ctxtui.core.base.notices import Notice
from ctxtui.core.base.wording import plural
from ctxtui.core.text.code.languages import has_grammar
from ctxtui.core.text.globs import compile_glob, expand, is_pattern
from ctxtui.core.text.metadata.reference import Reference
from ctxtui.session.outlines import no_outline_notice, without_data
from ctxtui.session.picks import AnyPick, GlobPick, Pick
from ctxtui.session.selection import Selection
from ctxtui.workspace.choose import MAX_PATTERN, matching, own_word
from ctxtui.workspace.plain_files import large_left_notice
from ctxtui.workspace.workspace import Workspace

MAX_FILES: Final = 5_000
"""The maximum number of documents per pattern."""

MAX_WITHOUT: Final = 500
"""The maximum number of exclusions per pattern."""

# The maximum length of all alternatives together. Compiling more takes seconds.
_MAX_EXPANDED: Final = 20_000


@dataclass(frozen=True, slots=True)
class Matches:
    """The documents that a pattern matches in one snapshot, without large data, and notices."""

    references: tuple[Reference, ...]
    notices: tuple[Notice, ...]


def check_patterns(patterns: Sequence[str]) -> None:
    """Raise ContextError (invalid_request) unless a pattern and the exclusions behind it are valid and small."""
    if any(not pattern or len(pattern) > MAX_PATTERN for pattern in patterns):
        raise invalid(f"a pattern has 1 to {MAX_PATTERN:,} characters")
    if len(patterns) > MAX_WITHOUT + 1:
        raise invalid(f"a pattern is without at most {MAX_WITHOUT:,} others")
    if sum(len(choice) for pattern in filter(is_pattern, patterns) for choice in expand(pattern)) > _MAX_EXPANDED:
        raise invalid("patterns too large to match", hint="write fewer or shorter ones")
    for pattern in filter(is_pattern, patterns):
        if compile_glob(pattern).is_refused:
            hint = "close sets, give ranges in order, and at most 64 choices"
            raise invalid(f"{pattern} cannot be matched", hint=hint)
    if compile_glob(*filter(is_pattern, patterns[1:])).is_refused:
        raise invalid("patterns too large to match", hint="write fewer or shorter ones")


def matches_of(workspace: Workspace, pick: GlobPick) -> Matches:
    """The matches of a pattern, at most `MAX_FILES`, computed once per snapshot."""
    return workspace.once((pick.pattern, pick.without, pick.outline), lambda: _matches(workspace, pick))


def _matching_once(workspace: Workspace, patterns: tuple[str, ...]) -> tuple[Reference, ...]:
    return workspace.once(patterns, lambda: tuple(matching(workspace, *patterns))) if patterns else ()


def _matches(workspace: Workspace, pick: GlobPick) -> Matches:
    away = {each.id for each in _matching_once(workspace, pick.without)}
    every = [each for each in _matching_once(workspace, (pick.pattern,)) if each.id not in away]
    usual = [each for each in every if each.large is None]
    large = [each for each in every if each.large is not None]
    notices = [large_left_notice(large, pick.pattern)] if large else []
    if pick.outline and usual:
        outlined = without_data([each for each in usual if has_grammar(each.path)])
        ids = {each.id for each in outlined}
        other = [each.path for each in usual if each.id not in ids]
        usual = outlined
        notices += [no_outline_notice(other)] if other else []
    if not usual:
        notices.append(Notice("no-match", f"{pick.pattern} finds no file now"))
    if len(usual) > MAX_FILES:
        message = f"{pick.pattern} finds {plural(len(usual), 'file')}; the first {MAX_FILES:,} are picked"
        notices.append(Notice("too-many-files", message))
    return Matches(tuple(usual[:MAX_FILES]), tuple(notices))


def expanded(workspace: Workspace, selection: Selection) -> Selection:
    """The selection with each pattern followed by picks of its matches in this snapshot.

    A document that is picked by itself or by an earlier pattern is not picked again. Protected documents are pinned.
    """
    if selection.written is selection and not selection.patterns:
        return selection
    written = selection.written.picks
    owned = {pick.id for pick in written}
    picks: list[AnyPick] = []
    for pick in written:
        picks.append(pick)
        if not isinstance(pick, GlobPick):
            continue
        for reference in matches_of(workspace, pick).references:
            if reference.id not in owned:
                owned.add(reference.id)
                pinned = pick.pinned or reference.protected
                picks.append(Pick(reference.id, not pick.outline, (), pinned, of=pick.id, outline=pick.outline))
    return replace(selection, picks=tuple(picks))


def dropped(workspace: Workspace, selection: Selection, ids: Collection[str]) -> Selection:
    """The selection without the picks of `ids`. Patterns exclude these documents, and go if they match no other.

    A pattern with more exclusions than a recipe may have goes too. What is left of its matches is picked by itself.
    """
    gone = frozenset(ids)
    if not selection.patterns:
        return selection.without(gone)
    picks: list[AnyPick] = []
    ended: set[str] = set()
    for pick in selection.picks:
        if pick.id in gone:
            continue
        if isinstance(pick, GlobPick):
            kept = _narrowed(workspace, pick, gone)
            if kept is None:
                ended.add(pick.id)
            else:
                picks.append(kept)
        else:
            picks.append(replace(pick, of=None) if isinstance(pick, Pick) and pick.of in ended else pick)
    return replace(selection, picks=tuple(picks))


def _narrowed(workspace: Workspace, pick: GlobPick, gone: frozenset[str]) -> GlobPick | None:
    """The pattern without some documents, None if it matches no other or a recipe could not hold it."""
    references = matches_of(workspace, pick).references
    away = [each for each in references if each.id in gone]
    if not away:
        return pick
    if len(away) == len(references):
        return None
    words = (own_word(workspace, each) for each in away)
    without = tuple(dict.fromkeys((*pick.without, *words)))
    try:
        check_patterns((pick.pattern, *without))
    except ContextError:
        return None
    return replace(pick, without=without)
