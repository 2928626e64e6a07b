"""The translator of pytorch/examples at its own sizes, on sentences of random words."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from benchmarks.efficiency.trials._loading import loaded, stand_in

REPOSITORY, PATH = "pytorch/examples", "language_translation/main.py"
SYMBOLS = {"<unk>": 0, "<pad>": 1, "<bos>": 2, "<eos>": 3}
WORDS = (19_214, 10_837)
"""How many words the two languages of Multi30k have."""


def program(folder: Path) -> tuple[Any, Any]:
    """The program as a module, and its model before it was trained."""
    import torch

    stand_in("torchtext", "torchtext.data", "torchtext.data.utils", "torchtext.vocab", "torchtext.datasets")
    module = loaded(folder / PATH)
    torch.manual_seed(0)
    source, target = WORDS
    model = module.Translator(
        num_encoder_layers=5, num_decoder_layers=5, embed_size=512, num_heads=8, src_vocab_size=source,
        tgt_vocab_size=target, dim_feedforward=512, dropout=0.1,
    )  # fmt: skip
    return module, model


def sentences(language: int, words: int, count: int) -> Any:
    """Sentences of one language side by side, each word a number."""
    import torch

    return torch.randint(4, WORDS[language], (words, count), generator=torch.Generator().manual_seed(words))
