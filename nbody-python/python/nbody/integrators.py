"""Integrators: runs of particles under a law."""

from __future__ import annotations

from typing import Any, NamedTuple, Optional

from nbody import _native
from nbody._arrays import Target
from nbody.engines import Engine
from nbody.models import Bodies
from nbody.particles import PerParticle
from nbody.results import Results


class Energies(NamedTuple):
    """The energies of a run."""

    kinetic: float
    potential: float

    @property
    def total(self) -> float:
        """Their sum."""
        return self.kinetic + self.potential


class Integrator:
    """What all runs have: take `Leapfrog`, `Hermite` or `BlockHermite`.

    The particles are on the device of the engine from the beginning of the run on.
    """

    _method: str

    def __init__(self, engine: Engine, begin: float, steps: dict[str, Any], fields: dict[str, Any]) -> None:
        self._target = Target(fields.values())
        self._run = _native.Run.begin(
            engine._native,
            self._method,
            fields,
            begin,
            steps.get("step"),
            steps.get("eta"),
            steps.get("eta_start"),
            steps.get("iterations"),
        )

    @classmethod
    def resume(cls, engine: Engine, path: str, *, precision: str = "double") -> Any:
        """Resumes a run from a file that `save` wrote, to the last bit. The engine is one of the
        same law, parameters and options, and `precision` is that of the particles that the run began with,
        unless the engine has one. Raises `ValueError` for a run of another integrator."""
        run = cls.__new__(cls)
        run._target = Target([])
        run._run = _native.Run.resume(engine._native, cls._method, str(path), precision)
        return run

    def save(self, path: str) -> None:
        """Saves the run to a file, which is replaced when all is written."""
        self._run.save(str(path))

    def advance(self) -> None:
        """Takes one step; with block time steps, the step of one block."""
        self._run.advance()

    def advance_to(self, time: float) -> None:
        """Takes all steps that end by a time. Ctrl-C ends it between two steps."""
        self._run.advance_to(time)

    @property
    def time(self) -> float:
        """The time of the last step."""
        return self._run.times[0]

    @property
    def next_time(self) -> float:
        """The time at the end of the next step."""
        return self._run.times[1]

    @property
    def steps(self) -> int:
        """The number of steps so far."""
        return self._run.steps[0]

    @property
    def particle_steps(self) -> int:
        """The number of steps of single particles so far."""
        return self._run.steps[1]

    def energies(self) -> Energies:
        """Returns the energies at the time of the last step. The law needs a result `pot`."""
        return Energies(*self._run.energies())

    def bodies(self, time: Optional[float] = None) -> Any:
        """Returns positions, velocities and masses at a time within the next step; by default that
        of the last step."""
        found = self._target.finish(self._run.motions(time, self._target.empty))
        return Bodies(found["pos"], found["vel"], found["mass"])

    def __repr__(self) -> str:
        return f"<nbody.{type(self).__name__} at time {self.time} after {self.steps} steps>"


class Leapfrog(Integrator):
    """Steps of one length, of second order: kick, drift, kick.

    >>> run = nbody.Leapfrog(engine, step=0.01, pos=x, vel=v, mass=m)
    >>> run.advance_to(1.0)

    The law has `pos` among its particles, and `acc` or `force` among its results. `fields` has an array
    for each field of the law's particles, and `pos`, `vel` and `mass`.
    """

    _method = "leapfrog"

    def __init__(self, engine: Engine, *, step: float, begin: float = 0.0, **fields: Any) -> None:
        super().__init__(engine, begin, {"step": step}, fields)

    def set_step(self, step: float) -> None:
        """Sets the step."""
        self._run.set_step(step)

    def set_wrap(self, wraps: bool) -> None:
        """Sets whether positions are wrapped into the periodic box."""
        self._run.set_wrap(wraps)


class Hermite(Integrator):
    """Shared steps of fourth order, from accelerations and jerks (Makino & Aarseth 1992).

    The law has `acc` and `jerk` among its results, such as "hermite". `step` is the largest step, `eta`
    the accuracy of steps, `eta_start` of the first one, `iterations` the corrections of a step.
    """

    _method = "hermite"

    def __init__(
        self,
        engine: Engine,
        *,
        step: Optional[float] = None,
        eta: Optional[float] = None,
        eta_start: Optional[float] = None,
        iterations: Optional[int] = None,
        begin: float = 0.0,
        **fields: Any,
    ) -> None:
        steps = {"step": step, "eta": eta, "eta_start": eta_start, "iterations": iterations}
        super().__init__(engine, begin, steps, fields)


class BlockHermite(Hermite):
    """As `Hermite`, with individual steps in blocks, powers of two."""

    _method = "block_hermite"


