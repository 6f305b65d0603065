"""Engines whose results torch differentiates.

>>> import torch, nbody.torch
>>> gravity = nbody.torch.AllPairs("gravity", eps2=1e-4)
>>> x.requires_grad_()
>>> gravity.evaluate(pos=x, mass=m).pot.sum().backward()
>>> x.grad

The engines are those of `nbody`. Gradients go to the fields of the particles and to the parameters of the
law, which are given to `evaluate` by their names if they are tensors. They are derived from the law's text
(`nbody.gradients.Adjoint`), evaluated by the same schedule, and cost about two evaluations. Second
derivatives are refused.
"""

from __future__ import annotations

from typing import Any, Optional

import torch
from torch.autograd.forward_ad import unpack_dual

import nbody.engines
from nbody._arrays import library_of
from nbody.engines import Fields
from nbody.gradients import Call, Recorded
from nbody.results import Results

__all__ = ["AllPairs", "ShortRange", "Tree"]


_KINDS = {"fields": torch.Tensor, "parameters": torch.Tensor}


class _Evaluate(torch.autograd.Function):
    @staticmethod
    def forward(ctx: Any, call: Call, names: list[str], *tensors: torch.Tensor) -> Any:
        ctx.call, ctx.names = call, names
        ctx.save_for_backward(*tensors)
        found = call.evaluate([tensor.detach() for tensor in tensors])
        names.extend(found)
        results = tuple(found[name] for name in names)
        real = call.engine._gradients.adjoint.results
        ctx.mark_non_differentiable(*(found[name] for name in names if name not in real))
        return results

    @staticmethod
    @torch.autograd.function.once_differentiable
    def backward(ctx: Any, *cotangents: torch.Tensor) -> tuple[Any, ...]:
        tensors = [tensor.detach() for tensor in ctx.saved_tensors]
        needed = ctx.needs_input_grad[2:]
        found = ctx.call.gradients(tensors, dict(zip(ctx.names, cotangents)), needed)
        gradients = (_as(gradient, tensor) for gradient, tensor in zip(found, tensors))
        return (None, None, *gradients)


def _tensor(array: Any) -> Any:
    """Returns an array of another library as a tensor, and a number as it is."""
    return array if library_of(type(array)) is None else torch.as_tensor(array)


def _as(gradient: Optional[torch.Tensor], tensor: torch.Tensor) -> Optional[torch.Tensor]:
    return None if gradient is None else gradient.to(dtype=tensor.dtype, device=tensor.device)


class _Differentiable(Recorded):
    """An engine whose evaluations torch records."""

    def evaluate(
        self,
        targets: Optional[Fields] = None,
        sources: Optional[Fields] = None,
        /,
        *,
        parameters: Optional[Fields] = None,
        **fields: Any,
    ) -> Results:
        """Evaluates as `nbody.AllPairs.evaluate` does, and records the evaluation if a tensor requires
        gradients.

        Tensors of parameters are given by their names, or in `parameters`, for this evaluation; the others
        are those of the engine. Beside tensors that require gradients, arrays of other libraries become
        tensors.
        """
        call, tensors = self._call(_KINDS, targets, sources, parameters, fields)
        is_dual = any(unpack_dual(tensor).tangent is not None for tensor in tensors)
        is_recorded = torch.is_grad_enabled() and any(tensor.requires_grad for tensor in tensors)
        if not (is_dual or is_recorded):
            return call.evaluate([tensor.detach() for tensor in tensors])
        for side in call.fixed.keys() - {"parameters"}:
            call.fixed[side] = {name: _tensor(array) for name, array in call.fixed[side].items()}
        names: list[str] = []
        results = _Evaluate.apply(call, names, *tensors)
        return Results(dict(zip(names, results)))


class AllPairs(_Differentiable, nbody.engines.AllPairs):
    """`nbody.AllPairs` whose results torch differentiates."""


class Tree(_Differentiable, nbody.engines.Tree):
    """`nbody.Tree` whose results torch differentiates, each gradient by a tree of its own."""


class ShortRange(_Differentiable, nbody.engines.ShortRange):
    """`nbody.ShortRange` whose results torch differentiates."""
