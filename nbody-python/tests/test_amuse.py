"""The community codes for AMUSE: their workers, and where AMUSE is installed the codes themselves."""

import importlib.util
import math
import pathlib
import re

import numpy
import pytest

import nbody
import nbody.amuse
from nbody.amuse.parameters import NOT_FOUND, OK, UNSUPPORTED
from nbody.amuse.workers import BlockHermite, Tree

EPS2 = 1e-3
POS, VEL, ACC = ("x", "y", "z"), ("vx", "vy", "vz"), ("ax", "ay", "az")
#: The names of the results of functions that are not named as the functions are.
NAMES = {
    "position": POS,
    "velocity": VEL,
    "acceleration": ACC,
    "gravity_at_point": ACC,
    "potential_at_point": ("phi",),
    "center_of_mass_position": POS,
    "center_of_mass_velocity": VEL,
    "total_mass": ("mass",),
    "total_radius": ("radius",),
    "begin_time": ("time",),
    "eps2": ("epsilon_squared",),
    "index_of_first_particle": ("index_of_the_particle",),
}


#: Two bodies on a circle of radius 1/2, with the angular velocity 1.
BINARY = nbody.Bodies(
    pos=numpy.array([[0.5, 0, 0], [-0.5, 0, 0]]),
    vel=numpy.array([[0, 0.5, 0], [0, -0.5, 0]]),
    mass=numpy.array([0.5, 0.5]),
)


class Held:
    value = None


def get(worker, name, *given, **also):
    """Calls a function `get_...`, and returns a number, or a vector."""
    held = {it: Held() for it in NAMES.get(name, (name,))}
    code = getattr(worker, f"get_{name}")(*given, **also, **held)
    assert numpy.all(code == OK), code
    values = [it.value for it in held.values()]
    return values[0] if len(values) == 1 else numpy.stack(values, -1)


def add(worker, bodies, radius=0.0):
    held = Held()
    fields = {"mass": bodies.mass, "radius": numpy.full(len(bodies.mass), radius)}
    fields.update(zip(POS, bodies.pos.T))
    fields.update(zip(VEL, bodies.vel.T))
    assert (worker.new_particle(held, **fields) == OK).all()
    return held.value


def started(kind, bodies=None, eps2=EPS2, begin=0.0, **parameters):
    worker = kind()
    worker.set_begin_time(time=begin)
    worker.set_device(device="cpu")
    worker.set_eps2(epsilon_squared=eps2)
    for name, value in parameters.items():
        getattr(worker, f"set_{name}")(value=value)
    assert worker.commit_parameters() == OK
    if bodies is not None:
        add(worker, bodies)
    return worker


def states(worker):
    indices = worker._stars.indices
    return get(worker, "position", indices), get(worker, "velocity", indices)


def energy(worker):
    return get(worker, "kinetic_energy") + get(worker, "potential_energy")


@pytest.fixture(scope="module")
def bodies():
    return nbody.plummer(100, seed=5)


@pytest.fixture(params=[BlockHermite, Tree])
def kind(request):
    return request.param


def test_particles_are_added_read_changed_and_removed(kind, bodies):
    worker = started(kind)
    first = add(worker, nbody.Bodies(*(it[:60] for it in bodies)))
    second = add(worker, nbody.Bodies(*(it[60:] for it in bodies)), radius=-1.0)
    indices = numpy.concatenate([first, second])
    assert len(set(indices)) == 100 and get(worker, "number_of_particles") == 100
    assert (get(worker, "mass", indices) == bodies.mass).all()
    some = indices[[70, 3, 3]]
    assert (get(worker, "position", some) == bodies.pos[[70, 3, 3]]).all()
    assert (get(worker, "radius", some) == [-1.0, 0.0, 0.0]).all()
    changed = numpy.array([0.5, 0.25])
    assert (worker.set_mass(indices[[9, 2]], mass=changed) == OK).all()
    assert (worker.set_radius(indices[[9, 2]], radius=changed) == OK).all()
    assert (worker.set_velocity(indices[:1], **dict.fromkeys(VEL, 7.0)) == OK).all()
    assert (get(worker, "mass", indices[[2, 9]]) == [0.25, 0.5]).all()
    assert (get(worker, "radius", indices[[2, 9]]) == [0.25, 0.5]).all()
    assert (get(worker, "velocity", indices[0]) == 7.0).all()

    assert (worker.delete_particle(indices[[0, 50]]) == OK).all()
    left = numpy.delete(indices, [0, 50])
    assert (get(worker, "position", left) == numpy.delete(bodies.pos, [0, 50], 0)).all()
    # Indices are not given again.
    third = [*add(worker, nbody.Bodies(*(it[:1] for it in bodies))), *add(worker, BINARY)]
    assert len({*indices, *third}) == 103
    found = [get(worker, "index_of_first_particle")]
    while True:
        held = Held()
        code = worker.get_index_of_next_particle(found[-1], held)
        if code != OK:
            break
        found.append(held.value)
    assert code == 1 and found == [*left, *third]


