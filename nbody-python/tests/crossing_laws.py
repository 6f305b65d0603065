"""Laws that tests cross with options, each with a double loop of numpy."""

from typing import Any, Callable, NamedTuple, Optional

import numpy

import nbody

GAUSS = """
/// A sum of Gaussians and its gradient, each particle included.
pub struct Gauss { pub per_width2: Real }
pub struct Site { pub pos: Point, pub weight: Real }
pub struct Sum { pub value: Real, pub slope: Vector }
impl Interaction for Gauss {
    type I = Site;
    type J = Site;
    type F = Sum;
    const SELF_PAIRS: bool = true;
    fn pair(&self, i: &Site, j: &Site, f: &mut Sum) {
        let d = i.pos - j.pos;
        let w = j.weight * (-d.norm2() * self.per_width2).exp();
        f.value += w;
        f.slope -= 2.0 * self.per_width2 * w * d;
    }
}
"""

PLANAR = """
/// Charges in a plane.
pub struct Planar { pub core2: Real }
pub struct Rod { pub pos: Point<2>, pub charge: Real }
pub struct Pull { pub field: Vector<2>, pub stress: Tensor<2>, pub pot: Real }
impl Interaction for Planar {
    type I = Rod;
    type J = Rod;
    type F = Pull;
    fn pair(&self, i: &Rod, j: &Rod, f: &mut Pull) {
        let d = j.pos - i.pos;
        let r2 = d.norm2() + self.core2;
        f.field += j.charge / r2 * d;
        f.stress += j.charge / r2 * Tensor::outer(d);
        f.pot += j.charge * r2.ln();
    }
}
"""

SEEN = """
/// What a particle sees within its reach: extremes, indices, counts and sums by kind.
pub struct Sight { pub reach: Real, pub weights: [Real; 3] }
pub struct Site { pub pos: Point, pub size: Real, pub kind: u32 }
pub struct Seen {
    pub nearest: ArgMin<Real>,
    pub few: Nearest<3>,
    pub widest: Max<Real>,
    pub least: Min<Real>,
    pub same: Count,
    pub kinds: [Count; 3],
    pub sums: [Real; 3],
    pub total: Vector,
}
impl Interaction for Sight {
    type I = Site;
    type J = Site;
    type F = Seen;
    fn cutoff(&self, i: &Site, j: &Site) -> Real { self.reach }
    fn pair(&self, i: &Site, j: &Site, f: &mut Seen) {
        let d = i.pos - j.pos;
        let r2 = d.norm2();
        f.nearest.min(r2);
        f.few.insert(r2);
        f.widest.max(j.size - 0.5 * i.size);
        f.least.min(j.size * r2);
        if i.kind == j.kind { f.same += 1; }
        f.kinds[j.kind] += 1;
        f.sums[j.kind] += self.weights[j.kind] * j.size;
        f.total += j.size * d;
    }
}
"""


class Term(NamedTuple):
    """The contributions of all pairs to a result: of shape (targets, sources) and that of a number."""

    kind: str
    value: Any
    #: Numbers that rounding errors are relative to; by default those of the value.
    magnitude: Any = None


class Crossed(NamedTuple):
    """A law, and what numpy needs to know of it."""

    source: str
    parameters: dict
    #: Terms of (parameters, targets, sources, differences from j to i).
    terms: Callable[..., dict]
    #: Relative change of a term with a change of a position by a length, of (parameters, squared distances).
    steepness: Callable[..., Any]
    #: Cutoffs of (parameters, targets), if there are.
    cutoff: Optional[Callable[..., Any]] = None
    self_pairs: bool = False
    dimensions: int = 3
    #: Whether trees evaluate it.
    has_charges: bool = False

    @property
    def law(self):
        return declared(self.source)


KNOWN: dict = {}


def declared(source):
    """Returns the law of a source, declared once."""
    if source not in KNOWN:
        KNOWN[source] = nbody.law(source)
    return KNOWN[source]


def norm2(d):
    return (d * d).sum(-1)


def outer(d):
    """Returns the components of the tensor product of vectors: xx, yy, (zz,) xy, (xz, yz)."""
    n = d.shape[-1]
    pairs = [(k, k) for k in range(n)] + [(k, l) for k in range(n) for l in range(k + 1, n)]
    return numpy.stack([d[..., k] * d[..., l] for k, l in pairs], -1)


def gravity(p, i, j, d):
    r = (norm2(d) + p["eps2"]) ** -0.5
    return {
        "acc": Term("sum", -(j["mass"] * r**3)[..., None] * d),
        "pot": Term("sum", -j["mass"] * r),
    }


def attraction(p, i, j, d):
    return {"acc": gravity(p, i, j, d)["acc"]}


def softened(p, r2):
    return 3 / numpy.sqrt(r2 + p["eps2"])


