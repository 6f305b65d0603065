"""The double loop of numpy over a law of `crossing_laws`, and bounds of the rounding errors of engines."""

import itertools
from typing import Any, NamedTuple

import numpy

#: Bound of the rounding errors of the operations of a pair, in units of the last place.
OPERATIONS = 4
#: Bound of coordinates and of lengths of boxes.
EXTENT = 4.0


class Rounding(NamedTuple):
    """The relative errors of an engine."""

    #: Of the arithmetic of a pair.
    pair: float
    #: Of differences of positions, to coordinates; 0 where these are as exact as the arithmetic.
    positions: float
    #: Of an addition.
    sums: float
    #: Of results as they are written.
    results: float


class Pairs(NamedTuple):
    """The pairs of an evaluation."""

    #: Differences of positions, from source to target, of shape (targets, sources and their images, 2 or 3).
    differences: Any
    #: Whether a pair acts.
    acts: Any
    #: The number of sources.
    sources: int


class Bounded(NamedTuple):
    """The true value of a result, and a bound of its error, of one shape."""

    kind: str
    value: Any
    bound: Any
    #: Of sums, the sum of the magnitudes of the terms.
    size: Any = None
    #: Of extremes, the values of all pairs, with infinities for pairs that do not act.
    candidates: Any = None


def vectors_of(box):
    """Returns the vectors of a box, with infinite lengths for open space."""
    lengths = numpy.broadcast_to(numpy.inf if box is None else numpy.asarray(box, float), (3, 3))
    return lengths if numpy.ndim(box) == 2 else numpy.diag(lengths[0])


def nearest_image(box, d):
    """Subtracts whole vectors of the box, the last vector first."""
    if box is None:
        return d
    d = d.copy()
    vectors = vectors_of(box)
    for k in reversed(range(d.shape[-1])):
        d -= numpy.rint(d[..., k] / vectors[k, k])[..., None] * vectors[k, : d.shape[-1]]
    return d


def shifts(box, dimensions):
    """Returns the displacements of images, that of the particle itself first."""
    steps = itertools.product((-2, -1, 0, 1, 2), repeat=dimensions)
    steps = sorted(steps, key=lambda step: sum(map(abs, step)))
    return numpy.array(steps) @ vectors_of(box)[:dimensions, :dimensions]


def pairs_of(crossed, parameters, i, j, *, is_one_set, box, has_images, acts):
    """Returns the pairs that act among some, with images if a cutoff is beyond half of a box."""
    d = nearest_image(box, i["pos"][:, None] - j["pos"][None])
    n, sources = d.shape[:2]
    is_self = numpy.eye(n, sources, dtype=bool) & (is_one_set and not crossed.self_pairs)
    if has_images:
        moved = shifts(box, d.shape[-1])
        acts = numpy.concatenate([acts & ~is_self, *[acts] * (len(moved) - 1)], 1)
        d = numpy.concatenate([d + shift for shift in moved], 1)
    else:
        acts = acts & ~is_self
    if crossed.cutoff is not None:
        acts &= (d * d).sum(-1) < crossed.cutoff(parameters, i) ** 2
    return Pairs(d, acts, sources)


def expected(crossed, parameters, i, j, pairs, rounding):
    """Returns the true results with bounds of their errors."""
    copies = pairs.acts.shape[1] // pairs.sources if pairs.sources else 1
    repeated = {name: numpy.concatenate([values] * copies) for name, values in j.items()}
    terms = crossed.terms(parameters, i, repeated, pairs.differences)
    r2 = (pairs.differences**2).sum(-1)
    steepness = OPERATIONS * crossed.steepness(parameters, r2)
    relative = OPERATIONS * rounding.pair + steepness * numpy.sqrt(r2) * rounding.pair
    moved = steepness * rounding.positions * EXTENT
    return {
        name: _reduced(term, pairs.acts, _errors(term, relative, moved), rounding)
        for name, term in terms.items()
    }


