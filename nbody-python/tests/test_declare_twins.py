"""Ready interactions, written in Python: each has the CUDA text or the tokens of its original."""

import itertools
import math
import re
from pathlib import Path

import pytest
from test_declare_support import cuda_text, declared, parts

import nbody
from nbody import _native
from nbody.declare import (
    ArgMin,
    Count,
    Max,
    Point,
    Real,
    Spline,
    Tensor,
    Vector,
    function,
    gaussian,
    interaction,
    measure,
    tuple,
    u32,
    update,
)

SOURCES = Path(__file__).parents[2] / "interactions" / "src"
TURN = 2 * math.pi
FOUR_PI_INV = 0.25 / math.pi
BINS = 256
FRAC_2_SQRT_PI = 1.1283791670955126


@interaction
class Gravity:
    eps2: Real

    class Body:
        pos: Point
        mass: Real

    class Field:
        acc: Vector
        pot: Real

    def pair(self, i: Body, j: Body, f: Field):
        d = j.pos - i.pos
        rinv = (d.norm2() + self.eps2).rsqrt()
        mr = j.mass * rinv
        f.acc += mr * rinv * rinv * d
        f.pot -= mr


class Body:
    pos: Point
    vel: Vector
    mass: Real


@interaction
class Hermite:
    eps2: Real

    class Field:
        acc: Vector
        jerk: Vector
        pot: Real

    def pair(self, i: Body, j: Body, f: Field):
        d = j.pos - i.pos
        v = j.vel - i.vel
        rinv = (d.norm2() + self.eps2).rsqrt()
        rinv2 = rinv * rinv
        mr = j.mass * rinv
        mr3 = mr * rinv2
        approach = 3 * d.dot(v) * rinv2
        f.acc += mr3 * d
        f.jerk += mr3 * (v - approach * d)
        f.pot -= mr


@interaction
class Ewald:
    alpha: Real
    cutoff: Real

    class Charge:
        pos: Point
        charge: Real

    class Field:
        field: Vector
        pot: Real

    def cutoff(self, _i: Charge, _j: Charge) -> Real:
        return self.cutoff

    def pair(self, i: Charge, j: Charge, f: Field):
        d = i.pos - j.pos
        r2 = d.norm2()
        r = math.sqrt(r2)
        x = self.alpha * r
        pot = j.charge * math.erfc(x) / r
        gauss = FRAC_2_SQRT_PI * self.alpha * math.exp(-x * x)
        f.field += (pot + j.charge * gauss) / r2 * d
        f.pot += pot


class Atom:
    pos: Point
    kind: u32


class Force:
    force: Vector
    pot: Real
    virial: Real


@function
def well(s2: Real) -> Real:
    s6 = s2**3
    return s6 * s6 - s6


@function
def quadratic(n: Real, cn: Real, switch: Real, cutoff: Real) -> Real:
    width = cutoff - switch
    return -n * ((n + 4) * cutoff - (n + 1) * switch) * cn / (cutoff * width) ** 2


@function
def cubic(n: Real, cn: Real, switch: Real, cutoff: Real) -> Real:
    width = cutoff - switch
    return n * ((n + 3) * cutoff - (n + 1) * switch) * cn / ((cutoff * width) ** 2 * width)


@function
def force(n: Real, rn: Real, cn: Real, r: Real, x: Real, switch: Real, cutoff: Real) -> Real:
    added = quadratic(n, cn, switch, cutoff) + cubic(n, cn, switch, cutoff) * x
    return n * rn + added * x * x * r


@function
def potential(n: Real, rn: Real, cn: Real, x: Real, switch: Real, cutoff: Real) -> Real:
    a = quadratic(n, cn, switch, cutoff) / 3
    b = cubic(n, cn, switch, cutoff) / 4
    return rn - (a + b * x) * x * x * x


