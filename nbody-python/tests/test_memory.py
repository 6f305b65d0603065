"""Many calls of every engine take no memory, whatever they are given."""

import gc

import numpy
import pytest
from conftest import particles
from test_laws import LENNARD_JONES

import nbody

CALLS = 100_000
#: A leak of one word in each second call would be 100 pages.
PAGES = 40
ROWS = ([0, 2, 4, 5, 6, 6, 6, 7, 8], [1, 2, 0, 3, 1, 0, 7, 6])
LJ = {"epsilon": 1.0, "sigma2": 0.01, "reach": 0.5}

ENGINES = {
    "pairs": lambda: nbody.AllPairs("gravity", eps2=1e-2, device="cpu"),
    "tree": lambda: nbody.Tree("gravity", eps2=1e-2, theta=0.5, device="cpu"),
    "rows": lambda: nbody.ShortRange("gravity", eps2=1e-2, rows=ROWS, device="cpu"),
    "lists": lambda: nbody.ShortRange(nbody.law(LENNARD_JONES), **LJ, device="cpu", box=2.0),
}


def pages():
    """Returns the memory of the process in pages."""
    gc.collect()
    with open("/proc/self/statm", encoding="ascii") as statm:
        return int(statm.read().split()[1])


def fields_of(engine):
    pos, mass = particles(8)
    return {"pos": pos, "mass": mass} if "mass" in engine.law.targets else {"pos": pos}


def grown(work, count):
    """Returns the number of pages that calls take, after some that fill what is kept."""
    for k in range(count // 10):
        work(k)
    before = pages()
    for k in range(count):
        work(k)
    return pages() - before


@pytest.mark.parametrize("kind", ENGINES)
def test_evaluations_do_not_take_memory(kind):
    """Each second call has arrays for results, and each tenth a wrong array among right ones."""
    engine = ENGINES[kind]()
    fields = fields_of(engine)
    first = engine.evaluate(fields)
    out = {name: numpy.zeros_like(first[name]) for name in first}
    still = {name: array.copy() for name, array in out.items()}
    for array in still.values():
        array.flags.writeable = False
    wrong = [
        (fields, still),
        ({**fields, "vel": fields["pos"]}, None),
        ({**fields, "pos": fields["pos"][:, :2]}, None),
        ({**fields, "pos": fields["pos"].tolist()}, None),
        ({**fields, "pos": fields["pos"].astype("float16")}, out),
    ]
    raised = 0

    def work(k):
        nonlocal raised
        if k % 10:
            engine.evaluate(fields, out=out if k % 2 else None)
            return
        arguments, results = wrong[k // 10 % len(wrong)]
        try:
            engine.evaluate(arguments, out=results)
        except (TypeError, ValueError):
            raised += 1

    assert grown(work, CALLS) < PAGES
    assert raised == (CALLS + CALLS // 10) // 10


@pytest.mark.parametrize("kind", ENGINES)
def test_engines_that_are_dropped_do_not_take_memory(kind):
    fields = fields_of(ENGINES[kind]())

    def work(_):
        engine = ENGINES[kind]()
        engine.evaluate(fields)
        engine.set_box(4.0)
        engine.evaluate({name: array.astype("float32") for name, array in fields.items()})

    # A leak of a page an engine would be 80 pages.
    assert grown(work, 80) < 40
