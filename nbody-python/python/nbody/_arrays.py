"""Libraries of arrays: results are arrays of the library that the arguments are of."""

from __future__ import annotations

import functools
import sys
from typing import Any, Callable, Iterable, Optional

from nbody import _native

#: A function of a shape and the name of a type that returns an array to write.
Empty = Callable[[tuple[int, ...], str], Any]


@functools.lru_cache(maxsize=None)
def library_of(kind: type) -> Optional[str]:
    """Returns the name of the library of a type of arrays; `None` of other types."""
    if kind.__module__.startswith("numpy.ma"):
        raise TypeError("a masked array, whose mask no law reads: give the numbers without a mask")
    if hasattr(kind, "__dlpack__") or hasattr(kind, "__array_interface__"):
        return kind.__module__.partition(".")[0]
    return None


@functools.lru_cache(maxsize=None)
def _torch(device: Any) -> Empty:
    torch = sys.modules["torch"]
    empty, types = torch.empty, {it: getattr(torch, it) for it in ("float32", "float64", "int64")}
    return lambda shape, kind: empty(shape, dtype=types[kind], device=device)


class Target:
    """Makes the arrays of results."""

    __slots__ = ("_library", "empty")

    def __init__(self, arrays: Iterable[Any]) -> None:
        self._library: Optional[str] = None
        self.empty: Optional[Empty] = None
        for array in arrays:
            library = library_of(type(array))
            if library == "torch" and array.requires_grad:
                raise ValueError(
                    "an array requires gradients, which an evaluation does not record: take "
                    "nbody.torch, or give array.detach()"
                )
            if library is None or self._library is not None:
                continue
            self._library = library
            if library == "torch":
                self.empty = _torch(array.device)
            elif library in ("numpy", "cupy"):
                self.empty = sys.modules[library].empty

    def copied(self, array: Any) -> Any:
        """Returns an array that does not change when this one does."""
        library = library_of(type(array))
        if library == "torch":
            return array.clone()
        if library in ("numpy", "cupy"):
            return array.copy()
        return array

    def integers(self, n: int) -> Any:
        """Returns the numbers of n particles, from 0 on."""
        if self._library in ("jax", "jaxlib"):
            return sys.modules["jax"].numpy.arange(n)
        if self._library in ("numpy", "torch", "cupy"):
            return sys.modules[self._library].arange(n)
        raise TypeError(f"found arrays of {self._library}, expected numpy, torch, cupy or jax")

    def finish(self, results: dict[str, Any]) -> dict[str, Any]:
        """Gives arrays of nbody to the library, for libraries whose arrays are not written to."""
        if self.empty is not None:
            return results
        if self._library in ("jax", "jaxlib"):
            from_dlpack = sys.modules["jax"].dlpack.from_dlpack
            return {name: from_dlpack(array) for name, array in results.items()}
        numpy = sys.modules.get("numpy")
        if numpy is None:
            return results
        return {
            name: numpy.asarray(array) if isinstance(array, _native.Array) else array
            for name, array in results.items()
        }
