"""The command `python -m nbody`: devices, laws, checks and times.

The package of Rust has a larger command, `nbody`, which also simulates clusters and draws plots.
"""

from __future__ import annotations

import argparse
import statistics
import sys
import time
from typing import Any, Optional, Sequence

import nbody


def _particles(law: nbody.Law, n: int, seed: int) -> dict[str, Any]:
    """Returns random particles of one set: positions and reals in (0, 1), integers 0."""
    import numpy

    random = numpy.random.default_rng(seed)
    fields: dict[str, Any] = {}
    for described in (law._native.targets, law._native.sources):
        for name, kind, numbers in described:
            if kind == "u32":
                fields[name] = numpy.zeros(n, "int64")
            elif numbers == 1 and not kind.startswith(("Point", "Vector", "[")):
                fields[name] = random.random(n)
            else:
                fields[name] = random.random((n, numbers))
    return fields


def _parameters(given: Sequence[str]) -> dict[str, Any]:
    parameters: dict[str, Any] = {}
    for pair in given:
        name, equals, value = pair.partition("=")
        if not equals:
            raise ValueError(f"--set {pair}: expected name=number, or name=number,number")
        numbers = [float(part) for part in value.split(",")]
        parameters[name] = numbers[0] if len(numbers) == 1 else numbers
    return parameters


def _devices(_: argparse.Namespace) -> int:
    best = nbody.device("best")
    print(f"best  {best.name}")
    if best.fallback_reason:
        print(f"      no GPU: {best.fallback_reason}")
    if not best.is_cpu:
        print(f"cpu   {nbody.device('cpu').name}")
    return 0


def _laws(given: argparse.Namespace) -> int:
    for name in given.law or nbody.ready_laws():
        print(nbody.law(name))
    return 0


def _emit(given: argparse.Namespace) -> int:
    law = nbody.law(given.law)
    names = ("schedule", "walk", "precision", "periodic")
    options = {name: getattr(given, name) for name in names if getattr(given, name)}
    if given.program:
        print(nbody.emit(law, **options))
        return 0
    if options:
        raise ValueError(f"--{next(iter(options))} is of a whole program: add --program")
    print(law.cuda if given.cuda else law.text)
    return 0


def _check(given: argparse.Namespace) -> int:
    law = nbody.law(given.law)
    engine = nbody.AllPairs(
        law,
        device=given.device,
        precision=given.precision,
        parameters=_parameters(given.set),
    )
    report = engine.compare(_particles(law, given.n, given.seed))
    print(report)
    print("passes" if report.passes else "FAILS: an error is beyond its bound")
    return 0 if report.passes else 1


def _bench(given: argparse.Namespace) -> int:
    law = nbody.law(given.law)
    particles = _particles(law, given.n, given.seed)
    begun = time.perf_counter()
    engine = nbody.AllPairs(
        law, device=given.device, precision=given.precision, parameters=_parameters(given.set)
    )
    engine.evaluate(particles)
    first = time.perf_counter() - begun
    times = []
    for _ in range(given.runs):
        begun = time.perf_counter()
        engine.evaluate(particles)
        times.append(time.perf_counter() - begun)
    median = statistics.median(times)
    print(f"{law.name} of {given.n} particles on {nbody.device(given.device).name}")
    print(f"first call {first:10.4f} s")
    print(f"median     {median:10.4g} s of {given.runs}, {min(times):.4g} to {max(times):.4g}")
    print(f"pairs      {given.n * given.n / median:10.3g} /s")
    return 0


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="python -m nbody",
        description="List devices and laws, check a law against the reference, and time it.",
        epilog="Exit codes: 0 success, 1 a failure or a check that did not pass, 2 a wrong command line.",
    )
    parser.add_argument("--version", action="version", version=f"nbody {nbody.__version__}")
    commands = parser.add_subparsers(required=True, metavar="COMMAND")

    def command(name: str, run: Any, text: str) -> argparse.ArgumentParser:
        added = commands.add_parser(name, help=text, description=text)
        added.set_defaults(run=run)
        return added

    def one_law(added: argparse.ArgumentParser) -> None:
        added.add_argument("law", help="the name of a ready law, or a file .rs")

    def evaluated(added: argparse.ArgumentParser) -> None:
        one_law(added)
        added.add_argument("--device", default="best", help='"best", "cpu", "cuda:0", "emulator", ...')
        added.add_argument("--precision", choices=["single", "mixed", "double"], default="single")
        added.add_argument("--set", action="append", default=[], metavar="NAME=NUMBER")
        added.add_argument("-n", type=int, default=1000, help="number of random particles")
        added.add_argument("--seed", type=int, default=1, help="seed of their numbers")

    command("devices", _devices, "List the devices.")
    laws = command("laws", _laws, "Print laws with their fields; without names all ready laws.")
    laws.add_argument("law", nargs="*")
    emit = command("emit", _emit, "Print the text of a law.")
    one_law(emit)
    text = emit.add_mutually_exclusive_group()
    text.add_argument("--cuda", action="store_true", help="the CUDA text that it is compiled to")
    text.add_argument("--program", action="store_true", help="the whole CUDA program with its kernels")
    schedules = ["ordered", "symmetric", "few"]
    emit.add_argument("--schedule", choices=schedules, help="of the program; ordered if none is given")
    emit.add_argument("--walk", choices=["groups", "particles"], help="the program of a tree")
    precisions = ["single", "mixed", "double"]
    emit.add_argument("--precision", choices=precisions, help="of the program; single if none is given")
    emit.add_argument("--periodic", action="store_true", help="the program of a periodic box")
    evaluated(command("check", _check, "Compare a law with the reference and with error bounds."))
    bench = command("bench", _bench, "Time evaluations of a law.")
    evaluated(bench)
    bench.add_argument("--runs", type=int, default=7, help="number of timed evaluations")
    return parser


def main(arguments: Optional[Sequence[str]] = None) -> int:
    """Runs the command; returns its exit code."""
    given = _parser().parse_args(arguments)
    try:
        return int(given.run(given))
    except BrokenPipeError:
        return 0
    except (OSError, TypeError, ValueError, ArithmeticError, RuntimeError, MemoryError) as error:
        print(f"error: {error}", file=sys.stderr)
        return 1


if __name__ == "__main__":
    sys.exit(main())
