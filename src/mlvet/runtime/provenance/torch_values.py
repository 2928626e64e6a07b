"""Tensors of torch that hang on inputs: torch's own gradients carry them, and numbers that leave torch get places.

Traced numbers that become tensors are leaves that require gradients; the program gets a copy of the leaf, so that it
may write into it. When a tensor becomes a number, a list or an array again, torch pulls the derivatives back to the
leaves.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from types import ModuleType
from typing import Any

import torch
from torch.overrides import TorchFunctionMode
from torch.utils.weak import WeakTensorKeyDictionary

from mlvet.runtime.provenance import creation
from mlvet.runtime.provenance.array_methods import objects
from mlvet.runtime.provenance.array_predicates import compared
from mlvet.runtime.provenance.array_values import ARRAYS, Places, as_traced, has_places, split, with_places, wrap_array
from mlvet.runtime.provenance.breaks import broken
from mlvet.runtime.provenance.numbers import traced
from mlvet.runtime.provenance.plain_numpy import np
from mlvet.runtime.provenance.scalars import ANY_TRACED
from mlvet.runtime.provenance.tape import TAPE

_CREATORS = ("tensor", "as_tensor", "asarray", "from_numpy", "FloatTensor", "DoubleTensor")
_CONSTANT = frozenset(
    "zeros_like ones_like empty_like rand_like randn_like full_like size dim numel is_floating_point __get__ __len__ "
    "stride is_contiguous type dtype device requires_grad_ element_size data_ptr __hash__ is_complex sign round floor "
    "ceil trunc bernoulli multinomial argmax argmin new_zeros new_ones new_empty new_full zeros ones".split()
)
_COMPARISONS = {"__gt__": 1, "__lt__": 1, "__ge__": 1, "__le__": 1, "gt": 1, "lt": 1, "ge": 1, "le": 1}


@dataclass(frozen=True, slots=True, eq=False)
class Leaf:
    """A leaf of torch's graph, the places of its elements, and how often it had been written to when it was made."""

    tensor: Any
    places: Places
    version: int


_leaves: dict[int, Leaf] = {}
_numbers: Any = WeakTensorKeyDictionary()
"""The numbers of tensors whose gradients were asked for, and how often the tensors had been written to."""


def marked(value: Any) -> bool:
    """Whether a tensor hangs on inputs."""
    return isinstance(value, torch.Tensor) and "_mlvet" in value.__dict__


def _mark(value: Any) -> Any:
    value._mlvet = True
    return value


def leaf(tensor: Any, places: Places, own: bool = False) -> Any:
    """A tensor that hangs on these places; `own` keeps it a leaf, as a program that asks for gradients needs it."""
    if not tensor.is_floating_point():
        return tensor
    base = tensor.detach().requires_grad_(True)
    _leaves[id(base)] = Leaf(base, np.array(places).reshape(-1), base._version)
    if own:
        return _mark(base)
    with torch.enable_grad():
        return _mark(base.clone())


def made_of(array: Any, like: Any) -> Any:
    """A tensor with the values of `like`, whose elements have the places of a traced array."""
    return leaf(like.detach().clone(), array.places, own=like.is_leaf and like.requires_grad)


def wrap_tensor(tensor: Any) -> Any:
    """A tensor whose elements are inputs, each with a new place."""
    return made_of(wrap_array(tensor.detach().cpu().numpy().copy()), tensor)


def _walked(tensor: Any) -> Iterator[Any]:
    """The variables that a tensor's graph ends in."""
    if tensor.grad_fn is None:
        yield tensor
        return
    waiting, seen = [tensor.grad_fn], set()
    while waiting:
        node = waiting.pop()
        if node is None or node in seen:
            continue
        seen.add(node)
        variable = getattr(node, "variable", None)
        if variable is not None:
            yield variable
        waiting += [each for each, _ in node.next_functions]


def reached(tensor: Any) -> list[Leaf]:
    """The leaves that a tensor hangs on, as far as their values are still those of the inputs."""
    found = []
    for each in _walked(tensor):
        known = _leaves.get(id(each))
        if known is None or known.tensor is not each:
            continue
        if each._version != known.version:
            broken("torch tensor that was written to without a graph")
            continue
        found.append(known)
    return found


