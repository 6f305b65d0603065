"""Printed expressions with their types, and conversions between whole and real numbers."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Optional

from nbody.declare.code import Code
from nbody.declare.errors import Place, refuse
from nbody.declare.kinds import LITERALS, NEGATIVE, REAL, U32, UNKNOWN, WHOLE, Kind
from nbody.declare.module import Record
from nbody.declare.operators import AS, POSTFIX, UNARY


@dataclass(frozen=True)
class Value:
    """An expression in the language.

    A number that Python writes without a point is a `whole` until its place decides. Differences of
    whole numbers may be less than 0, which a `u32` is not: they are reals, or refused.
    """

    code: Code
    level: int
    kind: Kind
    place: Place
    #: The number, if it is written or folded.
    number: Optional[int] = None
    #: The least and the greatest value of a whole number, if they are known.
    bounds: Optional[tuple[int, int]] = None
    #: The same expression computed with reals.
    real: Optional[tuple[Code, int]] = None
    #: Whether it may be less than 0 as a whole number.
    signed: bool = False
    record: Optional[Record] = None

    def at(self, level: int) -> Code:
        """Returns the code as an operand that binds at least as tightly."""
        return self.code if self.level >= level else Code("(", self.code, ")")


def whole_number(number: int, place: Place) -> Value:
    """Returns a number that is written without a point."""
    if abs(number) >= 2**1023:
        refuse(place, "a number beyond the range of reals", "it is below 1e308; scale the units")
    kind = WHOLE if number >= 0 else NEGATIVE
    level = POSTFIX if number >= 0 else UNARY
    return Value(
        Code(str(number), place=place), level, kind, place, number, (number, number), signed=number < 0
    )


def as_real(value: Value) -> Value:
    """Returns a number as a real."""
    if value.kind in (REAL, UNKNOWN):
        return value
    if value.number is not None:
        text = repr(float(value.number))
        return replace(value, code=Code(text, place=value.place), kind=REAL, number=None, signed=False)
    if value.real is not None:
        code, level = value.real
        return Value(code, level, REAL, value.place)
    if value.kind == U32 or value.kind in LITERALS:
        return Value(Code(value.at(AS), " as Real"), AS, REAL, value.place)
    return refuse(value.place, f"found a {value.kind}, expected a Real", _real_remedy(value.kind))


def _real_remedy(kind: Kind) -> str:
    if kind.word == "Vector":
        return "take its length v.norm(), a component v.x or a product a.dot(b)"
    if kind.word == "bool":
        return "write 1.0 if c else 0.0"
    return "name a number"


def as_whole(value: Value) -> Value:
    """Returns a number as a `u32`."""
    if value.kind == UNKNOWN:
        return value
    if value.signed or value.kind == NEGATIVE:
        refuse(
            value.place,
            "a whole number that may be less than 0",
            "the language has whole numbers from 0 to 2**32 - 1: compute with reals, float(a) - float(b), or "
            "write (a - b) & 0xffffffff for the difference modulo 2**32",
        )
    if value.number is not None and value.number >= 2**32:
        refuse(value.place, f"{value.number} is no u32", "whole numbers are below 2**32; write a real")
    if value.kind == U32 or value.kind in LITERALS:
        return replace(value, kind=U32)
    remedy = {"Real": "write int(x), which cuts off after the point", "bool": "write 1 if c else 0"}
    found = f"found a {value.kind}, expected a whole number"
    return refuse(value.place, found, remedy.get(value.kind.word, "name a number"))


def as_kind(value: Value, kind: Kind) -> Value:
    """Returns a value as the type that its place wants."""
    if value.record is not None:
        refuse(value.place, f"`{value.code.text}` is a whole record", "name one of its fields")
    if kind in (REAL, NEGATIVE):
        return as_real(value)
    if kind in (U32, WHOLE):
        return as_whole(value)
    if kind not in (UNKNOWN, value.kind) and value.kind != UNKNOWN:
        refuse(value.place, f"found a {value.kind}, expected a {kind}", "both have one type")
    return value


def before_angle(value: Value, symbol: str, level: int) -> Code:
    """Returns an operand before an operator; `<` behind a type would begin its arguments."""
    ends_with_type = value.code.text.endswith((" as Real", " as u32"))
    return Code("(", value.code, ")") if ends_with_type and symbol[0] == "<" else value.at(level)
