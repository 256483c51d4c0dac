"""Templates by name: the user's own, the project's after the user agrees, and files that users name."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path, PurePosixPath
from typing import Final, Literal

from ctxtui.core.base.errors import ContextError, Gone, NotFound, invalid
from ctxtui.core.base.plain import plain_line
from ctxtui.core.base.wording import near
from ctxtui.core.disk.consents import has_consent, record_consent
from ctxtui.core.disk.content import Content
from ctxtui.core.disk.own_folders import own_settings
from ctxtui.core.disk.root import Root, read_file
from ctxtui.core.payload.template_render import Template

ENDING: Final = ".j2"
FOLDER: Final = ".ctxtui/templates"
_MAX_BYTES: Final = 256 * 1024
_NAME: Final = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]{0,79}")
_KIND: Final = "templates"
Whose = Literal["own", "project", "named"]


@dataclass(frozen=True, slots=True)
class TemplateName:
    """A template: the user's `own` by name, the `project`'s by path, or a file that the user `named`."""

    name: str
    whose: Whose

    @staticmethod
    def of(word: str) -> TemplateName:
        """The template that a recipe names. Raises ContextError (invalid_request)."""
        if "/" in word or word.endswith(ENDING):
            return TemplateName(word, "project")
        if not _NAME.fullmatch(word):
            hint = "write the name of one of yours, or a path below the project that ends with .j2"
            raise invalid(f"not a name for a template: {word!r}", hint=hint)
        return TemplateName(word, "own")

    @property
    def title(self) -> str:
        """The name without folders and ending."""
        return PurePosixPath(self.name).name.removesuffix(ENDING)

    @property
    def suffix(self) -> str:
        """The ending of files written with it: `.xml` for `review.xml.j2`, by default `.md`."""
        return PurePosixPath(self.title).suffix or ".md"


def own_folder() -> Path:
    return own_settings() / "templates"


def known_templates(root: Root) -> list[TemplateName]:
    """The user's own templates, then the project's, both sorted by name. Unreadable folders have none."""
    own = [TemplateName(name, "own") for name in _own_names()]
    return [*own, *(TemplateName(f"{FOLDER}/{name}", "project") for name in _template_names(root, FOLDER))]


def _own_names() -> list[str]:
    folder = own_folder()
    return [name.removesuffix(ENDING) for name in _template_names(Root(folder.parent), folder.name)]


def _template_names(root: Root, folder: str) -> Sequence[str]:
    try:
        names = root.names(folder)
    except ContextError:
        return ()
    return [name for name in names if name.endswith(ENDING) and _NAME.fullmatch(name.removesuffix(ENDING))]


def read_template(root: Root, which: TemplateName) -> Template:
    """A template, agreed to or not. Raises NotFound, and ContextError if it cannot be read."""
    if which.whose == "own":
        file = f"{which.name}{ENDING}"
        return _read(which, file, lambda: read_file(own_folder() / file, _MAX_BYTES))
    if which.whose == "project":
        return _read(which, which.name, lambda: root.read(which.name, _MAX_BYTES))
    return _read(which, which.name, lambda: read_file(Path(which.name), _MAX_BYTES))


def _read(which: TemplateName, name: str, read: Callable[[], Content]) -> Template:
    """The template in the file `name` that `read` returns. Raises as `read_template` does."""
    shown = plain_line(name)
    try:
        return Template(name, read().data.decode("utf-8-sig"))
    except Gone as error:
        hint = None
        if which.whose == "own":
            path = f"{FOLDER}/{which.name}{ENDING}"
            likely = f"put it into {own_folder()}, or name one of the project's by its path, such as {path}"
            hint = near(which.name, _own_names()) or likely
        raise NotFound(f"no template {shown}", hint=hint) from error
    except UnicodeDecodeError as error:
        raise ContextError("unavailable", f"{shown} is not valid UTF-8", hint="save it as UTF-8") from error


def has_agreed(which: TemplateName, template: Template) -> bool:
    """Whether a template may be used. A project's template needs the user's consent to exactly this text."""
    return which.whose != "project" or has_consent(_KIND, template.digest)


def agree(template: Template, root: Root) -> None:
    """Record the user's consent to a project's template. Raises ContextError (unavailable)."""
    record_consent(_KIND, template.digest, {"name": template.name, "place": str(root.path)})


def load_template(root: Root, which: TemplateName) -> Template:
    """A template that may be used. Raises as `read_template`, and invalid_request without the user's consent."""
    template = read_template(root, which)
    if not has_agreed(which, template):
        shown = plain_line(which.name)
        raise invalid(
            f"{shown} is the project's template and decides what leaves, and you have not agreed to its text",
            hint=f"read it; F in the app asks for your yes, or name it yourself: ctxtui build … --template {shown}",
        )
    return template
