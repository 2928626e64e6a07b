"""torch.nn.Module: what all layers and models share."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any, ClassVar

from mlvet.domains import dtypes
from mlvet.domains.dims import symbol
from mlvet.domains.dtypes import DType
from mlvet.frontends.python.active import machine, store
from mlvet.frontends.python.emission import demand_same, unknown_tensor
from mlvet.frontends.python.libraries.registry import model
from mlvet.frontends.python.libraries.torch.conversions import TYPES
from mlvet.frontends.python.libraries.torch.nn.parameter import Buffer, Parameter, floating, redeclared
from mlvet.frontends.python.libraries.torch.placement import asked_in, asked_of, born, is_born, moved, part_of, placed
from mlvet.frontends.python.libraries.torch.tensor import Tensor
from mlvet.frontends.python.libraries.torch.training import RUNNING, cleared, gradients_off, tensors_in
from mlvet.frontends.python.values.choices import Choice
from mlvet.frontends.python.values.containers import DictValue, IteratorValue, ListValue, Repeated
from mlvet.frontends.python.values.numbers import Scalar
from mlvet.frontends.python.values.objects import ClassValue, Object
from mlvet.frontends.python.values.placements import ANYWHERE, DEVICE, Placement, placement_of
from mlvet.frontends.python.values.tensors import TensorValue, dims_of
from mlvet.frontends.python.values.unknown import Reason, Undecided
from mlvet.ir.program import Act


@model("torch.utils.hooks.RemovableHandle")
class Handle(Object):
    """What registering a hook yields."""

    __slots__ = ()

    def remove(self) -> None:
        store(self.cells, "removed", True)

    def __enter__(self) -> Any:
        return self

    def __exit__(self, *error: Any) -> None:
        self.remove()


@model("torch.nn.Module", "torch.jit.ScriptModule", "torch.jit.RecursiveScriptModule")
class Module(Object):
    """A layer or model. Its attributes are its state: parameters and submodules are found among them."""

    __slots__ = ()
    lists_parts: ClassVar[bool] = True
    """Whether its attributes are all the parameters and modules that it has."""
    scatters: ClassVar[bool] = False
    """Whether it brings what it gets to the devices of its parts itself."""

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        del args, kwargs
        store(self.cells, "training", True)

    @property
    def training(self) -> Any:
        return self.cells.get("training", True)

    @training.setter
    def training(self, mode: Any) -> None:
        store(self.cells, "training", mode)
        _mode_noted(self, mode)

    def changes_in_training(self) -> bool:
        """Whether the layer itself computes something else while it trains."""
        return False

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        here = machine()
        outer, path = RUNNING.get(), here.module_path
        name = place_in(outer, self) if outer is not None else ""
        if outer is not None and not name and self.changes_in_training() and outer.cells.get("training") is False:
            _passing_noted(self)
        token = RUNNING.set(self)
        here.module_path = (*path, name) if name else path
        try:
            for hook in _hooks(self, "@pre_hooks"):
                changed = here.call(hook, self, args)
                if changed is not None:
                    args = changed if isinstance(changed, tuple) else (changed,)
            result = here.send(self, "forward", *args, **kwargs)
            for hook in _hooks(self, "@hooks"):
                changed = here.call(hook, self, args, result)
                result = result if changed is None else changed
            if outer is None:
                _call_noted(self, result)
            return result
        finally:
            here.module_path = path
            RUNNING.reset(token)

    def forward(self, *input: Any, **kwargs: Any) -> Any:
        del input, kwargs
        raise Undecided(Reason.UNKNOWN_DISPATCH, "a module without forward")

    # Modes and places.

    def train(self, mode: Any = True) -> Any:
        for _, each in walk(self):
            store(each.cells, "training", mode)
        _mode_noted(self, mode)
        return self

    def eval(self) -> Any:
        return self.train(False)

    def to(self, *args: Any, **kwargs: Any) -> Any:
        for each in (*args, *kwargs.values()):
            if isinstance(each, DType | TensorValue):
                _recast(self, each if isinstance(each, DType) else each.graph_value.declared.dtype)
        where = asked_in(args, kwargs)
        if where is not None:
            relocated(self, where)
        return self

    def type(self, dst_type: Any) -> Any:
        """An element type, or a type of tensors, which says a device too."""
        if isinstance(dst_type, DType):
            _recast(self, dst_type)
            return self
        name = dst_type if isinstance(dst_type, str) else getattr(dst_type, "__qualname__", "")
        _recast(self, TYPES.get(name.rpartition(".")[2]))
        kind = "cuda" if ".cuda." in name else "cpu"
        return relocated(self, asked_of(kind) if name.endswith("Tensor") else ANYWHERE)

    def cuda(self, device: Any = None) -> Any:
        return relocated(self, asked_of("cuda" if device is None else device))

    def xpu(self, device: Any = None) -> Any:
        return relocated(self, asked_of("xpu" if device is None else device))

    def cpu(self) -> Any:
        return relocated(self, asked_of("cpu"))

    def to_empty(self, *, device: Any, recurse: bool = True) -> Any:
        return relocated(self, asked_of(device))

    def handed_out(self) -> None:
        """Something that is not modelled gets the module and may move it."""
        relocated(self, ANYWHERE)

    def share_memory(self) -> Any:
        return self

    def compile(self, *args: Any, **kwargs: Any) -> None:
        pass

    def half(self) -> Any:
        return self.type(dtypes.f16)

    def bfloat16(self) -> Any:
        return self.type(dtypes.bf16)

    def float(self) -> Any:
        return self.type(dtypes.f32)

    def double(self) -> Any:
        return self.type(dtypes.f64)

    def requires_grad_(self, requires_grad: Any = True) -> Any:
        for _, each in parameters_of(self):
            store(each.cells, "requires_grad", requires_grad)
        return self

    def zero_grad(self, set_to_none: bool = True) -> None:
        cleared(self, (each for _, each in parameters_of(self)) if lists_all(self) else None)

    def apply(self, fn: Any) -> Any:
        for _, child in children_of(self):
            child.apply(fn)
        machine().call(fn, self)
        return self

    # What is inside.

    def parameters(self, recurse: bool = True) -> Any:
        return _listed(self, (each for _, each in parameters_of(self, recurse)))

    def named_parameters(self, prefix: Any = "", recurse: bool = True, remove_duplicate: bool = True) -> Any:
        found = ((_joined(prefix, name), each) for name, each in parameters_of(self, recurse))
        return _listed(self, found, named=True)

    def buffers(self, recurse: bool = True) -> Any:
        return IteratorValue(each for _, each in buffers_of(self, recurse))

    def named_buffers(self, prefix: Any = "", recurse: bool = True, remove_duplicate: bool = True) -> Any:
        return IteratorValue((_joined(prefix, name), each) for name, each in buffers_of(self, recurse))

    def children(self) -> Any:
        return self._children(lambda name, child: child)

    def named_children(self) -> Any:
        return self._children(lambda name, child: (name, child))

    def _children(self, form: Any) -> Any:
        repeated = [each for each in self.cells.values() if isinstance(each, Repeated)]
        if len(repeated) == 1 and len(list(children_of(self))) == 1:
            return IteratorValue(Repeated(form("0", repeated[0].element), repeated[0].length))
        return IteratorValue(form(name, child) for name, child in children_of(self))

    def modules(self) -> Any:
        return IteratorValue(each for _, each in walk(self))

    def named_modules(self, memo: Any = None, prefix: Any = "", remove_duplicate: bool = True) -> Any:
        return IteratorValue((_joined(prefix, name), each) for name, each in walk(self))

    def get_submodule(self, target: Any) -> Any:
        return _named(dict(walk(self)), target)

    def get_parameter(self, target: Any) -> Any:
        return _named(dict(parameters_of(self)), target)

    def get_buffer(self, target: Any) -> Any:
        return _named(dict(buffers_of(self)), target)

    @property
    def _modules(self) -> Any:
        return DictValue(dict(children_of(self)))

    @property
    def _parameters(self) -> Any:
        return DictValue(dict(parameters_of(self, recurse=False)))

    @property
    def _buffers(self) -> Any:
        return DictValue(dict(buffers_of(self, recurse=False)))

    def state_dict(self, *args: Any, destination: Any = None, prefix: Any = "", keep_vars: bool = False) -> Any:
        if not lists_all(self):
            return DictValue(rest=_any_parameter(self), made_by="OrderedDict")
        found = [*parameters_of(self), *buffers_of(self)]
        return DictValue(
            {_joined(prefix, name): placed(Tensor.of(each.graph_value), placement_of(each)) for name, each in found},
            made_by="OrderedDict",
        )

    def load_state_dict(self, state_dict: Any, strict: bool = True, assign: bool = False) -> Any:
        if isinstance(state_dict, DictValue) and lists_all(self):
            own = dict([*parameters_of(self), *buffers_of(self)])
            for name, given in state_dict.cells.items():
                if isinstance(given, TensorValue) and isinstance(mine := own.get(name), TensorValue):
                    _demand_like(str(name), given, mine)
        if assign is not False:
            relocated(self, ANYWHERE)
        made = Object.__new__(Object)
        made.missing_keys = ListValue()
        made.unexpected_keys = ListValue()
        return made

    # Registering.

    def add_module(self, name: Any, module: Any) -> None:
        store(self.cells, _text(name), module)

    register_module = add_module

    def register_parameter(self, name: Any, param: Any) -> None:
        store(self.cells, _text(name), param)

    def register_buffer(self, name: Any, tensor: Any, persistent: bool = True) -> None:
        word = _text(name)
        if isinstance(tensor, TensorValue):
            names = self.cells.get("@buffers", ())
            store(self.cells, "@buffers", (*(each for each in names if each != word), word))
            part_of(tensor, placement_of(tensor))
        store(self.cells, word, tensor)

    def register_forward_hook(
        self, hook: Any, *, prepend: bool = False, with_kwargs: bool = False, always_call: bool = False
    ) -> Any:
        return self._hooked("@hooks", hook, with_kwargs)

    def register_forward_pre_hook(self, hook: Any, *, prepend: bool = False, with_kwargs: bool = False) -> Any:
        return self._hooked("@pre_hooks", hook, with_kwargs)

    def _hooked(self, key: str, hook: Any, with_kwargs: bool) -> Any:
        handle = Handle()
        if not with_kwargs:
            store(self.cells, key, (*self.cells.get(key, ()), (handle, hook)))
        return handle

    def register_full_backward_hook(self, hook: Any, prepend: bool = False) -> Any:
        return Handle()

    def register_backward_hook(self, hook: Any) -> Any:
        return Handle()

    def register_state_dict_pre_hook(self, hook: Any) -> Any:
        return Handle()

    def register_load_state_dict_post_hook(self, hook: Any) -> Any:
        return Handle()

    def save(self, f: Any, _extra_files: Any = None) -> None:
        """What compiled modules do."""

    def extra_repr(self) -> str:
        return ""

    def _get_name(self) -> str:
        return self.kind.name if self.kind else type(self).__name__

    def __deepcopy__(self, memo: Any = None) -> Any:
        return copied(self, {})


def _demand_like(name: str, given: TensorValue, mine: TensorValue) -> None:
    """What is loaded must have the shape of what is there."""
    left, right = dims_of(given), dims_of(mine)
    if left is not None and right is not None:
        what = f"`{name}` is {list(left)} in the state that is loaded and {list(right)} in the module"
        demand_same(left, right, what, of=[given, mine])


def children_of(module: Module) -> Iterator[tuple[str, Any]]:
    """The modules among the attributes of a module; of a list of unknown length the one that stands for all."""
    for name, value in tuple(module.cells.items()):
        if isinstance(value, Module):
            if not _is_private(name):
                yield name, value
        elif isinstance(value, _SEVERAL) and not _is_private(name):
            for each in _alternatives(value):
                if isinstance(each, Module):
                    yield name, each


def walk(module: Module) -> list[tuple[str, Any]]:
    """A module and all modules inside it, each once, by their paths."""
    found: list[tuple[str, Any]] = []
    _gather(module, "", found, set())
    return found


def _gather(module: Module, path: str, found: list[tuple[str, Any]], seen: set[int]) -> None:
    seen.add(id(module))
    found.append((path, module))
    for name, child in children_of(module):
        if id(child) not in seen:
            _gather(child, _joined(path, name), found, seen)


def parameters_of(module: Module, recurse: bool = True) -> Iterator[tuple[str, Any]]:
    """All parameters by their paths: a module's own before those of its submodules."""
    return _tensors(walk(module) if recurse else [("", module)], _is_parameter)