@interaction
class LennardJones:
    sigma2: Real[4, 4]
    epsilon: Real[4, 4]
    cutoff: Real

    def cutoff(self, _i: Atom, _j: Atom) -> Real:
        return self.cutoff

    def pair(self, i: Atom, j: Atom, f: Force):
        d = i.pos - j.pos
        r2 = d.norm2()
        epsilon = self.epsilon[i.kind][j.kind]
        s2 = self.sigma2[i.kind, j.kind] / r2
        s6 = s2**3
        virial = 24 * epsilon * s6 * (2 * s6 - 1)
        f.force += virial / r2 * d
        f.virial += virial
        f.pot += 4 * epsilon * well(s2)


@interaction
class SwitchedLennardJones:
    sigma2: Real[4, 4]
    epsilon: Real[4, 4]
    switch: Real
    cutoff: Real

    def cutoff(self, _i: Atom, _j: Atom) -> Real:
        return self.cutoff

    def pair(self, i: Atom, j: Atom, f: Force):
        d = i.pos - j.pos
        r2 = d.norm2()
        r = r2.sqrt()
        x = max(r - self.switch, 0)
        width = self.cutoff - self.switch
        sigma2 = self.sigma2[i.kind][j.kind]
        r6 = (sigma2 / r2) ** 3
        c6 = (sigma2 / (self.cutoff * self.cutoff)) ** 3
        r12 = r6 * r6
        c12 = c6 * c6
        epsilon4 = 4 * self.epsilon[i.kind][j.kind]
        virial = epsilon4 * (
            force(12, r12, c12, r, x, self.switch, self.cutoff)
            - force(6, r6, c6, r, x, self.switch, self.cutoff)
        )
        f.force += virial / r2 * d
        f.virial += virial
        u12 = potential(12, r12, c12, x, self.switch, self.cutoff) - potential(
            12, c12, c12, width, self.switch, self.cutoff
        )
        u6 = potential(6, r6, c6, x, self.switch, self.cutoff) - potential(
            6, c6, c6, width, self.switch, self.cutoff
        )
        f.pot += epsilon4 * (u12 - u6)


@interaction
class LennardJonesStress:
    sigma2: Real
    epsilon: Real
    cutoff: Real

    class Atom:
        pos: Point

    class Force:
        force: Vector
        pot: Real
        virial: Tensor

    def cutoff(self, _i: Atom, _j: Atom) -> Real:
        return self.cutoff

    def pair(self, i: Atom, j: Atom, f: Force):
        d = i.pos - j.pos
        r2 = d.norm2()
        s6 = (self.sigma2 / r2) ** 3
        stiffness = 24 * self.epsilon * s6 * (2 * s6 - 1) / r2
        f.force += stiffness * d
        f.pot += 4 * self.epsilon * (s6 * s6 - s6)
        f.virial += 0.5 * stiffness * Tensor.outer(d)


@interaction
class Tabulated:
    KNOTS = 1024
    energy: Spline[KNOTS]
    cutoff: Real

    class Atom:
        pos: Point

    class Force:
        force: Vector
        pot: Real

    def cutoff(self, i: Atom, j: Atom) -> Real:
        return self.cutoff

    def pair(self, i: Atom, j: Atom, f: Force):
        energy = self.energy.at((i.pos - j.pos).norm2())
        f.force -= energy.gradient(i.pos)
        f.pot += energy


@interaction
class Eam:
    KNOTS = 2048
    ELEMENTS = 8
    PAIRS = ELEMENTS * (ELEMENTS + 1) // 2
    NONE = 2**32 - 1

    density: Spline[KNOTS][ELEMENTS]
    pair: Spline[KNOTS][PAIRS]
    elements: u32
    cutoff: Real

    class Atom:
        pos: Point
        kind: u32
        embedding: Real
        slope: Real

    class Force:
        force: Vector
        pot: Real

    @staticmethod
    def place(kind: u32, elements: u32) -> u32:
        return (kind < elements).select(kind, Eam.NONE)

    @staticmethod
    def place_of_pair(a: u32, b: u32, elements: u32) -> u32:
        most = max(a, b)
        return (most < elements).select((most * (most + 1) >> 1) + min(a, b), Eam.NONE)

    def cutoff(self, i: Atom, j: Atom) -> Real:
        return self.cutoff

    def pair(self, i: Atom, j: Atom, f: Force):
        r = (i.pos - j.pos).norm()
        of_i = self.density[self.place(i.kind, self.elements)].at(r)
        of_j = self.density[self.place(j.kind, self.elements)].at(r)
        pair = self.pair[self.place_of_pair(i.kind, j.kind, self.elements)].at(r) / r
        energy = i.slope * of_j + j.slope * of_i + pair
        f.force -= energy.gradient(i.pos)
        f.pot += pair


