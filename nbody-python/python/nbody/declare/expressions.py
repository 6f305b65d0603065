"""Prints expressions of Python in the language."""

from __future__ import annotations

import ast
import operator as arithmetic
from typing import Any, Callable, NoReturn, Optional

from nbody.declare.calls import Calls
from nbody.declare.code import Code, listed
from nbody.declare.errors import refuse
from nbody.declare.kinds import (
    BOOL,
    COMPONENTS,
    NUMBERS,
    REAL,
    SPACE,
    U32,
    UNKNOWN,
    Kind,
    joined,
    settled,
)
from nbody.declare.module import RESERVED, evaluated
from nbody.declare.operators import (
    ADD,
    AND,
    BIT_OR,
    BITS,
    COMPARE,
    COMPARISONS,
    IF,
    MULTIPLY,
    NAMED,
    OR,
    POSTFIX,
    SYMBOLS,
    UNARY,
)
from nbody.declare.scope import MISSING
from nbody.declare.values import Value, as_kind, as_real, as_whole, whole_number

#: The mask by which a whole number is modulo 2³².
MASK = 0xFFFFFFFF

_REFUSED: dict[type[ast.expr], tuple[str, str]] = {
    ast.Lambda: ("a lambda", "write a function, @staticmethod or @nbody.function"),
    ast.Dict: ("a dictionary", "it stands in e.rate({i.pos: i.vel}) alone"),
    ast.Tuple: ("a tuple", "take several variables, Vector(x, y, z) or a list [a, b, c]"),
    ast.JoinedStr: ("a string", "the language has numbers alone"),
    ast.NamedExpr: ("`:=`", "assign in a line of its own"),
    ast.Slice: ("a slice", "take the elements one by one"),
    ast.Starred: ("`*`", "write the arguments out"),
}
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
_LOOPS = (ast.ListComp, ast.SetComp, ast.DictComp, ast.GeneratorExp)


