"""The laws of gradients: what automatic differentiation needs of a law.

For cotangents b of the results of each target, the vector-Jacobian product of a law is itself two laws,
which the compiler derives: one sums the derivatives by the fields of the targets and by the parameters, the
other by the fields of the sources. `nbody.torch` and `nbody.jax` evaluate them.
"""

from __future__ import annotations

from typing import Any, Iterable, NamedTuple, Optional, Sequence

from nbody import _native
from nbody.engines import Engine, Fields, _numbers, _particles
from nbody.laws import DeclarationError, Law
from nbody.laws import law as law_of
from nbody.results import Results

#: Types of results that are sums of real numbers, which have cotangents.
_SUMS = ("Real", "Vector", "Tensor", "[Real")


_CHANGED = (
    "the engine changed after the evaluation: take the gradients of an evaluation before, or evaluate again"
)


class Part(NamedTuple):
    """A law of the gradients, and its results: `(result, side, variable)`, where the side is "targets",
    "sources" or "parameters"."""

    law: Law
    gradients: list[tuple[str, str, str]]


class Adjoint:
    """The laws of the vector-Jacobian product of a law; their `text` can be read.

    >>> print(nbody.gradients.Adjoint(nbody.law("gravity")).targets.law.text)

    A result that counts or compares has no derivative, and a cutoff none either: a truncated law jumps
    there. Raises `nbody.DeclarationError` for a law that has no adjoint, with the reason.
    """

    def __init__(self, law: Law) -> None:
        if law.text is None:
            raise ValueError(f"`{law.name}` has no text to derive; declare the law from its text")
        #: Results that have cotangents.
        self.results = [name for name, kind in law.results.items() if kind.startswith(_SUMS)]
        try:
            found = _native.adjoint(law.text, law.name, self.results)
        except _native.TextFaults as error:
            raise DeclarationError(*error.args) from None
        cotangents, targets, sources, constant = found
        #: The field of the targets that holds the cotangent of each result.
        self.cotangents: dict[str, str] = {of: field for field, of in cotangents}
        #: The parameters that there are no derivatives by: integers, tables and splines.
        self.constant: frozenset[str] = frozenset(constant)
        self.targets = _part(targets)
        self.sources = _part(sources)


def _part(found: Any) -> Optional[Part]:
    if found is None:
        return None
    name, text, gradients = found
    return Part(law_of(text, name), gradients)


class Sets(NamedTuple):
    """The arrays of an evaluation: of one set of particles, or of targets and sources."""

    targets: dict[str, Any]
    sources: Optional[dict[str, Any]]


class Gradients:
    """Evaluates the gradients of an engine's results."""

    def __init__(self, engine: Engine) -> None:
        self._engine = engine
        self._adjoint: Optional[Adjoint] = None
        #: The engines by their sides, each with the number of changes of the engine at its creation.
        self._engines: dict[str, tuple[int, Engine]] = {}

    @property
    def adjoint(self) -> Adjoint:
        """The laws, derived when they are first needed."""
        if self._adjoint is None:
            self._adjoint = Adjoint(self._engine.law)
        return self._adjoint

    def evaluate(
        self, sets: Sets, cotangents: dict[str, Any], parameters: dict[str, Any], wanted: set[str]
    ) -> dict[tuple[str, str], Any]:
        """Returns the gradients of Σ b · results: `{(side, variable): array}`. Gradients by parameters
        have a row for each target, to be summed. What is missing is zero.

        `cotangents` has an array for each result with cotangents; `wanted` the sides that are needed.
        """
        adjoint = self.adjoint
        bars = {field: cotangents[of] for of, field in adjoint.cotangents.items()}
        found: dict[tuple[str, str], Any] = {}
        for side, part, sides in (
            ("targets", adjoint.targets, {"targets", "parameters"}),
            ("sources", adjoint.sources, {"sources"}),
        ):
            if part is None or not wanted & sides:
                continue
            engine = self._engine_of(side, part.law)
            targets = {**sets.targets, **bars}
            if sets.sources is None:
                given = _known(part.law, targets), None
            elif side == "targets":
                given = targets, sets.sources
            else:
                given = sets.sources, targets
            results = engine._evaluate(*given, parameters=parameters)
            for result, of, variable in part.gradients:
                if of in wanted:
                    found[of, variable] = results[result]
        return found

    def _engine_of(self, side: str, law: Law) -> Engine:
        changes = self._engine._changes
        if side not in self._engines or self._engines[side][0] != changes:
            self._engines[side] = changes, self._engine._like(law)
        return self._engines[side][1]


