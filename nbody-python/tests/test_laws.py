"""Laws by name and from text, engines of each schedule, and the errors of both."""

import threading

import numpy
import pytest
from conftest import direct, particles

import nbody

LENNARD_JONES = """
/// Lennard-Jones 12-6 of one kind.
pub struct Lj { pub epsilon: Real, pub sigma2: Real, pub reach: Real }
pub struct Atom { pub pos: Point }
pub struct Push { pub force: Vector, pub pot: Real }
impl Interaction for Lj {
    type I = Atom;
    type J = Atom;
    type F = Push;
    fn cutoff(&self, i: &Atom, j: &Atom) -> Real { self.reach }
    fn pair(&self, i: &Atom, j: &Atom, f: &mut Push) {
        let d = i.pos - j.pos;
        let s6 = (self.sigma2 / d.norm2()).powi(3);
        let e = 4.0 * self.epsilon * (s6 * s6 - s6);
        f.force -= e.gradient(i.pos);
        f.pot += e;
    }
}
"""


def lattice(side, spacing, seed=1):
    """Returns points near a cubic lattice, and the length of its box."""
    at = numpy.stack(numpy.meshgrid(*[numpy.arange(side)] * 3), -1).reshape(-1, 3) * spacing
    return at + numpy.random.default_rng(seed).normal(0, 0.05, at.shape), side * spacing


def test_laws_describe_themselves():
    law = nbody.law("gravity")
    assert law.name == "gravity"
    assert law.parameters == {"eps2": "Real"}
    assert law.targets == law.sources == {"pos": "Point", "mass": "Real"}
    assert law.results == {"acc": "Vector", "pot": "Real"}
    assert "pos: Point" in repr(law)
    assert "gravity" in nbody.ready_laws() and nbody.ready_programs()
    assert nbody.law(LENNARD_JONES).text == LENNARD_JONES


def test_laws_are_found(tmp_path):
    path = tmp_path / "laws.rs"
    path.write_text(LENNARD_JONES)
    assert nbody.law(path).name == nbody.law(str(path)).name == "lj"
    laws, programs = nbody.declarations(LENNARD_JONES)
    assert [law.name for law in laws] == ["lj"] and programs == []
    assert nbody.law(laws[0]) is laws[0]
    two = f"mod a {{ {LENNARD_JONES} }} mod b {{ {LENNARD_JONES.replace('Lj', 'Other')} }}"
    assert nbody.law(two, name="other").name == "other"
    for wrong, name, message in (
        ("gravit", None, "no ready law `gravit`: expected attraction,"),
        (two, None, "2 laws declared, expected one; give name=: lj, other"),
        (two, "third", "no law `third` among the declarations: expected lj, other"),
    ):
        with pytest.raises(ValueError, match=message):
            nbody.law(wrong, name=name)
    with pytest.raises(TypeError, match="found int"):
        nbody.law(3)
    with pytest.raises(OSError):
        nbody.law(tmp_path / "none.rs")


def test_faults_of_a_text_have_places_and_remedies():
    text = LENNARD_JONES.replace("norm2()", "nor2()").replace("f.pot += e", "f.pot = e")
    with pytest.raises(nbody.DeclarationError) as refused:
        nbody.law(text)
    faults = refused.value.faults
    assert [(line, message) for line, _, message, _ in faults] == [
        (13, "`Vector` has no method `nor2`"),
        (16, "a result is accumulated, not assigned"),
    ]
    assert text.splitlines()[12][faults[0][1] - 1 :].startswith("nor2")
    assert "norm2" in faults[0][3]
    assert "error: `Vector` has no method" in str(refused.value)


def test_parameters_and_options_are_checked():
    for wrong, error, message in (
        ({}, TypeError, "no parameter `eps2` of `gravity`: expected `eps2: Real`"),
        ({"eps2": 1.0, "eps": 1.0}, TypeError, "has no parameter `eps`"),
        ({"eps2": "1"}, TypeError, "a number or a sequence of numbers"),
        ({"eps2": [1.0, 2.0]}, ValueError, "of 2 numbers, expected 1"),
        ({"eps2": float("nan")}, nbody.NumbersError, "NaN"),
        ({"eps2": 1.0, "precision": "half"}, ValueError, '"single", "mixed", "double"'),
        ({"eps2": 1.0, "math": "slow"}, ValueError, '"fast", "exact"'),
        ({"eps2": 1.0, "accumulation": "kahan"}, ValueError, '"compensated"'),
        ({"eps2": 1.0, "pairs": "all"}, ValueError, '"symmetric"'),
        ({"eps2": 1.0, "order": (0, 1)}, ValueError, "bag"),
        ({"eps2": 1.0, "box": [1.0, 2.0]}, ValueError, "three lengths"),
        ({"eps2": 1.0, "box": -1.0}, ValueError, "-1"),
        ({"eps2": 1.0, "device": "tpu"}, ValueError, "tpu"),
    ):
        with pytest.raises(error) as refused:
            nbody.AllPairs("gravity", **{"device": "cpu", **wrong})
        assert message in str(refused.value)


