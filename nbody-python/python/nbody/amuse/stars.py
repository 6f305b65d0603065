"""The particles of a community code."""

from __future__ import annotations

from typing import Any

import numpy

#: The columns of the table of particles, by AMUSE's names.
FIELDS = ("mass", "x", "y", "z", "vx", "vy", "vz", "radius")


class Stars:
    """A table of particles, in the order in which they were added. Each has an index, which no other
    particle has after it."""

    def __init__(self) -> None:
        self._table = numpy.empty((0, len(FIELDS)))
        self._next = 0
        #: The indices of the particles, in rising order.
        self.indices = numpy.empty(0, dtype="int32")

    def __len__(self) -> int:
        return len(self._table)

    @property
    def mass(self) -> Any:
        """The masses, of shape (n,)."""
        return self._table[:, 0]

    @property
    def pos(self) -> Any:
        """The positions, of shape (n, 3)."""
        return self._table[:, 1:4]

    @property
    def vel(self) -> Any:
        """The velocities, of shape (n, 3)."""
        return self._table[:, 4:7]

    def find(self, indices: Any) -> tuple[Any, Any]:
        """Returns the rows of the particles of these indices, and for each index whether there is one."""
        indices = numpy.atleast_1d(indices)
        rows = numpy.searchsorted(self.indices, indices)
        known = numpy.append(self.indices, -1)
        there = (known[rows] == indices) & (indices >= 0)
        return rows, there

    def read(self, rows: Any, field: str) -> Any:
        """Returns a column of some rows."""
        return self._table[rows, FIELDS.index(field)]

    def write(self, rows: Any, fields: dict[str, Any]) -> None:
        """Writes columns of some rows. Raises `ValueError` for numbers that no particle has."""
        check(fields)
        for field, values in fields.items():
            self._table[rows, FIELDS.index(field)] = values

    def add(self, fields: dict[str, Any]) -> Any:
        """Adds particles, with an array for each field, and returns their indices. Raises `ValueError`
        for numbers that no particle has."""
        check(fields)
        added = numpy.stack([numpy.atleast_1d(fields[name]) for name in FIELDS], -1)
        indices = numpy.arange(self._next, self._next + len(added), dtype="int32")
        self._next += len(added)
        self._table = numpy.concatenate([self._table, added])
        self.indices = numpy.concatenate([self.indices, indices])
        return indices

    def remove(self, rows: Any) -> None:
        """Removes some rows."""
        self._table = numpy.delete(self._table, rows, 0)
        self.indices = numpy.delete(self.indices, rows)


def check(fields: dict[str, Any], what: str = "particle") -> None:
    """Raises `ValueError` for numbers that are not finite, and for negative masses and lengths."""
    for name, values in fields.items():
        values = numpy.atleast_1d(values)
        # AMUSE's codes give a radius of -1 to particles without one.
        least = 0.0 if name in ("mass", "eps") else -numpy.inf
        wrong = ~(numpy.isfinite(values) & (values >= least))
        if wrong.any():
            first = int(wrong.argmax())
            expected = "a finite number" if least < 0.0 else "a finite number of at least 0"
            raise ValueError(
                f"`{name}` of {values[first]} of {what} {first} of the call: expected {expected}"
            )
