"""Annotations of fields, arguments and variables, as types of the language."""

from __future__ import annotations

import ast
from typing import Callable, Tuple

from nbody.declare import words
from nbody.declare.errors import refuse
from nbody.declare.kinds import BOOL, REAL, U32, Kind
from nbody.declare.scope import Scope
from nbody.declare.source import Source

#: Returns a number of an annotation, and its text: a constant keeps its name.
Number = Callable[[ast.expr], Tuple[int, str]]

_PLAIN = {words.u32: U32, int: U32, float: REAL, bool: BOOL}
_SPACE = {words.Point: "Point", words.Vector: "Vector", words.Tensor: "Tensor"}
_EXTREMES = (words.Min, words.Max, words.ArgMin, words.ArgMax)
_REMEDY = (
    "write Real, u32, Point, Vector, Tensor, Real[3], Spline[64], or for results also Count, Count[8], "
    "Min[Real], Max[Real], ArgMin[Real], ArgMax[Real], Nearest[8]"
)


class Annotations:
    """Reads annotations of one file."""

    def __init__(self, source: Source, scope: Scope, number: Number) -> None:
        self.source = source
        self.scope = scope
        self.number = number

    def read(self, node: ast.expr) -> tuple[Kind, str]:
        """Returns the type of an annotation, and its text in the language."""
        node = unquoted(node)
        if not isinstance(node, ast.Subscript):
            return self._plain(node)
        if isinstance(node.value, ast.Subscript):
            return self._splines(node, node.value)
        word = self._word(node.value)
        if word in _EXTREMES:
            if self._word(node.slice) not in (words.Real, float):
                self._refuse(node, f"write {word.__name__}[Real]")
            return Kind(word.__name__), f"{word.__name__}<Real>"
        return self._sized(node, word)

    def _word(self, node: ast.expr) -> object:
        """Returns the class that an expression names; other objects are no types."""
        found = self.scope.resolve(node)
        return found if isinstance(found, type) else None

    def _plain(self, node: ast.expr) -> tuple[Kind, str]:
        word = self._word(node)
        if word in _SPACE:
            return Kind(_SPACE[word], (3,)), _SPACE[word]
        if word is words.Real:
            return REAL, "Real"
        if word is words.Count:
            return Kind("Count"), "Count"
        if word in _PLAIN:
            return _PLAIN[word], str(_PLAIN[word])
        return self._refuse(node, _REMEDY)

    def _sized(self, node: ast.Subscript, word: object) -> tuple[Kind, str]:
        sizes = self._numbers(node.slice)
        numbers, texts = [n for n, _ in sizes], [text for _, text in sizes]
        if word in _SPACE and len(sizes) == 1:
            name = _SPACE[word]
            # The language takes literals for dimensions.
            return Kind(name, (numbers[0],)), name if numbers[0] == 3 else f"{name}<{numbers[0]}>"
        if word in (words.Real, words.Count) and len(sizes) == 1:
            name = word.__name__
            kind = Kind("Array" if name == "Real" else "Counts", (numbers[0],))
            return kind, f"[{name}; {texts[0]}]"
        if word is words.Real and len(sizes) == 2:
            return Kind("Table", tuple(numbers)), f"[[Real; {texts[1]}]; {texts[0]}]"
        if word in (words.Spline, words.Nearest) and len(sizes) == 1:
            return Kind(word.__name__, (numbers[0],)), f"{word.__name__}<{texts[0]}>"
        return self._refuse(node, _REMEDY)

    def _splines(self, node: ast.Subscript, inner: ast.Subscript) -> tuple[Kind, str]:
        if self.scope.resolve(inner.value) is not words.Spline:
            return self._refuse(node, "only splines have two brackets: Spline[64][4]; a table is Real[4, 4]")
        text = f"Spline<{self.number(inner.slice)[1]}>"
        sizes = self._numbers(node.slice)
        for _, size in reversed(sizes):
            text = f"[{text}; {size}]"
        return Kind("Splines", (len(sizes),)), text

    def _numbers(self, node: ast.expr) -> list[tuple[int, str]]:
        return [self.number(it) for it in (node.elts if isinstance(node, ast.Tuple) else [node])]

    def _refuse(self, node: ast.expr, remedy: str) -> tuple[Kind, str]:
        found = f"`{ast.unparse(node)}` is no type of the language"
        return refuse(self.source.place(node), found, remedy)


def unquoted(node: ast.expr) -> ast.expr:
    """Returns the expression of an annotation that is written as a string."""
    if isinstance(node, ast.Constant) and isinstance(node.value, str):
        inner = ast.parse(node.value.strip(), mode="eval").body
        for it in ast.walk(inner):
            ast.copy_location(it, node)
        return inner
    return node
