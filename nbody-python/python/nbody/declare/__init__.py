"""Declarations in Python: classes that are read, not run, and printed to the declaration language.

>>> @nbody.interaction
... class Spring:
...     stiffness: Real
...     class Site:
...         pos: Point
...     class Pull:
...         force: Vector
...     def pair(self, i: Site, j: Site, f: Pull):
...         f.force += self.stiffness * (j.pos - i.pos)
>>> print(Spring.text)
"""

from nbody.declare.declared import Declared, function, interaction, measure, record, tuple, update
from nbody.declare.errors import DeclarationError, Fault, Place
from nbody.declare.faults import Compiler, compiled, in_python
from nbody.declare.words import (
    ArgMax,
    ArgMin,
    Count,
    Max,
    Min,
    Nearest,
    Point,
    Real,
    Spline,
    Tensor,
    Vector,
    gaussian,
    random,
    random_bits,
    u32,
)

__all__ = [
    "ArgMax",
    "ArgMin",
    "Compiler",
    "Count",
    "DeclarationError",
    "Declared",
    "Fault",
    "Max",
    "Min",
    "Nearest",
    "Place",
    "Point",
    "Real",
    "Spline",
    "Tensor",
    "Vector",
    "compiled",
    "function",
    "gaussian",
    "in_python",
    "interaction",
    "measure",
    "random",
    "random_bits",
    "record",
    "tuple",
    "u32",
    "update",
]
