"""What the printers of expressions and statements share: the names of one body."""

from __future__ import annotations

import ast
from dataclasses import dataclass, field
from types import FunctionType
from typing import Any, Optional

from nbody.declare.annotations import Annotations
from nbody.declare.errors import Place, refuse
from nbody.declare.kinds import Kind
from nbody.declare.module import Module, Record, evaluated
from nbody.declare.scope import MISSING, Scope
from nbody.declare.source import Source


@dataclass
class Law:
    """The class of a declaration: its own constants and helper functions."""

    cls: type
    constants: dict[str, Any] = field(default_factory=dict)
    functions: dict[str, FunctionType] = field(default_factory=dict)


@dataclass
class Surroundings:
    """Where a function stands."""

    module: Module
    source: Source
    scope: Scope
    law: Optional[Law]
    #: Functions that were defined inside of functions around this one, with their surroundings.
    nested: dict[str, Any] = field(default_factory=dict)
    #: Variables of the functions around this one.
    outer_names: frozenset[str] = frozenset()


class Body:
    """The names of one body."""

    def __init__(self, around: Surroundings) -> None:
        self.around = around
        self.module = around.module
        self.source = around.source
        self.scope = around.scope
        self.law = around.law
        self.outer_names = around.outer_names
        self.nested = dict(around.nested)
        self.annotations = Annotations(self.source, self.scope, self.size)
        self.records: dict[str, Record] = {}
        self.results: frozenset[str] = frozenset()
        self.self_name: Optional[str] = None
        self.reads_results = False
        self.arguments: dict[str, Kind] = {}
        self.own: frozenset[str] = frozenset()
        self.kinds: dict[str, Kind] = {}
        #: Names of this body, which hide names of Python outside.
        self.hidden: frozenset[str] = frozenset()
        self.loops: dict[str, tuple[int, int]] = {}
        self.assigned: Optional[set[str]] = set()

    def at(self, node: ast.AST) -> Place:
        """Returns the place of a node."""
        return self.source.place(node)

    def is_local(self, name: str) -> bool:
        """Tells whether a name is one of this body."""
        return name in self.records or name in self.hidden or name in self.loops

    def root_is_outside(self, node: ast.expr) -> bool:
        """Tells whether an attribute begins with a module or a class of Python."""
        while isinstance(node, ast.Attribute):
            node = node.value
        return (
            isinstance(node, ast.Name) and not self.is_local(node.id) and node.id not in self.outer_names
            and self.scope.lookup(node.id) is not MISSING
        )  # fmt: skip

    def require_assigned(self, node: ast.Name) -> None:
        """Refuses a variable that has no value on some way here."""
        if self.assigned is not None and node.id not in self.assigned:
            refuse(
                self.at(node),
                f"`{node.id}` may have no value here",
                "assign it on every way that leads here, such as before the `if` or the `for`",
            )

    def size(self, node: ast.expr) -> tuple[int, str]:
        """Returns a number that is known now, and its text: of a type or a range."""
        return known_number(node, self.source, self.scope, self.module, self.hidden | self.outer_names)


def known_number(
    node: ast.expr, source: Source, scope: Scope, module: Module, hidden: frozenset[str] = frozenset()
) -> tuple[int, str]:
    """Returns a whole number of literals and captured numbers; a captured one keeps its name."""
    if isinstance(node, ast.Constant) and type(node.value) is int:
        return node.value, str(node.value)
    root = node
    while isinstance(root, ast.Attribute):
        root = root.value
    is_variable = isinstance(root, ast.Name) and root.id in hidden
    found = MISSING if is_variable else scope.resolve(node)
    if found is MISSING or isinstance(found, bool) or not hasattr(found, "__index__"):
        return refuse(
            source.place(node),
            f"`{evaluated(node)}` is no whole number that is known now",
            "write a number, or name a constant of the class or a number of Python from outside",
        )
    name = node.attr if isinstance(node, ast.Attribute) else node.id  # type: ignore[attr-defined]
    constant = module.constant(name, found, source.place(node), hidden)
    return constant.value, constant.name
