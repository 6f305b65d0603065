"""The compiled part of nbody, which the modules of the package wrap."""

from typing import Any, Callable, Optional, Sequence

__version__: str

_Described = tuple[str, str, int]
_Part = tuple[str, str, list[tuple[str, str, str]]]
_Empty = Optional[Callable[[tuple[int, ...], str], Any]]
_Fields = dict[str, Any]

class DeviceError(RuntimeError):
    """A device, its driver or another rank failed."""

class UnsupportedError(RuntimeError):
    """The law, the device or this version of nbody cannot do it."""

class CompilerError(RuntimeError):
    """A compiler is missing or failed, or the cache of compiled programs cannot be used."""

class NumbersError(ArithmeticError):
    """Numbers are NaN or infinite."""

class FaultError(Exception):
    """A fault of nbody; please report it."""

class TextFaults(ValueError):
    """The message of a refused declaration, and its faults: line, column, message and remedy."""

    args: tuple[str, list[tuple[int, int, str, str]]]

class Array:
    """An array of results, which libraries of arrays take without a copy."""

    @property
    def shape(self) -> tuple[int, ...]: ...
    @property
    def __array_interface__(self) -> dict[str, Any]: ...
    def __dlpack__(
        self,
        *,
        stream: Optional[int] = None,
        max_version: Optional[tuple[int, int]] = None,
        dl_device: Optional[tuple[int, int]] = None,
        copy: Optional[bool] = None,
    ) -> Any: ...
    def __dlpack_device__(self) -> tuple[int, int]: ...
    def __len__(self) -> int: ...

class Device:
    """A device: a GPU, the CPU, or the emulator of a GPU on the CPU."""

    def __new__(cls, name: str = "best") -> Device: ...
    @staticmethod
    def over_mpi(name: str, communicator: int, distribute_trees: bool) -> Device: ...
    @property
    def name(self) -> str:
        """The display name: "NVIDIA H200 (cuda:0)", "cpu", "emulator"."""
    @property
    def is_cpu(self) -> bool:
        """Whether it is the CPU itself."""
    @property
    def fallback_reason(self) -> Optional[str]:
        """The reason why "best" chose no GPU; `None` if it chose one."""
    def trim(self) -> None:
        """Releases memory that is kept for reuse."""

class Law:
    @property
    def name(self) -> str: ...
    @property
    def parameters(self) -> list[_Described]: ...
    @property
    def targets(self) -> list[_Described]: ...
    @property
    def sources(self) -> list[_Described]: ...
    @property
    def results(self) -> list[_Described]: ...
    @property
    def columns(self) -> list[tuple[str, int, bool]]: ...
    @property
    def has_cutoff(self) -> bool: ...
    @property
    def no_tree(self) -> Optional[str]: ...

class Program:
    @property
    def name(self) -> str: ...
    @property
    def parameters(self) -> list[_Described]: ...
    @property
    def particles(self) -> list[_Described]: ...
    @property
    def record(self) -> list[_Described]: ...
    @property
    def total(self) -> list[_Described]: ...
    @property
    def members(self) -> int: ...

class Engine:
    @staticmethod
    def all_pairs(device: Device, law: Law, given: _Fields, parameters: _Fields) -> Engine: ...
    @staticmethod
    def tree(
        device: Device,
        law: Law,
        theta: Optional[float],
        relative: Optional[float],
        expansion: str,
        given: _Fields,
        parameters: _Fields,
    ) -> Engine: ...
    @staticmethod
    def lists(
        device: Device,
        law: Law,
        skin: Optional[float],
        rows: Optional[tuple[Sequence[int], Sequence[int]]],
        given: _Fields,
        parameters: _Fields,
    ) -> Engine: ...
    def evaluate(
        self,
        targets: _Fields,
        sources: Optional[_Fields],
        empty: _Empty,
        out: Optional[_Fields],
        parameters: Optional[_Fields] = None,
    ) -> _Fields: ...
    def set_parameters(self, parameters: _Fields) -> None: ...
    def set_box(self, given: Any) -> None: ...
    def set_opening(
        self, theta: Optional[float], relative: Optional[float], expansion: str
    ) -> None: ...
    def exclude(self, pairs: Sequence[tuple[int, int]]) -> None: ...

