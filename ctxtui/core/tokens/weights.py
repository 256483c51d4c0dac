"""What a text weighs in a model's tokens: its tokens in a public encoding, and its characters by kind."""

from __future__ import annotations

from dataclasses import astuple, dataclass

_CAPITALS = bytes(range(ord("A"), ord("Z") + 1))
_LETTERS = bytes(range(ord("a"), ord("z") + 1))
_DIGITS = b"0123456789"
_ASCII = bytes(range(128))
# A byte inside a character of UTF-8, not its first.
_INNER = bytes(range(128, 192))


@dataclass(frozen=True, slots=True)
class Weights:
    """What each token of the basis and each character adds to an estimate, in thousandths of a token.

    Capitals and letters are those of ASCII, `sign` is any other character of ASCII, `wide` any other character.
    All are sums over the text, so estimates of parts add up if their tokens do.
    """

    token: int
    capital: int = 0
    letter: int = 0
    digit: int = 0
    space: int = 0
    sign: int = 0
    wide: int = 0

    def of(self, text: str, tokens: int) -> int:
        """The weight of a text of `tokens` tokens, in thousandths of a token."""
        data = text.encode("utf-8", "surrogatepass")
        size = len(data)
        capitals = size - len(data.translate(None, _CAPITALS))
        letters = size - len(data.translate(None, _LETTERS))
        digits = size - len(data.translate(None, _DIGITS))
        spaces = data.count(b" ")
        rest = b"" if text.isascii() else data.translate(None, _ASCII)
        wide = len(rest.translate(None, _INNER))
        signs = size - len(rest) - capitals - letters - digits - spaces
        return (
            self.token * tokens
            + self.capital * capitals
            + self.letter * letters
            + self.digit * digits
            + self.space * spaces
            + self.sign * signs
            + self.wide * wide
        )

    def __str__(self) -> str:
        return "/".join(map(str, astuple(self)))