def buffers_of(module: Module, recurse: bool = True) -> Iterator[tuple[str, Any]]:
    """All buffers by their paths."""
    return _tensors(walk(module) if recurse else [("", module)], _is_buffer)


def _is_parameter(module: Module, name: str, value: TensorValue) -> bool:
    del module, name
    return isinstance(value, Parameter)


def _is_buffer(module: Module, name: str, value: TensorValue) -> bool:
    return isinstance(value, Buffer) or name in module.cells.get("@buffers", ())


def _tensors(modules: Iterable[tuple[str, Any]], wanted: Any) -> Iterator[tuple[str, Any]]:
    """The tensors of modules that are wanted, each once, by their paths."""
    seen: set[int] = set()
    for path, each in modules:
        for name, cell in tuple(each.cells.items()):
            if not isinstance(cell, _TENSORS) or _is_private(name):
                continue
            for value in _alternatives(cell):
                if isinstance(value, TensorValue) and id(value) not in seen and wanted(each, name, value):
                    seen.add(id(value))
                    yield _joined(path, name), value


def relocated(module: Module, where: Placement) -> Any:
    """Move the parameters and buffers of a module, and of those inside, in place; other tensors stay where they are.

    A module with a way of its own to be moved may put them anywhere, and so may one that runs others on many devices.
    """
    found = walk(module)
    if any(type(each).scatters or _has_own(each, "_apply") for _, each in found):
        where = ANYWHERE
    where = born(where)
    for _, each in found:
        own = each.cells.get("@buffers", ())
        for name, cell in tuple(each.cells.items()):
            for value in () if _is_private(name) else _alternatives(cell):
                if not isinstance(value, TensorValue):
                    continue
                if isinstance(value, Parameter | Buffer) or (is_born(value) and (name not in own or value is not cell)):
                    store(value.cells, DEVICE, where)
                elif name in own:
                    store(each.cells, name, moved(value, where))
    return module


