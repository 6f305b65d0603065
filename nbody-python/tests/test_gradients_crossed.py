"""Gradients of every construct of the language, by every library, set, box and kind of argument, compared with
differences of the reference."""

import importlib
import importlib.util

import numpy
import pytest
from conftest import library
from covering import Covering
from crossing_ways import BOXES

import nbody

BRANCHES = """
/// Accumulations of every form: components, elements, signs, guards, loops and choices.
pub struct Branches { pub strength: Real, pub offsets: [Real; 3], pub axis: Vector }
pub struct Site { pub pos: Point, pub size: Real, pub spin: Vector, pub kind: u32 }
pub struct Sum { pub pot: Real, pub force: Vector, pub stress: Tensor, pub parts: [Real; 3], pub count: Count }
impl Interaction for Branches {
    type I = Site;
    type J = Site;
    type F = Sum;
    fn pair(&self, i: &Site, j: &Site, f: &mut Sum) {
        let d = i.pos - j.pos;
        let r2 = d.norm2() + 0.05;
        f.count += 1;
        f.pot += self.strength * i.size * j.size / r2;
        f.force.x += j.size * d.y;
        f.force -= j.size / r2 * d;
        f.stress += i.size * j.spin.x * Tensor::outer(d);
        f.stress.xy -= i.size * d.z;
        f.parts[j.kind] += self.offsets[1] * j.size * r2;
        if r2 < 0.15 { f.parts[2] += i.spin.norm2() * r2; } else { f.parts[2] -= j.spin.y * i.size; }
        for k in 0..3 {
            if k == i.kind {
                f.parts[k] += self.offsets[k] * d.norm2();
                if r2 > 0.5 { return; }
            }
        }
        if i.kind == j.kind {
            f.pot += i.size * d.x;
            return;
        }
        f.pot += self.axis.dot(d) * i.spin.dot(j.spin);
        if r2 > 0.3 { return; }
        f.pot -= i.spin.y * self.strength * r2;
    }
}
"""

FUNCTIONS = """
/// Functions with slopes of their own.
pub struct Functions { pub width: Real, pub power: Real }
pub struct Site { pub pos: Point, pub size: Real, pub tilt: Real }
pub struct Sum { pub smooth: Real, pub angles: Real, pub choices: Real, pub pull: Vector }
fn bump(q: Real) -> Real {
    if q >= 1.0 { return 0.0; }
    (1.0 - q).powi(3) * (1.0 + 3.0 * q)
}
impl Interaction for Functions {
    type I = Site;
    type J = Site;
    type F = Sum;
    const SELF_PAIRS: bool = false;
    fn pair(&self, i: &Site, j: &Site, f: &mut Sum) {
        let d = i.pos - j.pos;
        let r2 = d.norm2() + 0.02;
        let r = r2.sqrt();
        f.smooth += (-self.width * r2).exp() + r2.rsqrt() * i.size.ln() + r2.powf(self.power) * j.size;
        f.smooth += bump(r) * j.size.cbrt() + 0.5 * r.recip() + i.tilt.mul_add(j.tilt, r2);
        f.angles += (self.width * i.tilt).sin() * j.tilt.cos() + i.tilt.tanh() * d.y.atan2(r);
        f.angles += i.tilt.tan() * (0.5 * j.tilt).asin() + (r * j.tilt).erf() + d.x.sinh() * d.z.cosh();
        f.choices += i.size.max(j.size) * r2 + i.tilt.min(j.tilt) + (2.0 * j.size).clamp(1.2, i.size + 1.4);
        f.choices += (i.size < j.size).select(i.size * r, r2 * j.size.powi(5)) + (i.tilt - 0.5).abs();
        f.pull += (j.size * d).cross(Vector::new(1.0, i.tilt, 0.5)) / r + r2.sqrt() * i.size * d;
    }
}
"""

SOFT = """
/// A law with a cutoff, at which it is zero, of charges of both signs.
pub struct Soft { pub reach: Real, pub strength: Real }
pub struct Site { pub pos: Point, pub size: Real }
pub struct Sum { pub energy: Real, pub force: Vector }
impl Interaction for Soft {
    type I = Site;
    type J = Site;
    type F = Sum;
    fn cutoff(&self, i: &Site, j: &Site) -> Real { self.reach }
    fn pair(&self, i: &Site, j: &Site, f: &mut Sum) {
        let d = i.pos - j.pos;
        let gap = (self.reach - d.norm()).max(0.0);
        f.energy += self.strength * i.size * j.size * gap.powi(3);
        f.force += j.size * gap.powi(4) * d;
    }
}
"""

