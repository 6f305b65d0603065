"""Integrators with every engine and option: any two choices meet, and steps are those of numpy."""

import numpy
import pytest
from covering import Covering
from crossing_truth import nearest_image
from crossing_ways import BOXES, LAYOUTS, of_library

import nbody

LENGTH = BOXES["one"]
STEP = 2.0**-7
LAWS = {
    "gravity": {"eps2": 0.01},
    "hermite": {"eps2": 0.01},
    "lennard_jones_stress": {"sigma2": 0.0625, "epsilon": 0.5, "cutoff": 0.45},
}

OPTIONS = {
    "method": ["leapfrog", "hermite", "block_hermite", "langevin"],
    "law": list(LAWS),
    "engine": ["pairs", "tree", "lists"],
    "device": ["cpu", "cpu:scalar", "emulator"],
    "precision": [None, "single", "mixed", "double"],
    "box": [None, "one"],
    "dtype": ["float64", "float32"],
    "layout": ["packed", "wide", "still", "records", "number"],
    "begin": [0.0, -1.5, 3.0],
    "wraps": [False, True],
}


def is_possible(row):
    made = {name: None if at is None else choices[at] for at, (name, choices) in zip(row, OPTIONS.items())}
    of_method = {
        "leapfrog": ["gravity", "lennard_jones_stress"],
        "langevin": ["lennard_jones_stress"],
        "hermite": ["hermite"],
        "block_hermite": ["hermite"],
    }
    of_engine = {"tree": ["gravity", "hermite"], "lists": ["lennard_jones_stress"]}
    if made["law"] and made["law"] not in of_method.get(made["method"], list(LAWS)):
        return False
    if made["law"] and made["law"] not in of_engine.get(made["engine"], list(LAWS)):
        return False
    if (made["engine"], made["method"]) == ("tree", "langevin"):
        return False
    if made["engine"] == "lists" and made["method"] in ("hermite", "block_hermite"):
        return False
    # Accelerations of Hermite jump where an image becomes the nearest.
    if row[5] == 1 and made["method"] in ("hermite", "block_hermite"):
        return False
    wraps = made["wraps"]
    if wraps and (row[5] == 0 or made["method"] not in (None, "leapfrog", "langevin")):
        return False
    return not (wraps is False and made["method"] == "langevin" and row[5] == 1)


ROWS = Covering([len(it) for it in OPTIONS.values()], 2, is_possible).rows()
WAYS = [{name: it[at] for at, (name, it) in zip(row, OPTIONS.items())} for row in ROWS]


