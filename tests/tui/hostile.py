"""A project that tries to break the screen: markup, escapes, odd characters, damaged files."""

import os
from pathlib import Path

MARKUP = ("[red]x[/]", "[/", "a[/b]c", "[@click=app.quit]go", "[link=file:x]y", "[true, false]", "[[x]]", "\\[b]")
ESCAPES = (
    "\x1b[31mred",
    "\x1b]0;PWNED-TITLE\x07",
    "\x1b]52;c;UFdORUQ=\x07",
    "\x1b[2J\x1b[H",
    "\x9b31m",
    "\x9d52;c;UFdORUQ=\x9c",
    "\x1bP$q\x1b\\",
    "\x07\x08\x0b\x0c\x0e\x7f",
    "\x85\x1c\x1d",
)
BIDI = ("\u202etxet", "\u2066x\u2069", "\u200fr", "\u061c", "a\u200bb", "\u2028x", "\u2029y", "\ufeffz", "\U000e0041")
WIDE = (
    "漢字テスト",
    "e\u0301\u0302\u0303 combining",
    "\N{MAN}\u200d\N{WOMAN}\u200d\N{GIRL}",
    "\N{REGIONAL INDICATOR SYMBOL LETTER D}\N{REGIONAL INDICATOR SYMBOL LETTER E}",
    "\u2764\ufe0f heart",
    "ｆｕｌｌ",
    "\u0e01\u0e33 thai",
    "\U0001f44d\U0001f3fd skin",
    "한글",
    "\u1100\u1161 jamo",
)
TEXTS = (*MARKUP, *ESCAPES, *BIDI, *WIDE)

# What must never reach the screen: C0, DEL and C1, bidirectional and invisible characters.
FORBIDDEN = (
    set(map(chr, range(0x20)))
    | set(map(chr, range(0x7F, 0xA0)))
    | set("\u061c\u200b\u200e\u200f\u2028\u2029\u202a\u202b\u202c\u202d\u202e\u2060\u2066\u2067\u2068\u2069\ufeff")
)


def _document(title: str) -> str:
    front = f"---\ntitle: {title!r}\ntags: [{', '.join(repr(each) for each in MARKUP)}]\n'[b]key': '[/]'\n---\n"
    return front + f"# {title}\n\n" + "".join(f"## {each}\n\n{each}\n\n- [ ] {each}\n\n" for each in TEXTS)


def _files() -> dict[str, bytes | str]:
    long_line = "# Long\n\n" + "x" * 10_000 + "\n" + "漢" * 10_000 + "\n"
    many = "".join(f"{'#' * (number % 6 + 1)} Heading {number}\n\ntext\n\n" for number in range(5_000))
    bomb = "a: &a [x,x,x,x,x,x,x,x,x]\n" + "".join(
        f"{chr(98 + n)}: &{chr(98 + n)} [{','.join([f'*{chr(97 + n)}'] * 9)}]\n" for n in range(12)
    )
    files: dict[str, bytes | str] = {
        "AGENTS.md": _document("Agents"),
        "CLAUDE.md": "@../../../etc/passwd\n@AGENTS.md\n@CLAUDE.md\n# Claude\n",
        ".context/TASKS.md": _document("Tasks"),
        ".context/CONSTITUTION.md": "",
        "docs/long.md": long_line,
        "docs/crlf.md": "# One\r\n\r\ntext\r\n## Two\r\n\r\nmore\r\n",
        "docs/cr.md": "# One\rtext\r## Two\rmore\r",
        "docs/bom.md": b"\xef\xbb\xbf---\ntitle: x\n---\n# Bom\n",
        "docs/utf16.md": "# Sixteen\n\ntext\n".encode("utf-16"),
        "docs/invalid.md": b"# Bad \xff\xfe\n\n\xc3\x28 \xed\xa0\x80\n",
        "docs/binary.md": b"# Bin\0ary\n",
        "docs/empty.md": b"",
        "docs/newline-only.md": b"\n",
        "docs/fence.md": "# Fence\n\n```python\n# not a heading\n\n## neither\n",
        "docs/open-front.md": "---\ntitle: x\n# Heading\n\ntext\n",
        "docs/broken-yaml.md": "---\ntitle: [unclosed\n  bad: : :\n\t- x\n---\n# Broken\n",
        "docs/bomb.md": f"---\n{bomb}---\n# Bomb\n",
        "docs/many.md": many,
        "docs/nested.md": "> " * 300 + "deep\n\n" + "".join("  " * n + "- x\n" for n in range(150)) + "[" * 3_000,
        "docs/table.md": "|a|b|\n|-|-|\n"
        + "|\x1b[31m|[red]|\n" * 3
        + "\n<script>x</script>\n\n![[/]](x) [x](javascript:y)\n",
        "docs/html.md": "<!-- never closed\n# Inside\n",
        "docs/only-front.md": "---\ntitle: x\n---\n",
        "docs/numbers.md": "---\n1: 2\nnull: 3\n2024-01-01: x\n? [a]\n: b\n"
        "tokens: !!python/object:os.system x\n---\n# N\n",
        "/".join(["deep"] * 60) + "/deep.md": "# Deep\n",
        "notes/one.md": "---\nentryId: same\ncategory: X\ncreatedAt: nonsense\ntags: '[red]'\n---\nOne\n",
        "notes/two.md": "---\nentryId: same\ncategory: X\ncreatedAt: 2026-01-01T00:00:00Z\n---\nTwo\n",
    }
    for domain in ("a", "b"):
        front = "---\nid: same/id\ndomain: same\ntitle: '[red]Same[/]'\ntype: pattern\nestimatedTokens: 1\n"
        front += "loadingStrategy: always\nsections:\n"
        front += "- {name: '[/', estimatedTokens: 3, keywords: ['[x', \"\\e[1m\"]}\n---\n"
        files[f"library/{domain}/index.md"] = (
            f"---\nid: {domain}/index\ndomain: {domain}\ntitle: Index\ntype: index\n---\n# I\n"
        )
        files[f"library/{domain}/same.md"] = f"{front}# [/\n\ntext\n"
    for number, text in enumerate(TEXTS):
        name = text.replace("/", "∕").replace("\0", "")
        files[f"names/{number} {name}.md"] = f"# {text}\n\n{text}\n"
    files["names/--> <!-- x\nnew line.md"] = "# Arrow\n"
    files["names/</document> & \"'.md"] = "</document>\n"
    files["names/#hash%20%23.md"] = "# Hash\n"
    files["names/ leading and trailing .md"] = "# Space\n"
    files["names/-rf.md"] = "# Dash\n"
    files["names/" + "n" * 240 + ".md"] = "# Name\n"
    return files


def make_hostile(root: Path) -> Path:
    """Fill a folder with everything that has ever broken a terminal program."""
    root.mkdir(parents=True, exist_ok=True)
    for name, content in _files().items():
        place = root / name
        place.parent.mkdir(parents=True, exist_ok=True)
        place.write_bytes(content if isinstance(content, bytes) else content.encode("utf-8", "surrogatepass"))
    (root / "loop").symlink_to(root, target_is_directory=True)
    (root / "self.md").symlink_to("self.md")
    (root / "dangling.md").symlink_to("nowhere.md")
    (root / "outside.md").symlink_to("/etc/hostname")
    os.mkfifo(root / "fifo.md")
    locked = root / "locked.md"
    locked.write_text("# Locked\n")
    locked.chmod(0)
    return root
