"""Programs per particle, and tuples of given particles."""

from __future__ import annotations

from typing import Any, Optional, Sequence

from nbody import _native
from nbody._arrays import Target
from nbody.devices import device as device_of
from nbody.engines import Box, Fields, _copied, _indices, _numbers, _particles
from nbody.laws import Program, program as program_of
from nbody.results import Results


class PerParticle:
    """Runs a program per particle: an update of each particle, or a measure of all.

    >>> kick = nbody.PerParticle(text, dt=0.01)
    >>> moved = kick.update({"pos": x, "vel": v}, {"acc": field.acc, "pot": field.pot})

    Programs compute in double precision. The records that the program reads besides the particles
    follow in the order of its function: second particles, results, totals.
    """

    def __init__(
        self,
        program: Any,
        *,
        name: Optional[str] = None,
        device: Any = "best",
        box: Box = None,
        wrap: bool = False,
        parameters: Optional[Fields] = None,
        **named: Any,
    ) -> None:
        #: The program.
        self.program: Program = program_of(program, name)
        self._parameters = _numbers({**(parameters or {}), **named})
        self._native = _native.Runner(
            device_of(device), self.program._native, _copied(box), wrap, self._parameters
        )

    def update(self, particles: Fields, *beside: Fields) -> Results:
        """Returns the fields of the particles after the update, in new arrays."""
        target = Target(particles.values())
        given = [dict(fields) for fields in beside]
        return Results(target.finish(self._native.update(dict(particles), given, target.empty)))

    def measure(self, particles: Fields, *beside: Fields) -> Results:
        """Returns the total over all particles: a number, or a list of numbers, for each field."""
        given = [dict(fields) for fields in beside]
        total = self._native.measure(dict(particles), given)
        return Results({name: it[0] if len(it) == 1 else it for name, it in total})

    def set_parameters(self, **parameters: Any) -> None:
        """Sets parameters of the program; the others stay."""
        changed = {**self._parameters, **_numbers(parameters)}
        self._native.set_parameters(changed)
        self._parameters = changed


class Tuples:
    """Evaluates tuples of given particles, such as bonds, angles and dihedrals.

    >>> bonds = nbody.Tuples("harmonic_bond", [[0, 1], [1, 2]], particles=3,
    ...                      records={"k": k, "length": l})
    >>> forces = bonds.evaluate(pos=x).force

    `members` has the indices of the particles of each tuple, of shape (m, 2) for bonds; `records`
    an array for each constant of a tuple.
    """

    def __init__(
        self,
        program: Any,
        members: Sequence[Sequence[int]],
        *,
        particles: int,
        records: Optional[Fields] = None,
        name: Optional[str] = None,
        device: Any = "best",
        precision: Optional[str] = None,
        box: Box = None,
        parameters: Optional[Fields] = None,
        **named: Any,
    ) -> None:
        #: The program.
        self.program: Program = program_of(program, name)
        count = self.program._native.members
        rows = _indices(members)
        wrong = next((row for row in rows if len(row) != count), None)
        if wrong is not None:
            raise ValueError(
                f"a tuple of {len(wrong)} particles, expected {count} of `{self.program.name}`"
            )
        self._native = _native.Tuples(
            device_of(device),
            self.program._native,
            [index for row in rows for index in row],
            particles,
            dict(records or {}),
            {"precision": precision, "box": _copied(box)},
            _numbers({**(parameters or {}), **named}),
        )

    def evaluate(self, particles: Optional[Fields] = None, /, **fields: Any) -> Results:
        """Evaluates the tuples; returns the sums of each particle."""
        given = _particles(particles, fields)
        target = Target(given.values())
        return Results(target.finish(self._native.evaluate(given, target.empty)))

    def __len__(self) -> int:
        return len(self._native)
