"""Functions made of functions: compiled, differentiated, mapped over an axis. Each calls its function once."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from mlvet.domains.dims import Dim, Expr
from mlvet.domains.tensors import Tensor as Known
from mlvet.frontends.python.active import machine
from mlvet.frontends.python.emission import demand, opaque, unknown_tensor
from mlvet.frontends.python.libraries.binding import as_items
from mlvet.frontends.python.libraries.jax.array import Array, as_jax, held
from mlvet.frontends.python.libraries.jax.trees import mapped, parts_of
from mlvet.frontends.python.libraries.registry import model
from mlvet.frontends.python.values.containers import DictValue, ListValue
from mlvet.frontends.python.values.numbers import Scalar
from mlvet.frontends.python.values.objects import BoundMethod, Object
from mlvet.frontends.python.values.tensors import TensorValue, dims_of, dtype_of, tensor_of
from mlvet.frontends.python.values.unknown import Reason, Undecided, Unknown


class Transformed(Object):
    """A function made of another; as a method it is given its instance first."""

    def __init__(self, function: Callable[..., Any], inner: Any = None) -> None:
        self.cells["@function"] = function
        self.cells["@inner"] = inner

    def __call__(self, *args: Any, **keywords: Any) -> Any:
        return self.cells["@function"](*args, **keywords)

    def bound(self, receiver: Any) -> Any:
        return BoundMethod(receiver, self)

    @property
    def __wrapped__(self) -> Any:
        return self.cells["@inner"]


def called(function: Any, args: Sequence[Any], keywords: dict[str, Any]) -> Any:
    return machine().call(function, *args, **keywords)


@model(
    "jax.jit", "jax.experimental.pjit.pjit", "jax.checkpoint", "jax.remat", "jax.named_call",
    "jax.custom_batching.custom_vmap",
)  # fmt: skip
def jit(fun: Any = None, *rest: Any, **options: Any) -> Any:
    """The function itself; without one, what takes it."""
    return fun if fun is not None else lambda function: function


@model("jax.custom_vjp", "jax.custom_jvp", "jax.custom_gradient")
def custom_vjp(fun: Any = None, nondiff_argnums: Any = (), **options: Any) -> Any:
    return CustomRule(fun) if fun is not None else CustomRule


class CustomRule(Object):
    """A function with a derivative of its own."""

    def __init__(self, function: Any, *rest: Any, **options: Any) -> None:
        self.cells["@inner"] = function

    def __call__(self, *args: Any, **keywords: Any) -> Any:
        return called(self.cells["@inner"], args, keywords)

    def defvjp(self, *args: Any, **keywords: Any) -> None:
        return None

    def defjvp(self, function: Any, *args: Any, **keywords: Any) -> Any:
        return function

    defjvps = defvjp

    def bound(self, receiver: Any) -> Any:
        return BoundMethod(receiver, self)


def like(tree: Any, name: str = "grad") -> Any:
    """A tree of other arrays of the same types."""
    if isinstance(tree, Unknown):
        return tree
    return mapped(lambda _, leaf: fresh(leaf, name), tree)


def fresh(leaf: Any, name: str) -> Any:
    """Another array of a leaf's type; leaves that are no arrays stay."""
    if isinstance(leaf, TensorValue):
        return opaque(name, [leaf], tensor_of(leaf).without_value(), Array)
    if isinstance(leaf, bool | int | float | Expr) or (isinstance(leaf, Scalar) and leaf.kind in (int, float)):
        x = as_jax(leaf)
        return opaque(name, [], tensor_of(x).without_value(), Array)
    return leaf


def differentiated(args: Sequence[Any], argnums: Any, derive: Callable[[Any], Any]) -> Any:
    """The derivative by one argument, or a tuple of those by several."""
    if isinstance(argnums, int):
        if not -len(args) <= argnums < len(args):
            raise Undecided(Reason.UNMODELLED_ARGUMENTS, "an argument given by name")
        return derive(args[argnums])
    return tuple(derive(args[number]) for number in as_items(argnums))


def demand_scalar(value: Any) -> None:
    x = held(value)
    if isinstance(x, TensorValue):
        dims = dims_of(x)
        demand(dims is None or not dims, "grad is of functions with a scalar result", "rank-differs")


def value_and_aux(result: Any, has_aux: bool) -> tuple[Any, Any]:
    if not has_aux:
        return result, None
    if isinstance(result, tuple) and len(result) == 2:
        return result
    if isinstance(result, ListValue) and isinstance(result.items, tuple) and len(result.items) == 2:
        return result.items
    return result, machine().unknown(Reason.DYNAMIC_CONTAINER, "what a loss function yields besides the loss")


def derivatives(argnums: Any, has_aux: bool, derive: Callable[[Any], Any], *, with_value: bool, fun: Any) -> Any:
    def run(*args: Any, **keywords: Any) -> Any:
        value, aux = value_and_aux(called(fun, args, keywords), has_aux)
        demand_scalar(value)
        gradients = differentiated(args, argnums, derive)
        if with_value:
            return ((value, aux) if has_aux else value), gradients
        return (gradients, aux) if has_aux else gradients

    return Transformed(run, fun)


