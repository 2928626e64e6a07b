"""Fused operators of ONNX Runtime's own domain, taken apart into standard ones."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from mlvet.frontends.onnx.opsets import NEWEST
from mlvet.frontends.onnx.source import Source
from mlvet.frontends.onnx.upgrades.upgrade import ALWAYS, upgrade
from mlvet.ir.builder import Builder
from mlvet.ir.graph import Value

_DOMAIN = "com.microsoft"


def _standard(source: Source, op_type: str) -> Source:
    return replace(source, domain="", op_type=op_type, opset=NEWEST[""])


@upgrade("Gelu", since=ALWAYS, domain=_DOMAIN)
def _gelu(source: Source, _: Builder) -> Source:
    return _standard(source, "Gelu")


@upgrade("BiasGelu", "FastGelu", since=ALWAYS, domain=_DOMAIN)
def _gelu_with_bias(source: Source, builder: Builder) -> Source:
    x, bias = source.operand(0), source.operand(1)
    if bias is not None:
        x = source.step(builder, "add", x, bias)
    newer = _standard(source, "Gelu").taking(x)
    return newer.having(approximate="tanh") if source.op_type == "FastGelu" else newer


@upgrade("QuickGelu", since=ALWAYS, domain=_DOMAIN)
def _quick_gelu(source: Source, builder: Builder) -> Sequence[Value]:
    x = source.operand(0)
    if x is None:
        return source.opaque(builder)
    alpha = source.number_like(builder, "alpha", source.attributes.get("alpha", 1.702), x)
    return source.results(builder, "mul", x, source.step(builder, "sigmoid", source.step(builder, "mul", x, alpha)))


@upgrade("FusedMatMul", "TransposeMatMul", since=ALWAYS, domain=_DOMAIN)
def _matmul(source: Source, builder: Builder) -> Sequence[Value]:
    known = source.attributes
    a, b = source.operand(0), source.operand(1)
    if known.get("transBatchA") or known.get("transBatchB") or a is None or b is None:
        return source.opaque(builder)
    alpha = float(known.get("alpha", 1.0))
    left = "ji" if known.get("transA") else "ij"
    right = "kj" if known.get("transB") else "jk"
    op: tuple[str, dict[str, Any]] = ("matmul", {})
    if (left, right) != ("ij", "jk"):
        op = ("einsum", {"equation": f"...{left},...{right}->...ik"})
    if alpha == 1.0:
        return source.results(builder, op[0], a, b, **op[1])
    product = source.step(builder, op[0], a, b, **op[1])
    return source.results(builder, "mul", product, source.number_like(builder, "alpha", alpha, a))


_ACTIVATIONS: dict[str, tuple[str, tuple[str, ...]]] = {
    "Relu": ("relu", ()),
    "Tanh": ("tanh", ()),
    "Sigmoid": ("sigmoid", ()),
    "LeakyRelu": ("leaky_relu", ("alpha",)),
    "HardSigmoid": ("hard_sigmoid", ("alpha", "beta")),
}


def _activated(source: Source, builder: Builder, x: Value, parameters: Sequence[float]) -> Sequence[Value]:
    activation = str(source.attributes.get("activation", ""))
    if activation == "Clip" and len(parameters) == 2:
        low, high = (
            source.number_like(builder, name, number, x) for name, number in zip("ab", parameters, strict=True)
        )
        return source.results(builder, "clip", x, low, high)
    if activation not in _ACTIVATIONS:
        return source.add(builder, "opaque", [x], source.values(builder), {})
    op, names = _ACTIVATIONS[activation]
    return source.results(builder, op, x, **dict(zip(names, parameters, strict=False)))


@upgrade("FusedConv", since=ALWAYS, domain=_DOMAIN)
def _conv(source: Source, builder: Builder) -> Sequence[Value]:
    """Convolution, an optional sum, then the activation."""
    known = source.attributes
    conv = {name: value for name, value in known.items() if name not in ("activation", "activation_params")}
    x = source.step(builder, "conv", *source.operands[:3], **conv)
    if source.operand(3) is not None:
        x = source.step(builder, "add", x, source.operand(3))
    return _activated(source, builder, x, known.get("activation_params", ()))


@upgrade("FusedGemm", since=ALWAYS, domain=_DOMAIN)
def _gemm(source: Source, builder: Builder) -> Sequence[Value]:
    known = source.attributes
    gemm = {name: known[name] for name in ("alpha", "beta", "transA", "transB") if name in known}
    x = source.step(builder, "gemm", *source.operands, **gemm)
    names = ("activation_alpha", "activation_beta")
    return _activated(source, builder, x, [known[name] for name in names if name in known])


@upgrade("SimplifiedLayerNormalization", since=ALWAYS)
@upgrade("SimplifiedLayerNormalization", since=ALWAYS, domain=_DOMAIN)
def _root_mean_square(source: Source, builder: Builder) -> Source | Sequence[Value]:
    if len([name for name in source.outputs if name]) > 1:
        return source.opaque(builder)
    return _standard(source, "RMSNormalization")


@upgrade("LayerNormalization", since=ALWAYS, domain=_DOMAIN)
def _layer_normalization(source: Source, _: Builder) -> Source:
    return _standard(source, "LayerNormalization")


@upgrade("SkipLayerNormalization", "SkipSimplifiedLayerNormalization", since=ALWAYS, domain=_DOMAIN)
def _after_a_sum(source: Source, builder: Builder) -> Sequence[Value]:
    """The operand, the skip connection and the bias are summed, then normalised; the sum is the fourth result."""
    simplified = source.op_type == "SkipSimplifiedLayerNormalization"
    x, skip, gamma = (source.operand(index) for index in range(3))
    beta, bias = (None, source.operand(3)) if simplified else (source.operand(3), source.operand(4))
    if x is None or any(source.outputs[1:3]):
        return source.opaque(builder)
    total = source.step(builder, "add", x, skip)
    if bias is not None:
        total = source.step(builder, "add", total, bias)
    op = "rms_normalization" if simplified else "layer_normalization"
    operands = [total, gamma] if beta is None else [total, gamma, beta]
    epsilon = {"epsilon": source.attributes["epsilon"]} if "epsilon" in source.attributes else {}
    outputs = [source.result(builder, name) for name in source.outputs[:1]]
    source.add(builder, op, operands, outputs, {**epsilon, "axis": -1})
    if len(source.outputs) < 4:
        return outputs
    summed = source.result(builder, source.outputs[3])
    source.add(builder, "identity", [total], [summed], {}, name=f"{source.name}.sum")
    return [*outputs, total, total, summed]
