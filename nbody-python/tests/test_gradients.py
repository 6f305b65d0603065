"""Gradients of laws by torch and jax, compared with those of the same expressions in torch and jax."""

import numpy
import pytest
from conftest import library, particles

import nbody
from nbody.gradients import Adjoint

EPS2 = 1e-2

POTENTIAL = """
/// A screened potential with its gradient by everything.
pub struct Screened { pub kappa: Real, pub scale: Real, pub centre: Vector }
pub struct Site { pub pos: Point, pub charge: Real, pub kind: u32 }
pub struct Sum { pub energy: Real, pub field: Vector, pub count: Count }
impl Interaction for Screened {
    type I = Site;
    type J = Site;
    type F = Sum;
    fn pair(&self, i: &Site, j: &Site, f: &mut Sum) {
        if i.kind == j.kind { return; }
        let d = i.pos - j.pos;
        let r = (d.norm2() + 0.01).sqrt();
        let e = self.scale * i.charge * j.charge * (-self.kappa * r).exp() / r;
        f.energy += e + self.centre.dot(d) * j.charge;
        f.field += e * d;
        f.count += 1;
    }
}
"""


def test_adjoints_are_laws_with_texts():
    adjoint = Adjoint(nbody.law("gravity"))
    assert adjoint.results == ["acc", "pot"]
    assert set(adjoint.cotangents) == {"acc", "pot"}
    assert {it[1:] for it in adjoint.targets.gradients} == {("targets", "pos"), ("parameters", "eps2")}
    assert {it[1:] for it in adjoint.sources.gradients} == {("sources", "pos"), ("sources", "mass")}
    assert "gradient" in adjoint.targets.law.text
    near = Adjoint(nbody.law("neighbours"))
    assert near.results == [] and near.targets is None


def screened_by_torch(torch, pos, charge, kind, kappa, scale, centre):
    """Returns the results of `POTENTIAL` as torch computes them."""
    d = pos[:, None] - pos[None]
    differ = (kind[:, None] != kind[None]).to(pos.dtype)
    r = ((d * d).sum(-1) + 0.01).sqrt()
    e = differ * scale * charge[:, None] * charge[None] * (-kappa * r).exp() / r
    energy = (e + differ * (d @ centre) * charge[None]).sum(1)
    return energy, (e[..., None] * d).sum(1)


@pytest.fixture(scope="module")
def sites():
    pos, charge = particles(40)
    return {"pos": pos, "charge": charge - 0.5, "kind": numpy.arange(40) % 3}


PARAMETERS = {"kappa": 0.7, "scale": 1.3, "centre": [0.1, -0.2, 0.3]}


def test_torch_has_the_gradients_of_torch(sites):
    torch = pytest.importorskip("torch")
    import nbody.torch

    random = numpy.random.default_rng(5)
    by_energy = torch.from_numpy(random.random(40))
    by_field = torch.from_numpy(random.random((40, 3)))

    def leaves():
        given = [torch.tensor(sites["pos"]), torch.tensor(sites["charge"])]
        given += [torch.tensor(PARAMETERS[name], dtype=torch.float64) for name in PARAMETERS]
        return [it.requires_grad_() for it in given]

    kind = torch.tensor(sites["kind"])
    pos, charge, *values = leaves()
    energy, field = screened_by_torch(torch, pos, charge, kind, *values)
    loss = (energy * by_energy).sum() + (field * by_field).sum()
    expected = torch.autograd.grad(loss, [pos, charge, *values])

    engine = nbody.torch.AllPairs(POTENTIAL, device="cpu", **PARAMETERS)
    pos, charge, *values = leaves()
    named = dict(zip(PARAMETERS, values))
    found = engine.evaluate(pos=pos, charge=charge, kind=kind, **named)
    assert torch.allclose(found.energy, energy, rtol=1e-12) and found.energy.requires_grad
    assert not found.count.requires_grad
    loss = (found.energy * by_energy).sum() + (found.field * by_field).sum()
    gradients = torch.autograd.grad(loss, [pos, charge, *values])
    for gradient, truth in zip(gradients, expected):
        assert gradient.shape == truth.shape
        assert (gradient - truth).abs().max() <= 1e-12 * truth.abs().max()
    # Results alone, the others without cotangents.
    energy_alone = engine.evaluate(pos=pos, charge=charge, kind=kind, **named).energy.sum()
    (by_pos,) = torch.autograd.grad(energy_alone, [pos])
    truth = torch.autograd.grad(screened_by_torch(torch, pos, charge, kind, *values)[0].sum(), [pos])
    assert (by_pos - truth[0]).abs().max() <= 1e-12 * truth[0].abs().max()