class Call:
    """An evaluation of a library's arrays: where each belongs."""

    def __init__(
        self, engine: Any, places: tuple[tuple[str, str], ...], fixed: dict[str, Fields]
    ) -> None:
        self.engine = engine
        #: The parameters of the engine at the call, and the numbers of its other changes and of all before.
        self.parameters, self.changes, self.stamp = engine._parameters, engine._changes, engine._stamp
        #: The side and the name of each array: "targets", "sources" or "parameters".
        self.places = places
        #: The fields and parameters that are no arrays, by their sides.
        self.fixed = fixed

    @property
    def is_one_set(self) -> bool:
        """Whether the targets are the sources."""
        return "sources" not in self.fixed

    def sides(self, arrays: Iterable[Any]) -> dict[str, Fields]:
        """Returns all fields and parameters, with these arrays."""
        sides = {side: dict(fields) for side, fields in self.fixed.items()}
        for (side, name), array in zip(self.places, arrays):
            sides[side][name] = array.tolist() if side == "parameters" else array
        sides["parameters"] = {**self.parameters, **sides["parameters"]}
        return sides

    def now(self, stamp: Optional[int] = None) -> Call:
        """Returns the call with the settings that the engine has now: a function that is compiled once is
        called again after changes. Refuses settings that changed since they had this stamp."""
        if stamp is not None and stamp != self.engine._stamp:
            raise ValueError(_CHANGED)
        return Call(self.engine, self.places, self.fixed)

    def check(self, needed: Sequence[bool]) -> None:
        """Refuses gradients that are not those of the evaluation."""
        constant = self.engine._gradients.adjoint.constant
        for (side, name), needs in zip(self.places, needed):
            if needs and side == "parameters" and name in constant:
                raise ValueError(
                    f"no gradient by `{name}`: there is none by integers, tables and splines; give it as "
                    "numbers, or as an array that needs no gradient"
                )
        if self.changes != self.engine._changes:
            raise ValueError(_CHANGED)

    def evaluate(self, arrays: Iterable[Any]) -> Results:
        """Evaluates arrays that have values, without a record."""
        sides = self.sides(arrays)
        targets, sources = _sets(sides)
        return self.engine._evaluate(targets, sources, parameters=sides["parameters"])

    def gradients(
        self, arrays: Sequence[Any], cotangents: Fields, needed: Sequence[bool]
    ) -> list[Any]:
        """Returns the gradients by the arrays that are needed; `None` for others, and for zeros."""
        self.check(needed)
        sides = self.sides(arrays)
        wanted = {side for (side, _), needs in zip(self.places, needed) if needs}
        if self.is_one_set and "targets" in wanted:
            wanted.add("sources")
        gradients = self.engine._gradients
        bars = {name: cotangents[name] for name in gradients.adjoint.results}
        found = gradients.evaluate(_sets(sides), bars, sides["parameters"], wanted)
        return [
            self._total(place, array, found) if needs else None
            for place, array, needs in zip(self.places, arrays, needed)
        ]

    def _total(self, place: tuple[str, str], array: Any, found: dict[tuple[str, str], Any]) -> Any:
        """Returns the gradient by an array; of one set, that of both sides."""
        side, name = place
        places = [place]
        if self.is_one_set and side == "targets":
            places.append(("sources", name))
        parts = [found[it] for it in places if it in found]
        if not parts:
            return None
        total = parts[0] if len(parts) == 1 else parts[0] + parts[1]
        if side == "parameters" or not array.shape:
            # One number for all: the sum over the particles.
            total = total.sum(0)
        return total.reshape(array.shape)


def _sets(sides: dict[str, Fields]) -> Sets:
    return Sets(sides["targets"], sides.get("sources"))


class Recorded(Engine):
    """An engine whose evaluations a library records."""

    _derived: Optional[Gradients] = None

    @property
    def _gradients(self) -> Gradients:
        if self._derived is None:
            self._derived = Gradients(self)
        return self._derived

    def _call(
        self,
        kinds: dict[str, Any],
        targets: Optional[Fields],
        sources: Optional[Fields],
        parameters: Optional[Fields],
        fields: Fields,
    ) -> tuple[Call, list[Any]]:
        """Returns the call of an evaluation, and its arrays of these types: of fields, and of parameters."""
        named = dict(parameters or {})
        known = self.law.targets.keys() | self.law.sources.keys()
        for name in list(fields):
            if name not in known and name in self.law.parameters:
                named[name] = fields.pop(name)
        sides = {
            "targets": dict(_particles(targets, fields)),
            "parameters": named,
        }
        if sources is not None:
            sides["sources"] = dict(sources)
        places = tuple(
            (side, name)
            for side, arrays in sides.items()
            for name, array in arrays.items()
            if isinstance(array, kinds["parameters" if side == "parameters" else "fields"])
        )
        arrays = [sides[side].pop(name) for side, name in places]
        sides["parameters"] = _numbers(sides["parameters"])
        return Call(self, places, sides), arrays


def _known(law: Law, fields: dict[str, Any]) -> dict[str, Any]:
    """Returns the fields that the particles of a law have."""
    known = law.targets.keys() | law.sources.keys()
    return {name: array for name, array in fields.items() if name in known}
