"""Operators and functions of Python, and their spelling in the language."""

from __future__ import annotations

import ast

#: Precedence in the language, from the loosest to the tightest.
IF, OR, AND, COMPARE, BIT_OR, BIT_XOR, BIT_AND, SHIFT, ADD, MULTIPLY, AS, UNARY, POSTFIX = range(13)

ARITHMETIC: dict[type[ast.operator], tuple[str, int]] = {
    ast.Add: ("+", ADD),
    ast.Sub: ("-", ADD),
    ast.Mult: ("*", MULTIPLY),
    ast.Div: ("/", MULTIPLY),
    ast.FloorDiv: ("//", MULTIPLY),
    ast.Mod: ("%", MULTIPLY),
    ast.Pow: ("**", UNARY),
    ast.MatMult: ("@", MULTIPLY),
}
BITS: dict[type[ast.operator], tuple[str, int]] = {
    ast.LShift: ("<<", SHIFT),
    ast.RShift: (">>", SHIFT),
    ast.BitAnd: ("&", BIT_AND),
    ast.BitOr: ("|", BIT_OR),
    ast.BitXor: ("^", BIT_XOR),
}
SYMBOLS = {**ARITHMETIC, **BITS}
COMPARISONS: dict[type[ast.cmpop], str] = {
    ast.Lt: "<",
    ast.LtE: "<=",
    ast.Gt: ">",
    ast.GtE: ">=",
    ast.Eq: "==",
    ast.NotEq: "!=",
}

#: Functions of math and numpy of one to three reals, which are methods of the first one.
MATH = {
    "sqrt": "sqrt", "cbrt": "cbrt", "exp": "exp", "log": "ln", "sin": "sin", "cos": "cos", "tan": "tan",
    "asin": "asin", "acos": "acos", "atan": "atan", "arcsin": "asin", "arccos": "acos", "arctan": "atan",
    "atan2": "atan2", "arctan2": "atan2", "sinh": "sinh", "cosh": "cosh", "tanh": "tanh", "erf": "erf",
    "erfc": "erfc", "fabs": "abs", "abs": "abs", "absolute": "abs", "floor": "floor", "ceil": "ceil",
    "trunc": "trunc", "copysign": "copysign", "pow": "powf", "fma": "mul_add", "clip": "clamp",
    "minimum": "min", "maximum": "max", "fmin": "min", "fmax": "max",
}  # fmt: skip
ARGUMENTS = {"atan2": 2, "copysign": 2, "powf": 2, "min": 2, "max": 2, "mul_add": 3, "clamp": 3}
#: Named constants of math and numpy.
NAMED = {"pi": "core::f64::consts::PI", "tau": "core::f64::consts::TAU", "e": "core::f64::consts::E"}
#: Functions that the language does not have, and what to write.
REMEDIES = {
    "log2": "write math.log(x) / LN2 with a constant LN2 = math.log(2.0) outside",
    "log10": "write math.log(x) / LN10 with a constant LN10 = math.log(10.0) outside",
    "log1p": "write math.log(1.0 + x)",
    "expm1": "write math.exp(x) - 1.0",
    "exp2": "write 2.0 ** x",
    "hypot": "write Vector(x, y).norm()",
    "round": "x.round() rounds halves away from 0, round of Python to even numbers: write x.round()",
    "sum": "add the terms in a `for k in range(n)`",
    "len": "write the number, or a constant outside",
    "isnan": "write x != x",
    "isfinite": "compare the magnitude with a large number",
    "fmod": "write x - y * (x / y).trunc()",
    "dist": "write (i.pos - j.pos).norm()",
    "print": "remove it",
    "norm": "write v.norm()",
    "dot": "write a.dot(b) or a @ b",
    "cross": "write a.cross(b)",
    "array": "write Vector(x, y, z), or a list [a, b] of reals",
    "power": "write x ** y",
}

#: Methods of a real that give a real.
REAL_METHODS = frozenset(
    "sqrt rsqrt recip powi powf cbrt exp ln sin cos tan asin acos atan atan2 sinh cosh tanh erf erfc abs min "
    "max clamp floor ceil trunc round copysign mul_add".split()
)
WHOLE_METHODS = frozenset("min max mul_high rotate_left count_ones".split())
VECTOR_METHODS = {"dot": "Real", "norm": "Real", "norm2": "Real", "cross": "Vector"}
SPLINE_METHODS = frozenset("at slope curvature third_derivative".split())
