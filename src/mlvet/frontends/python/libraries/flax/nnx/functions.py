"""nnx.Module, its state taken out and put back, and the transformations of functions of modules."""

from __future__ import annotations

from typing import Any, ClassVar

from mlvet.frontends.python.active import machine
from mlvet.frontends.python.libraries.binding import as_items
from mlvet.frontends.python.libraries.flax.nnx.variables import Rngs, State, Variable, flattened, gradient_like, pure
from mlvet.frontends.python.libraries.jax import transformations
from mlvet.frontends.python.libraries.jax.lax import control
from mlvet.frontends.python.libraries.jax.trees import changed, register
from mlvet.frontends.python.libraries.registry import model
from mlvet.frontends.python.values.containers import DictValue, ListValue
from mlvet.frontends.python.values.objects import ClassValue, Object
from mlvet.frontends.python.values.unknown import Reason, Unknown


@model("flax.nnx.Module", "flax.nnx.Pytree", "flax.nnx.Object")
class Module(Object):
    """A module: an ordinary object whose attributes hold variables and other modules."""

    pytree: ClassVar[bool] = True
    static_numbers: ClassVar[bool] = True

    def train(self, **attributes: Any) -> None:
        return None

    def eval(self, **attributes: Any) -> None:
        return None

    def set_attributes(self, *filters: Any, **attributes: Any) -> None:
        return None

    def sow(self, variable_type: Any, name: str, value: Any, *rest: Any, **options: Any) -> bool:
        return True

    def perturb(self, name: str, value: Any, *rest: Any) -> Any:
        return value

    def iter_modules(self) -> Any:
        return []

    def iter_children(self) -> Any:
        return [(key, cell) for key, cell in self.cells.items() if isinstance(cell, Module)]


def parts(node: Any) -> dict[str, Any]:
    """What a module or container holds by name."""
    if isinstance(node, ListValue):
        return {str(n): cell for n, cell in enumerate(node.items)} if isinstance(node.items, tuple) else {}
    if isinstance(node, tuple):
        return {str(n): cell for n, cell in enumerate(node)}
    if isinstance(node, DictValue | Module):
        return {str(key): cell for key, cell in node.cells.items() if not str(key).startswith("@")}
    return {}


def _picked(variable: Variable, kinds: tuple[Any, ...]) -> bool:
    if not kinds:
        return True
    own = variable.kind.order if variable.kind is not None else type(variable).__mro__
    return any(kind in own if isinstance(kind, type | ClassValue) else kind is not False for kind in kinds)


@model("flax.nnx.state", "flax.nnx.variables")
def state(node: Any, *filters: Any, graph: Any = None) -> Any:
    """The variables of a module, those of some kinds; one state for each kind asked for."""
    if len(filters) > 1:
        return tuple(state(node, each) for each in filters)
    made = State()
    for name, cell in parts(node).items():
        if isinstance(cell, Variable):
            if _picked(cell, filters):
                made.cells[name] = cell
        elif isinstance(cell, Module | ListValue | DictValue | tuple):
            inner = state(cell, *filters)
            if inner.cells:
                made.cells[name] = inner
    return made


class GraphDef(Object):
    """A module without its variables."""

    def __init__(self, node: Any = None) -> None:
        self.cells["@node"] = node

    def apply(self, state: Any, *states: Any) -> Any:
        node = self.cells["@node"]
        return lambda *args, **keywords: (machine().call(node, *args, **keywords), (self, state))


model("flax.nnx.GraphDef", "flax.nnx.graph.GraphDef")(GraphDef)


@model("flax.nnx.split")
def split(node: Any, *filters: Any, graph: Any = None) -> Any:
    found = state(node, *filters)
    return (GraphDef(node), *(found if isinstance(found, tuple) else (found,)))


@model("flax.nnx.graphdef")
def graphdef(node: Any, /, *, graph: Any = None) -> Any:
    return GraphDef(node)


