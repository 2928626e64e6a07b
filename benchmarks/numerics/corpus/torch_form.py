"""torch modules, exported and saved as `.pt2`."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import torch
from torch import nn

from benchmarks.numerics.corpus.case import Case, Input, stated, twins

DTYPES = {
    "float32": torch.float32,
    "float16": torch.float16,
    "bfloat16": torch.bfloat16,
    "int64": torch.int64,
    "bool": torch.bool,
}


class Twin(nn.Module):
    """A module with two forms; `layers` makes what it stores, from a fixed seed."""

    def __init__(self, sound: bool = True) -> None:
        super().__init__()
        self.sound = sound
        torch.manual_seed(0)
        self.layers()

    def layers(self) -> None:
        """Nothing is stored unless the class says so."""


def export(module: nn.Module, inputs: Mapping[str, Input], path: Path) -> Path:
    """Save the exported program of a module."""
    path = path.with_name(path.name + ".pt2")
    examples = {name: torch.ones(given.example(), dtype=DTYPES[given.dtype]) for name, given in inputs.items()}
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        program = torch.export.export(module, (), examples, strict=False)
        torch.export.save(program, path)
    return path


def pair(cases: list[Case], family: str, inputs: Mapping[str, Input], nodes: list[str], **facts: Any) -> Callable[
    [type[Twin]], type[Twin]
]:  # fmt: skip
    """Registers the two forms of a module."""

    def register(module: type[Twin]) -> type[Twin]:
        def written(path: Path, sound: bool) -> Path:
            return export(module(sound), inputs, path)

        cases.extend(twins(_spelled(module.__name__), "torch", family, written, inputs, nodes, **facts))
        return module

    return register


def sound(
    cases: list[Case], family: str, inputs: Mapping[str, Input], *, guarded: tuple[str, ...] = ()
) -> Callable[[type[Twin]], type[Twin]]:
    """Registers a module that is safe."""

    def register(module: type[Twin]) -> type[Twin]:
        name = f"torch-safe-{_spelled(module.__name__)}"

        def build(folder: Path) -> Path:
            return export(module(), inputs, folder / name)

        cases.append(Case(name, family, "torch", False, None, build, stated(inputs), guarded=frozenset(guarded)))
        return module

    return register


def _spelled(name: str) -> str:
    """`LogOfSoftmax` as log-of-softmax."""
    return "".join(f"-{letter.lower()}" if letter.isupper() else letter for letter in name).strip("-")