class Expressions(Calls):
    """Prints the expressions of one body."""

    def value(self, node: ast.expr) -> Value:
        """Returns an expression in the language."""
        printer = getattr(self, f"_{type(node).__name__.lower()}", None)
        if printer is None:
            self._refuse_kind(node)
        found: Value = printer(node)
        return Value(**{**vars(found), "code": Code(found.code, place=self.at(node)), "place": self.at(node)})

    def _refuse_kind(self, node: ast.expr) -> NoReturn:
        found, remedy = _REFUSED.get(type(node), (f"`{evaluated(node)}`", "it is not part of the language"))
        if isinstance(node, _LOOPS):
            found, remedy = "a comprehension", "write a `for k in range(n)` with a variable for the sum"
        refuse(self.at(node), found, remedy)

    def made(self, node: ast.AST, code: Code, level: int, kind: Kind, **more: Any) -> Value:
        """Returns the value of a node."""
        return Value(code, level, kind, self.at(node), **more)

    # Literals and names.

    def _constant(self, node: ast.Constant) -> Value:
        value = node.value
        if isinstance(value, bool):
            return self.made(node, Code(str(value).lower()), POSTFIX, BOOL)
        if isinstance(value, int):
            return whole_number(value, self.at(node))
        if isinstance(value, float) and value not in (float("inf"),):
            return self.made(node, Code(repr(value)), POSTFIX, REAL)
        remedy = "write a large number such as 1e30" if isinstance(value, float) else "write a number"
        return refuse(self.at(node), f"`{evaluated(node)}` is no number of the language", remedy)

    def _name(self, node: ast.Name) -> Value:
        name = node.id
        if name in self.records:
            return self.made(node, Code(name), POSTFIX, Kind("record"), record=self.records[name])
        if name in self.loops:
            low, high = self.loops[name]
            return self.made(node, Code(name), POSTFIX, U32, bounds=(low, high - 1))
        if name in self.own:
            self.require_assigned(node)
            return self.made(node, Code(name), POSTFIX, self.kinds.get(name, UNKNOWN))
        return self.captured(node, name, self.scope.lookup(name))

    def captured(self, node: ast.expr, name: str, found: Any) -> Value:
        """Returns a number of Python from outside the body."""
        if name in self.outer_names:
            remedy = "pass it as an argument"
            return refuse(self.at(node), f"`{name}` is a variable of the function around this one", remedy)
        if found is MISSING:
            remedy = "assign it before, or write self.name for a parameter and i.name for a field"
            return refuse(self.at(node), f"there is no `{name}` here", remedy)
        if isinstance(found, bool):
            return self.made(node, Code(str(found).lower()), POSTFIX, BOOL)
        constant = self.module.constant(name, found, self.at(node), self.hidden)
        bounds = (constant.value, constant.value) if constant.kind == "u32" else None
        kind = U32 if constant.kind == "u32" else REAL
        return self.made(node, Code(constant.name), POSTFIX, kind, bounds=bounds)

    def _attribute(self, node: ast.Attribute) -> Value:
        if self.root_is_outside(node):
            return self._outside(node)
        owner = self.value(node.value)
        if owner.record is not None:
            return self._field(node, owner)
        code = Code(owner.at(POSTFIX), ".", node.attr)
        return self.made(node, code, POSTFIX, _component(owner.kind, node.attr))

    def _outside(self, node: ast.Attribute) -> Value:
        found = self.scope.resolve(node)
        owner = self.scope.resolve(node.value)
        if node.attr in NAMED and getattr(owner, "__name__", "") in ("math", "numpy", "cmath"):
            return self.made(node, Code(NAMED[node.attr]), POSTFIX, REAL)
        if found is MISSING:
            return refuse(
                self.at(node), f"there is no `{evaluated(node)}` here", "name a module's or a class's number"
            )
        return self.captured(node, node.attr, found)

    def _field(self, node: ast.Attribute, owner: Value) -> Value:
        assert owner.record is not None
        if node.attr in RESERVED:
            refuse(self.at(node), f"`{node.attr}` is a word of the language", "rename the field")
        field = owner.record.fields.get(node.attr)
        if field is None and owner.code.text == self.self_name and self.law is not None:
            number = self.law.constants.get(node.attr, MISSING)
            if number is not MISSING:
                return self.captured(node, node.attr, number)
        kind = field.kind if field is not None else UNKNOWN
        # A program per particle reads results as numbers.
        kind = {"Count": U32, "Min": REAL, "Max": REAL}.get(kind.word, kind) if self.reads_results else kind
        return self.made(node, Code(owner.at(POSTFIX), ".", node.attr), POSTFIX, kind)

    def _subscript(self, node: ast.Subscript) -> Value:
        owner = self.value(node.value)
        indices = node.slice.elts if isinstance(node.slice, ast.Tuple) else [node.slice]
        code, kind = Code(owner.at(POSTFIX)), owner.kind
        for it in indices:
            code = Code(code, "[", self.index(it), "]")
            kind = _element(kind)
        record = owner.record if owner.kind.word == "record" else None
        return self.made(node, code, POSTFIX, kind, record=record)

    def index(self, node: ast.expr) -> Code:
        """Returns an index."""
        value = self.value(node)
        if value.number is not None and value.number < 0:
            refuse(
                self.at(node), "an index less than 0", "indices begin with 0, and none counts from the end"
            )
        return as_whole(value).code

    def _list(self, node: ast.List) -> Value:
        elements = [as_real(self.value(it)).code for it in node.elts]
        return self.made(node, Code("[", listed(elements), "]"), POSTFIX, Kind("Array", (len(elements),)))

    # Operators.

    def _unaryop(self, node: ast.UnaryOp) -> Value:
        if isinstance(node.op, ast.Not):
            return self.made(node, Code("!", self.condition(node.operand).at(UNARY)), UNARY, BOOL)
        value = self.value(node.operand)
        if isinstance(node.op, ast.UAdd):
            return value
        if isinstance(node.op, ast.Invert):
            code = Code("!", as_kind(value, BOOL if value.kind == BOOL else U32).at(UNARY))
            return self.made(node, code, UNARY, value.kind if value.kind == BOOL else U32)
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
        left = _before_angle(a, symbol, level)
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
        if isinstance(operator, ast.BitAnd) and MASK in (a.number, b.number):
            a, b = (Value(**{**vars(it), "signed": False}) for it in (a, b))
        return self.infix(node, as_whole(a), operator, as_whole(b), U32)

    # Conditions.

    def condition(self, node: ast.expr) -> Value:
        """Returns an expression as a condition; numbers hold where they are not 0."""
        if isinstance(node, ast.BoolOp):
            return self._boolop(node)
        value = self.value(node)
        if value.kind in (BOOL, UNKNOWN):
            return value
        if value.kind in NUMBERS:
            zero = "0.0" if value.kind == REAL else "0"
            number = value if value.kind == REAL else as_whole(value)
            return self.made(node, Code(number.at(BIT_OR), f" != {zero}"), COMPARE, BOOL)
        return refuse(self.at(node), f"a condition is a bool, and this is a {value.kind}", "compare numbers")

    def _boolop(self, node: ast.BoolOp) -> Value:
        symbol, level = (" && ", AND) if isinstance(node.op, ast.And) else (" || ", OR)
        parts = [self.condition(it).at(level + 1) for it in node.values]
        return self.made(node, parts[0].joined(symbol, parts[1:]), level, BOOL)

    def _compare(self, node: ast.Compare) -> Value:
        if any(type(it) not in COMPARISONS for it in node.ops):
            refuse(self.at(node), "`is` and `in` compare objects", "write a == b, or a == 1 or a == 2")
        terms = [node.left, *node.comparators]
        parts = [
            _comparison(self.value(a), COMPARISONS[type(operator)], self.value(b))
            for a, operator, b in zip(terms, node.ops, terms[1:])
        ]
        if len(parts) == 1:
            return self.made(node, parts[0], COMPARE, BOOL)
        return self.made(node, parts[0].joined(" && ", parts[1:]), AND, BOOL)

    def _ifexp(self, node: ast.IfExp) -> Value:
        condition = self.condition(node.test)
        a, b, kind = self.unified(self.value(node.body), self.value(node.orelse))
        real = None
        if kind == U32:
            real = _choice(condition, as_real(a), as_real(b)), IF
        return self.made(node, _choice(condition, a, b), IF, kind, real=real)

    def unified(self, a: Value, b: Value) -> tuple[Value, Value, Kind]:
        """Returns two values with one type."""
        kind = joined(a.kind, b.kind)
        if kind is None:
            refuse(b.place, f"one value is a {a.kind}, the other a {b.kind}", "both have one type")
        kind = REAL if a.signed or b.signed else settled(kind)
        return as_kind(a, kind), as_kind(b, kind), kind


