"""Pooling of torch.nn.functional."""

from __future__ import annotations

from typing import Any

from mlvet.domains import dtypes
from mlvet.domains.dims import Dim, Expr
from mlvet.domains.tensors import Tensor as Type
from mlvet.frontends.python.arrays.operators import assumed
from mlvet.frontends.python.emission import demand, opaque
from mlvet.frontends.python.libraries.binding import Number, SizeOrSizes
from mlvet.frontends.python.libraries.registry import model
from mlvet.frontends.python.libraries.torch.axes import ranked_dims
from mlvet.frontends.python.libraries.torch.functional.convolutions import spatial, spread
from mlvet.frontends.python.libraries.torch.tensor import Tensor, made
from mlvet.frontends.python.values.containers import ListValue
from mlvet.frontends.python.values.tensors import TensorValue, dtype_of, rank_of, tensor_of
from mlvet.frontends.python.values.unknown import Reason, Undecided


def _pooled(op: str, x: TensorValue, space: int, **attributes: Any) -> Tensor:
    """A pooling; an operand without batch gets one for the time being."""
    x = assumed(x, space + 2, *spatial(space))
    count = rank_of(x)
    what = f"pooling over {space} dims needs a tensor of {space + 1} or {space + 2} dims, but gets {count}"
    demand(count in (space + 1, space + 2), what, "rank-differs")
    if count == space + 1:
        return made("squeeze", made(op, made("unsqueeze", x, (0,)), **attributes), (0,))
    if count != space + 2:
        raise Undecided(Reason.EXCEPTION, "pooling")
    return made(op, x, **attributes)


