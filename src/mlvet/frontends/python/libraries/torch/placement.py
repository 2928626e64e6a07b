"""Where tensors are: what operators make of the devices of their operands, and which mixtures they refuse."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from functools import wraps
from typing import Any, TypeVar

from mlvet.domains.dims import Expr
from mlvet.frontends.python.active import machine, store
from mlvet.frontends.python.emission import demand_together
from mlvet.frontends.python.interpretation.conditions import decided, known_of
from mlvet.frontends.python.libraries.registry import model
from mlvet.frontends.python.libraries.torch.devices import ACCELERATOR, Device, default_device, spot_named
from mlvet.frontends.python.libraries.torch.remedies import copied_first, made_elsewhere, maker
from mlvet.frontends.python.values.choices import Guard, conjoined
from mlvet.frontends.python.values.numbers import Scalar
from mlvet.frontends.python.values.objects import Object
from mlvet.frontends.python.values.placements import ANYWHERE, DEVICE, Placement, Spot, at, placement_of
from mlvet.frontends.python.values.tensors import TensorValue, rank_of
from mlvet.frontends.python.values.unknown import Unknown
from mlvet.ir.graph import OPAQUE
from mlvet.ir.program import Device as Place

F = TypeVar("F", bound=Callable[..., Any])

ELEMENTWISE = frozenset(
    (
        "add", "sub", "mul", "div", "floor_div", "remainder", "mod", "pow", "and", "or", "xor", "bitwise_and",
        "bitwise_or", "bitwise_xor", "equal", "not_equal", "less", "less_or_equal", "greater", "greater_or_equal",
        "max", "min", "atan2", "hypot", "where", "is_close", "squared_difference", "mse_loss", "l1_loss",
        "smooth_l1_loss", "huber_loss", "kl_div", "binary_cross_entropy", "binary_cross_entropy_with_logits",
    )
)  # fmt: skip
"""Operators that take a tensor without dims from the CPU."""

TOGETHER = frozenset(
    (
        "linear", "matmul", "batch_matmul", "conv", "conv_transpose", "embedding", "concat", "stack", "einsum",
        "tensordot", "dot_general", "outer", "bilinear", "gather_elements", "scatter_elements", "prelu",
        "scaled_dot_product_attention", "lstm", "gru", "rnn", "lstm_cell", "gru_cell", "rnn_cell",
        "batch_normalization", "layer_normalization", "group_normalization", "instance_normalization",
        "rms_normalization", "softmax_cross_entropy_loss", "negative_log_likelihood_loss", "cross", "grid_sample",
        "masked_select", "dot",
    )
)  # fmt: skip
"""Operators whose tensors must all be on one device."""

KINDS = frozenset(("cpu", "cuda", "mps", "xpu", "npu", "hpu", "mtia"))
"""Kinds of devices that a setting may name."""

MOVERS = frozenset(
    (
        "accelerate", "lightning", "pytorch_lightning", "lightning_fabric", "deepspeed", "fairscale", "fastai",
        "horovod", "composer", "colossalai", "catalyst", "skorch", "mmengine", "mmcv", "torchtitan", "torchtune",
        "lightning_utilities", "torch_xla", "apex", "bitsandbytes", "torchrec", "ignite",
    )
)  # fmt: skip
"""Libraries that move models and batches by themselves."""

_BECAUSE = "all of its tensors must be on one device"


def placed(x: TensorValue, where: Placement) -> Any:
    """A tensor that has just been made, on a device."""
    if where.known or DEVICE in x.cells:
        x.cells[DEVICE] = where
    return x


def moved(x: TensorValue, where: Placement) -> Any:
    """The tensor on another device, itself if it is there."""
    if where.known and _devices(placement_of(x)) == _devices(where):
        return x
    made = type(x).__new__(type(x))
    object.__setattr__(made, "kind", x.kind)
    made.cells.update({name: cell for name, cell in x.cells.items() if name != "grad"})
    made.cells[DEVICE] = where
    return made


def _devices(where: Placement) -> tuple[tuple[Guard, str], ...]:
    return tuple((guard, str(spot)) for guard, spot in where.alternatives)


def known_place(x: TensorValue) -> Placement:
    """Where a tensor is. Parts of a module are anywhere in a function that nobody calls: others may move it."""
    return ANYWHERE if machine().on_its_own and is_born(x) else placement_of(x)


def asked_of(device: Any, how: str = "") -> Placement:
    """The device that an argument says."""
    here = machine()
    if isinstance(device, TensorValue):
        found = known_place(device)
    elif isinstance(device, Device):
        found = device.placement
    elif isinstance(device, str | Scalar) or (isinstance(device, int | Expr) and not isinstance(device, bool)):
        found = Device(device).placement
    else:
        return ANYWHERE
    return found.told(how or f"moved by `{here.callee}`", here.location)


def asked_in(args: Sequence[Any], keywords: Mapping[str, Any]) -> Placement | None:
    """The device among the arguments of `to`, None if there is none."""
    for each in (*args[:2], *(keywords.get(name) for name in ("device", "other", "tensor"))):
        if isinstance(each, Device | TensorValue | str | Scalar | Unknown | int | Expr) and not isinstance(each, bool):
            return asked_of(each)
    return None


def made_here(device: Any = None, like: TensorValue | None = None) -> Placement:
    """Where the function at hand makes a tensor: on the device it is told, beside another tensor, or by default."""
    here = machine()
    if device is not None:
        return asked_of(device, f"made by `{here.callee}` with that device")
    if like is not None:
        return known_place(like)
    return default_device().told(f"made by `{here.callee}` without a device", here.location, maker=maker())


def born_here() -> Placement:
    """Where the layer that is being made has its parameters: on the device it is told, or by default."""
    here = machine()
    told = here.library_call.keywords.get("device") if here.library_call is not None else None
    how = f"a part of `{here.callee}`"
    found = default_device() if told is None else asked_of(told)
    return found.told(how, here.location, born=True)


def factory(*names: str, beside: bool = False) -> Callable[[F], F]:
    """Register a function that makes a tensor on the device it is told, or `beside` its first tensor.

    What other models call is the function itself, which leaves open where its result is.
    """

    def register(function: F) -> F:
        model(*names)(making(function, beside=beside))
        return function

    return register


def making(function: Callable[..., Any], *, beside: bool = False) -> Any:
    """The function with its result on the device that it is told, or on that of its first tensor, or by default."""

    @wraps(function)
    def make(*args: Any, **keywords: Any) -> Any:
        made = function(*args, **keywords)
        if isinstance(made, TensorValue):
            first = next((each for each in (*args, *keywords.values()) if _is_alike(each, made)), None)
            placed(made, made_here(keywords.get("device"), first if beside else None))
        return made

    return make


def _is_alike(value: Any, made: TensorValue) -> bool:
    return isinstance(value, TensorValue) and value.framework is made.framework


def on_cpu(x: Any) -> Any:
    """A tensor that has just been made of data in the memory of the host."""
    here = machine()
    return placed(x, at(Spot("cpu", None, None, f"made by `{here.callee}`", here.location)))


def settled(op: str, operands: Sequence[Any], results: Sequence[TensorValue]) -> None:
    """Put the results of an operator where its operands are, and note operands that it refuses to take together."""
    tensors = [each for each in operands if isinstance(each, TensorValue) and "@value" in each.cells]
    if not any(DEVICE in each.cells for each in tensors):
        return
    if op in ELEMENTWISE or op in TOGETHER:
        where = _common(op, tensors)
    elif op == OPAQUE:
        where = _shared(tensors)
    else:
        where = known_place(tensors[0])
    if where.known:
        for each in results:
            each.cells[DEVICE] = where


def _shared(tensors: Sequence[TensorValue]) -> Placement:
    first = known_place(tensors[0])
    return first if all(known_place(each) == first for each in tensors[1:]) else ANYWHERE


def _common(op: str, tensors: Sequence[TensorValue]) -> Placement:
    """Where operands that must be together are; on no path on which they are not."""
    places = [known_place(each) for each in tensors]
    if all(where is places[0] for where in places):
        return places[0] if places[0].known else ANYWHERE
    known = [(each, where) for each, where in zip(tensors, places, strict=True) if where.known]
    counted = [(each, where) for each, where in known if not _may_differ(op, each)]
    for n, (one, first) in enumerate(counted):
        for other, second in counted[n + 1 :]:
            if first != second and refuse(one, first, other, second, _BECAUSE):
                return _agreed(first, second)
    full = [where for each, where in known if rank_of(each) != 0]
    if full:
        return full[0] if all(where == full[0] or _is_sure(where) for where in full) else ANYWHERE
    return known[0][1] if len(known) == len(tensors) and all(w == known[0][1] for _, w in known) else ANYWHERE


def _is_sure(where: Placement) -> bool:
    return all(spot is not None for _, spot in where.alternatives)


def _agreed(first: Placement, second: Placement) -> Placement:
    """The paths on which two placements are one device."""
    pairs = [
        (conjoined(one, other), left, right) for one, left in first.alternatives for other, right in second.alternatives
    ]
    return Placement(
        tuple(
            (guard, left)
            for guard, left, right in pairs
            if guard is not None and left is not None and right is not None and differ(left, right) is None
        )
    )


def _may_differ(op: str, x: TensorValue) -> bool:
    """Whether a tensor may be on the CPU beside others elsewhere, because it is or may be without dims."""
    rank = rank_of(x)
    if rank not in (None, 0) or (rank is None and op in TOGETHER):
        return False
    return any(spot is None or spot.kind == "cpu" or spot.setting for _, spot in placement_of(x).alternatives)


def refuse(one: TensorValue, first: Placement, other: TensorValue, second: Placement, because: str) -> bool:
    """Note that two tensors are on different devices, on the first path on which they are; whether they may be."""
    for guard, here, there, assumed in conflicts(first, second):
        places = (_told(here), _told(there))
        cure = made_elsewhere(here, second) or made_elsewhere(there, first)
        demand_together((_as_given(one, here), _as_given(other, there)), places, because, guard, assumed, cure)
        return True
    return False


def _as_given(x: TensorValue, spot: Spot) -> TensorValue:
    """The argument of the call at hand that a tensor was made of, or the parameter of the layer that is called."""
    given = list(_tensors(machine().given))
    if any(each.graph_value is x.graph_value for each in given):
        return x
    return next((each for each in given if any(own is spot for _, own in placement_of(each).alternatives)), x)


def _tensors(values: Iterable[Any], depth: int = 2) -> Iterator[TensorValue]:
    for each in values:
        if isinstance(each, TensorValue):
            if "@value" in each.cells:
                yield each
        elif depth and isinstance(each, tuple):
            yield from _tensors(each, depth - 1)
        elif depth and isinstance(each, Object):
            yield from _tensors(tuple(each.cells.values()), depth - 1)


def conflicts(first: Placement, second: Placement) -> Iterator[tuple[Guard, Spot, Spot, str]]:
    """The paths on which two placements differ, with the devices and what is assumed of a setting."""
    here = machine()
    if not MOVERS.isdisjoint(here.imported):
        return
    path = frozenset(here.path)
    for one, left in first.possible(path):
        for other, right in second.possible(path | one):
            guard = conjoined(one, other)
            if left is None or right is None or guard is None:
                continue
            if any(decided(here, literal) is False for literal in guard):
                continue
            if any(here.conditions[each.condition].opaque for each in guard if each.condition in here.conditions):
                continue
            assumed = differ(left, right, path | guard)
            if assumed is not None:
                yield guard, left, right, assumed


def differ(left: Spot, right: Spot, path: Guard = frozenset()) -> str | None:
    """When two devices are not the same: always if empty, in words if a setting decides, None if never."""
    if left.setting is not None and right.setting is not None:
        return None
    if left.setting is not None:
        return _set_apart(left.setting, right, path)
    if right.setting is not None:
        return _set_apart(right.setting, left, path)
    kinds = {left.kind, right.kind}
    if "meta" in kinds or (ACCELERATOR in kinds and "cpu" not in kinds):
        return None
    numbered = left.index is not None and right.index is not None
    return "" if left.kind != right.kind or (numbered and left.index != right.index) else None


def _set_apart(setting: Scalar, other: Spot, path: Guard) -> str | None:
    """When a setting names another device than this: by default, or wherever it is not the CPU of this one."""
    usual = spot_named(setting.default)
    possible, excluded = known_of(machine(), setting.name, path)
    if usual.kind not in KINDS or setting.default in excluded or (possible is not None and len(possible) == 1):
        return None
    if differ(usual, other) == "":
        return f"{setting.name} is {setting.default}, as by default"
    return f"{setting.name} is not cpu" if other.kind == "cpu" and "cpu" not in excluded else None


def _told(spot: Spot) -> Place:
    return Place(str(spot), spot.how, spot.location, spot.born)


def needs_cpu(x: TensorValue, because: str) -> None:
    """Note a tensor that must be on the CPU and is not, on the first path on which it is elsewhere."""
    home = at(Spot("cpu"))
    for guard, spot, _, assumed in conflicts(known_place(x), home):
        demand_together((x,), (_told(spot),), because, guard, assumed, copied_first())
        return


def index_fits(x: TensorValue, index: Any) -> None:
    """Note places on another device that a tensor is indexed by; those on the CPU do everywhere."""
    home = known_place(x)
    if not home.known:
        return
    for each in index if isinstance(index, tuple) else (index,):
        if isinstance(each, TensorValue) and (where := known_place(each)).known:
            for guard, spot, other, assumed in conflicts(where, home):
                if spot.kind not in ("cpu", ""):
                    because = "places must be on the CPU or on the device of the tensor that they index"
                    demand_together((x, each), (_told(other), _told(spot)), because, guard, assumed)
                    return


def anywhere(value: Any) -> Any:
    """Tensors, alone or in an index, without their devices."""
    if isinstance(value, tuple) and any(isinstance(each, TensorValue) for each in value):
        return tuple(anywhere(each) for each in value)
    if not isinstance(value, TensorValue) or DEVICE not in value.cells:
        return value
    made = type(value).__new__(type(value))
    made.cells.update({name: cell for name, cell in value.cells.items() if name != DEVICE})
    return made


def born(where: Placement) -> Placement:
    """The same devices for a part of a module."""
    parts = where.alternatives
    return Placement(tuple((guard, None if spot is None else replace(spot, born=True)) for guard, spot in parts))


def is_born(x: TensorValue) -> bool:
    """Whether a tensor is a part of a module, or of such parts on several paths."""
    return any(spot is not None and spot.born for _, spot in placement_of(x).alternatives)


def part_of(x: TensorValue, where: Placement) -> None:
    """Make a tensor that is somewhere a part of a module, with which it will move."""
    if where.known:
        store(x.cells, DEVICE, born(where))
