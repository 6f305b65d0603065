"""Particles and libraries that the tests share."""

import importlib

import numpy
import pytest

LIBRARIES = ["numpy", "jax", "torch", "cupy"]


def particles(n, dtype="float64", seed=1):
    """Returns positions and masses."""
    random = numpy.random.default_rng(seed)
    return random.random((n, 3)).astype(dtype), random.random(n).astype(dtype)


def direct(pos, mass, eps2):
    """Returns accelerations and potentials by numpy, of one set."""
    d = pos[None] - pos[:, None]
    r = ((d**2).sum(-1) + eps2) ** -0.5
    numpy.fill_diagonal(r, 0.0)
    return (mass[None, :, None] * r[..., None] ** 3 * d).sum(1), -(mass * r).sum(1)


def library(name):
    """Returns functions from and to numpy, of a library that may be missing."""
    module = pytest.importorskip(name)
    if name == "numpy":
        return numpy.asarray, numpy.asarray
    if name == "torch":
        return module.from_numpy, lambda array: array.cpu().numpy()
    if name == "jax":
        module.config.update("jax_enable_x64", True)
        # Engines of the CPU take arrays of the CPU, also where jax has a GPU.
        module.config.update("jax_default_device", module.devices("cpu")[0])
        return importlib.import_module("jax.numpy").asarray, numpy.asarray
    pytest.skip("cupy has no arrays on the CPU")


@pytest.fixture(params=LIBRARIES)
def arrays(request):
    """Functions from and to numpy, of each library."""
    return library(request.param)
