"""Devices, of which the machine that will run the program decides what is there."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from mlvet.domains.dims import Expr
from mlvet.frontends.python.active import machine, store
from mlvet.frontends.python.libraries.registry import model
from mlvet.frontends.python.values.choices import Choice, Guard, resolved
from mlvet.frontends.python.values.numbers import Scalar
from mlvet.frontends.python.values.objects import Object
from mlvet.frontends.python.values.placements import ANYWHERE, DEVICE, Placement, Spot, at, placement_of, united

ACCELERATOR = "accelerator"
"""Whatever device a machine has beside the CPU."""
_DEFAULT = ("device", "by default")
_BEFORE = "@before"
_NAMED = "@named"
_NUMBER = "@number"


def spot_named(text: str) -> Spot:
    """The device that a text names."""
    kind, _, number = text.partition(":")
    return Spot(kind, int(number) if number.isdigit() else None)


def default_device() -> Placement:
    """Where tensors are made that are told no device."""
    found: Any = machine().constants.get(_DEFAULT)
    return found if isinstance(found, Placement) else at(Spot("cpu"))


def change_default(where: Placement) -> None:
    """From here on tensors are made elsewhere."""
    here = machine()
    constants: dict[Any, Any] = here.constants
    here.trail.write(constants, _DEFAULT, where)


@model("torch.device")
class Device(Object):
    """A device by its kind and number, or on each path another; it serves as a context manager too."""

    def __init__(self, type: Any = "cpu", index: Any = None) -> None:
        where = ANYWHERE
        if isinstance(type, Device):
            where, type, index = type.placement, type.cells.get(_NAMED), type.cells.get(_NUMBER)
        elif isinstance(type, int | Expr) and not isinstance(type, bool):
            type, index = "cuda", type
        if isinstance(type, str):
            spot = spot_named(type)
            index = index if spot.index is None else spot.index
            where = at(Spot(spot.kind, index if isinstance(index, int) else None))
        elif isinstance(type, Scalar) and type.has_default and isinstance(type.default, str):
            where = at(Spot("", None, type))
        store(self.cells, DEVICE, where)
        store(self.cells, _NAMED, type if isinstance(type, Scalar) else Scalar(str, "device"))
        store(self.cells, _NUMBER, index)

    @classmethod
    def of(cls, where: Placement) -> Device:
        """The device that a tensor is on."""
        made = cls(Scalar(str, "device"))
        made.cells[DEVICE] = where
        return made

    @classmethod
    def one_of(cls, alternatives: Sequence[tuple[Guard, Any]]) -> Device:
        """One device for those of several paths."""
        return cls.of(united((guard, each.cells.get(DEVICE)) for guard, each in alternatives))

    @property
    def placement(self) -> Placement:
        """Where a tensor is that is put on it."""
        return placement_of(self)

    @property
    def type(self) -> Any:
        """The kind of the device, which may differ from path to path."""
        kinds = [(guard, self._kind(spot)) for guard, spot in self.placement.alternatives]
        first = kinds[0][1]
        return first if all(kind is first or kind == first for _, kind in kinds) else Choice(tuple(kinds))

    def _kind(self, spot: Spot | None) -> Any:
        if spot is None or spot.kind == ACCELERATOR:
            return self.cells[_NAMED]
        return spot.kind if spot.setting is None else spot.setting

    @property
    def index(self) -> Any:
        """The number of the device, if the program gives one."""
        found = {spot.index if spot is not None else None for _, spot in self.placement.alternatives}
        number = self.cells.get(_NUMBER)
        return found.pop() if len(found) == 1 and number is None else number

    @staticmethod
    def available(kind: str) -> Scalar:
        """Whether there is such a device: one condition per kind, whoever asks."""
        here = machine()
        key = ("device", kind)
        if key not in here.constants:
            text = f"{kind} is available"
            here.trail.write(here.constants, key, Scalar(bool, text, condition=text))
        found: Any = here.constants[key]
        assert isinstance(found, Scalar)
        return found

    def __enter__(self) -> Any:
        store(self.cells, _BEFORE, (*self.cells.get(_BEFORE, ()), default_device()))
        change_default(self.placement)
        return self

    def __exit__(self, *_: Any) -> None:
        before = self.cells.get(_BEFORE, ())
        if isinstance(before, tuple) and before:
            change_default(before[-1])
            store(self.cells, _BEFORE, before[:-1])

    def __eq__(self, other: object) -> Any:
        if isinstance(other, Device):
            here = machine()
            one, two = (resolved(each, here) if isinstance(each, Choice) else each for each in (self.type, other.type))
            if isinstance(one, str) and isinstance(two, str):
                return one == two
        return Scalar(bool, "same device")

    def __hash__(self) -> int:
        return id(self)


def _availability(kind: str) -> Any:
    return lambda: Device.available(kind)


for _kind in ("cuda", "xpu", "mtia"):
    model(f"torch.{_kind}.is_available")(_availability(_kind))
for _name in ("torch.backends.mps.is_available", "torch.backends.mps.is_built", "torch.mps.is_available"):
    model(_name)(_availability("mps"))
model("torch.accelerator.is_available")(_availability("accelerator"))
model("torch.cuda.is_bf16_supported")(_availability("bf16"))
model("torch.backends.cudnn.is_available")(_availability("cuda"))
model("torch.backends.mkldnn.is_available")(_availability("mkldnn"))
model("torch.cuda.is_initialized")(_availability("cuda"))


@model("torch.cuda.device_count", "torch.accelerator.device_count", "torch.xpu.device_count")
def device_count() -> Any:
    from mlvet.domains.dims import symbol

    return symbol(machine().fresh("devices"))


@model("torch.accelerator.current_accelerator")
def current_accelerator(check_available: bool = False) -> Device:
    made = Device(Scalar(str, "device", "cuda", True))
    made.cells[DEVICE] = at(Spot(ACCELERATOR))
    return made


@model("torch.cuda.current_device", "torch.accelerator.current_device_index", "torch.accelerator.current_device_idx")
def current_device() -> int:
    return 0


@model("torch.get_default_device")
def get_default_device() -> Device:
    return Device.of(default_device())


@model("torch.set_default_device")
def set_default_device(device: Any) -> None:
    known = isinstance(device, str | Scalar | Device) or (isinstance(device, int) and not isinstance(device, bool))
    change_default(at(Spot("cpu")) if device is None else Device(device).placement if known else ANYWHERE)


@model("torch.cuda.get_device_name")
def device_name(device: Any = None) -> Any:
    return Scalar(str, "device name")


@model("torch.cuda.get_device_capability")
def device_capability(device: Any = None) -> Any:
    return Scalar(int, "major"), Scalar(int, "minor")


@model("torch.cuda.get_device_properties")
def device_properties(device: Any = None) -> Any:
    made = Object()
    made.name = Scalar(str, "device name")
    for name in ("major", "minor", "total_memory", "multi_processor_count", "warp_size"):
        setattr(made, name, Scalar(int, name))
    return made


@model(
    "torch.cuda.memory_allocated", "torch.cuda.memory_reserved", "torch.cuda.max_memory_allocated",
    "torch.cuda.max_memory_reserved", "torch.mps.current_allocated_memory", "torch.mps.driver_allocated_memory",
)  # fmt: skip
def memory(device: Any = None) -> Any:
    return Scalar(int, "memory")


@model(
    "torch.cuda.set_device", "torch.cuda.empty_cache", "torch.cuda.synchronize", "torch.cuda.reset_peak_memory_stats",
    "torch.cuda.manual_seed", "torch.cuda.manual_seed_all", "torch.mps.manual_seed", "torch.mps.empty_cache",
    "torch.mps.synchronize", "torch.accelerator.set_device_index", "torch.accelerator.set_device_idx",
    "torch.accelerator.synchronize", "torch.set_num_threads", "torch.xpu.manual_seed",
    "torch.set_num_interop_threads", "torch.use_deterministic_algorithms", "torch.set_float32_matmul_precision",
    "torch.set_printoptions", "torch.cuda.ipc_collect", "torch.cuda.init", "torch.set_flush_denormal",
    "torch.set_deterministic_debug_mode", "torch.cuda.reset_max_memory_allocated", "torch._C._log_api_usage_once",
    "torch.cuda.set_per_process_memory_fraction", "torch.xpu.empty_cache", "torch.accelerator.empty_cache",
)  # fmt: skip
def effect(*args: Any, **keywords: Any) -> None:
    return None


@model("torch.get_num_threads")
def get_num_threads() -> Any:
    return device_count()


@model("torch.cuda.device", "torch.cuda.device_of", "torch.cuda.stream", "torch.accelerator.device_index")
class DeviceScope(Object):
    """Running on another device or stream changes nothing that is known of tensors."""

    def __enter__(self) -> Any:
        return self

    def __exit__(self, *_: Any) -> None:
        return None


@model("torch.cuda.Stream", "torch.cuda.Event", "torch.Stream", "torch.Event")
class Stream(DeviceScope):
    def __init__(self, *args: Any, **keywords: Any) -> None:
        """Any arguments do."""

    def record(self, stream: Any = None) -> None:
        return None

    def synchronize(self) -> None:
        return None

    def wait_stream(self, stream: Any) -> None:
        return None

    def elapsed_time(self, end_event: Any) -> Any:
        return Scalar(float, "elapsed time")


@model("torch.cuda.current_stream", "torch.cuda.default_stream")
def current_stream(device: Any = None) -> Stream:
    return Stream()


for _name in ("cudnn.benchmark", "cudnn.deterministic", "cuda.matmul.allow_tf32"):
    model(f"torch.backends.{_name}")(False)
for _name in ("cudnn.enabled", "cudnn.allow_tf32", "mkldnn.enabled", "opt_einsum.enabled"):
    model(f"torch.backends.{_name}")(True)
for _name in ("strided", "sparse_coo", "jagged", "contiguous_format", "channels_last", "channels_last_3d",
    "preserve_format"):  # fmt: skip
    model(f"torch.{_name}")(f"torch.{_name}")
