"""Products of traced vectors and matrices, and linear systems.

Small products are written as rows. Large ones are steps: they keep the two arrays and pull derivatives back by
products.
"""

from __future__ import annotations

from string import ascii_letters
from typing import Any

from mlvet.runtime.provenance.array_values import Places, TracedArray, as_traced, split, with_places
from mlvet.runtime.provenance.arrays_decompositions import norm_by_values
from mlvet.runtime.provenance.arrays_functions import _into, composed, plain, rule
from mlvet.runtime.provenance.breaks import broken
from mlvet.runtime.provenance.plain_numpy import np
from mlvet.runtime.provenance.tape import TAPE
from mlvet.runtime.provenance.ufuncs import wide, write_groups

_FEW = 1 << 15
"""Entries up to which a product is written as rows."""


def einsum_places(subscripts: str, data: list[Any], places: list[Places | None], shape: tuple[int, ...]) -> Places:
    """Places of a sum of products in explicit notation, without repeated letters inside one operand."""
    inputs, output = subscripts.split("->")
    terms = inputs.split(",")
    values = [wide(each) for each in data]
    sizes = {
        letter: size
        for term, each in zip(terms, values, strict=True)
        for letter, size in zip(term, each.shape, strict=True)
    }
    volume = int(np.prod([sizes[letter] for letter in sizes], dtype=np.int64))
    if volume * len(terms) <= _FEW:
        return _as_rows(terms, output, values, places, sizes, shape)
    hanging = [index for index, each in enumerate(places) if each is not None]

    def pullback(slopes: Any) -> list[Any]:
        slopes = np.reshape(slopes, [sizes[letter] for letter in output])
        return [_slope(index, terms, output, values, slopes, sizes).reshape(-1) for index in hanging]

    def forward(changes: Any) -> Any:
        total = 0.0
        for index, change in zip(hanging, changes, strict=True):
            operands = [*values[:index], np.reshape(change, values[index].shape), *values[index + 1 :]]
            total = total + np.einsum(f"{','.join(terms)}->{output}", *operands, optimize=True)
        return np.reshape(total, -1)

    count = int(np.prod(shape, dtype=np.int64))
    parents = [np.array(places[index]).reshape(-1) for index in hanging]
    first = TAPE.step(count, parents, pullback, "einsum", forward)
    return np.arange(first, first + count).reshape(shape)


def _slope(index: int, terms: list[str], output: str, values: list[Any], slopes: Any, sizes: dict[str, int]) -> Any:
    others = [term for position, term in enumerate(terms) if position != index]
    operands = [value for position, value in enumerate(values) if position != index]
    own = terms[index]
    reached = "".join(letter for letter in own if letter in output or any(letter in term for term in others))
    slope = np.einsum(f"{','.join((output, *others))}->{reached}", slopes, *operands, optimize=True)
    if reached != own:
        slope = slope.reshape([sizes[letter] if letter in reached else 1 for letter in own])
        slope = np.broadcast_to(slope, [sizes[letter] for letter in own])
    return slope


def _as_rows(
    terms: list[str], output: str, values: list[Any], places: list[Places | None], sizes: dict[str, int],
    shape: tuple[int, ...],
) -> Places:  # fmt: skip
    letters = output + "".join(letter for letter in sizes if letter not in output)
    full = tuple(sizes[letter] for letter in letters)

    def spread(array: Any, term: str) -> Any:
        order = sorted(range(len(term)), key=lambda position: letters.index(term[position]))
        moved = np.transpose(array, order)
        return np.broadcast_to(moved.reshape([sizes[each] if each in term else 1 for each in letters]), full)

    wides = [spread(value, term) for value, term in zip(values, terms, strict=True)]
    parents, partials = [], []
    for index, each in enumerate(places):
        if each is not None:
            parents.append(spread(each, terms[index]))
            partial = np.ones(full)
            for position, other in enumerate(wides):
                if position != index:
                    partial = partial * other
            partials.append(partial)
    count = int(np.prod(shape, dtype=np.int64))
    both = np.stack(parents, axis=-1).reshape(count, -1)
    found = write_groups(np.full(count, both.shape[1]), both, np.stack(partials, axis=-1).reshape(-1))
    return found.reshape(shape)


