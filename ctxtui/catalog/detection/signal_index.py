"""SignalIndex: lookup tables of a project's signals."""

from __future__ import annotations

import re
from collections.abc import Iterable
from functools import cached_property

from ctxtui.catalog.detection.indicators import Indicator, imported_paths, top_module
from ctxtui.catalog.types import DetectionSignals
from ctxtui.core.base.batches import firsts
from ctxtui.core.text.globs import compile_glob

_BOUNDED = 200_000


class SignalIndex:
    """The signals of a project, looked up by the signs of detection tables."""

    def __init__(self, signals: DetectionSignals) -> None:
        self._signals = signals
        self._files = [path.replace("\\", "/") for path in _texts([*signals.file_patterns, *signals.config_files])]
        self.imports = _texts(signals.imports)

    @cached_property
    def modules(self) -> dict[str, str]:
        """Every imported dotted path in lower case, with its statement. A bare name counts as a path."""
        paths = ((list(imported_paths(each)) or [each.strip()], each) for each in self.imports)
        return firsts((path.lower(), statement) for some, statement in paths for path in some)

    @cached_property
    def statement_by_top_module(self) -> dict[str, str]:
        return firsts((top_module(module), statement) for module, statement in self.modules.items())

    @cached_property
    def path_by_name(self) -> dict[str, str]:
        return firsts((path.rpartition("/")[2], path) for path in self._files if not path.endswith("/"))

    @cached_property
    def _path_by_folder(self) -> dict[str, str]:
        return firsts((folder, path) for path in self._files for folder in path.split("/")[:-1])

    @cached_property
    def _code(self) -> str:
        return "\n".join(" ".join(text.split()) for text in _texts(self._signals.code_patterns))[: _BOUNDED * 10]

    @cached_property
    def _imported_names(self) -> str:
        return "\n".join(self.imports)[:_BOUNDED]

    def matching_signal(self, sign: Indicator, by_package: bool = False) -> str | None:
        """The signal that matches a sign, or None. With `by_package`, any module of the same package matches."""
        if sign.kind == "import":
            return self._import_statement(sign.modules, by_package)
        if sign.kind == "file":
            return self._matching_path(sign.text)
        if sign.kind == "package":
            return self._import_statement(sign.modules, by_package) or self._dependency_line(sign)
        return self._line_with_code(sign.text)

    def _import_statement(self, modules: Iterable[str], by_package: bool) -> str | None:
        """A statement that imports one of the modules or a module below it, else None.

        With `by_package`, any module of the same package counts.
        """
        for module in modules:
            wanted = module.lower()
            if wanted in self.modules:
                return self.modules[wanted]
            if by_package and top_module(wanted) in self.statement_by_top_module:
                return self.statement_by_top_module[top_module(wanted)]
            for path, statement in self.modules.items():
                if path.startswith(wanted) and path[len(wanted)] in "./":
                    return statement
        return None

    def _dependency_line(self, sign: Indicator) -> str | None:
        """The line that names a dependency in quotes, as in `package.json`, or in code unless `strict`. Else None."""
        quoted = re.search(rf"[\"']{re.escape(sign.text)}(?:[./][\w./-]+)?[\"']", self._code, re.IGNORECASE)
        if quoted:
            return self._line(quoted.start())
        return None if sign.strict else self._line_with_code(sign.text)

    def _matching_path(self, pattern: str) -> str | None:
        """The first path that a file pattern matches, by folder, name or glob. Else None."""
        if pattern.endswith("/"):
            return self._path_by_folder.get(pattern.rstrip("/").rpartition("/")[2])
        name = pattern.rpartition("/")[2]
        if "*" not in pattern and not name.startswith("."):
            return self.path_by_name.get(name)
        if name in ("*", "**"):
            inner = pattern.rstrip("*").strip("/")
            return next((path for path in self._files if f"/{inner}/" in f"/{path}"), None)
        glob = compile_glob(f"*{name}" if name.startswith(".") else name)
        return next((path for each, path in self.path_by_name.items() if glob.matches(each)), None)

    def _line_with_code(self, text: str) -> str | None:
        """The line of code that contains a text as whole words, else the import of that name, else None."""
        # Calls with any arguments, tags with any attributes, whole words.
        span = " ".join(text.split())
        if span.endswith("()") or re.fullmatch(r"\[\w+\]|</?[\w-]+>", span):
            span = span[:-1]
        before = r"(?<![\w-])" if re.match(r"\w", span) else ""
        after = r"(?![\w-])" if re.search(r"\w$", span) else ""
        pattern = re.compile(before + re.escape(span) + after)
        if match := pattern.search(self._code):
            return self._line(match.start())
        named = pattern.search(self._imported_names) if text.isidentifier() else None
        if named is None:
            return None
        return self._imported_names[: named.end()].rpartition("\n")[2].strip() or text

    def _line(self, offset: int) -> str:
        start = self._code.rfind("\n", 0, offset) + 1
        end = self._code.find("\n", offset)
        return self._code[start : end if end >= 0 else len(self._code)]


def _texts(values: Iterable[object]) -> list[str]:
    return [value for value in values if isinstance(value, str)]