def _all(condition: Any) -> bool:
    return bool(condition.all() if hasattr(condition, "all") else condition)


class _State(NamedTuple):
    """The particles after some steps, and the results of the law there."""

    steps: int
    moving: dict[str, Any]
    results: Results


class Langevin:
    """Langevin dynamics by the splitting BAOAB (Leimkuhler & Matthews 2013): friction and noise keep a
    temperature.

    >>> run = nbody.Langevin(liquid, step=0.002, temperature=1.0, friction=0.5, pos=x, vel=v, mass=m)
    >>> run.advance_to(10.0)

    `temperature` is kT, an energy; `friction` the inverse of a time. The law has `force` among its
    results. The noise depends on `seed`, the step and the number of the particle alone. Particles are
    arrays of the CPU between the steps.
    """

    def __init__(
        self,
        engine: Engine,
        *,
        step: float,
        temperature: float,
        friction: float,
        seed: int = 1,
        begin: float = 0.0,
        pos: Any,
        vel: Any,
        mass: Any,
        **fields: Any,
    ) -> None:
        for name, number, is_good in (
            ("step", step, step > 0.0),
            ("temperature", temperature, temperature >= 0.0),
            ("friction", friction, friction >= 0.0),
        ):
            if not (is_good and number < float("inf")):
                raise ValueError(f"{name} {number}: expected a positive number")
        if not _all(mass > 0.0):
            raise ValueError("mass: found one that is not positive, expected masses above 0")
        for name, array in (("pos", pos), ("vel", vel)):
            if not _all(abs(array) < float("inf")):
                raise ValueError(f"{name}: found a number that is not finite")
        known = engine.law.targets.keys() | engine.law.sources.keys()
        unknown = [name for name in fields if name not in known]
        if unknown:
            raise TypeError(f"{unknown[0]!r} is no field of `{engine.law.name}`: expected {sorted(known)}")
        self._engine, self._begin, self._step = engine, begin, step
        self._given = {"dt": step, "temperature": temperature, "friction": friction, "seed": seed}
        target = Target([pos, vel, mass])
        #: The fields of the law beside the motions.
        self._fields = {name: target.copied(array) for name, array in fields.items()}
        moving = {name: target.copied(it) for name, it in (("pos", pos), ("vel", vel), ("mass", mass))}
        results = self._evaluate(moving)
        #: The numbers of the particles, on which the noise depends.
        self._ids = target.integers(len(results.force))
        self._prepare()
        self._state = _State(0, moving, results)

    def _prepare(self) -> None:
        """Prepares the programs of a step in the box of the engine."""
        self._box = self._engine._given["box"]
        options = {"device": self._engine._device, "box": self._box, "wrap": self._box is not None}
        self._first = PerParticle("baoa", step=0, **self._given, **options)
        self._last = PerParticle("kick", dt=self._step, **options)

    def _evaluate(self, moving: dict[str, Any]) -> Results:
        law = self._engine.law
        known = {**self._fields, **moving}
        fields = {name: known[name] for name in law.targets.keys() | law.sources.keys() if name in known}
        return self._engine.evaluate(fields)

    def advance(self) -> None:
        """Takes one step."""
        if self._box != self._engine._given["box"]:
            self._prepare()
        before = self._state
        steps = before.steps + 1
        self._first.set_parameters(step=steps)
        numbered = {**before.moving, "id": self._ids}
        moved = self._first.update(numbered, {"force": before.results.force})
        moving = {**before.moving, "pos": moved.pos, "vel": moved.vel}
        results = self._evaluate(moving)
        moving["vel"] = self._last.update({**moving, "id": self._ids}, {"force": results.force}).vel
        # Ctrl-C, and an error, leave the state of the step before.
        self._state = _State(steps, moving, results)

    def advance_to(self, time: float) -> None:
        """Takes all steps that end by a time, up to rounding. Ctrl-C ends it between two steps."""
        if not self.time <= time < float("inf"):
            raise ValueError(f"time {time}: expected {self.time} or later")
        while self.next_time <= time + 1e-6 * self._step:
            self.advance()

    @property
    def time(self) -> float:
        """The time of the last step."""
        return self._begin + self._state.steps * self._step

    @property
    def next_time(self) -> float:
        """The time at the end of the next step."""
        return self._begin + (self._state.steps + 1) * self._step

    @property
    def steps(self) -> int:
        """The number of steps so far."""
        return self._state.steps

    @property
    def results(self) -> Results:
        """The results of the law at the time of the last step: forces, and energies if it has them."""
        return self._state.results

    def bodies(self) -> Any:
        """Returns positions, velocities and masses at the time of the last step."""
        moving, target = self._state.moving, Target([])
        return Bodies(*(target.copied(moving[name]) for name in ("pos", "vel", "mass")))