@interaction
class GayBerne:
    sigma0: Real
    epsilon0: Real
    chi: Real
    chi_depth: Real
    mu: Real
    nu: Real
    cutoff: Real

    class Molecule:
        pos: Point
        axis: Vector

    class Action:
        force: Vector
        torque: Vector
        pot: Real

    def cutoff(self, _i: Molecule, _j: Molecule) -> Real:
        return self.cutoff

    def pair(self, i: Molecule, j: Molecule, f: Action):
        def overlap(chi: Real, a: Real, b: Real, c: Real) -> Real:
            along = chi * c
            fractions = (a + b) ** 2 / (1 + along) + (a - b) ** 2 / (1 - along)
            return 1 - 0.5 * chi * fractions

        d = i.pos - j.pos
        r = d.norm()
        n = d / r
        a = i.axis @ n
        b = j.axis @ n
        c = i.axis @ j.axis
        range = self.sigma0 * overlap(self.chi, a, b, c) ** -0.5
        s6 = (self.sigma0 / (r - range + self.sigma0)) ** 6
        depth = self.mu * math.log(overlap(self.chi_depth, a, b, c)) - 0.5 * self.nu * math.log(
            1 - (self.chi * c) ** 2
        )
        e = 4 * self.epsilon0 * math.exp(depth) * (s6 * s6 - s6)
        f.force -= e.gradient(i.pos)
        f.torque -= i.axis.cross(e.gradient(i.axis))
        f.pot += e


@interaction
class Dpd:
    repulsion: Real
    friction: Real
    temperature: Real
    dt: Real
    cutoff: Real
    seed: u32
    step: u32

    class Bead:
        pos: Point
        vel: Vector
        id: u32

    class Force:
        force: Vector
        pot: Real

    def cutoff(self, _i: Bead, _j: Bead) -> Real:
        return self.cutoff

    def pair(self, i: Bead, j: Bead, f: Force):
        d = i.pos - j.pos
        r = d.norm()
        n = d / r
        w = 1 - r / self.cutoff
        drag = self.friction * w * n.dot(i.vel - j.vel)
        noise = gaussian(self.seed, self.step, min(i.id, j.id), max(i.id, j.id))
        kick = math.sqrt(2 * self.friction * self.temperature / self.dt) * noise
        f.force += w * (self.repulsion - drag + kick) * n
        f.pot += 0.5 * self.repulsion * self.cutoff * w * w


@interaction
class BiotSavart:
    core2: Real

    class Vortex:
        pos: Point
        strength: Vector

    class Motion:
        velocity: Vector
        stretching: Vector

    def pair(self, i: Vortex, j: Vortex, f: Motion):
        d = i.pos - j.pos
        r2 = d.norm2()
        inv2 = (r2 + self.core2).recip()
        inv5 = inv2 * inv2 * inv2**0.5
        near = FOUR_PI_INV * (r2 + 2.5 * self.core2) * inv5
        f.velocity -= near * d.cross(j.strength)
        far = 3 * FOUR_PI_INV * (r2 + 3.5 * self.core2) * inv5 * inv2
        turn = i.strength.cross(j.strength)
        f.stretching += near * turn + far * i.strength.dot(d.cross(j.strength)) * d


@interaction
class KolmogorovSmirnov:
    class Threshold:
        x: Real

    class Sample:
        x: Real
        sample: u32

    class Counts:
        first: Count
        second: Count

    def pair(self, i: Threshold, j: Sample, f: Counts):
        if j.x > i.x:
            return
        if j.sample == 0:
            f.first += 1
        else:
            f.second += 1


