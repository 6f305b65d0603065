"""Prints expressions of Python in the language."""

from __future__ import annotations

import ast
from typing import Any, NoReturn

from nbody.declare.arithmetic import Arithmetic
from nbody.declare.code import Code, listed
from nbody.declare.errors import refuse
from nbody.declare.kinds import (
    BOOL,
    COMPONENTS,
    NUMBERS,
    REAL,
    U32,
    UNKNOWN,
    Kind,
    joined,
    settled,
)
from nbody.declare.module import RESERVED, evaluated
from nbody.declare.operators import (
    AND,
    BIT_OR,
    COMPARE,
    COMPARISONS,
    IF,
    NAMED,
    OR,
    POSTFIX,
)
from nbody.declare.scope import MISSING
from nbody.declare.values import Value, as_kind, as_real, as_whole, before_angle, whole_number

_REFUSED: dict[type[ast.expr], tuple[str, str]] = {
    ast.Lambda: ("a lambda", "write a function, @staticmethod or @nbody.function"),
    ast.Dict: ("a dictionary", "it stands in e.rate({i.pos: i.vel}) alone"),
    ast.Tuple: ("a tuple", "take several variables, Vector(x, y, z) or a list [a, b, c]"),
    ast.JoinedStr: ("a string", "the language has numbers alone"),
    ast.NamedExpr: ("`:=`", "assign in a line of its own"),
    ast.Slice: ("a slice", "take the elements one by one"),
    ast.Starred: ("`*`", "write the arguments out"),
}
_LOOPS = (ast.ListComp, ast.SetComp, ast.DictComp, ast.GeneratorExp)


class Expressions(Arithmetic):
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
        return refuse(self.at(node), f"`{evaluated(node)}` is beyond the numbers of the language", remedy)

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
        if name in self.hidden:
            remedy = "keep its value in a variable that is assigned before the loop"
            refuse(self.at(node), f"`{name}` has a value within its `for` alone", remedy)
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
    return Code(before_angle(a, symbol, BIT_OR), f" {symbol} ", b.at(BIT_OR))


def _choice(condition: Value, a: Value, b: Value) -> Code:
    return Code("if ", condition.code, " { ", a.code, " } else { ", b.code, " }")


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
    rows = {
        "Array": REAL,
        "Vector": REAL,
        "Table": Kind("Array", kind.size[1:]),
        "Counts": U32,
        "record": kind,
    }
    return rows.get(kind.word, UNKNOWN)
