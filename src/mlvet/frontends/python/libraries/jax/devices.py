"""Devices, processes, meshes, settings: what programs ask and set about the machine."""

from __future__ import annotations

from typing import Any

from mlvet.domains.dims import symbol
from mlvet.frontends.python.active import machine
from mlvet.frontends.python.libraries.registry import model
from mlvet.frontends.python.values.containers import ListValue, Repeated
from mlvet.frontends.python.values.numbers import Scalar
from mlvet.frontends.python.values.objects import Object
from mlvet.frontends.python.values.unknown import Reason


@model("jax.Device")
class Device(Object):
    """One device."""

    def __init__(self, *args: Any) -> None:
        self.platform = Scalar(str, "platform", "cpu", True)
        self.device_kind = Scalar(str, "device_kind")
        self.id = 0
        self.process_index = 0

    def memory_stats(self) -> Any:
        return machine().unknown(Reason.EXTERNAL_DATA, "memory statistics")


DEVICES = "devices"


def device_total() -> Any:
    """How many devices there are: one symbol throughout the program."""
    return symbol(DEVICES, low=1)


@model("jax.device_count", "jax.local_device_count")
def device_count(backend: Any = None) -> Any:
    return device_total()


@model("jax.devices", "jax.local_devices")
def devices(*args: Any, **keywords: Any) -> Any:
    return ListValue(Repeated(Device(), device_total()))


@model("jax.process_index", "jax.host_id")
def process_index(backend: Any = None) -> Any:
    return 0


@model("jax.process_count", "jax.host_count")
def process_count(backend: Any = None) -> Any:
    return 1


@model("jax.default_backend", "jax.lib.xla_bridge.get_backend")
def default_backend() -> Any:
    return Scalar(str, "backend", "cpu", True)


class Config(Object):
    """jax.config."""

    def update(self, name: Any, value: Any) -> None:
        return None

    def parse_flags_with_absl(self) -> None:
        return None

    def config_with_absl(self) -> None:
        return None


_CONFIG = Config.__new__(Config)
model("jax.config", "jax.config.config")(_CONFIG)


NAMED = ("named_scope", "StepTraceAnnotation", "TraceAnnotation")
"""Contexts that yield an object of their own."""


class Context(Object):
    """A context manager of JAX, also a decorator."""

    def __enter__(self) -> Any:
        return self if type(self).__name__ in NAMED else None

    def __exit__(self, *args: Any) -> None:
        return None

    def __call__(self, function: Any = None, *args: Any, **keywords: Any) -> Any:
        return function


for _name in (
    "jax.default_device", "jax.disable_jit", "jax.enable_x64", "jax.experimental.enable_x64", "jax.named_scope",
    "jax.default_matmul_precision", "jax.debug_nans", "jax.debug_infs", "jax.profiler.StepTraceAnnotation",
    "jax.profiler.TraceAnnotation", "jax.profiler.trace", "jax.transfer_guard", "jax.checking_leaks",
    "jax.set_mesh", "jax.log_compiles",
    "jax.ensure_compile_time_eval", "jax.sharding.use_mesh", "jax.sharding.set_mesh", "jax.threefry_partitionable",
    "jax.numpy_dtype_promotion", "jax.numpy_rank_promotion",
):  # fmt: skip
    model(_name)(type(_name.rpartition(".")[2], (Context,), {"__module__": __name__}))


@model("jax.profiler.annotate_function")
def annotate_function(func: Any, name: Any = None, **options: Any) -> Any:
    return func


@model(
    "jax.distributed.initialize", "jax.distributed.shutdown", "jax.profiler.start_trace", "jax.profiler.stop_trace",
    "jax.profiler.start_server", "jax.clear_caches", "jax.clear_backends", "jax.effects_barrier",
    "jax.profiler.save_device_memory_profile", "jax.experimental.multihost_utils.sync_global_devices",
    "jax.experimental.compilation_cache.compilation_cache.set_cache_dir",
)  # fmt: skip
def initialize(*args: Any, **keywords: Any) -> None:
    return None


@model("jax.sharding.Mesh")
class Mesh(Context):
    """Devices in rows and columns, by axis names."""

    def __enter__(self) -> Any:
        return self

    def __init__(self, devices: Any = None, axis_names: Any = (), **options: Any) -> None:
        self.devices = devices
        self.axis_names = axis_names

    @property
    def shape(self) -> Any:
        return machine().unknown(Reason.EXTERNAL_DATA, "the sizes of a mesh")

    @property
    def size(self) -> Any:
        return device_total()


@model("jax.make_mesh")
def make_mesh(axis_shapes: Any, axis_names: Any, *args: Any, **keywords: Any) -> Any:
    return Mesh(None, axis_names)


@model("jax.experimental.mesh_utils.create_device_mesh", "jax.experimental.mesh_utils.create_hybrid_device_mesh")
def create_device_mesh(*args: Any, **keywords: Any) -> Any:
    return machine().unknown(Reason.EXTERNAL_DATA, "devices")


@model("jax.sharding.Sharding")
class Sharding(Object):
    """Where the parts of an array lie."""

    def __init__(self, *args: Any, **keywords: Any) -> None:
        self.mesh = args[0] if args else None
        self.spec = args[1] if len(args) > 1 else None


for _name in ("NamedSharding", "SingleDeviceSharding", "PositionalSharding", "GSPMDSharding"):
    model(f"jax.sharding.{_name}")(type(_name, (Sharding,), {"__module__": __name__}))
model("jax.NamedSharding")(Sharding)


@model("jax.sharding.PartitionSpec", "jax.P", "jax.experimental.pjit.PartitionSpec")
class PartitionSpec(Object):
    """Axis names for the dims of an array."""

    def __init__(self, *partitions: Any, **options: Any) -> None:
        self.partitions = partitions

    def iterate(self) -> Any:
        return self.partitions


@model("jax.sharding.AxisType")
class AxisType(Object):
    """How a mesh axis is used."""

    Auto = "auto"
    Explicit = "explicit"
    Manual = "manual"


@model("jax.experimental.shard_map.shard_map", "jax.shard_map", "jax.sharding.auto_axes", "jax.sharding.explicit_axes")
def shard_map(f: Any = None, *args: Any, **options: Any) -> Any:
    def run(*given: Any, **keywords: Any) -> Any:
        machine().call(f, *given, **keywords)
        return machine().unknown(Reason.UNMODELLED_CALL, "results of the shards together")

    return run if f is not None else (lambda function: shard_map(function, *args, **options))


@model("jax.make_array_from_process_local_data", "jax.make_array_from_callback")
def make_array_from_process_local_data(sharding: Any, local_data: Any, *rest: Any, **options: Any) -> Any:
    from mlvet.frontends.python.libraries.jax.transformations import same

    return same(local_data)