@interaction
class Neighbours:
    radius2: Real

    class Place:
        pos: Point

    class Near:
        nearest: ArgMin[Real]
        count: Count

    def pair(self, i: Place, j: Place, f: Near):
        r2 = (j.pos - i.pos).norm2()
        f.nearest.min(r2)
        if r2 < self.radius2:
            f.count += 1


@interaction
class Hologram:
    wavenumber: Real
    wavenumber_lo: Real

    class Pixel:
        pos: Vector
        lo: Vector

    class Source:
        pos: Vector
        lo: Vector
        amplitude: Real
        phase: Real

    class Field:
        re: Real
        im: Real

    @staticmethod
    def two_sum(a: Real, b: Real) -> Real[2]:
        sum = a + b
        rest = sum - a
        return [sum, (a - (sum - rest)) + (b - rest)]

    @staticmethod
    def add_square(x: Real[2], y2: Real[2]) -> Real[2]:
        square = x[0] * x[0]
        rest = x[0].mul_add(x[0], -square) + 2 * x[0] * x[1]
        sum = Hologram.two_sum(square, y2[0])
        return Hologram.two_sum(sum[0], sum[1] + rest + y2[1])

    @staticmethod
    def difference(a: Real, a_lo: Real, b: Real, b_lo: Real) -> Real[2]:
        hi = Hologram.two_sum(a, -b)
        lo = Hologram.two_sum(a_lo, -b_lo)
        sum = Hologram.two_sum(hi[0], lo[0])
        return Hologram.two_sum(sum[0], sum[1] + hi[1] + lo[1])

    def pair(self, i: Pixel, j: Source, f: Field):
        r2 = [0, 0]
        for k in range(3):
            r2 = self.add_square(self.difference(j.pos[k], j.lo[k], i.pos[k], i.lo[k]), r2)
        r = math.sqrt(r2[0])
        r_lo = ((-r).mul_add(r, r2[0]) + r2[1]) / (2 * r)
        turns = r * self.wavenumber
        rest = r.mul_add(self.wavenumber, -turns) + (r * self.wavenumber_lo + r_lo * self.wavenumber)
        phase = TURN * ((turns - turns.round()) + rest) + j.phase
        amplitude = j.amplitude / r
        f.re += amplitude * math.cos(phase)
        f.im += amplitude * math.sin(phase)


@function
def slope(q: Real) -> Real:
    if q < 1:
        return 2.25 * q - 3
    return -0.75 * max(2 - q, 0) ** 2 / q


@interaction
class CubicDensity2:
    NORM = 10 / (7 * math.pi)
    DIMENSIONS = 2

    class Target:
        pos: Point[2]
        h: Real

    class Source:
        pos: Point[2]
        mass: Real

    class Density:
        density: Real
        by_h: Real

    SELF_PAIRS = True

    @staticmethod
    def weight(q: Real) -> Real:
        if q < 1:
            return 1 - q * q * (1.5 - 0.75 * q)
        return 0.25 * max(2 - q, 0) ** 3

    def cutoff(self, i: Target, _j: Source) -> Real:
        return 2 * i.h

    def pair(self, i: Target, j: Source, f: Density):
        inverse = 1 / i.h
        q = (i.pos - j.pos).norm() * inverse
        scale = self.NORM * j.mass * inverse**2
        w = self.weight(q)
        f.density += scale * w
        f.by_h -= scale * inverse * (self.DIMENSIONS * w + q * q * slope(q))