def test_unknown_particles_have_an_error_code_and_change_nothing(kind, bodies):
    worker = started(kind, bodies)
    wrong = numpy.array([3, 100, -1])
    codes = [OK, NOT_FOUND, NOT_FOUND]
    held = Held()
    assert (worker.get_mass(wrong, mass=held) == codes).all()
    assert held.value[0] == bodies.mass[3] and numpy.isnan(held.value[1:]).all()
    assert (worker.get_potential(wrong, held) == codes).all() and numpy.isnan(held.value[1:]).all()
    axes = {axis: Held() for axis in ACC}
    assert (worker.get_acceleration(wrong, **axes) == codes).all()
    assert (worker.set_mass(wrong, mass=numpy.ones(3)) == codes).all()
    assert (worker.set_radius(wrong, radius=numpy.ones(3)) == codes).all()
    assert (worker.delete_particle(wrong) == codes).all()
    assert worker.get_index_of_next_particle(100, held) == NOT_FOUND
    assert get(worker, "number_of_particles") == 100 and get(worker, "total_mass") == bodies.mass.sum()
    assert (worker._stars.read(slice(None), "radius") == 0.0).all()


def test_a_code_without_particles(kind):
    worker = started(kind)
    assert energy(worker) == 0.0 and get(worker, "total_mass") == 0.0
    assert worker.get_index_of_first_particle(Held()) == 1
    assert (worker.delete_particle(numpy.array([-1, 0])) == NOT_FOUND).all()
    worker.evolve_model(1.5)
    assert get(worker, "time") == 1.5
    x = numpy.arange(2.0)
    assert (get(worker, "potential_at_point", x, x, x, x, npoints=2) == 0.0).all()
    for name in ("total_radius", "center_of_mass_position", "center_of_mass_velocity"):
        with pytest.raises(ValueError, match="no centre of mass of 0 particles"):
            get(worker, name)


def test_sums_over_particles(kind, bodies):
    worker = started(kind, bodies)
    pos, vel, mass = bodies
    centre = (mass[:, None] * pos).sum(0) / mass.sum()
    found = get(worker, "center_of_mass_position")
    assert numpy.abs(found - centre).max() < 1e-15
    found = get(worker, "center_of_mass_velocity")
    assert numpy.abs(found - (mass[:, None] * vel).sum(0) / mass.sum()).max() < 1e-15
    radius = get(worker, "total_radius")
    assert abs(radius - numpy.linalg.norm(pos - centre, axis=1).max()) < 1e-14
    assert abs(get(worker, "total_mass") - 1.0) < 1e-14
    run = nbody.Leapfrog(nbody.AllPairs("gravity", eps2=EPS2, device="cpu"), step=1.0, **bodies._asdict())
    energies, error = run.energies(), 1e-4 if kind is Tree else 1e-14
    assert abs(get(worker, "kinetic_energy") - energies.kinetic) < 1e-14
    assert abs(get(worker, "potential_energy") - energies.potential) < error


