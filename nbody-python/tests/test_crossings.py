"""Engines with every option, law and array: any three choices meet, and results are those of numpy."""

import collections
import itertools

import numpy
from covering import Covering
from crossing_truth import error_of, expected, pairs_of
from crossing_ways import (
    OPTIONS,
    THETA,
    allows_of,
    engine_of,
    of_library,
    results_of,
    rounded,
    sets_of,
    way_of,
)

import nbody


def rows_of(way, random, sources):
    """Returns pairs as a matrix and as compressed rows, or `None` for all."""
    if way.engine != "rows":
        return None, None
    given = random.random((way.count, sources)) < 0.4
    if way.sets == 1:
        numpy.fill_diagonal(given, way.crossed.self_pairs)
    offsets = numpy.concatenate([[0], given.sum(1).cumsum()])
    return given, (offsets.tolist(), numpy.nonzero(given)[1].tolist())


def excluded_of(way, random, sources):
    """Returns pairs to leave out, and the matrix of the pairs that stay."""
    stays = numpy.ones((way.count, sources), bool)
    if not way.excludes or stays.size == 0:
        return [], stays
    pairs = numpy.stack([random.integers(0, n, 60) for n in stays.shape], 1)
    if way.sets == 1:
        pairs = pairs[pairs[:, 0] != pairs[:, 1]]
        stays[pairs[:, 1], pairs[:, 0]] = False
    stays[pairs[:, 0], pairs[:, 1]] = False
    return pairs.tolist(), stays


def evaluated(engine, sets, out=None):
    """Evaluates, by position or by name."""
    if sets.given_sources is not None:
        return engine.evaluate(sets.given, sets.given_sources, out=out)
    if len(sets.targets["pos"]) % 2:
        return engine.evaluate(out=out, **sets.given)
    return engine.evaluate(sets.given, out=out)


def numbers(results):
    """Returns results as arrays of numpy."""
    return {name: numpy.asarray(results[name]).copy() for name in results}


def same_bits(one, other):
    return all(one[name].tobytes() == other[name].tobytes() for name in one)


class Case:
    """A way, its particles and the pairs that act."""

    def __init__(self, way, seed):
        self.way = way
        random = numpy.random.default_rng(seed)
        self.sets = sets_of(way, random)
        sources = len(self.sets.sources["pos"])
        given, self.rows = rows_of(way, random, sources)
        self.excluded, stays = excluded_of(way, random, sources)
        self.given = stays if given is None else given
        self.sources = sources

    def reference(self):
        way, sets = self.way, self.sets
        given = {"parameters": sets.parameters, "box": way.vectors}
        return nbody.reference(way.crossed.law, sets.given, sets.given_sources, **given)

    def truth(self):
        way, sets = self.way, self.sets
        i, j = rounded(way, sets.targets), rounded(way, sets.sources)
        pairs = pairs_of(
            way.crossed,
            sets.parameters,
            i,
            j,
            is_one_set=way.sets == 1,
            box=way.vectors,
            has_images=way.has_images,
            acts=self.given,
        )
        return expected(way.crossed, sets.parameters, i, j, pairs, way.rounding)

    def engine(self):
        engine = engine_of(self.way, self.sets.parameters, self.rows, self.way.vectors)
        if self.excluded:
            engine.exclude(self.excluded)
        return engine

    def changed_engine(self):
        """Returns an engine that had other parameters, another box, opening and exclusions before."""
        way = self.way
        others = {name: numpy.multiply(it, 0.5).tolist() for name, it in self.sets.parameters.items()}
        engine = engine_of(way, others, self.rows, None if way.box else 2.5, theta=0.3)
        if way.engine == "lists":
            engine.exclude([[0, way.n - 1]] if way.sets == 1 and way.n > 1 else [])
        if way.math != "fast":
            # Otherwise the engine of the precision is created after the changes.
            evaluated(engine, self.sets)
        engine.set_parameters(**self.sets.parameters)
        engine.set_box(way.vectors)
        if way.engine == "tree":
            engine.set_opening(theta=THETA)
        if way.engine == "lists":
            engine.exclude(self.excluded)
        return engine


def check_types(way, results):
    """Checks the library and the types of new results."""
    library = "numpy" if way.library == "memory" else way.library
    real = "float32" if way.dtype == "float32" else "float64"
    for name, count, is_integer in way.crossed.law._native.columns:
        array = results[name]
        assert type(array).__module__.partition(".")[0] in (library, library + "lib"), name
        assert str(array.dtype).endswith("int64" if is_integer else real), (name, array.dtype)
        assert tuple(array.shape) == ((way.count, count) if count else (way.count,)), name