@interaction
class CubicMomentum3:
    alpha: Real
    NORM = 1 / math.pi

    class Fluid:
        pos: Point
        vel: Vector
        mass: Real
        h: Real
        density: Real
        p: Real
        sound: Real

    class Change:
        acc: Vector
        heating: Real
        signal: Max[Real]

    @staticmethod
    def gradient(r: Real, h: Real) -> Real:
        inverse = 1 / h
        return CubicMomentum3.NORM * slope(r * inverse) * inverse**3 * inverse * inverse

    def cutoff(self, i: Fluid, j: Fluid) -> Real:
        return 2 * max(i.h, j.h)

    def pair(self, i: Fluid, j: Fluid, f: Change):
        d = i.pos - j.pos
        v = i.vel - j.vel
        r = d.norm()
        gradient_i = self.gradient(r, i.h)
        gradient_j = self.gradient(r, j.h)
        dv = d.dot(v)
        signal = i.sound + j.sound
        viscosity = 0
        if dv < 0:
            w = dv / r
            signal -= 3 * w
            viscosity = -self.alpha * w * signal / (i.density + j.density)
        viscous = 0.5 * viscosity * (gradient_i + gradient_j)
        own = i.p * gradient_i
        f.acc -= j.mass * (own + j.p * gradient_j + viscous) * d
        f.heating += j.mass * (own + 0.5 * viscous) * dv
        f.signal.max(signal)


@interaction
class RadialDistribution:
    per_length: Real

    class Centre:
        pos: Point

    class Shells:
        pairs: Count[BINS]

    def pair(self, i: Centre, j: Centre, f: Shells):
        r = (j.pos - i.pos).norm()
        f.pairs[int(r * self.per_length)] += 1


LAWS = [
    Gravity,
    Hermite,
    Ewald,
    LennardJones,
    SwitchedLennardJones,
    LennardJonesStress,
    Tabulated,
    Eam,
    GayBerne,
    Dpd,
    BiotSavart,
    KolmogorovSmirnov,
    Neighbours,
    Hologram,
    CubicDensity2,
    CubicMomentum3,
]


def snake(name):
    return re.sub(r"(?<=[a-z0-9])(?=[A-Z])", "_", name).lower()


@pytest.mark.parametrize("twin", LAWS, ids=lambda it: it.name)
def test_twins_have_the_cuda_text_of_their_originals(twin):
    (law,), _ = declared(twin)
    ready = nbody.law(snake(twin.name))
    assert parts(cuda_text(law)) == parts(ready.cuda)


def test_counts_by_index():
    text = (SOURCES / "statistics.rs").read_text(encoding="utf-8")
    found = next(law for law in _native.declare(text)[0] if law.name == "radial_distribution")
    (law,), _ = declared(RadialDistribution)
    assert parts(cuda_text(law)) == parts(cuda_text(found))


# Programs per particle and tuples have no CUDA text of their own: their tokens are compared.


@function
def exchanged(vel: Vector, keep: Real, spread: Real, seed: u32, step: u32, id: u32) -> Vector:
    noise = Vector(gaussian(seed, step, id, 0), gaussian(seed, step, id, 1), gaussian(seed, step, id, 2))
    return keep * vel + spread * noise


@update
class Baoa:
    friction: Real
    temperature: Real
    dt: Real
    seed: u32
    step: u32

    class Particle:
        pos: Point
        vel: Vector
        mass: Real
        id: u32

    class Force:
        force: Vector

    def update(self, p: Particle, f: Force):
        keep = math.exp(-self.friction * self.dt)
        spread = math.sqrt((1 - keep * keep) * self.temperature / p.mass)
        before = p.vel + 0.5 * self.dt / p.mass * f.force
        after = exchanged(before, keep, spread, self.seed, self.step, p.id)
        p.pos += 0.5 * self.dt * (before + after)
        p.vel = after


class Site:
    pos: Point


class AtomForce:
    force: Vector
    pot: Real


@tuple
class HarmonicAngle:
    class Angle:
        k: Real
        angle: Real

    @staticmethod
    def angle_between(a: Vector, b: Vector) -> Real:
        sin2 = a.cross(b).norm2()
        sin = sin2.sqrt() if sin2 > 0 else 0
        return math.atan2(sin, a.dot(b))

    def tuple(self, t: Angle, a: Site, b: Site, c: Site, f: AtomForce, g: AtomForce, h: AtomForce):
        p = a.pos - b.pos
        q = c.pos - b.pos
        e = 0.5 * t.k * (self.angle_between(p, q) - t.angle) ** 2
        of_a = -e.gradient(p)
        of_c = -e.gradient(q)
        f.force += of_a
        g.force -= of_a + of_c
        h.force += of_c
        pot = e / 3
        f.pot += pot
        g.pot += pot
        h.pot += pot


