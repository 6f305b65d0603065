"""The base of the workers: particles, their fields and energies, and the time."""

from __future__ import annotations

import math
import sys
from typing import Any, Callable

import numpy

import nbody
from nbody.amuse.parameters import NOT_FOUND, OK, at_least_zero, device, parameter, precision
from nbody.amuse.stars import Stars, check

#: AMUSE's code for an iteration at its end.
LAST = 1


def rounding(*times: float) -> float:
    """Returns the rounding errors of times that were converted between units."""
    return 16.0 * sys.float_info.epsilon * max(abs(time) for time in times)


def _of_all_ranks(name: str) -> nbody.Device:
    """Returns a device: of all workers, if AMUSE started several."""
    mpi = sys.modules.get("mpi4py.MPI")
    if mpi is not None and mpi.COMM_WORLD.size > 1:
        return nbody.over_mpi(mpi.COMM_WORLD, name)
    return nbody.device(name)


class Worker:
    """The base of both workers: take `BlockHermite` or `Tree`."""

    #: The law of the motion.
    _law: str
    #: The parameters at the beginning.
    _defaults: dict[str, Any]
    #: The run, and the field of the particles; `None` before they are needed.
    _run: Any
    _found: Any

    def __init__(self) -> None:
        self.initialize_code()

    # The life of a code.

    def initialize_code(self) -> int:
        """Sets all parameters to their defaults, without particles."""
        self._parameters = {"device": "best", "precision": "double", **self._defaults}
        self._stars = Stars()
        self._begin = self._time = 0.0
        self._forget_engines()
        return OK

    cleanup_code = initialize_code

    def commit_parameters(self) -> int:
        """Creates the engine, so that what is wrong with the parameters is said here."""
        self._motion()
        return OK

    recommit_parameters = commit_parameters

    def commit_particles(self) -> int:
        """Does nothing: a run begins when it is needed."""
        return OK

    recommit_particles = synchronize_model = commit_particles

    # Parameters.

    get_eps2, set_eps2 = parameter("epsilon_squared", at_least_zero)
    get_device, set_device = parameter("device", device)
    get_precision, set_precision = parameter("precision", precision)

    def get_begin_time(self, time: Any) -> int:
        """Finds the time at which the model began."""
        time.value = self._begin
        return OK

    def set_begin_time(self, time: float) -> int:
        """Sets the clock: all times of the model are moved with the beginning."""
        if not math.isfinite(time):
            raise ValueError(f"`begin_time` of {time}: expected a finite number")
        self._time += time - self._begin
        self._begin = float(time)
        self._forget_run()
        return OK

    # Particles.

    def new_particle(self, index_of_the_particle: Any, **fields: Any) -> Any:
        """Adds particles, and finds their indices."""
        index_of_the_particle.value = self._stars.add(fields)
        self._forget_run()
        return numpy.full(len(index_of_the_particle.value), OK)

    def delete_particle(self, index_of_the_particle: Any) -> Any:
        """Removes particles; none if one of them is not there."""
        rows, there = self._stars.find(index_of_the_particle)
        if there.all():
            self._stars.remove(rows)
            self._forget_run()
        return numpy.where(there, OK, NOT_FOUND)

    def get_state(self, index_of_the_particle: Any, **fields: Any) -> Any:
        """Finds fields of particles; NaN of particles that are not there."""
        rows, there = self._stars.find(index_of_the_particle)
        for name, found in fields.items():
            found.value = numpy.full(len(rows), math.nan)
            found.value[there] = self._stars.read(rows[there], name)
        return numpy.where(there, OK, NOT_FOUND)

    get_mass = get_radius = get_position = get_velocity = get_state

    def set_state(self, index_of_the_particle: Any, **fields: Any) -> Any:
        """Changes fields of particles; none if one of the particles is not there."""
        rows, there = self._stars.find(index_of_the_particle)
        if there.all():
            self._stars.write(rows, fields)
            self._forget_run()
        return numpy.where(there, OK, NOT_FOUND)

    set_mass = set_position = set_velocity = set_state

    def set_radius(self, index_of_the_particle: Any, radius: Any) -> Any:
        """Changes radii, on which the motion does not depend."""
        rows, there = self._stars.find(index_of_the_particle)
        if there.all():
            self._stars.write(rows, {"radius": radius})
        return numpy.where(there, OK, NOT_FOUND)

    def get_number_of_particles(self, number_of_particles: Any) -> int:
        """Counts the particles."""
        number_of_particles.value = len(self._stars)
        return OK

    def get_index_of_first_particle(self, index_of_the_particle: Any) -> int:
        """Finds the index of the first particle; 1 if there are none."""
        indices = self._stars.indices
        index_of_the_particle.value = indices[0] if len(indices) else 0
        return OK if len(indices) else LAST

    def get_index_of_next_particle(self, index_of_the_particle: int, index_of_the_next_particle: Any) -> int:
        """Finds the index after another one; 1 if that is the last."""
        (row,), (there,) = self._stars.find(index_of_the_particle)
        index_of_the_next_particle.value = 0
        if not there:
            return NOT_FOUND
        if row + 1 == len(self._stars):
            return LAST
        index_of_the_next_particle.value = self._stars.indices[row + 1]
        return OK

    # Forces and energies.

    def get_acceleration(self, index_of_the_particle: Any, **axes: Any) -> Any:
        """Finds the accelerations `ax`, `ay` and `az` of particles."""
        rows, there = self._stars.find(index_of_the_particle)
        for axis, name in enumerate(("ax", "ay", "az")):
            axes[name].value = numpy.full(len(rows), math.nan)
            axes[name].value[there] = self._field().acc[rows[there], axis]
        return numpy.where(there, OK, NOT_FOUND)

    def get_potential(self, index_of_the_particle: Any, potential: Any) -> Any:
        """Finds the potentials of all other particles at particles."""
        rows, there = self._stars.find(index_of_the_particle)
        potential.value = numpy.full(len(rows), math.nan)
        potential.value[there] = self._field().pot[rows[there]]
        return numpy.where(there, OK, NOT_FOUND)

    def get_gravity_at_point(
        self, eps: Any, x: Any, y: Any, z: Any, ax: Any, ay: Any, az: Any, npoints: int
    ) -> int:
        """Finds the accelerations of points of softening lengths `eps`, beside the softening of the code."""
        ax.value, ay.value, az.value = self._field_at(eps, x, y, z).acc.T
        return OK

    def get_potential_at_point(self, eps: Any, x: Any, y: Any, z: Any, phi: Any, npoints: int) -> int:
        """Finds the potentials at points of softening lengths `eps`, beside the softening of the code."""
        phi.value = self._field_at(eps, x, y, z).pot
        return OK

    def get_kinetic_energy(self, kinetic_energy: Any) -> int:
        """Sums the kinetic energies."""
        kinetic_energy.value = 0.5 * (self._stars.mass * (self._stars.vel**2).sum(1)).sum()
        return OK

    def get_potential_energy(self, potential_energy: Any) -> int:
        """Sums the potential energies of all pairs."""
        potential_energy.value = 0.5 * (self._stars.mass * self._field().pot).sum()
        return OK

    def get_total_mass(self, mass: Any) -> int:
        """Sums the masses."""
        mass.value = self._stars.mass.sum()
        return OK

    def get_total_radius(self, radius: Any) -> int:
        """Finds the largest distance from the centre of mass."""
        offsets = self._stars.pos - self._centre(self._stars.pos)
        radius.value = numpy.sqrt((offsets**2).sum(1)).max(initial=0.0)
        return OK

    def get_center_of_mass_position(self, x: Any, y: Any, z: Any) -> int:
        """Finds the centre of mass."""
        x.value, y.value, z.value = self._centre(self._stars.pos)
        return OK

    def get_center_of_mass_velocity(self, vx: Any, vy: Any, vz: Any) -> int:
        """Finds the velocity of the centre of mass."""
        vx.value, vy.value, vz.value = self._centre(self._stars.vel)
        return OK

    def has_stopping_condition(self, type: Any, result: Any) -> Any:
        """Says that there are no stopping conditions."""
        result.value = numpy.zeros(len(type), dtype="int32")
        return numpy.full(len(type), OK)

    is_stopping_condition_enabled = is_stopping_condition_set = has_stopping_condition

    # Time.

    def get_time(self, time: Any) -> int:
        """Finds the time of the particles."""
        time.value = self._time
        return OK

    def evolve_model(self, time: float) -> int:
        """Evolves all particles to a time, exactly. Does nothing at the time of the model, to rounding."""
        if not math.isfinite(time):
            raise ValueError(f"evolve_model to time {time}: expected a finite number")
        span, error = time - self._time, rounding(time, self._time)
        if span < -error:
            raise ValueError(
                f"evolve_model to time {time} of a model at {self._time}: expected that or a later time"
            )
        if span <= error:
            return OK
        self._evolve(float(time))
        self._time = float(time)
        return OK

    def _evolve(self, time: float) -> None:
        # A run that fails midway is not continued.
        run, self._run = self._run, None
        run = self._advanced(run, time)
        bodies = run.bodies()
        self._stars.pos[:], self._stars.vel[:] = bodies.pos, bodies.vel
        self._run, self._found = run, None

    def _advanced(self, run: Any, time: float) -> Any:
        """Returns a run at a time: a new one if there is none to continue."""
        raise NotImplementedError

    def _bodies(self) -> dict[str, Any]:
        return {"pos": self._stars.pos, "vel": self._stars.vel, "mass": self._stars.mass}

    # Engines.

    def _engine(self, law: str, **parameters: Any) -> nbody.Engine:
        """Creates an engine of the kind of the code."""
        raise NotImplementedError

    def _options(self) -> dict[str, Any]:
        device = _of_all_ranks(self._parameters["device"])
        return {"device": device, "precision": self._parameters["precision"]}

    def _kept(self, use: str, create: Callable[[], nbody.Engine]) -> nbody.Engine:
        if use not in self._engines:
            self._engines[use] = create()
        return self._engines[use]

    def _motion(self) -> nbody.Engine:
        eps2 = self._parameters["epsilon_squared"]
        return self._kept("motion", lambda: self._engine(self._law, eps2=eps2))

    def _gravity(self, eps2: float) -> nbody.Engine:
        """Returns an engine for fields. The engine of the motion keeps its softening for its run."""
        engine = self._kept("gravity", lambda: self._engine("gravity", eps2=eps2))
        engine.set_parameters(eps2=eps2)
        return engine

    def _softened(self) -> nbody.Engine:
        """Returns an engine with a softening length for each particle, which no tree has."""
        return self._kept("softened", lambda: nbody.AllPairs("softened", **self._options()))

    def _field(self) -> nbody.Results:
        """Returns the accelerations and potentials of the particles, which are kept until these change."""
        if self._found is None:
            engine = self._gravity(self._parameters["epsilon_squared"])
            found = engine.evaluate(pos=self._stars.pos, mass=self._stars.mass)
            self._found = _finite(found, "particle")
        return self._found

    def _field_at(self, eps: Any, x: Any, y: Any, z: Any) -> nbody.Results:
        check({"eps": eps, "x": x, "y": y, "z": z}, "point")
        points = {"pos": numpy.stack([x, y, z], -1), "mass": 0.0}
        stars = {"pos": self._stars.pos, "mass": self._stars.mass}
        eps2 = self._parameters["epsilon_squared"]
        if (eps == eps[0]).all():
            engine = self._gravity(eps2 + float(eps[0]) ** 2)
        else:
            engine = self._softened()
            points["eps"], stars["eps"] = eps, math.sqrt(eps2)
        return _finite(engine.evaluate(points, stars), "point")

    def _centre(self, vectors: Any) -> Any:
        mass = self._stars.mass
        if not mass.sum() > 0.0:
            raise ValueError(f"no centre of mass of {len(mass)} particles: expected a mass above 0")
        return (mass[:, None] * vectors).sum(0) / mass.sum()

    def _forget_run(self) -> None:
        """Lets the next run begin with the particles as they are."""
        self._run = self._found = None

    def _forget_engines(self) -> None:
        self._engines: dict[str, nbody.Engine] = {}
        self._forget_run()


def _finite(found: nbody.Results, what: str) -> nbody.Results:
    wrong = ~numpy.isfinite(found.pot)
    if wrong.any():
        raise ValueError(
            f"the potential of {what} {int(wrong.argmax())} is not finite: a particle is at the same "
            f"place; set `epsilon_squared`, or move one of them"
        )
    return found
