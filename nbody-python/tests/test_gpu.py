"""Arrays of a GPU: read where they are, in the order of their library's stream."""

import numpy
import pytest
from conftest import direct, particles

import nbody

torch = pytest.importorskip("torch")
if not torch.cuda.is_available():
    pytest.skip("no GPU", allow_module_level=True)

EPS2 = 1e-3


@pytest.fixture(scope="module")
def gravity():
    return nbody.AllPairs("gravity", device="cuda:0", eps2=EPS2)


def on_gpu(n, dtype="float64", seed=1):
    pos, mass = particles(n, dtype, seed)
    return torch.from_numpy(pos).cuda(), torch.from_numpy(mass).cuda()


def test_arrays_of_a_gpu_are_read_where_they_are(gravity):
    for dtype, tolerance in (("float64", 1e-12), ("float32", 1e-5)):
        for n in (1, 33, 1000):
            pos, mass = on_gpu(n, dtype)
            assert nbody._native.address_of(pos) == pos.data_ptr()
            field = gravity.evaluate(pos=pos, mass=mass)
            assert field.acc.device == pos.device and field.acc.dtype == pos.dtype
            expected = direct(pos.double().cpu().numpy(), mass.double().cpu().numpy(), EPS2)
            for found, truth in zip((field.acc, field.pot), expected):
                error = numpy.abs(found.double().cpu().numpy() - truth).max()
                assert error <= tolerance * numpy.abs(truth).max()


def test_any_strides(gravity):
    pos, mass = on_gpu(60)
    expected = gravity.evaluate(pos=pos, mass=mass).acc
    wide = torch.zeros((60, 7), dtype=torch.float64, device="cuda")
    wide[:, 2:5] = pos
    turned = pos.T.contiguous().T
    every = pos.repeat_interleave(3, dim=0)[::3]
    for given_pos in (wide[:, 2:5], turned, every):
        for given_mass in (mass, mass.repeat_interleave(2)[::2], mass[:, None]):
            assert (gravity.evaluate(pos=given_pos, mass=given_mass).acc == expected).all()
    same = torch.full((), 0.5, dtype=torch.float64, device="cuda")
    half = gravity.evaluate(pos=pos, mass=torch.full_like(mass, 0.5)).acc
    for one in (same, 0.5, numpy.float64(0.5), numpy.array(0.5, "float32"), torch.tensor(0.5)):
        assert (gravity.evaluate(pos=pos, mass=one).acc == half).all()


def test_results_are_written_in_place(gravity):
    pos, mass = on_gpu(40)
    expected = gravity.evaluate(pos=pos, mass=mass)
    wide = torch.zeros((40, 5), dtype=torch.float64, device="cuda")
    out = {"acc": wide[:, 1:4], "pot": torch.zeros_like(mass)}
    gravity.evaluate(pos=pos, mass=mass, out=out)
    assert (wide[:, 1:4] == expected.acc).all() and (wide[:, [0, 4]] == 0).all()
    assert (out["pot"] == expected.pot).all()


def test_the_order_is_that_of_the_stream_of_the_library(gravity):
    pos, mass = on_gpu(3000)
    expected = gravity.evaluate(pos=pos, mass=mass).acc.clone()
    slow = torch.randn((4000, 4000), device="cuda")
    torch.cuda.synchronize()
    for stream in (torch.cuda.default_stream(), torch.cuda.Stream(), torch.cuda.Stream()):
        with torch.cuda.stream(stream):
            later = torch.zeros_like(pos)
            for _ in range(10):
                slow = slow @ slow * 1e-4
            # In the stream behind a long product: a call out of order would read zeros.
            later += pos + 0 * slow[0, 0].double().nan_to_num()
            found = gravity.evaluate(pos=later, mass=mass).acc
            # A call that reads late would read these.
            later.fill_(1e3)
            copy = found.clone()
            found.zero_()
        stream.synchronize()
        assert (copy == expected).all()


def test_arrays_of_several_streams_in_one_call(gravity):
    pos, mass = on_gpu(3000)
    expected = gravity.evaluate(pos=pos, mass=mass)
    cupy = pytest.importorskip("cupy")
    product = torch.randn((4000, 4000), device="cuda")
    mine, other = torch.cuda.Stream(), cupy.cuda.Stream(non_blocking=True)
    weights = cupy.from_dlpack(mass)
    for late in ("pos", "mass"):
        out = {"acc": torch.zeros_like(pos), "pot": cupy.zeros(3000)}
        later, heavy = torch.zeros_like(pos), cupy.zeros(3000)
        cupy.cuda.Device().synchronize()
        torch.cuda.synchronize()
        with torch.cuda.stream(mine), other:
            if late == "pos":
                for _ in range(10):
                    product = product @ product * 1e-4
            later += pos + 0 * product[0, 0].double().nan_to_num()
            if late == "mass":
                wide = cupy.ones((4000, 4000))
                for _ in range(10):
                    wide = wide @ wide * 1e-4
                heavy += 0 * wide[0, 0]
            heavy += weights
            gravity.evaluate(pos=later, mass=heavy, out=out)
            # Calls that read late would read these, and results that are late would not be in the copies.
            later.fill_(1e3)
            heavy.fill(1e3)
            copies = out["acc"].clone(), out["pot"].copy()
        mine.synchronize()
        other.synchronize()
        assert (copies[0] == expected.acc).all(), late
        assert (cupy.asnumpy(copies[1]) == expected.pot.cpu().numpy()).all(), late


