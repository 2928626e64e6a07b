"""tiktoken, tokenizers, sentencepiece, nltk and peft: texts in pieces, and adapters of models."""

from __future__ import annotations

from typing import Any

from mlvet.domains.dims import symbol
from mlvet.frontends.python.active import machine, store
from mlvet.frontends.python.libraries.registry import model
from mlvet.frontends.python.values.containers import DictValue, ListValue, Repeated
from mlvet.frontends.python.values.numbers import Scalar
from mlvet.frontends.python.values.objects import Object
from mlvet.frontends.python.values.unknown import Reason, Unknown

VOCABULARIES = {"gpt2": 50257, "r50k_base": 50257, "p50k_base": 50281, "cl100k_base": 100277, "o200k_base": 200019}


def _tokens() -> ListValue:
    return ListValue(Repeated(symbol(machine().fresh("token")), symbol(machine().fresh("tokens"))))


def _words() -> ListValue:
    return ListValue(Repeated(Scalar(str, "word"), symbol(machine().fresh("words"))))


def _several(texts: Any, make: Any) -> ListValue:
    found = machine().items(texts)
    return ListValue(Repeated(make(), found.length if isinstance(found, Repeated) else len(found)))


@model("tiktoken.Encoding")
class Encoding(Object):
    """Texts as numbers of byte pairs."""

    __slots__ = ()

    def __init__(self, name: Any = None, *args: Any, **kwargs: Any) -> None:
        known = VOCABULARIES.get(name) if isinstance(name, str) else None
        store(self.cells, "n_vocab", symbol(machine().fresh("vocabulary")) if known is None else known)
        store(self.cells, "max_token_value", self.n_vocab - 1)
        store(self.cells, "eot_token", 50256 if name == "gpt2" else symbol("eot_token"))

    def encode(self, text: Any, *args: Any, **kwargs: Any) -> Any:
        return _tokens()

    encode_ordinary = encode

    def encode_batch(self, text: Any, *args: Any, **kwargs: Any) -> Any:
        return _several(text, _tokens)

    encode_ordinary_batch = encode_batch

    def decode(self, tokens: Any, *args: Any, **kwargs: Any) -> Any:
        return Scalar(str, "text")


@model("tiktoken.get_encoding")
def get_encoding(encoding_name: Any) -> Any:
    return Encoding(encoding_name)


@model("tiktoken.encoding_for_model")
def encoding_for_model(model_name: Any) -> Any:
    return Encoding("gpt2" if model_name == "gpt2" else None)


@model("tokenizers.Encoding")
class Encoded(Object):
    """A text as the library `tokenizers` cuts it."""

    __slots__ = ()

    def __init__(self) -> None:
        size = symbol(machine().fresh("tokens"))
        for name, value in (("ids", symbol("token")), ("type_ids", 0), ("attention_mask", 1)):
            store(self.cells, name, ListValue(Repeated(value, size)))
        store(self.cells, "tokens", ListValue(Repeated(Scalar(str, "token"), size)))
        store(self.cells, "offsets", ListValue(Repeated((symbol("start"), symbol("end")), size)))
        store(self.cells, "word_ids", ListValue(Repeated(symbol("word"), size)))

    def length(self) -> Any:
        return self.ids.items.length


@model(
    "tokenizers.Tokenizer", "tokenizers.BertWordPieceTokenizer", "tokenizers.ByteLevelBPETokenizer",
    "tokenizers.CharBPETokenizer", "tokenizers.SentencePieceBPETokenizer",
)  # fmt: skip
class Tokenizer(Object):
    __slots__ = ()

    @classmethod
    def from_file(cls, *args: Any, **kwargs: Any) -> Any:
        return cls()

    @classmethod
    def from_pretrained(cls, *args: Any, **kwargs: Any) -> Any:
        return cls()

    def encode(self, sequence: Any, *args: Any, **kwargs: Any) -> Any:
        return Encoded()

    def encode_batch(self, input: Any, *args: Any, **kwargs: Any) -> Any:
        return _several(input, Encoded)

    def decode(self, ids: Any, *args: Any, **kwargs: Any) -> Any:
        return Scalar(str, "text")

    def get_vocab_size(self, *args: Any, **kwargs: Any) -> Any:
        if "@size" not in self.cells:
            store(self.cells, "@size", symbol(machine().fresh("vocabulary")))
        return self.cells["@size"]

    def get_vocab(self, *args: Any, **kwargs: Any) -> Any:
        return DictValue({}, rest=symbol("token"))

    def token_to_id(self, token: Any) -> Any:
        return symbol(machine().fresh("token"))

    def id_to_token(self, id: Any) -> Any:
        return Scalar(str, "token")

    def train(self, *args: Any, **kwargs: Any) -> None:
        """Learns a vocabulary."""

    train_from_iterator = save = save_model = add_special_tokens = train
    enable_padding = enable_truncation = no_padding = no_truncation = train


