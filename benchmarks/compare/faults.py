"""The faults that are injected: which layer of which model is made wrong on which backend, and how.

The list was fixed before the run that is reported. `small` are those meant to stay within ten times the noise of their
layer; settings in `times` are in units of that noise, as the clean backend has it.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

SEED = 20270103
"""Seed of the models of the reported run; limits were chosen on models of other seeds and on real ones."""
TRIED_SEEDS = (1, 20190525, 20261118, 20261203)
"""On the second of these 40 of 40 were found, but a sound layer was blamed too, and 3 small faults were not small."""


@dataclass(frozen=True, slots=True)
class Fault:
    """One layer of one backend, made wrong."""

    family: str
    model: str
    layer: str
    backend: str
    kind: str
    settings: Mapping[str, Any] = field(default_factory=dict)
    small: bool = False

    @property
    def name(self) -> str:
        return f"{self.model}/{self.layer} {self.kind} on {self.backend}"


MEANING, NUMERICS, LAYOUT = "meaning", "numerics", "layout"

FAULTS = (
    Fault(MEANING, "residual", "stem", "jax", "pads_the_other_side"),
    Fault(MEANING, "residual", "smooth", "numpy", "average_counts_padding"),
    Fault(MEANING, "residual", "a2_norm", "torch", "epsilon_outside_the_root", small=True),
    Fault(MEANING, "separable", "norm1", "tensorflow", "epsilon_outside_the_root"),
    Fault(MEANING, "attention", "norm1", "jax", "no_epsilon", small=True),
    Fault(MEANING, "tokens", "norm", "torch", "normalises_another_axis"),
    Fault(MEANING, "digits", "classes", "numpy", "softmax_over_examples"),
    Fault(MEANING, "attention", "gelu", "torch", "gelu_by_tanh"),
    Fault(MEANING, "residual", "b1", "torch", "ignores_dilation"),
    Fault(MEANING, "separable", "crop", "jax", "one_off_crop"),
    Fault(MEANING, "steering", "conv2", "torch", "flips_kernel"),
    Fault(MEANING, "tokens", "lstm", "numpy", "swaps_gates", {"gates": 4, "swapped": [2, 3]}),
    Fault(MEANING, "network", "pool", "openvino", "sets_attribute", {"name": "count_include_pad", "value": 1}),
    Fault(NUMERICS, "digits", "conv2", "torch", "times_noise", {"times": 8, "seed": 1}, small=True),
    Fault(NUMERICS, "steering", "dense1", "jax", "times_noise", {"times": 9, "seed": 2}, small=True),
    Fault(NUMERICS, "tokens", "gru", "numpy", "times_noise", {"times": 8, "seed": 3}, small=True),
    Fault(NUMERICS, "residual", "b2", "tensorflow", "biased_noise", {"times": 6}, small=True),
    Fault(NUMERICS, "audio", "conv2", "torch", "one_channel_off", {"times": 9, "seed": 4}, small=True),
    Fault(NUMERICS, "mask", "up", "jax", "times_noise", {"times": 6, "seed": 5}, small=True),
    Fault(NUMERICS, "separable", "depthwise", "numpy", "biased_noise", {"times": 9}, small=True),
    Fault(NUMERICS, "attention", "attention", "torch", "times_noise", {"times": 9, "seed": 6}, small=True),
    Fault(NUMERICS, "steering", "conv1", "torch", "rounds_inputs", {"bits": 11}),
    Fault(NUMERICS, "attention", "wide", "jax", "half_precision"),
    Fault(NUMERICS, "digits", "classes", "tensorflow", "fast_exp", {"doublings": 12}),
    Fault(NUMERICS, "residual", "stem_norm", "numpy", "fast_root", {"off": 0.01, "steps": 1}),
    Fault(NUMERICS, "separable", "swish", "torch", "flushes_small_values", {"below": 1e-3}),
    Fault(NUMERICS, "network", "conv2", "onnxruntime", "rounds_weights"),
    Fault(LAYOUT, "attention", "square", "torch", "transposes_weights", {"axes": [0, 1]}),
    Fault(LAYOUT, "steering", "conv1", "jax", "swaps_channels", {"swapped": [0, 2]}),
    Fault(LAYOUT, "digits", "flat", "torch", "flattens_channels_first"),
    Fault(LAYOUT, "tokens", "lstm", "torch", "examples_share_state", {"share": 0.1}),
    Fault(LAYOUT, "digits", "dense2", "numpy", "last_example_is_the_first"),
    Fault(LAYOUT, "mask", "skip", "jax", "joins_in_other_order"),
    Fault(LAYOUT, "separable", "stem", "tensorflow", "transposes_weights", {"axes": [0, 1]}),
    Fault(LAYOUT, "separable", "depthwise", "torch", "reshapes_kernel"),
    Fault(LAYOUT, "attention", "attention", "jax", "mixes_halves"),
    Fault(LAYOUT, "audio", "rows", "numpy", "reshapes_columns_first"),
    Fault(LAYOUT, "steering", "dense1", "torch", "rolls_bias"),
    Fault(LAYOUT, "mask", "down2", "numpy", "last_columns_unwritten", {"rest": 4}),
    Fault(LAYOUT, "mixer", "mix", "onnxruntime", "transposes_weights", {"axes": [0, 1]}),
)  # fmt: skip
