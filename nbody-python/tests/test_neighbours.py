"""Lists that two laws share, in every way to make them, beside numpy."""

import threading

import numpy
import pytest
from covering import ways
from crossing_truth import nearest_image

import nbody

LAWS = """
/// A constant cutoff.
pub struct Near { pub reach: Real }
/// A cutoff by the larger of two particles.
pub struct Wide { pub factor: Real }
pub struct Ball { pub pos: Point, pub h: Real, pub mass: Real }
pub struct Sum { pub count: Count, pub mass: Real, pub pull: Vector }
impl Interaction for Near {
    type I = Ball;
    type J = Ball;
    type F = Sum;
    fn cutoff(&self, i: &Ball, j: &Ball) -> Real { self.reach }
    fn pair(&self, i: &Ball, j: &Ball, f: &mut Sum) {
        f.count += 1;
        f.mass += j.mass;
        f.pull += j.mass * (j.pos - i.pos);
    }
}
impl Interaction for Wide {
    type I = Ball;
    type J = Ball;
    type F = Sum;
    fn cutoff(&self, i: &Ball, j: &Ball) -> Real { self.factor * i.h.max(j.h) }
    fn pair(&self, i: &Ball, j: &Ball, f: &mut Sum) {
        f.count += 1;
        f.mass += j.mass;
        f.pull += j.mass * (j.pos - i.pos);
    }
}
"""
NEAR, WIDE = nbody.declarations(LAWS)[0]
REACH, FACTOR = 0.3, 4.0
BOXES = [None, 1.0, [[1.0, 0, 0], [0.25, 1.0, 0], [-0.125, 0.375, 1.0]]]
OPTIONS = {
    "device": ["cpu", "emulator"],
    "box": [0, 1, 2],
    "precision": [None, "single", "mixed", "double"],
    "dtype": ["float32", "float64"],
    "math": ["fast", "exact"],
    "sets": ["one", "two"],
    "pairs": ["found", "given", "without"],
    "skin": [None, 0.05],
    "n": [1, 33, 200],
    "order": [None, (64, 2)],
}


def balls(n, dtype, seed):
    """Returns balls whose coordinates, radii and masses are whole multiples of small powers of two."""
    random = numpy.random.default_rng(seed)
    return {
        "pos": (random.integers(0, 1024, (n, 3)) / 1024).astype(dtype),
        "h": ((16 + random.integers(0, 16, n)) / 512).astype(dtype),
        "mass": random.integers(1, 100, n).astype(dtype),
    }


def truth(law, i, j, box, is_one, allowed):
    """Returns counts, masses and pulls by numpy."""
    d = j["pos"][None].astype("float64") - i["pos"][:, None]
    if box is not None:
        d = nearest_image(numpy.array(box) if isinstance(box, list) else numpy.eye(3) * box, d)
    cutoff = REACH if law is NEAR else FACTOR * numpy.maximum(i["h"][:, None], j["h"][None])
    within = ((d * d).sum(-1) < cutoff * cutoff).astype("float64") * allowed
    if is_one:
        numpy.fill_diagonal(within, 0)
    mass = within * j["mass"][None]
    return within.sum(1), mass.sum(1), (mass[..., None] * d).sum(1)


def check(found, law, i, j, box, is_one, allowed):
    count, mass, pull = truth(law, i, j, box, is_one, allowed)
    assert (numpy.asarray(found.count) == count).all()
    assert (numpy.asarray(found.mass) == mass).all()
    assert abs(numpy.asarray(found.pull) - pull).max(initial=0) < 1e-3


@pytest.mark.parametrize("way", ways(OPTIONS, 3), ids=lambda way: "-".join(str(it) for it in way.values()))
def test_two_laws_share_lists(way):
    n, is_one, dtype = way["n"], way["sets"] == "one", way["dtype"]
    box = BOXES[way["box"]]
    random = numpy.random.default_rng(n)
    j = balls(n if is_one else 2 * n + 1, dtype, 1)
    i = j if is_one else balls(n, dtype, 2)
    shape = (n, len(j["pos"]))
    allowed = numpy.ones(shape)
    rows = None
    if way["pairs"] == "given":
        allowed = (random.random(shape) < 0.4).astype("float64")
        offsets = numpy.concatenate([[0], allowed.sum(1).cumsum()]).astype(int)
        rows = (offsets.tolist(), numpy.nonzero(allowed)[1].tolist())
    options = {"device": way["device"], "precision": way["precision"]}
    skin = None if rows else way["skin"]
    lists = nbody.Neighbours(box=box, skin=skin, rows=rows, **options)
    if way["pairs"] == "without":
        some = random.integers(0, min(shape), (30, 2))
        lists.exclude(some)
        allowed[some[:, 0], some[:, 1]] = 0
        if is_one:
            allowed[some[:, 1], some[:, 0]] = 0
    options.update(math=way["math"], order=way["order"])
    near = nbody.ShortRange(NEAR, reach=REACH, **options)
    wide = nbody.ShortRange(WIDE, factor=FACTOR, **options)
    sets = (i,) if is_one else (i, j)
    for _ in range(2):
        lists.update([near, wide], *sets)
        for engine, law in ((near, NEAR), (wide, WIDE), (near, NEAR)):
            found = lists.evaluate(engine, *sets)
            assert found.mass.dtype == dtype
            check(found, law, i, j, box, is_one, allowed)
        # Less than half of the skin: the lists stay.
        i["pos"][:, 0] += 1 / 1024
        if not is_one:
            j["pos"][:, 0] += 1 / 1024
    # Given pairs in a box are looked for again when other images may be the nearest.
    assert lists.stats["rebuilds"] == 1 or (rows and box)
    if rows and box:
        lists.update([near, wide], *sets)
    for engine, law in ((near, NEAR), (wide, WIDE)):
        check(lists.evaluate(engine, *sets), law, i, j, box, is_one, allowed)
    if rows is None:
        i["pos"][:, 1] += 0.25
        lists.update([wide, near], *sets)
        check(lists.evaluate(wide, *sets), WIDE, i, j, box, is_one, allowed)