@pytest.mark.filterwarnings("ignore:.*Profiler clears events")
def test_numbers_stay_on_the_gpu(gravity):
    from torch.profiler import ProfilerActivity, profile

    pos, mass = on_gpu(50_000, "float32")
    gravity.evaluate(pos=pos, mass=mass)
    torch.cuda.synchronize()
    with profile(activities=[ProfilerActivity.CUDA, ProfilerActivity.CPU]) as found:
        gravity.evaluate(pos=pos, mass=mass)
        torch.cuda.synchronize()
    events = [event for event in found.events() if "memcpy" in event.name.lower()]
    kernels = [event.name for event in found.events() if "copy_columns" in event.name]
    assert kernels, [event.name for event in found.events()]
    # Tables of columns alone: less than a microsecond on the bus.
    for event in events:
        assert event.device_time_total < 5, (event.name, event.device_time_total)


def test_integers_on_a_gpu():
    law = nbody.law(
        """
        pub struct Kinds;
        pub struct Atom { pub x: Real, pub kind: u32 }
        pub struct Sum { pub of_kind: Real, pub count: Count, pub near: ArgMin<Real> }
        impl Interaction for Kinds {
            type I = Atom; type J = Atom; type F = Sum;
            fn pair(&self, i: &Atom, j: &Atom, f: &mut Sum) {
                if i.kind == j.kind { f.of_kind += j.x; f.count += 1; f.near.min((j.x - i.x).abs()); }
            }
        }
        """
    )
    engine = nbody.AllPairs(law, device="cuda:0")
    x = torch.arange(12.0, device="cuda", dtype=torch.float64)
    for dtype in (torch.int32, torch.int64):
        kinds = (torch.arange(12, device="cuda") % 3).to(dtype)
        found = engine.evaluate(x=x, kind=kinds)
        assert (found.count == 3).all() and found.count.dtype == torch.int64
        assert (found.of_kind == 18 + 4 * kinds - x).all()
        assert found.near.index[0] == 3
    found = engine.evaluate(x=x, kind=1)
    assert (found.count == 11).all() and (found.of_kind == 66 - x).all()
    alone = engine.evaluate(x=x[:1], kind=kinds[:1])
    assert alone.near.index[0] == -1
    with pytest.raises(ValueError, match="record 5"):
        engine.evaluate(x=x, kind=torch.where(torch.arange(12, device="cuda") == 5, -1, kinds))


def test_other_devices_are_refused(gravity):
    pos, mass = on_gpu(10)
    cpu = nbody.AllPairs("gravity", device="cpu", eps2=EPS2)
    with pytest.raises(ValueError, match='give device="cuda:0"'):
        cpu.evaluate(pos=pos, mass=mass)
    with pytest.raises(ValueError, match="in one memory"):
        gravity.evaluate(pos=pos, mass=mass.cpu())
    with pytest.raises(ValueError, match="gradients"):
        gravity.evaluate(pos=pos.clone().requires_grad_(), mass=mass)
    # Arrays of the CPU are copied to the GPU.
    host = gravity.evaluate(pos=pos.cpu(), mass=mass.cpu())
    assert host.acc.device.type == "cpu"
    assert (host.acc == gravity.evaluate(pos=pos, mass=mass).acc.cpu()).all()


def test_lists_and_trees_on_a_gpu():
    pos, mass = on_gpu(4000)
    tree = nbody.Tree("gravity", theta=0.3, eps2=EPS2, device="cuda:0")
    found = tree.evaluate(pos=pos, mass=mass).acc
    exact = nbody.AllPairs("gravity", eps2=EPS2, device="cuda:0").evaluate(pos=pos, mass=mass).acc
    error = (found - exact).norm(dim=1) / exact.norm(dim=1)
    assert 0 < error.median() < 1e-2
    moved = pos.clone()
    law = nbody.law(
        """
        pub struct Count_;
        pub struct Site { pub pos: Point }
        pub struct Sum { pub count: Count, pub push: Vector }
        impl Interaction for Count_ {
            type I = Site; type J = Site; type F = Sum;
            fn cutoff(&self, i: &Site, j: &Site) -> Real { 0.125 }
            fn pair(&self, i: &Site, j: &Site, f: &mut Sum) { f.count += 1; f.push += i.pos - j.pos; }
        }
        """
    )
    lists = nbody.ShortRange(law, device="cuda:0", box=1.0)
    every = nbody.AllPairs(law, device="cuda:0", box=1.0)
    for step in range(5):
        found, expected = lists.evaluate(pos=moved), every.evaluate(pos=moved)
        assert (found.count == expected.count).all(), step
        assert (found.push - expected.push).abs().max() < 1e-12
        moved = (moved + 0.04 * torch.rand_like(moved)) % 1.0


