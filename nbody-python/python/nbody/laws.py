"""Laws: interactions of pairs, by name, from text, or from a Python class."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any, Optional, Union

from nbody import _native
from nbody.declare.declared import Declared
from nbody.declare.errors import DeclarationError
from nbody.declare.faults import compiled


class Law:
    """An interaction of pairs. Take `nbody.law` to make one.

    `parameters`, `targets`, `sources` and `results` have the fields: `{"pos": "Point", ...}`.
    """

    __slots__ = ("_native", "text")

    def __init__(self, native: _native.Law, text: Optional[str] = None) -> None:
        self._native = native
        #: The declaration, if the law was made from a text.
        self.text = text

    @property
    def name(self) -> str:
        """The name of the struct of parameters in snake case."""
        return self._native.name

    @property
    def parameters(self) -> dict[str, str]:
        """The parameters and their types."""
        return {name: kind for name, kind, _ in self._native.parameters}

    @property
    def targets(self) -> dict[str, str]:
        """The fields of a target, the i-particle."""
        return {name: kind for name, kind, _ in self._native.targets}

    @property
    def sources(self) -> dict[str, str]:
        """The fields of a source, the j-particle."""
        return {name: kind for name, kind, _ in self._native.sources}

    @property
    def results(self) -> dict[str, str]:
        """The fields of a result."""
        return {name: kind for name, kind, _ in self._native.results}

    @property
    def cuda(self) -> str:
        """The CUDA text that the declaration is compiled to: its structs and functions."""
        return _native.emit(self._native, "ordered", None, {})[1]

    def __repr__(self) -> str:
        parts = (("parameters", self.parameters), ("targets", self.targets), ("sources", self.sources))
        lines = [f"  {what}: {_listed(fields)}" for what, fields in (*parts, ("results", self.results))]
        return "\n".join([f"Law `{self.name}`", *lines])


class Program:
    """A program per particle, or per tuple of particles. Take `nbody.program` to make one."""

    __slots__ = ("_native", "text")

    def __init__(self, native: _native.Program, text: Optional[str] = None) -> None:
        self._native = native
        #: The declaration, if the program was made from a text.
        self.text = text

    @property
    def name(self) -> str:
        """The name of the struct of parameters in snake case."""
        return self._native.name

    @property
    def parameters(self) -> dict[str, str]:
        """The parameters and their types."""
        return {name: kind for name, kind, _ in self._native.parameters}

    @property
    def particles(self) -> dict[str, str]:
        """The fields of a particle."""
        return {name: kind for name, kind, _ in self._native.particles}

    def __repr__(self) -> str:
        return f"Program `{self.name}` ({_listed(self.parameters)}) of {_listed(self.particles)}"


def _listed(fields: dict[str, str]) -> str:
    return ", ".join(f"{name}: {kind}" for name, kind in fields.items()) or "none"


def declarations(text: str) -> tuple[list[Law], list[Program]]:
    """Returns the laws and the programs that a text declares.

    Raises `DeclarationError` with each fault, its place and its remedy.
    """
    try:
        laws, programs = _native.declare(text)
    except _native.TextFaults as error:
        message, faults = error.args
        raise DeclarationError(message, faults) from None
    return [Law(law, text) for law in laws], [Program(program, text) for program in programs]


_READY = {name: kind for kind, name in _native.ready_names()}


def ready_laws() -> list[str]:
    """Returns the names of the ready laws."""
    return sorted(name for name, kind in _READY.items() if kind == "Interaction")


def ready_programs() -> list[str]:
    """Returns the names of the ready programs: bonds, angles, dihedrals, and steps of thermostats."""
    return sorted(name for name, kind in _READY.items() if kind != "Interaction")


def _text_of(source: Union[str, os.PathLike[str]]) -> Optional[str]:
    """Returns the declaration of a source; `None` for a name."""
    if isinstance(source, os.PathLike) or source.endswith(".rs"):
        return Path(source).read_text(encoding="utf-8")
    return None if source.isidentifier() else source


def _only(kind: str, found: list[Any], name: Optional[str]) -> Any:
    names = ", ".join(it.name for it in found) or "none"
    if name is not None:
        named = [it for it in found if it.name == name]
        if not named:
            raise ValueError(f"no {kind} `{name}` among the declarations: expected {names}")
        return named[0]
    if len(found) != 1:
        raise ValueError(f"{len(found)} {kind}s declared, expected one; give name=: {names}")
    return found[0]


def emit(
    source: Any,
    *,
    schedule: Optional[str] = None,
    walk: Optional[str] = None,
    precision: Optional[str] = None,
    accumulation: Optional[str] = None,
    math: Optional[str] = None,
    periodic: bool = False,
) -> str:
    """Returns the CUDA program of a law, whole, as it is compiled: the configuration of the kernel, the
    types of numbers, the declaration and the kernels. No GPU is needed.

    `schedule` is "ordered" (the default), "symmetric" (both directions of a pair at once) or "few" (for few
    targets); `walk` gives the program of walks through a tree instead, by "groups" of targets or by
    "particles". Other options are those of `AllPairs`.

    Raises `ValueError` for a schedule that the law does not have and for a schedule beside a walk,
    `nbody.UnsupportedError` for a walk of a law that has no tree.
    """
    given = {
        "precision": precision,
        "accumulation": accumulation,
        "math": math,
        "box": 1.0 if periodic else None,
    }
    return _native.emit(law(source)._native, schedule, walk, given)[0]


def _ready_text(kind: str, names: list[str], source: str) -> str:
    text = _native.source(source) if source in names else None
    if text is None:
        raise ValueError(f"no ready {kind} `{source}`: expected {', '.join(names)}")
    return text


def law(source: Any, name: Optional[str] = None) -> Law:
    """Returns a law: a ready one by its name, or the law of a text, a file .rs or a class.

    A text is in the declaration language (docs/language.md of nbody). Of a text with several laws
    `name` chooses one.

    >>> nbody.law("gravity").parameters
    {'eps2': 'Real'}

    Raises `DeclarationError` for a text with faults, `ValueError` for an unknown name, `OSError` for a
    file that cannot be read.
    """
    if isinstance(source, Law):
        return source
    if isinstance(source, Declared):
        laws, _ = compiled(source, _native)
        return _only("law", [Law(it, source.text) for it in laws], name)
    if not isinstance(source, (str, os.PathLike)):
        raise TypeError(
            f"found {type(source).__name__}, expected the name of a law, a text, a path or a class declared "
            "by @nbody.interaction"
        )
    text = _text_of(source)
    if text is None:
        text = _ready_text("law", ready_laws(), str(source))
        native = _native.compiled_law(str(source))
        return Law(native, text) if native else _only("law", declarations(text)[0], str(source))
    return _only("law", declarations(text)[0], name)


def program(source: Any, name: Optional[str] = None) -> Program:
    """Returns a program per particle or per tuple: a ready one by its name, or one of a text or a file.

    Raises as `law` does.
    """
    if isinstance(source, Program):
        return source
    if isinstance(source, Declared):
        _, programs = compiled(source, _native)
        return _only("program", [Program(it, source.text) for it in programs], name)
    if not isinstance(source, (str, os.PathLike)):
        raise TypeError(
            f"found {type(source).__name__}, expected a name, a text, a path or a class declared by "
            "@nbody.update, @nbody.measure or @nbody.tuple"
        )
    text = _text_of(source)
    if text is None:
        text = _ready_text("program", ready_programs(), str(source))
        native = _native.compiled_program(str(source))
        if native:
            return Program(native, text)
        return _only("program", declarations(text)[1], str(source))
    return _only("program", declarations(text)[1], name)
