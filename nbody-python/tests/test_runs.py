"""Runs of integrators, programs per particle, tuples and models."""

import numpy
import pytest

import nbody

EPS2 = 1e-4


def engine(law="gravity", **options):
    return nbody.AllPairs(law, eps2=EPS2, device="cpu", **options)


@pytest.fixture(scope="module")
def bodies():
    return nbody.plummer(200, seed=3)


def test_models(bodies):
    assert bodies.pos.shape == bodies.vel.shape == (200, 3)
    assert abs(bodies.mass.sum() - 1) < 1e-12
    again = nbody.plummer(200, seed=3)
    assert (again.pos == bodies.pos).all() and (nbody.plummer(200, seed=4).pos != again.pos).any()
    for model in (nbody.hernquist, nbody.uniform_sphere, nbody.fractal):
        assert model(100).pos.shape == (100, 3)
    with pytest.raises(ValueError, match="0 particles"):
        nbody.plummer(0)


@pytest.mark.parametrize(
    "method, law, steps, error",
    [
        (nbody.Leapfrog, "gravity", {"step": 1 / 256}, 1e-4),
        (nbody.Hermite, "hermite", {"eta": 0.01}, 1e-6),
        (nbody.BlockHermite, "hermite", {"eta": 0.01}, 1e-6),
    ],
)
def test_energy_is_conserved_and_runs_go_on_to_the_last_bit(
    method, law, steps, error, bodies, tmp_path
):
    fields = bodies._asdict()
    run = method(engine(law), **steps, **fields)
    begin = run.energies()
    assert abs(begin.total + 0.25) < 0.02
    run.advance_to(0.25)
    path = tmp_path / "run"
    run.save(path)
    resumed = method.resume(engine(law), path)
    assert resumed.steps == run.steps and resumed.particle_steps == run.particle_steps
    for it in (run, resumed):
        it.advance_to(0.5)
        assert it.time <= 0.5 < it.next_time
    assert abs(run.energies().total - begin.total) < error
    assert (run.bodies().pos == resumed.bodies().pos).all()
    assert (run.bodies().pos != bodies.pos).any()
    run.advance()
    assert run.time > 0.5 - 1e-9 and "steps" in repr(run)
    with pytest.raises(ValueError):
        run.advance_to(0.1)
    with pytest.raises(ValueError):
        method.resume(engine("attraction"), path)


def test_a_run_needs_its_fields(bodies):
    with pytest.raises(TypeError, match="`vel`"):
        nbody.Leapfrog(engine(), step=0.1, pos=bodies.pos, mass=bodies.mass)
    with pytest.raises(nbody.UnsupportedError, match="jerk"):
        nbody.Hermite(engine(), **bodies._asdict())
    with pytest.raises(ValueError, match="step"):
        nbody.Leapfrog(engine(), step=float("nan"), **bodies._asdict())


PROGRAMS = """
pub struct Drift { pub dt: Real }
pub struct Body { pub pos: Point, pub vel: Vector }
pub struct Field { pub acc: Vector }
pub struct Energy { pub kinetic: Real, pub momentum: Vector, pub count: Count }
impl Update for Drift {
    type P = Body;
    type F = Field;
    fn update(&self, p: &mut Body, f: &Field) {
        p.vel += self.dt * f.acc;
        p.pos += self.dt * p.vel;
    }
}
pub struct Sum;
impl Measure for Sum {
    type P = Body;
    type T = Energy;
    fn measure(&self, p: &Body, t: &mut Energy) {
        t.kinetic += 0.5 * p.vel.norm2();
        t.momentum += p.vel;
        t.count += 1;
    }
}
"""