@model("jax.grad")
def grad(
    fun: Any, argnums: Any = 0, has_aux: bool = False, holomorphic: bool = False, allow_int: bool = False,
    reduce_axes: Any = (),
) -> Any:  # fmt: skip
    return derivatives(argnums, has_aux, like, with_value=False, fun=fun)


@model("jax.value_and_grad")
def value_and_grad(
    fun: Any, argnums: Any = 0, has_aux: bool = False, holomorphic: bool = False, allow_int: bool = False,
    reduce_axes: Any = (),
) -> Any:  # fmt: skip
    return derivatives(argnums, has_aux, like, with_value=True, fun=fun)


def _jacobian(value: Any, argument: Any) -> Any:
    """For each leaf of the result a tree like the argument, of shape result + argument."""

    def of(out: Any) -> Any:
        rows = dims_of(as_jax(out))

        def by(leaf: Any) -> Any:
            columns = dims_of(as_jax(leaf))
            if rows is None or columns is None:
                return unknown_tensor(Array, dtype_of(as_jax(out)))
            return opaque("jacobian", [as_jax(out)], Known(dtype_of(as_jax(out)), (*rows, *columns)), Array)

        return mapped(lambda _, leaf: by(leaf), argument)

    return mapped(lambda _, out: of(out), value)


@model("jax.jacfwd", "jax.jacrev", "jax.jacobian")
def jacfwd(fun: Any, argnums: Any = 0, has_aux: bool = False, holomorphic: bool = False, **options: Any) -> Any:
    def run(*args: Any, **keywords: Any) -> Any:
        value, aux = value_and_aux(called(fun, args, keywords), has_aux)
        found = differentiated(args, argnums, lambda argument: _jacobian(value, argument))
        return (found, aux) if has_aux else found

    return Transformed(run, fun)


@model("jax.hessian")
def hessian(fun: Any, argnums: Any = 0, has_aux: bool = False, holomorphic: bool = False) -> Any:
    def run(*args: Any, **keywords: Any) -> Any:
        value, aux = value_and_aux(called(fun, args, keywords), has_aux)
        found = differentiated(args, argnums, lambda x: _jacobian(_jacobian(value, x), x))
        return (found, aux) if has_aux else found

    return Transformed(run, fun)


@model("jax.vjp")
def vjp(fun: Any, *primals: Any, has_aux: bool = False, reduce_axes: Any = ()) -> Any:
    value, aux = value_and_aux(called(fun, primals, {}), has_aux)

    def pull(cotangent: Any) -> Any:
        return tuple(like(each) for each in primals)

    return (value, Transformed(pull), aux) if has_aux else (value, Transformed(pull))


@model("jax.jvp")
def jvp(fun: Any, primals: Any, tangents: Any, has_aux: bool = False) -> Any:
    value, aux = value_and_aux(called(fun, as_items(primals), {}), has_aux)
    return (value, like(value), aux) if has_aux else (value, like(value))


@model("jax.linearize")
def linearize(fun: Any, *primals: Any, has_aux: bool = False) -> Any:
    value, aux = value_and_aux(called(fun, primals, {}), has_aux)
    push = Transformed(lambda *tangents: like(value))
    return (value, push, aux) if has_aux else (value, push)


def without_axis(leaf: Any, axis: int, sizes: list[Dim]) -> Any:
    """One slice of a leaf along an axis; the size of the axis goes to `sizes`."""
    if isinstance(leaf, Unknown):
        return leaf
    x = as_jax(leaf)
    dims = dims_of(x)
    if dims is None:
        return unknown_tensor(Array, dtype_of(x))
    fits = -len(dims) <= axis < len(dims)
    demand(fits, f"axis {axis} is mapped of an array of {len(dims)} dims", "axis-out-of-range")
    if not fits:
        raise Undecided(Reason.EXCEPTION, "an axis that is not there")
    at = axis % len(dims)
    sizes.append(dims[at])
    return opaque("slice", [x], Known(dtype_of(x), (*dims[:at], *dims[at + 1 :])), Array)


def with_axis(leaf: Any, axis: int, size: Dim | None) -> Any:
    """Results of all slices along a new axis."""
    if isinstance(leaf, Unknown) or not isinstance(leaf, TensorValue | bool | int | float | Expr | Scalar):
        return leaf
    x = as_jax(leaf)
    dims = dims_of(x)
    if dims is None or size is None:
        return unknown_tensor(Array, dtype_of(x))
    at = axis % (len(dims) + 1)
    return opaque("stacked", [x], Known(dtype_of(x), (*dims[:at], size, *dims[at:])), Array)


def over_axes(tree: Any, axes: Any, change: Callable[[Any, int], Any]) -> Any:
    """Each leaf changed by the axis that a tree of axes gives it; None leaves it alone."""
    if axes is None:
        return tree
    if isinstance(axes, int):
        if isinstance(tree, Unknown):
            return tree
        return mapped(lambda _, leaf: change(leaf, axes), tree)
    parts, named = parts_of(tree), parts_of(axes)
    if parts is None or named is None:
        return tree
    keys = axes.cells if isinstance(axes, Object) else dict(named[0])
    return parts[1]([over_axes(child, keys.get(key), change) for key, child in parts[0]])


