"""Answer git queries: diffs, commit messages and changed files."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Final

from ctxtui.core.base.errors import ContextError
from ctxtui.core.base.notices import Notice
from ctxtui.core.base.plain import plain_line
from ctxtui.core.base.wording import byte_size, noun, plural, some
from ctxtui.core.disk.git.changes import MARKS
from ctxtui.core.disk.open_at import is_folder
from ctxtui.core.documents.git_diff import (
    MAX_COMPARED,
    FileDiff,
    read_diff,
    untracked,
    whole_versions,
    with_old_texts,
)
from ctxtui.core.documents.git_history import Commit, read_log
from ctxtui.core.text.metadata.reference import Reference, encode_id
from ctxtui.core.text.notebook import is_notebook
from ctxtui.core.text.secrets import Secret, find_in_cut
from ctxtui.retrieval.secret_files import is_secret_file
from ctxtui.session.picks import Pick
from ctxtui.session.queries.answers import Answer, AnswerItem
from ctxtui.session.queries.git_questions import Changes, Commits, path_filter
from ctxtui.workspace.listing import kept_by
from ctxtui.workspace.plain_files import large_reasons
from ctxtui.workspace.workspace import Workspace

_GIT: Final = "git"
_NOT_SHOWN: Final = "(not shown)"
_OWN: Final = ".ctxtui/"
# The diff of a file with more characters is named, not shown.
_HUGE: Final = 500_000
_TOLD: Final = 5


def answer_log(workspace: Workspace, question: Commits, name: str) -> Answer:
    """The messages of commits. Raises ContextError without git or for an unknown ref. `name` is for notices."""
    commits, has_more = read_log(workspace.root, question.span, question.limit, question.paths)
    items = tuple(AnswerItem("", "commit", _message(each), _GIT, each.id) for each in commits)
    commits_shown = plural(question.limit, "commit")
    more = f"{name} has more than {commits_shown}; the newest are taken, `limit` takes more"
    notices = (Notice("log-bounded", more),) if has_more else ()
    return Answer(items, "\n".join(item.text for item in items), notices, language="")


def _message(commit: Commit) -> str:
    body = f"\n{commit.body}\n" if commit.body else ""
    return f"{commit.id} {commit.day} {commit.subject}\n{body}"


def answer_diff(workspace: Workspace, question: Changes, name: str) -> Answer:
    """The diff of each file in scope. Large, binary and secret files are named in a last item, not shown.

    Excluded and untracked files are notices. `name` is for notices. Raises ContextError without git or for an unknown
    ref.
    """
    keeps, is_wanted = kept_by(workspace.scope, workspace.root), path_filter(question)
    found = [each for each in read_diff(workspace.root, question.between, question.paths) if is_wanted(each.path)]
    files = [each for each in found if keeps(each.path)]
    notices = _notice_on("out-of-scope", name, [each.path for each in found if not keeps(each.path)], _EXCLUDED)
    if question.between.is_on_disk:
        unknown = (path for path in untracked(workspace.root, question.paths) if keeps(path) and is_wanted(path))
        notices += _notice_on("untracked", name, unknown, _UNTRACKED)
    why = large_reasons(workspace.reader.root.read)
    named: dict[str, str] = {}
    for each in files:
        line = _line_instead(each, None if each.path in question.paths else why(each.path, 0), workspace.root)
        if line is not None:
            named[each.path] = line
    hidden = _secrets_by_path(workspace, [each for each in files if each.path not in named])
    shown = [
        AnswerItem(
            encode_id(each.path), MARKS.get(each.mark, each.mark), each.text, _GIT, each.path, (each.path,), secrets
        )
        for each in files
        if (secrets := hidden.get(each.path)) is not None
    ]
    if named:
        lines = "".join(named.values())
        shown.append(AnswerItem(_NOT_SHOWN, "not shown", lines, _GIT, "changes not shown", tuple(named)))
    text = "".join(item.text for item in shown)
    return Answer(tuple(shown), text, notices, language="diff", apart=not question.whole)


def _secrets_by_path(workspace: Workspace, files: Sequence[FileDiff]) -> dict[str, tuple[Secret, ...]]:
    """The secrets in each diff, by path. Whole files are searched: a diff may lack the key that names a secret."""
    cache = workspace.reader.cache
    return {
        file.path: tuple(find_in_cut(file.text, whole_versions(file.text, old), cache))
        for file, old in with_old_texts(workspace.root, files)
    }


def _line_instead(file: FileDiff, why: str | None, root: Path) -> str | None:
    """The line that replaces a change that is not shown, None if it is shown. `why` says it is large data."""
    path = plain_line(file.path)
    word = MARKS.get(file.mark, file.mark)
    if not file.text:
        return f"{word}: {path}\n"
    if file.added is None:
        kind = "very large" if _is_too_large(root / file.path) else "binary"
        return f"{kind} file {word}: {path}\n"
    if is_secret_file(file.path):
        why = "a file for secrets"
    if why is None and len(file.text) <= _HUGE:
        return None
    reason = f" ({why})" if why else ""
    size = byte_size(len(file.text.encode("utf-8", "replace")))
    return f"diff of {size} not shown{reason}: {path}, +{file.added:,} −{file.removed or 0:,} lines\n"


def _is_too_large(place: Path) -> bool:
    """Whether a file on disk is too large to be compared. False for a deleted file."""
    try:
        return place.lstat().st_size > MAX_COMPARED
    except OSError:
        return False


def answer_changed(workspace: Workspace, question: Changes, name: str) -> Answer:
    """Picks of the changed files as they are on disk, or of their changed sections. The items have no text.

    Deleted, unlisted and large files and submodules are notices. `name` is for notices. Raises as `answer_diff` does.
    """
    between, paths, root = question.between, question.paths, workspace.root
    found = {each.path: each for each in read_diff(root, between, paths, 0)}
    if question.sections and not between.is_on_disk:
        # Files are taken from disk, so line numbers must be those on disk.
        found |= {each.path: each for each in read_diff(root, between, paths, 0, True) if each.path in found}
    if between.is_on_disk:
        found |= {path: FileDiff(path, "?") for path in untracked(root, paths)}
    is_wanted = path_filter(question)
    found = {path: each for path, each in found.items() if is_wanted(path)}
    gone = [path for path, each in found.items() if each.mark == "D"]
    left = [path for path in found if path not in workspace.by_path and path not in gone]
    references = [each for each in workspace.references if not found.keys().isdisjoint(each.paths)]
    large = {each.path for each in references if each.is_on_request and each.path not in paths}
    picks: list[Pick] = []
    items: list[AnswerItem] = []
    whole: dict[str, list[str]] = {}
    for reference in references:
        if reference.path in large:
            continue
        here = tuple(path for path in reference.paths if path in found)
        file = found[here[0]]
        pick = Pick(reference.id, pinned=reference.protected)
        if question.sections and file.lines:
            pick, why = _pick_of_changed(workspace, reference, pick, file)
            if why:
                whole.setdefault(why, []).append(reference.path)
        picks.append(pick)
        items.append(AnswerItem(reference.id, MARKS.get(file.mark, file.mark), "", _GIT, reference.path, here))
    notices = _notice_on("deleted", name, gone, "{} deleted, so there is nothing to take")
    inner = {path for path in left if is_folder(root / path) and not (root / path).is_symlink()}
    notices += _notice_on("submodule", name, inner, "{} a submodule; open {them} by {themselves}")
    # The project's own recipes and templates are no context, and nobody expects them listed.
    left = [path for path in left if path not in inner and not path.startswith(_OWN)]
    notices += _notice_on(
        "not-listed", name, left, "{} not listed, as text that is ignored, excluded or binary is not"
    )
    notices += _notice_on("large-left-out", name, large, "{} large data and left out; pick what you need by its path")
    for why, lacking in whole.items():
        literal = why.replace("{", "{{").replace("}", "}}")
        notices += _notice_on("no-grammar", name, lacking, f"{{}} sent whole, {literal}")
    return Answer(tuple(items), "", notices, picks=tuple(picks))


def _pick_of_changed(workspace: Workspace, reference: Reference, pick: Pick, file: FileDiff) -> tuple[Pick, str]:
    """The pick of the parts with changed lines, else `pick`, and the reason if no parts can be told, else ""."""
    if is_notebook(reference.path):
        return pick, "as git compares the JSON of a notebook, not its cells"
    try:
        document = workspace.document(reference)
    except ContextError:
        # The payload reports the error.
        return pick, ""
    starts = _offsets(document.text)
    last = len(starts) - 1
    ranges = [(starts[max(min(first, last) - 1, 0)], starts[min(end, last)]) for first, end in file.lines]
    touched = [any(start < part.own_end and part.start < end for start, end in ranges) for part in document.parts]
    if not any(touched):
        return pick, ""
    marks = tuple((part.slug, is_touched) for part, is_touched in zip(document.parts, touched, strict=True))
    return Pick(pick.id, False, marks, pick.pinned), document.why_undivided


def _offsets(text: str) -> list[int]:
    """The offsets of the lines, which for git end with a line feed only, and the offset of the text's end."""
    found = [0, *(feed.end() for feed in re.finditer("\n", text))]
    return found if found[-1] == len(text) else [*found, len(text)]


_UNTRACKED: Final = "{} not in the diff, as git does not know {them}; add {them} with git, or take the changed files"
_EXCLUDED: Final = "{} excluded from the project's files"


def _notice_on(code: str, name: str, paths: Iterable[str], words: str) -> tuple[Notice, ...]:
    """One notice about all `paths` of the query `name`, or none without paths.

    The template `words` begins with `{}` for words such as `2 files are`. `{them}` and `{themselves}` agree with it.
    """
    found = [plain_line(path) for path in sorted(paths)]
    if not found:
        return ()
    files = f"{plural(len(found), 'file')} {noun(len(found), 'is', 'are')}"
    told = words.format(
        files, them=noun(len(found), "it", "them"), themselves=noun(len(found), "itself", "themselves")
    )
    return (Notice(code, f"{name}: {told}: {some(found, _TOLD)}"),)
