"""Declarations: classes of Python, printed to the declaration language."""

from __future__ import annotations

import ast
import builtins
import sys
from types import FrameType, FunctionType
from typing import Any, Callable, Mapping, Optional, Tuple, TypeVar

from nbody.declare.body import Surroundings
from nbody.declare.calls import HELPER
from nbody.declare.classes import law_of, record_of
from nbody.declare.code import Code, Lines
from nbody.declare.errors import DeclarationError, Place, refuse
from nbody.declare.module import Module
from nbody.declare.programs import KINDS, Program
from nbody.declare.scope import Scope
from nbody.declare.source import SITE, Site, class_source, decorates

C = TypeVar("C", bound=type)
F = TypeVar("F", bound=Callable[..., Any])


class Declared:
    """A declaration in the language, made from a class of Python."""

    def __init__(self, name: str, kind: str, doc: Optional[str], lines: Lines, start: Place) -> None:
        #: The name of the class, which the struct of parameters has.
        self.name = name
        #: "interaction", "update", "measure" or "tuple".
        self.kind = kind
        #: The declaration in the language.
        self.text = lines.text
        self.__doc__ = doc
        self._lines: list[Code] = lines.lines
        self._start = start

    def place(self, line: int, column: int) -> Tuple[str, int, int]:
        """Returns the file, the line and the offset of Python that a place of the text was printed from.

        Lines, columns and offsets begin with 1.
        """
        found = self.at(line, column)
        return found.filename, found.lineno, found.offset

    def at(self, line: int, column: int) -> Place:
        """Returns the same place, with its end and its line."""
        if not 1 <= line <= len(self._lines):
            return self._start
        return self._lines[line - 1].place(column - 1) or self._start

    def __repr__(self) -> str:
        return f"<{self.kind} `{self.name}`>"


def _printed(cls: type, kind: str, site: Optional[Site], names: Mapping[str, Any]) -> Declared:
    if not isinstance(cls, type):
        raise DeclarationError(f"found a {type(cls).__name__}, expected a class below @nbody.{kind}")
    trait, required, methods, printer = KINDS[kind]
    source, node = class_source(cls, site)
    module = Module()
    law = law_of(cls, node, source, methods)
    own = {cls.__name__: cls}
    if not decorates(node, source, site):
        names = _globals(cls)
    around = Surroundings(module, source, Scope([vars(cls), own, names, vars(builtins)]), law)
    found = {it.name: it for it in node.body if isinstance(it, ast.FunctionDef) and it.name in methods}
    if required not in found:
        refuse(
            source.place(node),
            f"`{cls.__name__}` without `{required}`",
            f"write `def {required}(self, ...):`",
        )
    for it in found.values():
        if it.decorator_list:
            refuse(source.place(it), f"`{it.name}` with a decorator", "define it without one")
    scopes = {it: Scope.of_function(_function(cls, it), own) for it in found}
    parameters = module.record(record_of(node, source, around.scope, module, is_law=True))
    program = Program(node, around, parameters, found, scopes)
    lines = Lines()
    lines.open(f"impl {trait} for {cls.__name__} {{", place=program.place)
    printer(program, lines)
    lines.close()
    return Declared(cls.__name__, kind, parameters.doc, module.print(lines), program.place)


def _globals(cls: type) -> Mapping[str, Any]:
    """Returns the names of the module that made a class."""
    functions = (it for it in vars(cls).values() if isinstance(it, FunctionType))
    return next((it.__globals__ for it in functions), {})


def _function(cls: type, name: str) -> FunctionType:
    member = vars(cls)[name]
    if not isinstance(member, FunctionType):
        raise DeclarationError(f"`{cls.__name__}.{name}` is decorated: expected a plain method")
    return member


def _caller(frame: FrameType) -> Tuple[Site, dict[str, Any]]:
    """Returns the place of a decorator, and the names in force there."""
    return (frame.f_code.co_filename, frame.f_lineno), {**frame.f_globals, **frame.f_locals}


def _declared(cls: type, kind: str, frame: FrameType) -> Declared:
    site, names = _caller(frame)
    try:
        return _printed(cls, kind, site, names)
    except DeclarationError as error:
        raise error.with_traceback(None) from None  # the user's line, not ours
    except RecursionError:
        found = f"an expression of `{cls.__name__}` nests too deep"
    raise DeclarationError(f"{found}: keep its parts in variables, or write a helper function")


def interaction(cls: type) -> Declared:
    """Declares an interaction of pairs: a class with `pair(self, i, j, f)`, its parameters and records.

    Raises `DeclarationError` at the line of Python that the language does not have.
    """
    return _declared(cls, "interaction", sys._getframe(1))


def update(cls: type) -> Declared:
    """Declares a program that changes each particle: a class with `update(self, p, ...)`.

    Raises `DeclarationError` as `interaction` does.
    """
    return _declared(cls, "update", sys._getframe(1))


def measure(cls: type) -> Declared:
    """Declares a sum over particles: a class with `measure(self, p, ..., t)`.

    Raises `DeclarationError` as `interaction` does.
    """
    return _declared(cls, "measure", sys._getframe(1))


def tuple(cls: type) -> Declared:
    """Declares an interaction of given particles: a class with `tuple(self, t, a, b, f, g)`.

    Raises `DeclarationError` as `interaction` does.
    """
    return _declared(cls, "tuple", sys._getframe(1))


def record(cls: C) -> C:
    """Marks a class of fields that several declarations share, which is needed in notebooks alone."""
    setattr(cls, SITE, _caller(sys._getframe(1))[0])
    return cls


def function(function: F) -> F:
    """Lets declarations call a function, whose arguments and result are annotated."""
    setattr(function, HELPER, True)
    return function