class Case:
    """Particles of a way, their arrays, and the forces of the reference."""

    def __init__(self, way, seed, **changes):
        self.way = way
        random = numpy.random.default_rng(seed)
        sites = numpy.stack(numpy.meshgrid(*[numpy.arange(3)] * 3), -1).reshape(-1, 3)
        pos = ((sites + 0.5) / 3 + random.uniform(-0.03, 0.03, sites.shape)) * LENGTH
        if way["box"]:
            # Outside of the box, in which they act as images.
            pos[::4, 0] += LENGTH
            pos[1::4, 2] -= 2 * LENGTH
        fields = {
            "pos": pos,
            "vel": random.uniform(-0.3, 0.3, pos.shape),
            "mass": random.uniform(0.5, 1.5, len(pos)) / len(pos),
        }
        if way["law"] == "lennard_jones_stress":
            fields["mass"] *= len(pos)
        self.numbers, self.arrays = {}, {}
        for name, it in fields.items():
            array = it.astype(way["dtype"])
            if way["layout"] == "number" and name == "mass":
                array[:] = array[0]
                self.arrays[name] = float(array[0])
            else:
                self.arrays[name] = of_library("numpy", LAYOUTS[way["layout"]](array))
            self.numbers[name] = array.astype("float64")
        self.parameters = {**LAWS[way["law"]], **changes}
        self.box = BOXES[way["box"]] if way["box"] else None

    @property
    def tolerance(self):
        """The relative error of forces."""
        computed = self.way["precision"]
        if computed is None:
            computed = "single" if self.way["dtype"] == "float32" else "double"
        return 1e-13 if computed == "double" else 2e-6

    def engine(self, **changes):
        way = self.way
        kind = {"pairs": nbody.AllPairs, "tree": nbody.Tree, "lists": nbody.ShortRange}[way["engine"]]
        given = {**self.parameters, **changes}
        if way["engine"] == "tree":
            # All cells are opened.
            given["theta"] = 1e-3
        return kind(way["law"], device=way["device"], precision=way["precision"], box=self.box, **given)

    def run(self, engine, **changes):
        way = self.way
        given = {"begin": way["begin"], **self.arrays, **changes}
        if way["method"] == "leapfrog":
            run = nbody.Leapfrog(engine, **{"step": STEP, **given})
            run.set_wrap(way["wraps"])
            return run
        if way["method"] == "langevin":
            options = {"step": STEP, "temperature": 0.0, "friction": 0.0}
            return nbody.Langevin(engine, **{**options, **given})
        kind = nbody.Hermite if way["method"] == "hermite" else nbody.BlockHermite
        return kind(engine, **given)

    def results(self, pos, vel):
        """Returns the results of the reference."""
        known = {"pos": pos, "vel": vel, "mass": self.numbers["mass"]}
        law = nbody.law(self.way["law"])
        fields = {name: known[name] for name in law.targets}
        return nbody.reference(law, fields, box=self.box, parameters=self.parameters)

    def accelerations(self, pos, vel):
        found = self.results(pos, vel)
        if "acc" in self.results_names():
            return found.acc
        return found.force / self.numbers["mass"][:, None]

    def results_names(self):
        return nbody.law(self.way["law"]).results

    def energies(self, pos, vel):
        mass = self.numbers["mass"]
        pot = self.results(pos, vel).pot
        weight = mass if "acc" in self.results_names() else 1.0
        return 0.5 * (mass * (vel**2).sum(1)).sum(), 0.5 * (weight * pot).sum()


def verlet(case, pos, vel, steps, step=STEP):
    """Returns positions and velocities after steps of kick, drift and kick."""
    acc = case.accelerations(pos, vel)
    for _ in range(steps):
        vel = vel + 0.5 * step * acc
        pos = pos + step * vel
        acc = case.accelerations(pos, vel)
        vel = vel + 0.5 * step * acc
    return pos, vel


def runge_kutta(case, pos, vel, time, steps=32):
    """Returns positions and velocities after a time, by the method of fourth order."""
    slope = lambda pos, vel: numpy.array([vel, case.accelerations(pos, vel)])
    state, h = numpy.array([pos, vel]), time / steps
    for _ in range(steps):
        a = slope(*state)
        b = slope(*(state + 0.5 * h * a))
        c = slope(*(state + 0.5 * h * b))
        d = slope(*(state + h * c))
        state = state + h / 6 * (a + 2 * b + 2 * c + d)
    return state


def check_energies(case, run):
    bodies = run.bodies()
    pos, vel = (numpy.asarray(it, float) for it in (bodies.pos, bodies.vel))
    found, expected = run.energies(), case.energies(pos, vel)
    for value, truth in zip((found.kinetic, found.potential), expected):
        assert abs(value - truth) <= 100 * case.tolerance * abs(truth), (value, truth)
    assert found.total == found.kinetic + found.potential


def check_motion(case, run, expected, tolerance):
    bodies = run.bodies()
    moved = numpy.asarray(bodies.pos, float) - expected[0]
    if case.way["wraps"]:
        assert (bodies.pos >= 0).all() and (bodies.pos <= LENGTH).all()
        moved = nearest_image(case.box, moved)
    assert numpy.abs(moved).max() <= tolerance
    assert numpy.abs(numpy.asarray(bodies.vel, float) - expected[1]).max() <= 50 * tolerance
    mass = numpy.broadcast_to(bodies.mass, len(expected[0]))
    assert (mass == case.numbers["mass"]).all()


SHARED = [seed for seed, way in enumerate(WAYS) if way["method"] in ("leapfrog", "langevin")]
HERMITE = [seed for seed, way in enumerate(WAYS) if "hermite" in way["method"]]


