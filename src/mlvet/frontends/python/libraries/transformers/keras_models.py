"""Pretrained models of TensorFlow: layers of Keras by family and head."""

from __future__ import annotations

from typing import Any, ClassVar

from mlvet.domains import dtypes
from mlvet.frontends.python.active import machine, store
from mlvet.frontends.python.libraries import keras as keras
from mlvet.frontends.python.libraries import tensorflow as tensorflow
from mlvet.frontends.python.libraries.keras.directories import tensor_class
from mlvet.frontends.python.libraries.keras.model import Model
from mlvet.frontends.python.libraries.registry import model
from mlvet.frontends.python.libraries.transformers.configurations import CONFIGURATIONS, PretrainedConfig, configured
from mlvet.frontends.python.libraries.transformers.heads import Run, generated, plain, positional, scored
from mlvet.frontends.python.libraries.transformers.models import AUTOMATIC, CLASSES, WITHOUT_TOKENS, returned
from mlvet.frontends.python.values.objects import Object
from mlvet.frontends.python.values.tensors import TensorValue
from mlvet.frontends.python.values.unknown import Reason, Unknown


@model("transformers.TFPreTrainedModel")
class TFPreTrainedModel(Model):
    """A published model of TensorFlow."""

    family: ClassVar[str] = ""
    head: ClassVar[str] = ""

    def __init__(self, config: Any = None, *args: Any, **kwargs: Any) -> None:
        super().__init__(name=kwargs.get("name"))
        store(self.cells, "config", config)
        self.built = True

    @classmethod
    def from_pretrained(cls, pretrained_model_name_or_path: Any, *args: Any, **kwargs: Any) -> Any:
        config = kwargs.pop("config", None)
        if not isinstance(config, Object):
            family = getattr(cls, "family", "")
            config = configured(CONFIGURATIONS.get(family) if family else None, pretrained_model_name_or_path, kwargs)
        return machine().call(cls, config)

    @classmethod
    def from_config(cls, config: Any, custom_objects: Any = None) -> Any:
        return machine().call(cls, config)

    def call(self, *args: Any, **kwargs: Any) -> Any:
        run = self._run(positional(self._first_names, args, kwargs))
        return returned(self, scored(run, self.head) if self.head else plain(run), kwargs)

    def generate(self, inputs: Any = None, *args: Any, **kwargs: Any) -> Any:
        return generated(self._run(positional(("inputs",), (inputs,), kwargs)))

    @property
    def _first_names(self) -> tuple[str, ...]:
        if self._family in WITHOUT_TOKENS:
            return ("pixel_values",)
        return ("input_ids", "attention_mask", "token_type_ids", "position_ids")

    @property
    def _family(self) -> str:
        config = self.cells.get("config")
        return self.family or (type(config).family if isinstance(config, PretrainedConfig) else "")

    def _run(self, given: dict[str, Any]) -> Run:
        kinds = [type(each) for each in given.values() if isinstance(each, TensorValue)]
        kind = kinds[0] if kinds else tensor_class()
        name = self.kind.name if self.kind is not None else type(self).__name__
        return Run(name, self._family, self.cells.get("config"), given, kind, dtypes.f32)

    def prepare_tf_dataset(self, dataset: Any, batch_size: Any = 8, *args: Any, **kwargs: Any) -> Any:
        settings = {"collate_fn": kwargs["collate_fn"]} if "collate_fn" in kwargs else {}
        return machine().send(dataset, "to_tf_dataset", batch_size, label_cols="labels", **settings)

    def save_pretrained(self, *args: Any, **kwargs: Any) -> None:
        """Writes files."""

    push_to_hub = resize_token_embeddings = save_pretrained

    def missing(self, name: str) -> Any:
        from mlvet.frontends.python.libraries.transformers.models import PREFIXES

        if name in ("layers", PREFIXES.get(self._family, self._family.lower())):
            return self
        return Unknown(Reason.UNKNOWN_DISPATCH, f"{type(self).__name__}.{name}", name)


TF_FAMILIES = (
    "Bert", "Roberta", "DistilBert", "Albert", "Electra", "XLMRoberta", "MPNet", "XLNet", "GPT2", "T5", "Bart", "ViT",
    "DebertaV2", "Longformer", "Segformer", "Swin",
)  # fmt: skip
for _family in TF_FAMILIES:
    for _suffix in CLASSES[_family]:
        _head = "" if _suffix == "Model" else "Seq2SeqLM" if _suffix == "MTModel" else _suffix.removeprefix("For")
        _cells = {"__slots__": (), "__module__": __name__, "family": _family, "head": _head}
        model(f"transformers.TF{_family}{_suffix}")(type(f"TF{_family}{_suffix}", (TFPreTrainedModel,), _cells))
for _head in ("", *AUTOMATIC):
    _name = f"TFAutoModelFor{_head}" if _head else "TFAutoModel"
    _cells = {"__slots__": (), "__module__": __name__, "head": _head}
    model(f"transformers.{_name}")(type(_name, (TFPreTrainedModel,), _cells))


@model("transformers.create_optimizer")
def create_optimizer(init_lr: Any, num_train_steps: Any, num_warmup_steps: Any, *args: Any, **kwargs: Any) -> Any:
    from mlvet.frontends.python.libraries.registry import find

    return machine().call(find("keras.optimizers.Adam"), init_lr), Unknown(Reason.EXTERNAL_DATA, "schedule", "schedule")