@model("flax.nnx.merge")
def merge(graphdef: Any, state: Any = None, /, *states: Any, copy: bool = False) -> Any:
    if not isinstance(graphdef, GraphDef):
        return graphdef
    return graphdef.cells["@node"]


@model("flax.nnx.clone")
def clone(node: Any, variables: bool = True, *, graph: Any = None) -> Any:
    return changed(node, {}) if isinstance(node, Object) else node


@model("flax.nnx.update")
def update(node: Any, state: Any, /, *states: Any) -> None:
    """Variables of the module take the values of the state."""
    own = parts(node)
    for name, cell in state.cells.items() if isinstance(state, State | DictValue) else ():
        mine = own.get(str(name))
        if isinstance(mine, Variable):
            mine.value = cell.cells["value"] if isinstance(cell, Variable) else cell
        elif mine is not None:
            update(mine, cell)


@model("flax.nnx.pop")
def pop(node: Any, *filters: Any, graph: Any = None) -> Any:
    return state(node, *filters)


@model("flax.nnx.to_flat_state")
def to_flat_state(state: Any) -> Any:
    return flattened(state)


@model("flax.nnx.from_flat_state")
def from_flat_state(flat_state: Any, **options: Any) -> Any:
    made = State()
    for path, leaf in flat_state.cells.items() if isinstance(flat_state, DictValue) else as_items(flat_state):
        node = made
        for key in path[:-1]:
            node = node.cells.setdefault(str(key), State())
        node.cells[str(path[-1])] = leaf
    return made


@model("flax.nnx.to_pure_dict")
def to_pure_dict(state: Any, *rest: Any) -> Any:
    return pure(state)


@model("flax.nnx.replace_by_pure_dict")
def replace_by_pure_dict(state: Any, pure_dict: Any, *rest: Any) -> None:
    return None


@model("flax.nnx.view", "flax.nnx.as_abstract", "flax.nnx.as_pure", "flax.nnx.data", "flax.nnx.static",
    "flax.nnx.with_vars",     "flax.nnx.filter_state")  # fmt: skip
def data(value: Any, /, *rest: Any, **options: Any) -> Any:
    return value


@model("flax.nnx.List")
def module_list(it: Any = None, /) -> Any:
    """A list of modules is a list here."""
    return ListValue(machine().items(it)) if it is not None else ListValue()


@model("flax.nnx.Dict")
def module_dict(mapping: Any = None, **entries: Any) -> Any:
    return DictValue({**(mapping.cells if isinstance(mapping, DictValue) else {}), **entries})


@model("flax.nnx.jit", "flax.nnx.remat", "flax.nnx.pmap", "flax.nnx.cached_partial", "flax.nnx.split_rngs",
    "flax.nnx.fork_rngs", "flax.nnx.with_rngs", "flax.nnx.dataclass",
    "flax.nnx.jit_partial")  # fmt: skip
def jit(fun: Any = None, *args: Any, **options: Any) -> Any:
    """The function itself; a number of arguments may be given ahead."""
    if isinstance(fun, ClassValue):
        return register(fun)
    if args and not isinstance(fun, Rngs | Unknown) and fun is not None:
        return lambda *more, **keywords: machine().call(fun, *args, *more, **keywords)
    return fun if fun is not None and not isinstance(fun, Rngs) else (lambda function: function)


def _differentiable(argnums: Any) -> Any:
    if isinstance(argnums, DiffState):
        return argnums.argnum
    if isinstance(argnums, tuple | ListValue):
        return tuple(_differentiable(each) for each in as_items(argnums))
    return argnums


@model("flax.nnx.DiffState")
class DiffState(Object):
    """An argument and the kind of its variables that are differentiated."""

    def __init__(self, argnum: int, filter: Any = None) -> None:
        self.argnum = argnum
        self.filter = filter