@pytest.mark.parametrize("dtype", ["float32", "float64"])
def test_laws_share_lists_on_a_gpu(dtype):
    from test_neighbours import FACTOR, NEAR, REACH, WIDE, balls, truth

    i = balls(500, dtype, 1)
    near = nbody.ShortRange(NEAR, reach=REACH, device="cuda:0")
    wide = nbody.ShortRange(WIDE, factor=FACTOR, device="cuda:0")
    lists = nbody.Neighbours(box=1.0, skin=0.05, device="cuda:0")
    for _ in range(3):
        given = {name: torch.from_numpy(array).cuda() for name, array in i.items()}
        lists.update([near, wide], pos=given["pos"], h=given["h"])
        for engine, law in ((near, NEAR), (wide, WIDE)):
            found = lists.evaluate(engine, given)
            assert found.mass.device == given["pos"].device
            count, mass, pull = truth(law, i, i, 1.0, True, numpy.ones((500, 500)))
            assert (found.count.cpu().numpy() == count).all()
            assert (found.mass.cpu().numpy() == mass).all()
            assert abs(found.pull.cpu().numpy() - pull).max() < 1e-3
        i["pos"] = i["pos"] + numpy.asarray(1 / 1024, dtype)
    assert lists.stats["rebuilds"] == 1
    given["pos"] = given["pos"] + 0.25 * (torch.arange(500, device="cuda:0")[:, None] == 7)
    with pytest.raises(ValueError, match="update"):
        lists.evaluate(near, given)
    given["pos"][3, 1] = torch.nan
    with pytest.raises(ValueError, match="finite"):
        lists.update([near], pos=given["pos"])


def test_evaluations_do_not_take_memory(gravity):
    pos, mass = on_gpu(64)
    for _ in range(200):
        gravity.evaluate(pos=pos, mass=mass)
    torch.cuda.synchronize()
    before = torch.cuda.mem_get_info()[0]
    for _ in range(100_000):
        gravity.evaluate(pos=pos, mass=mass)
    torch.cuda.synchronize()
    assert before - torch.cuda.mem_get_info()[0] < 1 << 21


def test_other_libraries(gravity):
    pos, mass = on_gpu(100)
    expected = gravity.evaluate(pos=pos, mass=mass).acc
    cupy = pytest.importorskip("cupy")
    found = gravity.evaluate(pos=cupy.from_dlpack(pos), mass=cupy.from_dlpack(mass)).acc
    assert isinstance(found, cupy.ndarray) and (cupy.asnumpy(found) == expected.cpu().numpy()).all()


def test_jax_on_a_gpu(gravity):
    jax = pytest.importorskip("jax")
    jax.config.update("jax_enable_x64", True)
    if jax.default_backend() != "gpu":
        pytest.skip("jax without GPU")
    jax.config.update("jax_default_device", jax.devices("gpu")[0])
    pos, mass = on_gpu(100)
    expected = gravity.evaluate(pos=pos, mass=mass).acc
    found = gravity.evaluate(pos=jax.dlpack.from_dlpack(pos), mass=jax.dlpack.from_dlpack(mass)).acc
    assert (numpy.asarray(found) == expected.cpu().numpy()).all()


def test_gradients_on_a_gpu():
    import nbody.torch

    engine = nbody.torch.AllPairs("gravity", device="cuda:0", eps2=EPS2)
    pos, mass = on_gpu(200)
    weights = torch.rand((200, 3), dtype=torch.float64, device="cuda")

    def by_torch(pos, mass, eps2):
        d = pos[None] - pos[:, None]
        r = ((d * d).sum(-1) + eps2).rsqrt()
        r = r - torch.diag(torch.diag(r))
        acc = ((mass * r**3)[..., None] * d).sum(1)
        return (acc * weights).sum() - (mass * r).sum()

    def by_nbody(pos, mass, eps2):
        found = engine.evaluate(pos=pos, mass=mass, eps2=eps2)
        return (found.acc * weights).sum() + found.pot.sum()

    gradients = []
    for loss in (by_torch, by_nbody):
        given = [pos.clone(), mass.clone(), torch.tensor(EPS2, dtype=torch.float64, device="cuda")]
        given = [it.requires_grad_() for it in given]
        gradients.append(torch.autograd.grad(loss(*given), given))
    for truth, found in zip(*gradients):
        assert found.device == truth.device and found.shape == truth.shape
        assert (found - truth).abs().max() <= 1e-12 * truth.abs().max()
