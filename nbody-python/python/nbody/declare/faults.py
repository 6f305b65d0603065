"""Faults that the compiler finds in a printed text, shown at the lines of Python."""

from __future__ import annotations

from typing import Any, Protocol, TypeVar

from nbody.declare.declared import Declared
from nbody.declare.errors import DeclarationError, Fault

T = TypeVar("T", covariant=True)


class Compiler(Protocol[T]):
    """Compiles a text, such as `nbody._native`."""

    #: What `declare` raises, with `faults` or with a message and the faults as its arguments.
    TextFaults: type[Exception]

    def declare(self, text: str) -> T:
        """Returns what the text declares."""


def compiled(declared: Declared, compiler: Compiler[T]) -> T:
    """Returns what the compiler makes of a declaration.

    Raises `DeclarationError` at the line of Python of the first fault, with all of them.
    """
    try:
        return compiler.declare(declared.text)
    except compiler.TextFaults as error:
        faults = _faults(error)
    raise in_python(declared, faults)


def _faults(error: Exception) -> list[Fault]:
    found: Any = getattr(error, "faults", None)
    return list(error.args[1] if found is None else found)


def in_python(declared: Declared, faults: list[Fault]) -> DeclarationError:
    """Returns the exception of faults of a text, at the place of the first one in Python."""
    line, column, message, remedy = faults[0]
    more = [_described(declared, fault) for fault in faults[1:]]
    text = "\n".join([f"{message}: {remedy}" if remedy else message, *more])
    return DeclarationError(text, faults, declared.at(line, column))


def _described(declared: Declared, fault: Fault) -> str:
    line, column, message, remedy = fault
    at = declared.at(line, column)
    shown = f"{message}: {remedy}" if remedy else message
    return f"also line {at.lineno} of {at.filename}: {shown}"
