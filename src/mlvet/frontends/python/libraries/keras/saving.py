"""Models from files, names of the program's classes, files from the network, and other things of keras.utils."""

from __future__ import annotations

from typing import Any

from mlvet.frontends.python.active import machine, store
from mlvet.frontends.python.libraries.keras.held import held, keep, kept
from mlvet.frontends.python.libraries.keras.layer import Layer, label
from mlvet.frontends.python.libraries.keras.layers.wrappers import twin
from mlvet.frontends.python.libraries.keras.model import Model
from mlvet.frontends.python.libraries.keras.sealed import Sealed, unknown_layers
from mlvet.frontends.python.libraries.keras.settings import nothing
from mlvet.frontends.python.libraries.registry import model
from mlvet.frontends.python.values.containers import DictValue, ListValue
from mlvet.frontends.python.values.numbers import Scalar
from mlvet.frontends.python.values.objects import Object
from mlvet.frontends.python.values.tensors import TensorValue
from mlvet.frontends.python.values.unknown import Reason, Undecided, Unknown


class StoredModel(Sealed, Model):
    """A model of a file, of whose layers nothing is known."""

    @property
    def layers(self) -> Any:
        return unknown_layers()

    def call(self, inputs: Any, training: Any = None, mask: Any = None) -> Any:
        raise Undecided(Reason.EXTERNAL_DATA, "a model of a file")


@model("keras.models.load_model", "keras.saving.load_model")
def load_model(
    filepath: Any, custom_objects: Any = None, compile: Any = True, safe_mode: Any = True, **kwargs: Any
) -> Any:
    known = kept(filepath)
    if isinstance(known, Model):
        return clone_model(known)
    if known is not None:
        return known
    made = StoredModel(name="loaded_model")
    made.built = True
    return made


@model("keras.models.model_from_json", "keras.models.model_from_config", "keras.models.model_from_yaml")
def model_from_json(json_string: Any, custom_objects: Any = None) -> Any:
    return load_model(json_string)


@model("keras.models.clone_model")
def clone_model(model: Any, input_tensors: Any = None, clone_function: Any = None, **kwargs: Any) -> Any:
    if not isinstance(model, Model):
        raise Undecided(model if isinstance(model, Unknown) else Reason.UNMODELLED_ARGUMENTS, "a copy of a model")
    if clone_function is not None:
        for each in held(model).get("@layers", ()):
            machine().call(clone_function, each)
    made = type(model).__new__(type(model))
    assert isinstance(made, Model)
    object.__setattr__(made, "kind", model.kind)
    made.cells.update({**model.cells, "name": f"{label(model)}_copy"})
    if "@outputs" not in model.cells and "@layers" in model.cells:
        made.cells["@layers"] = tuple(twin(each, "copy") for each in held(model)["@layers"] if isinstance(each, Layer))
    return made


@model("keras.models.save_model", "keras.saving.save_model")
def save_model(model: Any, filepath: Any, overwrite: Any = True, zipped: Any = None, **kwargs: Any) -> None:
    keep(filepath, model)


model("keras.saving.save_weights", "keras.saving.load_weights",
      "keras.utils.plot_model", "keras.utils.model_to_dot",
      "keras.utils.enable_interactive_logging", "keras.utils.disable_interactive_logging")(nothing)  # fmt: skip


@model("keras.saving.register_keras_serializable", "keras.utils.register_keras_serializable")
def register_keras_serializable(package: Any = "Custom", name: Any = None) -> Any:
    return _same


def _same(thing: Any) -> Any:
    return thing


@model("keras.saving.get_custom_objects", "keras.utils.get_custom_objects")
def get_custom_objects() -> Any:
    return DictValue({})


@model("keras.saving.custom_object_scope", "keras.utils.custom_object_scope", "keras.saving.CustomObjectScope",
       "keras.utils.CustomObjectScope")  # fmt: skip
class CustomObjectScope(Object):
    def __init__(self, custom_objects: Any = None) -> None:
        self.custom_objects = custom_objects

    def __enter__(self) -> Any:
        return self

    def __exit__(self, *args: Any) -> None:
        return None


