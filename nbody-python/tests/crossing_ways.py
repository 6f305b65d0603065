"""Ways to evaluate a law: engines, options and arrays that tests cross."""

import importlib
import importlib.util
from typing import Any, Callable, NamedTuple, Optional

import numpy
from crossing_laws import LAWS, Crossed
from crossing_truth import Rounding, nearest_image, shifts, vectors_of

import nbody

#: Boxes of three lengths and of three vectors. Half of each length lies between the differences of
#: coordinates, which are multiples of 1/1024 but for a little noise, so that nearest images are certain.
LENGTHS = (1027 / 1024, 1157 / 1024, 1281 / 1024)
BOXES = {
    "one": LENGTHS[0],
    "three": LENGTHS,
    "vectors": (
        (LENGTHS[0], 0.0, 0.0),
        (200 / 1024, LENGTHS[1], 0.0),
        (-100 / 1024, 77 / 1024, LENGTHS[2]),
    ),
}
LIBRARIES = ["numpy", "memory", "torch", "jax"]

OPTIONS: dict[str, list[Any]] = {
    "engine": ["pairs", "tree", "lists", "rows"],
    "law": list(LAWS),
    "precision": [None, "single", "mixed", "double"],
    "math": [None, "fast", "exact"],
    "accumulation": [None, "direct", "blocked", "blocked_f64", "compensated"],
    "pairs": [None, "auto", "ordered", "symmetric"],
    "order": [None, (1, 1), (7, 3), (64, 2)],
    "box": [None, *BOXES],
    "reach": ["near", "far"],
    "excludes": [False, True],
    "dtype": ["float32", "float64", "both"],
    "layout": ["packed", "wide", "reversed", "fortran", "number", "still", "records"],
    "library": LIBRARIES,
    "sets": [1, 2],
    "out": [None, "same", "wide", "other"],
    "level": ["cpu", "cpu:scalar"],
    "n": [0, 1, 2, 31, 33, 127, 257],
}


class Way(NamedTuple):
    """A choice of each option."""

    engine: str
    law: str
    precision: Optional[str]
    math: Optional[str]
    accumulation: Optional[str]
    pairs: Optional[str]
    order: Optional[tuple]
    box: Optional[str]
    reach: str
    excludes: bool
    dtype: str
    layout: str
    library: str
    sets: int
    out: Optional[str]
    level: str
    n: int

    @property
    def crossed(self) -> Crossed:
        return LAWS[self.law]

    @property
    def count(self) -> int:
        """The number of targets: trees have more, so that distant cells act by few far particles."""
        return 4 * self.n if self.engine == "tree" else self.n

    @property
    def vectors(self) -> Any:
        return BOXES[self.box] if self.box else None

    @property
    def computed(self) -> str:
        """The precision of the engine."""
        return self.precision or ("single" if self.dtype == "float32" else "double")

    @property
    def has_images(self) -> bool:
        """Whether several images of a source act: not of pairs that are given, which have nearest images."""
        return self.reach == "far" and self.engine != "rows"

    @property
    def is_all(self) -> bool:
        """Whether all pairs act exactly, as in the reference."""
        return self.engine == "pairs" or self.engine == "lists" and not self.excludes

    @property
    def writes_double(self) -> bool:
        """Whether results are written in double precision."""
        return (self.dtype == "float32") == (self.out == "other")

    @property
    def rounding(self) -> Rounding:
        single, double = 2.0**-24, 2.0**-53
        results = double if self.writes_double else single
        # Lists have positions relative to the centre of a group.
        is_moved = self.box is not None or self.engine in ("lists", "rows")
        if self.computed == "single":
            return Rounding(single, single * is_moved, single, single)
        if self.computed == "double":
            return Rounding(double, double * is_moved, double, results)
        if self.math == "exact" or self.level == "emulator":
            return Rounding(single, 2.0**-48, single, single)
        # On the CPU the arithmetic of a pair is double, while sums may be single.
        if self.accumulation in ("direct", "blocked"):
            return Rounding(double, 2.0**-48, single, single)
        return Rounding(double, 2.0**-48, double, results)


def installed(library: str) -> str:
    """Returns the library, or numpy if it is missing, so that rows are the same everywhere."""
    return library if library == "memory" or importlib.util.find_spec(library) else "numpy"


def way_of(row: list, options: dict[str, list[Any]]) -> Way:
    """Returns the way of a row."""
    made = differing(row, options)
    return Way(**{**made, "library": installed(made["library"])})


def differing(row: list, options: dict[str, list[Any]]) -> dict[str, Any]:
    """Returns the choices that were made, by the names of their options."""
    named = zip(options.items(), row)
    return {name: choices[at] for (name, choices), at in named if at is not None}