PARAMETERS = {
    "branches": {"strength": 1.3, "offsets": [0.5, -1.5, 2.5], "axis": [0.3, -0.4, 0.7]},
    "functions": {"width": 1.7, "power": 1.4},
    "soft": {"reach": 0.45, "strength": 1.5},
    "gravity": {"eps2": 0.01},
}
SOURCES = {"branches": BRANCHES, "functions": FUNCTIONS, "soft": SOFT, "gravity": "gravity"}
#: The parameters that a gradient is by: a cutoff has none.
SMOOTH = {name: [it for it in values if it != "reach"] for name, values in PARAMETERS.items()}

OPTIONS = {
    "law": list(SOURCES),
    "engine": ["AllPairs", "ShortRange", "Tree"],
    "library": [it for it in ("torch", "jax", "jit") if importlib.util.find_spec(it.replace("jit", "jax"))],
    "sets": [1, 2],
    "box": [None, "one", "vectors"],
    "number": [False, True],
    "some": ["all", "particles", "parameters", "one"],
    "results": ["all", "first", "last"],
    "dtype": ["float64", "float32"],
}


def allows(row):
    names = [None if at is None else choices[at] for at, choices in zip(row, OPTIONS.values())]
    law, engine, _, _, box = names[:5]
    if engine == "ShortRange" and law not in (None, "soft"):
        return False
    # A tree whose cells are all opened.
    return engine != "Tree" or law in (None, "gravity") and box != "vectors"


COVERING = Covering([len(it) for it in OPTIONS.values()], 2, allows)
ROWS = [dict(zip(OPTIONS, (it[at] for at, it in zip(row, OPTIONS.values())))) for row in COVERING.rows()]


def fields_of(law, random, n, way):
    """Returns the arrays of n particles, `size` or `mass` as one number for all if so."""
    made = {}
    for name, kind in law.targets.items():
        if name == "pos":
            made[name] = random.random((n, 3))
        elif kind == "u32":
            # A kind of 3 is beyond the end of arrays of three, where nothing is added.
            made[name] = random.integers(0, 4, n)
        elif kind == "Vector":
            made[name] = random.uniform(-1, 1, (n, 3))
        elif way["number"] and name in ("size", "mass"):
            made[name] = numpy.array(0.8)
        else:
            made[name] = random.uniform(0.2, 0.9, n)
        if kind != "u32":
            made[name] = made[name].astype(way["dtype"])
    return made