def _has_own(module: Module, name: str) -> bool:
    return module.kind is not None and any(isinstance(e, ClassValue) and name in e.cells for e in module.kind.order)


def lists_all(module: Module) -> bool:
    """Whether all that is inside is known, with no list of unknown length and no model that is taken as a whole."""
    return _are_listed(walk(module))


def _are_listed(modules: Iterable[tuple[str, Any]]) -> bool:
    return all(type(each).lists_parts and Repeated not in map(type, each.cells.values()) for _, each in modules)


def place_in(outer: Module, module: Module) -> str:
    """By which attributes a module reaches another: its own, or those of its containers."""
    for name, child in children_of(outer):
        if child is module:
            return name
        if getattr(type(child), "is_container", False):
            within = place_in(child, module)
            if within:
                return f"{name}.{within}"
    return ""


def copied(value: Any, known: dict[int, Any]) -> Any:
    """A module with new parameters of the same types."""
    if id(value) in known:
        return known[id(value)]
    made: Any
    if isinstance(value, Parameter | Buffer):
        made = type(value).__new__(type(value))
        made.cells.update(value.cells)
        redeclared(made, initialiser=_initialiser(value))
    elif isinstance(value, Module):
        made = type(value).__new__(type(value))
        object.__setattr__(made, "kind", value.kind)
        known[id(value)] = made
        made.cells.update({name: copied(each, known) for name, each in value.cells.items()})
    elif isinstance(value, ListValue) and isinstance(value.items, tuple):
        made = type(value)(copied(each, known) for each in value.items)
    elif isinstance(value, Repeated):
        made = Repeated(copied(value.element, known), value.length)
    elif isinstance(value, DictValue):
        made = DictValue({key: copied(each, known) for key, each in value.cells.items()}, value.rest, value.made_by)
    else:
        return value
    known[id(value)] = made
    return made