def allows_of(options: dict[str, list[Any]]) -> Callable[[list], bool]:
    """Returns the test whether an engine evaluates with some choices; others are refused, or mean nothing."""

    def allows(row: list) -> bool:
        made = differing(row, options)
        return all(rule(made) for rule in RULES)

    return allows


def _if(name: str, values: Any, **then: Any) -> Any:
    """Returns the rule that a choice among some values needs other choices."""

    def rule(made: dict[str, Any]) -> bool:
        if name not in made or made[name] not in values:
            return True
        return all(other not in made or made[other] in allowed for other, allowed in then.items())

    return rule


CHARGED = [name for name, it in LAWS.items() if it.has_charges]
CUT = [name for name, it in LAWS.items() if it.cutoff]
RULES = [
    _if("engine", ["tree"], law=CHARGED, box=[None, "one", "three"], pairs=[None], reach=["near"]),
    _if("engine", ["lists"], law=CUT, pairs=[None]),
    _if("engine", ["rows"], pairs=[None]),
    _if("excludes", [True], engine=["lists"], reach=["near"]),
    _if("reach", ["far"], law=CUT, box=["one", "three", "vectors"], n=[0, 1, 2, 31, 33]),
    # Cutoffs of each particle: lists refuse boxes that are shorter than two of them.
    lambda made: "lists far density".split() != [made.get(it) for it in ("engine", "reach", "law")],
    _if("library", ["torch"], layout=["packed", "wide", "fortran", "number"]),
    _if("library", ["jax"], layout=["packed", "number"], out=[None]),
]


class Sets(NamedTuple):
    """Particles in double precision: the numbers that the arrays have, and the arrays."""

    parameters: dict
    targets: dict
    #: The sources; of one set the targets.
    sources: dict
    given: Any
    given_sources: Any


def positions(random: Any, n: int, crossed: Crossed, box: Any) -> Any:
    """Returns distinct sites of a lattice with displacements, some of them a length of the box away."""
    side, width = {(3, False): (7, 30), (3, True): (11, 18), (2, False): (17, 12), (2, True): (35, 5)}[
        crossed.dimensions, n > 257
    ]
    sites = random.permutation(side**crossed.dimensions)[:n]
    grid = numpy.stack(numpy.unravel_index(sites, (side,) * crossed.dimensions), -1)
    found = numpy.rint((grid + 0.5) / side * 1024) + random.integers(-width, width + 1, grid.shape)
    found = found / 1024 + random.uniform(-1e-5, 1e-5, grid.shape)
    moved = vectors_of(LENGTHS if box is None else box)[0, : crossed.dimensions]
    found[::5] += moved
    return found


def clear(distances: Any, nominal: float) -> float:
    """Returns a number of 24 bits near this one that no distance is near to."""
    for k in range(1000):
        found = float(numpy.float32(nominal * (1 + 2e-4 * k)))
        if not (abs(distances / found - 1) < 5e-6).any():
            return found
    raise AssertionError("no gap between the distances")


def field(random: Any, name: str, n: int) -> Any:
    if name == "kind":
        return random.integers(0, 3, n)
    if name == "charge":
        return random.uniform(-1, 1, n)
    return random.uniform(0.5, 1.5, n)


def is_number(name: str) -> bool:
    return name not in ("pos", "kind")


def particles(random: Any, way: Way, n: int, fields: list) -> dict:
    """Returns the fields of particles as the arrays of a way hold them, in double precision."""
    made = {}
    for name in fields:
        if name == "pos":
            made[name] = positions(random, n, way.crossed, way.vectors)
        elif way.layout == "number" and is_number(name):
            made[name] = numpy.full(n, 0.75)
        else:
            made[name] = field(random, name, n)
        if name != "kind" and (way.dtype == "float32" or way.dtype == "both" and name != "pos"):
            made[name] = made[name].astype("float32").astype("float64")
    return made


def rounded(way: Way, made: dict) -> dict:
    """Returns the numbers that the engine computes with."""
    keeps = {"single": [], "mixed": ["pos"], "double": list(made)}[way.computed]
    return {
        name: values if name in keeps or name == "kind" else values.astype("float32").astype("float64")
        for name, values in made.items()
    }


def distances(way: Way, i: dict, j: dict) -> Any:
    """Returns all distances, of images too if cutoffs reach them."""
    d = nearest_image(way.vectors, i["pos"][:, None] - j["pos"][None])
    if way.has_images:
        moved = shifts(way.vectors, d.shape[-1])
        d = (d[:, None] + moved[None, :, None]).reshape(len(d), len(moved) * d.shape[1], d.shape[-1])
    return numpy.sqrt((d * d).sum(-1))