@tuple
class RyckaertBellemans:
    class Polynomial:
        c: Real[6]

    def tuple(
        self,
        t: Polynomial,
        a: Site,
        b: Site,
        c: Site,
        d: Site,
        fa: AtomForce,
        fb: AtomForce,
        fc: AtomForce,
        fd: AtomForce,
    ):
        p = b.pos - a.pos
        q = c.pos - b.pos
        r = d.pos - c.pos
        m = p.cross(q)
        n = q.cross(r)
        norms2 = m.norm2() * n.norm2()
        x = -m.dot(n) / norms2.sqrt() if norms2 > 0 else -1
        k = t.c
        e = k[0] + x * (k[1] + x * (k[2] + x * (k[3] + x * (k[4] + x * k[5]))))
        of_p = e.gradient(p)
        of_q = e.gradient(q)
        of_r = e.gradient(r)
        fa.force += of_p
        fb.force += of_q - of_p
        fc.force += of_r - of_q
        fd.force -= of_r
        pot = 0.25 * e
        fa.pot += pot
        fb.pot += pot
        fc.pot += pot
        fd.pot += pot


class Neighbourhood:
    density: Real


@update
class Embed:
    KNOTS = 2048
    ELEMENTS = 8
    NONE = 2**32 - 1
    embedding: Spline[KNOTS][ELEMENTS]
    elements: u32

    class Atom:
        pos: Point
        kind: u32
        embedding: Real
        slope: Real

    @staticmethod
    def place(kind: u32, elements: u32) -> u32:
        return (kind < elements).select(kind, Embed.NONE)

    def update(self, p: Atom, f: Neighbourhood):
        k = self.place(p.kind, self.elements)
        p.embedding = self.embedding[k].at(f.density)
        p.slope = self.embedding[k].slope(f.density)


def implementation(text, head):
    """Returns the tokens of an `impl` or a function, without commas before a closing bracket."""
    code = re.sub(r"//[^\n]*", "", text[text.index(head) :])
    depths = itertools.accumulate((letter == "{") - (letter == "}") for letter in code)
    end = next(at for at, depth in enumerate(depths) if code[at] == "}" and depth == 0)
    tokens = re.findall(r"\w+(?:\.\d+)?|[^\s\w]", code[: end + 1])
    return re.sub(r", (?=[\])])", "", " ".join(tokens))


@pytest.mark.parametrize(
    ("file", "twin", "heads", "renamed"),
    [
        ("thermostats.rs", Baoa, ["impl Update for Baoa", "fn exchanged"], {}),
        (
            "bonds.rs",
            HarmonicAngle,
            ["impl Tuple for HarmonicAngle", "fn angle_between"],
            {"Atom": "Site", "Force": "AtomForce"},
        ),
        (
            "bonds.rs",
            RyckaertBellemans,
            ["impl Tuple for RyckaertBellemans"],
            {"Atom": "Site", "Force": "AtomForce", "c [": "k [", "let c = t . c": "let k = t . c"},
        ),
        ("tables.rs", Embed, ["impl Update for Embed", "fn place"], {}),
    ],
    ids=lambda it: getattr(it, "name", None),
)
def test_programs_have_the_tokens_of_their_originals(file, twin, heads, renamed):
    declared(twin)
    original = (SOURCES / file).read_text(encoding="utf-8")
    for head in heads:
        expected = implementation(original, head)
        for old, new in renamed.items():
            expected = re.sub(rf"(?<!\w){re.escape(old)}(?!\w)", new, expected)
        assert implementation(twin.text, head) == expected


def test_measures():
    @measure
    class Energy:
        class Total:
            kinetic: Real
            potential: Real
            n: Count

        def measure(self, p: Body, f: AtomForce, t: Total):
            t.kinetic += p.mass * p.vel.norm2() / 2
            t.potential += 0.5 * f.pot
            t.n += 1

    _, (program,) = declared(Energy)
    assert [name for name, _, _ in program.total] == ["kinetic", "potential", "n"]
