"""transformers.pipeline: from texts to answers in one call."""

from __future__ import annotations

from typing import Any

from mlvet.domains.dims import symbol
from mlvet.frontends.python.active import machine, store
from mlvet.frontends.python.libraries.registry import model
from mlvet.frontends.python.libraries.transformers.models import Base
from mlvet.frontends.python.libraries.transformers.tokenizers import Tokenizer, rows_of
from mlvet.frontends.python.values.containers import DictValue, ListValue, Repeated
from mlvet.frontends.python.values.numbers import Scalar
from mlvet.frontends.python.values.objects import Object
from mlvet.frontends.python.values.unknown import Reason, Unknown

_TEXTS = {
    "summarization": "summary_text", "translation": "translation_text", "text2text-generation": "generated_text",
    "text-generation": "generated_text", "image-to-text": "generated_text", "automatic-speech-recognition": "text",
}  # fmt: skip


@model("transformers.Pipeline", "transformers.TextClassificationPipeline", "transformers.TextGenerationPipeline")
class Pipeline(Object):
    """A model with what comes before and after it."""

    __slots__ = ()

    def __init__(self, model: Any = None, tokenizer: Any = None, *args: Any, task: Any = "", **kwargs: Any) -> None:
        self.model = model if isinstance(model, Object) else Unknown(Reason.EXTERNAL_DATA, "a model", "model")
        self.tokenizer = tokenizer if isinstance(tokenizer, Object) else Tokenizer()
        store(self.cells, "@task", task if isinstance(task, str) else "")

    def __call__(self, inputs: Any = None, *args: Any, **kwargs: Any) -> Any:
        rows = rows_of(inputs, False) if inputs is not None else None
        return ListValue(Repeated(self._answer(), 1 if rows is None else rows))

    def _answer(self) -> Any:
        task = self.cells["@task"]
        key = next((key for name, key in _TEXTS.items() if task.startswith(name)), None)
        if key is not None:
            return DictValue({key: Scalar(str, "text")})
        if task in ("sentiment-analysis", "text-classification", "image-classification", "zero-shot-classification"):
            return DictValue({"label": Scalar(str, "label"), "score": Scalar(float, "score")})
        if task == "feature-extraction":
            tokens, width = symbol(machine().fresh("tokens")), symbol(machine().fresh("hidden_size"))
            return ListValue(Repeated(ListValue(Repeated(Scalar(float), width)), tokens))
        return DictValue({}, rest=Unknown(Reason.EXTERNAL_DATA, "an answer"))


@model("transformers.pipeline")
def pipeline(
    task: Any = None, model: Any = None, config: Any = None, tokenizer: Any = None, *args: Any, **kwargs: Any
) -> Any:
    made = model if isinstance(model, Base) else None
    return Pipeline(made, tokenizer, task=task)