def sets_of(way: Way, random: Any) -> Sets:
    """Returns the particles of a way, with cutoffs that no distance is near to."""
    law = way.crossed.law
    of_i, of_j = list(law.targets), list(law.sources)
    if way.sets == 1:
        i = particles(random, way, way.count, list(dict.fromkeys(of_i + of_j)))
        j = i
    else:
        i = particles(random, way, way.count, of_i)
        count = int(random.choice([0, 1, 40, 129])) * (4 if way.engine == "tree" else 1)
        j = particles(random, way, count, of_j)
    between = distances(way, rounded(way, i), rounded(way, j))
    parameters = dict(way.crossed.parameters)
    reach = 0.3 if way.reach == "near" else 0.7
    for name in ("cutoff", "reach"):
        if name in parameters:
            parameters[name] = clear(between, reach)
    if "radius2" in parameters:
        parameters["radius2"] = clear(between**2, 0.09)
    if "h" in i:
        cuts = [1.5] if way.layout == "number" else [1.5, 1.25, 1.75]
        own = [clear(between, reach * cut / 2) / 2 for cut in cuts]
        i["h"] = numpy.resize(own, way.count)
    given = {name: laid_out(way, name, values) for name, values in i.items()}
    if way.sets == 1:
        return Sets(parameters, i, j, given, None)
    given_sources = {name: laid_out(way, name, values) for name, values in j.items()}
    return Sets(parameters, i, j, given, given_sources)


def laid_out(way: Way, name: str, values: Any) -> Any:
    """Returns the array of a field, of a library, a type and a layout."""
    if name == "kind":
        array = values.astype(("int32", "uint32", "int64", "uint64")[way.n % 4])
    else:
        is_single = way.dtype == "float32" or way.dtype == "both" and name != "pos"
        array = values.astype("float32" if is_single else "float64")
    if way.library in ("torch", "jax") and array.dtype.kind == "u":
        array = array.astype("int64")
    if way.layout == "number" and is_number(name):
        number = float(values[0]) if len(values) else 0.75
        return (number, numpy.float64(number), numpy.array(number))[way.n % 3]
    array = LAYOUTS[way.layout](array)
    return of_library(way.library, array)


def _wide(array: Any) -> Any:
    """Returns every second row of a part of the columns of a wider array, which is filled with 77."""
    width = array.shape[1] if array.ndim == 2 else 1
    whole = numpy.full((2 * len(array), width + 3), 77, array.dtype)
    part = whole[::2, 1 : 1 + width]
    part[...] = array.reshape(len(array), width)
    return part if array.ndim == 2 else part[:, 0]


def _reversed(array: Any) -> Any:
    return numpy.ascontiguousarray(array[::-1])[::-1]


def _still(array: Any) -> Any:
    still = array.copy()
    still.flags.writeable = False
    return still


def _records(array: Any) -> Any:
    """Returns a field of records that are packed without alignment."""
    packed = numpy.zeros(len(array), [("flag", "i1"), ("it", array.dtype, array.shape[1:])])
    packed["it"] = array
    return packed["it"]


LAYOUTS = {
    "packed": lambda array: array,
    "number": lambda array: array,
    "wide": _wide,
    "reversed": _reversed,
    "fortran": numpy.asfortranarray,
    "still": _still,
    "records": _records,
}


def of_library(library: str, array: Any) -> Any:
    if library == "numpy":
        return array
    if library == "memory":
        return memoryview(array)
    module = importlib.import_module(library)
    if library == "torch":
        return module.from_numpy(array)
    module.config.update("jax_enable_x64", True)
    return module.device_put(array, module.devices("cpu")[0])


def results_of(way: Way, law: nbody.Law) -> dict:
    """Returns arrays of numpy for results."""
    real = "float64" if way.writes_double else "float32"
    kinds = (real, "int32" if way.out == "other" else "int64")
    made = {}
    for name, count, is_integer in law._native.columns:
        empty = numpy.full((way.count, count) if count else way.count, 7, kinds[is_integer])
        made[name] = _wide(empty) if way.out == "wide" else empty
    return made


#: The angle that opens cells of trees.
THETA = 0.9


def engine_of(way: Way, parameters: dict, rows: Any, box: Any, theta: float = THETA) -> nbody.Engine:
    """Returns the engine of a way."""
    names = ("precision", "math", "accumulation", "order")
    given = {name: getattr(way, name) for name in names}
    given.update(device=way.level, box=box, parameters=parameters)
    law = way.crossed.law
    if way.engine == "pairs":
        return nbody.AllPairs(law, pairs=way.pairs, **given)
    if way.engine == "tree":
        return nbody.Tree(law, theta=theta, **given)
    return nbody.ShortRange(law, rows=rows, **given)
