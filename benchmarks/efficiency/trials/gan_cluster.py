"""Pictures reconstructed after each epoch to measure an error, with gradients that nothing learns from."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path
from typing import Any

from benchmarks.efficiency.trials import Trial
from benchmarks.efficiency.trials._gans import REPOSITORY, begun, continued

trial = Trial(REPOSITORY, "implementations/cluster_gan/clustergan.py", 497, "missing-no-grad")


def prepare(folder: Path) -> Any:
    import torch

    torch.cuda.FloatTensor = torch.FloatTensor
    torch.Tensor.cuda = lambda tensor: tensor
    names, training, saved = begun(folder / trial.path)
    pictures, labels = next(iter(names["dataloader"]))
    nothing = torch.zeros(())
    names.update(epoch=0, real_imgs=pictures, itruth_label=labels, d_loss=nothing, ge_loss=nothing)
    return names, training.body[1:], saved


def run(folder: Path, prepared: Any) -> Iterable[Any]:
    del folder
    names, after_training, saved = prepared
    continued(names, *after_training)
    return [names["c_i"], names["c_zn"], names["c_zc"], *saved]