class Problem:
    """A sum of results with weights, of arrays."""

    def __init__(self, way, seed):
        self.way = way
        random = numpy.random.default_rng(seed)
        self.law = nbody.law(SOURCES[way["law"]])
        self.sides = {"targets": fields_of(self.law, random, 23, way)}
        if way["sets"] == 2:
            self.sides["sources"] = fields_of(self.law, random, 31, way)
        self.sides["parameters"] = {
            name: numpy.array(it, way["dtype"]) for name, it in PARAMETERS[way["law"]].items()
        }
        self.box = BOXES[way["box"]] if way["box"] else None
        real = [name for name, kind in self.law.results.items() if kind != "Count"]
        chosen = {"all": real, "first": real[:1], "last": real[-1:]}[way["results"]]
        found = self.reference(self.sides)
        self.weights = {name: random.uniform(-1, 1, found[name].shape) for name in chosen}
        #: The arrays that a gradient is by, each with a direction.
        self.directions = {
            place: random.uniform(-1, 1, self.array(place).shape) for place in self.places()
        }

    def array(self, place):
        return self.sides[place[0]][place[1]]

    def places(self):
        """Returns the sides and the names of the arrays that a gradient is by."""
        some = self.way["some"]
        places = [
            (side, name)
            for side, fields in self.sides.items()
            for name, array in fields.items()
            if array.dtype.kind == "f" and (side != "parameters" or name in SMOOTH[self.way["law"]])
        ]
        if some in ("particles", "parameters"):
            places = [it for it in places if (it[0] == "parameters") == (some == "parameters")]
        return places[-1:] if some == "one" else places

    def reference(self, sides):
        sources = sides.get("sources")
        parameters = {name: it.tolist() for name, it in sides["parameters"].items()}
        return nbody.reference(self.law, sides["targets"], sources, box=self.box, parameters=parameters)

    def loss(self, sides):
        found = self.reference(sides)
        return sum((found[name] * weight).sum() for name, weight in self.weights.items())

    def slope(self, place, step=1e-6):
        """Returns the slope of the loss along a direction of an array."""

        def moved(sign):
            side, name = place
            changed = self.array(place).astype("float64") + sign * step * self.directions[place]
            return self.loss({**self.sides, side: {**self.sides[side], name: changed}})

        return (moved(1) - moved(-1)) / (2 * step)

    def engine(self, module):
        kind = getattr(importlib.import_module(module), self.way["engine"])
        given = {"device": "cpu", "box": self.box}
        if self.way["engine"] == "Tree":
            given["theta"] = 1e-3
        # Other parameters than those of the evaluation, which has them as arrays.
        changed = {name for side, name in self.directions if side == "parameters"}
        parameters = {
            name: (2.0 * it if name in changed else it).tolist()
            for name, it in self.sides["parameters"].items()
        }
        return kind(self.law, parameters=parameters, **given)

    def weighted(self, engine, arrays):
        """Returns the loss of an engine of these arrays, by their places."""
        sides = {side: dict(fields) for side, fields in self.sides.items()}
        sides["parameters"] = {}
        for (side, name), array in arrays.items():
            sides[side][name] = array
        found = engine.evaluate(sides["targets"], sides.get("sources"), parameters=sides["parameters"])
        return sum((found[name] * self.weights_of[name]).sum() for name in self.weights)

    def gradients(self):
        """Returns the gradients of the engine, as arrays of numpy by their places."""
        return self.by_torch() if self.way["library"] == "torch" else self.by_jax()

    def by_torch(self):
        torch = importlib.import_module("torch")
        engine = self.engine("nbody.torch")
        self.convert(torch.tensor)
        leaves = {place: self.array(place).clone().requires_grad_() for place in self.directions}
        loss = self.weighted(engine, leaves)
        self.value = loss.item()
        found = torch.autograd.grad(loss, list(leaves.values()), allow_unused=True)
        return {
            place: numpy.zeros_like(self.array(place)) if it is None else it.numpy()
            for place, it in zip(leaves, found)
        }

    def by_jax(self):
        of, _ = library("jax")
        jax = importlib.import_module("jax")
        engine, places = self.engine("nbody.jax"), list(self.directions)
        self.convert(of)

        def loss(*arrays):
            return self.weighted(engine, dict(zip(places, arrays)))

        differentiated = jax.value_and_grad(loss, tuple(range(len(places))))
        if self.way["library"] == "jit":
            differentiated = jax.jit(differentiated)
        value, found = differentiated(*(self.array(place) for place in places))
        self.value = float(value)
        return {place: numpy.asarray(it) for place, it in zip(places, found)}

    def convert(self, of):
        """Makes arrays of a library."""
        self.weights_of = {name: of(weight) for name, weight in self.weights.items()}
        self.sides = {
            side: {name: of(it) for name, it in fields.items()} for side, fields in self.sides.items()
        }


@pytest.mark.parametrize("seed", range(len(ROWS)))
def test_gradients_are_slopes_of_the_reference(seed):
    way = ROWS[seed]
    problem = Problem(way, seed)
    slopes = {place: problem.slope(place) for place in problem.directions}
    expected = problem.loss(problem.sides)
    found = problem.gradients()
    assert slopes and abs(problem.value - expected) <= 1e-4 * (abs(expected) + 1), (way, expected)
    for place, gradient in found.items():
        direction = problem.directions[place]
        assert gradient.shape == direction.shape and gradient.dtype == way["dtype"], (way, place)
        along = (gradient.astype("float64") * direction).sum()
        size = numpy.abs(gradient * direction).sum() + 1e-3
        tolerance = 1e-7 if way["dtype"] == "float64" else 2e-5
        assert abs(along - slopes[place]) <= tolerance * size, (way, place, along, slopes[place])


