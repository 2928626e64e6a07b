"""Modules that hold other modules or parameters in order or by name."""

from __future__ import annotations

from typing import Any, ClassVar

from mlvet.domains import dims
from mlvet.domains.dims import Expr
from mlvet.frontends.python.active import erase, machine, store
from mlvet.frontends.python.interpretation.joining import all_joined
from mlvet.frontends.python.libraries.binding import Misfit
from mlvet.frontends.python.libraries.registry import model
from mlvet.frontends.python.libraries.torch.nn.module import Module
from mlvet.frontends.python.libraries.torch.nn.parameter import Parameter
from mlvet.frontends.python.values.containers import DictValue, IteratorValue, ListValue, Repeated
from mlvet.frontends.python.values.numbers import Scalar
from mlvet.frontends.python.values.tensors import TensorValue, tensor_of
from mlvet.frontends.python.values.unknown import Reason, Undecided, Unknown


class Row(Module):
    """Modules or parameters in a row, under the names 0, 1, ..., or one that stands for an unknown number of them."""

    __slots__ = ()
    is_container: ClassVar[bool] = True

    @property
    def _members(self) -> Any:
        """The members in order, some of which may stand for several; what stands for all if there is no other."""
        found = tuple(self.cells[name] for name in self._names)
        return found[0] if len(found) == 1 and isinstance(found[0], Repeated) else found

    @property
    def _names(self) -> list[str]:
        return [name for name in self.cells if not name.startswith("@") and name != "training"]

    def _fill(self, members: Any) -> None:
        items = members if isinstance(members, tuple | Repeated) else machine().items(members)
        for place, member in enumerate((items,) if isinstance(items, Repeated) else items):
            store(self.cells, str(place), member)

    def length(self) -> Any:
        total: Any = 0
        for name in self._names:
            member = self.cells[name]
            total = total + (member.length if isinstance(member, Repeated) else 1)
        return total

    def iterate(self) -> Any:
        members = self._members
        if isinstance(members, tuple) and any(isinstance(each, Repeated) for each in members):
            elements = [each.element if isinstance(each, Repeated) else each for each in members]
            return Repeated(all_joined(machine(), elements), self.length())
        return members

    def __iter__(self) -> Any:
        return IteratorValue(self.iterate())

    def __contains__(self, member: Any) -> Any:
        members = self._members
        return not isinstance(members, Repeated) and any(each is member for each in members)

    def __getitem__(self, index: Any) -> Any:
        members = self._members
        if isinstance(members, Repeated):
            if isinstance(index, slice):
                return self._like(Repeated(members.element, dims.symbol(machine().fresh("layers"))))
            return members.element
        if any(isinstance(each, Repeated) for each in members):
            return self._among(members, index)
        if isinstance(index, slice):
            try:
                return self._like(members[index])
            except TypeError:
                raise Undecided(Reason.UNMODELLED_ARGUMENTS, "a part of unknown length") from None
        if isinstance(index, Expr | Scalar | Unknown):
            return self._any(members)
        if not isinstance(index, int):
            raise Misfit(f"{index!r} is no index")
        if not -len(members) <= index < len(members):
            raise Undecided(Reason.EXCEPTION, f"there is no member {index}")
        return members[index]

    def _among(self, members: tuple[Any, ...], index: Any) -> Any:
        """A member before or after those of unknown number."""
        known = [place for place, each in enumerate(members) if isinstance(each, Repeated)]
        if isinstance(index, int) and (0 <= index < known[0] or known[-1] - len(members) < index < 0):
            return members[index]
        raise Undecided(Reason.UNKNOWN_DISPATCH, "a member at an unknown place")

    def _any(self, members: tuple[Any, ...]) -> Any:
        """The member at an unknown place, if all are alike: of one class."""
        if members and all(
            type(each) is type(members[0]) and getattr(each, "kind", None) is getattr(members[0], "kind", None)
            for each in members
        ):
            return members[0]
        raise Undecided(Reason.UNKNOWN_DISPATCH, "a member at an unknown place")

    def _like(self, members: Any) -> Any:
        made: Any = type(self).__new__(type(self))
        object.__setattr__(made, "kind", self.kind)
        Row._fill(made, members)
        return made

    def __setitem__(self, index: Any, member: Any) -> None:
        members = self._members
        if isinstance(members, tuple) and isinstance(index, int) and -len(members) <= index < len(members):
            store(self.cells, self._names[index], member)

    def __delitem__(self, index: Any) -> None:
        members = self._members
        if isinstance(members, tuple) and isinstance(index, int | slice):
            left = list(members)
            del left[index]
            for name in self._names:
                erase(self.cells, name)
            self._fill(tuple(left))

    def append(self, module: Any) -> Any:
        store(self.cells, str(len(self._names)), module)
        return self

    def extend(self, modules: Any) -> Any:
        items = modules if isinstance(modules, Repeated) else machine().items(modules)
        for member in (items,) if isinstance(items, Repeated) else items:
            self.append(member)
        return self

    def insert(self, index: Any, module: Any) -> Any:
        members = self._members
        if isinstance(members, tuple) and isinstance(index, int):
            left = list(members)
            left.insert(index, module)
            self._fill(tuple(left))
        return self

    def pop(self, key: Any) -> Any:
        member = self[key]
        self.__delitem__(key)
        return member

    def __add__(self, other: Any) -> Any:
        return self._like((*self._members, *other.iterate()))

    def __iadd__(self, other: Any) -> Any:
        return self.extend(other)


