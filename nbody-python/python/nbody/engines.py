"""Engines: all pairs, trees and neighbour lists."""

from __future__ import annotations

import operator
from typing import Any, Optional, Sequence, Union

from nbody import _native
from nbody._arrays import Target
from nbody.devices import device as device_of
from nbody.laws import Law, law as law_of
from nbody.results import Results

Fields = dict[str, Any]
Box = Union[None, float, Sequence[float], Sequence[Sequence[float]]]


class Comparison:
    """A comparison of results with the reference in double precision. It prints as a table.

    `passes` says whether every error is within its bound; `fields` has for each field the largest,
    the rms and the median relative error, and the largest error in units of its bound.
    """

    __slots__ = ("passes", "fields", "_table")

    def __init__(self, passes: bool, table: str, fields: list[Any]) -> None:
        self.passes = passes
        self.fields = {
            name: {"max": errors[0], "rms": errors[1], "median": errors[2], "of_bound": of_bound}
            for name, errors, of_bound in fields
        }
        self._table = table

    def __repr__(self) -> str:
        return self._table


class Engine:
    """What all engines have: take `AllPairs`, `Tree` or `ShortRange`."""

    _native: _native.Engine

    def __init__(self, law: Any, parameters: Fields, given: Fields) -> None:
        #: The law.
        self.law: Law = law
        self._parameters = _numbers(parameters)
        self._given = {name: _copied(option) for name, option in given.items()}
        #: The number of changes that an engine of `_like` would not have, parameters aside.
        self._changes = 0
        #: The number of all changes.
        self._stamp = 0

    def evaluate(
        self,
        targets: Optional[Fields] = None,
        sources: Optional[Fields] = None,
        /,
        *,
        out: Optional[Fields] = None,
        **fields: Any,
    ) -> Results:
        """Evaluates the law.

        Of one set of particles, which act on one another: `evaluate(pos=x, mass=m)`, or
        `evaluate({"pos": x, "mass": m})`. Of sources that act on targets: `evaluate({"pos": y},
        {"pos": x, "mass": m})`.

        An array has a record for each particle: shape (n, 3) for points and vectors, (n,) for
        numbers; a number stands for all particles. Arrays are of numpy, torch, cupy, jax or any library
        with the buffer protocol or DLPack, in float32 or float64 with any strides, on the CPU or on the
        GPU of the engine; nothing is copied on the host. Integers are int32, uint32, int64 or uint64.

        Returns an array for each result, of the library and the type of the arguments; `out` has
        arrays to write instead. On a GPU the evaluation is in the order of the library's stream.

        Raises `TypeError` for a field that is missing or unknown and for other types of numbers,
        `ValueError` for other shapes, strides and devices.
        """
        return self._evaluate(_particles(targets, fields), sources, out)

    def _evaluate(
        self,
        targets: Fields,
        sources: Optional[Fields],
        out: Optional[Fields] = None,
        parameters: Optional[Fields] = None,
    ) -> Results:
        """Evaluates with these parameters of the law, or with those of the engine."""
        arrays = targets.values() if sources is None else [*targets.values(), *sources.values()]
        target = Target(arrays)
        found = self._native.evaluate(targets, sources, target.empty, out, parameters)
        return Results(found if out is not None else target.finish(found))

    def compare(
        self, targets: Optional[Fields] = None, sources: Optional[Fields] = None, /, **fields: Any
    ) -> Comparison:
        """Evaluates as `evaluate` does, on arrays of the CPU, and compares the results with the
        reference in double precision and with running error bounds.

        >>> report = nbody.AllPairs("gravity", eps2=1e-4).compare(pos=x, mass=m)
        >>> assert report.passes, report
        """
        return Comparison(*_native.compare(self._native, _particles(targets, fields), sources))

    def _like(self, law: Law) -> Engine:
        """Returns an engine of another law with the same parameters and options."""
        raise NotImplementedError

    def set_parameters(self, **parameters: Any) -> None:
        """Sets parameters of the law; the others stay. Nothing is compiled again."""
        changed = {**self._parameters, **_numbers(parameters)}
        self._native.set_parameters(changed)
        self._parameters = changed
        self._stamp += 1

    def set_box(self, box: Box) -> None:
        """Sets the box: one length, three lengths, three vectors, or `None` for open space."""
        box = _copied(box)
        self._native.set_box(box)
        self._given["box"] = box
        self._changes += 1
        self._stamp += 1

    def __copy__(self) -> Engine:
        raise TypeError("an engine is not copied: create another one of the same law")

    def __deepcopy__(self, _memo: Any) -> Engine:
        return self.__copy__()

    def __repr__(self) -> str:
        parameters = "".join(f", {name}={value!r}" for name, value in self._parameters.items())
        return f"nbody.{type(self).__name__}({self.law.name!r}{parameters})"


