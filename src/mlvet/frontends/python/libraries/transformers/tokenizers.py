"""Tokenizers: texts to numbers of tokens and back."""

from __future__ import annotations

from typing import Any

from mlvet.domains import dtypes
from mlvet.domains.dims import Dim, Expr, symbol
from mlvet.domains.tensors import Tensor as Type
from mlvet.frontends.python.active import machine, store
from mlvet.frontends.python.emission import source
from mlvet.frontends.python.libraries.binding import as_size
from mlvet.frontends.python.libraries.registry import model
from mlvet.frontends.python.libraries.transformers.configurations import CHECKPOINTS, FAMILIES, family_of
from mlvet.frontends.python.libraries.transformers.records import entries_of, integers, kind_of, record, tensor
from mlvet.frontends.python.values.containers import DictValue, ListValue, Repeated
from mlvet.frontends.python.values.numbers import Scalar
from mlvet.frontends.python.values.objects import Object
from mlvet.frontends.python.values.tensors import TensorValue, dims_of
from mlvet.frontends.python.values.unknown import Reason, Undecided, Unknown

UNTYPED = frozenset((
    "DistilBert", "Roberta", "XLMRoberta", "GPT2", "GPTNeo", "GPTJ", "OPT", "Llama", "Mistral", "T5", "MT5", "Bart",
    "MBart", "Pegasus", "Marian", "MPNet", "Phi", "Bloom", "Whisper",
))  # fmt: skip
"""Families whose tokenizers do not tell the first of two texts from the second."""
EXACT = frozenset(("Bert", "DistilBert", "Roberta", "GPT2"))
"""Families whose tokenizers have as many tokens as the model has embeddings."""
OTHER_LABELS = {"label": "labels", "label_ids": "labels"}
SPECIAL = ("bos", "eos", "unk", "sep", "pad", "cls", "mask")


