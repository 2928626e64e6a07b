"""All pairs: how each of many outputs follows from each of many inputs, streamed into the first few per output.

The tape is cut down to what lies between inputs and outputs, and numbers with one parent are folded into those that use
them. Stored the other way round, each number then lists its users; with g the derivatives of a block of outputs by each
number, g of a number is the sum over its users of `partial * g[user]`. In the order of the tape reversed, that is the
product of a sparse matrix with a block of vectors that is the result at the same time, once for each block. Only blocks
are held, never outputs times inputs.
"""

from __future__ import annotations

import os
from collections import deque
from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from mlvet.analyses.provenance.sweep import Sweeps
from mlvet.core.errors import UsageError
from mlvet.runtime.provenance.tape import Numbers, Places, Step

MEMORY = 1e9
"""Bytes that the blocks of all threads may take, unless told otherwise."""
_WIDEST = 64
"""Outputs in a block: more do not help, since their derivatives leave the processor's cache."""


@dataclass(frozen=True, slots=True)
class Pairs:
    """For each output the first inputs by share: indices into the inputs, derivatives and shares, largest first.

    `residual` is the share of all inputs that are not among them; `acting` counts inputs whose derivative is not 0.
    """

    inputs: NDArray[np.int64]
    derivatives: Numbers
    shares: Numbers
    residual: Numbers
    acting: NDArray[np.int64]


@dataclass(frozen=True, slots=True)
class Between:
    """The part of a tape between inputs and outputs, last number first: `ends`, `users` and `partials` of each number.

    `outputs` and `inputs` say which number each of them is, -1 for those that hang on nothing and those on which
    nothing hangs.
    """

    ends: NDArray[np.int32]
    users: NDArray[np.int32]
    partials: Numbers
    outputs: NDArray[np.int64]
    inputs: NDArray[np.int64]

    @property
    def size(self) -> int:
        return len(self.ends) - 1

    @classmethod
    def of(cls, sweeps: Sweeps, outputs: Places, inputs: Places) -> Between:
        """Cut the tape down; it may have no steps of whole arrays."""
        from scipy.sparse import _sparsetools

        ends, parents, partials = _joined(sweeps)
        ones = np.ones(len(parents))
        last = sweeps.size - 1
        seen = sweeps.tainted(outputs.tolist())[::-1]
        hangs = np.zeros(sweeps.size)
        hangs[inputs[inputs > 0]] = 1.0
        forward = (len(parents) - ends[::-1]).astype(np.int32), np.ascontiguousarray((last - parents)[::-1])
        _sparsetools.csr_matvec(sweeps.size, sweeps.size, *forward, ones, hangs, hangs)
        kept = seen & (hangs[::-1] > 0)
        named = np.zeros(sweeps.size, bool)
        named[last - outputs] = named[last - inputs] = True
        return _folded(ends, parents, partials, kept, named, last - outputs, last - inputs)


def _joined(sweeps: Sweeps) -> tuple[NDArray[np.int32], NDArray[np.int32], Numbers]:
    """All rows of a tape, last first; the number that stands for constants has an empty one."""
    rows = [part.plain() for part in sweeps.parts[::-1] if not isinstance(part, Step)]
    counts = [np.diff(each.ends, prepend=0)[::-1] for each in rows]
    ends = np.concatenate([[0], np.cumsum(np.concatenate([np.zeros(0, np.int64), *counts]))])
    parents = [sweeps.size - 1 - each.parents[::-1] for each in rows]
    partials = np.concatenate([np.zeros(0), *(each.partials[::-1] for each in rows)])
    return np.append(ends, ends[-1]).astype(np.int32), np.concatenate([np.zeros(0, np.int32), *parents]), partials


def _folded(
    ends: NDArray[np.int32], parents: NDArray[np.int32], partials: Numbers, kept: NDArray[np.bool_],
    named: NDArray[np.bool_], outputs: Places, inputs: Places,
) -> Between:  # fmt: skip
    """Only the numbers to keep, without those that have one parent alone and are neither input nor output."""
    users = np.repeat(np.arange(len(ends) - 1, dtype=np.int32), np.diff(ends))
    both = kept[users] & kept[parents]
    users, parents, partials = users[both], parents[both], partials[both]
    single = kept & ~named & (np.bincount(users, minlength=len(kept)) == 1)
    root, factor = np.arange(len(kept)), np.ones(len(kept))
    of_single = single[users]
    root[users[of_single]], factor[users[of_single]] = parents[of_single], partials[of_single]
    while single[root].any():
        factor *= factor[root]
        root = root[root]
    users, parents, partials = users[~of_single], parents[~of_single], partials[~of_single]
    partials = partials * factor[parents]
    stays = kept & ~single
    number = np.where(stays, np.cumsum(stays) - 1, -1)
    count = int(stays.sum())
    rows = number[root[parents]]
    order = np.argsort(rows, kind="stable")
    starts = np.concatenate([[0], np.cumsum(np.bincount(rows, minlength=count))]).astype(np.int32)
    return Between(starts, number[users][order].astype(np.int32), partials[order], number[outputs], number[inputs])


