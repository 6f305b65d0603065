"""The community codes, as AMUSE sees them."""

from __future__ import annotations

import functools
import tempfile
from typing import Any, Optional

from amuse.community.interface.gd import (
    GravitationalDynamics,
    GravitationalDynamicsInterface,
    GravityFieldCode,
    GravityFieldInterface,
)
from amuse.community.interface.stopping_conditions import (
    StoppingConditionInterface,
    StoppingConditions,
)
from amuse.rfi.core import LegacyFunctionSpecification, PythonCodeInterface, legacy_function
from amuse.support.interface import MethodWithUnitsDefinition
from amuse.units import nbody_system

from nbody.amuse import workers
from nbody.amuse.parameters import NOT_FOUND, UNSUPPORTED

_NO_UNIT = MethodWithUnitsDefinition.NO_UNIT


def _parameter(name: str, dtype: str = "float64", unit: Any = _NO_UNIT) -> tuple[Any, Any]:
    """Returns the remote functions that read and write a parameter."""

    def described(verb: str, direction: Any) -> Any:
        def specification() -> LegacyFunctionSpecification:
            function = LegacyFunctionSpecification()
            function.name = f"{verb}_{name}"
            function.addParameter(name, dtype=dtype, direction=direction, unit=unit)
            function.result_type = "int32"
            return function

        return legacy_function(specification)

    directions = LegacyFunctionSpecification
    return described("get", directions.OUT), described("set", directions.IN)


def _in_vectors(interface: type) -> type:
    """Lets all functions of particles take arrays: one call for all particles, not one for each."""
    for name in dir(interface):
        function = getattr(interface, name)
        if isinstance(function, legacy_function) and _is_of_particles(function.specification):
            setattr(interface, name, legacy_function(_vector(function.specification_function)))
    return interface


def _is_of_particles(specification: LegacyFunctionSpecification) -> bool:
    return specification.can_handle_array and bool(specification.input_parameters)


def _vector(specification_function: Any) -> Any:
    @functools.wraps(specification_function)
    def specification() -> LegacyFunctionSpecification:
        function = specification_function()
        function.must_handle_array = True
        return function

    return specification


class _Interface(
    PythonCodeInterface,
    GravitationalDynamicsInterface,
    GravityFieldInterface,
    StoppingConditionInterface,
):
    """The base of both interfaces."""

    #: The worker.
    _worker: type
    #: The folder for its program; `None` for one of its own.
    worker_dir: Optional[str]

    get_device, set_device = _parameter("device", "string")
    get_precision, set_precision = _parameter("precision", "string")

    def __init__(self, **options: Any) -> None:
        PythonCodeInterface.__init__(self, self._worker, **options)

    def _start(self, **options: Any) -> None:
        if self.worker_dir is not None:
            return super()._start(**options)
        # AMUSE writes the program of the worker, which is read when the worker has started.
        with tempfile.TemporaryDirectory() as folder:
            self.worker_dir = folder
            super()._start(**options)


@_in_vectors
class BlockHermiteInterface(_Interface):
    """The remote functions of `BlockHermite`."""

    _worker = workers.BlockHermite

    get_timestep_parameter, set_timestep_parameter = _parameter("timestep_parameter")
    get_largest_timestep, set_largest_timestep = _parameter("largest_timestep", unit=nbody_system.time)


@_in_vectors
class TreeInterface(_Interface):
    """The remote functions of `Tree`."""

    _worker = workers.Tree

    set_time_step = _parameter("time_step", unit=nbody_system.time)[1]
    get_opening_angle, set_opening_angle = _parameter("opening_angle")