def test_motion_is_that_of_nbody_alone(bodies):
    worker = started(BlockHermite, bodies, timestep_parameter=0.1)
    engine = nbody.AllPairs("hermite", eps2=EPS2, device="cpu")
    run = nbody.BlockHermite(engine, eta=0.1**2, **bodies._asdict())
    for time in (0.125, 0.5):
        worker.evolve_model(time)
        run.advance_to(time)
        assert get(worker, "time") == time == run.time
        for found, expected in zip(states(worker), run.bodies()):
            assert (found == expected).all()

    worker = started(Tree, bodies, opening_angle=0.7)
    engine = nbody.Tree("gravity", theta=0.7, eps2=EPS2, device="cpu")
    run = nbody.Leapfrog(engine, step=1 / 64, **bodies._asdict())
    for time in (0.25, 1.0):
        worker.evolve_model(time)
        run.advance_to(time)
        assert get(worker, "time") == time == run.time
        for found, expected in zip(states(worker), run.bodies()):
            assert (found == expected).all()


@pytest.mark.parametrize(
    "kind, steps, error",
    [
        (BlockHermite, {"timestep_parameter": 0.02, "largest_timestep": 0.01}, 1e-7),
        (Tree, {"time_step": 1e-3}, 1e-6),
    ],
)
def test_ends_are_exact_at_any_time(kind, steps, error):
    """A circle of angular velocity 1: the angle of a particle is the time since the beginning."""
    worker = started(kind, BINARY, eps2=0.0, begin=100.0, **steps)
    for time in (100.1, 100.3, 100.3 + 1e-4, 100.3 + 1e-4, 100.3001 + 1 / 3, 101.0, 102.0, 102.7):
        worker.evolve_model(time)
        assert get(worker, "time") == pytest.approx(time, abs=1e-12)
        pos, vel = states(worker)
        cos, sin = math.cos(time - 100.0), math.sin(time - 100.0)
        assert numpy.abs(pos[0] - [0.5 * cos, 0.5 * sin, 0.0]).max() < error
        assert numpy.abs(vel[1] - [0.5 * sin, -0.5 * cos, 0.0]).max() < error


def test_steps_of_the_tree_are_equal_and_not_longer_than_asked():
    worker = started(Tree, BINARY, time_step=0.1)
    worker.evolve_model(0.1 + 0.2)
    assert worker._run.steps == 3
    worker.evolve_model(0.54)
    assert worker._run.steps == 6 and abs(worker._run.time - 0.54) < 1e-15


def test_block_steps_go_on_where_all_end_at_the_time(bodies):
    worker = started(BlockHermite, bodies)
    worker.evolve_model(0.3)
    first = worker._run
    for time in (0.6, 0.3 + 0.6, 1.5):
        worker.evolve_model(time)
        assert worker._run is first
    # A time between the ends of steps begins another run, and so do steps that have become too short.
    short = 1 / 1024
    worker.evolve_model(1.5 + short)
    second = worker._run
    assert second is not first and worker._largest == short
    worker.evolve_model(2.5)
    assert worker._run is not second and worker._largest == (1.0 - short) / 8


def test_energy_is_conserved(kind, bodies):
    of_tree = {"opening_angle": 0.3, "time_step": 1 / 256}
    given, error = (of_tree, 1e-4) if kind is Tree else ({}, 1e-6)
    worker = started(kind, bodies, **given)
    begin = energy(worker)
    for time in (0.3, 0.5, 1.0):
        worker.evolve_model(time)
        assert abs(energy(worker) / begin - 1.0) < error