def _windows(kernel: Any, stride: Any, padding: Any, space: int) -> dict[str, Any]:
    size = spread(kernel, space, "kernel sizes")
    empty = stride is None or stride == ()
    steps = size if empty else spread(stride, space, "strides")
    around = spread(padding, space, "padding")
    for pad, width in zip(around, size, strict=True):
        if isinstance(pad, int) and isinstance(width, int):
            demand(pad <= width // 2, f"padding {pad} is more than half of the kernel size {width}")
    demand(all(not isinstance(step, int) or step > 0 for step in steps), "strides must be above 0")
    return {"kernel_shape": size, "strides": steps, "pads": (*around, *around)}


def _places(x: Tensor) -> Tensor:
    return opaque("max_pool", [x], tensor_of(x).with_dtype(dtypes.i64), Tensor)


def _max_pool(space: int, *, always: bool) -> Any:
    def function(
        input: Tensor, kernel_size: SizeOrSizes, stride: SizeOrSizes | None = None, padding: SizeOrSizes = 0,
        dilation: SizeOrSizes = 1, ceil_mode: bool = False, return_indices: bool = False,
    ) -> Any:  # fmt: skip
        windows = _windows(kernel_size, stride, padding, space)
        dilations = spread(dilation, space, "dilations")
        found = _pooled("max_pool", input, space, dilations=dilations, ceil_mode=int(ceil_mode), **windows)
        return (found, _places(found)) if always or return_indices else found

    return function


def _average_pool(space: int) -> Any:
    def function(
        input: Tensor, kernel_size: SizeOrSizes, stride: SizeOrSizes | None = None, padding: SizeOrSizes = 0,
        ceil_mode: bool = False, count_include_pad: bool = True, divisor_override: Any = None,
    ) -> Tensor:  # fmt: skip
        windows = _windows(kernel_size, stride, padding, space)
        counted = {"ceil_mode": int(ceil_mode), "count_include_pad": int(count_include_pad)}
        return _pooled("average_pool", input, space, **windows, **counted)

    return function


def _power_pool(space: int) -> Any:
    def function(
        input: Tensor, norm_type: Number, kernel_size: SizeOrSizes, stride: SizeOrSizes | None = None,
        ceil_mode: bool = False,
    ) -> Tensor:  # fmt: skip
        order = int(norm_type) if isinstance(norm_type, int | float) else 2
        return _pooled(
            "lp_pool", input, space, p=order, ceil_mode=int(ceil_mode), **_windows(kernel_size, stride, 0, space)
        )

    return function


def adaptive(op: str, x: TensorValue, output_size: Any, space: int) -> Tensor:
    """Pooling to a size; None keeps the size that is there."""
    x = assumed(x, space + 2, *spatial(space))
    dims = ranked_dims(x)
    given = output_size.items if isinstance(output_size, ListValue) else output_size
    wanted: Any = (given,) * space if given is None or isinstance(given, int | Expr) else given
    if not isinstance(wanted, tuple | list):
        raise Undecided(Reason.UNMODELLED_ARGUMENTS, "the size of the result")
    if len(wanted) == 1:
        wanted = tuple(wanted) * space
    least = space if op == "adaptive_average_pool" and space > 1 else space + 1
    fits = least <= len(dims) <= space + 2
    demand(fits, f"pooling over {space} dims gets a tensor of {len(dims)} dims", "rank-differs")
    demand(len(wanted) == space, f"pooling to {len(wanted)} sizes over {space} dims")
    if not fits or len(wanted) != space:
        raise Undecided(Reason.EXCEPTION, "pooling")
    sizes: tuple[Dim, ...] = tuple(dims[n - space] if size is None else size for n, size in enumerate(wanted))
    if all(isinstance(size, int) for size in sizes) and len(dims) > space:
        return _pooled(op, x, space, output_size=sizes)
    return opaque(op, [x], Type(dtype_of(x), (*dims[:-space], *sizes)), Tensor)


def _adaptive_average(space: int) -> Any:
    def function(input: Tensor, output_size: Any) -> Tensor:
        return adaptive("adaptive_average_pool", input, output_size, space)

    return function


def _adaptive_max(space: int, *, always: bool) -> Any:
    def function(input: Tensor, output_size: Any, return_indices: bool = False) -> Any:
        found = adaptive("adaptive_max_pool", input, output_size, space)
        return (found, _places(found)) if always or return_indices else found

    return function


def _unpool(space: int) -> Any:
    def function(
        input: Tensor, indices: Tensor, kernel_size: SizeOrSizes, stride: SizeOrSizes | None = None,
        padding: SizeOrSizes = 0, output_size: Any = None,
    ) -> Tensor:  # fmt: skip
        dims = ranked_dims(input)
        windows = _windows(kernel_size, stride, padding, space)
        around = windows["pads"][:space]
        figures = zip(dims[-space:], windows["strides"], windows["kernel_shape"], around, strict=True)
        sizes = [(size - 1) * step - 2 * pad + width for size, step, width, pad in figures]
        if output_size is not None:
            from mlvet.frontends.python.libraries.binding import as_sizes

            sizes = list(as_sizes(output_size))[-space:]
        return opaque("max_unpool", [input, indices], Type(dtype_of(input), (*dims[:-space], *sizes)), Tensor)

    return function


for _space in (1, 2, 3):
    _prefix = "torch.nn.functional"
    model(f"{_prefix}.max_pool{_space}d", f"torch.max_pool{_space}d")(_max_pool(_space, always=False))
    model(f"{_prefix}.max_pool{_space}d_with_indices")(_max_pool(_space, always=True))
    model(f"{_prefix}.avg_pool{_space}d")(_average_pool(_space))
    model(f"{_prefix}.lp_pool{_space}d")(_power_pool(_space))
    model(f"{_prefix}.adaptive_avg_pool{_space}d")(_adaptive_average(_space))
    model(f"{_prefix}.adaptive_max_pool{_space}d")(_adaptive_max(_space, always=False))
    model(f"{_prefix}.adaptive_max_pool{_space}d_with_indices")(_adaptive_max(_space, always=True))
    model(f"{_prefix}.max_unpool{_space}d")(_unpool(_space))
model("torch.avg_pool1d")(_average_pool(1))
model("torch.adaptive_avg_pool1d")(_adaptive_average(1))
model("torch.adaptive_max_pool1d")(_adaptive_max(1, always=True))
