"""Decorators and transformations of modules: most leave the module as it is, `scan` and `vmap` run it along an axis."""

from __future__ import annotations

from typing import Any

from mlvet.domains.dims import Dim
from mlvet.frontends.python.active import erase, machine, store
from mlvet.frontends.python.libraries.binding import as_items
from mlvet.frontends.python.libraries.flax.linen.module import Boxed, Module
from mlvet.frontends.python.libraries.flax.linen.variables import Lift
from mlvet.frontends.python.libraries.jax.transformations import agreed, like, over_axes, with_axis, without_axis
from mlvet.frontends.python.libraries.registry import model
from mlvet.frontends.python.values.containers import DictValue, ListValue
from mlvet.frontends.python.values.objects import ClassValue, Object
from mlvet.frontends.python.values.unknown import Reason, Undecided


@model(
    "flax.linen.compact", "flax.linen.nowrap", "flax.linen.compact_name_scope", "flax.linen.module.compact",
    "flax.linen.module.nowrap", "flax.linen.remat", "flax.linen.checkpoint", "flax.linen.jit", "flax.linen.named_call",
    "flax.linen.transforms.remat", "flax.linen.transforms.jit", "flax.linen.transforms.checkpoint",
    "flax.linen.fold_rngs", "flax.linen.map_variables", "flax.linen.add_metadata_axis",
)  # fmt: skip
def compact(fun: Any = None, *rest: Any, **options: Any) -> Any:
    """The function or class itself; with options alone, what takes it."""
    return fun if fun is not None else lambda function: function


class Lifted(Object):
    """A class of modules that `scan` or `vmap` made of another: its instances run along an axis."""

    def __init__(self, target: Any, way: str, options: dict[str, Any]) -> None:
        self.cells.update({"@target": target, "@way": way, "@options": options})

    def __call__(self, *args: Any, **keywords: Any) -> Any:
        target, way, options = (self.cells[key] for key in ("@target", "@way", "@options"))
        if isinstance(target, ClassValue) or (isinstance(target, type) and issubclass(target, Module)):
            return AlongAxis(machine().call(target, *args, **keywords), way, options)
        return _method_along(target, way, options, args, keywords)

    def bound(self, receiver: Any) -> Any:
        from mlvet.frontends.python.values.objects import BoundMethod

        return BoundMethod(receiver, self)


class AlongAxis(Object):
    """A module that is run once for each slice of its arguments."""

    def __init__(self, module: Any, way: str, options: dict[str, Any]) -> None:
        self.cells.update({"@module": module, "@way": way, "@options": options})
        if isinstance(module, Module):
            before = f"{module.cells.get('@name') or ''}"
            kind = module.kind.name if module.kind is not None else type(module).__name__
            if before.startswith(f"{kind}_"):
                module.cells["@name"] = f"{way.capitalize()}{before}"

    def __call__(self, *args: Any, **keywords: Any) -> Any:
        module = self.cells["@module"]
        return _along(module, self.cells["@way"], self.cells["@options"], module, args, keywords)

    def missing(self, name: str) -> Any:
        """What the module itself has; `init` and `apply` run it along the axis too."""
        found = machine().attribute(self.cells["@module"], name)
        if name not in ("init", "init_with_output", "apply"):
            return found

        def run(*args: Any, method: Any = None, **keywords: Any) -> Any:
            return machine().call(found, *args, method=self._slices if method is None else method, **keywords)

        return run

    def _slices(self, module: Any, *args: Any, **keywords: Any) -> Any:
        return _along(module, self.cells["@way"], self.cells["@options"], module, args, keywords)


def _method_along(method: Any, way: str, options: dict[str, Any], args: Any, keywords: Any) -> Any:
    """A method of a module, or a function whose first argument is one, run along an axis of its other arguments."""
    module = args[0] if args else None
    if not isinstance(module, Module):
        return _along(method, way, options, None, args, keywords)
    before = module.cells.get("@lift")

    def run(*slices: Any, **named: Any) -> Any:
        return machine().call(method, module, *slices, **named)

    result = _along(run, way, options, module, args[1:], keywords)
    if before is None:
        erase(module.cells, "@lift")
    else:
        store(module.cells, "@lift", before)
    return result


def _along(function: Any, way: str, options: dict[str, Any], module: Any, args: Any, keywords: Any) -> Any:
    if way == "remat_scan":
        return _repeatedly(function, options, module, args, keywords)
    sizes: list[Dim] = [options["length"]] if isinstance(options.get("length"), int) else []
    if isinstance(options.get("axis_size"), int):
        sizes.append(options["axis_size"])

    def take(leaf: Any, axis: int) -> Any:
        return without_axis(leaf, axis, sizes)

    if way == "scan":
        axes = _axes(options.get("in_axes", 0), len(args) - 1)
        given = [
            like(args[0], "carry"),
            *(over_axes(arg, axis, take) for arg, axis in zip(args[1:], axes, strict=False)),
        ]
    else:
        axes = _axes(options.get("in_axes", 0), len(args))
        given = [over_axes(arg, axis, take) for arg, axis in zip(args, axes, strict=False)]
    size = agreed(sizes)
    if isinstance(module, Module):
        store(module.cells, "@lift", Lift(_variable_axes(options.get("variable_axes")), size))
    result = machine().call(function, *given, **keywords)
    out_axes = options.get("out_axes", 0)
    if way == "vmap":
        return over_axes(result, out_axes, lambda leaf, axis: with_axis(leaf, axis, size))
    if not (isinstance(result, tuple) and len(result) == 2):
        raise Undecided(Reason.DYNAMIC_CONTAINER, "a step that does not yield a pair")
    return result[0], over_axes(result[1], out_axes, lambda leaf, axis: with_axis(leaf, axis, size))