def _slopes(tensor: Any, leaves: list[Leaf], weights: Any = None) -> list[Any]:
    tensors = [each.tensor for each in leaves]
    found: tuple[Any, ...]
    try:
        found = torch.autograd.grad(tensor, tensors, weights, retain_graph=True, allow_unused=True)
    except RuntimeError as error:
        if "inplace" not in str(error):
            raise
        broken("torch: what a tensor was made of has been written over")
        found = (None,) * len(leaves)
    return [
        np.zeros(len(known.places)) if each is None else each.detach().double().reshape(-1).cpu().numpy()
        for each, known in zip(found, leaves, strict=True)
    ]


def number_of(tensor: Any) -> Any:
    """`tensor.item()`, with a place."""
    known = _numbers.get(tensor)
    if known is not None and known[1] == tensor._version:
        return known[0]
    value = tensor.detach().item()
    leaves = reached(tensor)
    if not leaves or type(value) is not float:
        return value
    slopes = np.concatenate(_slopes(tensor.reshape(()) if tensor.dim() else tensor, leaves))
    parents = np.concatenate([each.places for each in leaves])
    kept = (parents > 0) & (slopes != 0)
    return traced(value, TAPE.row(parents[kept].tolist(), slopes[kept].tolist()))


def array_of(tensor: Any) -> Any:
    """`tensor.numpy()`, with places."""
    data = tensor.detach().cpu().numpy()
    leaves = reached(tensor)
    if not leaves:
        return as_traced(data)

    def pullback(slopes: Any) -> list[Any]:
        weights = torch.as_tensor(np.array(slopes)).reshape(tensor.shape).to(tensor.dtype)
        return _slopes(tensor, leaves, weights)

    first = TAPE.step(data.size, [each.places for each in leaves], pullback, "torch")
    return with_places(data, np.arange(first, first + data.size).reshape(data.shape))


def _only_ours(tensor: Any) -> bool:
    """Whether no gradient that the program asked for passes through a tensor."""
    return all(id(each) in _leaves and not each.grad_fn for each in _walked(tensor))


def _detached(tensor: Any, real: Any) -> Any:
    if _only_ours(tensor):
        with torch.enable_grad():
            return _mark(tensor.view_as(tensor))
    broken("torch detach")
    return real


def _backward(function: Any, arguments: Any, options: dict[str, Any]) -> Any:
    """Parameters are often written over before the loss is read, so its number is made now."""
    tensor = arguments[0]
    if tensor.numel() == 1:
        _numbers[tensor] = (number_of(tensor), tensor._version)
    broken("torch backward: what is learned from gradients")
    return function(*arguments, **{**options, "retain_graph": True})