def _particles(targets: Optional[Fields], fields: Fields) -> Fields:
    if targets is None:
        return fields
    if fields:
        raise TypeError(
            f"particles by position and by name ({', '.join(fields)}): give them in one way"
        )
    return dict(targets)


def _copied(value: Any) -> Any:
    """Returns numbers that do not change when the caller's array does."""
    if getattr(value, "requires_grad", False):
        raise ValueError(
            "a parameter that requires gradients: give it to the `evaluate` of nbody.torch by its name, or "
            "give tensor.detach()"
        )
    if hasattr(value, "tolist"):
        return value.tolist()
    if isinstance(value, list):
        return [_copied(part) for part in value]
    if isinstance(value, tuple):
        return tuple(_copied(part) for part in value)
    return value


def _numbers(parameters: Fields) -> Fields:
    return {name: _copied(value) for name, value in parameters.items()}


def _indices(rows: Sequence[Sequence[int]]) -> list[list[int]]:
    """Returns rows of indices. Other numbers than integers are refused."""
    return [[operator.index(index) for index in row] for row in rows]


def _check_origin(skin: Optional[float], rows: Any) -> None:
    if skin is not None and rows is not None:
        raise ValueError(f"a skin of {skin} and rows: lists of given pairs have no skin; give one of them")


def _options(
    precision: Optional[str],
    accumulation: Optional[str],
    math: Optional[str],
    pairs: Optional[str],
    order: Optional[tuple[int, int]],
    box: Box,
) -> Fields:
    return {
        "precision": precision,
        "accumulation": accumulation,
        "math": math,
        "pairs": pairs,
        "order": order,
        "box": box,
    }


class AllPairs(Engine):
    """Evaluates a law over all pairs.

    >>> field = nbody.AllPairs("gravity", eps2=1e-4).evaluate(pos=x, mass=m)

    `law` is the name of a ready law, a text, a path, a class or a `Law`; the parameters of the law
    are given by their names, or in `parameters` where a name is one of the options:

    - `device`: "best", "cpu", "cuda:0", "emulator", ... (see `nbody.device`)
    - `precision`: "single", "mixed" or "double"; by default that of the arrays, so that arrays of
      float64 are computed in double precision. "mixed" is nearly as accurate for positions, and much
      faster on a GPU.
    - `accumulation`: "direct", "blocked", "blocked_f64" (the default) or "compensated"
    - `math`: "fast" or "exact"
    - `pairs`: "auto", "ordered" or "symmetric"
    - `order`: the order of sums, (particles of a bag, number of splits)
    - `box`: a periodic box: one length, three lengths, or three vectors

    Raises `TypeError` for unknown or missing parameters, `ValueError` for wrong values,
    `nbody.UnsupportedError` for what the law or the device cannot do.
    """

    def __init__(
        self,
        law: Any,
        *,
        device: Any = "best",
        precision: Optional[str] = None,
        accumulation: Optional[str] = None,
        math: Optional[str] = None,
        pairs: Optional[str] = None,
        order: Optional[tuple[int, int]] = None,
        box: Box = None,
        parameters: Optional[Fields] = None,
        **named: Any,
    ) -> None:
        given = _options(precision, accumulation, math, pairs, order, box)
        super().__init__(law_of(law), {**(parameters or {}), **named}, given)
        self._device = device
        self._native = _native.Engine.all_pairs(
            device_of(device), self.law._native, self._given, self._parameters
        )

    def _like(self, law: Law) -> Engine:
        given = {"device": self._device, "parameters": self._parameters, **self._given}
        return AllPairs(law, **given)