@model("flax.nnx.grad")
def grad(f: Any = None, *, argnums: Any = 0, has_aux: bool = False, **options: Any) -> Any:
    if f is None:
        return lambda function: grad(function, argnums=argnums, has_aux=has_aux)
    numbers = _differentiable(argnums)
    return transformations.derivatives(numbers, has_aux, gradient_like, with_value=False, fun=f)


@model("flax.nnx.value_and_grad")
def value_and_grad(f: Any = None, *, argnums: Any = 0, has_aux: bool = False, **options: Any) -> Any:
    if f is None:
        return lambda function: value_and_grad(function, argnums=argnums, has_aux=has_aux)
    numbers = _differentiable(argnums)
    return transformations.derivatives(numbers, has_aux, gradient_like, with_value=True, fun=f)


def _without_modules(axes: Any, args: tuple[Any, ...]) -> tuple[Any, ...]:
    """Axes for each argument; modules are given whole unless they were made along an axis too."""
    listed = axes.items if isinstance(axes, ListValue) else axes
    wanted = listed if isinstance(listed, tuple) else (listed,) * len(args)
    kept = (int, tuple, type(None), DictValue)
    return tuple(
        None if isinstance(arg, Module | State | Rngs) or not isinstance(axis, kept) else axis
        for arg, axis in zip(args, wanted, strict=False)
    )


@model("flax.nnx.vmap")
def vmap(f: Any = None, *, in_axes: Any = 0, out_axes: Any = 0, **options: Any) -> Any:
    if f is None:
        return lambda function: vmap(function, in_axes=in_axes, out_axes=out_axes, **options)

    def run(*args: Any, **keywords: Any) -> Any:
        return transformations.vmap(f, _without_modules(in_axes, args), out_axes)(*args, **keywords)

    return transformations.Transformed(run, f)


@model("flax.nnx.scan")
def scan(f: Any = None, *, length: Any = None, in_axes: Any = None, out_axes: Any = None, **options: Any) -> Any:
    if f is None:
        return lambda function: scan(function, length=length, in_axes=in_axes, out_axes=out_axes)

    def run(*args: Any, **keywords: Any) -> Any:
        machine().call(f, *args, **keywords)
        return machine().unknown(Reason.UNMODELLED_CALL, "nnx.scan")

    return transformations.Transformed(run, f)


@model("flax.nnx.Carry")
class Carry(Object):
    """Marks the argument that a scan carries along."""


@model("flax.nnx.StateAxes")
class StateAxes(Object):
    """Axes by kind of variable."""


@model("flax.nnx.eval_shape")
def eval_shape(f: Any, *args: Any, **keywords: Any) -> Any:
    return machine().call(f, *args, **keywords)


@model("flax.nnx.cond")
def cond(pred: Any, true_fun: Any, false_fun: Any, *operands: Any, **options: Any) -> Any:
    return control.cond(pred, true_fun, false_fun, *operands)


@model("flax.nnx.while_loop")
def while_loop(cond_fun: Any, body_fun: Any, init_val: Any, **options: Any) -> Any:
    return control.while_loop(cond_fun, body_fun, init_val)


@model("flax.nnx.fori_loop")
def fori_loop(lower: Any, upper: Any, body_fun: Any, init_val: Any, **options: Any) -> Any:
    return control.fori_loop(lower, upper, body_fun, init_val)


@model("flax.nnx.with_partitioning", "flax.nnx.with_metadata")
def with_partitioning(initializer: Any, *rest: Any, **options: Any) -> Any:
    return initializer


@model("flax.nnx.get_partition_spec", "flax.nnx.get_named_sharding")
def get_partition_spec(tree: Any, *rest: Any) -> Any:
    return tree


@model("flax.nnx.display", "flax.nnx.reseed")
def display(*args: Any, **keywords: Any) -> None:
    return None


@model("flax.nnx.All", "flax.nnx.Not", "flax.nnx.Any", "flax.nnx.OfType", "flax.nnx.PathContains")
class Filter(Object):
    """A choice of variables that is not followed."""
