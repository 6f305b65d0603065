"""Times nbody beside KeOps, OpenMM, numpy, torch and jax: first calls and steady ones.

    python peers.py [--device cpu|cuda:0] [--json FILE] [--only gravity,gaussian,lennard_jones]

Each library that is installed computes the same sums in float32, checked against float64 to 1e-3. A time
is the median of the runs, with the quartiles; the first call has compilation and creation in it. CUDA itself
is started before.
"""

import argparse
import gc
import json
import statistics
import sys
import time

import numpy

GAUSSIAN = """
/// A sum of Gaussians, weighted.
pub struct Gaussian { pub per_width2: Real }
pub struct Site { pub pos: Point, pub weight: Real }
pub struct Sum { pub value: Real }
impl Interaction for Gaussian {
    type I = Site;
    type J = Site;
    type F = Sum;
    const SELF_PAIRS: bool = true;
    fn pair(&self, i: &Site, j: &Site, f: &mut Sum) {
        f.value += j.weight * (-(i.pos - j.pos).norm2() * self.per_width2).exp();
    }
}
"""

LENNARD_JONES = """
/// Lennard-Jones 12-6 of one kind, truncated.
pub struct Lj { pub epsilon: Real, pub sigma2: Real, pub reach: Real }
pub struct Atom { pub pos: Point }
pub struct Push { pub force: Vector }
impl Interaction for Lj {
    type I = Atom;
    type J = Atom;
    type F = Push;
    fn cutoff(&self, i: &Atom, j: &Atom) -> Real { self.reach }
    fn pair(&self, i: &Atom, j: &Atom, f: &mut Push) {
        let d = i.pos - j.pos;
        let r2 = 1.0 / d.norm2();
        let s6 = (self.sigma2 * r2).powi(3);
        f.force += 24.0 * self.epsilon * (2.0 * s6 - 1.0) * s6 * r2 * d;
    }
}
"""

EPS2, PER_WIDTH2, REACH = 1e-4, 50.0, 2.5


class Missing(Exception):
    """A library that is not installed, or that lacks the device."""


def torch_on(device):
    try:
        import torch
    except ImportError as error:
        raise Missing(error) from None
    if device != "cpu" and not torch.cuda.is_available():
        raise Missing("torch without CUDA")
    return torch, (lambda: torch.cuda.synchronize()) if device != "cpu" else (lambda: None)


def jax_on(device):
    try:
        import jax
    except ImportError as error:
        raise Missing(error) from None
    if device != "cpu" and jax.default_backend() != "gpu":
        raise Missing("jax without GPU")
    return jax


# Each method returns a function of numpy arrays that prepares, and returns a call and its result as numpy.


def by_nbody(law, field, **parameters):
    def method(device, data):
        import nbody

        if device == "cpu":
            given, back = data, numpy.asarray
            wait = lambda: None
        else:
            torch, wait = torch_on(device)
            given = {name: torch.from_numpy(it).to(device) for name, it in data.items()}
            back = lambda it: it.cpu().numpy()
        engine = nbody.AllPairs(law, device=device, precision="single", **parameters)

        def call():
            found = engine.evaluate(given)
            wait()
            return found[field]

        return call, back

    return method


def on_device(device, array):
    """Returns an array on the device, the function that takes results back, and the one that waits."""
    if device == "cpu":
        return array, numpy.asarray, lambda: None
    torch, wait = torch_on(device)
    return torch.from_numpy(array).to(device), lambda it: it.cpu().numpy(), wait


def lists_by_nbody(device, data, law=LENNARD_JONES, kinds=None, **parameters):
    import nbody

    given, back, wait = on_device(device, data["pos"])
    particles = {"pos": given}
    if kinds is not None:
        particles["kind"] = on_device(device, kinds)[0]
    parameters = parameters or {"epsilon": 1.0, "sigma2": 1.0, "reach": REACH}
    box = float(data["box"])
    engine = nbody.ShortRange(law, device=device, precision="single", box=box, **parameters)

    def call():
        found = engine.evaluate(particles).force
        wait()
        return found

    return call, back


def ready_lists_by_nbody(device, data):
    """The ready law, which is compiled for the CPU: of several kinds of atoms, with energy and virial."""
    of_kinds = numpy.ones((4, 4))
    parameters = {"epsilon": of_kinds, "sigma2": of_kinds, "cutoff": REACH}
    kinds = numpy.zeros(len(data["pos"]), "int32")
    return lists_by_nbody(device, data, "lennard_jones", kinds, **parameters)


def gravity_by_numpy(device, data):
    if device != "cpu" or len(data["pos"]) > 5000:
        raise Missing("memory for all pairs")
    pos, mass = data["pos"], data["mass"]

    def call():
        d = pos[None] - pos[:, None]
        r = ((d * d).sum(-1) + numpy.float32(EPS2)) ** numpy.float32(-0.5)
        return numpy.einsum("j,ij,ijk->ik", mass, r**3, d)

    return call, numpy.asarray


