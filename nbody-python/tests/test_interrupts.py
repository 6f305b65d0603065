"""Ctrl-C ends long evaluations and runs."""

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
    yield
    signal.signal(signal.SIGINT, before)


def interrupted_after(seconds):
    """Sends what Ctrl-C sends."""
    timer = threading.Timer(seconds, os.kill, (os.getpid(), signal.SIGINT))
    timer.start()
    return timer


def test_a_long_evaluation_is_interrupted():
    random = numpy.random.default_rng(1)
    n = 400_000
    engine = nbody.AllPairs("gravity", eps2=1e-4, device="cpu", precision="double")
    engine.evaluate(pos=random.random((10, 3)), mass=1.0)
    pos = random.random((n, 3))
    begun = time.monotonic()
    timer = interrupted_after(0.5)
    with pytest.raises(KeyboardInterrupt):
        engine.evaluate(pos=pos, mass=1.0)
    timer.join()
    # The evaluation takes a minute.
    assert time.monotonic() - begun < 10
    again = engine.evaluate(pos=pos[:100], mass=1.0)
    truth = nbody.reference("gravity", {"pos": pos[:100], "mass": 1.0}, eps2=1e-4)
    assert numpy.abs(again.acc - truth.acc).max() < 1e-12 * numpy.abs(truth.acc).max()


def test_a_run_is_interrupted_between_two_steps():
    bodies = nbody.plummer(300)
    engine = nbody.AllPairs("gravity", eps2=1e-4, device="cpu")
    run = nbody.Leapfrog(engine, step=2.0**-10, **bodies._asdict())
    timer = interrupted_after(0.3)
    with pytest.raises(KeyboardInterrupt):
        run.advance_to(1e6)
    timer.join()
    steps, at = run.steps, run.time
    assert 0 < at < 1e6 and at == steps * 2.0**-10
    run.advance()
    assert run.steps == steps + 1