_PARTS = (
    "models.BPE models.WordPiece models.Unigram models.WordLevel pre_tokenizers.Whitespace pre_tokenizers.ByteLevel "
    "trainers.BpeTrainer trainers.WordPieceTrainer trainers.WordLevelTrainer trainers.UnigramTrainer "
    "decoders.ByteLevel decoders.WordPiece normalizers.NFD normalizers.Lowercase normalizers.StripAccents normalizers.Sequence "
    "processors.TemplateProcessing processors.ByteLevel processors.BertProcessing"
)


@model(*(f"tokenizers.{name}" for name in _PARTS.split()))
class Part(Object):
    """A stage of a tokenizer."""

    __slots__ = ()

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        """Whatever it is told."""


@model("sentencepiece.SentencePieceProcessor")
class SentencePieceProcessor(Object):
    __slots__ = ()

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        store(self.cells, "@size", symbol(machine().fresh("vocabulary")))

    def load(self, *args: Any, **kwargs: Any) -> bool:
        return True

    Load = load

    def encode(self, input: Any, *args: Any, **kwargs: Any) -> Any:
        return _words() if kwargs.get("out_type") is str else _tokens()

    Encode = EncodeAsIds = encode_as_ids = encode

    def encode_as_pieces(self, input: Any, *args: Any, **kwargs: Any) -> Any:
        return _words()

    EncodeAsPieces = encode_as_pieces

    def decode(self, input: Any, *args: Any, **kwargs: Any) -> Any:
        return Scalar(str, "text")

    Decode = DecodeIds = decode_ids = decode

    def get_piece_size(self) -> Any:
        return self.cells["@size"]

    GetPieceSize = vocab_size = get_piece_size

    def bos_id(self) -> Any:
        return symbol("bos_id")

    def eos_id(self) -> Any:
        return symbol("eos_id")

    def pad_id(self) -> Any:
        return symbol("pad_id")

    def unk_id(self) -> Any:
        return symbol("unk_id")

    def piece_to_id(self, piece: Any) -> Any:
        return symbol(machine().fresh("token"))

    def id_to_piece(self, id: Any) -> Any:
        return Scalar(str, "piece")

    def length(self) -> Any:
        return self.cells["@size"]


@model("nltk.word_tokenize", "nltk.tokenize.word_tokenize", "nltk.sent_tokenize", "nltk.tokenize.sent_tokenize")
def word_tokenize(text: Any, *args: Any, **kwargs: Any) -> Any:
    return _words()


@model(
    "nltk.download",
    "nltk.data.find",
    "sentencepiece.SentencePieceTrainer.train",
    "sentencepiece.SentencePieceTrainer.Train",
)
def nothing(*args: Any, **kwargs: Any) -> None:
    """Fetches or writes a file."""


@model("nltk.corpus.stopwords.words")
def stopwords(*args: Any) -> Any:
    return _words()


@model("nltk.stem.PorterStemmer", "nltk.stem.WordNetLemmatizer", "nltk.stem.SnowballStemmer",
       "nltk.PorterStemmer", "nltk.WordNetLemmatizer",
       "nltk.stem.porter.PorterStemmer")  # fmt: skip
class Stemmer(Object):
    __slots__ = ()

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        """A language."""

    def stem(self, word: Any, *args: Any) -> Any:
        return Scalar(str, "word")

    lemmatize = stem


@model("nltk.translate.bleu_score.sentence_bleu", "nltk.translate.bleu_score.corpus_bleu")
def bleu(*args: Any, **kwargs: Any) -> Any:
    return Scalar(float, "bleu")


@model(
    "peft.LoraConfig", "peft.PromptTuningConfig", "peft.PrefixTuningConfig", "peft.IA3Config", "peft.AdaLoraConfig",
    "peft.PromptEncoderConfig",
)  # fmt: skip
class AdapterConfig(Object):
    __slots__ = ()

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        for name, value in kwargs.items():
            store(self.cells, name, value)

    @classmethod
    def from_pretrained(cls, *args: Any, **kwargs: Any) -> Any:
        return cls()

    def missing(self, name: str) -> Any:
        return Unknown(Reason.EXTERNAL_DATA, name, name)


@model("peft.get_peft_model", "peft.prepare_model_for_kbit_training", "peft.prepare_model_for_int8_training")
def get_peft_model(model: Any, *args: Any, **kwargs: Any) -> Any:
    """The model itself: an adapter changes neither what it takes nor what it yields."""
    return model


@model("peft.PeftModel", "peft.AutoPeftModelForCausalLM")
class PeftModel(Object):
    __slots__ = ()

    @staticmethod
    def from_pretrained(model: Any, *args: Any, **kwargs: Any) -> Any:
        return model


@model("peft.TaskType")
class TaskType(Object):
    __slots__ = ()
    SEQ_CLS, CAUSAL_LM, SEQ_2_SEQ_LM, TOKEN_CLS, QUESTION_ANS = (
        "SEQ_CLS", "CAUSAL_LM", "SEQ_2_SEQ_LM", "TOKEN_CLS", "QUESTION_ANS",
    )  # fmt: skip
