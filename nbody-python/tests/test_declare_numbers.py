"""Random functions have the values in the language that they have in Python."""

import random
import textwrap

import numpy
from test_declare_support import HEADER, cell, declared

import nbody
from nbody.declare import DeclarationError

ROWS = range(4)
#: Values of few digits, so that sums and products are exact.
REALS = {"a": [0.5, 1.25, -2.0, 3.5], "b": [2.0, -0.75, 1.5, 4.0]}
WHOLES = {"m": [1, 5, 2, 7], "n": [3, 2, 6, 4]}
LEAVES = ["a", "b", "m", "n", "1", "2", "3", "0.5", "-2", "C", "K"]


def expression(source, depth, leaves=LEAVES):
    """Returns a random expression."""
    if depth == 0:
        return source.choice(leaves)
    parts = [expression(source, source.randrange(depth), leaves) for _ in range(3)]
    x, y, z = (it if it.isalnum() else f"({it})" for it in parts)
    sums = [f"{x} + {y}", f"{x} - {y}", f"{x} - {y} - {z}", f"{x} + {y} * {z}", f"-{x}", f"-{x} * {y}"]
    products = [f"{x} * {y}", f"{x} / {y}", f"{x} // {y}", f"{x} / {y} / {z}", f"{x} / {y} * {z}"]
    powers = [f"{x} ** 2", f"-{x} ** 3", f"abs({x} - 1.0)", f"min({x}, {y})", f"max({x}, {y}, {z})"]
    choices = [
        f"{x} if {y} < {z} else {y}",
        f"({x} if {y} else {z}) * 2",
        f"{x} if {y} < {x} <= {z} else {z}",
        f"{x} if not {y} == {z} or {x} > 1 else {z}",
        f"{x} if m << 1 < n + 3 else {y}",
    ]
    whole = [
        f"m % K + {x}",
        f"m & 6 | n ^ {x}",
        f"(m << 2) + {x}",
        f"float({x}) - {y}",
        f"~m * {x}",
        f"(m - n & 5) + {x}",
        f"int(abs({x})) - {y}",
    ]
    return source.choice([*sums, *products, *powers, *choices, *whole, f"math.floor({x} / 4) + {y}"])


def block(source, depth, names):
    """Returns random statements that assign the names x, y and z."""
    lines = []
    for _ in range(1 + source.randrange(3)):
        name = source.choice("xyz")
        right = expression(source, 1, [*LEAVES, *names])
        shape = source.randrange(6) if depth else 0
        if shape < 3:
            operator = source.choice(["=", "=", "+=", "-=", "*=", "/="])
            lines.append(f"{name} {operator} {right}")
        elif shape == 3:
            lines += [f"for k{depth} in range({source.choice(['2', 'K', '1, 3'])}):"]
            lines += indented(block(source, depth - 1, [*names, f"k{depth}"]))
        else:
            lines += [
                f"if {right} > {source.choice(['1', 'a', 'n'])}:",
                *indented(block(source, depth - 1, names)),
            ]
            if shape == 4:
                lines += [f"elif {right}:", *indented(block(source, depth - 1, names))]
            lines += ["else:", *indented([*block(source, depth - 1, names), *returned(source)])]
    return lines


def indented(lines):
    return [f"    {line}" for line in lines]


def returned(source):
    return ["return x - 1"] if source.randrange(6) == 0 else []


def of_expression(source):
    return [f"return {expression(source, 1 + source.randrange(3))}"]


def of_statements(source):
    body = block(source, 3, ["x", "y", "z"])
    begin = [f"{name} = {source.choice(LEAVES)}" for name in "xyz" if source.randrange(4)]
    return [*begin, *body, f"return {source.choice(['x + y', 'x', 'z * 2', 'y - z'])}"]


def module(bodies):
    """Returns the names of a source with a function for each body and a law that adds their values."""
    head = "(a: Real, b: Real, m: u32, n: u32) -> Real:"
    texts = [textwrap.indent("\n".join(body), "    ") for body in bodies]
    functions = "".join(f"@function\ndef p{k}{head}\n{text}\n" for k, text in enumerate(texts))
    fields = "".join(f"    r{k}: Real\n" for k in range(len(bodies)))
    sums = "".join(f"        f.r{k} += p{k}(i.a, i.b, i.m, i.n)\n" for k in range(len(bodies)))
    return cell(
        f"{HEADER}C = 1.5\nK = 3\n{functions}class Body:\n    a: Real\n    b: Real\n    m: u32\n    n: u32\n"
        f"class Sums:\n{fields}\n@interaction\nclass Law:\n"
        f"    def pair(self, i: Body, j: Body, f: Sums):\n{sums}"
    )


def accepted(body):
    """Tells whether declarations take a function; if so, the compiler does."""
    try:
        law = module([body])["Law"]
    except DeclarationError:
        return False
    declared(law)
    return True


def value(function, row):
    """Returns the value of a function in Python; `None` where it has none or loses digits."""
    try:
        found = function(*(values[row] for values in {**REALS, **WHOLES}.values()))
    except (ZeroDivisionError, OverflowError):
        return None
    return found if not isinstance(found, complex) and abs(found) < 1e9 else None


def compare(make, count, seed):
    """Compares random functions, and returns the number of values."""
    source = random.Random(seed)
    bodies = []
    while len(bodies) < count:
        body = make(source)
        if accepted(body):
            bodies.append(body)
    names = module(bodies)
    particles = {name: numpy.array(values, "float64") for name, values in REALS.items()}
    particles |= {name: numpy.array(values, "uint32") for name, values in WHOLES.items()}
    one = {name: values[:1] for name, values in particles.items()}
    found = nbody.reference(nbody.law(names["Law"]), particles, one)
    compared = 0
    for k, body in enumerate(bodies):
        for row in ROWS:
            expected = value(names[f"p{k}"], row)
            if expected is not None:
                result = getattr(found, f"r{k}")[row]
                numpy.testing.assert_allclose(result, expected, rtol=1e-10, err_msg="\n".join(body))
                compared += 1
    return compared


def test_random_expressions():
    assert compare(of_expression, 40, seed=1) > 120


def test_random_statements():
    assert compare(of_statements, 25, seed=1) > 80
