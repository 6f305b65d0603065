"""Objects of Python that names in a declaration stand for."""

from __future__ import annotations

import ast
import builtins
from types import FunctionType, ModuleType
from typing import Any, Mapping, Sequence

#: No object.
MISSING: Any = object()


class Scope:
    """Names that are in force at a place, the innermost first."""

    def __init__(self, layers: Sequence[Mapping[str, Any]]) -> None:
        self.layers = tuple(layers)

    @staticmethod
    def of_function(function: FunctionType, law: Mapping[str, Any]) -> Scope:
        """Returns the names that a function sees besides its own; `law` names the class around it."""
        cells: dict[str, Any] = {}
        for name, cell in zip(function.__code__.co_freevars, function.__closure__ or ()):
            try:
                cells[name] = cell.cell_contents
            except ValueError:
                cells[name] = MISSING  # not assigned yet
        return Scope([law, cells, function.__globals__, vars(builtins)])

    def lookup(self, name: str) -> Any:
        """Returns the object of a name, or `MISSING`."""
        for layer in self.layers:
            if name in layer:
                return layer[name]
        return MISSING

    def resolve(self, node: ast.AST) -> Any:
        """Returns the object of a name or of an attribute of a module or a class, or `MISSING`."""
        if isinstance(node, ast.Name):
            return self.lookup(node.id)
        if isinstance(node, ast.Attribute):
            owner = self.resolve(node.value)
            if isinstance(owner, (ModuleType, type)):
                return getattr(owner, node.attr, MISSING)
        return MISSING