def _errors(term, relative, moved):
    """Returns bounds of the errors of terms, of their arithmetic and of positions, which change all components
    of a vector."""
    size = numpy.abs(term.value if term.magnitude is None else term.magnitude)
    if size.ndim == relative.ndim:
        return size * (relative + moved)
    whole = numpy.sqrt((size * size).sum(-1, keepdims=True))
    return size * relative[..., None] + whole * moved[..., None]


def _reduced(term, acts, errors, rounding):
    kind, value, magnitude = term
    acts = acts.reshape(acts.shape + (1,) * (value.ndim - acts.ndim))
    if kind == "count":
        return Bounded(kind, (acts * value).sum(1), 0)
    errors = numpy.where(acts, errors, 0.0)
    if kind == "sum":
        total = numpy.where(acts, value, 0.0).sum(1)
        size = numpy.abs(value if magnitude is None else magnitude)
        size = numpy.where(acts, size, 0.0).sum(1)
        additions = acts.sum(1) * rounding.sums * size
        bound = errors.sum(1) + additions + rounding.results * abs(total)
        return Bounded(kind, total, bound, size)
    sign = -1.0 if kind == "max" else 1.0
    every = numpy.where(acts, sign * value, numpy.inf)
    count = 3 if kind == "nearest" else 1
    padded = numpy.pad(every, ((0, 0), (0, count)), constant_values=numpy.inf)
    least = sign * numpy.sort(padded, 1)[:, :count]
    # The greatest error of a value that may be taken.
    bound = errors.max(1, initial=0.0)[:, None] + rounding.results * numpy.where(
        numpy.isfinite(least), abs(least), 0.0
    )
    if kind != "nearest":
        least, bound = least[:, 0], bound[:, 0]
    return Bounded(kind, least, bound, candidates=every)


def error_of(found, name, bounded, sources):
    """Returns the largest error of a result in units of its bound, infinite for a wrong count or index."""
    if bounded.kind == "count":
        return 0.0 if numpy.array_equal(found[name], bounded.value) else numpy.inf
    by_index = bounded.kind in ("argmin", "nearest")
    plural = "s" if bounded.kind == "nearest" else ""
    value = found[f"{name}.value{plural}"] if by_index else found[name]
    error = _ratio(value, bounded)
    if by_index:
        index = found[f"{name}.ind{'ices' if plural else 'ex'}"]
        error = max(error, _error_of_indices(index, bounded, sources))
    return error


def _ratio(value, bounded):
    value = numpy.asarray(value, float)
    same = value == bounded.value
    with numpy.errstate(all="ignore"):
        ratio = numpy.where(same, 0.0, abs(value - bounded.value) / bounded.bound)
    ratio = numpy.where(numpy.isnan(ratio), numpy.inf, ratio)
    return float(ratio.max(initial=0.0))


def _error_of_indices(index, bounded, sources):
    """Compares the values of the sources that indices name with the true extremes."""
    index = numpy.asarray(index).reshape(len(index), 3 if bounded.kind == "nearest" else 1)
    truth = bounded.value.reshape(index.shape)
    bound = numpy.broadcast_to(numpy.asarray(bounded.bound), bounded.value.shape).reshape(index.shape)
    if ((index < 0) != numpy.isinf(truth)).any() or (index >= max(sources, 1)).any():
        return numpy.inf
    if sources == 0:
        return 0.0
    images = bounded.candidates.shape[1] // sources
    every = bounded.candidates.reshape(len(index), images, sources)
    # The images of a source: the one that is named once is the nearest.
    ordered = numpy.sort(every, 1)
    worst = 0.0
    for column in range(index.shape[1]):
        times = (index[:, :column] == index[:, column : column + 1]).sum(1)
        rows = numpy.flatnonzero(index[:, column] >= 0)
        value = ordered[rows, times[rows], index[rows, column]]
        with numpy.errstate(all="ignore"):
            ratio = numpy.where(
                value == truth[rows, column],
                0.0,
                abs(value - truth[rows, column]) / bound[rows, column],
            )
        worst = max(worst, float(numpy.nan_to_num(ratio, nan=numpy.inf).max(initial=0.0)))
    return worst
