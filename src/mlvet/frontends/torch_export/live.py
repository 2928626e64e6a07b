"""A live module or an ExportedProgram of the installed torch, turned into records and lowered."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from math import inf
from typing import Any

from mlvet.domains import dtypes
from mlvet.domains.tensors import Tensor
from mlvet.frontends.size_expressions import Sizes
from mlvet.frontends.torch_export.lowering import lower
from mlvet.frontends.torch_export.record import Body, Call, Entry, Other, Program, Ref
from mlvet.frontends.torch_export.scalar_types import BY_NAME
from mlvet.ir.graph import Data, Graph


def from_torch(
    module_or_program: Any, example_inputs: Any = (), dynamic_shapes: Any = None, *, kwargs: Any = None
) -> Graph:
    """The graph of an nn.Module, exported on example inputs, or of an ExportedProgram."""
    import torch

    program = module_or_program
    if not isinstance(program, torch.export.ExportedProgram):
        program = torch.export.export(
            module_or_program, tuple(example_inputs), kwargs, dynamic_shapes=dynamic_shapes, strict=False
        )
        name = type(module_or_program).__name__
    else:
        name = next((_plain(entry) for entry in program.module_call_graph[:1] if entry.fqn), "program")
    record = _record(program, _dim_names(program, dynamic_shapes), torch)
    return lower(record, name=name, format="torch.export")


def from_calls(function: Any, tensors: Sequence[Any]) -> Graph:
    """The graph of the operators that a function of tensors calls on examples; it holds for their sizes."""
    import torch
    from torch.fx.experimental.proxy_tensor import make_fx

    def called(*given: Any) -> Any:
        return function(*given)

    with torch.no_grad():
        traced = make_fx(called, pre_dispatch=True)(*tensors)
    traced.graph.eliminate_dead_code()
    body = _Reader(torch, Sizes({}, {})).body(traced)
    stored = [node for node in traced.graph.nodes if node.op == "get_attr"]
    entries = (
        *(Entry(name, "input") for name in body.inputs),
        *(Entry(node.name, "constant", node.name, _data(getattr(traced, node.target), torch)) for node in stored),
    )
    program = Program(body, entries, body.outputs, f"torch {torch.__version__}")
    return lower(program, name="function", format="torch calls")


def _plain(entry: Any) -> str:
    return str(entry.fqn)


def _record(program: Any, names: Mapping[str, str], torch: Any) -> Program:
    ranges = {str(symbol): _range(limits) for symbol, limits in program.range_constraints.items()}
    sizes = Sizes(ranges, names)
    reader = _Reader(torch, sizes)
    body = reader.body(program.graph_module)
    entries = tuple(_entry(spec, program, torch) for spec in program.graph_signature.input_specs)
    kinds = torch.export.graph_signature.OutputKind
    outputs = tuple(
        reader.spec_argument(spec.arg)
        for spec in program.graph_signature.output_specs
        if spec.kind == kinds.USER_OUTPUT
    )
    return Program(body, entries, outputs, f"torch {torch.__version__}")


class _Reader:
    """Walks the nodes of graph modules."""

    def __init__(self, torch: Any, sizes: Sizes) -> None:
        self.torch = torch
        self.sizes = sizes

    def body(self, module: Any) -> Body:
        inputs: list[str] = []
        outputs: tuple[Any, ...] = ()
        calls: list[Call] = []
        metas: dict[str, Tensor] = {}
        for node in module.graph.nodes:
            meta = self.meta(node.meta.get("val"))
            if meta is not None:
                metas[node.name] = meta
            if node.op == "placeholder":
                inputs.append(node.name)
            elif node.op == "output":
                results = node.args[0]
                results = results if isinstance(results, list | tuple) else [results]
                outputs = tuple(self.argument(result, module) for result in results)
            elif node.op == "call_function" and not self._is_item(node):
                calls.append(self._call(node, module, metas))
        return Body(tuple(inputs), outputs, tuple(calls), metas)

    def meta(self, value: Any) -> Tensor | None:
        """What a recorded value says: a tensor, or a size as a scalar."""
        torch = self.torch
        if isinstance(value, torch.Tensor):
            dtype = BY_NAME.get(str(value.dtype).removeprefix("torch."))
            return Tensor(dtype, tuple(self._size(size) for size in value.shape))
        for kind, dtype in ((torch.SymInt, dtypes.i64), (torch.SymFloat, dtypes.f64), (torch.SymBool, dtypes.bool_)):
            if isinstance(value, kind):
                return Tensor(dtype, ())
        for kind, dtype in ((bool, dtypes.bool_), (int, dtypes.i64), (float, dtypes.f64)):
            if isinstance(value, kind):
                return Tensor(dtype, ())
        return None

    def _size(self, size: Any) -> Any:
        if isinstance(size, int):
            return size
        import sympy  # type: ignore[import-untyped, unused-ignore]

        return self.sizes.read(sympy.srepr(size.node.expr))

    def _is_item(self, node: Any) -> bool:
        import operator

        return node.target is operator.getitem and isinstance(node.args[0], self.torch.fx.Node)

    def _call(self, node: Any, module: Any, metas: dict[str, Tensor]) -> Call:
        torch = self.torch
        target = node.target
        args: dict[str, Any] = {}
        if isinstance(target, torch._ops.OpOverload):
            schema = [argument.name for argument in target._schema.arguments]
            args = {name: self.argument(arg, module) for name, arg in zip(schema, node.args, strict=False)}
            text = str(target)
        else:
            args = {str(position): self.argument(arg, module) for position, arg in enumerate(node.args)}
            text = self._name(target)
        args |= {name: self.argument(arg, module) for name, arg in node.kwargs.items()}
        stack = node.meta.get("nn_module_stack") or {}
        modules = tuple(str(entry[0]) for key, entry in stack.items() if not key.startswith("_empty_nn_module_stack"))
        outputs = self._outputs(node, metas)
        return Call(text, args, outputs, node.name, node.meta.get("stack_trace") or "", modules)

    def _name(self, target: Any) -> str:
        if isinstance(target, self.torch._ops.HigherOrderOperator):
            return f"higher_order.{target.name()}"
        return f"{getattr(target, '__module__', '')}.{getattr(target, '__name__', target)}".removeprefix("_")

    def _outputs(self, node: Any, metas: dict[str, Tensor]) -> tuple[str | None, ...]:
        """The names of the results: of a tuple, the names of the nodes that pick its items."""
        value = node.meta.get("val")
        items = {user.args[1]: user.name for user in node.users if self._is_item(user)}
        if isinstance(value, list | tuple):
            names = []
            for index, each in enumerate(value):
                meta = self.meta(each)
                name = items.get(index, f"{node.name}_unused_{index}" if meta is not None else None)
                if name is not None and meta is not None:
                    metas[name] = meta
                names.append(name)
            return tuple(names)
        if items:
            return tuple(items.get(index) for index in range(max(items) + 1))
        return () if value is None else (node.name,)

    def argument(self, value: Any, module: Any) -> Any:
        torch = self.torch
        if isinstance(value, torch.fx.Node):
            if value.op == "get_attr":
                attribute = module
                for part in str(value.target).split("."):
                    attribute = getattr(attribute, part)
                return self.body(attribute) if isinstance(attribute, torch.fx.GraphModule) else Ref(value.name)
            return Ref(value.name)
        if isinstance(value, list | tuple):
            return [self.argument(each, module) for each in value]
        if isinstance(value, torch.dtype):
            return BY_NAME.get(str(value).removeprefix("torch."), Other(str(value)))
        if isinstance(value, bool | int | float | complex | str) or value is None:
            return value
        return Other(str(value))

    def spec_argument(self, arg: Any) -> Any:
        """An output of the signature: a name, or a literal."""
        if hasattr(arg, "value"):
            return arg.value
        return Ref(arg.name)


def _entry(spec: Any, program: Any, torch: Any) -> Entry:
    kinds = torch.export.graph_signature.InputKind
    name = str(spec.arg.name)
    match spec.kind:
        case kinds.USER_INPUT:
            return (
                Entry(name, "literal", literal=spec.arg.value) if hasattr(spec.arg, "value") else Entry(name, "input")
            )
        case kinds.PARAMETER:
            return Entry(name, "parameter", spec.target, _data(program.state_dict.get(spec.target), torch))
        case kinds.BUFFER:
            tensor = program.state_dict.get(spec.target, program.constants.get(spec.target))
            return Entry(name, "buffer", spec.target, _data(tensor, torch))
        case kinds.CONSTANT_TENSOR:
            return Entry(name, "constant", spec.target, _data(program.constants.get(spec.target), torch))
    return Entry(name, "unused")


def _data(tensor: Any, torch: Any) -> Data | None:
    if not isinstance(tensor, torch.Tensor) or isinstance(tensor, torch._subclasses.FakeTensor):
        return None
    dtype = BY_NAME.get(str(tensor.dtype).removeprefix("torch."))
    if dtype is None or tensor.is_meta or tensor.layout != torch.strided:
        return None
    return Data(dtype, tuple(tensor.shape), lambda: _array(tensor.detach().cpu(), dtype, torch))


def _array(tensor: Any, dtype: dtypes.DType, torch: Any) -> Any:
    """The elements of a tensor, those that NumPy lacks by way of their bytes."""
    if dtype.numpy.isbuiltin == 1:
        return tensor.numpy()
    return tensor.contiguous().view(torch.uint8).numpy().view(dtype.numpy).reshape(tuple(tensor.shape))


def _dim_names(program: Any, dynamic_shapes: Any) -> dict[str, str]:
    """The user's names of symbols, where dynamic shapes give an axis a named Dim."""
    if dynamic_shapes is None:
        return {}
    kinds = [spec.arg.name for spec in program.graph_signature.input_specs if spec.kind.name == "USER_INPUT"]
    nodes = {node.name: node for node in program.graph_module.graph.nodes if node.op == "placeholder"}
    inputs = [nodes[name].meta.get("val") for name in kinds if name in nodes]
    found: dict[str, str] = {}
    for value, spec in zip(inputs, _leaves(dynamic_shapes), strict=False):
        axes = spec.items() if isinstance(spec, Mapping) else enumerate(spec or ())
        for axis, dim in axes:
            name = getattr(dim, "__name__", None)
            size = value.shape[axis] if hasattr(value, "shape") and axis < len(value.shape) else 0
            expression = None if isinstance(size, int) else size.node.expr
            if name and expression is not None and expression.is_symbol and name.isidentifier():
                found.setdefault(str(expression), name)
    return found if len(set(found.values())) == len(found) else {}


def _leaves(specs: Any) -> list[Any]:
    """The specifications of the inputs in order: maps from axis to Dim, sequences of Dims, or None."""
    if isinstance(specs, Mapping) and not all(isinstance(key, int) for key in specs):
        return [leaf for each in specs.values() for leaf in _leaves(each)]
    nested = isinstance(specs, list | tuple) and any(isinstance(each, Mapping | list | tuple) for each in specs)
    if nested and not any(hasattr(each, "__name__") for each in specs):
        return [leaf for each in specs for leaf in _leaves(each)]
    return [specs]


def _range(limits: Any) -> tuple[float, float]:
    def number(bound: Any) -> float:
        try:
            return int(bound)
        except (TypeError, ValueError, OverflowError, AttributeError):
            return inf if str(bound) in ("int_oo", "oo", "inf") else -inf

    low, high = number(limits.lower), number(limits.upper)
    return low, (inf if high >= 2**62 else high)