def test_rows_are_pairs_within_reach_and_skin():
    i = balls(100, "float64", 3)
    engine = nbody.ShortRange(NEAR, reach=REACH, device="cpu")
    lists = nbody.Neighbours(skin=0.05, device="cpu")
    lists.update([engine], i)
    offsets, indices = lists.rows
    d = i["pos"][None] - i["pos"][:, None]
    within = (d * d).sum(-1) < 0.35**2
    for k in range(100):
        row = indices[offsets[k] : offsets[k + 1]]
        assert sorted({*row} | {k}) == sorted({*numpy.nonzero(within[k])[0].tolist()} | {k})
    stats = lists.stats
    assert stats["rebuilds"] == 1 and stats["neighbours"] > 1 and stats["bytes"] > 0
    assert "Neighbours" in repr(lists)


@pytest.mark.parametrize("device", ["cpu", "emulator"])
def test_particles_that_have_moved_are_refused(device):
    i = balls(60, "float64", 4)
    near = nbody.ShortRange(NEAR, reach=REACH, device=device)
    wide = nbody.ShortRange(WIDE, factor=FACTOR, device=device)
    lists = nbody.Neighbours(skin=0.1, box=1.0, device=device)
    for call in (lambda: lists.evaluate(near, i), lambda: lists.rows):
        with pytest.raises(ValueError, match="update"):
            call()
    assert lists.stats["rebuilds"] == 0
    lists.update([near], i)
    before = lists.evaluate(near, i)
    with pytest.raises(ValueError, match="update"):
        lists.evaluate(wide, i)
    moved = {**i, "pos": i["pos"].copy()}
    moved["pos"][7, 0] += 0.2
    out = {"mass": numpy.full(60, 7.0)}
    with pytest.raises(ValueError, match="update"):
        lists.evaluate(near, moved, out=out)
    assert (out["mass"] == 7).all()
    lists.update([near], moved)
    check(lists.evaluate(near, moved), NEAR, moved, moved, 1.0, True, numpy.ones((60, 60)))
    broken = {**i, "pos": i["pos"].copy()}
    broken["pos"][3, 1] = numpy.nan
    with pytest.raises(ValueError, match="finite"):
        lists.update([near], broken)
    lists.update([near], i)
    assert (lists.evaluate(near, i).count == before.count).all()


def test_engines_without_lists_and_other_devices_are_refused():
    i = balls(20, "float64", 5)
    near = nbody.ShortRange(NEAR, reach=REACH, device="cpu")
    every = nbody.AllPairs(NEAR, reach=REACH, device="cpu")
    lists = nbody.Neighbours(device="cpu")
    with pytest.raises(ValueError, match="lists"):
        lists.update([near, every], i)
    lists.update([near], i)
    with pytest.raises(ValueError, match="lists"):
        lists.evaluate(every, i)
    elsewhere = nbody.Neighbours(device="emulator")
    with pytest.raises((ValueError, nbody.DeviceError)):
        elsewhere.update([near], i)
        elsewhere.evaluate(near, i)
    with pytest.raises(ValueError, match="half"):
        nbody.Neighbours(box=0.5, device="cpu").update([near], i)
    with pytest.raises(ValueError):
        nbody.Neighbours(skin=-1.0, device="cpu")
    with pytest.raises(ValueError, match="precision"):
        nbody.Neighbours(precision="half", device="cpu")
    with pytest.raises(ValueError):
        lists.exclude([(0, 99)])
        lists.update([near], i)
    with pytest.raises(ValueError):
        lists.evaluate(near, balls(21, "float64", 5))
    single = nbody.Neighbours(device="cpu", precision="single")
    single.update([near], i)
    double = nbody.ShortRange(NEAR, reach=REACH, device="cpu", precision="double")
    check(single.evaluate(double, i), NEAR, i, i, None, True, numpy.ones((20, 20)))
    for missing in ("pos", "h"):
        wide = nbody.ShortRange(WIDE, factor=FACTOR, device="cpu")
        with pytest.raises(TypeError, match=f"`{missing}`"):
            lists.update([near, wide], {name: it for name, it in i.items() if name != missing})
    with pytest.raises(TypeError, match="`speed`"):
        lists.update([near], {**i, "speed": i["h"]})
    with pytest.raises(TypeError, match="`mass`"):
        lists.evaluate(near, pos=i["pos"], h=i["h"])


