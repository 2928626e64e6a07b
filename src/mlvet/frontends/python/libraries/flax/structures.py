"""flax.struct, flax.core, flax.traverse_util, flax.serialization: data classes and dictionaries that are trees."""

from __future__ import annotations

from contextlib import suppress
from typing import Any, ClassVar

from mlvet.frontends.python.active import machine, store
from mlvet.frontends.python.libraries.flax.linen.variables import copied
from mlvet.frontends.python.libraries.jax.trees import changed, paths_of
from mlvet.frontends.python.libraries.registry import find, load, model
from mlvet.frontends.python.values.containers import DictValue
from mlvet.frontends.python.values.objects import ClassValue, Object
from mlvet.frontends.python.values.unknown import Reason, Undecided


@model("flax.struct.dataclass")
def dataclass(clz: Any = None, **options: Any) -> Any:
    """A data class whose instances are trees and have `replace`."""
    if clz is None:
        return dataclass
    if isinstance(clz, ClassValue):
        mark_static_fields(clz)
        load("dataclasses")
        with suppress(KeyError):
            machine().call(find("dataclasses.dataclass"), clz)
        store(clz.cells, "@dataclass", True)
        store(clz.cells, "@pytree", True)
        if "replace" not in clz.cells:
            store(clz.cells, "replace", Replace())
    return clz


def mark_static_fields(made: ClassValue) -> None:
    """Write down which fields of a class are no part of the tree."""
    static = tuple(name for name, cell in made.cells.items() if isinstance(cell, Field) and cell.cells["@static"])
    if static:
        store(made.cells, "@static", static)


class Replace(Object):
    """The method `replace` of data classes."""

    def bound(self, receiver: Any) -> Any:
        def replace(**updates: Any) -> Any:
            return changed(receiver, updates)

        return replace


@model("flax.struct.PyTreeNode")
class PyTreeNode(Object):
    """Classes of the program that are trees; their fields are those of a data class."""

    pytree: ClassVar[bool] = True

    @staticmethod
    def subclassed(made: ClassValue) -> ClassValue:
        mark_static_fields(made)
        store(made.cells, "@dataclass", True)
        store(made.cells, "@pytree", True)
        return made

    def replace(self, **updates: Any) -> Any:
        return changed(self, updates)


@model("flax.struct.field")
def field(pytree_node: bool = True, *, metadata: Any = None, **options: Any) -> Any:
    made = Field()
    made.cells.update({"default": options.get("default"), "default_factory": options.get("default_factory")})
    made.cells["@static"] = pytree_node is False
    return made


class Field(Object):
    """The description of a field; `default_factory` is None where there is none."""


@model("flax.core.freeze", "flax.core.frozen_dict.freeze", "flax.core.FrozenDict", "flax.core.frozen_dict.FrozenDict",
    "flax.linen.FrozenDict")  # fmt: skip
def freeze(xs: Any = None, **entries: Any) -> Any:
    """Frozen dictionaries are dictionaries here."""
    return copied(xs) if xs is not None else DictValue(entries)


@model("flax.core.unfreeze", "flax.core.frozen_dict.unfreeze")
def unfreeze(x: Any) -> Any:
    return copied(x)


@model("flax.core.copy", "flax.core.frozen_dict.copy")
def copy(x: Any, add_or_replace: Any = None) -> Any:
    made = copied(x)
    if isinstance(made, DictValue) and isinstance(add_or_replace, DictValue):
        made.cells.update(add_or_replace.cells)
    return made


@model("flax.core.pop", "flax.core.frozen_dict.pop")
def pop(x: Any, key: Any) -> Any:
    if not isinstance(x, DictValue) or key not in x.cells:
        raise Undecided(Reason.DYNAMIC_CONTAINER, "a key that is not known")
    return DictValue({name: cell for name, cell in x.cells.items() if name != key}), x.cells[key]


@model("flax.traverse_util.flatten_dict")
def flatten_dict(xs: Any, keep_empty_nodes: bool = False, is_leaf: Any = None, sep: Any = None) -> Any:
    """Leaves by the path of their keys."""
    if not isinstance(xs, DictValue):
        raise Undecided(Reason.DYNAMIC_CONTAINER, "a dictionary that is not known")
    found: dict[Any, Any] = {}

    def walk(node: Any, path: tuple[Any, ...]) -> None:
        if isinstance(node, DictValue) and (node.cells or not path):
            for key, child in node.cells.items():
                walk(child, (*path, key))
        else:
            found[path if sep is None else sep.join(map(str, path))] = node

    walk(xs, ())
    return DictValue(found)


@model("flax.traverse_util.unflatten_dict")
def unflatten_dict(xs: Any, sep: Any = None) -> Any:
    if not isinstance(xs, DictValue):
        raise Undecided(Reason.DYNAMIC_CONTAINER, "a dictionary that is not known")
    made = DictValue()
    for path, leaf in xs.cells.items():
        keys = path if isinstance(path, tuple) else tuple(path.split(sep)) if sep else (path,)
        node = made
        for key in keys[:-1]:
            node = node.cells.setdefault(key, DictValue())
        node.cells[keys[-1]] = leaf
    return made


@model("flax.traverse_util.path_aware_map")
def path_aware_map(f: Any, nested_dict: Any) -> Any:
    from mlvet.frontends.python.libraries.jax.trees import mapped

    return mapped(lambda path, leaf: machine().call(f, path, leaf), nested_dict)


class ModelParamTraversal(Object):
    """The parameters whose path a function picks."""

    def __init__(self, filter_fn: Any) -> None:
        self.filter_fn = filter_fn

    def iterate_params(self, inputs: Any) -> Any:
        return [leaf for _, leaf in paths_of(inputs)]

    def update(self, fn: Any, inputs: Any) -> Any:
        return inputs


model("flax.traverse_util.ModelParamTraversal")(ModelParamTraversal)


@model("flax.serialization.to_state_dict")
def to_state_dict(target: Any) -> Any:
    return target


@model("flax.serialization.from_state_dict")
def from_state_dict(target: Any, state: Any, name: str = ".") -> Any:
    return target


@model("flax.serialization.from_bytes")
def from_bytes(target: Any, encoded_bytes: Any) -> Any:
    return target


@model("flax.serialization.to_bytes", "flax.serialization.msgpack_serialize")
def to_bytes(target: Any, *rest: Any, **options: Any) -> Any:
    from mlvet.frontends.python.values.numbers import Scalar

    return Scalar(bytes)


@model("flax.config.update")
def config_update(name: Any, value: Any) -> None:
    return None
