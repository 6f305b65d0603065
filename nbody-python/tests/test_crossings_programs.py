"""Programs per particle and tuples with every option: any two choices meet, and results are those of numpy."""

import numpy
import pytest
from covering import Covering
from crossing_truth import nearest_image
from crossing_ways import BOXES, LAYOUTS, LIBRARIES, installed, of_library

import nbody

PROGRAMS = """
pub struct Body { pub pos: Point, pub vel: Vector, pub mass: Real, pub kind: u32 }
pub struct Anchor { pub pos: Point, pub weight: Real }
pub struct Field { pub acc: Vector, pub pot: Real }
pub struct Whole { pub momentum: Vector, pub mass: Real }
pub struct Push { pub dt: Real, pub pull: Real, pub flow: Vector }
impl Update for Push {
    type P = Body;
    type Q = Anchor;
    type F = Field;
    type G = Whole;
    fn update(&self, p: &mut Body, q: &Anchor, f: &Field, g: &Whole) {
        let d = q.pos - p.pos;
        p.vel += self.dt * (f.acc + self.pull * q.weight * d - g.momentum / g.mass);
        if p.kind == 1 { p.vel += self.flow; }
        p.pos += self.dt * p.vel;
        p.mass += f.pot;
        p.kind = p.kind + 2;
    }
}
pub struct Sums {
    pub count: Count,
    pub momentum: Vector,
    pub kinds: [Count; 3],
    pub fastest: ArgMax<Real>,
    pub least: Min<Real>,
    pub energy: Real,
}
pub struct Sum { pub scale: Real }
impl Measure for Sum {
    type P = Body;
    type Q = Anchor;
    type F = Field;
    type T = Sums;
    fn measure(&self, p: &Body, q: &Anchor, f: &Field, t: &mut Sums) {
        t.count += 1;
        t.momentum += p.mass * p.vel;
        t.kinds[p.kind] += 1;
        t.fastest.max(p.vel.norm2());
        t.least.min((p.pos - q.pos).norm2() * q.weight);
        t.energy += self.scale * p.mass * f.pot;
    }
}
"""

OPTIONS = {
    "device": ["cpu", "cpu:scalar", "emulator"],
    "box": [None, *BOXES],
    "wrap": [False, True],
    "dtype": ["float64", "float32"],
    "layout": list(LAYOUTS),
    "library": LIBRARIES,
    "precision": [None, "single", "mixed", "double"],
    "n": [1, 2, 33, 300],
}


def is_possible(row):
    made = {name: None if at is None else choices[at] for at, (name, choices) in zip(row, OPTIONS.items())}
    if made["library"] in ("torch", "jax") and made["layout"] not in (None, "packed", "number"):
        return made["library"] == "torch" and made["layout"] in ("wide", "fortran")
    # Only positions in a box are wrapped.
    return not (made["wrap"] and row[1] == 0)


ROWS = Covering([len(it) for it in OPTIONS.values()], 2, is_possible).rows()
WAYS = [{name: it[at] for at, (name, it) in zip(row, OPTIONS.items())} for row in ROWS]
for each in WAYS:
    each["library"] = installed(each["library"])


class Made:
    """Numbers, and the arrays that have them."""

    def __init__(self, way, **fields):
        self.numbers, self.arrays = {}, {}
        for name, values in fields.items():
            array = values if values.dtype.kind == "i" else values.astype(way["dtype"])
            if way["layout"] == "number" and name in ("mass", "weight", "pot") and len(array) > 1:
                array[:] = array[0]
                self.arrays[name] = float(array[0])
            else:
                self.arrays[name] = of_library(way["library"], LAYOUTS[way["layout"]](array))
            self.numbers[name] = array.astype("int64" if array.dtype.kind == "i" else "float64")


def bodies(way, seed):
    """Returns particles, second particles, results and totals."""
    random, n = numpy.random.default_rng(seed), way["n"]
    grid = lambda: random.integers(0, 1400, (n, 3)) / 1024 + random.uniform(-1e-5, 1e-5, (n, 3))
    p = Made(
        way,
        pos=grid(),
        vel=random.uniform(-1, 1, (n, 3)),
        mass=random.uniform(0.5, 1, n),
        kind=random.integers(0, 3, n),
    )
    q = Made(way, pos=grid(), weight=random.uniform(0.5, 1, n))
    f = Made(way, acc=random.uniform(-1, 1, (n, 3)), pot=random.uniform(-0.2, 0.2, n))
    g = Made({**way, "layout": "packed"}, momentum=random.uniform(-1, 1, (1, 3)), mass=numpy.array([1.5]))
    return p, q, f, g