def contracted(function: Any, data: list[Any], places: list[Places | None], result: Any) -> Places | None:
    """Places of a product by one of NumPy's functions over the last axes: matmul, vecdot, matvec, vecmat."""
    a, b = np.asarray(data[0]), np.asarray(data[1])
    name = function.__name__
    if name not in ("matmul", "vecdot", "matvec", "vecmat"):
        broken(name)
        return None
    left = {"matmul": 1 if a.ndim == 1 else 2, "vecdot": 1, "matvec": 2, "vecmat": 1}[name]
    right = {"matmul": 1 if b.ndim == 1 else 2, "vecdot": 1, "matvec": 1, "vecmat": 2}[name]
    core_a, core_b = "ij"[2 - left :], "jk"[:right] if right == 2 else "j"
    core = core_a.replace("j", "") + core_b.replace("j", "")
    batch = ascii_letters[20 : 20 + max(a.ndim - left, b.ndim - right)]
    terms, operands, sources = [], [], []
    for array, where_from, inner, own in ((a, places[0], left, core_a), (b, places[1], right, core_b)):
        outer = array.ndim - inner
        names = batch[len(batch) - outer :] if outer else ""
        kept = [axis for axis in range(outer) if array.shape[axis] != 1]
        dropped = tuple(axis for axis in range(outer) if array.shape[axis] == 1)
        terms.append("".join(names[axis] for axis in kept) + own)
        operands.append(array.squeeze(dropped))
        sources.append(None if where_from is None else where_from.squeeze(dropped))
    present = "".join(letter for letter in batch if any(letter in term for term in terms))
    return einsum_places(f"{terms[0]},{terms[1]}->{present}{core}", operands, sources, np.shape(result))


def _product(subscripts: str, operands: list[Any], data: Any) -> Any:
    parts = [split(each) for each in operands]
    if all(places is None for _, places in parts):
        return with_places(data, None) if isinstance(data, np.ndarray) else data
    found = einsum_places(subscripts, [each for each, _ in parts], [each for _, each in parts], np.shape(data))
    return with_places(data, found)


def dot(a: Any, b: Any, out: Any = None) -> Any:
    data = np.dot(plain(a), plain(b), plain(out))
    first, second = as_traced(a), as_traced(b)
    left = ascii_letters[: first.ndim]
    right = ascii_letters[26 : 26 + second.ndim]
    if first.ndim and second.ndim:
        position = max(0, second.ndim - 2)
        right = right[:position] + left[-1] + right[position + 1 :]
        output = left[:-1] + right[:position] + right[position + 1 :]
    else:
        output = left + right
    result = _product(f"{left},{right}->{output}", [first, second], data)
    return result if out is None else _into(data, split(result)[1], out)


rule(np.dot)(dot)
_class: Any = TracedArray
_class.dot = dot


@rule(np.vdot)
def _vdot(a: Any, b: Any) -> Any:
    return _product("i,i->", [as_traced(a).reshape(-1), as_traced(b).reshape(-1)], np.vdot(plain(a), plain(b)))


@rule(np.inner)
def _inner(a: Any, b: Any) -> Any:
    data = np.inner(plain(a), plain(b))
    first, second = as_traced(a), as_traced(b)
    if not first.ndim or not second.ndim:
        return composed(data, first * second)
    left = ascii_letters[: first.ndim]
    right = ascii_letters[26 : 25 + second.ndim]
    return _product(f"{left},{right}{left[-1]}->{left[:-1]}{right}", [first, second], data)


@rule(np.outer)
def _outer(a: Any, b: Any, out: Any = None) -> Any:
    data = np.outer(plain(a), plain(b), plain(out))
    product = np.multiply.outer(as_traced(a).reshape(-1), as_traced(b).reshape(-1))
    return _into(data, split(product)[1], out)


@rule(np.tensordot)
def _tensordot(a: Any, b: Any, axes: Any = 2) -> Any:
    data = np.tensordot(plain(a), plain(b), plain(axes))
    first, second = as_traced(a), as_traced(b)
    if isinstance(axes, (int, np.integer)):
        axes_a: list[Any]
        axes_b: list[Any]
        axes_a, axes_b = list(range(first.ndim - int(axes), first.ndim)), list(range(int(axes)))
    else:
        axes_a, axes_b = ([each] if isinstance(each, (int, np.integer)) else list(each) for each in axes)
    left, right = list(ascii_letters[: first.ndim]), list(ascii_letters[26 : 26 + second.ndim])
    for from_a, from_b in zip(axes_a, axes_b, strict=True):
        right[from_b] = left[from_a]
    output = [each for each in left if each not in right] + [each for each in right if each not in left]
    return _product(f"{''.join(left)},{''.join(right)}->{''.join(output)}", [first, second], data)


