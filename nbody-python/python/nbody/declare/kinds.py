"""Types of values, as far as the printer needs them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Optional, Tuple


@dataclass(frozen=True)
class Kind:
    """A type: its word, and its dimension or its numbers of elements."""

    word: str
    size: Tuple[int, ...] = ()

    def __str__(self) -> str:
        if self.word in ("whole", "negative"):
            return "u32" if self.word == "whole" else "Real"
        if self.word == "Array":
            return f"[Real; {self.size[0]}]"
        if self.size and self.size != (3,):
            return f"{self.word}<{self.size[0]}>"
        return self.word


REAL, U32, BOOL, UNKNOWN = Kind("Real"), Kind("u32"), Kind("bool"), Kind("unknown")
#: A number of Python without a point, whose type follows from its place; and one less than 0.
WHOLE, NEGATIVE = Kind("whole"), Kind("negative")
LITERALS = (WHOLE, NEGATIVE)
NUMBERS = (REAL, U32, *LITERALS)
SPACE = ("Vector", "Tensor", "Point", "Array")

_RANK = {WHOLE: 0, NEGATIVE: 1, U32: 1, REAL: 2}


def joined(a: Kind, b: Kind) -> Optional[Kind]:
    """Returns the type that holds values of both; `None` if there is none."""
    if a == b or b == UNKNOWN:
        return a
    if a == UNKNOWN:
        return b
    if a in _RANK and b in _RANK:
        return a if _RANK[a] > _RANK[b] else b
    return None


def settled(kind: Kind) -> Kind:
    """Returns the type of a variable that was assigned nothing but whole numbers as they are written."""
    return {WHOLE: U32, NEGATIVE: REAL}.get(kind, kind)


def zero(kind: Kind) -> Optional[str]:
    """Returns a value for a variable that is assigned in inner blocks; it is never read."""
    if kind.word == "Vector":
        return f"Vector::new({', '.join(['0.0'] * kind.size[0])})"
    if kind.word == "Tensor":
        numbers = kind.size[0] * (kind.size[0] + 1) // 2
        return f"Tensor::new({', '.join(['0.0'] * numbers)})"
    if kind.word == "Array":
        return f"[{', '.join(['0.0'] * kind.size[0])}]"
    return {REAL: "0.0", U32: "0", BOOL: "false"}.get(kind)


#: Components of vectors and tensors.
COMPONENTS = {
    "Vector": ("x", "y", "z"),
    "Tensor": ("xx", "yy", "zz", "xy", "xz", "yz"),
}