@pytest.mark.parametrize("seed", SHARED)
def test_steps_of_one_length_are_those_of_numpy(seed):
    way = WAYS[seed]
    case = Case(way, seed)
    before = {name: numpy.array(it) for name, it in case.arrays.items()}
    run = case.run(case.engine())
    rounding = 1e-13 if way["method"] == "leapfrog" or way["dtype"] == "float64" else 1e-6
    tolerance = max(100 * case.tolerance, rounding)
    state = case.numbers["pos"], case.numbers["vel"]
    for steps, end in ((1, STEP), (3, 4.5 * STEP)):
        run.advance_to(way["begin"] + end)
        state = verlet(case, *state, steps)
        check_motion(case, run, state, tolerance)
    assert run.steps == 4 and run.time == way["begin"] + 4 * STEP
    assert run.next_time == way["begin"] + 5 * STEP
    if way["method"] == "leapfrog":
        check_energies(case, run)
        # Within the next step.
        later = run.bodies(run.time + 0.5 * STEP)
        acc = case.accelerations(*state)
        half = state[0] + 0.5 * STEP * (state[1] + 0.25 * STEP * acc)
        assert numpy.abs(nearest_image(case.box, later.pos - half)).max() <= 2 * STEP**3 + tolerance
        run.set_step(0.5 * STEP)
        run.advance()
        check_motion(case, run, verlet(case, *state, 1, 0.5 * STEP), tolerance)
        assert run.time == way["begin"] + 4.5 * STEP
    else:
        run.advance()
        check_motion(case, run, verlet(case, *state, 1), tolerance)
        assert run.results.force.dtype == way["dtype"]
    assert all((numpy.asarray(case.arrays[name]) == it).all() for name, it in before.items())


@pytest.mark.parametrize("seed", HERMITE)
def test_steps_of_fourth_order_are_those_of_numpy(seed):
    way = WAYS[seed]
    case = Case(way, seed)
    time = 0.125
    expected = runge_kutta(case, case.numbers["pos"], case.numbers["vel"], time)
    errors, steps = [], []
    for eta in (0.05, 0.01):
        # Arguments by their names: the run has the accuracy that was asked for.
        run = case.run(case.engine(), eta=eta, eta_start=eta / 4, step=time)
        assert run.time == way["begin"] and run.steps == 0
        run.advance_to(way["begin"] + time)
        bodies = run.bodies(way["begin"] + time)
        errors.append(numpy.abs(numpy.asarray(bodies.pos, float) - expected[0]).max())
        steps.append(run.particle_steps)
        assert run.time <= way["begin"] + time <= run.next_time
    # The method is of fourth order in the step, which grows with the root of eta.
    assert steps[1] > 1.5 * steps[0]
    assert errors[1] <= 1e-6 + 20 * case.tolerance and errors[0] <= 1e-4, errors
    if case.tolerance < 1e-12:
        assert errors[1] < 0.5 * errors[0], errors
    first = [case.run(case.engine(), eta_start=it).next_time - way["begin"] for it in (0.02, 0.001)]
    assert first[1] < first[0]
    check_energies(case, case.run(case.engine()))


def test_iterations_of_hermite_are_taken():
    way = {**WAYS[HERMITE[0]], "method": "hermite", "precision": "double"}
    way.update(device="cpu", engine="pairs")
    case = Case(way, 1)
    runs = [case.run(case.engine(), iterations=it) for it in (1, 3)]
    for run in runs:
        run.advance()
        run.advance()
    one, three = (run.bodies().pos for run in runs)
    assert (one != three).any() and numpy.abs(one - three).max() < 1e-8


def same(one, other):
    both = zip(one.bodies(), other.bodies())
    return all(numpy.array_equal(numpy.asarray(a), numpy.asarray(b)) for a, b in both)


SAVED = [seed for seed, way in enumerate(WAYS) if way["method"] != "langevin"]


