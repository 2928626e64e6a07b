"""What models compute of their inputs: hidden states, and what each kind of head makes of them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from mlvet.domains import dtypes
from mlvet.domains.dims import Dim, Expr, equal, floor_div, symbol
from mlvet.domains.dtypes import DType, Kind
from mlvet.domains.tensors import Tensor as Type
from mlvet.frontends.python.active import machine
from mlvet.frontends.python.arrays.operators import assumed
from mlvet.frontends.python.emission import demand, opaque, source
from mlvet.frontends.python.libraries.binding import ARRAYS, TENSORS, as_size, as_tensor
from mlvet.frontends.python.libraries.transformers.configurations import SEQUENCE_TO_SEQUENCE, labels, size
from mlvet.frontends.python.libraries.transformers.records import Record, output
from mlvet.frontends.python.values.containers import DictValue, ListValue, Repeated
from mlvet.frontends.python.values.objects import Object
from mlvet.frontends.python.values.tensors import TensorValue, dims_of, dtype_of
from mlvet.frontends.python.values.unknown import Reason, Undecided, Unknown

POOLED = frozenset(("Bert", "Roberta", "Albert", "XLMRoberta", "MPNet", "Longformer", "ViT", "DeiT", "Beit", "Swin"))
"""Families whose plain models yield one vector for each text or picture too."""
CACHED = frozenset((
    "GPT2", "GPTNeo", "GPTNeoX", "GPTJ", "OPT", "Llama", "Mistral", "Gemma", "Qwen2", "Phi", "Falcon", "Bloom",
)) | SEQUENCE_TO_SEQUENCE  # fmt: skip
"""Families whose models yield keys and values, so that the next token costs less."""
CONVOLUTIONAL = frozenset(("ConvNext", "ResNet", "Segformer"))
MOST_LAYERS = 64


@dataclass(frozen=True, slots=True)
class Run:
    """One call of a model: what it is given, and in which class and type of tensors it computes."""

    name: str
    family: str
    config: Any
    given: Mapping[str, Any]
    kind: type[TensorValue]
    dtype: DType

    def asks(self, option: str) -> bool:
        wanted = self.given.get(option)
        if wanted is None and isinstance(self.config, Object):
            wanted = self.config.cells.get(option)
        return wanted is True

    def made(self, part: str, dims: tuple[Dim, ...], *operands: Any) -> Any:
        inputs = [each for each in operands if isinstance(each, TensorValue)]
        return opaque(f"{self.name}.{part}", inputs, Type(self.dtype, dims), self.kind)

    def operand(self, name: str) -> TensorValue | None:
        """A tensor among what is given."""
        value = self.given.get(name)
        if value is None:
            return None
        if isinstance(value, TensorValue):
            return value
        library = next((name for name, kind in TENSORS.items() if kind is self.kind), "")
        if isinstance(value, Unknown):
            return as_tensor(value, library)
        return ARRAYS[library](value)


def positional(names: tuple[str, ...], args: tuple[Any, ...], kwargs: Mapping[str, Any]) -> dict[str, Any]:
    """The arguments by name; a first argument that is a dictionary or a list holds the others."""
    given = dict(zip(names, args, strict=False)) | dict(kwargs)
    first = given.get(names[0])
    if isinstance(first, Record):
        first = first.cells["@data"]
    if isinstance(first, DictValue):
        del given[names[0]]
        given |= {key: value for key, value in first.cells.items() if isinstance(key, str)}
    elif isinstance(first, ListValue | tuple) and names[0] == "input_ids":
        items = first.items if isinstance(first, ListValue) else first
        if isinstance(items, tuple) and items and all(isinstance(each, TensorValue) for each in items):
            given |= dict(zip(names, items, strict=False))
    return given


def hidden(run: Run) -> tuple[Any, tuple[Dim, ...]]:
    """The states of the last layer, and the dims before their last."""
    ids, embedded = run.operand("input_ids"), run.operand("inputs_embeds")
    if ids is not None:
        ids = assumed(ids, 2, "batch", "tokens")
        known = dtype_of(ids)
        integral = known is None or known.kind in (Kind.SIGNED, Kind.UNSIGNED)
        demand(integral, f"`{run.name}` looks tokens up by their numbers, but gets {known}", "dtype-differs")
        dims = dims_of(ids) or ()
        return run.made("last_hidden_state", (*dims, size(run.config, "hidden_size")), ids), dims
    if embedded is not None:
        dims = (dims_of(assumed(embedded, 3, "batch", "tokens", "hidden")) or ())[:-1]
        return run.made("last_hidden_state", (*dims, size(run.config, "hidden_size")), embedded), dims
    pixels = run.operand("pixel_values")
    if pixels is not None:
        return _of_pictures(run, pixels)
    for name in ("input_values", "input_features"):
        sound = run.operand(name)
        if sound is not None:
            batch = (dims_of(assumed(sound, 2, "batch", "samples")) or (symbol("batch"),))[0]
            dims = (batch, symbol(machine().fresh("frames")))
            return run.made("last_hidden_state", (*dims, size(run.config, "hidden_size")), sound), dims
    raise Undecided(Reason.UNMODELLED_ARGUMENTS, f"{run.name} without tokens")


def _of_pictures(run: Run, pixels: TensorValue) -> tuple[Any, tuple[Dim, ...]]:
    batch, *_, height, width = dims_of(assumed(pixels, 4, "batch", "channels", "height", "width")) or (
        symbol("batch"), symbol("height"), symbol("width"),
    )  # fmt: skip
    patches: Dim = symbol(machine().fresh("patches"))
    side = run.config.cells.get("patch_size", 16) if isinstance(run.config, Object) else None
    if run.family in ("ViT", "DeiT", "Beit") and isinstance(side, int):
        patches = floor_div(height, side) * floor_div(width, side) + (2 if run.family == "DeiT" else 1)
    dims = (batch, patches)
    return run.made("last_hidden_state", (*dims, size(run.config, "hidden_size")), pixels), dims


def plain(run: Run) -> Any:
    """The model without a head."""
    if run.family in SEQUENCE_TO_SEQUENCE and not run.asks("encoder_only"):
        return _translated(run, None)
    if run.family in CONVOLUTIONAL and run.operand("pixel_values") is not None:
        return _feature_maps(run)
    states, dims = hidden(run)
    pooled = None
    if run.family in POOLED or not run.family:
        pooled = run.made("pooler_output", (dims[0], size(run.config, "hidden_size")), states)
    return output(last_hidden_state=states, pooler_output=pooled, **_extras(run, dims, states))


def _feature_maps(run: Run) -> Any:
    """What a convolutional model makes of pictures: maps, and their means."""
    pixels = run.operand("pixel_values")
    batch = (dims_of(assumed(pixels, 4, "batch", "channels", "height", "width")) or (symbol("batch"),))[0]  # type: ignore[arg-type]
    channels, height, width = (symbol(machine().fresh(name)) for name in ("channels", "height", "width"))
    states = run.made("last_hidden_state", (batch, channels, height, width), pixels)
    pooled = None
    if run.family != "Segformer":
        means: tuple[Dim, ...] = (batch, channels) if run.family == "ConvNext" else (batch, channels, 1, 1)
        pooled = run.made("pooler_output", means, states)
    return output(last_hidden_state=states, pooler_output=pooled)


def scored(run: Run, head: str) -> Any:
    """The model with a head: logits, and the loss if there are labels."""
    if head in ("Seq2SeqLM", "ConditionalGeneration", "SpeechSeq2Seq"):
        return _translated(run, "logits")
    if head == "MultipleChoice":
        return _chosen(run)
    states, dims = hidden(run)
    loss = _loss(run, states)
    rest = _extras(run, dims, states)
    count = labels(run.config)
    match head:
        case "CausalLM" | "LMHeadModel" | "MaskedLM" | "CTC":
            logits = run.made("logits", (*dims, size(run.config, "vocab_size")), states)
        case "TokenClassification" | "AudioFrameClassification":
            logits = run.made("logits", (*dims, as_size(count, "num_labels")), states)
        case "NextSentencePrediction":
            logits = run.made("logits", (dims[0], 2), states)
        case "QuestionAnswering":
            wanted = equal(as_size(count, "num_labels"), 2)
            demand(
                wanted, f"`{run.name}` splits its output into start and end, so `num_labels` must be 2", "dims-differ"
            )
            first = _loss(run, states) if run.given.get("start_positions") is not None else None
            start, end = (run.made(part, dims, states) for part in ("start_logits", "end_logits"))
            return output(loss=first, start_logits=start, end_logits=end, **rest)
        case "PreTraining":
            words = run.made("prediction_logits", (*dims, size(run.config, "vocab_size")), states)
            return output(
                loss=loss, prediction_logits=words,
                seq_relationship_logits=run.made("seq_relationship_logits", (dims[0], 2), states), **rest,
            )  # fmt: skip
        case "SemanticSegmentation":
            inner = (symbol(machine().fresh("height")), symbol(machine().fresh("width")))
            logits = run.made("logits", (dims[0], as_size(count, "num_labels"), *inner), states)
        case _:
            logits = run.made("logits", (dims[0], as_size(count, "num_labels")), states)
    return output(loss=loss, logits=logits, **rest)


def _translated(run: Run, wanted: str | None) -> Any:
    """A model of two halves: the second reads what the first makes of its input."""
    encoded = run.given.get("encoder_outputs")
    if encoded is None:
        states, dims = hidden(run)
    else:
        states = encoded[0] if isinstance(encoded, tuple) else machine().send(encoded, "__getitem__", 0)
        dims = (dims_of(as_tensor(states, "torch")) or (symbol("batch"), symbol("tokens"), 0))[:-1]
    target = run.operand("decoder_input_ids")
    answers = run.operand("labels")
    guide = target if target is not None else answers
    known = dims_of(assumed(guide, 2, "batch", "target_tokens")) if guide is not None else None
    if known is None:
        inner = run.operand("decoder_inputs_embeds")
        known = (dims_of(inner) or ())[:-1] if inner is not None else None
    if known is None:
        if run.family not in ("Bart", "MBart"):
            raise Undecided(Reason.UNMODELLED_ARGUMENTS, f"{run.name} without decoder inputs or labels")
        known = dims
    width = size(run.config, "vocab_size" if wanted else "hidden_size")
    made = run.made(wanted or "last_hidden_state", (*known, width), states, guide)
    loss = _loss(run, made) if wanted else None
    cache = Unknown(Reason.EXTERNAL_DATA, "keys and values", "past_key_values")
    first = {"loss": loss, "logits": made} if wanted else {"last_hidden_state": made}
    return output(**first, past_key_values=cache, encoder_last_hidden_state=states)


def _chosen(run: Run) -> Any:
    ids = run.operand("input_ids")
    if ids is None:
        raise Undecided(Reason.UNMODELLED_ARGUMENTS, f"{run.name} without tokens")
    dims = dims_of(assumed(ids, 3, "batch", "choices", "tokens")) or ()
    demand(len(dims) == 3, f"`{run.name}` takes tokens of 3 dims", "rank-differs")
    logits = run.made("logits", dims[:2] if len(dims) == 3 else dims, ids)
    return output(loss=_loss(run, logits), logits=logits)


def _loss(run: Run, states: Any) -> Any:
    wanted = run.given.get("labels", run.given.get("start_positions"))
    return None if wanted is None else run.made("loss", (), states, wanted)


def _extras(run: Run, dims: tuple[Dim, ...], states: Any) -> dict[str, Any]:
    """What is yielded on demand: the states of all layers, and which token looked at which."""
    made: dict[str, Any] = {}
    if run.family in CACHED and run.given.get("use_cache") is not False:
        made["past_key_values"] = Unknown(Reason.EXTERNAL_DATA, "keys and values", "past_key_values")
    layers: Dim = size(run.config, "num_hidden_layers")
    if run.asks("output_hidden_states"):
        width = size(run.config, "hidden_size")
        made["hidden_states"] = _several(lambda: run.made("hidden_states", (*dims, width), states), layers + 1)
    if run.asks("output_attentions"):
        heads = (dims[0], size(run.config, "num_attention_heads"), dims[-1], dims[-1])
        made["attentions"] = _several(lambda: run.made("attentions", heads, states), layers)
    return made


def _several(make: Any, count: Dim) -> Any:
    if isinstance(count, int) and 0 <= count <= MOST_LAYERS:
        return tuple(make() for _ in range(count))
    return ListValue(Repeated(make(), count if isinstance(count, Expr) else symbol(machine().fresh("layers"))))


def generated(run: Run) -> Any:
    """The tokens that a model goes on with."""
    guide = None
    for name in ("input_ids", "inputs", "inputs_embeds", "pixel_values", "input_features", "input_values"):
        guide = run.operand(name) if guide is None else guide
    dims = dims_of(guide) if guide is not None else (1,)
    batch: Dim = symbol("batch") if dims is None else dims[0] if dims else 1
    copies = run.given.get("num_return_sequences")
    batch = batch * as_size(copies, "num_return_sequences") if copies is not None else batch
    wide = dtypes.i32 if run.kind.__module__.partition(".libraries.")[2].startswith("tensorflow") else dtypes.i64
    like = Type(wide, (batch, symbol(machine().fresh("generated"))))
    made = (
        source("generated", like, run.kind)
        if guide is None
        else opaque(f"{run.name}.generate", [guide], like, run.kind)
    )
    return output(sequences=made) if run.asks("return_dict_in_generate") else made
