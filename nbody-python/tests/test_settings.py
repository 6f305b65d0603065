"""Settings that change, and arrays of the caller that do: what an evaluation, a gradient and a run use."""

import copy
import os
import subprocess
import sys
import threading

import numpy
import pytest
from conftest import direct, library, particles

import nbody

GRAVITY = {"eps2": 1e-2, "device": "cpu"}

LAWS = """
pub struct Soft { pub k: Real }
pub struct Bead { pub pos: Point, pub id: u32 }
pub struct Push { pub force: Vector }
impl Interaction for Soft {
    type I = Bead;
    type J = Bead;
    type F = Push;
    fn pair(&self, i: &Bead, j: &Bead, f: &mut Push) {
        if i.id == j.id { f.force -= self.k * (i.pos - j.pos); }
    }
}
"""

TABLE = """
pub struct Table { pub t: [[Real; 2]; 2], pub scale: Real }
pub struct Site { pub pos: Point, pub kind: u32 }
pub struct Sum { pub e: Real }
impl Interaction for Table {
    type I = Site;
    type J = Site;
    type F = Sum;
    fn pair(&self, i: &Site, j: &Site, f: &mut Sum) {
        f.e += self.scale * self.t[i.kind][j.kind] * (-(i.pos - j.pos).norm2()).exp();
    }
}
"""

NEAREST = """
pub struct Near { pub reach: Real }
pub struct Place { pub pos: Point, pub mate: u32 }
pub struct Found { pub near: ArgMin<Real> }
impl Interaction for Near {
    type I = Place;
    type J = Place;
    type F = Found;
    fn cutoff(&self, _i: &Place, _j: &Place) -> Real { self.reach }
    fn pair(&self, i: &Place, j: &Place, f: &mut Found) { f.near.min((i.pos - j.pos).norm2()); }
}
pub struct Keep;
impl Update for Keep {
    type P = Place;
    type F = Found;
    fn update(&self, p: &mut Place, f: &Found) { p.mate = f.near.index; }
}
"""


def rest(n):
    """Returns particles that stay where they are without a force."""
    return {"pos": particles(n)[0], "vel": numpy.zeros((n, 3)), "mass": numpy.ones(n)}


def test_the_noise_does_not_take_the_numbers_of_a_law():
    ids = numpy.array([5, 5, 5, 9, 9, 9])
    engine = nbody.AllPairs(LAWS, k=1.0, device="cpu")
    run = nbody.Langevin(engine, step=0.01, temperature=0.1, friction=1.0, id=ids, **rest(6))
    for _ in range(3):
        pos = run.bodies().pos
        d = (pos[:, None] - pos[None]) * (ids[:, None] == ids[None])[..., None]
        assert numpy.abs(run.results.force + d.sum(1)).max() < 1e-12
        assert numpy.abs(run.results.force).max() > 0.1
        run.advance()


def test_langevin_refuses_wrong_values():
    engine = nbody.AllPairs(LAWS, k=1.0, device="cpu")
    given = {"step": 0.01, "temperature": 0.1, "friction": 1.0, "id": numpy.arange(4), **rest(4)}
    nan = given["pos"].copy()
    nan[2, 1] = numpy.nan
    for wrong in (
        {"step": 0.0}, {"step": numpy.nan}, {"temperature": -1.0}, {"friction": -0.1}, {"friction": numpy.inf},
        {"mass": numpy.zeros(4)}, {"pos": nan}, {"vel": numpy.full((4, 3), numpy.inf)},
    ):
        with pytest.raises(ValueError):
            nbody.Langevin(engine, **{**given, **wrong})
    with pytest.raises(TypeError, match="'box' is no field of `soft`"):
        nbody.Langevin(engine, box=1.0, **given)


def test_runs_keep_their_particles():
    given = rest(4)
    engine = nbody.AllPairs(LAWS, k=0.0, device="cpu")
    ids = numpy.arange(4)
    run = nbody.Langevin(engine, step=0.1, temperature=0.0, friction=0.0, id=ids, **given)
    before = given["pos"].copy()
    given["pos"][:] = 99.0
    run.bodies().pos[:] = 77.0
    run.advance()
    assert numpy.abs(run.bodies().pos - before).max() < 1e-12