def test_changes_between_calls_begin_a_run_with_the_changed_state(kind, bodies):
    worker = started(kind, bodies)
    worker.evolve_model(0.25)
    indices = worker._stars.indices

    def evolved_like_a_new_code():
        pos, vel = states(worker)
        like = nbody.Bodies(pos, vel, get(worker, "mass", worker._stars.indices))
        other = started(kind, like, begin=get(worker, "time"))
        assert energy(other) == energy(worker)
        time = get(worker, "time") + 0.125
        for it in (worker, other):
            it.evolve_model(time)
        return all((ours == theirs).all() for ours, theirs in zip(states(worker), states(other)))

    worker.set_velocity(indices[:50], vx=numpy.full(50, 0.1), vy=numpy.zeros(50), vz=numpy.zeros(50))
    assert evolved_like_a_new_code()
    worker.set_mass(indices[10:11], mass=numpy.array([0.3]))
    assert evolved_like_a_new_code()
    worker.set_position(indices[20:21], x=numpy.array([0.3]))
    assert evolved_like_a_new_code()
    add(worker, nbody.Bodies(*(it[:3] * 0.5 for it in bodies)))
    assert evolved_like_a_new_code() and get(worker, "number_of_particles") == 103
    worker.delete_particle(indices[[4, 99]])
    assert evolved_like_a_new_code() and get(worker, "number_of_particles") == 101
    # Radii are no part of the motion.
    run = worker._run
    worker.set_radius(indices[:1], radius=numpy.array([1.0]))
    assert worker._run is run


def test_changed_parameters_take_effect(kind, bodies):
    worker = started(kind, bodies)
    worker.evolve_model(0.25)
    pos, vel = states(worker)
    worker.set_eps2(epsilon_squared=0.25)
    worker.recommit_parameters()
    other = started(kind, nbody.Bodies(pos, vel, bodies.mass), eps2=0.25, begin=0.25)
    assert energy(other) == energy(worker)
    for it in (worker, other):
        it.evolve_model(0.5)
    assert (states(worker)[0] == states(other)[0]).all()
    assert get(worker, "eps2") == 0.25 and get(worker, "begin_time") == 0.0
    worker.set_begin_time(time=9.0)
    assert get(worker, "time") == 9.5
    worker.cleanup_code()
    assert get(worker, "number_of_particles") == 0 and get(worker, "time") == 0.0


def test_fields_at_particles_and_at_points(kind, bodies):
    worker = started(kind, bodies)
    error = 2e-2 if kind is Tree else 1e-12
    indices = worker._stars.indices
    field = nbody.AllPairs("gravity", eps2=EPS2, device="cpu").evaluate(pos=bodies.pos, mass=bodies.mass)
    acc = get(worker, "acceleration", indices[::-1])
    norm = numpy.linalg.norm(field.acc, axis=1).max()
    assert numpy.abs(acc[::-1] - field.acc).max() < error * norm
    assert numpy.abs(get(worker, "potential", indices) - field.pot).max() < error

    x, y, z = 1.5 * numpy.random.default_rng(2).normal(size=(3, 40))
    for eps in (numpy.zeros(40), numpy.full(40, 0.2), numpy.linspace(0.0, 1.0, 40)):
        d = bodies.pos[None] - numpy.stack([x, y, z], -1)[:, None]
        r = numpy.sqrt((d**2).sum(-1) + EPS2 + eps[:, None] ** 2)
        pot = get(worker, "potential_at_point", eps, x, y, z, npoints=40)
        assert numpy.abs(pot + (bodies.mass / r).sum(-1)).max() < error
        acc = get(worker, "gravity_at_point", eps, x, y, z, npoints=40)
        expected = ((bodies.mass / r**3)[..., None] * d).sum(1)
        assert numpy.abs(acc - expected).max() < error * numpy.linalg.norm(expected, axis=1).max()
    # Fields at points leave the softening of the particles as it was.
    before = energy(worker)
    worker._found = None
    assert energy(worker) == before


