"""Engines whose results jax differentiates.

>>> import jax, nbody.jax
>>> gravity = nbody.jax.AllPairs("gravity", eps2=1e-4)
>>> energy = lambda x, m: 0.5 * (m * gravity.evaluate(pos=x, mass=m).pot).sum()
>>> jax.grad(energy)(x, m)

The engines are those of `nbody`, with the rule of reverse differentiation (`jax.custom_vjp`), by fields of
particles and by parameters, which are given to `evaluate` by their names. Outside of `jit`, arrays of a GPU
are read where they are; inside, `jax.pure_callback` passes them through the memory of the CPU.
"""

from __future__ import annotations

import functools
from typing import Any, Optional, Sequence

import jax
import numpy

import nbody.engines
from nbody.engines import Fields
from nbody.gradients import Call, Recorded
from nbody.results import Results

__all__ = ["AllPairs", "ShortRange", "Tree"]


#: Arrays of numpy have no gradients; as fields they are passed as the others are.
_KINDS = {
    "fields": (jax.Array, jax.core.Tracer, numpy.ndarray),
    "parameters": (jax.Array, jax.core.Tracer),
}


class _Same:
    """A call that jax compares: equal calls are one function. No array is part of it."""

    def __init__(self, call: Call) -> None:
        self.call = call
        settings = repr(call.parameters), call.changes
        self._key = (id(call.engine), call.places, repr(call.fixed), *settings)

    def __hash__(self) -> int:
        return hash(self._key)

    def __eq__(self, other: Any) -> bool:
        return isinstance(other, _Same) and self._key == other._key


def _is_traced(arrays: Sequence[Any]) -> bool:
    return any(isinstance(array, jax.core.Tracer) for array in arrays)


def _is_real(array: Any) -> bool:
    return bool(jax.numpy.issubdtype(array.dtype, jax.numpy.floating))


def _shapes(call: Call, arrays: Sequence[Any]) -> dict[str, Any]:
    """Returns the shapes and types of the results of arrays that have no values yet."""
    fields = [
        (side, array)
        for (side, _), array in zip(call.places, arrays)
        if side != "parameters" and array.ndim > 0
    ]
    n = next(array.shape[0] for side, array in fields if side == "targets")
    is_double = any(array.dtype == numpy.float64 for _, array in fields)
    real = numpy.float64 if is_double else numpy.float32
    return {
        name: jax.ShapeDtypeStruct((n,) if count == 0 else (n, count), numpy.int64 if whole else real)
        for name, count, whole in call.engine.law._native.columns
    }


@functools.partial(jax.custom_vjp, nondiff_argnums=(0,))
def _evaluate(same: _Same, *arrays: Any) -> dict[str, Any]:
    return _stamped(same.call, arrays)[0]


def _stamped(call: Call, arrays: Sequence[Any]) -> tuple[dict[str, Any], Any]:
    """Evaluates; returns the results, and the number of changes of the engine before."""
    if not _is_traced(arrays):
        return dict(call.evaluate(arrays)), numpy.int32(call.stamp)

    def on_host(*values: Any) -> tuple[dict[str, Any], Any]:
        now = call.now()
        found = now.evaluate([numpy.asarray(value) for value in values])
        return {name: numpy.asarray(found[name]) for name in found}, numpy.int32(now.stamp)

    shapes = _shapes(call, arrays), jax.ShapeDtypeStruct((), numpy.int32)
    return jax.pure_callback(on_host, shapes, *arrays, vmap_method="sequential")


def _forward(same: _Same, *arrays: Any) -> Any:
    results, stamp = _stamped(same.call, arrays)
    return results, (arrays, stamp)


def _backward(same: _Same, kept: Any, cotangents: dict[str, Any]) -> tuple[Any, ...]:
    call, (arrays, stamp) = same.call, kept
    needed = [_is_real(array) for array in arrays]
    bars = {name: cotangents[name] for name in call.engine._gradients.adjoint.results}

    def on_host(values: Any, bars: Any, stamp: Any) -> list[Any]:
        values = [numpy.asarray(value) for value in values]
        bars = {name: numpy.asarray(bar) for name, bar in bars.items()}
        found = call.now(int(stamp)).gradients(values, bars, needed)
        return list(_filled(found, values, needed))

    if _is_traced([*arrays, *bars.values(), stamp]):
        call.now().check(needed)
        real = [array for array, needs in zip(arrays, needed) if needs]
        shapes = [jax.ShapeDtypeStruct(array.shape, array.dtype) for array in real]
        found = jax.pure_callback(on_host, shapes, arrays, bars, stamp, vmap_method="sequential")
    else:
        call = call.now(int(stamp)) if call.stamp != stamp else call
        found = list(_filled(call.gradients(arrays, bars, needed), arrays, needed))
    left = iter(found)
    none = jax.dtypes.float0
    return tuple(
        next(left) if needs else numpy.zeros(array.shape, none)
        for array, needs in zip(arrays, needed)
    )


def _filled(gradients: Sequence[Any], arrays: Sequence[Any], needed: Sequence[bool]) -> Any:
    """Yields the gradients that are needed, of the types of their arrays."""
    for gradient, array, needs in zip(gradients, arrays, needed):
        if needs:
            zero = numpy.zeros(array.shape, array.dtype)
            yield zero if gradient is None else gradient.astype(array.dtype)


_evaluate.defvjp(_forward, _backward)


class _Differentiable(Recorded):
    """An engine whose evaluations jax differentiates."""

    def evaluate(
        self,
        targets: Optional[Fields] = None,
        sources: Optional[Fields] = None,
        /,
        *,
        parameters: Optional[Fields] = None,
        **fields: Any,
    ) -> Results:
        """Evaluates as `nbody.AllPairs.evaluate` does, under `jax.grad`, `jax.vjp`, `jax.jit` and
        `jax.vmap`.

        Parameters that are arrays are given by their names, or in `parameters`, for this evaluation; the
        others are those of the engine, in a compiled function those that it has when the function is called.
        """
        call, arrays = self._call(_KINDS, targets, sources, parameters, fields)
        return Results(dict(_evaluate(_Same(call), *arrays)))


class AllPairs(_Differentiable, nbody.engines.AllPairs):
    """`nbody.AllPairs` whose results jax differentiates."""


class Tree(_Differentiable, nbody.engines.Tree):
    """`nbody.Tree` whose results jax differentiates, each gradient by a tree of its own."""


class ShortRange(_Differentiable, nbody.engines.ShortRange):
    """`nbody.ShortRange` whose results jax differentiates."""