@model("keras.saving.serialize_keras_object", "keras.utils.serialize_keras_object")
def serialize_keras_object(obj: Any) -> Any:
    made = DictValue({"class_name": Scalar(str, "class_name")}, rest=Scalar(str))
    store(made.cells, "@object", obj)
    return made


@model("keras.saving.deserialize_keras_object", "keras.utils.deserialize_keras_object", "keras.layers.deserialize")
def deserialize_keras_object(config: Any, custom_objects: Any = None, safe_mode: Any = True, **kwargs: Any) -> Any:
    if isinstance(config, DictValue) and "@object" in config.cells:
        return config.cells["@object"]
    raise Undecided(Reason.EXTERNAL_DATA, "an object from its configuration")


@model("keras.saving.get_registered_name", "keras.utils.get_registered_name")
def get_registered_name(obj: Any) -> Any:
    return Scalar(str, "name")


@model("keras.utils.get_file")
def get_file(
    fname: Any = None, origin: Any = None, untar: Any = False, md5_hash: Any = None, file_hash: Any = None,
    cache_subdir: Any = "datasets", hash_algorithm: Any = "auto", extract: Any = False, archive_format: Any = "auto",
    cache_dir: Any = None, force_download: Any = False,
) -> Any:  # fmt: skip
    return Scalar(str, "path")


@model("keras.utils.Progbar")
class Progbar(Object):
    def __init__(self, target: Any, *args: Any, **kwargs: Any) -> None:
        self.target = target

    def update(self, current: Any, values: Any = None, finalize: Any = None) -> None:
        return None

    def add(self, n: Any, values: Any = None) -> None:
        return None


@model("keras.utils.Config")
class Config(Object):
    """Settings by name."""

    def __init__(self, **kwargs: Any) -> None:
        for name, value in kwargs.items():
            setattr(self, name, value)

    def __getitem__(self, key: Any) -> Any:
        return self.cells[key]

    def __setitem__(self, key: Any, value: Any) -> None:
        store(self.cells, key, value)

    def as_dict(self) -> Any:
        return DictValue(dict(self.cells))

    def freeze(self) -> None:
        return None

    unfreeze = freeze


@model("keras.utils.is_keras_tensor", "keras.backend.is_keras_tensor")
def is_keras_tensor(x: Any) -> bool:
    return isinstance(x, TensorValue)


@model("keras.export.ExportArchive")
class ExportArchive(Object):
    def __init__(self, format: Any = "tf_saved_model") -> None:
        self.format = format

    def track(self, *args: Any, **kwargs: Any) -> None:
        return None

    add_endpoint = write_out = add_variable_collection = track


@model("keras.layers.InputSpec", "keras.InputSpec")
class InputSpec(Object):
    def __init__(
        self, dtype: Any = None, shape: Any = None, ndim: Any = None, max_ndim: Any = None, min_ndim: Any = None,
        axes: Any = None, allow_last_axis_squeeze: Any = False, name: Any = None, optional: Any = False,
    ) -> None:  # fmt: skip
        self.shape = shape
        self.ndim = ndim
        self.axes = axes


@model("keras.StatelessScope", "keras.name_scope", "keras.device", "keras.backend.name_scope", "keras.RematScope",
       "keras.SymbolicScope", "keras.distribution.DataParallel", "keras.distribution.ModelParallel",
       "keras.distribution.DeviceMesh", "keras.distribution.LayoutMap", "keras.distribution.TensorLayout")  # fmt: skip
class Surroundings(Object):
    """Something around a block of the program that changes no shape."""

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        for name, value in kwargs.items():
            store(self.cells, name, value)

    def __enter__(self) -> Any:
        return self

    def __exit__(self, *args: Any) -> None:
        return None

    def scope(self) -> Any:
        return self

    def get_current_value(self, variable: Any) -> Any:
        return variable


@model("keras.distribution.list_devices")
def list_devices(device_type: Any = None) -> Any:
    from mlvet.domains.dims import symbol
    from mlvet.frontends.python.values.containers import Repeated

    return ListValue(Repeated(Scalar(str, "device"), symbol(machine().fresh("devices"))))


@model("keras.remat")
def remat(f: Any) -> Any:
    return f
