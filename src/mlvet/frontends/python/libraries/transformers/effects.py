"""Functions that print, log or make chances repeatable, and settings that only the library reads."""

from __future__ import annotations

from typing import Any

from mlvet.frontends.python.active import store
from mlvet.frontends.python.libraries.registry import model
from mlvet.frontends.python.values.objects import Object
from mlvet.frontends.python.values.unknown import Reason, Unknown

_VERBOSITY = (
    "set_verbosity_error", "set_verbosity_warning", "set_verbosity_info", "set_verbosity", "enable_default_handler",
    "enable_explicit_format", "disable_progress_bar",
)  # fmt: skip


@model(
    "transformers.set_seed", "transformers.trainer_utils.set_seed", "transformers.enable_full_determinism",
    *(f"transformers.logging.{name}" for name in _VERBOSITY),
    *(f"transformers.utils.logging.{name}" for name in _VERBOSITY),
    "transformers.utils.send_example_telemetry", "transformers.utils.check_min_version",
    "transformers.utils.versions.require_version",
)  # fmt: skip
def nothing(*args: Any, **kwargs: Any) -> None:
    """Changes nothing that mlvet follows."""


@model("transformers.utils.logging.get_logger", "transformers.logging.get_logger")
def get_logger(name: Any = None) -> Any:
    from mlvet.frontends.python.active import machine
    from mlvet.frontends.python.libraries.registry import find, load

    load("logging")
    return machine().call(find("logging.getLogger"), name)


@model(
    "transformers.BitsAndBytesConfig", "transformers.GenerationConfig", "transformers.EarlyStoppingCallback",
    "transformers.TrainerCallback", "transformers.PrinterCallback", "transformers.StoppingCriteria",
    "transformers.StoppingCriteriaList", "transformers.LogitsProcessor", "transformers.LogitsProcessorList",
    "transformers.TextStreamer", "transformers.TextIteratorStreamer", "transformers.KerasMetricCallback",
    "transformers.keras_callbacks.PushToHubCallback", "transformers.keras_callbacks.KerasMetricCallback",
)  # fmt: skip
class Settings(Object):
    """Settings and callbacks; they keep what they are told."""

    __slots__ = ()

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        for name, value in kwargs.items():
            store(self.cells, name, value)

    @classmethod
    def from_pretrained(cls, *args: Any, **kwargs: Any) -> Any:
        return cls(**kwargs)

    def missing(self, name: str) -> Any:
        return Unknown(Reason.EXTERNAL_DATA, name, name)


@model("transformers.HfArgumentParser")
class HfArgumentParser(Object):
    """Makes instances of the program's classes of settings."""

    __slots__ = ()

    def __init__(self, dataclass_types: Any = None, *args: Any, **kwargs: Any) -> None:
        store(self.cells, "@types", dataclass_types)

    def parse_args_into_dataclasses(self, *args: Any, **kwargs: Any) -> Any:
        from mlvet.frontends.python.active import machine
        from mlvet.frontends.python.values.containers import Repeated

        kinds = self.cells["@types"]
        found = machine().items(kinds) if not isinstance(kinds, type) and hasattr(kinds, "__iter__") else (kinds,)
        if isinstance(found, Repeated):
            return Unknown(Reason.DYNAMIC_CONTAINER, "classes of settings")
        return tuple(machine().call(each) for each in found)

    parse_json_file = parse_dict = parse_yaml_file = parse_args_into_dataclasses
