"""Arrays of every library, type, shape and stride: taken without a copy, or refused with a reason."""

import array
import gc
import weakref

import numpy
import pytest
from conftest import direct, library, particles
from hypothesis import given, settings
from hypothesis import strategies as st

import nbody

EPS2 = 1e-3


@pytest.fixture(scope="module")
def gravity():
    return nbody.AllPairs("gravity", device="cpu", eps2=EPS2)


def test_results_are_of_the_library_and_the_type_of_the_arguments(gravity, arrays):
    of, back = arrays
    for dtype, tolerance in (("float64", 1e-13), ("float32", 1e-5)):
        pos, mass = particles(100, dtype)
        field = gravity.evaluate(pos=of(pos), mass=of(mass))
        assert type(field.acc) is type(of(pos))
        acc, pot = back(field.acc), back(field.pot)
        assert (acc.dtype, acc.shape, pot.shape) == (dtype, (100, 3), (100,))
        expected = direct(pos.astype("float64"), mass.astype("float64"), EPS2)
        assert numpy.abs(acc - expected[0]).max() < tolerance * numpy.abs(expected[0]).max()
        assert numpy.abs(pot - expected[1]).max() < tolerance * numpy.abs(expected[1]).max()


def test_any_strides(gravity):
    pos, mass = particles(60)
    expected = gravity.evaluate(pos=pos, mass=mass).acc
    wide = numpy.zeros((60, 7))
    wide[:, 2:5] = pos
    turned = numpy.asfortranarray(pos)
    back = numpy.ascontiguousarray(pos[::-1])[::-1]
    axes = numpy.ascontiguousarray(pos[:, ::-1])[:, ::-1]
    every = numpy.repeat(pos, 3, axis=0)[::3]
    packed = numpy.zeros(60, dtype=[("id", "i1"), ("pos", "f8", 3), ("mass", "f8")])
    packed["pos"], packed["mass"] = pos, mass
    for given_pos in (wide[:, 2:5], turned, back, axes, every, packed["pos"]):
        for given_mass in (mass, numpy.repeat(mass, 2)[::2], packed["mass"], mass[:, None]):
            found = gravity.evaluate(pos=given_pos, mass=given_mass).acc
            assert (found == expected).all()


def test_one_number_stands_for_all(gravity):
    pos, _ = particles(50)
    expected = gravity.evaluate(pos=pos, mass=numpy.full(50, 0.5)).acc
    for mass in (0.5, numpy.float64(0.5), numpy.broadcast_to(0.5, 50), numpy.array(0.5)):
        assert (gravity.evaluate(pos=pos, mass=mass).acc == expected).all()


@pytest.mark.parametrize(
    "change, error, message",
    [
        (lambda pos, mass: {"pos": pos}, TypeError, "without a field `mass`: expected `pos`, `mass`"),
        (lambda pos, mass: {"pos": pos, "mass": mass, "m": mass}, TypeError, "no field `m`"),
        (lambda pos, mass: {}, TypeError, "give `pos`, `mass`"),
        (lambda pos, mass: {"pos": pos.T, "mass": mass}, ValueError, "give pos.T"),
        (lambda pos, mass: {"pos": pos[:, :2], "mass": mass}, ValueError, "expected (n, 3)"),
        (lambda pos, mass: {"pos": pos.ravel(), "mass": mass}, ValueError, "expected (n, 3)"),
        (lambda pos, mass: {"pos": 1.0, "mass": mass}, ValueError, "expected (n, 3)"),
        (lambda pos, mass: {"pos": pos, "mass": pos}, ValueError, "expected (n,)"),
        (lambda pos, mass: {"pos": pos, "mass": mass[:9]}, ValueError, "has 9 records"),
        (lambda pos, mass: {"pos": pos.astype("f2"), "mass": mass}, TypeError, '"e"'),
        (lambda pos, mass: {"pos": pos.astype("c16"), "mass": mass}, TypeError, '"Zd"'),
        (lambda pos, mass: {"pos": pos.astype(">f8"), "mass": mass}, TypeError, '">d"'),
        (lambda pos, mass: {"pos": pos.astype("i8"), "mass": mass}, ValueError, "float or double"),
        (lambda pos, mass: {"pos": pos > 0.5, "mass": mass}, TypeError, '"?"'),
        (lambda pos, mass: {"pos": pos.astype(object), "mass": mass}, TypeError, '"O"'),
        (lambda pos, mass: {"pos": pos.tolist(), "mass": mass}, TypeError, "found list"),
        (lambda pos, mass: {"pos": None, "mass": mass}, TypeError, "found NoneType"),
        (lambda pos, mass: {"pos": "pos", "mass": mass}, TypeError, "found str"),
    ],
)
def test_wrong_arrays_are_refused(gravity, change, error, message):
    pos, mass = particles(20)
    with pytest.raises(error) as refused:
        gravity.evaluate(change(pos, mass))
    assert message in str(refused.value)