def gravity_by_torch(device, data):
    torch, wait = torch_on(device)
    if len(data["pos"]) > (20_000 if device == "cpu" else 40_000):
        raise Missing("memory for all pairs")
    pos, mass = (torch.from_numpy(data[it]).to(device) for it in ("pos", "mass"))

    def sums(pos, mass):
        d = pos[None] - pos[:, None]
        r = ((d * d).sum(-1) + EPS2).rsqrt()
        return ((mass * r**3)[..., None] * d).sum(1)

    def call():
        found = sums(pos, mass)
        wait()
        return found

    return call, lambda it: it.cpu().numpy()


def gravity_by_jax(device, data):
    jax = jax_on(device)
    if len(data["pos"]) > 40_000:
        raise Missing("memory for all pairs")
    numbers = jax.numpy
    pos, mass = numbers.asarray(data["pos"]), numbers.asarray(data["mass"])

    @jax.jit
    def sums(pos, mass):
        d = pos[None] - pos[:, None]
        r = jax.lax.rsqrt((d * d).sum(-1) + EPS2)
        return ((mass * r**3)[..., None] * d).sum(1)

    return lambda: sums(pos, mass).block_until_ready(), numpy.asarray


def lazy(device, data, of):
    torch, wait = torch_on(device)
    try:
        from pykeops.torch import LazyTensor
    except Exception as error:
        raise Missing(error) from None
    given = {name: torch.from_numpy(it).to(device) for name, it in data.items()}
    x = given["pos"]
    i, j = LazyTensor(x[:, None, :]), LazyTensor(x[None, :, :])

    def call():
        found = of(i, j, given, LazyTensor)
        wait()
        return found

    return call, lambda it: it.cpu().numpy()


def gravity_by_keops(device, data):
    def of(i, j, given, lazy_tensor):
        d = j - i
        m = lazy_tensor(given["mass"][None, :, None])
        return (m * ((d**2).sum(-1) + EPS2).rsqrt() ** 3 * d).sum(1)

    return lazy(device, data, of)


def gaussian_by_keops(device, data):
    def of(i, j, given, lazy_tensor):
        kernel = (-((i - j) ** 2).sum(-1) * PER_WIDTH2).exp()
        return (kernel @ given["weight"][:, None])[:, 0]

    return lazy(device, data, of)


def gaussian_by_torch(device, data):
    torch, wait = torch_on(device)
    if len(data["pos"]) > (20_000 if device == "cpu" else 60_000):
        raise Missing("memory for all pairs")
    pos, weight = (torch.from_numpy(data[it]).to(device) for it in ("pos", "weight"))

    def call():
        found = (-((pos[:, None] - pos[None]) ** 2).sum(-1) * PER_WIDTH2).exp() @ weight
        wait()
        return found

    return call, lambda it: it.cpu().numpy()


def gaussian_by_numpy(device, data):
    if device != "cpu" or len(data["pos"]) > 5000:
        raise Missing("memory for all pairs")
    pos, weight = data["pos"], data["weight"]
    scale = numpy.float32(PER_WIDTH2)
    return (
        lambda: numpy.exp(-((pos[:, None] - pos[None]) ** 2).sum(-1) * scale) @ weight,
        numpy.asarray,
    )


def gaussian_by_jax(device, data):
    jax = jax_on(device)
    if len(data["pos"]) > 60_000:
        raise Missing("memory for all pairs")
    numbers = jax.numpy
    pos, weight = numbers.asarray(data["pos"]), numbers.asarray(data["weight"])

    @jax.jit
    def sums(pos, weight):
        return numbers.exp(-((pos[:, None] - pos[None]) ** 2).sum(-1) * PER_WIDTH2) @ weight

    return lambda: sums(pos, weight).block_until_ready(), numpy.asarray


def openmm_context(device, force, n, box=None):
    try:
        import openmm
    except ImportError as error:
        raise Missing(error) from None
    system = openmm.System()
    for _ in range(n):
        system.addParticle(1.0)
    if box is not None:
        system.setDefaultPeriodicBoxVectors(*(numpy.eye(3) * float(box)))
    system.addForce(force)
    name = "CPU" if device == "cpu" else "CUDA"
    try:
        platform = openmm.Platform.getPlatformByName(name)
    except Exception as error:
        raise Missing(error) from None
    integrator = openmm.VerletIntegrator(0.001)
    return openmm.Context(system, integrator, platform)


def openmm_forces(context, pos):
    # Positions are set and forces are read, as a caller with arrays of its own must.
    def call():
        context.setPositions(pos)
        return context.getState(getForces=True).getForces(asNumpy=True)._value

    return call, numpy.asarray


def gravity_by_openmm(device, data):
    try:
        import openmm
    except ImportError as error:
        raise Missing(error) from None
    force = openmm.CustomNonbondedForce(f"-m1*m2/sqrt(r^2+{EPS2})")
    force.addPerParticleParameter("m")
    for mass in data["mass"]:
        force.addParticle([float(mass)])
    force.setNonbondedMethod(openmm.CustomNonbondedForce.NoCutoff)
    context = openmm_context(device, force, len(data["mass"]))
    call, _ = openmm_forces(context, data["pos"])
    # OpenMM has forces, not accelerations.
    return call, lambda force: force / data["mass"][:, None]


