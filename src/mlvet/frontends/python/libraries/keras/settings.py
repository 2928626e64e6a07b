"""What a program sets for all of Keras: the float type, the layout of images, the precision policy, the backend."""

from __future__ import annotations

from typing import Any

from mlvet.domains import dtypes
from mlvet.domains.dtypes import DType
from mlvet.frontends.python.active import machine, store
from mlvet.frontends.python.libraries.element_types import dtype_named
from mlvet.frontends.python.libraries.keras.held import held
from mlvet.frontends.python.libraries.registry import model
from mlvet.frontends.python.values.objects import Object


def setting(name: str, default: Any) -> Any:
    """A setting of this interpretation."""
    cells: dict[Any, Any] = machine().constants
    return cells.get(("keras", name), default)


def put(name: str, value: Any) -> None:
    store(machine().constants, ("keras", name), value)


def floats() -> DType:
    """The float type of tensors that are asked for no other."""
    return dtype_named(setting("floatx", "float32")) or dtypes.f32


def name_of(dtype: DType | None) -> str | None:
    """What Keras calls an element type."""
    if dtype is None:
        return None
    return "string" if dtype is dtypes.text else str(dtype.numpy.name)


@model("keras.config.floatx", "keras.backend.floatx")
def floatx() -> str:
    return str(setting("floatx", "float32"))


@model("keras.config.set_floatx", "keras.backend.set_floatx")
def set_floatx(value: str) -> None:
    put("floatx", value)


@model("keras.config.image_data_format", "keras.backend.image_data_format")
def image_data_format() -> str:
    return str(setting("image_data_format", "channels_last"))


@model("keras.config.set_image_data_format", "keras.backend.set_image_data_format")
def set_image_data_format(data_format: str) -> None:
    put("image_data_format", data_format)


@model("keras.config.epsilon", "keras.backend.epsilon")
def epsilon() -> float:
    found = setting("epsilon", 1e-7)
    return found if isinstance(found, float) else 1e-7


@model("keras.config.set_epsilon", "keras.backend.set_epsilon")
def set_epsilon(value: Any) -> None:
    put("epsilon", value)


@model("keras.config.backend", "keras.backend.backend")
def backend() -> str:
    return "tensorflow"


@model("keras.dtype_policies.DTypePolicy", "keras.DTypePolicy", "keras.mixed_precision.Policy",
       "keras.mixed_precision.DTypePolicy")  # fmt: skip
class DTypePolicy(Object):
    """The element types in which layers compute and keep their variables."""

    def __init__(self, name: Any = None, source_name: Any = None) -> None:
        del source_name
        self.name = name if isinstance(name, str) else "float32"

    @property
    def compute_dtype(self) -> str:
        return {"mixed_float16": "float16", "mixed_bfloat16": "bfloat16"}.get(held(self)["name"], held(self)["name"])

    @property
    def variable_dtype(self) -> str:
        return "float32" if held(self)["name"].startswith("mixed_") else held(self)["name"]


def policy_of(dtype: Any) -> DTypePolicy:
    """The policy that an argument `dtype` of a layer means."""
    if isinstance(dtype, DTypePolicy):
        return dtype
    if isinstance(dtype, DType):
        return DTypePolicy(name_of(dtype))
    if isinstance(dtype, str):
        return DTypePolicy(dtype)
    found = setting("policy", None)
    return found if isinstance(found, DTypePolicy) else DTypePolicy(floatx())


@model("keras.mixed_precision.set_global_policy", "keras.config.set_dtype_policy",
       "keras.mixed_precision.set_dtype_policy", "keras.mixed_precision.experimental.set_policy")  # fmt: skip
def set_global_policy(policy: Any) -> None:
    put("policy", policy_of(policy))


@model("keras.mixed_precision.global_policy", "keras.config.dtype_policy", "keras.mixed_precision.dtype_policy")
def global_policy() -> Any:
    return policy_of(None)


@model(
    "keras.config.enable_interactive_logging", "keras.config.disable_interactive_logging",
    "keras.config.enable_traceback_filtering", "keras.config.disable_traceback_filtering",
    "keras.config.enable_unsafe_deserialization", "keras.config.enable_flash_attention",
    "keras.config.disable_flash_attention", "keras.backend.clear_session", "keras.utils.clear_session",
    "keras.config.set_backend", "keras.utils.set_random_seed", "keras.backend.manual_variable_initialization",
    "keras.backend.set_learning_phase", "keras.distribution.initialize", "keras.distribution.set_distribution",
    "keras.backend.set_session", "keras.config.set_max_epochs", "keras.config.set_max_steps_per_epoch",
)  # fmt: skip
def nothing(*args: Any, **keywords: Any) -> None:
    """Functions that change nothing an analysis sees."""
    del args, keywords


@model("keras.config.is_interactive_logging_enabled", "keras.config.is_traceback_filtering_enabled")
def enabled() -> bool:
    return True


@model("keras.backend.learning_phase")
def learning_phase() -> int:
    return 0


model("keras.__version__")("3.15.0")


@model("keras.version")
def version() -> str:
    return "3.15.0"