class Tokenizer(Object):
    """A tokenizer of any family."""

    __slots__ = ()

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        store(self.cells, "@checkpoint", None)
        store(self.cells, "@added", 0)
        for name, value in kwargs.items():
            store(self.cells, name, value)

    @classmethod
    def from_pretrained(cls, pretrained_model_name_or_path: Any, *init_inputs: Any, **kwargs: Any) -> Any:
        made = machine().call(cls)
        if isinstance(made, Object):
            store(made.cells, "@checkpoint", pretrained_model_name_or_path)
            for name in ("model_max_length", "pad_token", "eos_token", "padding_side"):
                if name in kwargs:
                    store(made.cells, name, kwargs[name])
        return made

    def __call__(
        self, text: Any = None, text_pair: Any = None, text_target: Any = None, text_pair_target: Any = None,
        add_special_tokens: Any = True, padding: Any = False, truncation: Any = None, max_length: Any = None,
        stride: Any = 0, is_split_into_words: bool = False, pad_to_multiple_of: Any = None, padding_side: Any = None,
        return_tensors: Any = None, return_token_type_ids: Any = None, return_attention_mask: Any = None,
        return_overflowing_tokens: bool = False, return_special_tokens_mask: bool = False,
        return_offsets_mapping: bool = False, return_length: bool = False, verbose: Any = True, **kwargs: Any,
    ) -> Any:  # fmt: skip
        rows = rows_of(text if text is not None else text_target, is_split_into_words)
        if return_overflowing_tokens and rows is not None:
            rows = symbol(machine().fresh("windows"))
        padding = "max_length" if kwargs.get("pad_to_max_length") is True else padding
        tokens = self._tokens(padding, truncation, max_length, kwargs)
        batch: tuple[Dim, ...] = (rows,) if rows is not None else (1,) if kind_of(return_tensors) else ()
        dims = (*batch, tokens)
        token = symbol(machine().fresh("token"))
        made = {"input_ids": integers("input_ids", dims, return_tensors, token)}
        if return_token_type_ids is True or (return_token_type_ids is not False and self._family not in UNTYPED):
            made["token_type_ids"] = integers("token_type_ids", dims, return_tensors, 0)
        if return_attention_mask is not False:
            made["attention_mask"] = integers("attention_mask", dims, return_tensors, 1)
        if return_special_tokens_mask:
            made["special_tokens_mask"] = integers("special_tokens_mask", dims, return_tensors, 0)
        if return_offsets_mapping:
            made["offset_mapping"] = _offsets(dims, return_tensors)
        if return_overflowing_tokens:
            made["overflow_to_sample_mapping"] = integers("sample", batch, return_tensors, symbol("sample"))
        if return_length:
            made["length"] = integers("length", batch, return_tensors, tokens)
        if text_target is not None and text is not None:
            target = self._tokens(padding, truncation, max_length, kwargs)
            made["labels"] = integers("labels", (*batch, target), return_tensors, token)
        return record(made, tokens)

    encode_plus = batch_encode_plus = __call__

    def prepare_seq2seq_batch(self, src_texts: Any, tgt_texts: Any = None, **kwargs: Any) -> Any:
        return self(src_texts, text_target=tgt_texts, **kwargs)

    def encode(self, text: Any, text_pair: Any = None, *args: Any, **kwargs: Any) -> Any:
        return self(text, text_pair, **kwargs)["input_ids"]

    def _tokens(self, padding: Any, truncation: Any, max_length: Any, kwargs: dict[str, Any]) -> Dim:
        """How many tokens each text has: a known number only if all are made as long."""
        cut = truncation not in (None, False, "do_not_truncate") or "pad_to_max_length" in kwargs
        if padding == "max_length" and cut:
            wanted = max_length if max_length is not None else self.cells.get("model_max_length")
            if wanted is not None:
                return as_size(wanted, "max_length")
        return symbol(machine().fresh("tokens"))

    @property
    def _family(self) -> str:
        return family_of(self.cells.get("@checkpoint"))

    def tokenize(self, text: Any, *args: Any, **kwargs: Any) -> Any:
        return ListValue(Repeated(Scalar(str, "token"), symbol(machine().fresh("tokens"))))

    def convert_tokens_to_ids(self, tokens: Any) -> Any:
        return _each(tokens, symbol(machine().fresh("token")))

    def convert_ids_to_tokens(self, ids: Any, skip_special_tokens: Any = False) -> Any:
        return _each(ids, Scalar(str, "token"))

    def convert_tokens_to_string(self, tokens: Any) -> Any:
        return Scalar(str, "text")

    def decode(self, token_ids: Any, *args: Any, **kwargs: Any) -> Any:
        return Scalar(str, "text")

    def batch_decode(self, sequences: Any, *args: Any, **kwargs: Any) -> Any:
        rows = rows_of(sequences, False)
        return ListValue(Repeated(Scalar(str, "text"), symbol(machine().fresh("texts")) if rows is None else rows))

    def pad(
        self, encoded_inputs: Any, padding: Any = True, max_length: Any = None, pad_to_multiple_of: Any = None,
        padding_side: Any = None, return_attention_mask: Any = None, return_tensors: Any = None, verbose: Any = True,
    ) -> Any:  # fmt: skip
        return padded(encoded_inputs, return_tensors, max_length if padding == "max_length" else None)

    def apply_chat_template(self, conversation: Any, *args: Any, **kwargs: Any) -> Any:
        if kwargs.get("tokenize") is False:
            return Scalar(str, "text")
        made = self(Scalar(str), **{name: kwargs[name] for name in ("return_tensors", "padding") if name in kwargs})
        return made if kwargs.get("return_dict") is True else made["input_ids"]

    def build_inputs_with_special_tokens(self, token_ids_0: Any, token_ids_1: Any = None) -> Any:
        return ListValue(Repeated(symbol(machine().fresh("token")), symbol(machine().fresh("tokens"))))

    def get_special_tokens_mask(self, *args: Any, **kwargs: Any) -> Any:
        return ListValue(Repeated(0, symbol(machine().fresh("tokens"))))

    def num_special_tokens_to_add(self, pair: Any = False) -> Any:
        return symbol("special_tokens")

    def add_tokens(self, new_tokens: Any, special_tokens: Any = False) -> Any:
        count = symbol(machine().fresh("added_tokens"))
        store(self.cells, "@added", self.cells["@added"] + count)
        return count

    add_special_tokens = add_tokens

    @property
    def vocab_size(self) -> Any:
        if "@size" not in self.cells:
            checkpoint = self.cells.get("@checkpoint")
            last = checkpoint.rpartition("/")[2].lower() if isinstance(checkpoint, str) else ""
            found: Any = symbol(machine().fresh("vocab_size"))
            if last in CHECKPOINTS and CHECKPOINTS[last][0] in EXACT:
                family, changed = CHECKPOINTS[last]
                found = changed.get("vocab_size", FAMILIES[family][0])
            store(self.cells, "@size", found)
        return self.cells["@size"]

    def length(self) -> Any:
        return self.vocab_size + self.cells["@added"]

    @property
    def vocab(self) -> Any:
        return DictValue({}, rest=symbol(machine().fresh("token")))

    def get_vocab(self) -> Any:
        return self.vocab

    def save_pretrained(self, *args: Any, **kwargs: Any) -> None:
        """Writes files."""

    save_vocabulary = save_model = push_to_hub = save_pretrained

    def as_target_tokenizer(self) -> Any:
        return self

    def __enter__(self) -> Any:
        return self

    def __exit__(self, *error: Any) -> None:
        """Back to inputs."""

    def missing(self, name: str) -> Any:
        head, _, rest = name.partition("_token")
        if head in SPECIAL and rest in ("", "_id"):
            return symbol(name) if rest else Scalar(str, name)
        if name in ("model_max_length", "max_len", "max_model_input_sizes"):
            return symbol(name)
        if name in ("padding_side", "truncation_side", "name_or_path", "chat_template"):
            return Scalar(str, name)
        if name == "is_fast":
            return True
        if name in ("all_special_ids", "additional_special_tokens_ids"):
            return ListValue(Repeated(symbol("token"), symbol("special_tokens")))
        if name in ("all_special_tokens", "additional_special_tokens", "model_input_names"):
            return ListValue(Repeated(Scalar(str, "token"), symbol("special_tokens")))
        raise Undecided(Reason.UNMODELLED_CALL, f"transformers.PreTrainedTokenizer.{name}")


