"""The exception of a declaration, and places in files of Python."""

from __future__ import annotations

from typing import NamedTuple, NoReturn, Optional, Sequence, Tuple

#: A fault in the language: line and column of the text, message, remedy.
Fault = Tuple[int, int, str, str]


class Place(NamedTuple):
    """A place in a file of Python; lines and offsets begin with 1."""

    filename: str
    lineno: int
    offset: int
    end_lineno: int
    end_offset: int
    line: str


class DeclarationError(SyntaxError, ValueError):
    """A declaration that the language does not have.

    A traceback shows the line of Python. `faults` has each fault of the printed text: the line and
    the column in the text, the message and the remedy.
    """

    faults: list[Fault]

    def __init__(self, message: str, faults: Sequence[Fault] = (), place: Optional[Place] = None) -> None:
        if place is None:
            super().__init__(message)
        else:
            start = (place.filename, place.lineno, place.offset, place.line)
            super().__init__(message, (*start, place.end_lineno, place.end_offset))
        self.faults = list(faults)


def refuse(place: Optional[Place], found: str, remedy: str) -> NoReturn:
    """Raises the error of what was found, with what is possible instead."""
    raise DeclarationError(f"{found}: {remedy}", place=place)
