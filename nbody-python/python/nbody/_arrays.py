"""Libraries of arrays: results are arrays of the library that the arguments are of."""

from __future__ import annotations

import sys
from typing import Any, Callable, Iterable, Optional

from nbody import _native

Empty = Callable[[tuple, str], Any]


def library_of(arrays: Iterable[Any]) -> Optional[str]:
    """Returns the name of the library of the first array: `numpy`, `torch`, `cupy`, `jax`, ..."""
    for array in arrays:
        if hasattr(array, "__dlpack__") or hasattr(array, "__array_interface__"):
            return type(array).__module__.partition(".")[0]
    return None


def _first(arrays: Iterable[Any]) -> Any:
    return next(array for array in arrays if hasattr(array, "__dlpack__"))


def _numpy(_: list[Any]) -> Empty:
    return sys.modules["numpy"].empty


def _torch(arrays: list[Any]) -> Empty:
    torch = sys.modules["torch"]
    device = _first(arrays).device
    types = {name: getattr(torch, name) for name in ("float32", "float64", "int64")}
    return lambda shape, kind: torch.empty(shape, dtype=types[kind], device=device)


def _cupy(_: list[Any]) -> Empty:
    return sys.modules["cupy"].empty


_WRITTEN = {"numpy": _numpy, "torch": _torch, "cupy": _cupy}


class Target:
    """Makes the arrays of results."""

    __slots__ = ("_library", "empty")

    def __init__(self, arrays: list[Any]) -> None:
        library = library_of(arrays)
        written = _WRITTEN.get(library) if library else None
        self._library = library
        self.empty: Optional[Empty] = written(arrays) if written else None

    def finish(self, results: dict[str, Any]) -> dict[str, Any]:
        """Gives arrays of nbody to the library, for libraries whose arrays are not written to."""
        if self.empty is not None:
            return results
        if self._library in ("jax", "jaxlib"):
            import jax

            return {name: jax.dlpack.from_dlpack(array) for name, array in results.items()}
        numpy = sys.modules.get("numpy")
        if numpy is None:
            return results
        return {
            name: numpy.asarray(array) if isinstance(array, _native.Array) else array
            for name, array in results.items()
        }


def refuse_gradients(arrays: Iterable[Any]) -> None:
    """Refuses tensors whose gradients would be lost without a trace."""
    for array in arrays:
        if getattr(array, "requires_grad", False):
            raise ValueError(
                "an array requires gradients, which an evaluation does not record: take "
                "nbody.torch.Energy, or give array.detach()"
            )