def runs(engine):
    """Returns runs of one particle that moves by 1 in a unit of time, with positions in the box."""
    moving = {"pos": numpy.array([[0.5, 0.5, 0.5]]), "vel": numpy.array([[1.0, 0.0, 0.0]]), "mass": numpy.ones(1)}
    leapfrog = nbody.Leapfrog(engine, step=0.1, id=numpy.zeros(1, int), **moving)
    leapfrog.set_wrap(True)
    yield leapfrog
    ids = numpy.zeros(1, int)
    yield nbody.Langevin(engine, step=0.1, temperature=0.0, friction=0.0, id=ids, **moving)


@pytest.mark.parametrize("kind", range(2))
def test_runs_wrap_by_the_box_of_the_engine(kind):
    engine = nbody.AllPairs(LAWS, k=0.0, device="cpu", box=1.0)
    run = list(runs(engine))[kind]
    run.advance_to(0.7)
    assert abs(run.bodies().pos[0, 0] - 0.2) < 1e-9
    engine.set_box(2.0)
    run.advance_to(2.0)
    assert abs(run.bodies().pos[0, 0] - 1.5) < 1e-9
    if kind == 0:
        engine.set_box(None)
        with pytest.raises(ValueError, match="wrap"):
            run.advance()
        assert abs(run.bodies().pos[0, 0] - 1.5) < 1e-9


def test_runs_are_resumed_by_their_integrator(tmp_path):
    engine = nbody.AllPairs("gravity", **GRAVITY)
    run = nbody.Leapfrog(engine, step=0.01, **rest(5))
    run.save(tmp_path / "run")
    for kind in (nbody.Hermite, nbody.BlockHermite):
        with pytest.raises(ValueError, match='a run of "leapfrog"'):
            kind.resume(engine, tmp_path / "run")
    assert nbody.Leapfrog.resume(engine, tmp_path / "run").time == run.time


def test_parameters_are_copied():
    pos, mass = particles(20)
    eps2 = numpy.array(1e-2)
    engine = nbody.AllPairs("gravity", eps2=eps2, device="cpu")
    expected = direct(pos, mass, 1e-2)[1]
    eps2 *= 100.0
    assert numpy.abs(engine.evaluate(pos=pos, mass=mass).pot - expected).max() < 1e-11
    table = numpy.array([[1.0, 2.0], [2.0, 3.0]])
    of_table = nbody.AllPairs(TABLE, t=table, scale=1.0, device="cpu")
    sites = {"pos": pos, "kind": numpy.arange(20) % 2}
    before = of_table.evaluate(sites).e
    table *= 10.0
    of_table.set_parameters(scale=1.0)
    assert (of_table.evaluate(sites).e == before).all()
    box = numpy.array([2.0, 2.0, 2.0])
    engine.set_box(box)
    within = engine.evaluate(pos=pos, mass=mass).pot
    box *= 0.25
    engine.set_parameters(eps2=1e-2)
    assert (engine.evaluate(pos=pos, mass=mass).pot == within).all()
    for copied in (copy.copy, copy.deepcopy):
        with pytest.raises(TypeError, match="not copied"):
            copied(engine)


def test_indices_are_integers():
    pos, _ = particles(4)
    bond = {"particles": 4, "records": {"k": numpy.ones(1), "length": numpy.ones(1)}, "device": "cpu"}
    for wrong in ([[0.9, 1.7]], ["01"]):
        with pytest.raises(TypeError):
            nbody.Tuples("harmonic_bond", wrong, **bond)
    bonds = nbody.Tuples("harmonic_bond", numpy.array([[0, 1]]), **bond)
    with pytest.raises(TypeError, match="in one way"):
        bonds.evaluate({"pos": pos}, pos=pos)
    lists = nbody.ShortRange("lennard_jones", device="cpu", **lennard_jones())
    for listed in (lists, nbody.Neighbours(device="cpu")):
        with pytest.raises(TypeError):
            listed.exclude([[0.7, 1.2]])
    rows = ([0, 1], [0])
    with pytest.raises(ValueError, match="give one of them"):
        nbody.Neighbours(skin=0.1, rows=rows, device="cpu")
    with pytest.raises(ValueError, match="give one of them"):
        nbody.ShortRange("gravity", skin=0.1, rows=rows, **GRAVITY)


