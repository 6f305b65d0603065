"""Community codes of AMUSE (https://amusecode.org), with the integrators and trees of nbody.

>>> from amuse.ic.plummer import new_plummer_model
>>> from amuse.units import nbody_system
>>> from nbody.amuse import BlockHermite
>>> gravity = BlockHermite()
>>> gravity.particles.add_particles(new_plummer_model(1000))
>>> gravity.evolve_model(1.0 | nbody_system.time)

`BlockHermite` takes the place of `ph4`, `Tree` the place of `BHTree`. They need AMUSE, and mpi4py with a library
of MPI, as all codes of AMUSE in Python do.
"""

from __future__ import annotations

from typing import Any

__all__ = ["BlockHermite", "BlockHermiteInterface", "Tree", "TreeInterface"]


def __getattr__(name: str) -> Any:
    # The workers alone need no AMUSE.
    if name not in __all__:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    from nbody.amuse import codes

    return getattr(codes, name)


def __dir__() -> list[str]:
    return [*globals(), *__all__]
