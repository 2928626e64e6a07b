"""Functions of JAX as graphs: names, places, shapes, and the numbers that JAX computes."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
import pytest
from jax import export, lax

from mlvet.analyses.shapes.inference import infer
from mlvet.frontends.jaxpr import from_jax
from mlvet.ir.graph import OPAQUE, Graph
from mlvet.ir.verify import verify
from mlvet.runtime.reference import evaluate

RANDOM = np.random.default_rng(0)


def floats(*dims: int) -> Any:
    return jnp.asarray(RANDOM.normal(size=dims), jnp.float32)


X, IMAGES, KERNEL, PLACES = floats(5, 4), floats(2, 8, 8, 3), floats(3, 3, 3, 4), jnp.asarray([0, 2, 1])
PARAMETERS = {"a": {"w": floats(4, 6), "b": floats(6)}, "b": {"w": floats(6, 3), "b": floats(3)}}


def mlp(params: Any, x: Any) -> Any:
    for name in ("a", "b"):
        with jax.named_scope(name):
            x = x @ params[name]["w"] + params[name]["b"]  # the marked line
            x = jax.nn.relu(x)
    return jax.nn.log_softmax(x)


def opaque(graph: Graph) -> list[str]:
    return [node.source_op for node in graph.nodes() if node.op == OPAQUE]


def test_host_calls_stay_in_the_graph_without_breaking_it() -> None:
    def function(x: Any) -> Any:
        jax.debug.print("{}", x)
        return x + 1

    graph = from_jax(function, X)
    assert [node.op for node in graph.nodes()] == [OPAQUE, "add"]
    assert not verify(graph)


def check(graph: Graph, function: Callable[..., Any], *operands: Any) -> None:
    """Inferred shapes are those of the jaxpr, and the references compute what JAX computes."""
    assert not graph.notes
    assert not opaque(graph)
    assert not verify(graph)
    found = infer(graph)
    assert not found.violated
    assert not found.disagreements
    assert not found.failures
    for node in graph.nodes():
        for value in node.outputs:
            assert not value.declared.ranked or str(found.type_of(value)) == str(value.declared), node.name
    leaves = [np.asarray(leaf) for leaf in jax.tree.leaves(operands)]
    results = evaluate(graph, {value.name: leaf for value, leaf in zip(graph.inputs, leaves, strict=True)})
    for value, wanted in zip(graph.outputs, jax.tree.leaves(function(*operands)), strict=True):
        array = np.asarray(wanted)
        assert results[value.name].dtype == array.dtype
        actual, expected = results[value.name].astype(float), array.astype(float)
        np.testing.assert_allclose(actual, expected, rtol=1e-3, atol=1e-4, err_msg=value.name)


def test_inputs_are_named_by_parameter_and_path() -> None:
    graph = from_jax(mlp, PARAMETERS, X)
    assert graph.name == "mlp"
    assert graph.format == "jaxpr"
    names = ["params['a']['b']", "params['a']['w']", "params['b']['b']", "params['b']['w']", "x"]
    assert [value.name for value in graph.inputs] == names


def test_nodes_know_their_line_and_scope() -> None:
    graph = from_jax(mlp, PARAMETERS, X)
    line = next(
        number for number, text in enumerate(Path(__file__).read_text().splitlines(), 1) if "the marked line" in text
    )
    first = next(node for node in graph.nodes() if node.op == "dot_general")
    assert first.location is not None
    assert first.location.line == line
    assert first.location.path == __file__
    assert first.module == "a"
    assert first.stack[-1].function == "mlp"
    relu = next(node for node in graph.nodes() if node.op == "max")
    assert relu.location is not None
    assert relu.location.line == line + 1


def _switch(index: Any, x: Any) -> Any:
    return lax.switch(index, [lambda v: v + 1, lambda v: v * 2, lambda v: v - 3], x)


def _convolutions(x: Any, k: Any) -> Any:
    conv, layout = lax.conv_general_dilated, ("NHWC", "HWIO", "NHWC")
    return (
        conv(x, k, (1, 1), "SAME", dimension_numbers=layout),
        conv(x, k, (2, 2), "VALID", dimension_numbers=layout),
        conv(x, k, (1, 1), "SAME", rhs_dilation=(2, 2), dimension_numbers=("NHWC", "HWIO", "NCHW")),
        lax.conv_transpose(x, k, (2, 2), "SAME"),
    )


PROGRAMS: dict[str, tuple[Any, ...]] = {
    "mlp": (mlp, PARAMETERS, X),
    "gradient": (jax.grad(lambda params, x: mlp(params, x).sum()), PARAMETERS, X),
    "convolutions": (_convolutions, IMAGES, KERNEL),
    "windows": (
        lambda x: (
            lax.reduce_window(x, -jnp.inf, lax.max, (1, 2, 2, 1), (1, 2, 2, 1), "VALID"),
            lax.reduce_window(x, 0.0, lax.add, (1, 3, 3, 1), (1, 1, 1, 1), "SAME"),
            lax.reduce_window(x[0, 0], jnp.inf, lax.min, (2, 2), (1, 1), "VALID"),
        ),
        IMAGES,
    ),
    "scan": (
        lambda x: (
            lax.scan(lambda c, a: (c + a, c * 2), jnp.zeros(4), x),
            lax.scan(lambda c, a: (c + a, c * a.sum()), jnp.zeros(4), x, reverse=True),
            lax.fori_loop(0, 3, lambda i, s: s + i, x),
        ),
        X,
    ),
    "while": (lambda x: lax.while_loop(lambda s: s[0] < 3, lambda s: (s[0] + 1, s[1] * x.sum()), (0, x[0])), X),
    "cond": (lambda x: (lax.cond(x.sum() > 0, lambda a: a + 1, lambda a: a - 1, x), _switch(jnp.argmax(x[0]), x)), X),
    "indexing": (
        lambda x, i: (
            x[0], x[:, 1:], x[::-1], x[i], x[:, i], x[i, i], x[i[0]], jnp.take(x, i, axis=1), x.at[i].add(2.0),
            x.at[:, i].multiply(2.0), x.at[i[1], i[2]].set(0), lax.dynamic_slice(x, (i[0], 0), (2, 2)),
            lax.dynamic_update_slice(x, x[:2, :2], (i[0], 0)), jnp.take_along_axis(x, i[None, :], 1, mode="clip"),
        ),
        X,
        PLACES,
    ),
    "reductions": (
        lambda x: (
            x.mean(0), x.var(1), x.max(1), x.prod(0), (x > 0).any(), (x > 0).all(1), jnp.argmax(x, 1), jnp.argmin(x),
            jnp.cumsum(x, 1), jnp.cumprod(x, 0), lax.cummax(x, axis=0, reverse=True), jnp.sort(x), jnp.argsort(x, 0),
            lax.top_k(x, 2), jax.nn.logsumexp(x, 1), jnp.linalg.norm(x),
        ),
        X,
    ),
    "elementwise": (
        lambda x: (
            x**2, x**3, 2**x, x % 2, jnp.round(x), lax.round(x), jnp.clip(x, -1, 1), jnp.where(x > 0, x, 0),
            x.astype(int) // 2, x.astype(jnp.bfloat16), jnp.isfinite(x), ~(x > 0), jnp.arctan2(x, x),
            jax.nn.softplus(x), jax.nn.gelu(x), lax.erf(x), jnp.cbrt(x), lax.clamp(x * 0, x, x * 0 + 1),
        ),
        X,
    ),
    "layout": (
        lambda x: (
            x.T, x.reshape(2, -1), jnp.concatenate([x, x], 1), jnp.stack([x, x]), jnp.arange(5),
            lax.pad(x, 0.0, ((1, -1, 1), (0, 0, 2))), jnp.tile(x, (2, 1)),
            jnp.repeat(x, 2, 0), jnp.roll(x, 1, 0), jnp.tril(x), jnp.split(x, 2, 1),
            jnp.broadcast_to(x, (2, 5, 4)), jax.nn.one_hot(jnp.array([0, 2]), 3), lax.broadcasted_iota(int, (2, 3), 1),
        ),
        X,
    ),
    "wrappers": (lambda x: (jax.checkpoint(jnp.sin)(x), jax.vmap(lambda r: r @ r + r[0])(x), lax.stop_gradient(x)), X),
}  # fmt: skip


@pytest.mark.parametrize("name", PROGRAMS)
def test_lowering_computes_what_jax_computes(name: str) -> None:
    function, *operands = PROGRAMS[name]
    check(from_jax(function, *operands), function, *operands)


def test_control_flow_becomes_regions() -> None:
    ops = {name: [node.op for node in from_jax(*PROGRAMS[name]).body.nodes] for name in ("scan", "while", "cond")}
    assert ops["scan"].count("scan") == 3
    assert "while" in ops["while"]
    assert ops["cond"].count("if") == 2
    loop = next(node for node in from_jax(*PROGRAMS["while"]).nodes() if node.op == "while")
    assert [region.kind for region in loop.regions] == ["loop", "loop"]
    assert len(loop.inputs) == len(loop.outputs) == 2


def test_symbolic_shapes_are_followed_through_the_function() -> None:
    b, s = export.symbolic_shape("b, s")
    spec = jax.ShapeDtypeStruct((b, s, 4), jnp.float32)

    def function(x: Any) -> Any:
        return jnp.mean(x.reshape(-1, 2), 0), jnp.zeros_like(x) + x, jnp.arange(x.shape[0] * 2), x.reshape(-1)

    graph = from_jax(function, spec)
    assert [str(value.declared) for value in graph.outputs] == ["f32[2]", "f32[b, s, 4]", "i32[2*b]", "f32[4*b*s]"]
    found = infer(graph)
    assert not opaque(graph)
    assert not found.violated
    assert not found.disagreements
    assert not found.failures
    assert [str(found.type_of(value)) for value in graph.outputs] == [str(value.declared) for value in graph.outputs]
    x = floats(2, 3, 4)
    results = evaluate(graph, {"x": np.asarray(x)})
    np.testing.assert_allclose(results[graph.outputs[0].name], np.asarray(function(x)[0]), rtol=1e-5)


def test_random_bits_stay_opaque_under_their_name() -> None:
    graph = from_jax(lambda x: x + jax.random.uniform(jax.random.key(0), (5, 4)), X)
    assert opaque(graph) == ["random_seed", "random_bits"]
    assert str(graph.outputs[0].declared) == "f32[5, 4]"