def given_box(way):
    return BOXES[way["box"]] if way["box"] else None


def updated(p, q, f, g, box, dt, pull, flow):
    """Returns what `Push` does, without wrapping."""
    d = nearest_image(box, q["pos"] - p["pos"])
    vel = p["vel"] + dt * (f["acc"] + pull * q["weight"][:, None] * d - g["momentum"] / g["mass"])
    vel = vel + (p["kind"] == 1)[:, None] * numpy.array(flow)
    return {"pos": p["pos"] + dt * vel, "vel": vel, "mass": p["mass"] + f["pot"], "kind": p["kind"] + 2}


def close(found, expected, dtype, scale=2.0):
    tolerance = 1e-14 if dtype == "float64" else 1e-7
    return numpy.abs(numpy.asarray(found, float) - expected).max(initial=0.0) <= tolerance * scale


@pytest.mark.parametrize("seed", range(len(WAYS)))
def test_updates_are_those_of_numpy(seed):
    way = WAYS[seed]
    p, q, f, g = bodies(way, seed)
    box, given = given_box(way), {"dt": 0.25, "pull": 0.5, "flow": [0.1, -0.2, 0.3]}
    options = {"name": "push", "device": way["device"], "box": box, "wrap": way["wrap"]}
    push = nbody.PerParticle(PROGRAMS, **options, dt=9.0, pull=0.0, flow=[0.0, 0.0, 0.0])
    push.set_parameters(dt=0.25)
    push.set_parameters(pull=given["pull"], flow=given["flow"])
    found = push.update(p.arrays, q.arrays, f.arrays, g.arrays)
    expected = updated(p.numbers, q.numbers, f.numbers, g.numbers, box, **given)
    for name in ("vel", "mass"):
        assert close(found[name], expected[name], way["dtype"]), (way, name)
    assert (numpy.asarray(found["kind"]) == expected["kind"]).all()
    pos = numpy.asarray(found["pos"], float)
    moved = pos - expected["pos"]
    if way["wrap"]:
        inside = numpy.array(BOXES["three"] if way["box"] != "one" else [box] * 3)
        # In single precision a position below the length may be rounded to it.
        assert (pos >= 0).all() and (pos <= inside).all(), way
        moved = nearest_image(box, moved)
    assert close(moved, 0.0, way["dtype"]), way
    fresh = nbody.PerParticle(PROGRAMS, **options, **given)
    again = fresh.update(p.arrays, q.arrays, f.arrays, g.arrays)
    assert all(numpy.array_equal(numpy.asarray(again[it]), numpy.asarray(found[it])) for it in found)


@pytest.mark.parametrize("seed", range(len(WAYS)))
def test_measures_are_those_of_numpy(seed):
    way = WAYS[seed]
    p, q, f, _ = bodies(way, seed)
    box = given_box(way)
    total = nbody.PerParticle(PROGRAMS, name="sum", device=way["device"], box=box, scale=0.5)
    found = total.measure(p.arrays, q.arrays, f.arrays)
    body, anchor, field = p.numbers, q.numbers, f.numbers
    assert found["count"] == way["n"]
    momentum = (body["mass"][:, None] * body["vel"]).sum(0)
    assert close(found["momentum"], momentum, "float64", 300)
    assert list(found["kinds"]) == [(body["kind"] == k).sum() for k in range(3)]
    speed2 = (body["vel"] ** 2).sum(1)
    assert found["fastest.value"] == pytest.approx(speed2.max(), rel=1e-14)
    assert found["fastest.index"] == speed2.argmax()
    d = nearest_image(box, body["pos"] - anchor["pos"])
    assert found["least"] == pytest.approx(((d**2).sum(1) * anchor["weight"]).min(), rel=1e-12)
    energy = 0.5 * body["mass"] * field["pot"]
    assert abs(found["energy"] - energy.sum()) <= 1e-14 * numpy.abs(energy).sum()


def bonds(pos, members, k, length, box):
    """Returns forces and potentials of harmonic bonds: half of each to both particles."""
    force, pot = numpy.zeros_like(pos), numpy.zeros(len(pos))
    for (i, j), k, length in zip(members, k, length):
        d = nearest_image(box, (pos[i] - pos[j])[None])[0]
        r = numpy.sqrt(d @ d)
        pull = -k * (r - length) / r * d
        force[i] += pull
        force[j] -= pull
        pot[[i, j]] += 0.25 * k * (r - length) ** 2
    return force, pot


