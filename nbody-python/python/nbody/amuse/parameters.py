"""The parameters of the workers, which refuse wrong values."""

from __future__ import annotations

import math
from typing import Any, Callable

import nbody

#: The error codes of AMUSE: no particle has an index, there is no such function.
OK, NOT_FOUND, UNSUPPORTED = 0, -1, -2


def parameter(name: str, checked: Callable[[str, Any], Any]) -> tuple[Any, Any]:
    """Returns the methods that read and write a parameter."""

    def read(self: Any, **found: Any) -> int:
        (value,) = found.values()
        value.value = self._parameters[name]
        return OK

    def write(self: Any, **given: Any) -> int:
        (value,) = given.values()
        self._parameters[name] = checked(name, value)
        self._forget_engines()
        return OK

    return read, write


def at_least_zero(name: str, value: float) -> float:
    """Refuses what is negative or not finite."""
    if not 0.0 <= value < math.inf:
        raise ValueError(f"`{name}` of {value}: expected a number of at least 0")
    return float(value)


def positive(name: str, value: float) -> float:
    """Refuses what is not a positive number."""
    if not 0.0 < value < math.inf:
        raise ValueError(f"`{name}` of {value}: expected a positive number")
    return float(value)


def device(name: str, value: str) -> str:
    """Refuses devices that are not there."""
    nbody.device(value)
    return value


def precision(name: str, value: str) -> str:
    """Refuses unknown precisions."""
    if value not in ("single", "mixed", "double"):
        raise ValueError(f'`{name}` of {value!r}: expected "single", "mixed" or "double"')
    return value
