"""Devices: GPUs, the CPU, and the emulator of a GPU on the CPU."""

from __future__ import annotations

import functools
import glob
import os
from typing import Any, Union

from nbody import _native

Device = _native.Device


def _search_wheels() -> None:
    """Finds NVRTC in wheels of NVIDIA: `pip install nvidia-cuda-nvrtc`."""
    try:
        import nvidia
    except ImportError:
        return
    for folder in nvidia.__path__:
        for found in sorted(glob.glob(os.path.join(folder, "*", "lib", "libnvrtc.so.*")), reverse=True):
            _native.search_nvrtc_in(os.path.dirname(found))


_search_wheels()


@functools.lru_cache(maxsize=None)
def _opened(name: str) -> _native.Device:
    return _native.Device(name)


def device(name: Union[str, _native.Device] = "best") -> _native.Device:
    """Returns a device: "best" (a GPU if one answers, else the CPU), "cpu", "cpu:avx2" and other levels
    of vector instructions, "cuda", "cuda:1", "emulator". One name has one device.

    >>> nbody.device("cpu")
    nbody.Device("cpu")

    Raises `ValueError` for an unknown name, `nbody.DeviceError` for a GPU that does not answer.
    """
    if isinstance(name, _native.Device):
        return name
    return _opened(name)


def over_mpi(
    communicator: Any, name: str = "best", *, distribute_trees: bool = False
) -> _native.Device:
    """Connects the devices of all ranks of an mpi4py communicator into one device.

    Every rank makes the same calls with the same particles. Results of all pairs and of block time
    steps have the bits of one process. With `distribute_trees` each rank has a part of a tree.
    """
    return _native.Device.over_mpi(name, communicator.py2f(), distribute_trees)