def test_what_is_wrong_is_said_and_changes_nothing(kind, bodies):
    worker = started(kind, bodies)
    for call, message in (
        (lambda: worker.set_eps2(epsilon_squared=-1.0), "`epsilon_squared` of -1.0: expected"),
        (lambda: worker.set_eps2(epsilon_squared=math.nan), "`epsilon_squared` of nan"),
        (lambda: worker.set_begin_time(time=math.inf), "`begin_time` of inf"),
        (lambda: worker.set_device(device="abacus"), "unknown device `abacus`"),
        (lambda: worker.set_precision(precision="half"), "`precision` of 'half': expected \"single\""),
        (lambda: worker.set_mass([3, 4], mass=numpy.array([1.0, -1.0])), "`mass` of -1.0 of particle 1 of"),
        (lambda: worker.set_position([3], x=numpy.array([math.nan])), "`x` of nan of particle 0"),
        (lambda: add(worker, BINARY._replace(vel=numpy.full((2, 3), math.inf))), "`vx` of inf"),
        (lambda: worker.evolve_model(math.nan), "evolve_model to time nan"),
    ):
        with pytest.raises(ValueError, match=message):
            call()
    points = numpy.array([0.0, -1.0])
    with pytest.raises(ValueError, match="`eps` of -1.0 of point 1 of the call"):
        worker.get_gravity_at_point(points, points, points, points, Held(), Held(), Held(), npoints=2)
    names = ["opening_angle", "time_step"] if kind is Tree else ["timestep_parameter", "largest_timestep"]
    for name in names:
        with pytest.raises(ValueError, match="of 0.0: expected a positive number"):
            getattr(worker, f"set_{name}")(value=0.0)
    for found, expected in zip((*states(worker), get(worker, "mass", worker._stars.indices)), bodies):
        assert (found == expected).all()
    worker.evolve_model(0.25)
    with pytest.raises(ValueError, match="to time 0.2 of a model at 0.25: expected that or a later time"):
        worker.evolve_model(0.2)
    # A time that was converted between units is the time of the model.
    pos, _ = states(worker)
    for time in (0.25 - 1e-16, 0.25 + 1e-16):
        worker.evolve_model(time)
    assert (states(worker)[0] == pos).all() and get(worker, "time") == 0.25
    for time in (0.25 + 1e-12, 0.25 + 1e-9):
        worker.evolve_model(time)
        assert (states(worker)[0] != pos).any() and get(worker, "time") == time


def test_individual_steps_have_no_time_step():
    assert started(BlockHermite).get_time_step(Held()) == UNSUPPORTED
    assert get(started(Tree, time_step=0.25), "time_step") == 0.25


def test_coinciding_particles_have_no_field(kind):
    worker = started(kind, BINARY._replace(pos=0 * BINARY.pos), eps2=0.0)
    with pytest.raises(ValueError, match="potential of particle 0 is not finite: a particle"):
        get(worker, "potential_energy")
    zero = numpy.zeros(1)
    with pytest.raises(ValueError, match="potential of point 0 is not finite"):
        get(worker, "potential_at_point", zero, zero, zero, zero, npoints=1)


def test_a_run_that_fails_leaves_the_particles_and_the_time():
    """Two particles that fall on one another, without softening."""
    worker = started(BlockHermite, BINARY._replace(vel=0 * BINARY.vel), eps2=0.0)
    worker.evolve_model(0.125)
    pos, _ = states(worker)
    for _ in range(2):
        with pytest.raises(nbody.NumbersError, match="soften the interaction"):
            worker.evolve_model(2.0)
        assert get(worker, "time") == 0.125 and (states(worker)[0] == pos).all()
    worker.evolve_model(0.25)
    assert get(worker, "time") == 0.25 and (states(worker)[0] != pos).any()
    worker.set_eps2(epsilon_squared=0.01)
    worker.evolve_model(2.0)
    assert get(worker, "time") == 2.0


def test_there_are_no_stopping_conditions(kind):
    worker = kind()
    for call in ("has_stopping_condition", "is_stopping_condition_enabled", "is_stopping_condition_set"):
        held = Held()
        assert (getattr(worker, call)(numpy.arange(5), held) == OK).all()
        assert (held.value == 0).all() and len(held.value) == 5


def test_codes_need_amuse():
    with pytest.raises(AttributeError, match="no attribute 'Ph4'"):
        nbody.amuse.Ph4
    assert "BlockHermite" in dir(nbody.amuse)
    if importlib.util.find_spec("amuse") is None:
        with pytest.raises(ModuleNotFoundError, match="'amuse'"):
            nbody.amuse.BlockHermite


# With AMUSE itself, whose own warnings are not ours.