@pytest.mark.parametrize("seed", range(len(WAYS)))
def test_tuples_are_those_of_numpy(seed):
    way = {**WAYS[seed], "n": WAYS[seed]["n"] + 1}
    random, n = numpy.random.default_rng(seed), way["n"]
    p, _, _, _ = bodies(way, seed)
    members = [random.choice(n, 2, replace=False).tolist() for _ in range(2 * n)]
    records = Made(way, k=random.uniform(1, 2, 2 * n), length=random.uniform(0.1, 0.3, 2 * n))
    box = given_box(way)
    engine = nbody.Tuples(
        "harmonic_bond",
        members,
        particles=n,
        records=records.arrays,
        device=way["device"],
        precision=way["precision"],
        box=box,
    )
    assert len(engine) == 2 * n
    given = {"pos": p.arrays["pos"]}
    found = engine.evaluate(given) if seed % 2 else engine.evaluate(**given)
    computed = way["precision"] or ("single" if way["dtype"] == "float32" else "double")
    pos = p.numbers["pos"]
    if computed == "single":
        pos = pos.astype("float32").astype("float64")
    # Records are in double precision on the CPU.
    force, pot = bonds(pos, members, *records.numbers.values(), box)
    is_double = computed == "double" or computed == "mixed" and way["device"] != "emulator"
    tolerance = 1e-13 if is_double and way["dtype"] == "float64" else 1e-5
    for name, expected in (("force", force), ("pot", pot)):
        array = numpy.asarray(found[name])
        assert array.dtype == way["dtype"], (way, name)
        assert numpy.abs(array - expected).max() <= tolerance * numpy.abs(expected).max(), (way, name)
    if computed == "single" and way["dtype"] == "float64":
        # Results are not those of double precision.
        exact, _ = bonds(p.numbers["pos"], members, *records.numbers.values(), box)
        assert numpy.abs(numpy.asarray(found.force) - exact).max() > 1e-10
    again = engine.evaluate(given)
    assert numpy.array_equal(numpy.asarray(again.force), numpy.asarray(found.force))


def test_what_programs_refuse():
    way = {**WAYS[0], "layout": "packed", "library": "numpy", "n": 4}
    p, q, f, g = (it.arrays for it in bodies(way, 1))
    push = nbody.PerParticle(PROGRAMS, name="push", device="cpu", dt=0.1, pull=0.0, flow=[0.0] * 3)
    for arguments, error in (
        ((p, q, f), TypeError),
        ((p, q, g, f), TypeError),
        ((p, f, q, g), TypeError),
        ((p, {"pos": q["pos"]}, f, g), TypeError),
        ((p, {name: it[:3] for name, it in q.items()}, f, g), ValueError),
        ((p, q, {name: it[:3] for name, it in f.items()}, g), ValueError),
        ((p, q, f, {name: numpy.repeat(it, 2, 0) for name, it in g.items()}), ValueError),
        (({**p, "kind": p["mass"]}, q, f, g), ValueError),
        (({**p, "kind": p["kind"] - 3}, q, f, g), ValueError),
    ):
        with pytest.raises(error):
            push.update(*arguments)
    with pytest.raises((nbody.UnsupportedError, ValueError)):
        push.measure(p, q, f)
    for wrong, error in (
        ({"dt": 1.0}, TypeError),
        ({"dt": 1.0, "pull": 0.0, "flow": [0.0] * 2}, ValueError),
        ({"dt": float("nan"), "pull": 0.0, "flow": [0.0] * 3}, nbody.NumbersError),
        ({"dt": 1.0, "pull": 0.0, "flow": [0.0] * 3, "box": -1.0}, ValueError),
    ):
        with pytest.raises(error):
            nbody.PerParticle(PROGRAMS, name="push", device="cpu", **wrong)
    bond = {"particles": 3, "records": {"k": 1.0, "length": numpy.ones(1)}, "device": "cpu"}
    for members, changes, error in (
        ([[0, 3]], {}, ValueError),
        ([[0, 1, 2]], {}, ValueError),
        ([[0, -1]], {}, OverflowError),
        ([[0, 1], [1, 2]], {}, ValueError),
        ([[0, 1]], {"records": {"k": numpy.ones(1)}}, TypeError),
        ([[0, 1]], {"precision": "half"}, ValueError),
    ):
        with pytest.raises(error):
            nbody.Tuples("harmonic_bond", members, **{**bond, **changes})
    with pytest.raises(ValueError):
        nbody.Tuples("harmonic_bond", [[0, 1]], **bond).evaluate(pos=numpy.ones((4, 3)))