def lists_by_openmm(device, data):
    try:
        import openmm
    except ImportError as error:
        raise Missing(error) from None
    if data["box"] < 2 * REACH:
        raise Missing("the box is too short for a cutoff")
    force = openmm.CustomNonbondedForce("4*((1/r)^12-(1/r)^6)")
    for _ in data["pos"]:
        force.addParticle([])
    force.setNonbondedMethod(openmm.CustomNonbondedForce.CutoffPeriodic)
    force.setCutoffDistance(REACH)
    return openmm_forces(openmm_context(device, force, len(data["pos"]), data["box"]), data["pos"])


def uniform(n):
    random = numpy.random.default_rng(1)
    return random.random((n, 3), "float32"), random.random(n, "float32")


def gravity_data(n):
    pos, mass = uniform(n)
    return {"pos": pos, "mass": mass}


def gaussian_data(n):
    pos, weight = uniform(n)
    return {"pos": pos, "weight": weight}


def liquid_data(n):
    side = round(n ** (1 / 3))
    at = numpy.stack(numpy.meshgrid(*[numpy.arange(side)] * 3), -1).reshape(-1, 3) * 1.06
    moved = at + numpy.random.default_rng(1).normal(0, 0.05, at.shape)
    return {"pos": moved.astype("float32"), "box": numpy.float32(side * 1.06)}


CASES = {
    "gravity": (
        gravity_data,
        {
            "nbody": by_nbody("gravity", "acc", eps2=EPS2),
            "KeOps": gravity_by_keops,
            "OpenMM": gravity_by_openmm,
            "jax": gravity_by_jax,
            "torch": gravity_by_torch,
            "numpy": gravity_by_numpy,
        },
    ),
    "gaussian": (
        gaussian_data,
        {
            "nbody": by_nbody(GAUSSIAN, "value", per_width2=PER_WIDTH2),
            "KeOps": gaussian_by_keops,
            "jax": gaussian_by_jax,
            "torch": gaussian_by_torch,
            "numpy": gaussian_by_numpy,
        },
    ),
    "lennard_jones": (
        liquid_data,
        {"nbody": lists_by_nbody, "ready": ready_lists_by_nbody, "OpenMM": lists_by_openmm},
    ),
}


def measured(method, device, data, seconds):
    """Returns the time of the first call, the median of others and its quartiles, and the result."""
    gc.collect()
    begun = time.perf_counter()
    call, back = method(device, data)
    found = call()
    first = time.perf_counter() - begun
    result = numpy.array(back(found), "float64")
    call()
    times, begun = [], time.perf_counter()
    while len(times) < 5 or (time.perf_counter() - begun < seconds and len(times) < 2000):
        start = time.perf_counter()
        call()
        times.append(time.perf_counter() - start)
    quartiles = statistics.quantiles(times, n=4)
    return first, statistics.median(times), quartiles[0], quartiles[2], result


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--device", default="cpu")
    parser.add_argument("--json")
    parser.add_argument("--only", default=",".join(CASES))
    parser.add_argument("--sizes", help="numbers of particles, with commas")
    parser.add_argument("--seconds", type=float, default=2.0, help="time for each median")
    given = parser.parse_args()
    sizes = [64, 1000, 4096, 16384] if given.device == "cpu" else [64, 1000, 16384, 262144]
    if given.sizes:
        sizes = [int(n) for n in given.sizes.split(",")]
    if given.device != "cpu":
        torch, wait = torch_on(given.device)
        torch.zeros(1, device=given.device)
        wait()
    records = []
    print(f"{'case':<14}{'n':>8}  {'library':<8}{'first':>10}{'median':>12}{'quartiles':>24}{'ratio':>8}")
    for case in given.only.split(","):
        data_of, methods = CASES[case]
        for n in sizes:
            data, best, truth = data_of(n), None, None
            for library, method in methods.items():
                try:
                    first, median, low, high, result = measured(
                        method, given.device, data, given.seconds
                    )
                except Missing as error:
                    print(f"{case:<14}{n:>8}  {library:<8} not run: {str(error)[:60]}")
                    continue
                if truth is None:
                    best, truth = median, result
                error = numpy.linalg.norm(result - truth) / numpy.linalg.norm(truth)
                ok = "" if error < 1e-3 else f"  DIFFERS by {error:.1e}"
                print(
                    f"{case:<14}{n:>8}  {library:<8}{first:>9.3f}s{1e6 * median:>10.1f}us"
                    f"{1e6 * low:>11.1f} -{1e6 * high:>9.1f}us{median / best:>8.2f}{ok}",
                    flush=True,
                )
                records.append(
                    {
                        "case": case,
                        "n": n,
                        "library": library,
                        "first_s": first,
                        "median_s": median,
                        "quartiles_s": [low, high],
                        "error": error,
                    }
                )
    if given.json:
        with open(given.json, "w", encoding="ascii") as file:
            json.dump({"device": given.device, "records": records}, file, indent=1)
    return 0


if __name__ == "__main__":
    sys.exit(main())