def _mode_noted(module: Module, mode: Any) -> None:
    inside = walk(module)
    values = [each.graph_value for _, each in _tensors(inside, _is_parameter)]
    act = Act.TRAINING if mode is True else Act.EVALUATING
    facts = () if isinstance(mode, bool) else ("perhaps",)
    machine().event(act, module, values, *facts, complete=_are_listed(inside))


def _passing_noted(module: Module) -> None:
    """Note a layer that trains in a module that is evaluated, since it is made where it is called."""
    if module.cells.get("training") is True:
        machine().event(Act.DROPPED, module)


def _call_noted(module: Module, result: Any) -> None:
    facts = ["no gradients"] if gradients_off() else []
    inside = walk(module)
    if facts and any(each.changes_in_training() and each.cells.get("training") is True for _, each in inside):
        facts.append("drops")
    values = [each.graph_value for _, each in _tensors(inside, _is_parameter)]
    machine().event(Act.CALLED, module, values, *facts, complete=_are_listed(inside), results=tensors_in(result))


def _initialiser(value: TensorValue) -> Any:
    for parameter in machine().builder._parameters:
        if parameter.value is value.graph_value:
            return parameter.initialiser
    return None


def _hooks(module: Module, key: str) -> list[Any]:
    return [hook for handle, hook in module.cells.get(key, ()) if not handle.cells.get("removed")]