def check_out(way, out, written, results):
    """Checks that the arrays of `out` were returned, and that nothing beside them was written."""
    for name, array in written.items():
        assert results[name] is out[name]
        if way.out == "wide":
            part = array if array.ndim == 2 else array[:, None]
            rest = array.base.copy()
            rest[::2, 1 : 1 + part.shape[1]] = 77
            assert (rest == 77).all() and (array.base[::2, 1 : 1 + part.shape[1]] == part).all(), name


def first_results(way, engine, sets):
    """Evaluates into new arrays or into arrays of the caller, and checks these."""
    if way.out is None:
        results = evaluated(engine, sets)
        check_types(way, results)
        return numbers(results)
    written = results_of(way, way.crossed.law)
    library = "torch" if way.library == "torch" else "numpy"
    out = {name: of_library(library, array) for name, array in written.items()}
    check_out(way, out, written, evaluated(engine, sets, out))
    return written


def allowed(way, bounded):
    """Returns the bound of the errors of an engine; that of a tree has the errors of its far particles."""
    if way.engine != "tree":
        return bounded
    size = bounded.size
    if size.ndim == 2:
        size = numpy.sqrt((size * size).sum(1, keepdims=True))
    return bounded._replace(bound=bounded.bound + 0.02 * THETA**3 * size)


def check_results(way, found, case, seen):
    """Compares results with those of numpy."""
    truth = case.truth()
    assert {name.partition(".")[0] for name in found} == set(truth)
    is_far = False
    for name, bounded in truth.items():
        error = error_of(found, name, allowed(way, bounded), case.sources)
        assert error <= 1, (name, error)
        if way.engine == "tree":
            is_far = is_far or error_of(found, name, bounded, case.sources) > 1
        elif bounded.size is not None and way.count > 2:
            seen.errors[way.computed] = max(seen.errors[way.computed], error)
    seen.far += is_far
    if way.computed == "double" and way.is_all:
        reference = numbers(case.reference())
        for name, bounded in truth.items():
            assert error_of(reference, name, bounded, case.sources) <= 1, ("reference", name)


def check_comparison(way, engine, case):
    """Checks the numbers of a comparison, which are those of an evaluation."""
    report = engine.compare(case.sets.given, case.sets.given_sources)
    assert set(report.fields) == set(way.crossed.law.results)
    for name, it in report.fields.items():
        assert 0 <= it["median"] <= it["max"] < numpy.inf and 0 <= it["rms"] <= it["max"], (name, it)
        assert it["of_bound"] <= 1, (name, it)
    if way.count > 2 and case.sources > 2 and way.law == "gravity" and way.computed != "mixed":
        error = max(it["max"] for it in report.fields.values())
        assert (error > 1e-9) == (way.computed == "single"), error
    assert report.passes, report


def check_bits(way, engine, case):
    """Checks that an engine that was used before has the results of a new one to the last bit."""
    fresh = numbers(evaluated(case.engine(), case.sets))
    assert same_bits(numbers(evaluated(engine, case.sets)), fresh), "again"
    assert same_bits(numbers(evaluated(case.changed_engine(), case.sets)), fresh), "changed"


def check(way, seed, seen):
    """Checks everything of a way."""
    case = Case(way, seed)
    before = {name: numpy.asarray(it).tobytes() for name, it in case.sets.given.items()}
    engine = case.engine()
    found = first_results(way, engine, case.sets)
    after = {name: numpy.asarray(it).tobytes() for name, it in case.sets.given.items()}
    assert after == before, "arguments have changed"
    check_results(way, found, case, seen)
    check_bits(way, engine, case)
    if way.is_all:
        check_comparison(way, engine, case)
    seen.ways += 1


class Seen:
    """What the ways of a test had."""

    def __init__(self):
        self.ways = 0
        #: The number of trees whose far particles acted.
        self.far = 0
        #: The largest errors of sums in units of their bounds.
        self.errors = collections.Counter()


def check_all(strength, options):
    """Checks the rows of a covering array; returns what they had."""
    covering = Covering([len(choices) for choices in options.values()], strength, allows_of(options))
    seen, failures = Seen(), []
    rows = covering.rows()
    for seed, row in enumerate(rows):
        way = way_of(row, options)
        try:
            with numpy.errstate(all="ignore"):
                check(way, seed, seen)
        except Exception as error:
            failures.append(f"{way}: {type(error).__name__}: {error}")
    assert not failures, f"{len(failures)} of {len(rows)}: " + "\n".join(failures[:5])
    assert seen.ways == len(rows)
    return seen