def lennard_jones():
    types = nbody.law("lennard_jones").parameters
    assert types.keys() == {"sigma2", "epsilon", "cutoff"}
    return {"sigma2": [[1e-3] * 4] * 4, "epsilon": [[1.0] * 4] * 4, "cutoff": 0.9}


def test_masked_arrays_are_refused():
    pos, mass = particles(4)
    masked = numpy.ma.masked_array(mass, mask=[True, False, False, False])
    with pytest.raises(TypeError, match="mask"):
        nbody.AllPairs("gravity", **GRAVITY).evaluate(pos=pos, mass=masked)


def test_overlapping_results_are_refused():
    pos, mass = particles(5)
    engine = nbody.AllPairs("gravity", **GRAVITY)
    memory = numpy.zeros((5, 4))
    for acc, pot in ((memory[:, :3], memory[:, 0]), (memory[:, 1:], memory[:, 3]), (memory[:, :3], memory.ravel()[:5])):
        with pytest.raises(ValueError, match="overlap"):
            engine.evaluate(pos=pos, mass=mass, out={"acc": acc, "pot": pot})
    assert (memory == 0.0).all()
    engine.evaluate(pos=pos, mass=mass, out={"acc": memory[:, 1:], "pot": memory[:, 0]})
    found = engine.evaluate(pos=pos, mass=mass)
    assert (memory[:, 1:] == found.acc).all() and (memory[:, 0] == found.pot).all()


def test_programs_read_extremes_over_no_pairs():
    pos = numpy.array([[0.0, 0, 0], [0.1, 0, 0], [5.0, 0, 0]])
    places = {"pos": pos, "mate": numpy.zeros(3, int)}
    found = nbody.AllPairs(nbody.law(NEAREST), reach=1.0, device="cpu").evaluate(places)
    assert found.near.index.tolist() == [1, 0, -1]
    kept = nbody.PerParticle(nbody.program(NEAREST), device="cpu").update(places, found)
    assert kept.mate.tolist() == [1, 0, 2**32 - 1]


def test_boxes_that_double_precision_holds():
    pos, mass = particles(10)
    engine = nbody.AllPairs("gravity", eps2=1e36, box=1e50, device="cpu")
    assert numpy.isfinite(engine.evaluate(pos=pos, mass=mass).pot).all()
    with pytest.raises(ValueError, match="1e50"):
        engine.evaluate(pos=pos.astype("float32"), mass=mass.astype("float32"))
    engine = nbody.AllPairs("gravity", eps2=1.0, box=0.8, device="cpu")
    before = engine.evaluate(pos=pos, mass=mass).pot
    engine.set_box(1e50)
    assert (engine.evaluate(pos=pos, mass=mass).pot != before).any()
    with pytest.raises(ValueError, match="1e50"):
        nbody.AllPairs("gravity", eps2=1.0, box=1e50, precision="single", device="cpu")
    assert nbody.Neighbours(box=1e50, device="cpu") is not None


@pytest.fixture(params=["torch", "jax"])
def recorded(request):
    """The module of engines, a function to arrays, and the gradient of a function by its first argument."""
    to, _ = library(request.param)
    if request.param == "torch":
        import torch

        import nbody.torch as module

        def grad(function):
            def of(x):
                x = x.clone().requires_grad_()
                return torch.autograd.grad(function(x), x)[0]

            return of

        return module, to, grad
    import jax

    import nbody.jax as module

    return module, to, jax.grad


def test_tables_have_no_gradients(recorded):
    module, to, grad = recorded
    pos, _ = particles(12)
    sites = {"pos": to(pos), "kind": to(numpy.arange(12) % 2)}
    table = [[1.0, 2.0], [2.0, 3.0]]
    engine = module.AllPairs(TABLE, t=table, scale=2.0, device="cpu")
    with pytest.raises(Exception, match="no gradient by `t`"):
        grad(lambda t: engine.evaluate(sites, parameters={"t": t}).e.sum())(to(numpy.array(table)))
    total = float(engine.evaluate(sites).e.sum())
    by_scale = grad(lambda s: engine.evaluate(sites, parameters={"scale": s, "t": table}).e.sum())
    assert abs(float(by_scale(to(numpy.array(2.0)))) - total / 2.0) < 1e-11
    plain = numpy.array(table)
    by_scale = grad(lambda s: engine.evaluate(sites, parameters={"scale": s, "t": plain}).e.sum())
    assert abs(float(by_scale(to(numpy.array(2.0)))) - total / 2.0) < 1e-11


