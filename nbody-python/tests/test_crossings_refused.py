"""Options that engines refuse, among all others: a documented error, never numbers."""

import importlib.util

import numpy
import pytest
from covering import Covering
from crossing_ways import CHARGED, CUT, OPTIONS, RULES, differing, engine_of, way_of
from test_crossings import Case, evaluated, numbers, same_bits

import nbody

UNCHARGED = [name for name in OPTIONS["law"] if name not in CHARGED]
UNCUT = [name for name in OPTIONS["law"] if name not in CUT]
SMALL = {"n": [2, 33], "library": ["numpy"], "layout": ["packed", "records"], "out": [None]}

#: Options that are refused, each with the error and a part of its message.
WAYS = {
    "a tree without charges": (
        {"engine": ["tree"], "law": UNCHARGED, "box": [None, "one"], "pairs": [None], "reach": ["near"]},
        nbody.UnsupportedError,
        "has no tree",
    ),
    "a tree in a triclinic box": (
        {"engine": ["tree"], "law": CHARGED, "box": ["vectors"], "pairs": [None], "reach": ["near"]},
        nbody.UnsupportedError,
        "triclinic",
    ),
    "lists without a cutoff": (
        {"engine": ["lists"], "law": UNCUT, "pairs": [None], "reach": ["near"]},
        nbody.UnsupportedError,
        "no cutoff",
    ),
    "lists of cutoffs of particles in a short box": (
        {"engine": ["lists"], "law": ["density"], "pairs": [None], "reach": ["far"]},
        ValueError,
        "cutoff",
    ),
    "excluded pairs in a short box": (
        {"engine": ["lists"], "law": ["stress", "seen"], "reach": ["far"], "excludes": [True], "sets": [1]},
        ValueError,
        "cutoff",
    ),
}


def ways(choices, strength=2):
    """Returns ways with these choices, such that any few of the others meet."""
    options = {**OPTIONS, **SMALL, "excludes": [False], **choices}
    options["box"] = [it for it in options["box"] if it or options["reach"] != ["far"]]
    if options["engine"] != ["pairs"]:
        options["pairs"] = [None]
    covering = Covering([len(it) for it in options.values()], strength, lambda row: True)
    return [way_of(row, options) for row in covering.rows()]


@pytest.mark.parametrize("name", WAYS)
def test_what_an_engine_cannot_do_is_refused(name):
    choices, error, message = WAYS[name]
    refused = ways(choices)
    assert len(refused) > 10
    for seed, way in enumerate(refused):
        made = differing([OPTIONS[it].index(getattr(way, it)) for it in OPTIONS], OPTIONS)
        assert not all(rule(made) for rule in RULES), way
        case = Case(way, seed)
        if way.excludes:
            case.excluded = [[0, 1]]
        with pytest.raises(error) as raised, numpy.errstate(all="ignore"):
            evaluated(case.engine(), case.sets)
        assert message in str(raised.value), (way, raised.value)


def given(**choices):
    """Returns a few ways of an engine with these choices."""
    return ways({"law": ["gravity"], "sets": [1], "reach": ["near"], **choices}, strength=1)


def wrong_arrays(sets, n):
    """Returns arguments that are wrong, with the error."""
    arrays = sets.given
    pos, mass = arrays["pos"], arrays["mass"]
    yield {**arrays, "mass": mass[: n - 1]}, ValueError, "records"
    yield {**arrays, "pos": pos.astype("float16")}, TypeError, "float32 or float64"
    yield {**arrays, "pos": pos.astype("complex128")}, TypeError, "float32 or float64"
    yield {**arrays, "pos": pos.astype("int64")}, ValueError, "float"
    yield {**arrays, "pos": pos[:, :2]}, ValueError, "expected (n, 3)"
    yield {**arrays, "pos": numpy.array(pos).T[:, :2]}, ValueError, "expected (n, 3)"
    yield {**arrays, "vel": pos}, TypeError, "no field `vel`"
    yield {"pos": pos}, TypeError, "without a field `mass`"
    yield {}, TypeError, "give `pos`, `mass`"
    yield {**arrays, "mass": "1"}, TypeError, "found str"


def wrong_results(n):
    """Returns arrays of results that are wrong, with the error."""
    acc, pot = numpy.full((n, 3), 7.0), numpy.full(n, 7.0)
    still = acc.copy()
    still.flags.writeable = False
    yield {"acc": still, "pot": pot}, ValueError, "read only"
    yield {"acc": memoryview(still), "pot": pot}, ValueError, "read only"
    yield {"acc": acc[:-1], "pot": pot}, ValueError, "records"
    yield {"acc": acc[:-1], "pot": pot[:-1]}, ValueError, "for"
    yield {"acc": acc, "pot": 0.0}, ValueError, "one number"
    yield {"acc": acc, "pot": pot.astype("float16")}, TypeError, "float32 or float64"
    yield {"acc": acc, "potential": pot}, TypeError, "no field"
    yield {"acc": acc, "pot": numpy.broadcast_to(0.0, n)}, ValueError, "read only"
    overlapping = numpy.lib.stride_tricks.as_strided(numpy.full(n + 2, 7.0), (n, 3), (8, 8))
    yield {"acc": overlapping, "pot": pot}, ValueError, "overlap"
    if importlib.util.find_spec("jax"):
        import jax

        constant = jax.device_put(numpy.float32(pot), jax.devices("cpu")[0])
        yield {"acc": acc, "pot": constant}, ValueError, "read only"


