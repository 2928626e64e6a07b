"""What work costs, from known shapes: floating-point operations, bytes, and a rough time on one processor core.

A time tells which of two pieces of a program is large beside the other; it predicts no clock. Sizes that are not known
are taken to be middling, and the cost says so.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from math import log2, prod

from mlvet.domains.dims import Dim, substitute, symbols
from mlvet.domains.tensors import Tensor, Unranked
from mlvet.ir.graph import Node, Value

USUAL_SIZE = 32
"""What a size that nobody knows is taken to be."""
_FLOPS = 2e10
"""Floating-point operations of dense kernels in a second."""
_BYTES = 5e9
"""Bytes that elementwise operators move in a second."""
_CALL = 4e-6
"""Seconds that a call of an operator takes however small its operands are."""
_LAYOUT = frozenset(
    (
        "transpose", "reshape", "squeeze", "unsqueeze", "expand", "flatten", "identity", "stop_gradient", "shape",
        "sizes", "slice", "split", "unstack", "assert", "constant", "view", "moveaxis", "swapaxes", "broadcast_to",
    )
)  # fmt: skip
"""Operators that move no elements, or next to none."""
_PICKING = frozenset(("gather", "gather_nd", "gather_elements", "embedding"))
"""Operators that read as many elements of their first operand as they yield."""
_DENSE = frozenset(("matmul", "batch_matmul", "gemm", "linear", "dot_general", "tensordot", "einsum"))
_LINEAR = frozenset(
    (
        "det", "inverse", "cholesky", "solve", "triangular_solve", "svd", "qr", "eigh", "dft", "fft", "ifft", "rfft",
        "irfft", "bilinear",
    )
)  # fmt: skip
"""Operators that take a matrix or a signal as a whole."""
_FOURIER = frozenset(("dft", "fft", "ifft", "rfft", "irfft"))
_BUTTERFLY = 50
"""What an element of a Fourier transform costs in each of its rounds, beside an operation of a dense kernel."""
_DRAWN = 100
"""What a random number costs beside an operation on one."""
_RECURRENT = {"rnn": 1, "gru": 3, "lstm": 4, "rnn_cell": 1, "gru_cell": 3, "lstm_cell": 4}


def is_heavy(node: Node) -> bool:
    """Whether an operator does many operations for each element: a product, a convolution, a decomposition."""
    return (
        node.op in _DENSE or node.op in _RECURRENT or node.op in _LINEAR or "attention" in node.op or _convolves(node)
    )


def _convolves(node: Node) -> bool:
    return node.op.startswith(("conv", "deform_conv"))


@dataclass(frozen=True, slots=True)
class Cost:
    """Work in floating-point operations and bytes, with the calls that do it; `guessed` if a size is not known."""

    flops: float = 0.0
    bytes: float = 0.0
    calls: int = 0
    guessed: bool = False

    def __add__(self, other: Cost) -> Cost:
        return Cost(
            self.flops + other.flops, self.bytes + other.bytes, self.calls + other.calls, self.guessed or other.guessed
        )

    def times(self, count: float) -> Cost:
        return Cost(self.flops * count, self.bytes * count, int(self.calls * count), self.guessed)

    @property
    def is_calling(self) -> bool:
        """Whether the calls take most of the time, as for tiny tensors."""
        return self.calls * _CALL > self.seconds / 2

    @property
    def seconds(self) -> float:
        return self.flops / _FLOPS + self.bytes / _BYTES + self.calls * _CALL


@dataclass(frozen=True, slots=True)
class Sizes:
    """What symbols stand for: defaults of settings and sizes of full batches."""

    known: Mapping[str, Dim] = field(default_factory=dict)

    def of(self, tensor: Tensor) -> tuple[float, bool]:
        """How many elements a tensor has, and whether that is a guess."""
        if isinstance(tensor.shape, Unranked):
            return float(USUAL_SIZE**2), True
        found = [self.dim(each) for each in tensor.shape]
        return float(prod(size for size, _ in found)), any(guess for _, guess in found)

    def dim(self, dim: Dim) -> tuple[int, bool]:
        if isinstance(dim, int):
            return dim, False
        names = {each.name for each in symbols(dim)}
        known = {name: self.known[name] for name in names if name in self.known}
        settled = substitute(dim, known) if known else dim
        if isinstance(settled, int):
            return settled, False
        found = substitute(settled, dict.fromkeys((each.name for each in symbols(settled)), USUAL_SIZE))
        return (found if isinstance(found, int) else USUAL_SIZE), True


def cost(nodes: Iterable[Node], sizes: Sizes) -> Cost:
    """What nodes cost together, each once."""
    total = Cost()
    for node in nodes:
        total = total + _of(node, sizes)
    return total


def _of(node: Node, sizes: Sizes) -> Cost:
    if node.op in _LAYOUT:
        return Cost()
    made = [sizes.of(each.declared) for each in node.outputs]
    taken = [sizes.of(each.declared) for each in node.inputs if each is not None]
    elements = sum(size for size, _ in made)
    guessed = any(guess for _, guess in (*made, *taken))
    read = [elements, *(size for size, _ in taken[1:])] if node.op in _PICKING else [size for size, _ in taken]
    moved = 4 * (elements + sum(read))
    return Cost(_flops(node, elements, sizes), moved, 1, guessed)


def _flops(node: Node, elements: float, sizes: Sizes) -> float:
    operands = [each for each in node.inputs if each is not None]
    if node.op in _DENSE and operands:
        inner = _first(operands[0], sizes)[0] if node.attributes.get("transA") else _last(operands[0], sizes)
        return 2 * elements * inner
    if _convolves(node) and len(operands) > 1:
        weight, _ = sizes.of(operands[1].declared)
        channels, _ = _first(operands[1], sizes)
        return 2 * elements * max(1.0, weight / max(1, channels))
    if node.op in _RECURRENT and operands:
        given, _ = sizes.of(operands[0].declared)
        return 4 * _RECURRENT[node.op] * given * max(1, _last(node.outputs[0], sizes) if node.outputs else 1)
    if node.op in _FOURIER:
        return _BUTTERFLY * elements * log2(max(2.0, elements))
    if node.op.startswith("random"):
        return _DRAWN * elements
    if "attention" in node.op and operands:
        given, _ = sizes.of(operands[0].declared)
        return 4 * given * USUAL_SIZE
    return elements


def _last(value: Value, sizes: Sizes) -> int:
    shape = value.declared.shape
    return USUAL_SIZE if isinstance(shape, Unranked) or not shape else sizes.dim(shape[-1])[0]


def _first(value: Value, sizes: Sizes) -> tuple[int, bool]:
    shape = value.declared.shape
    return (USUAL_SIZE, True) if isinstance(shape, Unranked) or not shape else sizes.dim(shape[0])
