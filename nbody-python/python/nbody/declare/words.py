"""Names of types and functions for annotations and bodies of declarations.

They mean something in the source of a declaration alone, which is read and not run.
"""

from __future__ import annotations

from typing import Any


class Word:
    """A type of the declaration language."""

    def __class_getitem__(cls, size: object) -> type[Word]:
        return cls

    def __init__(self, *values: object) -> None:
        raise TypeError(f"{type(self).__name__}(...) has a value in the bodies of declarations alone")


class Real(Word):
    """A real number; `Real[3]` are three, `Real[4, 4]` is a table of the parameters."""


class u32(Word):  # noqa: N801 - the name in the language
    """A whole number from 0 to 2³² − 1; `int` is the same in annotations."""


class Point(Word):
    """A position; only differences of positions exist; `Point[2]` in two dimensions."""


class Vector(Word):
    """A vector; `Vector[2]` in two dimensions, `Vector(x, y, z)` in bodies."""

    x: Any
    y: Any
    z: Any


class Tensor(Word):
    """A symmetric tensor; `Tensor[2]` in two dimensions."""

    @staticmethod
    def outer(d: Any) -> Any:
        """The tensor d dᵀ of a vector."""
        raise TypeError("Tensor.outer has a value in the bodies of declarations alone")

    @staticmethod
    def symmetric(a: Any, b: Any) -> Any:
        """The tensor (a bᵀ + b aᵀ)/2."""
        raise TypeError("Tensor.symmetric has a value in the bodies of declarations alone")


class Spline(Word):
    """A function of the parameters by N knots, `Spline[N]`; `Spline[N][M]` are M of them, and
    `Spline[N][K, M]` K rows of M."""


class Count(Word):
    """A result that counts; `Count[8]` are eight counts."""


class Min(Word):
    """A result, the least value: `Min[Real]`."""


class Max(Word):
    """A result, the greatest value: `Max[Real]`."""


class ArgMin(Word):
    """A result, the least value and its index: `ArgMin[Real]`."""


class ArgMax(Word):
    """A result, the greatest value and its index: `ArgMax[Real]`."""


class Nearest(Word):
    """A result, the K least values and their indices: `Nearest[8]`."""


def random(key: Any, *counter: Any) -> float:
    """A uniform number between 0 and 1, of two to six whole numbers."""
    raise TypeError("random has a value in the bodies of declarations alone")


def gaussian(key: Any, *counter: Any) -> float:
    """A normally distributed number, of two to six whole numbers."""
    raise TypeError("gaussian has a value in the bodies of declarations alone")


def random_bits(key: Any, *counter: Any) -> int:
    """A uniform whole number of 32 bits, of two to six whole numbers."""
    raise TypeError("random_bits has a value in the bodies of declarations alone")


RANDOM = {random: "Real", gaussian: "Real", random_bits: "u32"}
