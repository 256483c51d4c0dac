"""A terminal for the app to run in: a pty, a screen that understands what Textual writes, and a clock."""

import fcntl
import os
import re
import select
import struct
import subprocess
import termios
import time
from codecs import getincrementaldecoder
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import suppress
from typing import Any, NamedTuple

from rich.cells import cell_len

from tests.bench.processes import cpu_seconds, family

COLUMNS, ROWS = 120, 40
_ESCAPE = re.compile(
    r"\x1b\[(?P<values>[\d;:?<>=]*)[ -/]*(?P<final>[@-~])|\x1b\][^\x07\x1b]*(?:\x07|\x1b\\)"
    r"|\x1b[PX^_].*?\x1b\\|\x1b[()][0-9A-B]|\x1b[=>78]",
    re.DOTALL,
)
_FRAME_END = "\x1b[?2026l"
# Asked whether it can tell frames, the terminal says that it can.
_ASKS_FOR_FRAMES, _YES = b"\x1b[?2026$p", b"\x1b[?2026;2$y"


class Screen:
    """The characters on the screen, and which rows each frame writes."""

    def __init__(self) -> None:
        self._cells = [[" "] * COLUMNS for _ in range(ROWS)]
        self._touched: set[int] = set()
        self._row = self._column = 0
        self._rest = ""

    def rows(self) -> list[str]:
        return ["".join(row) for row in self._cells]

    def feed(self, text: str) -> list[set[int]]:
        """Draw; returns the rows that were written in each frame that ended, which must not take long."""
        text, ended, position = self._rest + text, [], 0
        for match in _ESCAPE.finditer(text):
            start, end = match.span()
            if start > position:
                self._draw(text[position:start])
            position = end
            if match["final"] == "H":
                row, _, column = match["values"].partition(";")
                self._row, self._column = int(row or 1) - 1, int(column or 1) - 1
            elif match["final"] == "l" and match[0] == _FRAME_END:
                ended.append(self._touched)
                self._touched = set()
        head, escape, rest = text[position:].partition("\x1b")
        self._draw(head)
        self._rest = escape + rest
        return ended

    def _draw(self, text: str) -> None:
        for number, line in enumerate(text.split("\n")):
            self._row += number > 0
            if "\r" in line:
                self._column = 0
                line = line.replace("\r", "")
            if line and 0 <= self._row < ROWS:
                self._put(line)

    def _put(self, line: str) -> None:
        self._touched.add(self._row)
        width = cell_len(line)
        cells = line if width == len(line) else "".join(c + "\0" * (cell_len(c) - 1) for c in line)
        room = max(0, COLUMNS - self._column)
        self._cells[self._row][self._column : self._column + width] = cells[:room]
        self._column += width


class Answer(NamedTuple):
    """Seconds from a key to the first frame and to the last one; the bytes of all."""

    first: float
    settled: float
    bytes: int


class App:
    """The program in a pty; measured from the moment before it is started."""

    def __init__(self, command: Sequence[str], home: Mapping[str, str]) -> None:
        self.screen = Screen()
        self._decoder = getincrementaldecoder("utf-8")("replace")
        self._read_at = 0.0
        self.received = 0  # bytes
        self._master, slave = os.openpty()
        fcntl.ioctl(slave, termios.TIOCSWINSZ, struct.pack("HHHH", ROWS, COLUMNS, 0, 0))
        self.started = time.perf_counter()
        streams: Any = dict.fromkeys(("stdin", "stdout", "stderr"), slave)
        own: Any = {"start_new_session": True, "preexec_fn": lambda: fcntl.ioctl(0, termios.TIOCSCTTY, 0)}
        self._process = subprocess.Popen(command, env=home, **streams, **own)
        os.close(slave)

    @property
    def pid(self) -> int:
        return self._process.pid

    def frames(self, seconds: float) -> Iterator[set[int]]:
        """The rows that each frame wrote, as the frames end, for so long."""
        end = time.perf_counter() + seconds
        while (left := end - time.perf_counter()) > 0:
            if not select.select([self._master], [], [], left)[0]:
                return
            try:
                data = os.read(self._master, 1 << 16)
            except OSError:
                raise SystemExit(f"the app ended early:\n{self.shown()}") from None
            self._read_at = time.perf_counter()
            self.received += len(data)
            if _ASKS_FOR_FRAMES in data:
                os.write(self._master, _YES)
            yield from self.screen.feed(self._decoder.decode(data))

    def shown(self) -> str:
        return "\n".join(row.rstrip() for row in self.screen.rows())

    def until(self, is_there: Callable[[set[int]], bool], seconds: float) -> float | None:
        """When the first frame ended that fulfills a condition (of the rows it wrote); None if none did."""
        for touched in self.frames(seconds):
            if is_there(touched):
                return self._read_at
        return None

    def press(self, key: str, is_answer: Callable[[set[int]], bool], patience: float = 2.0) -> float | None:
        """Seconds from a key to the end of the frame that answers it."""
        start = time.perf_counter()
        os.write(self._master, key.encode())
        end = self.until(is_answer, patience)
        return None if end is None else end - start

    def answer(self, key: str, quiet: float = 0.12, patience: float = 2.0) -> Answer:
        """What a key causes until it is quiet."""
        before, start = self.received, time.perf_counter()
        os.write(self._master, key.encode())
        first = self.until(lambda _: True, patience)
        last = first or time.perf_counter()
        while (later := self.until(lambda _: True, quiet)) is not None:
            last = later
        return Answer((first or last) - start, last - start, self.received - before)

    def wait(self, seconds: float) -> None:
        """Read what comes, for so long."""
        for _ in self.frames(seconds):
            pass

    def settle(self, seconds: float = 120.0) -> None:
        """Wait until the app is idle for two seconds, and no process works for it."""
        end, calm = time.perf_counter() + seconds, 0
        while calm < 2:
            before = cpu_seconds(self.pid)
            self.wait(1.0)
            is_calm = family(self.pid) == [self.pid] and cpu_seconds(self.pid) - before < 0.03
            calm = calm + 1 if is_calm else 0
            if time.perf_counter() > end:
                raise SystemExit(f"the app does not come to rest:\n{self.shown()}")

    def close(self) -> None:
        with suppress(ProcessLookupError, OSError):
            os.write(self._master, b"q")
            for _ in range(40):
                if self._process.poll() is not None:
                    break
                if select.select([self._master], [], [], 0.05)[0]:
                    os.read(self._master, 1 << 16)
            else:
                self._process.kill()
        self._process.wait()
        os.close(self._master)