class _Code(GravitationalDynamics, GravityFieldCode):
    """The base of both codes."""

    _interface: type

    def __init__(self, convert_nbody: Optional[Any] = None, **options: Any) -> None:
        self.stopping_conditions = StoppingConditions(self)
        GravitationalDynamics.__init__(self, self._interface(**options), convert_nbody, **options)

    def define_state(self, handler: Any) -> None:
        """Tells AMUSE which calls need which state of the code."""
        GravitationalDynamics.define_state(self, handler)
        GravityFieldCode.define_state(self, handler)

    def define_methods(self, handler: Any) -> None:
        """Tells AMUSE the units of remote functions."""
        GravitationalDynamics.define_methods(self, handler)
        area, code = nbody_system.length**2, handler.ERROR_CODE
        handler.add_method("get_eps2", (), (area, code))
        handler.add_method("set_eps2", (area,), (code,))

    def define_particle_sets(self, handler: Any) -> None:
        """Tells AMUSE the attributes of particles."""
        GravitationalDynamics.define_particle_sets(self, handler)
        handler.add_getter("particles", "get_potential", names=("potential_in_code",))

    def define_errorcodes(self, handler: Any) -> None:
        """Tells AMUSE the meanings of error codes."""
        handler.add_errorcode(NOT_FOUND, "no particle has this index")
        handler.add_errorcode(UNSUPPORTED, "the code has no such function")

    def define_parameters(self, handler: Any) -> None:
        """Tells AMUSE the parameters."""
        begin = 0.0 | nbody_system.time
        _define(handler, "begin_time", "the time at which the model begins", begin)
        _define(handler, "device", 'device: "best", "cpu", "cuda:0", ...', "best")
        _define(handler, "precision", '"double", "mixed" or "single"', "double")


def _define(handler: Any, name: str, text: str, default: Any, function: str = "") -> None:
    function = function or name
    handler.add_method_parameter(f"get_{function}", f"set_{function}", name, text, default)


class BlockHermite(_Code):
    """Block time steps of fourth order over all pairs: `gravity = BlockHermite(converter)`, as `ph4`.

    Parameters, with defaults:

    - `epsilon_squared`: the square of the softening length, 0
    - `timestep_parameter`: the accuracy of steps, 0.14, the same as in ph4: the root of Aarseth's eta
    - `largest_timestep`: no particle takes longer steps than this, 1/8
    - `begin_time`: the time at which the model begins, 0
    - `device`: "best", "cpu", "cuda:0", ...: see `nbody.device`
    - `precision`: "double", "mixed" or "single"
    """

    _interface = BlockHermiteInterface

    def define_parameters(self, handler: Any) -> None:
        """Tells AMUSE the parameters."""
        super().define_parameters(handler)
        given = workers.BlockHermite._defaults
        area, time = nbody_system.length**2, nbody_system.time
        eps2, largest = given["epsilon_squared"] | area, given["largest_timestep"] | time
        _define(handler, "epsilon_squared", "the square of the softening length", eps2, "eps2")
        eta = given["timestep_parameter"]
        _define(handler, "timestep_parameter", "the accuracy of steps, as of ph4", eta)
        _define(handler, "largest_timestep", "no particle takes longer steps", largest)


class Tree(_Code):
    """Steps of one length by leapfrog with a tree: `gravity = Tree(converter)`, as `BHTree`.

    Parameters, with defaults:

    - `epsilon_squared`: the square of the softening length, 0.125 as of BHTree
    - `timestep`: the step, 1/64; `evolve_model` takes equal steps, none longer
    - `opening_angle`: the angle below which a cell acts as a whole, 0.5; smaller is more accurate
    - `begin_time`: the time at which the model begins, 0
    - `device`: "best", "cpu", "cuda:0", ...: see `nbody.device`
    - `precision`: "double", "mixed" or "single"
    """

    _interface = TreeInterface

    def define_parameters(self, handler: Any) -> None:
        """Tells AMUSE the parameters."""
        super().define_parameters(handler)
        given = workers.Tree._defaults
        area, time = nbody_system.length**2, nbody_system.time
        eps2, step = given["epsilon_squared"] | area, given["timestep"] | time
        _define(handler, "epsilon_squared", "the square of the softening length", eps2, "eps2")
        _define(handler, "timestep", "the longest step", step, "time_step")
        _define(handler, "opening_angle", "smaller is more accurate", given["opening_angle"])