@model("torch.nn.ModuleList")
class ModuleList(Row):
    """Modules in a list; programs call them one by one."""

    __slots__ = ()

    def __init__(self, modules: Any = None) -> None:
        super().__init__()
        if modules is not None:
            self._fill(modules)


@model("torch.nn.Sequential")
class Sequential(Row):
    """Modules that are called one after the other."""

    __slots__ = ()

    def __init__(self, *args: Any) -> None:
        super().__init__()
        if len(args) == 1 and isinstance(args[0], DictValue):
            for name, module in args[0].cells.items():
                store(self.cells, str(name), module)
        else:
            self._fill(args)

    def forward(self, input: Any) -> Any:
        for name in self._names:
            module = self.cells[name]
            input = self._repeated(module, input) if isinstance(module, Repeated) else machine().call(module, input)
        return input

    def _repeated(self, members: Repeated, input: Any) -> Any:
        """One module applied an unknown number of times, which yields what it is given."""
        result = machine().call(members.element, input)
        tensors = isinstance(result, TensorValue) and isinstance(input, TensorValue)
        if tensors and tensor_of(result).shape == tensor_of(input).shape:
            return result
        raise Undecided(Reason.LOOP_VARYING, "an unknown number of layers that change the shape")


Sequential.__init__.takes_spread = True  # type: ignore[attr-defined]


@model("torch.nn.ModuleDict")
class ModuleDict(Module):
    """Modules by name."""

    __slots__ = ()
    is_container: ClassVar[bool] = True

    def __init__(self, modules: Any = None) -> None:
        super().__init__()
        if modules is not None:
            self.update(modules)

    @property
    def _named(self) -> dict[str, Any]:
        return {name: each for name, each in self.cells.items() if not name.startswith("@") and name != "training"}

    def update(self, modules: Any) -> None:
        if isinstance(modules, ModuleDict | ParameterDict):
            pairs = list(modules._named.items())
        elif isinstance(modules, DictValue):
            if modules.rest is not None:
                raise Undecided(Reason.DYNAMIC_CONTAINER, "a dictionary of unknown keys")
            pairs = list(modules.cells.items())
        else:
            items = machine().items(modules)
            if isinstance(items, Repeated):
                raise Undecided(Reason.DYNAMIC_CONTAINER, "a dictionary of unknown keys")
            pairs = [tuple(machine().items(pair)) for pair in items]  # type: ignore[arg-type]
        for name, module in pairs:
            store(self.cells, str(name), module)

    def __getitem__(self, key: Any) -> Any:
        if isinstance(key, str) and key in self._named:
            return self.cells[key]
        alike = list(self._named.values())
        if not isinstance(key, str) and alike and all(type(each) is type(alike[0]) for each in alike):
            return alike[0]
        raise Undecided(Reason.DYNAMIC_CONTAINER, f"there is no member {key}")

    def __setitem__(self, key: Any, module: Any) -> None:
        self.add_module(key, module)

    def __delitem__(self, key: Any) -> None:
        erase(self.cells, key)

    def __contains__(self, key: Any) -> Any:
        return key in self._named

    def length(self) -> Any:
        return len(self._named)

    def iterate(self) -> Any:
        return tuple(self._named)

    def __iter__(self) -> Any:
        return IteratorValue(self._named)

    def keys(self) -> Any:
        return ListValue(self._named)

    def values(self) -> Any:
        return ListValue(self._named.values())

    def items(self) -> Any:
        return ListValue(self._named.items())

    def pop(self, key: Any) -> Any:
        member = self[key]
        erase(self.cells, key)
        return member

    def clear(self) -> None:
        for name in self._named:
            erase(self.cells, name)


@model("torch.nn.ParameterList")
class ParameterList(Row):
    """Parameters in a list; tensors become parameters."""

    __slots__ = ()

    def __init__(self, values: Any = None) -> None:
        super().__init__()
        if values is not None:
            self.extend(values)

    def append(self, value: Any) -> Any:
        return super().append(_parameter(value))

    def extend(self, values: Any) -> Any:
        items = machine().items(values)
        if isinstance(items, Repeated):
            return super().extend(Repeated(_parameter(items.element), items.length))
        return super().extend(IteratorValue(items))


@model("torch.nn.ParameterDict")
class ParameterDict(ModuleDict):
    """Parameters by name; tensors become parameters."""

    __slots__ = ()

    def __init__(self, parameters: Any = None) -> None:
        super().__init__(parameters)

    def update(self, parameters: Any) -> None:
        super().update(parameters)
        for name, value in self._named.items():
            if isinstance(value, TensorValue) and not isinstance(value, Parameter):
                store(self.cells, name, _parameter(value))

    def __setitem__(self, key: Any, value: Any) -> None:
        self.add_module(key, _parameter(value))


def _parameter(value: Any) -> Any:
    return Parameter(value) if isinstance(value, TensorValue) and not isinstance(value, Parameter) else value