class Tree(Engine):
    """Evaluates a law by a tree: distant sources act by a few far particles.

    `theta` opens cells by an angle (0.5 is usual, smaller is more accurate), `relative` by an error
    relative to the results: give one of them. `expansion` is "second" or "monopole". Other options are
    those of `AllPairs`.
    """

    def __init__(
        self,
        law: Any,
        *,
        theta: Optional[float] = None,
        relative: Optional[float] = None,
        expansion: str = "second",
        device: Any = "best",
        precision: Optional[str] = None,
        accumulation: Optional[str] = None,
        math: Optional[str] = None,
        order: Optional[tuple[int, int]] = None,
        box: Box = None,
        parameters: Optional[Fields] = None,
        **named: Any,
    ) -> None:
        given = _options(precision, accumulation, math, None, order, box)
        super().__init__(law_of(law), {**(parameters or {}), **named}, given)
        self._device = device
        self._opening = {"theta": theta, "relative": relative, "expansion": expansion}
        self._native = _native.Engine.tree(
            device_of(device),
            self.law._native,
            theta,
            relative,
            expansion,
            self._given,
            self._parameters,
        )

    def set_opening(
        self,
        *,
        theta: Optional[float] = None,
        relative: Optional[float] = None,
        expansion: str = "second",
    ) -> None:
        """Sets the criterion by which cells are opened."""
        self._native.set_opening(theta, relative, expansion)
        self._opening = {"theta": theta, "relative": relative, "expansion": expansion}
        self._changes += 1
        self._stamp += 1

    def _like(self, law: Law) -> Engine:
        given = {name: value for name, value in self._given.items() if name != "pairs"}
        return Tree(
            law, device=self._device, parameters=self._parameters, **self._opening, **given
        )


class ShortRange(Engine):
    """Evaluates a law with a cutoff over neighbour lists, which it builds again when particles have
    moved too far.

    `skin` is the length by which lists reach beyond the cutoff; by default a fifth of the cutoff.
    `rows` gives the pairs instead, as compressed sparse rows `(offsets, indices)`. Other options are
    those of `AllPairs`.
    """

    def __init__(
        self,
        law: Any,
        *,
        skin: Optional[float] = None,
        rows: Optional[tuple[Sequence[int], Sequence[int]]] = None,
        device: Any = "best",
        precision: Optional[str] = None,
        accumulation: Optional[str] = None,
        math: Optional[str] = None,
        order: Optional[tuple[int, int]] = None,
        box: Box = None,
        parameters: Optional[Fields] = None,
        **named: Any,
    ) -> None:
        given = _options(precision, accumulation, math, None, order, box)
        super().__init__(law_of(law), {**(parameters or {}), **named}, given)
        self._device = device
        _check_origin(skin, rows)
        self._skin, self._rows = skin, rows
        self._excluded: list[tuple[int, int]] = []
        self._native = _native.Engine.lists(
            device_of(device), self.law._native, skin, rows, self._given, self._parameters
        )

    def exclude(self, pairs: Sequence[Sequence[int]]) -> None:
        """Leaves out these pairs of particles, instead of the pairs that were left out before."""
        excluded = [(i, j) for i, j in _indices(pairs)]
        self._native.exclude(excluded)
        self._excluded = excluded
        self._changes += 1
        self._stamp += 1

    def _like(self, law: Law) -> Engine:
        if self._rows is not None:
            raise ValueError("pairs that are given as rows have no gradients; give a law with a cutoff")
        given = {name: value for name, value in self._given.items() if name != "pairs"}
        engine = ShortRange(
            law, skin=self._skin, device=self._device, parameters=self._parameters, **given
        )
        engine.exclude(self._excluded)
        return engine


def reference(
    law: Any,
    targets: Fields,
    sources: Optional[Fields] = None,
    /,
    *,
    box: Box = None,
    parameters: Optional[Fields] = None,
    **named: Any,
) -> Results:
    """Returns the results of a double loop in double precision, on the CPU: the truth that engines are
    compared with.

    >>> truth = nbody.reference("gravity", {"pos": x, "mass": m}, eps2=1e-4)
    """
    target = Target([*targets.values(), *(sources.values() if sources else ())])
    found = _native.reference(
        law_of(law)._native, {**(parameters or {}), **named}, box, targets, sources, target.empty
    )
    return Results(target.finish(found))