class Neighbours:
    def __new__(
        cls,
        device: Device,
        skin: Optional[float],
        rows: Optional[tuple[Sequence[int], Sequence[int]]],
        given: _Fields,
    ) -> Neighbours: ...
    def update(
        self, engines: Sequence[Engine], targets: _Fields, sources: Optional[_Fields]
    ) -> None: ...
    def evaluate(
        self,
        engine: Engine,
        targets: _Fields,
        sources: Optional[_Fields],
        empty: _Empty,
        out: Optional[_Fields],
    ) -> _Fields: ...
    def set_box(self, given: Any) -> None: ...
    def exclude(self, pairs: Sequence[tuple[int, int]]) -> None: ...
    def stats(self) -> list[tuple[str, float]]: ...
    def rows(self) -> tuple[list[int], list[int]]: ...

class Run:
    @staticmethod
    def begin(
        engine: Engine,
        method: str,
        particles: _Fields,
        begin: float,
        step: Optional[float],
        eta: Optional[float],
        eta_start: Optional[float],
        iterations: Optional[int],
    ) -> Run: ...
    @staticmethod
    def resume(engine: Engine, method: str, path: str, precision: str) -> Run: ...
    def save(self, path: str) -> None: ...
    def advance(self) -> None: ...
    def advance_to(self, time: float) -> None: ...
    @property
    def times(self) -> tuple[float, float]: ...
    @property
    def steps(self) -> list[int]: ...
    def energies(self) -> tuple[float, float]: ...
    def motions(self, time: Optional[float], empty: _Empty) -> _Fields: ...
    def set_step(self, step: float) -> None: ...
    def set_wrap(self, wraps: bool) -> None: ...

class Runner:
    def __new__(
        cls, device: Device, program: Program, region: Any, wraps: bool, parameters: _Fields
    ) -> Runner: ...
    def set_parameters(self, parameters: _Fields) -> None: ...
    def update(self, particles: _Fields, beside: list[_Fields], empty: _Empty) -> _Fields: ...
    def measure(
        self, particles: _Fields, beside: list[_Fields]
    ) -> list[tuple[str, list[float]]]: ...

class Tuples:
    def __new__(
        cls,
        device: Device,
        program: Program,
        members: list[int],
        particles: int,
        records: _Fields,
        given: _Fields,
        parameters: _Fields,
    ) -> Tuples: ...
    def evaluate(self, particles: _Fields, empty: _Empty) -> _Fields: ...
    def __len__(self) -> int: ...

def address_of(array: Any) -> int: ...
def search_nvrtc_in(folder: str) -> None: ...
def declare(text: str) -> tuple[list[Law], list[Program]]: ...
def ready_names() -> list[tuple[str, str]]: ...
def source(name: str) -> Optional[str]: ...
def compiled_law(name: str) -> Optional[Law]: ...
def compiled_program(name: str) -> Optional[Program]: ...
def adjoint(
    text: str, name: str, results: list[str]
) -> tuple[list[tuple[str, str]], Optional[_Part], Optional[_Part], list[str]]: ...
def emit(
    law: Law, schedule: Optional[str], walk: Optional[str], given: _Fields
) -> tuple[str, str]: ...
def reference(
    law: Law,
    parameters: _Fields,
    region: Any,
    targets: _Fields,
    sources: Optional[_Fields],
    empty: _Empty,
) -> _Fields: ...
def compare(
    engine: Engine, targets: _Fields, sources: Optional[_Fields]
) -> tuple[bool, str, list[tuple[str, list[float], Optional[float]]]]: ...
def model(name: str, n: int, seed: int, dimension: float, empty: _Empty) -> _Fields: ...
