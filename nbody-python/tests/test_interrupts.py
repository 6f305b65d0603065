"""Ctrl-C ends long evaluations and runs."""

import faulthandler
import os
import signal
import threading
import time

import numpy
import pytest

import nbody


@pytest.fixture(autouse=True)
def handler():
    """The handler of Ctrl-C, which a process in the background does not have."""
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    # Work that never looks for signals ends the process, instead of going on for ever.
    faulthandler.dump_traceback_later(100, exit=True)
    yield
    faulthandler.cancel_dump_traceback_later()
    signal.signal(signal.SIGINT, before)


def interrupted_after(seconds):
    """Sends what Ctrl-C sends."""
    timer = threading.Timer(seconds, os.kill, (os.getpid(), signal.SIGINT))
    timer.start()
    return timer


ENGINES = {
    "symmetric": lambda **given: nbody.AllPairs("gravity", pairs="symmetric", **given),
    "ordered": lambda **given: nbody.AllPairs("gravity", pairs="ordered", **given),
    "tree": lambda **given: nbody.Tree("gravity", theta=0.02, **given),
}


@pytest.mark.parametrize("kind", ENGINES)
def test_a_long_evaluation_is_interrupted(kind):
    random = numpy.random.default_rng(1)
    n = 400_000
    engine = ENGINES[kind](eps2=1e-4, device="cpu", precision="double")
    engine.evaluate(pos=random.random((10, 3)), mass=1.0)
    pos = random.random((n, 3))
    begun = time.monotonic()
    timer = interrupted_after(0.5)
    out = {"acc": numpy.zeros((n, 3)), "pot": numpy.zeros(n)}
    with pytest.raises(KeyboardInterrupt):
        engine.evaluate(pos=pos, mass=1.0, out=out)
    timer.join()
    # The evaluation takes a minute.
    assert time.monotonic() - begun < 10
    # Results without meaning do not leave.
    assert all((it == 0).all() for it in out.values())
    again = engine.evaluate(pos=pos[:100], mass=1.0)
    truth = nbody.reference("gravity", {"pos": pos[:100], "mass": 1.0}, eps2=1e-4)
    assert numpy.abs(again.acc - truth.acc).max() < 1e-12 * numpy.abs(truth.acc).max()


def test_what_a_handler_raises_ends_an_evaluation():
    class Stop(Exception):
        pass

    def stop(*_):
        raise Stop("enough")

    before = signal.signal(signal.SIGALRM, stop)
    try:
        pos = numpy.random.default_rng(1).random((400_000, 3))
        engine = nbody.AllPairs("gravity", eps2=1e-4, device="cpu", precision="double")
        begun = time.monotonic()
        signal.setitimer(signal.ITIMER_REAL, 0.3)
        with pytest.raises(Stop, match="enough"):
            engine.evaluate(pos=pos, mass=1.0)
        assert time.monotonic() - begun < 10
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0.0)
        signal.signal(signal.SIGALRM, before)


RUNS = {
    "leapfrog": ("gravity", lambda engine, given: nbody.Leapfrog(engine, step=2.0**-10, **given)),
    "hermite": ("hermite", lambda engine, given: nbody.Hermite(engine, **given)),
    "block_hermite": ("hermite", lambda engine, given: nbody.BlockHermite(engine, **given)),
}


@pytest.mark.parametrize("method", RUNS)
def test_a_run_is_interrupted_between_two_steps(method):
    law, begin = RUNS[method]
    bodies = nbody.plummer(300)
    given = bodies._asdict()
    begun = time.monotonic()
    run = begin(nbody.AllPairs(law, eps2=1e-4, device="cpu"), given)
    timer = interrupted_after(0.3)
    with pytest.raises(KeyboardInterrupt):
        run.advance_to(1e6)
    timer.join()
    assert time.monotonic() - begun < 10
    steps, at = run.steps, run.time
    assert 0 < at < 1e6 and steps > 0
    run.advance()
    assert run.steps == steps + 1 and run.time >= at
    # The steps are those of a run that was not interrupted.
    other = begin(nbody.AllPairs(law, eps2=1e-4, device="cpu"), given)
    while other.steps < run.steps:
        other.advance()
    assert (other.bodies().pos == run.bodies().pos).all()


def test_langevin_is_interrupted_between_two_steps():
    pos = numpy.random.default_rng(1).random((16, 3)) * 8
    liquid = nbody.AllPairs(
        "lennard_jones_stress", sigma2=0.25, epsilon=1.0, cutoff=2.0, box=8.0, device="cpu"
    )
    given = {"pos": pos, "vel": 0 * pos, "mass": numpy.ones(16)}
    given.update(step=1e-3, temperature=0.1, friction=1.0)
    run = nbody.Langevin(liquid, **given)
    for k in range(40):
        timer = interrupted_after(0.01 + 1e-4 * k)
        with pytest.raises(KeyboardInterrupt):
            run.advance_to(1e6)
        timer.join()
    run.advance()
    # A step that was begun has no effect.
    other = nbody.Langevin(liquid, **given)
    while other.steps < run.steps:
        other.advance()
    assert run.steps > 40 and run.time == other.time
    for name in ("pos", "vel"):
        assert (getattr(run.bodies(), name) == getattr(other.bodies(), name)).all()
    assert (run.results.force == other.results.force).all()