def _without_repeats(letters: str, array: Any) -> tuple[str, Any]:
    """An operand whose repeated axes are replaced by their diagonal."""
    for letter in dict.fromkeys(letters):
        while letters.count(letter) > 1:
            one, two = letters.index(letter), letters.rindex(letter)
            array = array.diagonal(axis1=one, axis2=two)
            letters = "".join(each for at, each in enumerate(letters) if at not in (one, two)) + letter
    return letters, array


def _without_ones(terms: list[str], values: list[Any]) -> tuple[list[str], list[Any]]:
    """Operands without the axes of length 1 that others stretch."""
    lengths = [dict(zip(term, each.shape, strict=True)) for term, each in zip(terms, values, strict=True)]
    longest = {letter: max(each.get(letter, 1) for each in lengths) for term in terms for letter in term}
    stretched = [
        [letter for letter in term if each[letter] < longest[letter]] for term, each in zip(terms, lengths, strict=True)
    ]
    return (
        ["".join(letter for letter in term if letter not in gone) for term, gone in zip(terms, stretched, strict=True)],
        [
            each.squeeze(tuple(term.index(letter) for letter in gone)) if gone else each
            for term, each, gone in zip(terms, values, stretched, strict=True)
        ],
    )


def _in_letters(operands: tuple[Any, ...]) -> tuple[list[str], str, list[Any]]:
    """The letters of each operand and of the result, without ellipses, and the operands."""
    subscripts, *arrays = operands
    if not isinstance(subscripts, str):
        pairs = operands[: len(operands) // 2 * 2]
        arrays = list(pairs[::2])
        terms = ["".join("..." if each is Ellipsis else ascii_letters[each] for each in axes) for axes in pairs[1::2]]
        subscripts = ",".join(terms)
        if len(operands) % 2:
            subscripts += "->" + "".join("..." if each is Ellipsis else ascii_letters[each] for each in operands[-1])
    subscripts = subscripts.replace(" ", "")
    inputs, arrow, output = subscripts.partition("->")
    terms = inputs.split(",")
    ranks = [np.ndim(plain(array)) - len(term.replace("...", "")) for term, array in zip(terms, arrays, strict=True)]
    most = max((rank for rank, term in zip(ranks, terms, strict=True) if "." in term), default=0)
    free = "".join(letter for letter in ascii_letters if letter not in subscripts)[:most]
    if not arrow:
        letters = inputs.replace(",", "").replace(".", "")
        output = "..." if "." in inputs else ""
        output += "".join(sorted(letter for letter in set(letters) if letters.count(letter) == 1))
    written = [term.replace("...", free[most - rank :]) for term, rank in zip(terms, ranks, strict=True)]
    return written, output.replace("...", free), arrays


@rule(np.einsum)
def _einsum(*operands: Any, out: Any = None, optimize: Any = False, **options: Any) -> Any:
    data = np.einsum(*map(plain, operands), optimize=optimize, **options)
    inputs, output, arrays = _in_letters(operands)
    terms, values = [], []
    for letters, array in zip(inputs, arrays, strict=True):
        term, each = _without_repeats(letters, as_traced(array))
        terms.append(term)
        values.append(each)
    terms, values = _without_ones(terms, values)
    result = _product(f"{','.join(terms)}->{output}", values, data)
    return _into(data, split(result)[1], out)


@rule(np.kron)
def _kron(a: Any, b: Any) -> Any:
    data = np.kron(plain(a), plain(b))
    first, second = as_traced(a), as_traced(b)
    size = max(first.ndim, second.ndim)
    first = first.reshape((1,) * (size - first.ndim) + first.shape)
    second = second.reshape((1,) * (size - second.ndim) + second.shape)
    product = np.multiply.outer(first, second).transpose(
        [axis + side * size for axis in range(size) for side in (0, 1)]
    )
    return composed(data, product.reshape(np.shape(data)))


@rule(np.linalg.norm)
def _norm(x: Any, ord: Any = None, axis: Any = None, keepdims: bool = False) -> Any:
    data = np.linalg.norm(plain(x), ord, axis, keepdims)
    values = as_traced(x)
    matrix = (axis is None and values.ndim == 2 and ord is not None) or (isinstance(axis, tuple) and len(axis) == 2)
    options: dict[str, Any] = {"axis": axis, "keepdims": keepdims}
    if matrix and ord in (1, -1, np.inf, -np.inf):
        rows, columns = (0, 1) if axis is None else axis
        summed = abs(values).sum(axis=rows if abs(ord) == 1 else columns, keepdims=True)
        return composed(
            data,
            np.reshape(
                summed.max(axis=(rows, columns)) if ord > 0 else summed.min(axis=(rows, columns)), np.shape(data)
            ),
        )
    if ord is None or ord == "fro" or (ord == 2 and not matrix):
        return composed(data, np.sqrt((values * values).sum(**options)))
    if matrix:
        return norm_by_values(data, values, ord, axis)
    if ord in (np.inf, -np.inf):
        return composed(data, abs(values).max(**options) if ord > 0 else abs(values).min(**options))
    if ord == 1:
        return composed(data, abs(values).sum(**options))
    if ord == 0:
        return with_places(data, None)
    return composed(data, (abs(values) ** ord).sum(**options) ** (1.0 / ord))


def _stepped(name: str, data: Any, operands: list[Any], pull: Any) -> Any:
    """A step whose pullback takes the slopes in the shape of the result and gives one array for each operand."""
    places = [split(each)[1] for each in operands]
    hanging = [index for index, each in enumerate(places) if each is not None]
    shape = np.shape(data)

    def pullback(slopes: Any) -> list[Any]:
        found = pull(np.reshape(slopes, shape))
        return [np.reshape(found[index], -1) for index in hanging]

    if not hanging:
        return with_places(data, None) if isinstance(data, np.ndarray) else data
    count = int(np.prod(shape, dtype=np.int64))
    first = TAPE.step(count, [np.array(places[index]).reshape(-1) for index in hanging], pullback, name)
    return with_places(data, np.arange(first, first + count).reshape(shape))


def solved(name: str, data: Any, matrix: Any, right: Any) -> Any:
    """`data` solves `matrix @ data = right`."""
    values, solution = wide(plain(matrix)), wide(data)

    def pull(slopes: Any) -> tuple[Any, Any]:
        by_right = np.linalg.solve(np.swapaxes(values, -1, -2), slopes)
        column, row = (by_right[..., None], solution[..., None]) if np.ndim(solution) == 1 else (by_right, solution)
        return -column @ np.swapaxes(row, -1, -2), by_right

    return _stepped(name, data, [as_traced(matrix), as_traced(right)], pull)


@rule(np.linalg.solve)
def _solve(a: Any, b: Any) -> Any:
    data = np.linalg.solve(plain(a), plain(b))
    if np.ndim(plain(a)) > 2:
        broken("numpy.linalg.solve of many systems")
        return data
    return solved("solve", data, a, b)


@rule(np.linalg.inv)
def _inv(a: Any) -> Any:
    data = np.linalg.inv(plain(a))
    turned = np.swapaxes(wide(data), -1, -2)
    return _stepped("inv", data, [as_traced(a)], lambda slopes: (-turned @ slopes @ turned,))


@rule(np.linalg.det)
def _det(a: Any) -> Any:
    data = np.linalg.det(plain(a))
    values = wide(plain(a))

    def pull(slopes: Any) -> tuple[Any]:
        return ((slopes * data)[..., None, None] * np.swapaxes(np.linalg.inv(values), -1, -2),)

    return _stepped("det", data, [as_traced(a)], pull)


@rule(np.linalg.eigvalsh)
def _eigvalsh(a: Any, UPLO: Any = "L") -> Any:  # noqa: N803
    data = np.linalg.eigvalsh(plain(a), UPLO)
    vectors = np.linalg.eigh(plain(a), UPLO)[1]

    def pull(slopes: Any) -> tuple[Any]:
        whole = (vectors * slopes[..., None, :]) @ np.swapaxes(vectors, -1, -2)
        half = np.tril(whole, -1) if UPLO == "L" else np.triu(whole, 1)
        return (2.0 * half + whole * np.eye(whole.shape[-1]),)

    return _stepped("eigvalsh", data, [as_traced(a)], pull)


@rule(np.linalg.cholesky)
def _cholesky(a: Any, /, *, upper: bool = False) -> Any:
    data = np.linalg.cholesky(plain(a), upper=upper)
    if upper or np.ndim(data) != 2:
        broken("numpy.linalg.cholesky of many matrices or upper")
        return data
    lower = wide(data)

    def pull(slopes: Any) -> tuple[Any]:
        inner = np.tril(lower.T @ np.tril(slopes))
        inner[np.diag_indices_from(inner)] *= 0.5
        whole = np.linalg.solve(lower.T, np.linalg.solve(lower.T, inner.T).T)
        return (np.tril(whole + whole.T) - np.diag(np.diag(whole)),)

    return _stepped("cholesky", data, [as_traced(a)], pull)
