"""Results: one array a field."""

from __future__ import annotations

from typing import Any, Iterator


class Results:
    """The results of an evaluation: one array for each field of the law's results, as an attribute.

    A vector is an array of shape (n, 3), a number one of shape (n,). A field that keeps an index,
    such as `nearest: ArgMin<Real>`, has `nearest.value` and `nearest.index`; of no pair the index is -1.

    >>> field = nbody.AllPairs("gravity", eps2=1e-4).evaluate(pos=x, mass=m)
    >>> field.acc.shape
    (1000, 3)
    >>> sorted(field)
    ['acc', 'pot']
    """

    __slots__ = ("_fields",)

    def __init__(self, fields: dict[str, Any]) -> None:
        self._fields = fields

    def __getattr__(self, name: str) -> Any:
        fields = object.__getattribute__(self, "_fields")
        if name in fields:
            return fields[name]
        parts = {
            key[len(name) + 1 :]: value for key, value in fields.items() if key.startswith(name + ".")
        }
        if parts:
            return Results(parts)
        raise AttributeError(f"no result `{name}`: expected {', '.join(fields)}")

    def __getitem__(self, name: str) -> Any:
        return self._fields[name]

    def __iter__(self) -> Iterator[str]:
        return iter(self._fields)

    def __len__(self) -> int:
        return len(self._fields)

    def __dir__(self) -> list[str]:
        return [*super().__dir__(), *(name.partition(".")[0] for name in self._fields)]

    def keys(self) -> Any:
        """Returns the names of the fields, so that `dict(results)` and `**results` work."""
        return self._fields.keys()

    def __repr__(self) -> str:
        shapes = (
            f"{name}: {tuple(getattr(array, 'shape', ()))}" for name, array in self._fields.items()
        )
        return f"Results({', '.join(shapes)})"