def test_any_choices_that_may_meet_do_so():
    options, strength = [2, 3, 4, 2, 3], 3
    # The third option depends on the first.
    covering = Covering(options, strength, lambda row: not (row[0] == 0 and row[2] in (2, 3)))
    rows = covering.rows()
    assert rows == covering.rows() and all(covering.allows(row) for row in rows)
    met = {it for row in rows for it in itertools.combinations(enumerate(row), strength)}
    for some in itertools.combinations(range(len(options)), strength):
        for choices in itertools.product(*(range(options[k]) for k in some)):
            is_allowed = not ((0, 0) in zip(some, choices) and {(2, 2), (2, 3)} & set(zip(some, choices)))
            assert (tuple(zip(some, choices)) in met) == is_allowed
    assert len(rows) < 60


def test_engines_of_the_cpu_have_the_results_of_numpy():
    """Any three choices meet."""
    seen = check_all(3, OPTIONS)
    assert seen.ways > 500 and seen.far > 8
    # The bounds say something: errors of all precisions are near them.
    assert all(seen.errors[it] > 0.05 for it in ("single", "mixed", "double")), seen.errors


def test_programs_of_the_emulator_have_the_results_of_numpy():
    """Any two choices meet."""
    options = {**OPTIONS, "level": ["emulator"], "n": [0, 1, 33, 127]}
    seen = check_all(2, options)
    assert seen.ways > 40
    assert seen.errors["single"] > 0.05, seen.errors


def test_a_comparison_fails_where_pairs_are_missing():
    pos = numpy.random.default_rng(1).random((40, 3))
    every = ~numpy.eye(40, dtype=bool)
    missing = every.copy()
    missing[7, 30] = False
    for given, passes in ((every, True), (missing, False)):
        rows = (numpy.concatenate([[0], given.sum(1).cumsum()]).tolist(), numpy.nonzero(given)[1].tolist())
        for precision in ("single", "mixed", "double"):
            engine = nbody.ShortRange("gravity", eps2=0.01, rows=rows, precision=precision, device="cpu")
            report = engine.compare(pos=pos, mass=1.0)
            assert report.passes == passes, report
            assert all((it["of_bound"] <= 1) == passes for it in report.fields.values()), report


def test_exact_mathematics_has_the_bits_of_every_device():
    """The bits depend on the order of sums; those of fast mathematics are others."""
    options = {
        **OPTIONS,
        "engine": ["pairs", "tree", "lists"],
        "law": ["gravity", "stress"],
        "precision": ["single", "mixed", "double"],
        "math": ["exact"],
        "order": [(7, 3), (64, 2)],
        "dtype": ["float64"],
        "n": [33, 127],
        "reach": ["near"],
        **{name: OPTIONS[name][:1] for name in ("layout", "library", "out", "level")},
    }
    covering = Covering([len(choices) for choices in options.values()], 2, allows_of(options))
    ways = [way_of(row, options) for row in covering.rows()]
    other_order = other_math = 0
    for seed, way in enumerate(ways):
        case = Case(way, seed)
        bits = numbers(evaluated(case.engine(), case.sets))
        for level in ("cpu:scalar", "emulator"):
            case.way = way._replace(level=level)
            assert same_bits(numbers(evaluated(case.engine(), case.sets)), bits), case.way
        case.way = way._replace(order=(1, 1))
        other_order += not same_bits(numbers(evaluated(case.engine(), case.sets)), bits)
        case.way = way._replace(math="fast")
        other_math += not same_bits(numbers(evaluated(case.engine(), case.sets)), bits)
    assert len(ways) > 15 and other_order > len(ways) / 4 and other_math > len(ways) / 2


def test_engines_that_are_created_after_changes_have_them():
    """Arrays of a precision that was not used before need an engine of their own."""
    random = numpy.random.default_rng(1)
    pos, mass = random.random((1000, 3)), random.random(1000)
    fields = [{"pos": pos.astype(it), "mass": mass.astype(it)} for it in ("float32", "float64")]
    for first, then in (fields, fields[::-1]):
        tree = nbody.Tree("gravity", eps2=1.0, theta=0.3, device="cpu")
        tree.evaluate(first)
        tree.set_parameters(eps2=0.01)
        tree.set_opening(theta=1.2, expansion="monopole")
        tree.set_box(1.5)
        fresh = nbody.Tree(
            "gravity", eps2=0.01, theta=1.2, expansion="monopole", box=1.5, device="cpu"
        )
        for it in (then, first):
            assert same_bits(numbers(tree.evaluate(it)), numbers(fresh.evaluate(it)))
        near = nbody.Tree("gravity", eps2=0.01, theta=0.3, box=1.5, device="cpu")
        assert not same_bits(numbers(tree.evaluate(then)), numbers(near.evaluate(then)))
