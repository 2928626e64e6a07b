"""Trace a function with the installed JAX and lower its jaxpr."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Sequence
from functools import lru_cache, partial
from typing import Any

import numpy as np

from mlvet.core.location import Location
from mlvet.domains.tensors import UnknownRank
from mlvet.frontends.jaxpr import tables as tables
from mlvet.frontends.jaxpr.context import RULES, Context, Origins, remember
from mlvet.frontends.lowering_rules import Unlowered
from mlvet.frontends.size_expressions import Sizes
from mlvet.ir.builder import Builder
from mlvet.ir.graph import Data, Frame, Graph, Value

_INSTALLED = ("/site-packages/", "/dist-packages/", "/lib/python3")


def from_jax(fn: Callable[..., Any], *specs: Any) -> Graph:
    """The graph of a function of arrays.

    Arguments are arrays, `jax.ShapeDtypeStruct`s (with symbolic sizes of `jax.export.symbolic_shape`, if wanted) or
    trees of these. The leaves become inputs, named by the parameter and the path to the leaf.
    """
    import jax

    traced = jax.make_jaxpr(fn)(*specs)
    builder = Builder("graph", getattr(fn, "__name__", "function"))
    context = Context(builder, Sizes(least=1), Origins(), _lower_jaxpr)
    leaves = jax.tree_util.tree_flatten_with_path(tuple(specs))[0]
    names = [_leaf_name(fn, path, jax) for path, _ in leaves]
    for variable, name in zip(traced.jaxpr.invars, names, strict=True):
        value = builder.input(name, context.tensor(variable.aval))
        remember(context.origins, value)
        context.env[variable] = value
    _constants(context, traced)
    _run(context, traced.jaxpr)
    outputs = [context.read(atom) for atom in traced.jaxpr.outvars]
    return builder.graph(outputs, format="jaxpr", producer=f"jax {jax.__version__}", notes=context.origins.notes)


def _leaf_name(fn: Callable[..., Any], path: Any, jax: Any) -> str:
    """The name of the parameter, then the path within it: `params['w']`."""
    position = path[0].idx
    try:
        parameters = list(inspect.signature(fn).parameters.values())
        own = parameters[min(position, len(parameters) - 1)]
        variadic = own.kind is inspect.Parameter.VAR_POSITIONAL
        name = f"{own.name}[{position - len(parameters) + 1}]" if variadic else own.name
    except (TypeError, ValueError, IndexError):
        name = f"argument {position}"
    return name + str(jax.tree_util.keystr(path[1:]))


def _constants(context: Context, closed: Any) -> None:
    for variable, const in zip(closed.jaxpr.constvars, closed.consts, strict=True):
        declared = context.tensor(variable.aval)
        if declared.dtype is None:
            context.env[variable] = context.builder.value("key", declared)
            context.builder.opaque("key", (), [context.env[variable]])
            continue
        shape = tuple(int(size) for size in np.shape(const))
        data = Data(declared.dtype, shape, partial(np.asarray, const))
        context.env[variable] = context.builder.constant("constant", data)


def _lower_jaxpr(outer: Context, jaxpr: Any, operands: Sequence[Value]) -> list[Value]:
    """Lower a jaxpr within an equation into the region of `outer`, bound to the operands."""
    closed = hasattr(jaxpr, "consts") and hasattr(jaxpr, "jaxpr")
    inner = jaxpr.jaxpr if closed else jaxpr
    context = Context(outer.builder, outer.sizes, outer.origins, _lower_jaxpr, outer.module)
    context.env.update(zip(inner.invars, operands, strict=True))
    if closed:
        _constants(context, jaxpr)
    context.location, context.stack = outer.location, outer.stack
    _run(context, inner)
    return [context.read(atom) for atom in inner.outvars]


def _run(context: Context, jaxpr: Any) -> None:
    outer = context.location, context.stack
    for equation in jaxpr.eqns:
        context.equation = equation
        found = _place(equation.source_info.traceback)
        context.location, context.stack = found if found[0] is not None else outer
        names = [context.prefix, str(equation.source_info.name_stack)]
        context.module = "/".join(name for name in names if name)
        _lower_equation(context)


def _lower_equation(context: Context) -> None:
    equation = context.equation
    mark = context.builder.mark()
    rule = RULES.get(context.name)
    kept = context.location, context.stack, context.module
    try:
        if rule is None:
            raise Unlowered(context.name)
        made = rule(context)
        values = [made] if isinstance(made, Value) else list(made)
    except (Unlowered, UnknownRank, KeyError, TypeError, ValueError, IndexError, AttributeError) as error:
        if not isinstance(error, Unlowered):
            context.origins.notes.append(f"{context.name} is called in a way that mlvet does not know ({error})")
        context.builder.back_to(mark)
        context.equation = equation
        context.location, context.stack, context.module = kept
        values = _opaque(context)
    for variable, value in zip(equation.outvars, values, strict=True):
        context.env[variable] = value


def _opaque(context: Context) -> list[Value]:
    """The equation as a node that no table knows, under the primitive's name."""
    outputs = [context.out(index) for index in range(len(context.equation.outvars))]
    context.builder.opaque(
        context.name, context.operands, outputs, name=context.name, location=context.location, stack=context.stack,
        module=context.module,
    )  # fmt: skip
    return outputs


@lru_cache(maxsize=4096)
def _place(traceback: Any) -> tuple[Location | None, tuple[Frame, ...]]:
    """The line that the user wrote and the calls that led to it, outermost first, frames of JAX left out."""
    if traceback is None:
        return None, ()
    frames = [
        Frame(str(frame.function_name), Location(str(frame.file_name), int(frame.line_num)))
        for frame in reversed(traceback.frames)
        if not _of_jax(str(frame.file_name))
    ]
    start = max((place + 1 for place, frame in enumerate(frames) if frame.function == "from_jax"), default=0)
    frames = frames[start:]
    own = [frame for frame in frames if not any(part in _slashed(frame.location.path) for part in _INSTALLED)]
    chosen = own or frames
    return (chosen[-1].location if chosen else None), tuple(frames)


def _of_jax(path: str) -> bool:
    path = _slashed(path)
    return path.startswith("<") or "/jax/" in path or "/jaxlib/" in path


def _slashed(path: str) -> str:
    return path.replace("\\", "/")