@pytest.fixture
def community(tmp_path, monkeypatch):
    pytest.importorskip("amuse.rfi.core")
    monkeypatch.chdir(tmp_path)
    from amuse.units import nbody_system, units

    codes = []

    class Community:
        pass

    def start(kind, converter=None, **parameters):
        code = getattr(nbody.amuse, kind.__name__)(converter, channel_type="sockets")
        codes.append(code)
        code.parameters.device = "cpu"
        for name, value in parameters.items():
            setattr(code.parameters, name, value)
        return code

    it = Community()
    it.start, it.units, it.nbody_system = start, units, nbody_system
    yield it
    for code in codes:
        code.stop()
    # The programs of workers are not left.
    assert list(tmp_path.iterdir()) == []


def cluster(bodies, community, converter=None):
    """Returns the bodies as particles of AMUSE, in its units."""
    from amuse.datamodel import Particles

    system = community.nbody_system
    stars = Particles(len(bodies.mass))
    fields = {"mass": bodies.mass | system.mass, "radius": 0.0 | system.length}
    fields["position"], fields["velocity"] = bodies.pos | system.length, bodies.vel | system.speed
    for name, value in fields.items():
        setattr(stars, name, value if converter is None else converter.to_si(value))
    return stars


def total(code):
    return code.kinetic_energy + code.potential_energy


with_amuse = pytest.mark.filterwarnings("default")


@with_amuse
def test_amuse_converts_units_and_copies_by_channels(kind, bodies, community):
    units, system = community.units, community.nbody_system
    converter = system.nbody_to_si(1000.0 | units.MSun, 1.0 | units.parsec)
    code = community.start(kind, converter, epsilon_squared=EPS2 | units.parsec**2)
    stars = cluster(bodies, community, converter)
    code.particles.add_particles(stars)
    channel = code.particles.new_channel_to(stars)
    begin = total(code)
    time = converter.to_si(0.5 | system.time)
    code.evolve_model(time)
    channel.copy()
    worker = started(kind, bodies)
    worker.evolve_model(0.5)
    pos, vel = states(worker)
    assert numpy.abs(converter.to_nbody(stars.position).number - pos).max() < 1e-9
    assert numpy.abs(converter.to_nbody(stars.velocity).number - vel).max() < 1e-9
    assert abs(converter.to_nbody(code.model_time).number - 0.5) < 1e-14
    assert abs(total(code) / begin - 1.0) < (1e-6 if kind is BlockHermite else 2e-3)
    assert abs(converter.to_nbody(total(code)).number / energy(worker) - 1.0) < 1e-9
    potential = converter.to_nbody(code.particles.potential_in_code).number
    assert numpy.abs(potential - get(worker, "potential", worker._stars.indices)).max() < 1e-9
    assert code.total_mass.value_in(units.MSun) == pytest.approx(1000.0, rel=1e-12)


@with_amuse
def test_amuse_adds_removes_and_changes_particles(kind, bodies, community):
    system = community.nbody_system
    softening, begin = EPS2 | system.length**2, 2.0 | system.time
    code = community.start(kind, epsilon_squared=softening, begin_time=begin)
    stars = cluster(bodies, community)
    inside = code.particles.add_particles(stars)
    code.evolve_model(2.25 | system.time)
    inside[0].velocity = [1.0, 2.0, 3.0] | system.speed
    added = cluster(nbody.plummer(3, seed=9), community)
    code.particles.add_particles(added)
    code.particles.remove_particle(stars[7])
    code.evolve_model(2.5 | system.time)
    assert len(code.particles) == 102 and code.model_time == 2.5 | system.time

    worker = started(kind, bodies, begin=2.0)
    worker.evolve_model(2.25)
    worker.set_velocity([0], vx=1.0, vy=2.0, vz=3.0)
    add(worker, nbody.plummer(3, seed=9))
    worker.delete_particle([7])
    worker.evolve_model(2.5)
    assert numpy.abs(code.particles.position.number - states(worker)[0]).max() < 1e-12


