"""Arrays by capsules of DLPack that no library makes: with an offset, read only, of other versions and types."""

import ctypes

import numpy
import pytest

import nbody

READ_ONLY = 1
CPU, FLOAT = 1, 2


class Tensor(ctypes.Structure):
    _fields_ = [
        ("data", ctypes.c_void_p),
        ("device", ctypes.c_int32 * 2),
        ("ndim", ctypes.c_int32),
        ("code", ctypes.c_uint8),
        ("bits", ctypes.c_uint8),
        ("lanes", ctypes.c_uint16),
        ("shape", ctypes.POINTER(ctypes.c_int64)),
        ("strides", ctypes.POINTER(ctypes.c_int64)),
        ("byte_offset", ctypes.c_uint64),
    ]


DELETE = ctypes.CFUNCTYPE(None, ctypes.c_void_p)


class Versioned(ctypes.Structure):
    _fields_ = [
        ("version", ctypes.c_uint32 * 2),
        ("context", ctypes.c_void_p),
        ("deleter", DELETE),
        ("flags", ctypes.c_uint64),
        ("tensor", Tensor),
    ]


class Managed(ctypes.Structure):
    _fields_ = [("tensor", Tensor), ("context", ctypes.c_void_p), ("deleter", DELETE)]


class Shared:
    """An array that is given out by a capsule alone."""

    def __init__(self, array, *, offset=0, flags=0, version=(1, 0), strides=True, is_old=False, **changes):
        self.array, self.deleted = array, 0
        axes = array.ndim
        tensor = Tensor()
        tensor.data = array.ctypes.data - offset
        tensor.byte_offset = offset
        tensor.device[:] = changes.get("device", (CPU, 0))
        tensor.ndim = axes
        tensor.code, tensor.bits = changes.get("code", FLOAT), 8 * array.itemsize
        tensor.lanes = changes.get("lanes", 1)
        self.shape = (ctypes.c_int64 * max(axes, 1))(*array.shape)
        self.strides = (ctypes.c_int64 * max(axes, 1))(*(it // array.itemsize for it in array.strides))
        tensor.shape = ctypes.cast(self.shape, ctypes.POINTER(ctypes.c_int64))
        if strides:
            tensor.strides = ctypes.cast(self.strides, ctypes.POINTER(ctypes.c_int64))
        self.delete = DELETE(self._delete)
        if is_old:
            self.managed, self.name = Managed(tensor, None, self.delete), b"dltensor"
        else:
            self.managed, self.name = Versioned(), b"dltensor_versioned"
            self.managed.version[:] = version
            self.managed.flags = flags
            self.managed.tensor = tensor
            self.managed.deleter = self.delete

    def _delete(self, _):
        self.deleted += 1

    def __dlpack_device__(self):
        return tuple(self.managed.tensor.device)

    def __dlpack__(self, *, max_version=None, stream=None):
        make = ctypes.pythonapi.PyCapsule_New
        make.restype = ctypes.py_object
        make.argtypes = [ctypes.c_void_p, ctypes.c_char_p, ctypes.c_void_p]
        return make(ctypes.addressof(self.managed), self.name, None)


@pytest.fixture(scope="module")
def gravity():
    return nbody.AllPairs("gravity", device="cpu", eps2=1e-3)


POS = numpy.random.default_rng(1).random((20, 3))
MASS = numpy.random.default_rng(2).random(20)


@pytest.mark.parametrize("is_old", [False, True])
def test_offsets_and_strides_of_capsules(gravity, is_old):
    expected = gravity.evaluate(pos=POS, mass=MASS).acc
    wide = numpy.zeros((40, 5))
    wide[::2, 1:4] = POS
    for pos in (
        Shared(POS, is_old=is_old),
        Shared(POS, strides=False, is_old=is_old),
        Shared(POS, offset=8, is_old=is_old),
        Shared(numpy.asfortranarray(POS), offset=48, is_old=is_old),
        Shared(wide[::2, 1:4], offset=8, is_old=is_old),
    ):
        found = gravity.evaluate(pos=pos, mass=Shared(MASS, offset=16, is_old=is_old))
        assert (numpy.asarray(found.acc) == expected).all()
        assert pos.deleted == 1


def test_results_are_written_by_capsules_that_may_be_written(gravity):
    expected = gravity.evaluate(pos=POS, mass=MASS)
    acc, pot = numpy.zeros((20, 3)), numpy.zeros(20)
    gravity.evaluate(pos=POS, mass=MASS, out={"acc": Shared(acc, offset=24), "pot": Shared(pot)})
    assert (acc == expected.acc).all() and (pot == expected.pot).all()
    still = Shared(numpy.zeros((20, 3)), flags=READ_ONLY)
    with pytest.raises(ValueError, match="`acc` is read only"):
        gravity.evaluate(pos=POS, mass=MASS, out={"acc": still, "pot": pot})
    assert (still.array == 0).all() and still.deleted == 1
    # To read is allowed.
    found = gravity.evaluate(pos=Shared(POS, flags=READ_ONLY), mass=MASS)
    assert (numpy.asarray(found.acc) == expected.acc).all()


@pytest.mark.parametrize(
    "changes, error, message",
    [
        ({"version": (2, 0)}, BufferError, "version 2.0"),
        ({"code": 0}, ValueError, "float"),
        ({"code": 5}, TypeError, "code 5"),
        ({"lanes": 2}, TypeError, "code 2"),
        ({"device": (10, 0)}, TypeError, "kind 10"),
        ({"device": (2, 3)}, ValueError, "cuda:3"),
    ],
)
def test_other_capsules_are_refused(gravity, changes, error, message):
    pos = Shared(POS, **changes)
    with pytest.raises(error, match=message):
        gravity.evaluate(pos=pos, mass=MASS)
    assert pos.deleted == 1
