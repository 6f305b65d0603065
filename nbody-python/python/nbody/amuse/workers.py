"""The workers of the community codes, which keep the particles and evolve them. They need no AMUSE.

AMUSE calls the methods by the names of its interfaces, with the names of the arguments there. Particles
are arrays of indices. What a method finds it writes to `value` of the argument for it; it returns 0, or
an error code, for each particle where there are several. All other faults are exceptions, whose messages
AMUSE shows to its user.
"""

from __future__ import annotations

import math
from typing import Any

import nbody
from nbody.amuse.base import Worker, rounding
from nbody.amuse.parameters import UNSUPPORTED, parameter, positive

__all__ = ["BlockHermite", "Tree"]


class BlockHermite(Worker):
    """Block time steps of fourth order, over all pairs."""

    _law = "hermite"
    _defaults = {"epsilon_squared": 0.0, "timestep_parameter": 0.14, "largest_timestep": 0.125}

    get_timestep_parameter, set_timestep_parameter = parameter("timestep_parameter", positive)
    get_largest_timestep, set_largest_timestep = parameter("largest_timestep", positive)

    def get_time_step(self, time_step: Any) -> int:
        """Refuses: each particle has its own step."""
        time_step.value = math.nan
        return UNSUPPORTED

    def _engine(self, law: str, **parameters: Any) -> nbody.Engine:
        return nbody.AllPairs(law, **self._options(), **parameters)

    def _advanced(self, run: Any, time: float) -> Any:
        """Continues a run if the steps of all its particles end at the time, as they do at multiples of
        the largest step; else another one begins, whose largest step divides the time left."""
        step = self._dividing_step(time - self._time)
        if run is None or not self._fits(step, time):
            self._base, self._largest = self._time, step
            # ph4's parameter is the root of Aarseth's.
            eta = self._parameters["timestep_parameter"] ** 2
            run = nbody.BlockHermite(self._motion(), step=step, eta=eta, **self._bodies())
        run.advance_to(round((time - self._base) / self._largest) * self._largest)
        return run

    def _dividing_step(self, span: float) -> float:
        """Returns the largest step: a time, divided by a power of two."""
        ratio = span / self._parameters["largest_timestep"]
        return span / 2.0 ** math.ceil(math.log2(ratio)) if ratio > 1.0 else span

    def _fits(self, step: float, time: float) -> bool:
        left = math.remainder(time - self._base, self._largest)
        return abs(left) <= rounding(time, self._base) and self._largest > 0.999 * step


class Tree(Worker):
    """Steps of one length by leapfrog, with forces of a tree."""

    _law = "gravity"
    _defaults = {"epsilon_squared": 0.125, "timestep": 0.015625, "opening_angle": 0.5}

    get_time_step, set_time_step = parameter("timestep", positive)
    get_opening_angle, set_opening_angle = parameter("opening_angle", positive)

    def _engine(self, law: str, **parameters: Any) -> nbody.Engine:
        theta = self._parameters["opening_angle"]
        return nbody.Tree(law, theta=theta, **self._options(), **parameters)

    def _advanced(self, run: Any, time: float) -> Any:
        """Takes the fewest equal steps that end at the time, none longer than `timestep`."""
        span = time - self._time
        steps = max(1, math.ceil(span / self._parameters["timestep"] - 1e-9))
        step = span / steps
        if run is None:
            run = nbody.Leapfrog(self._motion(), step=step, **self._bodies())
        run.set_step(step)
        for _ in range(steps):
            run.advance()
        return run