def test_integers_of_every_type_that_fits():
    law = nbody.law(
        """
        pub struct Kinds;
        pub struct Atom { pub x: Real, pub kind: u32 }
        pub struct Sum { pub of_kind: Real, pub count: Count }
        impl Interaction for Kinds {
            type I = Atom; type J = Atom; type F = Sum;
            fn pair(&self, i: &Atom, j: &Atom, f: &mut Sum) {
                if i.kind == j.kind { f.of_kind += j.x; f.count += 1; }
            }
        }
        """
    )
    engine = nbody.AllPairs(law, device="cpu")
    x = numpy.arange(12.0)
    kinds = numpy.arange(12) % 3
    for dtype in ("i4", "u4", "i8", "u8"):
        found = engine.evaluate(x=x, kind=kinds.astype(dtype))
        assert (found.count == 3).all() and found.count.dtype == "int64"
        assert (found.of_kind == 18 + 4 * kinds - x).all()
    for dtype in ("u4", "i8", "u8"):
        # Beyond the numbers of int32.
        far = engine.evaluate(x=x, kind=(kinds + 3_000_000_000).astype(dtype))
        assert (far.of_kind == found.of_kind).all()
    for wrong in (-1, 2**32):
        with pytest.raises(ValueError, match=f"{wrong} in record 5, expected 0 to 4294967295"):
            engine.evaluate(x=x, kind=numpy.where(numpy.arange(12) == 5, wrong, kinds))
    with pytest.raises(ValueError, match="needs an integer type"):
        engine.evaluate(x=x, kind=x)
    with pytest.raises(TypeError, match='"h"'):
        engine.evaluate(x=x, kind=kinds.astype("i2"))


def test_results_are_written_in_place(gravity):
    pos, mass = particles(40)
    expected = gravity.evaluate(pos=pos, mass=mass)
    wide = numpy.zeros((40, 5))
    out = {"acc": wide[:, 1:4], "pot": numpy.zeros(40)}
    found = gravity.evaluate(pos=pos, mass=mass, out=out)
    assert found.acc is out["acc"]
    assert (wide[:, 1:4] == expected.acc).all() and (wide[:, [0, 4]] == 0).all()
    assert (out["pot"] == expected.pot).all()
    still = numpy.zeros((40, 3))
    still.flags.writeable = False
    for wrong, message in (
        ({"acc": still, "pot": numpy.zeros(40)}, "read only"),
        ({"acc": numpy.zeros((39, 3)), "pot": numpy.zeros(39)}, "39 records for 40"),
        ({"acc": numpy.zeros((40, 3)), "pot": 0.0}, "one number"),
        ({"acc": numpy.broadcast_to(0.0, (40, 3)), "pot": numpy.zeros(40)}, "read only"),
    ):
        with pytest.raises(ValueError, match=message):
            gravity.evaluate(pos=pos, mass=mass, out=wrong)
    overlapping = numpy.lib.stride_tricks.as_strided(numpy.zeros(42), (40, 3), (8, 8))
    with pytest.raises(ValueError, match="overlap"):
        gravity.evaluate(pos=pos, mass=mass, out={"acc": overlapping, "pot": numpy.zeros(40)})


