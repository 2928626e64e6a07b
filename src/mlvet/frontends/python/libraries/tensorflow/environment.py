"""What surrounds computation: scopes, devices, distribution, configuration, summaries, checkpoints, saved models."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from mlvet.domains import dtypes
from mlvet.domains.dims import symbol
from mlvet.frontends.python.active import machine
from mlvet.frontends.python.libraries.binding import as_items
from mlvet.frontends.python.libraries.registry import model
from mlvet.frontends.python.libraries.tensorflow.arguments import axis_of
from mlvet.frontends.python.libraries.tensorflow.static import use_references
from mlvet.frontends.python.libraries.tensorflow.structures import mapped
from mlvet.frontends.python.libraries.tensorflow.tensor import Tensor, Variable, convert, op_of, typed
from mlvet.frontends.python.values.containers import DictValue, ListValue, Repeated
from mlvet.frontends.python.values.numbers import Scalar
from mlvet.frontends.python.values.objects import Object
from mlvet.frontends.python.values.tensors import TensorValue
from mlvet.frontends.python.values.unknown import Reason, Undecided, Unknown


class Scope(Object):
    """A context in which nothing that shapes hang on is different."""

    def __init__(self, *args: Any, **keywords: Any) -> None:
        del keywords
        self.name = args[0] if args and isinstance(args[0], str) else ""

    def __enter__(self) -> Any:
        return self

    def __exit__(self, *error: Any) -> None:
        """Left."""

    def as_default(self, *args: Any, **keywords: Any) -> Any:
        del args, keywords
        return self

    def flush(self) -> None:
        """Written."""

    def close(self) -> None:
        """Closed."""

    def init(self) -> Any:
        return typed("initializer", [], dtypes.bool_)


for _name in (
    "device control_dependencies init_scope summary.create_file_writer summary.record_if "
    "profiler.experimental.Profile profiler.experimental.Trace debugging.experimental.enable_dump_debug_info "
    "xla.experimental.jit_scope"
).split():
    model(f"tensorflow.{_name}")(type(_name.rpartition(".")[2], (Scope,), {}))


@model("tensorflow.graph_util.import_graph_def")
def import_graph_def(
    graph_def: Any, input_map: Any = None, return_elements: Any = None, name: Any = None, *rest: Any, **keywords: Any
) -> Any:
    """What is asked for of a graph that was stored, nothing otherwise."""
    del graph_def, input_map, name, rest, keywords
    if return_elements is None:
        return None
    raise Undecided(Reason.EXTERNAL_DATA, "a graph that was stored")


@model("tensorflow.name_scope", "tensorflow.compat.v1.name_scope")
class NameScope(Scope):
    def __enter__(self) -> Any:
        return f"{self.name}/" if self.name else Scalar(str, "scope")


def effect(*args: Any, **keywords: Any) -> None:
    """Something that yields nothing and changes no shape."""
    del args, keywords


EFFECTS = (
    "summary.experimental.set_step "
    "print Assert assert_equal assert_greater assert_less assert_rank no_op summary.scalar summary.histogram "
    "summary.image summary.text summary.audio summary.trace_on summary.trace_export summary.flush summary.write "
    "debugging.assert_equal debugging.assert_none_equal debugging.assert_near debugging.assert_rank "
    "debugging.assert_rank_at_least debugging.assert_rank_in debugging.assert_type debugging.assert_shapes "
    "debugging.assert_non_negative debugging.assert_non_positive debugging.assert_positive debugging.assert_negative "
    "debugging.assert_greater debugging.assert_greater_equal debugging.assert_less debugging.assert_less_equal "
    "debugging.assert_scalar debugging.assert_proper_iterable debugging.enable_check_numerics debugging.Assert "
    "debugging.set_log_device_placement config.run_functions_eagerly config.experimental_run_functions_eagerly "
    "config.set_visible_devices config.set_soft_device_placement config.experimental.set_memory_growth "
    "config.experimental.set_virtual_device_configuration config.set_logical_device_configuration "
    "config.experimental.set_visible_devices config.experimental.enable_op_determinism config.optimizer.set_jit "
    "config.optimizer.set_experimental_options config.threading.set_inter_op_parallelism_threads "
    "config.threading.set_intra_op_parallelism_threads config.experimental_connect_to_cluster "
    "config.experimental.enable_tensor_float_32_execution tpu.experimental.initialize_tpu_system "
    "profiler.experimental.start profiler.experimental.stop saved_model.save io.write_graph "
    "compat.v1.disable_eager_execution compat.v1.disable_v2_tensorshape compat.v1.enable_v2_tensorshape "
    "compat.v1.reset_default_graph "
    "compat.v1.disable_control_flow_v2 compat.v1.enable_control_flow_v2 compat.v1.add_check_numerics_ops "
    "compat.v1.logging.info compat.v1.logging.warn compat.v1.logging.warning compat.v1.logging.error "
    "compat.v1.logging.debug compat.v1.logging.fatal compat.v1.logging.log compat.v1.logging.set_verbosity "
    "compat.v1.logging.log_every_n compat.v1.logging.log_first_n compat.v1.logging.vlog "
    "autograph.set_verbosity random.set_global_generator"
).split()
for _name in EFFECTS:
    model(f"tensorflow.{_name}")(effect)


def _deciding(references: bool) -> Any:
    def decide(*args: Any, **keywords: Any) -> None:
        """What variables are from here on."""
        del args, keywords
        use_references(references)

    return decide


model("tensorflow.compat.v1.disable_v2_behavior", "tensorflow.compat.v1.disable_resource_variables")(_deciding(True))
model(
    "tensorflow.compat.v1.enable_v2_behavior",
    "tensorflow.compat.v1.enable_resource_variables",
    "tensorflow.compat.v1.enable_eager_execution",
)(_deciding(False))
for _level, _number in (("DEBUG", 10), ("ERROR", 40), ("FATAL", 50), ("INFO", 20), ("WARN", 30)):
    model(f"tensorflow.compat.v1.logging.{_level}")(_number)


@model("tensorflow.compat.forward_compatible")
def forward_compatible(year: Any, month: Any, day: Any) -> bool:
    del year, month, day
    return True


class HParams(Object):
    """Settings as attributes."""

    def __init__(self, hparam_def: Any = None, model_structure: Any = None, **kwargs: Any) -> None:
        del hparam_def, model_structure
        for name, value in kwargs.items():
            setattr(self, name, value)

    def add_hparam(self, name: str, value: Any) -> None:
        setattr(self, name, value)

    set_hparam = add_hparam

    def parse(self, values: Any) -> Any:
        del values
        return self

    def values(self) -> Any:
        return DictValue(dict(self.cells))


model("tensorflow.contrib.training.HParams")(HParams)


@model("tensorflow.executing_eagerly")
def executing_eagerly() -> Any:
    return Scalar(bool, "executing_eagerly", condition="executing eagerly")


@model("tensorflow.is_tensor")
def is_tensor(x: Any) -> Any:
    return Scalar(bool, "is_tensor") if isinstance(x, Unknown) else isinstance(x, Tensor)


@model("tensorflow.get_static_value")
def get_static_value(tensor: Any, partial: bool = False) -> Any:
    from mlvet.frontends.python.values.tensors import tensor_of

    del partial
    known = tensor_of(tensor).value if isinstance(tensor, TensorValue) else None
    return tensor if known is not None else None


@model("tensorflow.Module")
class Module(Object):
    """Variables are found in the attributes."""

    def __init__(self, name: Any = None) -> None:
        self.name = name if isinstance(name, str) else "module"

    @property
    def variables(self) -> Any:
        return tuple(variables_in(self))

    @property
    def trainable_variables(self) -> Any:
        return tuple(each for each in variables_in(self) if each.cells.get("trainable", True) is not False)

    @property
    def submodules(self) -> Any:
        return tuple(each for each in self.cells.values() if isinstance(each, Module))

    @property
    def name_scope(self) -> Any:
        return Scope(self.name)

    @staticmethod
    def with_name_scope(method: Any) -> Any:
        return method


def variables_in(value: Any, seen: set[int] | None = None) -> list[Any]:
    """The variables that an object holds, itself or in parts."""
    seen = set() if seen is None else seen
    if id(value) in seen:
        return []
    seen.add(id(value))
    match value:
        case Variable():
            return [value]
        case TensorValue():
            return [value] if "trainable" in value.cells else []
        case ListValue() | tuple():
            items = value.items if isinstance(value, ListValue) else value
            return [
                found
                for item in (items if isinstance(items, tuple) else [items.element])
                for found in variables_in(item, seen)
            ]
        case DictValue() | Object():
            return [
                found
                for key, cell in value.cells.items()
                if not str(key).startswith("@")
                for found in variables_in(cell, seen)
            ]
    return []


@model("tensorflow.distribute.Strategy")
class Strategy(Object):
    """Each replica computes the same; what one of them does stands for all."""

    def __init__(self, *args: Any, **keywords: Any) -> None:
        del args, keywords
        self.num_replicas_in_sync = symbol("replicas", low=1)
        self.extended = Object()

    def scope(self) -> Any:
        return Scope("strategy")

    def run(self, fn: Any, args: Any = (), kwargs: Any = None, options: Any = None) -> Any:
        del options
        named = {str(key): each for key, each in kwargs.cells.items()} if isinstance(kwargs, DictValue) else {}
        return machine().call(fn, *as_items(args), **named)

    experimental_run_v2 = run

    def reduce(self, reduce_op: Any, value: Any, axis: Any = None) -> Any:
        mean = isinstance(reduce_op, str) and reduce_op.upper() == "MEAN"
        if axis is None:
            return value
        op = "reduce_mean" if mean else "reduce_sum"
        where = (axis_of(axis),)
        return mapped(lambda each: op_of(op, convert(each), where, keepdims=False), value)

    def experimental_distribute_dataset(self, dataset: Any, options: Any = None) -> Any:
        del options
        return dataset

    def distribute_datasets_from_function(self, dataset_fn: Any, options: Any = None) -> Any:
        del options
        context = InputContext(symbol("pipelines", low=1), symbol("pipeline"), symbol("replicas", low=1))
        return machine().call(dataset_fn, context)

    experimental_distribute_datasets_from_function = distribute_datasets_from_function

    def experimental_local_results(self, value: Any) -> Any:
        return (value,)

    def unwrap(self, value: Any) -> Any:
        return (value,)

    def gather(self, value: Any, axis: Any) -> Any:
        del axis
        return value


@model("tensorflow.distribute.InputContext")
class InputContext(Object):
    def __init__(self, num_input_pipelines: Any = 1, input_pipeline_id: Any = 0, num_replicas_in_sync: Any = 1) -> None:
        self.num_input_pipelines = num_input_pipelines
        self.input_pipeline_id = input_pipeline_id
        self.num_replicas_in_sync = num_replicas_in_sync

    def get_per_replica_batch_size(self, global_batch_size: Any) -> Any:
        return global_batch_size // self.num_replicas_in_sync


for _name in (
    "MirroredStrategy TPUStrategy OneDeviceStrategy MultiWorkerMirroredStrategy "
    "ParameterServerStrategy experimental.TPUStrategy experimental.MultiWorkerMirroredStrategy "
    "experimental.CentralStorageStrategy experimental.ParameterServerStrategy"
).split():
    model(f"tensorflow.distribute.{_name}")(type(_name.rpartition(".")[2], (Strategy,), {}))
for _name in ("SUM", "MEAN"):
    model(f"tensorflow.distribute.ReduceOp.{_name}")(_name)


@model("tensorflow.distribute.get_strategy", "tensorflow.distribute.experimental_set_strategy")
def get_strategy(*args: Any) -> Any:
    del args
    made = Strategy()
    made.num_replicas_in_sync = 1  # type: ignore[assignment]
    return made


@model("tensorflow.distribute.has_strategy", "tensorflow.distribute.in_cross_replica_context")
def has_strategy() -> Any:
    return Scalar(bool, "has_strategy")


@model("tensorflow.distribute.get_replica_context")
def get_replica_context() -> Any:
    return Strategy()


@model("tensorflow.distribute.cluster_resolver.TPUClusterResolver")
class TPUClusterResolver(Object):
    def __init__(self, *args: Any, **keywords: Any) -> None:
        del args, keywords

    @staticmethod
    def connect(*args: Any, **keywords: Any) -> Any:
        del args, keywords
        return TPUClusterResolver()

    def master(self, *args: Any, **keywords: Any) -> Any:
        del args, keywords
        return Scalar(str, "master")

    def cluster_spec(self) -> Any:
        return Unknown(Reason.EXTERNAL_DATA, "a cluster")


def _devices(*args: Any, **keywords: Any) -> Any:
    del args, keywords
    return ListValue(Repeated(Device(), symbol(machine().fresh("devices"))))


class Device(Object):
    """A processor."""

    @property
    def name(self) -> Any:
        return Scalar(str, "device")

    @property
    def device_type(self) -> Any:
        return Scalar(str, "device_type")


for _name in (
    "list_physical_devices list_logical_devices experimental.list_physical_devices experimental.list_logical_devices "
    "get_visible_devices"
).split():
    model(f"tensorflow.config.{_name}")(_devices)


@model("tensorflow.config.experimental.get_memory_info")
def get_memory_info(device: Any) -> Any:
    return {"current": symbol("current_bytes"), "peak": symbol("peak_bytes")}


for _name in ("LogicalDeviceConfiguration", "experimental.VirtualDeviceConfiguration"):
    model(f"tensorflow.config.{_name}")(type(_name.rpartition(".")[2], (Scope,), {}))


def _flag(name: str) -> Callable[..., Any]:
    def function(*args: Any, **keywords: Any) -> Any:
        del args, keywords
        return Scalar(bool, name)

    return function


for _name in ("test.is_gpu_available", "test.is_built_with_cuda", "config.functions_run_eagerly"):
    model(f"tensorflow.{_name}")(_flag(_name))


@model(
    "tensorflow.test.gpu_device_name", "tensorflow.train.latest_checkpoint", "tensorflow.compat.v1.test.get_temp_dir"
)
@model(
    "tensorflow.sysconfig.get_lib",
    "tensorflow.compat.as_str",
    "tensorflow.compat.as_text",
    "tensorflow.compat.as_bytes",
)
@model("tensorflow.compat.as_str_any")
def some_text(*args: Any, **keywords: Any) -> Any:
    del args, keywords
    return Scalar(str, "text")


model("tensorflow.__version__", "tensorflow.version.VERSION")(Scalar(str, "tensorflow.__version__"))


class Stored(Object):
    """Something that is written to files and read from them."""

    def __init__(self, *args: Any, **keywords: Any) -> None:
        del args
        for name, value in keywords.items():
            setattr(self, name, value)

    def save(self, *args: Any, **keywords: Any) -> Any:
        del args, keywords
        return Scalar(str, "path")

    write = save

    def restore(self, *args: Any, **keywords: Any) -> Any:
        del args, keywords
        return Stored()

    read = restore_or_initialize = restore

    def assert_consumed(self) -> Any:
        return self

    assert_existing_objects_matched = expect_partial = assert_nontrivial_match = assert_consumed

    @property
    def latest_checkpoint(self) -> Any:
        return Scalar(str, "latest_checkpoint")

    @property
    def checkpoints(self) -> Any:
        return ListValue(Repeated(Scalar(str, "checkpoint"), symbol(machine().fresh("checkpoints"))))


for _name in (
    "train.Checkpoint train.CheckpointManager train.CheckpointOptions saved_model.SaveOptions saved_model.LoadOptions "
    "train.experimental.PythonState"
).split():
    model(f"tensorflow.{_name}")(type(_name.rpartition(".")[2], (Stored,), {}))


class Message(Object):
    """A message of protocol buffers: attributes as it is made with."""

    def __init__(self, *args: Any, **keywords: Any) -> None:
        del args
        for name, value in keywords.items():
            setattr(self, name, value)

    def SerializeToString(self) -> Any:
        return Scalar(str, "serialized")

    def ParseFromString(self, text: Any) -> Any:
        """Read from text."""

    @classmethod
    def FromString(cls, text: Any) -> Any:
        del text
        return cls()


for _name in "Example Features Feature BytesList FloatList Int64List SequenceExample FeatureList FeatureLists".split():
    model(f"tensorflow.train.{_name}")(type(_name, (Message,), {}))


@model("tensorflow.saved_model.load", "tensorflow.saved_model.contains_saved_model")
def load_saved_model(export_dir: Any, tags: Any = None, options: Any = None) -> Any:
    del export_dir, tags, options
    return Unknown(Reason.EXTERNAL_DATA, "a saved model")


@model("tensorflow.train.list_variables")
def list_variables(ckpt_dir_or_file: Any) -> Any:
    del ckpt_dir_or_file
    return Unknown(Reason.EXTERNAL_DATA, "a checkpoint")


@model("tensorflow.get_logger")
def get_logger() -> Any:
    return Unknown(Reason.EXTERNAL_DATA, "a logger")


@model("tensorflow.errors.OpError")
class OpError(Exception):
    """An error of TensorFlow."""


for _name in (
    "InvalidArgumentError OutOfRangeError NotFoundError ResourceExhaustedError DataLossError CancelledError "
    "AbortedError UnavailableError UnimplementedError InternalError FailedPreconditionError AlreadyExistsError "
    "DeadlineExceededError PermissionDeniedError UnknownError"
).split():
    model(f"tensorflow.errors.{_name}")(type(_name, (OpError,), {}))
