"""Prints functions: helpers, and the methods of an `impl`."""

from __future__ import annotations

import ast
import inspect
from types import FunctionType
from typing import Any, Optional, Union

from nbody.declare.body import Surroundings
from nbody.declare.code import Code, Lines, listed
from nbody.declare.errors import refuse
from nbody.declare.kinds import Kind
from nbody.declare.module import checked_name
from nbody.declare.scope import Scope
from nbody.declare.source import function_source
from nbody.declare.statements import Statements

Arguments = list[ast.arg]


def documentation(node: Union[ast.FunctionDef, ast.ClassDef]) -> Optional[str]:
    """Returns the docstring of a definition."""
    text = ast.get_docstring(node, clean=False)
    return inspect.cleandoc(text) if text else None


def arguments_of(around: Surroundings, node: ast.FunctionDef, is_method: bool = False) -> Arguments:
    """Returns the arguments of a function, which are plain ones; a method has `self` before them."""
    found = node.args
    plain = not (found.vararg or found.kwarg or found.kwonlyargs or found.defaults or found.posonlyargs)
    if not plain:
        remedy = "name each argument, without `*`, `/` and values"
        refuse(around.source.place(node), f"the arguments of `{node.name}`", remedy)
    for it in found.args[is_method:]:
        checked_name(it.arg, around.source.place(it))
    return found.args


class Function(Statements):
    """Prints a function of the module, and the helpers that it calls."""

    def helper(self, key: Any, node: ast.Call, name: str) -> tuple[str, list[tuple[str, Kind]], Kind]:
        """Prints a helper function, if it is new: returns its name, its arguments and its result."""
        around, tree = self.inner, key
        if isinstance(key, FunctionType):
            around, tree = self._surroundings(key), function_source(key)[1]
        checked_name(tree.name, around.source.place(tree))
        text_name, new = self.module.function_name(tree.name, key)
        function = Function(around)
        parameters, result, texts = function.signature(tree)
        if new:
            self.module.functions[text_name] = Lines()  # takes its place before those that it calls
            self.module.functions[text_name] = function.printed(tree, text_name, texts, result)
        return text_name, parameters, result[0]

    def _surroundings(self, function: FunctionType) -> Surroundings:
        source, _ = function_source(function)
        outer = {self.law.cls.__name__: self.law.cls} if self.law is not None else {}
        is_own = self.law is not None and function in self.law.functions.values()
        return Surroundings(
            self.module, source, Scope.of_function(function, outer), self.law if is_own else None
        )

    def signature(self, node: ast.FunctionDef) -> tuple[list[tuple[str, Kind]], tuple[Kind, str], list[Code]]:
        """Returns arguments and result of a function, with their types."""
        parameters, texts = [], []
        for it in arguments_of(self.around, node):
            if it.annotation is None:
                remedy = f"write `{it.arg}: Real`, or another type"
                refuse(self.at(it), f"the argument `{it.arg}` without a type", remedy)
            kind, text = self.annotations.read(it.annotation)
            parameters.append((it.arg, kind))
            texts.append(Code(f"{it.arg}: {text}", place=self.at(it)))
        if node.returns is None:
            refuse(
                self.at(node),
                f"`{node.name}` without the type of its value",
                "write `-> Real:`, or another type",
            )
        return parameters, self.annotations.read(node.returns), texts

    def printed(self, node: ast.FunctionDef, name: str, texts: list[Code], result: tuple[Kind, str]) -> Lines:
        """Returns the text of a helper function."""
        self.arguments = dict(self.signature(node)[0])
        self.result = result[0]
        head = Code(f"fn {name}(", listed(texts), f") -> {result[1]} {{")
        return self.framed(node, head)

    def framed(self, node: ast.FunctionDef, head: Code) -> Lines:
        """Returns a function with its docstring, its head and its body."""
        lines = Lines()
        lines.doc(documentation(node))
        body = self.run(node.body)
        lines.open(head, place=self.at(node))
        lines.take(body)
        lines.close()
        return lines