def test_programs_per_particle(bodies):
    acc = engine().evaluate(pos=bodies.pos, mass=bodies.mass).acc
    drift = nbody.PerParticle(PROGRAMS, name="drift", device="cpu", dt=0.5)
    moved = drift.update({"pos": bodies.pos, "vel": bodies.vel}, {"acc": acc})
    vel = bodies.vel + 0.5 * acc
    assert numpy.abs(moved.vel - vel).max() < 1e-13
    assert numpy.abs(moved.pos - (bodies.pos + 0.5 * vel)).max() < 1e-13
    drift.set_parameters(dt=0.0)
    still = drift.update({"pos": bodies.pos, "vel": bodies.vel}, {"acc": acc})
    assert (still.pos == bodies.pos).all()
    total = nbody.PerParticle(PROGRAMS, name="sum", device="cpu").measure(
        {"pos": bodies.pos, "vel": bodies.vel}
    )
    assert abs(total.kinetic - 0.5 * (bodies.vel**2).sum()) < 1e-12
    assert numpy.abs(numpy.array(total.momentum) - bodies.vel.sum(0)).max() < 1e-12
    assert total.count == 200
    with pytest.raises(TypeError, match="reads 1 records besides the particles"):
        drift.update({"pos": bodies.pos, "vel": bodies.vel})
    with pytest.raises(ValueError, match="2 programs declared"):
        nbody.PerParticle(PROGRAMS, device="cpu")


def test_tuples():
    name = "harmonic_bond"
    assert name in nbody.ready_programs()
    pos = numpy.array([[0.0, 0, 0], [1.5, 0, 0], [1.5, 2.0, 0]])
    records = {"k": 2.0, "length": numpy.array([1.0, 1.0])}
    bonds = nbody.Tuples(name, [[0, 1], [1, 2]], particles=3, records=records, device="cpu")
    force = bonds.evaluate(pos=pos).force
    assert len(bonds) == 2
    assert numpy.abs(force - [[1, 0, 0], [-1, 2, 0], [0, -2, 0]]).max() < 1e-14
    with pytest.raises(ValueError, match="a tuple of 3 particles, expected 2"):
        nbody.Tuples(name, [[0, 1, 2]], particles=3, records=records, device="cpu")
    with pytest.raises(ValueError):
        nbody.Tuples(name, [[0, 3], [1, 2]], particles=3, records=records, device="cpu")


def test_langevin_keeps_the_temperature():
    """Particles in a harmonic trap, which is exact by BAOAB at any step: <x^2> = kT / k."""
    trap = nbody.law(
        """
        pub struct Trap { pub k: Real }
        pub struct Bead { pub pos: Point }
        pub struct Pull { pub force: Vector }
        impl Interaction for Trap {
            type I = Bead; type J = Bead; type F = Pull;
            const SELF_PAIRS: bool = true;
            fn pair(&self, i: &Bead, j: &Bead, f: &mut Pull) { f.force -= self.k * (i.pos - j.pos); }
        }
        """
    )
    n, kt = 400, 0.75
    engine = nbody.AllPairs(trap, k=1.0 / n, device="cpu")
    pos = numpy.random.default_rng(1).normal(size=(n, 3))
    given = {"step": 0.3, "temperature": kt, "friction": 1.0, "pos": pos, "vel": 0 * pos}
    given["mass"] = numpy.ones(n)
    run = nbody.Langevin(engine, **given)
    run.advance_to(9.0)
    assert run.steps == 30 and abs(run.time - 9.0) < 1e-9
    squares = []
    for _ in range(40):
        run.advance_to(run.time + 1.2)
        bodies = run.bodies()
        # About the centre of mass, to which the springs pull.
        squares.append(((bodies.pos - bodies.pos.mean(0)) ** 2).mean())
    # The relative error of the mean square of 1200 numbers, 40 times, is about 0.01.
    assert abs(numpy.mean(squares) / kt - 1) < 0.05
    again = nbody.Langevin(engine, **given)
    again.advance_to(0.9)
    other = nbody.Langevin(engine, **{**given, "seed": 2})
    other.advance_to(0.9)
    third = nbody.Langevin(engine, **given)
    third.advance_to(0.9)
    assert (again.bodies().pos == third.bodies().pos).all()
    assert (again.bodies().pos != other.bodies().pos).any()
    assert again.results.force.shape == (n, 3)
    with pytest.raises(ValueError, match="or later"):
        run.advance_to(0.0)
    with pytest.raises(ValueError, match="step"):
        nbody.Langevin(engine, **{**given, "step": 0.0})
