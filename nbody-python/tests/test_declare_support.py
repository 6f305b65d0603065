"""What the tests of declarations in Python share."""

import itertools
import linecache
import re
import textwrap

from nbody import _native
from nbody.declare import compiled


def declared(twin):
    """Returns the laws and programs of a declaration, by the compiler."""
    return compiled(twin, _native)


def cuda_text(law):
    """Returns the CUDA text of a law."""
    return _native.emit(law, None, None, {})[1]


def parts(text):
    """Returns the items of a CUDA text without comments, in alphabetical order, constants as numbers."""
    code = re.sub(r"//[^\n]*", "", text)
    for name, value in re.findall(r"constexpr \w+ (\w+) = (.*);", code):
        code = re.sub(rf"\b{name}\b(?! =)", value, code)
    code = re.sub(r"constexpr .*\n", "", code)
    items = re.split(r"\n(?=struct|constexpr|__device__)", code)
    return sorted(" ".join(it.split()) for it in items if it.strip())


HEADER = """
import math
import numpy
import sys
nd = sys.modules["nbody.declare"]
from nbody.declare import *
"""
RECORDS = """
class Body:
    pos: Point
    vel: Vector
    mass: Real
    kind: u32
    ids: Real[4]

class Sums:
    force: Vector
    pot: Real
    stress: Tensor
    count: Count
    bins: Count[4]
    least: Min[Real]

"""
LAW = """
@interaction
class Law:
    eps: Real
    steps: u32
    table: Real[2, 3]
    spline: Spline[8]

    def pair(self, i: Body, j: Body, f: Sums):
        d = i.pos - j.pos
        r = d.norm()
        f.force += d
        f.pot += r
        f.stress += Tensor.outer(d)
        f.count += 1
        f.bins[j.kind] += 1
        f.least.min(r)
"""
#: The lines of this beginning in the text.
BEGINNING = 8
_CELLS = itertools.count()


def cell(source, **names):
    """Runs a source as a notebook runs a cell, where some names are known: returns all names."""
    name = f"<cell {next(_CELLS)}>"
    lines = source.splitlines(keepends=True)
    linecache.cache[name] = (len(source), None, lines, name)
    names["__name__"] = "cell"
    exec(compile(source, name, "exec"), names)
    return names


def law_source(body, before=""):
    """Returns the source of a law with these statements in its `pair`."""
    statements = textwrap.indent(textwrap.dedent(body).strip("\n"), " " * 8)
    return f"{HEADER}{RECORDS}{textwrap.dedent(before)}{LAW}{statements}\n"


def statements(body, before=""):
    """Returns the statements that these statements of a `pair` are printed to, which the compiler accepts."""
    law = cell(law_source(body, before))["Law"]
    declared(law)
    return [
        line.removeprefix("        ")
        for line in law.text.split("fn pair")[1].splitlines()[1 + BEGINNING : -2]
    ]
