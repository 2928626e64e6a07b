"""Random numbers. Generators of the newer kind take their state as further operands, which carry no data."""

from __future__ import annotations

from collections.abc import Sequence

from mlvet.domains import dtypes
from mlvet.frontends.tensorflow.site import Lowering, Site
from mlvet.ir.graph import Value


def _uniform(site: Site) -> Sequence[Value]:
    attributes = {"low": 0.0, "high": 1.0, "dtype": site.dtype() or dtypes.f32}
    return site.emit("random_uniform", site.inputs[:1], attributes)


def _normal(site: Site) -> Sequence[Value]:
    attributes = {"mean": 0.0, "scale": 1.0, "dtype": site.dtype() or dtypes.f32}
    return site.emit("random_normal", site.inputs[:1], attributes)


def _truncated(site: Site) -> Sequence[Value]:
    """A normal distribution cut off at two standard deviations."""
    dtype = site.dtype() or dtypes.f32
    drawn = site.extra("random_normal", site.inputs[0], mean=0.0, scale=1.0, dtype=dtype)
    ends = [site.extra("cast", site.constant(end), to=dtype) for end in (-2, 2)]
    return site.emit("clip", [drawn, *ends])


def _multinomial(site: Site) -> Sequence[Value] | None:
    count = site.number(site.input(1))
    if count is None:
        return None
    dtype = site.attributes.dtype("output_dtype", dtypes.i64)
    return site.emit("multinomial", site.inputs[:1], {"sample_size": count, "dtype": dtype})


TABLE: dict[str, Lowering] = {
    "RandomUniform": _uniform,
    "StatelessRandomUniform": _uniform,
    "StatelessRandomUniformV2": _uniform,
    "RandomStandardNormal": _normal,
    "StatelessRandomNormal": _normal,
    "StatelessRandomNormalV2": _normal,
    "TruncatedNormal": _truncated,
    "StatelessTruncatedNormal": _truncated,
    "StatelessTruncatedNormalV2": _truncated,
    "Multinomial": _multinomial,
}
