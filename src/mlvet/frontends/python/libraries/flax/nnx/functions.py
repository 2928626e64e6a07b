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
from mlvet.frontends.python.values.unknown import Reason, Undecided, Unknown


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


def _picked(variable: Variable, kinds: tuple[Any, ...], path: tuple[str, ...]) -> bool:
    return not kinds or any(_passes(variable, kind, path) for kind in kinds)


def _passes(variable: Variable, kind: Any, path: tuple[str, ...]) -> bool:
    """Whether a variable is one that a filter picks: a class, a combination of filters, or what picks them all."""
    own = variable.kind.order if variable.kind is not None else type(variable).__mro__
    match kind:
        case type() | ClassValue() if not isinstance(kind, type) or not issubclass(kind, Filter):
            return kind in own
        case All():
            return all(_passes(variable, each, path) for each in kind.given)
        case AnyOf():
            return any(_passes(variable, each, path) for each in kind.given)
        case Not():
            return not _passes(variable, kind.given[0], path)
        case OfType():
            return kind.given[0] in own
        case PathContains():
            return str(kind.given[0]) in path
    return kind is not False and kind is not None


@model("flax.nnx.state", "flax.nnx.variables")
def state(node: Any, *filters: Any, graph: Any = None) -> Any:
    """The variables of a module, those of some kinds; one state for each kind asked for."""
    if len(filters) > 1:
        return tuple(_state(node, (each,)) for each in filters)
    return _state(node, filters)


def _state(node: Any, filters: tuple[Any, ...], path: tuple[str, ...] = ()) -> State:
    made = State()
    for name, cell in parts(node).items():
        if isinstance(cell, Variable):
            if _picked(cell, filters, (*path, name)):
                made.cells[name] = cell
        elif isinstance(cell, Module | ListValue | DictValue | tuple):
            inner = _state(cell, filters, (*path, name))
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
        return transformations.vmap(f, _without_modules(in_axes, args), _axis_of(out_axes))(*args, **keywords)

    return transformations.Transformed(run, f)


@model("flax.nnx.scan")
def scan(f: Any = None, *, length: Any = None, in_axes: Any = None, out_axes: Any = None, **options: Any) -> Any:
    if f is None:
        return lambda function: scan(function, length=length, in_axes=in_axes, out_axes=out_axes)

    def run(*args: Any, **keywords: Any) -> Any:
        sizes: list[Any] = [] if length is None else [length]
        wanted = (Carry, 0) if in_axes is None else in_axes.items if isinstance(in_axes, ListValue) else in_axes
        wanted = wanted if isinstance(wanted, tuple) else (wanted,) * len(args)
        slices = [_step(arg, axis, sizes) for arg, axis in zip(args, wanted, strict=False)]
        size = transformations.agreed(sizes)
        result = machine().call(f, *slices, **keywords)
        put = (Carry, 0) if out_axes is None else out_axes
        if not isinstance(put, tuple):
            return _stacked(result, put, size)
        if not (isinstance(result, tuple) and len(result) == len(put)):
            raise Undecided(Reason.DYNAMIC_CONTAINER, "a step that yields another number of values")
        return tuple(_stacked(each, axis, size) for each, axis in zip(result, put, strict=True))

    return transformations.Transformed(run, f)


def _step(arg: Any, axis: Any, sizes: list[Any]) -> Any:
    """What one step of a scan sees of an argument."""
    if axis is Carry:
        return arg if isinstance(arg, Module | State | Rngs) else transformations.like(arg, "carry")
    if isinstance(arg, Module | State | Rngs) or not isinstance(axis, int | tuple | DictValue):
        return arg
    return transformations.over_axes(arg, axis, lambda leaf, at: transformations.without_axis(leaf, at, sizes))


def _stacked(result: Any, axis: Any, size: Any) -> Any:
    if axis is Carry:
        return result
    return transformations.over_axes(result, _axis_of(axis), lambda leaf, at: transformations.with_axis(leaf, at, size))


@model("flax.nnx.Carry")
class Carry(Object):
    """Marks the argument that a scan carries along."""


@model("flax.nnx.StateAxes")
class StateAxes(Object):
    """Axes by kind of variable."""

    def __init__(self, filter_axes: Any, **options: Any) -> None:
        self.cells["@axes"] = filter_axes


def _axis_of(axes: Any) -> Any:
    """The axis along which variables are stacked; undecided if those of several kinds are stacked along several."""
    if not isinstance(axes, StateAxes):
        return axes
    given = axes.cells["@axes"]
    along = {axis for axis in given.cells.values() if axis is not None} if isinstance(given, DictValue) else {None, 0}
    if len(along) > 1:
        raise Undecided(Reason.UNMODELLED_ARGUMENTS, "axes of several kinds of variables")
    return next(iter(along), None)


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


class Filter(Object):
    """A choice of variables, by what it was made of."""

    def __init__(self, *given: Any, **options: Any) -> None:
        self.cells["@given"] = given

    @property
    def given(self) -> tuple[Any, ...]:
        found: tuple[Any, ...] = self.cells["@given"]
        return found


@model("flax.nnx.All")
class All(Filter):
    """The variables that all filters pick."""


@model("flax.nnx.Any")
class AnyOf(Filter):
    """The variables that one of several filters picks."""


@model("flax.nnx.Not")
class Not(Filter):
    """The variables that a filter leaves."""


@model("flax.nnx.OfType")
class OfType(Filter):
    """The variables of a class."""


@model("flax.nnx.PathContains")
class PathContains(Filter):
    """The variables under a name."""
