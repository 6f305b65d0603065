"""Initial conditions in standard units: G = 1, total mass 1, total energy -1/4."""

from __future__ import annotations

from typing import Any, NamedTuple, Optional

from nbody import _native
from nbody._arrays import Target


class Bodies(NamedTuple):
    """Point masses: positions and velocities of shape (n, 3), masses of shape (n,), in float64."""

    pos: Any
    vel: Any
    mass: Any


def _sampled(name: str, n: int, seed: int, like: Any, dimension: float = 2.0) -> Bodies:
    if like is None:
        import numpy

        like = numpy.empty(0)
    target = Target([like])
    found = target.finish(_native.model(name, n, seed, dimension, target.empty))
    return Bodies(found["pos"], found["vel"], found["mass"])


def plummer(n: int, seed: int = 1, *, like: Any = None) -> Bodies:
    """Samples a Plummer sphere (Aarseth, Henon & Wielen 1974) of `n` bodies.

    `like` is an array of the library that the arrays shall be of, on the CPU; numpy by default.
    """
    return _sampled("plummer", n, seed, like)


def hernquist(n: int, seed: int = 1, *, like: Any = None) -> Bodies:
    """Samples a sphere of Hernquist (1990)."""
    return _sampled("hernquist", n, seed, like)


def uniform_sphere(n: int, seed: int = 1, *, like: Any = None) -> Bodies:
    """Samples a cold sphere of uniform density."""
    return _sampled("uniform_sphere", n, seed, like)


def fractal(n: int, seed: int = 1, *, dimension: float = 2.0, like: Any = None) -> Bodies:
    """Samples a fractal sphere of a dimension (Goodwin & Whitworth 2004)."""
    return _sampled("fractal", n, seed, like, dimension)