def blocks(
    sweeps: Sweeps, outputs: Places, inputs: Places, memory: float = MEMORY, threads: int | None = None
) -> Iterator[tuple[int, Numbers]]:
    """Derivatives of blocks of outputs by all inputs: the first output of a block, and its rows."""
    wanted = np.asarray(outputs, np.int64)
    places = np.asarray(inputs, np.int64)
    if any(isinstance(each, Step) for each in sweeps.parts):
        for at, place in enumerate(wanted.tolist()):
            yield at, sweeps.backward({place: 1.0})[places][None]
        return
    between = Between.of(sweeps, wanted, places)
    threads = threads or max(1, len(os.sched_getaffinity(0)))
    width = _width(between, len(places), len(wanted), memory, threads)
    starts = range(0, len(wanted), width)
    with ThreadPoolExecutor(threads) as pool:
        running = deque(
            pool.submit(_block, between, start, min(start + width, len(wanted))) for start in starts[:threads]
        )
        for number, start in enumerate(starts):
            done = running.popleft().result()
            if number + threads < len(starts):
                following = starts[number + threads]
                running.append(pool.submit(_block, between, following, min(following + width, len(wanted))))
            yield start, done


def _width(between: Between, inputs: int, outputs: int, memory: float, threads: int) -> int:
    """How many outputs a block may have: each thread holds the derivatives by all numbers, and two of inputs."""
    each = 8 * (between.size + 3 * inputs)
    room = int(memory - between.partials.nbytes - between.users.nbytes) // (each * threads)
    if room < 1:
        needed = (each * threads + between.partials.nbytes + between.users.nbytes) / 1e6
        raise UsageError(f"all pairs need {needed:,.0f} MB; allow more with --memory, or ask for fewer outputs")
    return min(room, _WIDEST, -(-outputs // threads))


def _block(between: Between, first: int, last: int) -> Numbers:
    """The derivatives of some outputs, one row each."""
    from scipy.sparse import _sparsetools

    count = last - first
    given = np.zeros((between.size, count))
    seeds = between.outputs[first:last]
    acts = np.flatnonzero(seeds >= 0)
    given[seeds[acts], acts] = 1.0
    flat = given.ravel()
    _sparsetools.csr_matvecs(
        between.size, between.size, count, between.ends, between.users, between.partials, flat, flat
    )
    found = np.zeros((count, len(between.inputs)))
    known = between.inputs >= 0
    if known.all():
        found[:] = given[between.inputs].T
    else:
        found[:, known] = given[between.inputs[known]].T
    return found


def pairs(
    sweeps: Sweeps, outputs: Sequence[int] | Places, inputs: Sequence[int] | Places, scales: Numbers, top: int = 20,
    memory: float = MEMORY, threads: int | None = None,
) -> Pairs:  # fmt: skip
    """The first inputs of every output by share, where an input's influence is |derivative| times its scale."""
    places, wanted = np.asarray(inputs, np.int64), np.asarray(outputs, np.int64)
    top = min(top, len(places))
    found = Pairs(
        np.zeros((len(wanted), top), np.int64), np.zeros((len(wanted), top)), np.zeros((len(wanted), top)),
        np.zeros(len(wanted)), np.zeros(len(wanted), np.int64),
    )  # fmt: skip
    for first, rows in blocks(sweeps, wanted, places, memory, threads):
        _first(found, first, rows, scales, top)
    return found


def _first(found: Pairs, first: int, rows: Numbers, scales: Numbers, top: int) -> None:
    """Put the largest of a block into what was found."""
    weights = np.abs(rows)
    weights *= scales
    weights[~np.isfinite(weights)] = 0.0
    totals = weights.sum(1)
    at = slice(first, first + len(rows))
    if top < weights.shape[1]:
        chosen = np.argpartition(weights, -top, axis=1)[:, -top:]
    else:
        chosen = np.tile(np.arange(top), (len(rows), 1))
    shares = np.take_along_axis(weights, chosen, 1) / np.where(totals > 0, totals, 1.0)[:, None]
    order = np.argsort(-shares, axis=1, kind="stable")
    found.inputs[at] = np.take_along_axis(chosen, order, 1)
    found.shares[at] = np.take_along_axis(shares, order, 1)
    found.derivatives[at] = np.take_along_axis(rows, found.inputs[at], 1)
    found.residual[at] = np.where(totals > 0, np.maximum(0.0, 1.0 - found.shares[at].sum(1)), 0.0)
    found.acting[at] = np.count_nonzero(rows, axis=1)