def test_arrays_of_numpy_beside_others_keep_the_gradient(recorded):
    module, to, grad = recorded
    pos, mass = particles(12)
    engine = module.AllPairs("gravity", **GRAVITY)
    found = grad(lambda x: engine.evaluate(pos=x, mass=mass).pot.sum())(to(pos))
    expected = grad(lambda x: engine.evaluate(pos=x, mass=to(mass)).pot.sum())(to(pos))
    assert float(abs(found - expected).max()) == 0.0 < float(abs(found).max())


def test_parameters_of_an_evaluation_are_its_own(recorded):
    module, to, grad = recorded
    pos, mass = particles(12)
    engine = module.AllPairs("gravity", **GRAVITY)
    x, m = to(pos), to(mass)
    other = engine.evaluate(pos=x, mass=m, eps2=0.5).pot
    assert float(abs(other - to(direct(pos, mass, 0.5)[1])).max()) < 1e-11
    assert float(abs(engine.evaluate(pos=x, mass=m).pot - to(direct(pos, mass, 1e-2)[1])).max()) < 1e-11
    by_eps2 = grad(lambda e: engine.evaluate(pos=x, mass=m, eps2=e).pot.sum())
    found = float(by_eps2(to(numpy.array(0.5))))
    h = 1e-5
    ends = [direct(pos, mass, 0.5 + s)[1].sum() for s in (-h, h)]
    assert abs(found - (ends[1] - ends[0]) / (2 * h)) < 1e-6 * abs(found)


def test_changes_reach_compiled_functions():
    to, _ = library("jax")
    import jax

    import nbody.jax

    pos, mass = particles(12)
    x, m = to(pos), to(mass)
    engine = nbody.jax.AllPairs("gravity", **GRAVITY)
    energy = jax.jit(lambda x: engine.evaluate(pos=x, mass=m).pot.sum())
    force = jax.jit(jax.grad(lambda x: engine.evaluate(pos=x, mass=m).pot.sum()))
    for eps2 in (1e-2, 0.5, 2.0):
        engine.set_parameters(eps2=eps2)
        expected = direct(pos, mass, eps2)[1].sum()
        assert abs(float(energy(x)) - expected) < 1e-11 * abs(expected)
        assert abs(float(engine.evaluate(pos=x, mass=m).pot.sum()) - expected) < 1e-11 * abs(expected)
        plain = jax.grad(lambda x: engine.evaluate(pos=x, mass=m).pot.sum())(x)
        assert float(abs(force(x) - plain).max()) == 0.0
    # The forward pass is before the change.
    _, backward = jax.vjp(energy, x)
    engine.set_parameters(eps2=1.0)
    with pytest.raises(Exception, match="changed after the evaluation"):
        jax.block_until_ready(backward(to(numpy.array(1.0))))


def changes(engine):
    yield lambda: engine.set_box(3.0)
    if hasattr(engine, "exclude"):
        yield lambda: engine.exclude([[0, 1]])
    if hasattr(engine, "set_opening"):
        yield lambda: engine.set_opening(theta=0.3)


@pytest.mark.parametrize("kind", ["AllPairs", "Tree", "ShortRange"])
def test_gradients_are_of_the_evaluation_or_refused(recorded, kind):
    module, to, _ = recorded
    pos, mass = particles(12)
    if kind == "ShortRange":
        engine = module.ShortRange("lennard_jones", device="cpu", **lennard_jones())
        fields = {"kind": to(numpy.zeros(12, int))}
    else:
        opening = {"theta": 0.5} if kind == "Tree" else {}
        engine = getattr(module, kind)("gravity", **opening, **GRAVITY)
        fields = {"mass": to(mass)}
    forward = recorder(module, to(pos), lambda x: engine.evaluate(pos=x, **fields).pot.sum())
    for change in changes(engine):
        backward = forward()
        expected = backward()
        assert float(abs(expected).max()) > 0.0
        backward = forward()
        change()
        with pytest.raises(Exception, match="changed after the evaluation"):
            backward()
    if kind == "AllPairs":
        # Parameters are those of the evaluation.
        backward = forward()
        expected = backward()
        backward = forward()
        engine.set_parameters(eps2=2.0)
        assert float(abs(backward() - expected).max()) == 0.0
        assert float(abs(forward()() - expected).max()) > 0.0