def test_boxes_change_and_exclusions_go():
    i = balls(50, "float64", 6)
    near = nbody.ShortRange(NEAR, reach=REACH, device="cpu")
    lists = nbody.Neighbours(device="cpu")
    everyone = numpy.ones((50, 50))
    # Settings outlive a change of the precision, which follows the arrays.
    lists.exclude([(0, k) for k in range(1, 50)])
    for dtype in ("float32", "float64", "float32"):
        lists.update([near], {name: array.astype(dtype) for name, array in i.items()})
        assert lists.evaluate(near, i).count[0] == 0
    lists.exclude([])
    for box in (1.0, None, [2.0, 1.0, 1.0]):
        lists.set_box(box)
        lists.update([near], i)
        boxed = numpy.diag(box).tolist() if isinstance(box, list) else box
        check(lists.evaluate(near, i), NEAR, i, i, boxed, True, everyone)
    lists.set_box(None)
    lists.exclude([(0, k) for k in range(1, 50)])
    lists.update([near], i)
    assert lists.evaluate(near, i).count[0] == 0
    lists.exclude([])
    lists.update([near], i)
    check(lists.evaluate(near, i), NEAR, i, i, None, True, everyone)


@pytest.mark.parametrize("device", ["cpu", "emulator"])
def test_updates_need_no_integers(device):
    i, four = balls(80, "float64", 9), numpy.ones((4, 4))
    options = {"device": device, "skin": 0.05, "math": "exact"}
    engine = nbody.ShortRange("lennard_jones", sigma2=four, epsilon=four, cutoff=REACH, **options)
    lists = nbody.Neighbours(skin=0.05, device=device)
    lists.update([engine], pos=i["pos"])
    kinds = numpy.arange(80) % 4
    for kind in (kinds, 2):
        found, own = lists.evaluate(engine, pos=i["pos"], kind=kind), engine.evaluate(pos=i["pos"], kind=kind)
        assert all((found[name] == own[name]).all() for name in own)
    with pytest.raises(TypeError, match="`kind`"):
        lists.evaluate(engine, pos=i["pos"])


def test_threads_share_lists():
    i = balls(2000, "float64", 7)
    near = nbody.ShortRange(NEAR, reach=0.1, device="cpu")
    wide = nbody.ShortRange(WIDE, factor=2.0, device="cpu")
    lists = nbody.Neighbours(device="cpu")
    lists.update([near, wide], i)
    expected = [lists.evaluate(engine, i).mass for engine in (near, wide)]
    failures = []

    def work(k):
        engine = (near, wide)[k % 2]
        for _ in range(10):
            lists.update([near, wide], i)
            if not (lists.evaluate(engine, i).mass == expected[k % 2]).all():
                failures.append(k)

    threads = [threading.Thread(target=work, args=(k,)) for k in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert not failures


@pytest.mark.parametrize("device", ["cpu", "emulator"])
def test_smoothed_particles_have_one_list(device):
    """Density and momentum, of records with other fields, over lists of their own and over one."""
    side = 6
    grid = numpy.stack(numpy.meshgrid(*[numpy.arange(side)] * 3), -1).reshape(-1, 3) / side
    random = numpy.random.default_rng(8)
    pos, n = grid + random.normal(0, 0.01, grid.shape), side**3
    options = {"device": device, "math": "exact", "skin": 0.02}
    density = nbody.ShortRange("wendland_density3", box=1.0, **options)
    momentum = nbody.ShortRange("wendland_momentum3", box=1.0, alpha=1.0, **options)
    lists = nbody.Neighbours(box=1.0, skin=0.02, device=device)
    for _ in range(3):
        places = {"pos": pos, "h": numpy.full(n, 0.2), "mass": numpy.full(n, 1.0 / n)}
        lists.update([density, momentum], pos=pos, h=places["h"])
        found = lists.evaluate(density, places)
        assert (found.density == density.evaluate(places).density).all() and (found.density > 0.5).all()
        fluid = {**places, "vel": random.normal(0, 0.1, (n, 3)), "density": found.density}
        fluid.update(p=1.0 / found.density, sound=numpy.ones(n))
        change, own = lists.evaluate(momentum, fluid), momentum.evaluate(fluid)
        assert all((change[name] == own[name]).all() for name in own)
        pos = pos + random.normal(0, 0.002, pos.shape)
    assert 1 <= lists.stats["rebuilds"] <= 3
