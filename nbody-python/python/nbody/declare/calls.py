"""Prints calls and powers: functions of Python, methods of the language, helper functions."""

from __future__ import annotations

import ast
import difflib
from types import FunctionType
from typing import Any, Optional

from nbody.declare import words
from nbody.declare.body import Body
from nbody.declare.code import Code, listed
from nbody.declare.errors import refuse
from nbody.declare.kinds import BOOL, LITERALS, NUMBERS, REAL, U32, UNKNOWN, Kind
from nbody.declare.module import evaluated
from nbody.declare.operators import (
    ARGUMENTS,
    AS,
    MATH,
    POSTFIX,
    REAL_METHODS,
    REMEDIES,
    SPLINE_METHODS,
    UNARY,
    VECTOR_METHODS,
    WHOLE_METHODS,
)
from nbody.declare.scope import MISSING
from nbody.declare.values import Value, as_kind, as_real, as_whole

#: The attribute of functions that declarations may call.
HELPER = "__nbody_function__"


class Calls(Body):
    """Prints the calls of one body. The expressions around them are printed by `Expressions`."""

    def value(self, node: ast.expr) -> Value:
        """Returns an expression in the language."""
        raise NotImplementedError

    def condition(self, node: ast.expr) -> Value:
        """Returns a condition in the language."""
        raise NotImplementedError

    def unified(self, a: Value, b: Value) -> tuple[Value, Value, Kind]:
        """Returns two values with one type."""
        raise NotImplementedError

    def made(self, node: ast.AST, code: Code, level: int, kind: Kind, **more: Any) -> Value:
        """Returns the value of a node."""
        raise NotImplementedError

    def helper(self, key: Any, node: ast.Call, name: str) -> tuple[str, list[tuple[str, Kind]], Kind]:
        """Prints a helper function, if it is new: returns its name, its arguments and its result."""
        raise NotImplementedError

    def _call(self, node: ast.Call) -> Value:
        function = node.func
        if any(isinstance(it, ast.Starred) for it in node.args) or any(
            it.arg is None for it in node.keywords
        ):
            refuse(self.at(node), "`*` in a call", "write the arguments out")
        if isinstance(function, ast.Name) and not self.is_local(function.id):
            if function.id in self.nested:
                return self._helper_call(node, self.nested[function.id], function.id)
            return self._outside_call(node, self.scope.lookup(function.id))
        if isinstance(function, ast.Attribute):
            if self.root_is_outside(function):
                return self._outside_call(node, self._of_law(function))
            of_self = isinstance(function.value, ast.Name) and function.value.id == self.self_name
            if of_self and self.law is not None and function.attr in self.law.functions:
                return self._helper_call(node, self.law.functions[function.attr], function.attr)
            return self._method(node, function)
        return refuse(self.at(node), f"`{evaluated(function)}` is no function", "call a function by its name")

    def _is_own(self, function: FunctionType) -> bool:
        """Tells whether a function is a static method of the declaration."""
        return self.law is not None and function in self.law.functions.values()

    def _of_law(self, function: ast.Attribute) -> Any:
        owner = self.scope.resolve(function.value)
        if self.law is not None and owner is self.law.cls:
            return self.law.functions.get(function.attr, MISSING)
        return self.scope.resolve(function)

    # Functions of Python.

    def _outside_call(self, node: ast.Call, found: Any) -> Value:
        name = evaluated(node.func)
        short = name.rpartition(".")[2]
        if found is MISSING:
            refuse(self.at(node), f"there is no function `{name}`", "define it with @nbody.function")
        if isinstance(found, FunctionType) and found in words.RANDOM:
            arguments = [as_whole(self.value(it)).code for it in self._plain(node)]
            code = Code(f"{found.__name__}(", listed(arguments), ")")
            return self.made(node, code, POSTFIX, Kind(words.RANDOM[found]))
        if isinstance(found, FunctionType) and (hasattr(found, HELPER) or self._is_own(found)):
            return self._helper_call(node, found, found.__name__)
        if isinstance(found, type) and issubclass(found, words.Word):
            return self._word(node, found)
        if found is words.Tensor.outer or found is words.Tensor.symmetric:
            return self._tensor(node, found.__name__)
        if isinstance(found, FunctionType) and short not in REMEDIES:
            remedy = "decorate its definition with @nbody.function, and annotate its arguments and its result"
            refuse(self.at(node), f"`{name}` is a function of Python", remedy)
        return self._known(node, found, getattr(found, "__name__", short))

    def _known(self, node: ast.Call, found: Any, name: str) -> Value:
        if found is int or found is float or found is bool:
            return self._converted(node, found)
        if found is min or found is max:
            return self._extreme(node, name)
        if name == "where" and len(node.args) == 3:
            a, b, kind = self.unified(self.value(node.args[1]), self.value(node.args[2]))
            chosen = Code(self.condition(node.args[0]).at(POSTFIX), ".select(", a.code, ", ", b.code, ")")
            return self.made(node, chosen, POSTFIX, kind)
        module = getattr(found, "__module__", None) or ""
        outside = module in ("math", "builtins") or type(found).__name__ == "ufunc" or module == "numpy"
        if not outside or name not in MATH:
            remedy = REMEDIES.get(
                name, "the language has functions such as sqrt, exp and min; see its reference"
            )
            refuse(self.at(node), f"the language has no `{name}`", remedy)
        return self._math(node, MATH[name])

    def _math(self, node: ast.Call, method: str) -> Value:
        arguments = self._plain(node)
        if len(arguments) != ARGUMENTS.get(method, 1):
            remedy = f"give {ARGUMENTS.get(method, 1)}; a logarithm of another base is a quotient of two"
            refuse(self.at(node), f"`{method}` with {len(arguments)} arguments", remedy)
        first, *others = [as_real(self.value(it)) for it in arguments]
        code = Code(first.at(POSTFIX), f".{method}(", listed([it.code for it in others]), ")")
        return self.made(node, code, POSTFIX, REAL)

    def _converted(self, node: ast.Call, found: type) -> Value:
        arguments = self._plain(node)
        if len(arguments) != 1 or found is bool:
            refuse(self.at(node), f"`{evaluated(node)}`", "write int(x), float(n) or x != 0")
        value = self.value(arguments[0])
        if found is float:
            return as_real(value)
        if value.kind in (U32, *LITERALS):
            return value
        return self.made(node, Code(as_real(value).at(AS), " as u32"), AS, U32)

    def _extreme(self, node: ast.Call, name: str) -> Value:
        arguments = self._plain(node)
        if len(arguments) < 2:
            refuse(self.at(node), f"`{name}` of one argument", f"write the numbers out: {name}(a, b)")
        result = self.value(arguments[0])
        for it in arguments[1:]:
            a, b, kind = self.unified(result, self.value(it))
            result = self.made(node, Code(a.at(POSTFIX), f".{name}(", b.code, ")"), POSTFIX, kind)
        return result

    def _word(self, node: ast.Call, word: type[words.Word]) -> Value:
        arguments = self._plain(node)
        if word in (words.Real, words.u32):
            return self._converted(node, float if word is words.Real else int)
        sizes = {words.Vector: {1: 1, 2: 2, 3: 3}, words.Tensor: {1: 1, 3: 2, 6: 3}}.get(word, {})
        if len(arguments) not in sizes:
            refuse(
                self.at(node),
                f"`{evaluated(node)}`",
                "write Vector(x, y, z) or Tensor(xx, yy, zz, xy, xz, yz)",
            )
        numbers = [as_real(self.value(it)).code for it in arguments]
        code = Code(f"{word.__name__}::new(", listed(numbers), ")")
        return self.made(node, code, POSTFIX, Kind(word.__name__, (sizes[len(arguments)],)))

    def _tensor(self, node: ast.Call, name: str) -> Value:
        values = [self.value(it) for it in self._plain(node)]
        code = Code(f"Tensor::{name}(", listed([it.code for it in values]), ")")
        return self.made(node, code, POSTFIX, Kind("Tensor", values[0].kind.size if values else (3,)))

    def _plain(self, node: ast.Call) -> list[ast.expr]:
        if node.keywords:
            name = f"`{node.keywords[0].arg}=`"
            refuse(self.at(node), f"{name} in this call", "give the arguments by their order")
        return node.args

    # Helper functions.

    def _helper_call(self, node: ast.Call, key: Any, name: str) -> Value:
        name, parameters, result = self.helper(key, node, name)
        given: dict[str, ast.expr] = {it: value for (it, _), value in zip(parameters, node.args)}
        for it in node.keywords:
            if it.arg in given or it.arg not in dict(parameters):
                refuse(
                    self.at(it), f"`{name}` takes no `{it.arg}` here", "give each argument once, by its name"
                )
            given[it.arg] = it.value
        if len(given) != len(parameters) or len(node.args) > len(parameters):
            wanted = ", ".join(it for it, _ in parameters)
            refuse(self.at(node), f"`{name}` takes {len(parameters)} arguments", f"give {wanted}")
        arguments = [as_kind(self.value(given[it]), kind).code for it, kind in parameters]
        return self.made(node, Code(f"{name}(", listed(arguments), ")"), POSTFIX, result)

    # Methods of the language.

    def _method(self, node: ast.Call, function: ast.Attribute) -> Value:
        name = function.attr
        owner = self.value(function.value)
        if owner.record is not None:
            known = sorted(self.law.functions) if self.law is not None else []
            near = difflib.get_close_matches(name, known, 1)
            remedy = (
                f"did you mean `{near[0]}`?" if near else "a helper function is a @staticmethod of the class"
            )
            refuse(self.at(node), f"there is no function `{evaluated(function)}`", remedy)
        if name in ("gradient", "rate"):
            return self._derivative(node, owner, name)
        if name == "select":
            return self._select(node, owner)
        if name == "powi" and len(node.args) == 1:
            exponent = self.value(node.args[0])
            code = Code(as_real(owner).at(POSTFIX), ".powi(", exponent.code, ")")
            return self.made(node, code, POSTFIX, REAL)
        arguments = [self.value(it) for it in self._plain(node)]
        kind, owner, arguments = self._typed(owner, name, arguments)
        code = Code(owner.at(POSTFIX), f".{name}(", listed([it.code for it in arguments]), ")")
        return self.made(node, code, POSTFIX, kind)

    def _typed(self, owner: Value, name: str, arguments: list[Value]) -> tuple[Kind, Value, list[Value]]:
        """Returns the type of a method, and its operands as it takes them."""
        kinds = [owner.kind, *(it.kind for it in arguments)]
        whole = all(it in (U32, *LITERALS) for it in kinds) and name in WHOLE_METHODS
        if whole:
            return U32, as_whole(owner), [as_whole(it) for it in arguments]
        if owner.kind in NUMBERS and name in REAL_METHODS:
            return REAL, as_real(owner), [as_real(it) for it in arguments]
        if owner.kind.word == "Vector" and name in VECTOR_METHODS:
            return (owner.kind if name == "cross" else REAL), owner, arguments
        if owner.kind.word == "Tensor":
            result = Kind("Vector", owner.kind.size) if name == "dot" else REAL
            return (result if name in ("dot", "trace") else UNKNOWN), owner, arguments
        if owner.kind.word == "Spline" and name in SPLINE_METHODS:
            return REAL, owner, [as_real(it) for it in arguments]
        if owner.kind.word in ("Min", "Max", "ArgMin", "ArgMax", "Nearest"):
            return UNKNOWN, owner, [as_real(it) for it in arguments]
        return UNKNOWN, owner, arguments

    def _select(self, node: ast.Call, owner: Value) -> Value:
        if len(node.args) != 2 or node.keywords:
            refuse(self.at(node), f"`{evaluated(node)}`", "write c.select(a, b), or a if c else b")
        a, b, kind = self.unified(self.value(node.args[0]), self.value(node.args[1]))
        code = Code(as_kind(owner, BOOL).at(POSTFIX), ".select(", a.code, ", ", b.code, ")")
        return self.made(node, code, POSTFIX, kind)

    def _derivative(self, node: ast.Call, owner: Value, name: str) -> Value:
        if name == "gradient":
            by = [self.value(it) for it in self._plain(node)]
            kind = UNKNOWN
            if by:
                kind = Kind("Vector", by[0].kind.size) if by[0].kind.word == "Point" else by[0].kind
            code = Code(owner.at(POSTFIX), ".gradient(", listed([it.code for it in by]), ")")
            return self.made(node, code, POSTFIX, kind)
        pairs = [Code(it.code, " = ", self._velocity(it, v)) for it, v in self._rates(node)]
        code = Code(owner.at(POSTFIX), ".rate(", listed(pairs), ")")
        return self.made(node, code, POSTFIX, owner.kind)

    def _rates(self, node: ast.Call) -> list[tuple[Value, Value]]:
        pairs: list[tuple[Optional[ast.expr], ast.expr]] = []
        for it in node.args:
            if not isinstance(it, ast.Dict):
                refuse(self.at(it), "`rate` without velocities", "write e.rate({i.pos: i.vel, j.pos: j.vel})")
            pairs += list(zip(it.keys, it.values))
        for key in node.keywords:
            name = ast.copy_location(ast.Name(key.arg or "", ast.Load()), key.value)
            pairs.append((name, key.value))
        if not pairs or any(key is None for key, _ in pairs):
            refuse(self.at(node), "`rate` without velocities", "write e.rate({i.pos: i.vel, j.pos: j.vel})")
        return [(self.value(key), self.value(v)) for key, v in pairs if key is not None]

    def _velocity(self, variable: Value, velocity: Value) -> Code:
        return as_real(velocity).code if variable.kind == REAL else velocity.code

    # Powers.

    def power(self, node: ast.AST, base: Value, exponent: Value) -> Value:
        """Returns a power: by products for whole constants, else by `powf`."""
        if base.kind.word == "Vector":
            refuse(self.at(node), "a power of a Vector", "write v.norm2() for the square of its length")
        base = as_real(base)
        constant = exponent.bounds is not None and exponent.bounds[0] == exponent.bounds[1]
        if constant and exponent.level >= UNARY and not exponent.signed or exponent.number is not None:
            return self.made(node, Code(base.at(POSTFIX), ".powi(", exponent.code, ")"), POSTFIX, REAL)
        roots = {"0.5": "sqrt", "-0.5": "rsqrt"}
        if exponent.code.text in roots:
            return self.made(node, Code(base.at(POSTFIX), f".{roots[exponent.code.text]}()"), POSTFIX, REAL)
        code = Code(base.at(POSTFIX), ".powf(", as_real(exponent).code, ")")
        return self.made(node, code, POSTFIX, REAL)
