"""Collators: examples put together to a batch of tensors."""

from __future__ import annotations

from typing import Any

from mlvet.domains import dtypes
from mlvet.domains.dims import symbol
from mlvet.domains.tensors import Tensor as Type
from mlvet.frontends.python.active import machine, store
from mlvet.frontends.python.emission import source
from mlvet.frontends.python.libraries.registry import model
from mlvet.frontends.python.libraries.transformers.records import kind_of
from mlvet.frontends.python.libraries.transformers.tokenizers import padded
from mlvet.frontends.python.values.objects import Object
from mlvet.frontends.python.values.tensors import TensorValue, dims_of, tensor_of


@model("transformers.default_data_collator", "transformers.data.data_collator.default_data_collator")
def default_data_collator(features: Any, return_tensors: Any = "pt") -> Any:
    return padded(features, return_tensors, collating=True).cells["@data"]


@model("transformers.DefaultDataCollator")
class DefaultDataCollator(Object):
    __slots__ = ()

    def __init__(self, return_tensors: Any = "pt") -> None:
        store(self.cells, "return_tensors", return_tensors)

    def __call__(self, features: Any, return_tensors: Any = None) -> Any:
        return default_data_collator(features, return_tensors or self.return_tensors)


@model("transformers.DataCollatorWithPadding", "transformers.data.data_collator.DataCollatorWithPadding")
class DataCollatorWithPadding(Object):
    """Pads to the longest, or to a length."""

    __slots__ = ()

    def __init__(
        self, tokenizer: Any, padding: Any = True, max_length: Any = None, pad_to_multiple_of: Any = None,
        return_tensors: Any = "pt",
    ) -> None:  # fmt: skip
        self.tokenizer, self.padding, self.max_length, self.return_tensors = (
            tokenizer, padding, max_length, return_tensors,
        )  # fmt: skip

    def __call__(self, features: Any, return_tensors: Any = None) -> Any:
        length = self.max_length if self.padding == "max_length" else None
        return padded(features, return_tensors or self.return_tensors, length, collating=True)


@model("transformers.DataCollatorForTokenClassification")
class DataCollatorForTokenClassification(DataCollatorWithPadding):
    __slots__ = ()

    def __init__(
        self, tokenizer: Any, padding: Any = True, max_length: Any = None, pad_to_multiple_of: Any = None,
        label_pad_token_id: Any = -100, return_tensors: Any = "pt",
    ) -> None:  # fmt: skip
        super().__init__(tokenizer, padding, max_length, pad_to_multiple_of, return_tensors)


@model("transformers.DataCollatorForSeq2Seq")
class DataCollatorForSeq2Seq(DataCollatorWithPadding):
    """Pads the labels too, which are as long as they are."""

    __slots__ = ()

    def __init__(
        self, tokenizer: Any, model: Any = None, padding: Any = True, max_length: Any = None,
        pad_to_multiple_of: Any = None, label_pad_token_id: Any = -100, return_tensors: Any = "pt",
    ) -> None:  # fmt: skip
        super().__init__(tokenizer, padding, max_length, pad_to_multiple_of, return_tensors)

    def __call__(self, features: Any, return_tensors: Any = None) -> Any:
        made = super().__call__(features, return_tensors)
        data = made.cells["@data"]
        labels = data.cells.get("labels")
        dims = dims_of(labels) if isinstance(labels, TensorValue) else None
        if dims is not None and len(dims) == 2:
            like = Type(tensor_of(labels).dtype, (dims[0], symbol(machine().fresh("target_tokens"))))
            for name in ("labels", "decoder_input_ids"):
                data.put(name, source(name, like, type(labels)))
        return made


@model("transformers.DataCollatorForLanguageModeling")
class DataCollatorForLanguageModeling(DataCollatorWithPadding):
    """Makes labels of the tokens themselves."""

    __slots__ = ()

    def __init__(
        self, tokenizer: Any, mlm: Any = True, mlm_probability: Any = 0.15, mask_replace_prob: Any = 0.8,
        random_replace_prob: Any = 0.1, pad_to_multiple_of: Any = None, tf_experimental_compile: Any = False,
        return_tensors: Any = "pt", seed: Any = None, **kwargs: Any,
    ) -> None:  # fmt: skip
        super().__init__(tokenizer, True, None, pad_to_multiple_of, return_tensors)

    def __call__(self, features: Any, return_tensors: Any = None) -> Any:
        made = super().__call__(features, return_tensors)
        data = made.cells["@data"]
        ids = data.cells.get("input_ids")
        kind = kind_of(return_tensors or self.return_tensors)
        if isinstance(ids, TensorValue) and kind is not None:
            like = Type(dtypes.i64, dims_of(ids) or ())
            data.put("labels", source("labels", like, kind))
        return made