def recorder(module, x, function):
    """Returns a function that evaluates, and returns the function of the gradient."""
    if module.__name__ == "nbody.torch":
        import torch

        def forward():
            at = x.clone().requires_grad_()
            value = function(at)
            return lambda: torch.autograd.grad(value, at)[0]

        return forward
    import jax

    def forward():
        value, backward = jax.vjp(function, x)
        return lambda: backward(value / value)[0]

    return forward


def test_threads_have_their_own_parameters():
    to, _ = library("torch")
    import nbody.torch

    pos, mass = particles(600)
    x, m = to(pos), to(mass)
    engine = nbody.torch.AllPairs("gravity", **GRAVITY)
    each = [0.25, 4.0]
    expected = [engine.evaluate(pos=x, mass=m, eps2=eps2).pot for eps2 in each]
    wrong = []

    def work(k):
        for _ in range(30):
            found = engine.evaluate(pos=x, mass=m, eps2=each[k % 2]).pot
            wrong.extend([k] if not (found == expected[k % 2]).all() else [])

    threads = [threading.Thread(target=work, args=(k,)) for k in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert wrong == []
    assert (engine.evaluate(pos=x, mass=m, eps2=1e-2).pot == engine.evaluate(pos=x, mass=m).pot).all()


FORKS = """
import os
import numpy
import nbody

random = numpy.random.default_rng(1)
fields = {"pos": random.random((3000, 3)), "mass": random.random(3000)}
given = {"eps2": 1e-2, "device": "cpu"}
engines = [nbody.AllPairs("gravity", **given), nbody.Tree("gravity", theta=0.5, **given)]
expected = [engine.evaluate(fields).pot for engine in engines]

def same(forks):
    found = [engine.evaluate(fields).pot for engine in engines]
    found.append(nbody.AllPairs("gravity", **given).evaluate(fields).pot)
    assert all((a == b).all() for a, b in zip(found, [*expected, expected[0]]))
    if forks > 0:
        child = os.fork()
        if child == 0:
            same(forks - 1)
            os._exit(7)
        assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 7

# A fork, a fork of a fork, and the first process again.
same(2)
same(0)
print("same")
"""


@pytest.mark.skipif(not hasattr(os, "fork"), reason="a system without forks")
def test_forked_processes_evaluate():
    command = [sys.executable, "-W", "ignore", "-c", FORKS]
    # Without threads a fork would wait for ever.
    done = subprocess.run(command, capture_output=True, text=True, timeout=60, check=False)
    assert done.stdout == "same\n", done.stderr


# torch compiles its rules of forward differentiation, and warns of that.
@pytest.mark.filterwarnings("ignore::FutureWarning")
def test_torch_shows_what_it_would_lose():
    to, _ = library("torch")
    import torch

    import nbody.torch

    pos, mass = particles(6)
    x, m = to(pos), to(mass)
    negative = torch.complex(m, m).conj().imag
    assert negative.is_neg()
    for engine in (nbody.AllPairs("gravity", **GRAVITY), nbody.torch.AllPairs("gravity", **GRAVITY)):
        with pytest.raises(ValueError, match="resolve_neg"):
            engine.evaluate(pos=x, mass=negative)
        engine.evaluate(pos=x, mass=negative.resolve_neg())
    with pytest.raises(ValueError, match="requires gradients"):
        nbody.torch.AllPairs("gravity", eps2=torch.tensor(0.1, requires_grad=True), device="cpu")
    engine = nbody.torch.AllPairs("gravity", **GRAVITY)
    with torch.autograd.forward_ad.dual_level():
        dual = torch.autograd.forward_ad.make_dual(x, torch.ones_like(x))
        with pytest.raises(Exception, match="forward"):
            engine.evaluate(pos=dual, mass=m)