def test_torch_records_two_sets_and_what_needs_it(sites):
    torch = pytest.importorskip("torch")
    import nbody.torch

    engine = nbody.torch.AllPairs("gravity", device="cpu", eps2=EPS2)
    pos, mass = (torch.from_numpy(it) for it in particles(30))
    x = pos[:10].clone().requires_grad_()
    y = pos.clone().requires_grad_()
    m = mass.clone().requires_grad_()

    def direct(x, y, m):
        r = (((y[None] - x[:, None]) ** 2).sum(-1) + EPS2).rsqrt()
        return (-(m * r)).sum(1)

    far = y + 5.0
    found = engine.evaluate({"pos": x, "mass": 0.0}, {"pos": far, "mass": m}).pot
    gradients = torch.autograd.grad((found**2).sum(), [x, y, m])
    expected = torch.autograd.grad((direct(x, y + 5.0, m) ** 2).sum(), [x, y, m])
    for gradient, truth in zip(gradients, expected):
        assert (gradient - truth).abs().max() <= 1e-12 * truth.abs().max()
    assert not engine.evaluate(pos=pos, mass=mass).pot.requires_grad
    with torch.no_grad():
        assert not engine.evaluate(pos=y, mass=m).pot.requires_grad
    (once,) = torch.autograd.grad(
        engine.evaluate(pos=y, mass=m).pot.sum(), [y], create_graph=True
    )
    with pytest.raises(RuntimeError):
        torch.autograd.grad(once.sum(), [y])
    with pytest.raises(ValueError, match="nbody.torch"):
        nbody.AllPairs("gravity", device="cpu", eps2=EPS2).evaluate(pos=y, mass=m)


def test_jax_has_the_gradients_of_jax(sites):
    of, back = library("jax")
    import jax

    import nbody.jax

    numbers = jax.numpy
    engine = nbody.jax.AllPairs(POTENTIAL, device="cpu", **PARAMETERS)
    kind = of(sites["kind"])

    def by_jax(pos, charge, kappa, scale, centre):
        d = pos[:, None] - pos[None]
        differ = (kind[:, None] != kind[None]).astype(pos.dtype)
        r = numbers.sqrt((d * d).sum(-1) + 0.01)
        e = differ * scale * charge[:, None] * charge[None] * numbers.exp(-kappa * r) / r
        energy = (e + differ * (d @ centre) * charge[None]).sum(1)
        return (energy**2).sum() + numbers.sin((e[..., None] * d).sum(1)).sum()

    def by_nbody(pos, charge, kappa, scale, centre):
        found = engine.evaluate(
            pos=pos, charge=charge, kind=kind, kappa=kappa, scale=scale, centre=centre
        )
        return (found.energy**2).sum() + numbers.sin(found.field).sum()

    given = [of(sites["pos"]), of(sites["charge"])]
    given += [numbers.asarray(PARAMETERS[name], dtype="float64") for name in PARAMETERS]
    which = tuple(range(5))
    value, expected = jax.value_and_grad(by_jax, which)(*given)
    for differentiated in (
        jax.value_and_grad(by_nbody, which),
        jax.jit(jax.value_and_grad(by_nbody, which)),
    ):
        found, gradients = differentiated(*given)
        assert abs(found - value) <= 1e-12 * abs(value)
        for gradient, truth in zip(gradients, expected):
            assert gradient.shape == truth.shape
            assert numbers.abs(gradient - truth).max() <= 1e-11 * numbers.abs(truth).max()
    several = jax.vmap(lambda shift: by_nbody(given[0] + shift, *given[1:]))(numbers.arange(3.0))
    assert several.shape == (3,) and abs(several[0] - value) <= 1e-12 * abs(value)


def test_lists_have_gradients(sites):
    of, _ = library("jax")
    import jax

    import nbody.jax

    text = """
    pub struct Soft { pub reach: Real, pub strength: Real }
    pub struct Site { pub pos: Point }
    pub struct Sum { pub energy: Real }
    impl Interaction for Soft {
        type I = Site; type J = Site; type F = Sum;
        fn cutoff(&self, i: &Site, j: &Site) -> Real { self.reach }
        fn pair(&self, i: &Site, j: &Site, f: &mut Sum) {
            f.energy += 0.5 * self.strength * (self.reach - (i.pos - j.pos).norm()).powi(2);
        }
    }
    """
    pos = of(numpy.random.default_rng(7).random((300, 3)) * 2.0)
    given = {"reach": 0.3, "strength": 2.0, "box": 2.0, "device": "cpu"}
    lists = nbody.jax.ShortRange(text, **given)
    every = nbody.jax.AllPairs(text, **given)
    energy = lambda engine: lambda pos, s: engine.evaluate(pos=pos, strength=s).energy.sum()
    strength = of(numpy.array(2.0))
    found = jax.grad(energy(lists), (0, 1))(pos, strength)
    expected = jax.grad(energy(every), (0, 1))(pos, strength)
    for gradient, truth in zip(found, expected):
        assert numpy.abs(gradient - truth).max() <= 1e-12 * numpy.abs(truth).max()
    # Against differences of the energy.
    step = 1e-5
    for k in (0, 17):
        moved = [energy(lists)(pos.at[k, 1].add(sign * step), strength) for sign in (1, -1)]
        assert abs((moved[0] - moved[1]) / (2 * step) - found[0][k, 1]) < 1e-6