@pytest.mark.parametrize("precision, tolerance", [("single", 1e-5), ("mixed", 1e-6), ("double", 1e-13)])
@pytest.mark.parametrize("math", ["fast", "exact"])
@pytest.mark.parametrize("dtype", ["float32", "float64"])
def test_engines_agree_with_numpy(precision, tolerance, math, dtype):
    pos, mass = particles(200, dtype)
    expected = direct(pos.astype("float64"), mass.astype("float64"), 1e-2)
    for accumulation in ("direct", "blocked", "blocked_f64", "compensated"):
        options = {"precision": precision, "math": math, "accumulation": accumulation}
        found = nbody.AllPairs("gravity", device="cpu", eps2=1e-2, **options).evaluate(
            pos=pos, mass=mass
        )
        limit = max(tolerance, 1e-6 if dtype == "float32" else 0.0)
        for result, truth in zip((found.acc, found.pot), expected):
            assert result.dtype == dtype
            assert numpy.abs(result - truth).max() < limit * numpy.abs(truth).max()


def test_schedules_agree():
    pos, length = lattice(7, 1.1)
    given = {"epsilon": 1.0, "sigma2": 1.0, "reach": 2.5, "box": length, "device": "cpu"}
    law = nbody.law(LENNARD_JONES)
    every = nbody.AllPairs(law, **given)
    lists = nbody.ShortRange(law, **given)
    expected = every.evaluate(pos=pos)
    found = lists.evaluate(pos=pos)
    scale = numpy.abs(expected.force).max()
    assert numpy.abs(found.force - expected.force).max() < 1e-12 * scale
    truth = nbody.reference(law, {"pos": pos}, epsilon=1.0, sigma2=1.0, reach=2.5, box=length)
    assert numpy.abs(found.force - truth.force).max() < 1e-12 * scale
    moved = pos + 0.3 * numpy.random.default_rng(2).random(pos.shape)
    again = lists.evaluate(pos=moved).force
    assert numpy.abs(again - every.evaluate(pos=moved).force).max() < 1e-11 * numpy.abs(again).max()
    lists.exclude([[0, 1]])
    pair = nbody.reference(
        law, {"pos": pos[:2]}, epsilon=1.0, sigma2=1.0, reach=2.5, box=length
    ).force
    left_out = lists.evaluate(pos=pos).force
    assert numpy.abs(left_out[:2] + pair - expected.force[:2]).max() < 1e-11 * scale
    lists.exclude([])
    lists.set_parameters(epsilon=2.0)
    assert numpy.abs(lists.evaluate(pos=pos).force - 2 * expected.force).max() < 1e-12 * scale
    rows = ([0, 1, 1], [1])
    two = nbody.ShortRange(law, rows=rows, **{**given, "box": None}).evaluate(pos=pos[:2])
    assert numpy.abs(two.force[0]).max() > 0 and (two.force[1] == 0).all()


def test_trees_are_near_the_direct_sum():
    bodies = nbody.plummer(3000)
    fields = {"pos": bodies.pos, "mass": bodies.mass}
    exact = nbody.AllPairs("gravity", eps2=1e-4, device="cpu").evaluate(fields).acc
    tree = nbody.Tree("gravity", theta=0.3, eps2=1e-4, device="cpu")
    error = lambda: numpy.median(
        numpy.linalg.norm(tree.evaluate(fields).acc - exact, axis=1) / numpy.linalg.norm(exact, axis=1)
    )
    first = error()
    assert 0 < first < 1e-3
    tree.set_opening(theta=0.8)
    assert error() > first
    with pytest.raises(TypeError, match="give one of them"):
        nbody.Tree("gravity", eps2=0.0, device="cpu")
    with pytest.raises(nbody.UnsupportedError):
        nbody.Tree(LENNARD_JONES, theta=0.5, epsilon=1.0, sigma2=1.0, reach=2.5, device="cpu")