def agreed(sizes: Sequence[Dim]) -> Dim | None:
    """The one size of all mapped axes."""
    known = [size for size in sizes if isinstance(size, int)]
    demand(len(set(known)) <= 1, f"axes of different sizes {sorted(set(known))} are mapped", "dims-differ")
    return known[0] if known else sizes[0] if sizes else None


@model("jax.vmap")
def vmap(
    fun: Any, in_axes: Any = 0, out_axes: Any = 0, axis_name: Any = None, axis_size: Any = None,
    spmd_axis_name: Any = None, **options: Any,
) -> Any:  # fmt: skip
    def run(*args: Any, **keywords: Any) -> Any:
        sizes: list[Dim] = [] if axis_size is None else [axis_size]
        axes = in_axes.items if isinstance(in_axes, ListValue) else in_axes

        def take(leaf: Any, axis: int) -> Any:
            return without_axis(leaf, axis, sizes)

        wanted = axes if isinstance(axes, tuple) else (axes,) * len(args)
        slices = [over_axes(arg, each, take) for arg, each in zip(args, wanted, strict=False)]
        named = {name: over_axes(arg, 0, take) for name, arg in keywords.items()}
        size = agreed(sizes)
        return over_axes(called(fun, slices, named), out_axes, lambda leaf, axis: with_axis(leaf, axis, size))

    return Transformed(run, fun)


@model("jax.pmap")
def pmap(
    fun: Any, axis_name: Any = None, *, in_axes: Any = 0, out_axes: Any = 0, static_broadcasted_argnums: Any = (),
    **options: Any,
) -> Any:  # fmt: skip
    """As vmap; the axis is that of the devices."""

    def run(*args: Any, **keywords: Any) -> Any:
        static = (static_broadcasted_argnums,) if isinstance(static_broadcasted_argnums, int) else ()
        if not isinstance(static_broadcasted_argnums, int):
            static = tuple(as_items(static_broadcasted_argnums))
        axes = in_axes if isinstance(in_axes, tuple) else (in_axes,) * len(args)
        axes = tuple(None if number in static else axis for number, axis in enumerate(axes))
        return vmap(fun, axes, out_axes)(*args, **keywords)

    return Transformed(run, fun)


@model("jax.eval_shape")
def eval_shape(fun: Any, *args: Any, **keywords: Any) -> Any:
    return called(fun, args, keywords)


@model("jax.ShapeDtypeStruct")
def shape_dtype_struct(shape: Any, dtype: Any, *, sharding: Any = None, weak_type: bool = False, **_: Any) -> Any:
    """A type without elements; here an array of it."""
    from mlvet.frontends.python.libraries.binding import as_sizes
    from mlvet.frontends.python.libraries.element_types import dtype_named
    from mlvet.frontends.python.libraries.jax.array import canonical

    return opaque("shape", [], Known(canonical(dtype_named(dtype)), as_sizes(shape)), Array)


@model("jax.make_jaxpr", "jax.xla_computation")
def make_jaxpr(fun: Any, *rest: Any, **options: Any) -> Any:
    def run(*args: Any, **keywords: Any) -> Any:
        called(fun, args, keywords)
        return machine().unknown(Reason.UNMODELLED_CALL, "jaxpr")

    return Transformed(run, fun)


@model("jax.pure_callback", "jax.experimental.io_callback")
def pure_callback(callback: Any, result_shape_dtypes: Any, *args: Any, **keywords: Any) -> Any:
    return like(result_shape_dtypes, "callback")


@model("jax.debug.print", "jax.debug.callback", "jax.debug.breakpoint", "jax.debug.visualize_array_sharding",
    "jax.debug.inspect_array_sharding")  # fmt: skip
def debug_print(*args: Any, **keywords: Any) -> None:
    return None


@model("jax.device_put", "jax.device_get", "jax.block_until_ready", "jax.lax.stop_gradient", "jax.typeof",
    "jax.lax.with_sharding_constraint", "jax.lax.optimization_barrier", "jax.device_put_replicated",
    "jax.experimental.multihost_utils.process_allgather", "jax.copy_to_host_async", "jax.reshard",
    "jax.experimental.multihost_utils.broadcast_one_to_all", "jax.ad_checkpoint.checkpoint_name",
    "jax.experimental.pjit.with_sharding_constraint", "jax.sharding.reshard")  # fmt: skip
def same(x: Any, *rest: Any, **options: Any) -> Any:
    """The value itself; arrays of others become JAX's own."""
    if isinstance(x, DictValue | ListValue | tuple):
        return mapped(lambda _, leaf: as_jax(leaf) if isinstance(leaf, TensorValue) else leaf, x)
    return as_jax(x) if isinstance(x, TensorValue) or not isinstance(x, Object | Unknown | str | type(None)) else x