def _comparison(a: Value, symbol: str, b: Value) -> Code:
    if a.kind in NUMBERS and b.kind in NUMBERS:
        kind = settled(joined(a.kind, b.kind) or REAL)
        kind = REAL if a.signed or b.signed else kind
        a, b = as_kind(a, kind), as_kind(b, kind)
    return Code(_before_angle(a, symbol, BIT_OR), f" {symbol} ", b.at(BIT_OR))


def _choice(condition: Value, a: Value, b: Value) -> Code:
    return Code("if ", condition.code, " { ", a.code, " } else { ", b.code, " }")


def _before_angle(value: Value, symbol: str, level: int) -> Code:
    """Returns an operand before an operator; `<` behind a type would begin its arguments."""
    ends_with_type = value.code.text.endswith((" as Real", " as u32"))
    return Code("(", value.code, ")") if ends_with_type and symbol[0] == "<" else value.at(level)


def _component(kind: Kind, name: str) -> Kind:
    if name in COMPONENTS.get(kind.word, ()):
        return REAL
    if kind.word in ("ArgMin", "ArgMax"):
        return {"value": REAL, "index": U32}.get(name, UNKNOWN)
    if kind.word == "Nearest":
        return {"values": Kind("Array", kind.size), "indices": Kind("Counts", kind.size)}.get(name, UNKNOWN)
    return UNKNOWN


def _element(kind: Kind) -> Kind:
    if kind.word == "Splines":
        return Kind("Splines", (kind.size[0] - 1,)) if kind.size[0] > 1 else Kind("Spline")
    rows = {"Array": REAL, "Vector": REAL, "Table": Kind("Array", kind.size[1:]), "Counts": U32, "record": kind}
    return rows.get(kind.word, UNKNOWN)


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