def test_targets_and_sources():
    pos, mass = particles(90)
    engine = nbody.AllPairs("gravity", eps2=1e-2, device="cpu")
    found = engine.evaluate({"pos": pos[:30], "mass": 0.0}, {"pos": pos, "mass": mass})
    truth = nbody.reference(
        "gravity", {"pos": pos[:30], "mass": 0.0}, {"pos": pos, "mass": mass}, eps2=1e-2
    )
    assert found.acc.shape == (30, 3)
    assert numpy.abs(found.acc - truth.acc).max() < 1e-12 * numpy.abs(truth.acc).max()
    with pytest.raises(TypeError, match="in one way"):
        engine.evaluate({"pos": pos}, mass=mass)


def test_results_by_index_and_comparisons():
    law = nbody.law(
        """
        pub struct Near;
        pub struct Site { pub pos: Point<2> }
        pub struct Found { pub nearest: ArgMin<Real>, pub few: Nearest<4> }
        impl Interaction for Near {
            type I = Site; type J = Site; type F = Found;
            fn pair(&self, i: &Site, j: &Site, f: &mut Found) {
                let r2 = (i.pos - j.pos).norm2();
                f.nearest.min(r2);
                f.few.insert(r2);
            }
        }
        """
    )
    pos = numpy.random.default_rng(3).random((50, 2))
    found = nbody.AllPairs(law, device="cpu").evaluate(pos=pos)
    r2 = ((pos[:, None] - pos[None]) ** 2).sum(-1)
    numpy.fill_diagonal(r2, numpy.inf)
    order = numpy.argsort(r2, axis=1)
    assert (found.nearest.index == order[:, 0]).all()
    assert (found.few.indices == order[:, :4]).all()
    assert found.few["values"].shape == (50, 4)
    assert "nearest" in dir(found)
    alone = nbody.AllPairs(law, device="cpu").evaluate(pos=pos[:1])
    assert alone.nearest.index[0] == -1 and numpy.isinf(alone.nearest.value[0])
    with pytest.raises(AttributeError, match="no result `far`"):
        found.far
    report = nbody.AllPairs("gravity", eps2=1e-2, device="cpu", precision="single").compare(
        pos=particles(50)[0], mass=1.0
    )
    assert report.passes and 0 < report.fields["acc"]["of_bound"] <= 1
    assert "of bound" in repr(report)


def test_eight_threads_have_the_results_of_one():
    pos, mass = particles(300)
    engine = nbody.AllPairs("gravity", eps2=1e-2, device="cpu")
    expected = engine.evaluate(pos=pos, mass=mass).acc
    wrong = []

    def work(own):
        for k in range(20):
            n = 300 if k % 2 else 100 + own
            found = engine.evaluate(pos=pos[:n], mass=mass[:n]).acc
            if n == 300 and not (found == expected).all():
                wrong.append(own)

    threads = [threading.Thread(target=work, args=(k,)) for k in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(timeout=60)
    assert not any(thread.is_alive() for thread in threads) and not wrong


def test_a_refused_change_changes_no_engine():
    pos, mass = particles(40)
    each = [{"pos": pos.astype(dtype), "mass": mass.astype(dtype)} for dtype in ("float64", "float32")]
    for _ in range(8):
        engine = nbody.AllPairs("gravity", eps2=1e-2, device="cpu", box=0.8)
        expected = [engine.evaluate(fields).acc for fields in each]
        # In double precision it is a box, in single precision it is too long.
        with pytest.raises(ValueError, match="1e50"):
            engine.set_box(1e50)
        with pytest.raises(ValueError, match="without a tree"):
            engine._native.set_opening(0.5, None, "second")
        for fields, before in zip(each, expected):
            assert (engine.evaluate(fields).acc == before).all()


def test_engines_of_all_precisions_have_the_last_parameters():
    pos, mass = particles(40)
    options = {"theta": 0.5, "device": "cpu"}
    expected = nbody.Tree("gravity", eps2=0.25, **options).evaluate(pos=pos, mass=mass).acc
    for _ in range(20):
        engine = nbody.Tree("gravity", eps2=1.0, **options)
        # One thread creates the engine of double precision while another sets parameters.
        first = threading.Thread(target=lambda: engine.evaluate(pos=pos, mass=mass))
        second = threading.Thread(target=lambda: engine.set_parameters(eps2=0.25))
        for thread in (first, second):
            thread.start()
        for thread in (first, second):
            thread.join()
        assert (engine.evaluate(pos=pos, mass=mass).acc == expected).all()
