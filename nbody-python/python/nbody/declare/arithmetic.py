"""Prints operators on numbers, vectors and tensors."""

from __future__ import annotations

import ast
import operator as arithmetic
from typing import Callable, Optional

from nbody.declare.calls import Calls
from nbody.declare.code import Code
from nbody.declare.errors import refuse
from nbody.declare.kinds import BOOL, NUMBERS, REAL, SPACE, U32, Kind
from nbody.declare.operators import ADD, BITS, MULTIPLY, POSTFIX, SYMBOLS, UNARY
from nbody.declare.values import Value, as_real, as_whole, before_angle, whole_number

_FOLDS: dict[type[ast.operator], Callable[[int, int], int]] = {
    ast.Add: arithmetic.add,
    ast.Sub: arithmetic.sub,
    ast.Mult: arithmetic.mul,
    ast.FloorDiv: arithmetic.floordiv,
    ast.Mod: arithmetic.mod,
    ast.Pow: arithmetic.pow,
    ast.LShift: arithmetic.lshift,
    ast.RShift: arithmetic.rshift,
    ast.BitAnd: arithmetic.and_,
    ast.BitOr: arithmetic.or_,
    ast.BitXor: arithmetic.xor,
}


class Arithmetic(Calls):
    """Prints the operators of one body."""

    def _unaryop(self, node: ast.UnaryOp) -> Value:
        if isinstance(node.op, ast.Not):
            return self.made(node, Code("!", self.condition(node.operand).at(UNARY)), UNARY, BOOL)
        value = self.value(node.operand)
        if isinstance(node.op, ast.UAdd):
            return value
        if isinstance(node.op, ast.Invert):
            if value.kind == BOOL:
                refuse(self.at(node), "`~` of a condition", "write `not`")
            # In Python this is -n - 1.
            real = Code("-", as_real(value).at(UNARY), " - 1.0")
            code = Code("!", as_whole(value).at(UNARY))
            return self.made(node, code, UNARY, U32, real=(real, ADD), signed=True)
        if value.number is not None:
            return whole_number(-value.number, self.at(node))
        if value.kind in NUMBERS and value.kind != REAL:
            real = Code("-", as_real(value).at(UNARY))
            code = Code("0 - ", value.at(MULTIPLY))
            return self.made(node, code, ADD, U32, real=(real, UNARY), signed=True)
        return self.made(node, Code("-", value.at(UNARY)), UNARY, value.kind)

    def _binop(self, node: ast.BinOp) -> Value:
        return self.combined(node, self.value(node.left), node.op, self.value(node.right))

    def combined(self, node: ast.AST, a: Value, operator: ast.operator, b: Value) -> Value:
        """Returns two values with an operator between them."""
        for it in (a, b):
            if it.record is not None:
                refuse(it.place, f"`{it.code.text}` is a whole record", "name one of its fields")
        folded = _folded(a, operator, b)
        if folded is not None:
            return whole_number(folded, self.at(node))
        if type(operator) in BITS:
            return self._bits(node, a, operator, b)
        special = {
            ast.Pow: self.power,
            ast.Mod: self._remainder,
            ast.FloorDiv: self._quotient,
            ast.MatMult: self._product,
            ast.Div: self._division,
        }.get(type(operator))
        if special is not None:
            return special(node, a, b)
        if a.kind in NUMBERS and b.kind in NUMBERS:
            return self._numbers(node, a, operator, b)
        if isinstance(operator, ast.Mult):
            a = as_real(a) if a.kind in NUMBERS else a
            b = as_real(b) if b.kind in NUMBERS else b
        elif {a.kind.word, b.kind.word} & {"Vector", "Tensor"} and (a.kind in NUMBERS or b.kind in NUMBERS):
            remedy = "both have one type; a sum of vectors begins with Vector(0, 0, 0)"
            refuse(self.at(node), f"a sum of a {a.kind} and a {b.kind}", remedy)
        return self.infix(node, a, operator, b, _space(a.kind, operator, b.kind))

    def infix(self, node: ast.AST, a: Value, operator: ast.operator, b: Value, kind: Kind) -> Value:
        """Returns `a operator b`, with the parentheses that the tree needs."""
        symbol, level = SYMBOLS[type(operator)]
        left = before_angle(a, symbol, level)
        return self.made(node, Code(left, f" {symbol} ", b.at(level + 1)), level, kind)

    def _numbers(self, node: ast.AST, a: Value, operator: ast.operator, b: Value) -> Value:
        if REAL in (a.kind, b.kind):
            return self.infix(node, as_real(a), operator, as_real(b), REAL)
        whole = self.infix(node, a, operator, b, U32)
        real = self.infix(node, as_real(a), operator, as_real(b), REAL)
        bounds = _bounds(a, operator, b)
        minus = isinstance(operator, ast.Sub)
        signed = a.signed or b.signed or (minus and (bounds is None or bounds[0] < 0))
        more = {"bounds": bounds, "real": (real.code, real.level), "signed": signed}
        return self.made(node, whole.code, whole.level, U32, **more)

    def _division(self, node: ast.AST, a: Value, b: Value) -> Value:
        a = as_real(a) if a.kind in NUMBERS else a
        return self.infix(node, a, ast.Div(), as_real(b), a.kind)

    def _quotient(self, node: ast.AST, a: Value, b: Value) -> Value:
        if a.kind in NUMBERS and b.kind in NUMBERS and REAL not in (a.kind, b.kind):
            return self.infix(node, as_whole(a), ast.Div(), as_whole(b), U32)
        quotient = self._division(node, as_real(a), b)
        return self.made(node, Code(quotient.at(POSTFIX), ".floor()"), POSTFIX, REAL)

    def _remainder(self, node: ast.AST, a: Value, b: Value) -> Value:
        if REAL in (a.kind, b.kind):
            refuse(self.at(node), "`%` of reals", "write x - y * (x // y)")
        return self.infix(node, as_whole(a), ast.Mod(), as_whole(b), U32)

    def _product(self, node: ast.AST, a: Value, b: Value) -> Value:
        kind = Kind("Vector", a.kind.size) if a.kind.word == "Tensor" else REAL
        return self.made(node, Code(a.at(POSTFIX), ".dot(", b.code, ")"), POSTFIX, kind)

    def _bits(self, node: ast.AST, a: Value, operator: ast.operator, b: Value) -> Value:
        if a.kind == BOOL and b.kind == BOOL:
            return self.infix(node, a, operator, b, BOOL)
        if isinstance(operator, (ast.LShift, ast.RShift)) and b.bounds is not None and b.bounds[1] >= 32:
            refuse(self.at(node), "a shift by 32 bits or more", "whole numbers have 32 bits")
        # A difference has the low bits of the difference modulo 2³².
        if isinstance(operator, ast.BitAnd) and not (a.signed and b.signed):
            a, b = (Value(**{**vars(it), "signed": False}) for it in (a, b))
        return self.infix(node, as_whole(a), operator, as_whole(b), U32)


