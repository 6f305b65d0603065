"""Pairwise interactions on GPUs and CPUs, checked against a reference in double precision.

Gravity in one line, of arrays of numpy, torch, cupy or jax:

>>> import nbody
>>> field = nbody.AllPairs("gravity", eps2=1e-4).evaluate(pos=x, mass=m)
>>> field.acc, field.pot

An interaction of your own is a few lines of the declaration language:

>>> law = nbody.law('''
...     pub struct Spring { pub stiffness: Real }
...     pub struct Site { pub pos: Point }
...     pub struct Pull { pub force: Vector }
...     impl Interaction for Spring {
...         type I = Site; type J = Site; type F = Pull;
...         fn pair(&self, i: &Site, j: &Site, f: &mut Pull) {
...             f.force += self.stiffness * (j.pos - i.pos);
...         }
...     }
... ''')
>>> nbody.AllPairs(law, stiffness=2.0).evaluate(pos=x).force

or a class of Python, which is printed to that language (`nbody.declare`):

>>> @nbody.interaction
... class Spring:
...     stiffness: nbody.Real
...     class Site:
...         pos: nbody.Point
...     class Pull:
...         force: nbody.Vector
...     def pair(self, i: Site, j: Site, f: Pull):
...         f.force += self.stiffness * (j.pos - i.pos)
"""

from nbody._native import (
    Array,
    CompilerError,
    DeviceError,
    FaultError,
    NumbersError,
    UnsupportedError,
    __version__,
)
from nbody.declare import (
    ArgMax,
    ArgMin,
    Count,
    DeclarationError,
    Declared,
    Max,
    Min,
    Nearest,
    Point,
    Real,
    Spline,
    Tensor,
    Vector,
    function,
    interaction,
    measure,
    record,
    tuple,
    u32,
    update,
)
from nbody.devices import Device, device, over_mpi
from nbody.engines import AllPairs, Comparison, Engine, ShortRange, Tree, reference
from nbody.integrators import BlockHermite, Energies, Hermite, Integrator, Langevin, Leapfrog
from nbody.laws import (
    Law,
    Program,
    declarations,
    emit,
    law,
    program,
    ready_laws,
    ready_programs,
)
from nbody.models import Bodies, fractal, hernquist, plummer, uniform_sphere
from nbody.neighbours import Neighbours
from nbody.particles import PerParticle, Tuples
from nbody.results import Results

__all__ = [
    "AllPairs",
    "ArgMax",
    "ArgMin",
    "Array",
    "BlockHermite",
    "Bodies",
    "Comparison",
    "CompilerError",
    "Count",
    "DeclarationError",
    "Declared",
    "Device",
    "DeviceError",
    "Energies",
    "Engine",
    "FaultError",
    "Hermite",
    "Integrator",
    "Langevin",
    "Law",
    "Leapfrog",
    "Max",
    "Min",
    "Nearest",
    "Neighbours",
    "NumbersError",
    "PerParticle",
    "Point",
    "Program",
    "Real",
    "Results",
    "ShortRange",
    "Spline",
    "Tensor",
    "Tree",
    "Tuples",
    "UnsupportedError",
    "Vector",
    "__version__",
    "declarations",
    "device",
    "emit",
    "fractal",
    "function",
    "hernquist",
    "interaction",
    "law",
    "measure",
    "over_mpi",
    "plummer",
    "program",
    "ready_laws",
    "ready_programs",
    "record",
    "reference",
    "tuple",
    "u32",
    "uniform_sphere",
    "update",
]
