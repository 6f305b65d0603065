"""Neighbour lists that several laws share."""

from __future__ import annotations

from typing import Any, Optional, Sequence

from nbody import _native
from nbody._arrays import Target
from nbody.devices import device as device_of
from nbody.engines import Box, Fields, ShortRange, _check_origin, _copied, _indices, _particles
from nbody.results import Results


class Neighbours:
    """Lists of the pairs within the cutoffs of several laws, such as the density and the momentum of
    smoothed particles: they are built once for all of them.

    >>> lists = nbody.Neighbours(box=1.0)
    >>> lists.update([density, momentum], pos=x, h=h)
    >>> rho = lists.evaluate(density, pos=x, h=h, mass=m).density

    `skin` is the length by which lists reach beyond the cutoffs; by default a fifth of the greatest. `rows`
    gives the pairs instead, as compressed sparse rows `(offsets, indices)`. `box`, `device` and `precision`
    are as those of the engines, which need no box of their own.
    """

    def __init__(
        self,
        *,
        skin: Optional[float] = None,
        rows: Optional[tuple[Sequence[int], Sequence[int]]] = None,
        box: Box = None,
        device: Any = "best",
        precision: Optional[str] = None,
    ) -> None:
        _check_origin(skin, rows)
        given = {"precision": precision, "box": _copied(box)}
        self._native = _native.Neighbours(device_of(device), skin, rows, given)

    def update(
        self,
        engines: Sequence[ShortRange],
        targets: Optional[Fields] = None,
        sources: Optional[Fields] = None,
        /,
        **fields: Any,
    ) -> None:
        """Looks whether the lists are still valid for these particles and the cutoffs of these engines, and
        builds them if not. The particles have positions and the numbers that the cutoffs read; other fields
        of the laws may be given or not.

        Raises `TypeError` for fields that are missing or unknown, `ValueError` for cutoffs of half a box and
        more, and for positions that are not finite.
        """
        natives = [engine._native for engine in engines]
        self._native.update(natives, _particles(targets, fields), sources)

    def evaluate(
        self,
        engine: ShortRange,
        targets: Optional[Fields] = None,
        sources: Optional[Fields] = None,
        /,
        *,
        out: Optional[Fields] = None,
        **fields: Any,
    ) -> Results:
        """Evaluates one of the engines over the lists, as `ShortRange.evaluate` does over its own.

        Raises `ValueError` if the lists are not valid for its cutoff or for these particles: one has moved
        by more than half of the skin since the last update.
        """
        targets = _particles(targets, fields)
        arrays = targets.values() if sources is None else [*targets.values(), *sources.values()]
        target = Target(arrays)
        found = self._native.evaluate(engine._native, targets, sources, target.empty, out)
        return Results(found if out is not None else target.finish(found))

    def set_box(self, box: Box) -> None:
        """Sets the box of the next update: one length, three lengths, three vectors, or `None`."""
        self._native.set_box(_copied(box))

    def exclude(self, pairs: Sequence[Sequence[int]]) -> None:
        """Leaves out these pairs of particles for all laws, instead of the pairs that were left out before;
        the next update builds the lists again."""
        self._native.exclude([(i, j) for i, j in _indices(pairs)])

    @property
    def stats(self) -> dict[str, float]:
        """Figures: the number of `rebuilds`, the updates since the last one (`age`), the mean number of
        `entries` of a list (one for 32 targets), the mean number of `neighbours` of a target when the lists
        were built, the pairs `tested` for each of them, and the `bytes` for each particle."""
        return dict(self._native.stats())

    @property
    def rows(self) -> tuple[list[int], list[int]]:
        """The sources of each target within the greatest cutoff and the skin, as compressed sparse rows
        `(offsets, indices)`, in ascending order."""
        offsets, indices = self._native.rows()
        return offsets, indices

    def __repr__(self) -> str:
        return "nbody.Neighbours()"