def test_gradients_have_the_options_of_their_engine():
    """Also those that change after a gradient was taken."""
    of, _ = library("jax")
    jax = importlib.import_module("jax")
    engines = importlib.import_module("nbody.jax")
    pos = of(numpy.random.default_rng(1).random((300, 3)))

    def slope(engine, result, **fields):
        return numpy.asarray(jax.grad(lambda x: engine.evaluate(pos=x, **fields)[result].sum())(pos))

    gravity = {"eps2": 0.01, "device": "cpu"}
    soft = {"reach": 0.3, "strength": 1.5, "device": "cpu"}
    pairs = [[k, k + 1] for k in range(0, 300, 2)]
    kept = [
        (engines.AllPairs("gravity", **gravity), "pot", {"mass": 1.0}),
        (engines.Tree("gravity", theta=1.2, **gravity), "pot", {"mass": 1.0}),
        (engines.ShortRange(SOFT, **soft), "energy", {"size": 1.0}),
    ]
    first = [slope(engine, result, **fields) for engine, result, fields in kept]
    exact = slope(kept[0][0], "pot", mass=1.0)
    # The far particles of the tree act, and nearly as the particles.
    assert 1e-6 < abs(first[1] - exact).max() < 0.05 * abs(exact).max()
    kept[0][0].set_box(1.25)
    kept[1][0].set_opening(theta=0.8)
    kept[2][0].set_box(1.25)
    kept[2][0].exclude(pairs)
    without = engines.ShortRange(SOFT, box=1.25, **soft)
    without.exclude(pairs)
    fresh = [
        engines.AllPairs("gravity", box=1.25, **gravity),
        engines.Tree("gravity", theta=0.8, **gravity),
        without,
    ]
    for (engine, result, fields), new, before in zip(kept, fresh, first):
        found = slope(engine, result, **fields)
        assert (found == slope(new, result, **fields)).all() and (found != before).any()
    # Excluded pairs have no gradient.
    every = slope(engines.ShortRange(SOFT, box=1.25, **soft), "energy", size=1.0)
    assert (every != slope(without, "energy", size=1.0)).any()


def test_numbers_that_are_no_arrays_are_part_of_a_call():
    of, _ = library("jax")
    jax = importlib.import_module("jax")
    engine = importlib.import_module("nbody.jax").AllPairs("gravity", eps2=0.01, device="cpu")
    pos = of(numpy.random.default_rng(1).random((20, 3)))

    @jax.jit
    def both(x):
        energy = lambda mass: lambda x: engine.evaluate(pos=x, mass=mass).pot.sum()
        return jax.grad(energy(1.0))(x), jax.grad(energy(3.0))(x)

    one, three = both(pos)
    assert abs(three - 3 * one).max() <= 1e-12 * abs(three).max()
    values = [jax.jit(lambda x: engine.evaluate(pos=x, mass=mass).pot)(pos) for mass in (1.0, 3.0)]
    assert abs(values[1] - 3 * values[0]).max() <= 1e-12 * abs(values[1]).max()


@pytest.mark.parametrize("types", [("float32", "float32"), ("float64", "float32"), ("float32", "float64")])
def test_gradients_have_the_types_of_their_arrays(types):
    of, _ = library("jax")
    jax = importlib.import_module("jax")
    engine = importlib.import_module("nbody.jax").AllPairs("gravity", eps2=0.01, device="cpu")
    random = numpy.random.default_rng(1)
    pos, mass = of(random.random((20, 3)).astype(types[0])), of(random.random(20).astype(types[1]))
    evaluate = lambda x, m: engine.evaluate(pos=x, mass=m).pot
    is_double = "float64" in types
    for function in (evaluate, jax.jit(evaluate)):
        assert function(pos, mass).dtype == ("float64" if is_double else "float32")
        gradients = jax.grad(lambda x, m: function(x, m).sum(), (0, 1))(pos, mass)
        assert [str(it.dtype) for it in gradients] == list(types)


def test_results_of_torch_have_the_type_that_is_asked_for():
    torch = pytest.importorskip("torch")
    target = importlib.import_module("nbody._arrays").Target([torch.zeros(1)])
    for name in ("float32", "float64", "int64"):
        made = target.empty((2, 3), name)
        assert made.dtype == getattr(torch, name) and made.shape == (2, 3)