@pytest.mark.parametrize("seed", SAVED)
def test_runs_go_on_to_the_last_bit(seed, tmp_path):
    way = WAYS[seed]
    case = Case(way, seed)
    given = {"eta": 0.04, "step": 2.0**-5} if "hermite" in way["method"] else {}
    engine = case.engine()
    run = case.run(engine, **given)
    for _ in range(3):
        run.advance()
    run.save(tmp_path / "run")
    precision = "single" if way["dtype"] == "float32" else "double"
    kind = type(run)
    another = case.engine()
    resumed = kind.resume(another, tmp_path / "run", precision=precision)
    assert (resumed.time, resumed.next_time, resumed.steps) == (run.time, run.next_time, run.steps)
    assert resumed.particle_steps == run.particle_steps and same(run, resumed)
    for it in (run, resumed):
        for _ in range(3):
            it.advance()
    assert same(run, resumed) and resumed.energies() == run.energies()
    # Parameters that change between the steps change both runs.
    name, value = next(iter(case.parameters.items()))
    unchanged = numpy.array(run.bodies().pos)
    for it, of in ((run, engine), (resumed, another)):
        of.set_parameters(**{name: 1.5 * value})
        for _ in range(2):
            it.advance()
    assert same(run, resumed) and (run.bodies().pos != unchanged).any()
    with pytest.raises(ValueError):
        kind.resume(nbody.AllPairs("attraction", eps2=0.01, device="cpu"), tmp_path / "run")


def test_parameters_of_a_run_change_with_its_engine():
    way = {**WAYS[SHARED[0]], "method": "leapfrog", "law": "gravity", "engine": "pairs"}
    way.update(box=None, wraps=False, dtype="float64", device="cpu", precision="double")
    case = Case(way, 3)
    engine = case.engine()
    run = case.run(engine)
    run.advance()
    state = verlet(case, case.numbers["pos"], case.numbers["vel"], 1)
    engine.set_parameters(eps2=0.5)
    other = Case(way, 3, eps2=0.5)
    run.advance()
    # The forces at the begin of the step are those of the parameters before.
    pos, vel = state
    vel = vel + 0.5 * STEP * case.accelerations(pos, vel)
    pos = pos + STEP * vel
    vel = vel + 0.5 * STEP * other.accelerations(pos, vel)
    check_motion(case, run, (pos, vel), 1e-12)


def test_what_runs_refuse(tmp_path):
    way = {**WAYS[SHARED[0]], "method": "leapfrog", "law": "gravity", "engine": "pairs", "box": None}
    way.update(wraps=False, layout="packed", device="cpu", precision=None)
    case = Case(way, 1)
    engine, given = case.engine(), case.arrays
    for changes, error in (
        ({"step": 0.0}, ValueError),
        ({"step": float("inf")}, ValueError),
        ({"step": STEP, "begin": float("nan")}, (ValueError, nbody.NumbersError)),
        ({"step": STEP, "vel": given["vel"][:3]}, ValueError),
        ({"step": STEP, "spin": given["vel"]}, TypeError),
        ({"step": STEP, "pos": numpy.full_like(given["pos"], numpy.nan)}, (ValueError, nbody.NumbersError)),
    ):
        with pytest.raises(error):
            nbody.Leapfrog(engine, **{**given, **changes}).advance()
    for name in ("pos", "vel", "mass"):
        fields = {key: it for key, it in given.items() if key != name}
        with pytest.raises(TypeError, match=f"`{name}`"):
            nbody.Leapfrog(engine, step=STEP, **fields)
    with pytest.raises(nbody.UnsupportedError):
        nbody.Hermite(engine, **given)
    run = nbody.Leapfrog(engine, step=STEP, **given)
    with pytest.raises(ValueError):
        run.set_wrap(True)
    for time in (-1.0, float("nan"), float("inf")):
        with pytest.raises((ValueError, nbody.NumbersError)):
            run.advance_to(time)
        with pytest.raises((ValueError, nbody.NumbersError)):
            run.bodies(time)
    for path in (tmp_path / "none", tmp_path):
        with pytest.raises((ValueError, OSError)):
            nbody.Leapfrog.resume(engine, path)
    (tmp_path / "text").write_text("no run")
    with pytest.raises(ValueError):
        nbody.Leapfrog.resume(engine, tmp_path / "text")
    run.save(tmp_path / "run")
    for cut in (10, 100, -1):
        (tmp_path / "part").write_bytes((tmp_path / "run").read_bytes()[:cut])
        with pytest.raises(ValueError):
            nbody.Leapfrog.resume(engine, tmp_path / "part")
    assert run.steps == 0 and (run.bodies().pos == given["pos"]).all()