def _recast(module: Module, dtype: DType | None) -> None:
    for _, each in (*parameters_of(module), *buffers_of(module)):
        if dtype is not None and dtype.is_float and floating(each) and each.graph_value.declared.dtype is not dtype:
            if isinstance(each, Parameter | Buffer):
                redeclared(each, dtype=dtype, initialiser=_initialiser(each))
            else:
                from mlvet.frontends.python.arrays.arithmetic import cast

                store(each.cells, "@value", cast(each, dtype).graph_value)


def _listed(module: Module, found: Iterator[Any], named: bool = False) -> Any:
    if lists_all(module):
        return IteratorValue(found)
    like = _any_parameter(module)
    element = (Scalar(str, "name"), like) if named else like
    return IteratorValue(Repeated(element, symbol(machine().fresh("parameters"))))


def _any_parameter(module: Module) -> Any:
    """One that stands for all parameters of a module."""
    like = Parameter.__new__(Parameter)
    last = None
    for _, last in parameters_of(module):
        like.cells.update(last.cells)
    dtype = last.graph_value.declared.dtype if last is not None else None
    like.cells["@value"] = unknown_tensor(Tensor, dtype, "parameter").graph_value
    return like


_SEVERAL = (Repeated, Choice)
"""Cells that stand for several values."""
_TENSORS = (TensorValue, *_SEVERAL)
"""Cells that are tensors or may hold some."""


def _alternatives(value: Any) -> tuple[Any, ...]:
    if isinstance(value, Repeated):
        return (value.element,)
    return tuple(each for _, each in value.alternatives) if isinstance(value, Choice) else (value,)


def _is_private(name: Any) -> bool:
    return not isinstance(name, str) or name.startswith("@")


def _joined(prefix: Any, name: str) -> str:
    if not isinstance(prefix, str) or not prefix:
        return name
    return f"{prefix}.{name}" if name else prefix


def _named(found: dict[str, Any], name: Any) -> Any:
    if name not in found:
        raise Undecided(Reason.DYNAMIC_ATTRIBUTE, str(name))
    return found[name]


def _text(name: Any) -> str:
    if not isinstance(name, str):
        raise Undecided(Reason.DYNAMIC_ATTRIBUTE, "a name that is not known")
    return name