def _repeatedly(function: Any, options: dict[str, Any], module: Any, args: Any, keywords: Any) -> Any:
    """A module that is run again and again on what it yields."""
    lengths = as_items(options.get("lengths", ()))
    axes = _variable_axes(options["variable_axes"]) if "variable_axes" in options else {True: 0}
    if isinstance(module, Module):
        store(module.cells, "@lift", tuple(Lift(axes, length) for length in reversed(lengths)))
    return machine().call(function, *(like(arg, "carry") for arg in args), **keywords)


def _axes(axes: Any, count: int) -> tuple[Any, ...]:
    listed = axes.items if isinstance(axes, ListValue) else axes
    axes = listed if isinstance(listed, tuple) else (listed,) * max(count, 0)
    return tuple(None if isinstance(axis, Object) else axis for axis in axes)


def _variable_axes(axes: Any) -> dict[Any, int]:
    cells = axes.cells if isinstance(axes, DictValue) else {}
    return {name: axis for name, axis in cells.items() if isinstance(axis, int)}


def _options(options: dict[str, Any], names: tuple[str, ...], given: tuple[Any, ...]) -> dict[str, Any]:
    return {**dict(zip(names, given, strict=False)), **options}


@model("flax.linen.scan", "flax.linen.transforms.scan")
def scan(target: Any, *given: Any, **options: Any) -> Any:
    names = ("variable_axes", "variable_broadcast", "variable_carry", "split_rngs", "in_axes", "out_axes", "length")
    return Lifted(target, "scan", _options(options, names, given))


@model("flax.linen.vmap", "flax.linen.transforms.vmap")
def vmap(target: Any, *given: Any, **options: Any) -> Any:
    names = ("variable_axes", "split_rngs", "in_axes", "out_axes", "axis_size")
    return Lifted(target, "vmap", _options(options, names, given))


@model("flax.linen.remat_scan")
def remat_scan(target: Any, *given: Any, **options: Any) -> Any:
    """Modules that run one after another, whose variables are stacked along an axis for each of the lengths."""
    names = ("lengths", "policy", "variable_broadcast", "variable_carry", "variable_axes", "split_rngs")
    return Lifted(target, "remat_scan", _options(options, names, given))


@model("flax.linen.broadcast")
class Broadcast(Object):
    """Marks an argument of `scan` that every step sees whole."""


@model("flax.linen.while_loop")
def while_loop(cond_fn: Any, body_fn: Any, mdl: Any, init: Any, *rest: Any, **options: Any) -> Any:
    carry = like(init, "carry")
    machine().call(cond_fn, mdl, carry)
    return machine().call(body_fn, mdl, carry)


@model("flax.linen.cond")
def cond(pred: Any, true_fun: Any, false_fun: Any, mdl: Any, *operands: Any, **options: Any) -> Any:
    result = machine().call(true_fun, mdl, *operands)
    machine().call(false_fun, mdl, *operands)
    return result


@model("flax.linen.with_partitioning", "flax.linen.with_logical_partitioning")
def with_partitioning(fn: Any, names: Any, *rest: Any, **options: Any) -> Any:
    """An initialiser whose parameters carry names of axes; modules see the parameters themselves."""

    def initialise(*args: Any, **keywords: Any) -> Any:
        return Boxed(machine().call(fn, *args, **keywords), names)

    return initialise


@model("flax.linen.with_logical_constraint")
def with_logical_constraint(x: Any, *rest: Any, **options: Any) -> Any:
    return x


@model("flax.linen.unbox", "flax.linen.meta.unbox", "flax.core.meta.unbox")
def unbox(tree: Any, *rest: Any, **options: Any) -> Any:
    from mlvet.frontends.python.libraries.jax.trees import mapped

    return mapped(lambda _, leaf: leaf.unbox() if isinstance(leaf, Boxed) else leaf, tree)


for _name in ("Partitioned", "LogicallyPartitioned"):
    model(f"flax.linen.{_name}")(type(_name, (Boxed,), {"__module__": __name__}))
model("flax.linen.spmd.LogicallyPartitioned")(Boxed)


@model("flax.linen.get_partition_spec", "flax.linen.logical_to_mesh_sharding", "flax.linen.logical_to_mesh",
    "flax.linen.get_sharding", "flax.linen.logical_to_mesh_axes")  # fmt: skip
def get_partition_spec(tree: Any, *rest: Any, **options: Any) -> Any:
    return machine().unknown(Reason.EXTERNAL_DATA, "where arrays lie")


@model("flax.linen.logical_axis_rules", "flax.linen.partitioning.axis_rules", "flax.linen.intercept_methods",
    "flax.linen.override_named_call")  # fmt: skip
class Rules(Object):
    """A context that changes where arrays lie."""

    def __enter__(self) -> Any:
        return None

    def __exit__(self, *args: Any) -> None:
        return None


@model("flax.linen.merge_param", "flax.linen.module.merge_param")
def merge_param(name: str, a: Any, b: Any) -> Any:
    """The one of two that is given."""
    return b if a is None else a


@model("flax.linen.apply", "flax.linen.init")
def apply(fn: Any, module: Any, *rest: Any, **options: Any) -> Any:
    """A function of variables that runs a function of the module."""
    way = "init" if machine().callee.endswith("init") else "apply"

    def run(variables: Any, *args: Any, **keywords: Any) -> Any:
        return machine().send(module, way, variables, *args, method=fn, **keywords)

    return run


@model("flax.linen.share_scope")
def share_scope(module: Any, other: Any, /) -> None:
    return None


@model("flax.linen.tabulate")
def tabulate(module: Any, rngs: Any, *rest: Any, **options: Any) -> Any:
    def show(*args: Any, **keywords: Any) -> Any:
        return module.tabulate(rngs, *args)

    return show