_MODELLED = (
    "Bert", "Roberta", "DistilBert", "Albert", "Electra", "DebertaV2", "XLMRoberta", "MPNet", "XLNet", "GPT2", "Llama",
    "T5", "Bart", "MBart", "Pegasus", "Marian", "Gemma", "Qwen2", "CLIP", "Whisper", "BertJapanese", "Camembert",
    "Longformer", "Bloom", "GPTNeoX",
)  # fmt: skip
model(
    "transformers.AutoTokenizer", "transformers.PreTrainedTokenizer", "transformers.PreTrainedTokenizerFast",
    "transformers.PreTrainedTokenizerBase", *(f"transformers.{name}Tokenizer" for name in _MODELLED),
    *(f"transformers.{name}TokenizerFast" for name in _MODELLED),
)(Tokenizer)  # fmt: skip


def rows_of(text: Any, split: bool) -> Dim | None:
    """How many texts there are; None if it is one and no list."""
    items = text.items if isinstance(text, ListValue) else text if isinstance(text, tuple) else None
    if isinstance(items, Repeated | tuple):
        first = items.element if isinstance(items, Repeated) else items[0] if items else None
        if split and not isinstance(first, ListValue | tuple):
            return None
        return items.length if isinstance(items, Repeated) else len(items)
    if isinstance(text, TensorValue):
        dims = dims_of(text)
        return dims[0] if dims else None if dims == () else symbol(machine().fresh("texts"))
    if isinstance(text, Unknown):
        return symbol(machine().fresh("texts"))
    found = getattr(type(text), "iterate", None) if isinstance(text, Object) else None
    if found is not None:
        return rows_of(ListValue(machine().items(text)), split)
    return None


def _offsets(dims: tuple[Dim, ...], return_tensors: Any) -> Any:
    if kind_of(return_tensors) is not None:
        return integers("offset_mapping", (*dims, 2), return_tensors, 0)
    return integers("offset_mapping", dims, None, (symbol("start"), symbol("end")))


def _each(tokens: Any, made: Any) -> Any:
    rows = rows_of(tokens, False) if not isinstance(tokens, Unknown) else None
    if isinstance(tokens, Unknown):
        return Unknown(Reason.EXTERNAL_DATA, "tokens", tokens.name)
    return made if rows is None else ListValue(Repeated(made, rows))


def padded(examples: Any, return_tensors: Any, length: Any = None, collating: bool = False) -> Any:
    """Examples made as long as the longest, or as asked, and put together; collators call labels by one name."""
    whole = entries_of(examples)
    if whole is not None:
        return record({name: tensor(value, return_tensors, name) for name, value in whole.items()})
    found = machine().items(examples)
    rows: Dim = found.length if isinstance(found, Repeated) else len(found)
    example = found.element if isinstance(found, Repeated) else found[0] if found else None
    entries = entries_of(example)
    if entries is None:
        raise Undecided(Reason.EXTERNAL_DATA, "examples of unknown columns")
    tokens = _longest(entries, length)
    known = {OTHER_LABELS.get(name, name) if collating else name: value for name, value in entries.items()}
    made = {name: _column(name, value, rows, tokens, return_tensors) for name, value in known.items()}
    return record({name: value for name, value in made.items() if value is not None}, tokens)


def _longest(entries: dict[str, Any], length: Any) -> Dim:
    if length is not None:
        return as_size(length, "max_length")
    ids = entries.get("input_ids")
    if isinstance(ids, ListValue) and not isinstance(ids.items, Repeated):
        return len(ids.items)
    known = ids.items.length if isinstance(ids, ListValue) and isinstance(ids.items, Repeated) else None
    if isinstance(ids, TensorValue) and dims_of(ids):
        known = (dims_of(ids) or (None,))[0]
    return known if isinstance(known, int) else symbol(machine().fresh("tokens"))


def _column(name: str, value: Any, rows: Dim, tokens: Dim, return_tensors: Any) -> Any:
    """One column of a batch: numbers in a row, lists of numbers as long as the longest."""
    element: Any = symbol("token")
    dims: tuple[Dim, ...]
    match value:
        case bool() | int() | Expr():
            dims = (rows,)
        case float() | Scalar() if isinstance(value, float) or value.kind is float:
            kind = kind_of(return_tensors)
            made = Type(dtypes.f32, (rows,))
            return ListValue(Repeated(Scalar(float), rows)) if kind is None else source(name, made, kind)
        case TensorValue() if dims_of(value) is not None:
            inner = dims_of(value) or ()
            dims = (rows, tokens) if len(inner) == 1 else (rows, *inner)
            kind = kind_of(return_tensors)
            if kind is not None:
                return source(name, Type(value.graph_value.declared.dtype, dims), kind)
        case ListValue():
            dims = (rows, tokens)
        case _:
            return None if kind_of(return_tensors) is not None else ListValue(Repeated(value, rows))
    return integers(name, dims, return_tensors, element)