def stress(p, i, j, d):
    r2 = norm2(d)
    s6 = (p["sigma2"] / r2) ** 3
    stiffness, size = (24 * p["epsilon"] * s6 * (2 * s6 + sign) / r2 for sign in (-1, 1))
    return {
        "force": Term("sum", stiffness[..., None] * d, size[..., None] * abs(d)),
        "pot": Term("sum", 4 * p["epsilon"] * (s6 * s6 - s6), 4 * p["epsilon"] * (s6 * s6 + s6)),
        "virial": Term(
            "sum", 0.5 * stiffness[..., None] * outer(d), 0.5 * size[..., None] * abs(outer(d))
        ),
    }


def density(p, i, j, d):
    h = i["h"][:, None]
    q = numpy.sqrt(norm2(d)) / h
    inner, rest = q < 1, numpy.maximum(2 - q, 0)
    w = numpy.where(inner, 1 - q * q * (1.5 - 0.75 * q), 0.25 * rest**3)
    slope = numpy.where(inner, (2.25 * q - 3) * q, -0.75 * rest**2)
    scale = j["mass"] / (numpy.pi * h**3)
    size = numpy.broadcast_to(scale, q.shape)
    return {
        "density": Term("sum", scale * w, size),
        "by_h": Term("sum", -scale / h * (3 * w + q * slope), 6 * size / h),
    }


def gauss(p, i, j, d):
    w = j["weight"] * numpy.exp(-norm2(d) * p["per_width2"])
    slope = -2 * p["per_width2"] * w[..., None] * d
    # The exponent has a relative error.
    growth = 1 + norm2(d) * p["per_width2"]
    return {
        "value": Term("sum", w, w * growth),
        "slope": Term("sum", slope, abs(slope) * growth[..., None]),
    }


def planar(p, i, j, d):
    r2 = norm2(d) + p["core2"]
    over = (j["charge"] / r2)[..., None]
    log = j["charge"] * numpy.log(r2)
    return {
        "field": Term("sum", -over * d),
        "stress": Term("sum", over * outer(d)),
        # Near 1 the logarithm is less than the error of its argument.
        "pot": Term("sum", log, abs(log) + abs(j["charge"])),
    }


def neighbours(p, i, j, d):
    r2 = norm2(d)
    return {"nearest": Term("argmin", r2), "count": Term("count", (r2 < p["radius2"]).astype(int))}


def seen(p, i, j, d):
    r2 = norm2(d)
    size, kind = (numpy.broadcast_to(j[name], r2.shape) for name in ("size", "kind"))
    is_kind = (kind[..., None] == numpy.arange(3)).astype(int)
    widest = size - 0.5 * i["size"][:, None]
    return {
        "nearest": Term("argmin", r2),
        "few": Term("nearest", r2),
        "widest": Term("max", widest, abs(size) + abs(i["size"][:, None])),
        "least": Term("min", size * r2),
        "same": Term("count", (kind == i["kind"][:, None]).astype(int)),
        "kinds": Term("count", is_kind),
        "sums": Term("sum", is_kind * (size * numpy.take(p["weights"], kind))[..., None]),
        "total": Term("sum", size[..., None] * d),
    }


def inverse_distance(power):
    return lambda p, r2: power / numpy.sqrt(numpy.maximum(r2, 1e-6))


LAWS = {
    "gravity": Crossed("gravity", {"eps2": 2.0**-10}, gravity, softened, has_charges=True),
    "attraction": Crossed("attraction", {"eps2": 2.0**-8}, attraction, softened, has_charges=True),
    "stress": Crossed(
        "lennard_jones_stress",
        {"sigma2": 0.0078125, "epsilon": 1.25, "cutoff": 0.3},
        stress,
        inverse_distance(16),
        cutoff=lambda p, i: p["cutoff"],
    ),
    "density": Crossed(
        "cubic_density3",
        {},
        density,
        lambda p, r2: 16.0,
        cutoff=lambda p, i: 2 * i["h"][:, None],
        self_pairs=True,
    ),
    "gauss": Crossed(
        GAUSS,
        {"per_width2": 8.0},
        gauss,
        lambda p, r2: 1 / numpy.sqrt(numpy.maximum(r2, 1e-6)) + 32,
        self_pairs=True,
        has_charges=True,
    ),
    "planar": Crossed(
        PLANAR,
        {"core2": 2.0**-9},
        planar,
        lambda p, r2: 3 / numpy.sqrt(r2 + p["core2"]),
        dimensions=2,
        has_charges=True,
    ),
    "neighbours": Crossed("neighbours", {"radius2": 0.09}, neighbours, inverse_distance(2)),
    "seen": Crossed(
        SEEN,
        {"reach": 0.3, "weights": [0.5, 1.25, -2.0]},
        seen,
        inverse_distance(2),
        cutoff=lambda p, i: p["reach"],
    ),
}