def test_wrong_arrays_are_refused_by_every_engine():
    count = 0
    for seed, way in enumerate(given(engine=["pairs", "tree", "rows"], box=[None, "one"], pairs=[None])):
        case = Case(way, seed)
        engine, n = case.engine(), way.count
        before = numbers(evaluated(engine, case.sets))
        for arguments, error, message in wrong_arrays(case.sets, n):
            with pytest.raises(error) as raised:
                engine.evaluate(arguments)
            assert message in str(raised.value), (way, raised.value)
            count += 1
        for out, error, message in wrong_results(n):
            with pytest.raises(error) as raised:
                engine.evaluate(case.sets.given, out=out)
            assert message in str(raised.value), (way, raised.value)
            assert all((numpy.asarray(it) == 7).all() for name, it in out.items() if numpy.ndim(it) == 2)
            count += 1
        # An engine that refused has its results afterwards.
        assert same_bits(numbers(evaluated(engine, case.sets)), before)
    assert count > 90


@pytest.mark.parametrize(
    "change, error",
    [
        ({"precision": "half"}, ValueError),
        ({"math": "slow"}, ValueError),
        ({"accumulation": "kahan"}, ValueError),
        ({"pairs": "some"}, ValueError),
        ({"order": (0, 1)}, ValueError),
        ({"order": (1, 0)}, ValueError),
        ({"order": (-1, 1)}, OverflowError),
        ({"order": 3}, TypeError),
    ],
)
def test_wrong_options_are_refused_by_every_engine(change, error):
    name = next(iter(change))
    for way in given(engine=["pairs"] if name == "pairs" else ["pairs", "tree", "rows"]):
        if way.engine == "tree" and way.box == "vectors":
            continue
        rows = ([0], []) if way.engine == "rows" else None
        with pytest.raises(error):
            engine_of(way._replace(**change), {"eps2": 0.1}, rows, way.vectors)


@pytest.mark.parametrize(
    "box, error",
    [
        (-1.0, ValueError),
        (0.0, ValueError),
        (float("nan"), ValueError),
        ([1.0, 2.0], ValueError),
        ([1.0, 2.0, -3.0], ValueError),
        ([[1, 0, 0], [0, 1, 0]], ValueError),
        ([[1, 0, 0], [0.7, 1, 0], [0, 0, 1]], ValueError),
        ([[1, 0.1, 0], [0, 1, 0], [0, 0, 1]], ValueError),
        ("long", TypeError),
    ],
)
def test_a_box_that_is_refused_changes_nothing(box, error):
    pos = numpy.random.default_rng(1).random((40, 3))
    both = [{"pos": pos.astype(dtype), "mass": 1.0} for dtype in ("float32", "float64")]
    for kind, given in ((nbody.AllPairs, {}), (nbody.Tree, {"theta": 0.5})):
        engine = kind("gravity", eps2=0.01, device="cpu", box=2.0, **given)
        before = [numbers(engine.evaluate(it)) for it in both]
        with pytest.raises(error):
            engine.set_box(box)
        for arrays, results in zip(both, before):
            assert same_bits(numbers(engine.evaluate(arrays)), results), (kind, arrays["pos"].dtype)


def test_parameters_that_are_refused_change_nothing():
    pos = numpy.random.default_rng(1).random((40, 3))
    tree = nbody.Tree("gravity", eps2=0.01, theta=0.5, device="cpu")
    before = numbers(tree.evaluate(pos=pos, mass=1.0))
    for wrong, error in (
        ({"eps2": float("nan")}, nbody.NumbersError),
        ({"eps": 1.0}, TypeError),
        ({"eps2": "1"}, TypeError),
        ({"eps2": [1.0, 2.0]}, ValueError),
    ):
        with pytest.raises(error):
            tree.set_parameters(**wrong)
    for wrong, error in (
        ({"theta": -1.0}, ValueError),
        ({"theta": float("nan")}, ValueError),
        ({"theta": 0.5, "relative": 0.1}, TypeError),
        ({"theta": 0.5, "expansion": "third"}, ValueError),
    ):
        with pytest.raises(error):
            tree.set_opening(**wrong)
    assert same_bits(numbers(tree.evaluate(pos=pos, mass=1.0)), before)
    assert repr(tree) == "nbody.Tree('gravity', eps2=0.01)"


def test_a_skin_that_is_no_length_is_refused():
    pos = numpy.random.default_rng(1).random((3, 3))
    parameters = {"sigma2": 0.01, "epsilon": 1.0, "cutoff": 0.5}
    for skin in (-0.1, float("nan"), float("inf")):
        with pytest.raises(ValueError, match="skin"):
            nbody.ShortRange("lennard_jones_stress", skin=skin, device="cpu", **parameters).evaluate(pos=pos)


def test_rows_of_other_particles_are_refused():
    pos = numpy.random.default_rng(1).random((3, 3))
    for rows, error, message in (
        (([0, 1], [0]), ValueError, "expected 3"),
        (([0, 1, 1, 1], [5]), ValueError, "names particle 5"),
        (([1, 1, 1, 1], [0]), ValueError, "offsets"),
        (([0, 1, 0, 1], [0]), ValueError, "offsets"),
        (([0, 1, 1, 2], [0]), ValueError, "offsets"),
        (([0, -1, 0, 0], [0]), OverflowError, "negative"),
    ):
        with pytest.raises(error, match=message):
            nbody.ShortRange("gravity", eps2=0.1, rows=rows, device="cpu").evaluate(pos=pos, mass=1.0)