@with_amuse
def test_a_bridge_kicks_by_the_gravity_at_points(bodies, community):
    from amuse.couple.bridge import Bridge

    system = community.nbody_system
    softening = {"epsilon_squared": EPS2 | system.length**2}
    stars, others = (cluster(nbody.plummer(50, seed=seed), community) for seed in (1, 2))
    others.position += [2.0, 0.0, 0.0] | system.length
    codes = [community.start(kind, **softening) for kind in (BlockHermite, Tree)]
    codes[0].particles.add_particles(stars)
    codes[1].particles.add_particles(others)
    bridge = Bridge(timestep=1 / 16 | system.time, use_threading=False)
    bridge.add_system(codes[0], (codes[1],))
    bridge.add_system(codes[1], (codes[0],))
    bridge.evolve_model(0.25 | system.time)

    together = nbody.Bodies(
        *(
            numpy.concatenate([it.number for it in pair])
            for pair in (
                (stars.position, others.position),
                (stars.velocity, others.velocity),
                (stars.mass, others.mass),
            )
        )
    )
    worker = started(BlockHermite, together)
    worker.evolve_model(0.25)
    found = numpy.concatenate([code.particles.position.number for code in codes])
    assert numpy.abs(found - states(worker)[0]).max() < 0.02
    moved = numpy.abs(found - together.pos)
    assert moved.max() > 0.2
    # Without the other cluster, the centre of mass would rest.
    assert codes[0].center_of_mass_position.number[0] > stars.center_of_mass().number[0] + 2e-3


@with_amuse
def test_amuse_shows_what_is_wrong(kind, bodies, community):
    from amuse.support.exceptions import AmuseException

    system = community.nbody_system
    code = community.start(kind)
    code.particles.add_particles(cluster(bodies, community))
    # Fields need parameters and particles that are committed.
    code.get_potential_at_point(*([0.0] | system.length for _ in range(4)))
    assert code.get_name_of_current_state() == "RUN"
    with pytest.raises(AmuseException, match="`epsilon_squared` of -1.0: expected a number of at least 0"):
        code.parameters.epsilon_squared = -1.0 | system.length**2
    with pytest.raises(AmuseException, match="no particle has this index"):
        code.get_mass([0, 100])
    with pytest.raises(AmuseException, match="unknown device `abacus`"):
        code.parameters.device = "abacus"
    assert code.has_stopping_condition(0) == 0
    collisions = code.stopping_conditions.collision_detection
    assert not (collisions.is_supported() or collisions.is_enabled() or collisions.is_set())
    with pytest.raises(AmuseException, match="does not support this condition"):
        collisions.enable()
    # The parameters are as before.
    assert code.parameters.device == "cpu"
    expected = {BlockHermite: 0.0, Tree: 0.125}[kind]
    assert code.parameters.epsilon_squared == expected | system.length**2


@with_amuse
def test_functions_of_particles_take_all_in_one_call(kind, community):
    from amuse.rfi.core import legacy_function

    interface = getattr(nbody.amuse, f"{kind.__name__}Interface")
    members = {name: getattr(interface, name) for name in dir(interface)}
    functions = {name: it.specification for name, it in members.items() if isinstance(it, legacy_function)}
    of_particles = {name for name, it in functions.items() if it.must_handle_array}
    assert {"new_particle", "delete_particle", "get_state", "set_velocity", "get_potential"} <= of_particles
    assert all(name == it.name for name, it in functions.items())
    # What AMUSE may call, the worker has.
    worker = kind()
    known = {name for name in functions if not name.startswith(("_", "internal_"))}
    missing = {name for name in known if not hasattr(worker, name) and "stopping_condition" not in name}
    assert missing == {"get_working_directory", "set_working_directory"} & known


@with_amuse
def test_the_program_of_the_guide_runs(community, capsys):
    page = pathlib.Path(__file__).resolve().parents[2] / "docs/guide/python.md"
    section = page.read_text(encoding="utf-8").partition("## AMUSE\n")[2]
    (program,) = re.findall(r"^```py\n(.*?)^```", section.partition("\n## ")[0], re.S | re.M)
    exec(compile(program, "the guide's program for AMUSE", "exec"), {})
    errors = [float(line.split()[-1]) for line in capsys.readouterr().out.splitlines()]
    assert len(errors) == 4 and max(map(abs, errors)) < 1e-6