def _space(a: Kind, operator: ast.operator, b: Kind) -> Kind:
    """Returns the type of a sum or a product with a vector, a tensor or a point."""
    if isinstance(operator, ast.Mult):
        return a if a.word in SPACE else b
    if a.word == "Point" and b.word == "Point":
        return Kind("Vector", a.size)
    return a


def _folded(a: Value, operator: ast.operator, b: Value) -> Optional[int]:
    """Returns the number of an operation on numbers that are written without a point."""
    x, y = a.number, b.number
    if x is None or y is None or isinstance(operator, (ast.Div, ast.MatMult)):
        return None
    if isinstance(operator, (ast.FloorDiv, ast.Mod)) and y == 0:
        return None
    if isinstance(operator, (ast.Pow, ast.LShift, ast.RShift)) and not (0 <= y <= 64 and abs(x) < 2**32):
        return None
    return _FOLDS[type(operator)](x, y)


def _bounds(a: Value, operator: ast.operator, b: Value) -> Optional[tuple[int, int]]:
    """Returns the least and the greatest value of a sum, a difference or a product."""
    if a.bounds is None or b.bounds is None:
        return None
    if isinstance(operator, ast.Add):
        return a.bounds[0] + b.bounds[0], a.bounds[1] + b.bounds[1]
    if isinstance(operator, ast.Sub):
        return a.bounds[0] - b.bounds[1], a.bounds[1] - b.bounds[0]
    corners = [x * y for x in a.bounds for y in b.bounds]
    return min(corners), max(corners)