def test_memory_is_shared_and_released(gravity):
    results = nbody._native.Engine.all_pairs(
        nbody.device("cpu"), nbody.law("gravity")._native, {}, {"eps2": EPS2}
    )
    pos, mass = particles(30)
    own = results.evaluate({"pos": pos, "mass": mass}, None, None, None)["acc"]
    address = own.__array_interface__["data"][0]
    first = numpy.asarray(own)
    assert first.__array_interface__["data"][0] == address and first.flags.writeable
    second = numpy.from_dlpack(own)
    assert second.__array_interface__["data"][0] == address
    with pytest.raises(BufferError, match="no stream"):
        own.__dlpack__(stream=1)
    capsule = own.__dlpack__(max_version=(1, 0))
    assert "dltensor_versioned" in repr(capsule)
    assert "dltensor_versioned" not in repr(own.__dlpack__())
    del own, capsule
    gc.collect()
    expected = gravity.evaluate(pos=pos, mass=mass).acc
    assert (first == expected).all()
    del first
    gc.collect()
    assert (second == expected).all()


def test_views_end_with_the_call(gravity):
    class Tracked(numpy.ndarray):
        pass

    pos, mass = particles(30)
    tracked = pos.view(Tracked)
    gone = weakref.ref(tracked)
    gravity.evaluate(pos=tracked, mass=mass)
    del tracked
    gc.collect()
    assert gone() is None
    # A buffer that is still viewed could not grow.
    numbers = array.array("d", [0.5] * 30)
    gravity.evaluate(pos=pos, mass=numbers)
    numbers.append(1.0)


def test_arrays_are_read_where_they_are(arrays):
    """The address that is read is that of the array's own memory."""
    of, _ = arrays
    pos, _ = particles(25)
    taken = of(pos)
    address = nbody._native.address_of(taken)
    if isinstance(taken, numpy.ndarray):
        assert address == taken.ctypes.data
    elif hasattr(taken, "data_ptr"):
        assert address == taken.data_ptr()
    elif hasattr(taken, "unsafe_buffer_pointer"):
        assert address == taken.unsafe_buffer_pointer()
    else:
        assert address == taken.data.ptr


def test_deleted_arrays_are_refused(gravity):
    of, _ = library("jax")
    pos, mass = particles(25)
    gone = of(pos.copy())
    gone.delete()
    with pytest.raises(ValueError, match="deleted"):
        gravity.evaluate(pos=gone, mass=of(mass))


NUMBERS = st.one_of(
    st.none(),
    st.floats(),
    st.integers(),
    st.text(max_size=3),
    st.builds(
        lambda shape, dtype, step: numpy.ones(shape, dtype)[(slice(None, None, step),) * len(shape)],
        st.lists(st.integers(0, 5), max_size=3).map(tuple),
        st.sampled_from(["f4", "f8", "f2", "i4", "i8", "u4", "c16", "?", "O", ">f8", "S2"]),
        st.sampled_from([1, 2, -1]),
    ),
)


@given(st.dictionaries(st.sampled_from(["pos", "mass", "vel"]), NUMBERS, max_size=3))
@settings(max_examples=300, deadline=None)
def test_whatever_is_given_is_computed_or_refused(given_fields):
    gravity = nbody.AllPairs("gravity", device="cpu", eps2=EPS2)
    try:
        field = gravity.evaluate(given_fields)
    except (TypeError, ValueError) as refused:
        assert str(refused)
        return
    assert set(given_fields) == {"pos", "mass"}
    n = len(given_fields["pos"])
    assert field.acc.shape == (n, 3) and field.pot.shape == (n,)


@pytest.mark.parametrize("device", ["cpu", "emulator"])
def test_integers_stand_for_all_particles(device):
    pos, _ = particles(40)
    four = numpy.ones((4, 4))
    options = {"sigma2": 0.01 * four, "epsilon": four, "cutoff": 0.4, "device": device}
    engine = nbody.ShortRange("lennard_jones", **options)
    for kind in (0, 3, numpy.int32(2), numpy.uint32(1)):
        expected = engine.evaluate(pos=pos, kind=numpy.full(40, kind, "int64"))
        found = engine.evaluate(pos=pos, kind=kind)
        assert all((found[name] == expected[name]).all() for name in expected)
    for wrong, error in ((0.5, ValueError), (-1, ValueError), (2**40, ValueError), (2**70, ValueError)):
        with pytest.raises(error, match="kind"):
            engine.evaluate(pos=pos, kind=wrong)
    gravity = nbody.AllPairs("gravity", eps2=1e-2, device=device)
    whole, real = (gravity.evaluate(pos=pos, mass=mass) for mass in (2, 2.0))
    assert (whole.acc == real.acc).all() and (real.acc != 0).any()