class Following(TorchFunctionMode):
    """Sees every function of torch that the program calls."""

    def __torch_function__(self, func: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
        del types
        options = kwargs or {}
        name = getattr(func, "__name__", "")
        if name in _CREATORS and args and not isinstance(args[0], torch.Tensor):
            return _created(func, args, options)
        if not any(type(each) in ANY_TRACED or type(each) in ARRAYS for each in (*args, *options.values())):
            return _made(func, name, args, options)
        try:
            return _made(func, name, *_with_tensors(args, options))
        except TypeError as error:
            if "must be" not in str(error):
                raise
        broken(f"torch {name}, which takes a bare number")
        return _made(func, name, tuple(map(_plain, args)), {key: _plain(each) for key, each in options.items()})


def _made(func: Any, name: str, arguments: Any, options: dict[str, Any]) -> Any:
    if not _any_marked((*arguments, *options.values())):
        return func(*arguments, **options)
    return _followed(func, name, arguments, options)


def _plain(value: Any) -> Any:
    return value.v if type(value) in ANY_TRACED else value


def _any_marked(values: Any) -> bool:
    return any(marked(each) or (type(each) in (list, tuple) and any(map(marked, each))) for each in values)


def _created(func: Any, arguments: Any, options: dict[str, Any]) -> Any:
    source, *rest = arguments
    if type(source) in (list, tuple) and _any_marked((source,)):
        made = func([each.detach().item() if marked(each) else each for each in source], *rest, **options)
        return _mark(torch.stack([each if marked(each) else made[at] for at, each in enumerate(source)]).to(made.dtype))
    if not has_places(source):
        return func(split(source)[0], *rest, **options)
    data, places = split(source)
    assert places is not None
    wants = bool(options.pop("requires_grad", False))
    made = func(np.array(data) if type(source) in ARRAYS else data, *rest, **options)
    return leaf(made, places, own=wants)


def _with_tensors(arguments: Any, options: dict[str, Any]) -> tuple[Any, dict[str, Any]]:
    """Traced numbers among tensors as tensors of the type that the result would have."""
    tensors = [each for each in (*arguments, *options.values()) if isinstance(each, torch.Tensor)]
    floating = [each.dtype for each in tensors if each.is_floating_point()]
    dtype = floating[0] if floating else torch.get_default_dtype()

    def convert(value: Any) -> Any:
        if type(value) in ANY_TRACED:
            return leaf(torch.tensor(float(value.v), dtype=dtype), np.array([value.i]))
        if type(value) in ARRAYS:
            data, places = split(value)
            made = torch.as_tensor(data)
            return made if places is None else leaf(made.clone(), places)
        return value

    return tuple(map(convert, arguments)), {name: convert(each) for name, each in options.items()}


def _followed(func: Any, name: str, arguments: Any, options: dict[str, Any]) -> Any:
    """What a function makes of tensors that hang on inputs."""
    first: Any = arguments[0] if arguments else None
    if name in ("item", "__float__") and marked(first):
        return number_of(first) if name == "item" else first.detach().item()
    if name in ("numpy", "__array__") and marked(first):
        return array_of(first)
    if name == "tolist" and marked(first):
        return number_of(first) if first.dim() == 0 else objects(array_of(first)).tolist()
    if name in ("__repr__", "__format__", "__str__") and marked(first):
        return func(first.detach(), *arguments[1:], **options)
    if name == "detach" or (name == "__get__" and getattr(func, "__self__", None) is torch.Tensor.data):
        return _detached(first, func(*arguments, **options))
    if name == "backward":
        return _backward(func, arguments, options)
    writes = (name.endswith("_") and not name.endswith("__")) or name == "__setitem__" or name.startswith("__i")
    allowed = torch.is_grad_enabled() or (writes and isinstance(first, torch.Tensor) and first.is_leaf)
    if allowed:
        result = func(*arguments, **options)
    else:
        with torch.enable_grad():
            result = func(*arguments, **options)
    if name in _COMPARISONS and isinstance(result, torch.Tensor) and result.numel() == 1:
        _compared(arguments, result)
    if name == "__setitem__" and isinstance(first, torch.Tensor) and first.requires_grad:
        _mark(first)
    _marked_results(result, name)
    return result


def _marked_results(result: Any, name: str) -> None:
    results = result if isinstance(result, (list, tuple)) else (result,)
    for each in results:
        if isinstance(each, torch.Tensor) and each.is_floating_point():
            if each.requires_grad:
                _mark(each)
            elif name not in _CONSTANT:
                broken(f"torch {name}")


def _compared(arguments: Any, result: Any) -> None:
    left, right = arguments[:2]
    with torch.enable_grad():
        margin = number_of((left - right).reshape(()))
    if type(margin) in ANY_TRACED:
        compared(np.array(bool(result)), np.array(margin.v), np.array(margin.i), None)


_mode: list[Any] = []


def _array_or_none(tensor: Any) -> Any:
    return array_of(tensor) if marked(tensor) else None


def install(module: ModuleType) -> None:
    """Follow torch from here on, in this thread."""
    mode: Any = Following()
    mode.__enter__()
    _mode.append(mode)
    creation.CONVERTED[module.Tensor] = _array_or_none
    real = module.from_numpy

    def from_numpy(array: Any) -> Any:
        return _created(real, (array,), {}) if type(array) in ARRAYS else real(array)

    module.from_numpy = from_numpy  # type: ignore[attr-defined]
    _restore.append((module, real))


_restore: list[tuple[Any, Any]] = []


def uninstall() -> None:
    while _mode:
        _mode.pop().__exit__(None, None, None)
    while _restore:
        module, real = _restore.pop()
        module.from_numpy = real
    _leaves.clear()
    _numbers.clear()
    creation.CONVERTED.pop(torch.Tensor, None)
