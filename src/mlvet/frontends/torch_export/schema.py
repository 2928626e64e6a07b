"""The JSON of an exported program, turned into records."""

from __future__ import annotations

import ast
from collections.abc import Callable, Mapping
from math import inf
from typing import Any

from mlvet.domains import dtypes
from mlvet.domains.dims import Dim
from mlvet.domains.tensors import Tensor
from mlvet.frontends.size_expressions import Sizes
from mlvet.frontends.torch_export.record import Body, Call, Entry, Other, Program, Ref
from mlvet.frontends.torch_export.scalar_types import BY_NUMBER
from mlvet.ir.graph import Data

Json = Mapping[str, Any]


def program_of(document: Json, weights: Callable[[str, str], Data | None]) -> Program:
    """The program in a `model.json`; `weights` finds elements by the kind and the qualified name of a tensor."""
    sizes = Sizes({name: _range(limits) for name, limits in document.get("range_constraints", {}).items()})
    module = document["graph_module"]
    body = body_of(module["graph"], sizes)
    signature = module["signature"]
    entries = tuple(_entry(spec, weights) for spec in signature["input_specs"])
    outputs = tuple(
        argument(spec["user_output"]["arg"], sizes) for spec in signature["output_specs"] if "user_output" in spec
    )
    return Program(body, entries, outputs, f"torch {document.get('torch_version', '')}".strip())


def body_of(graph: Json, sizes: Sizes) -> Body:
    metas: dict[str, Tensor] = {name: tensor_meta(meta, sizes) for name, meta in graph["tensor_values"].items()}
    metas |= {name: Tensor(dtypes.i64, ()) for name in graph.get("sym_int_values", {})}
    metas |= {name: Tensor(dtypes.f64, ()) for name in graph.get("sym_float_values") or {}}
    metas |= {name: Tensor(dtypes.bool_, ()) for name in graph.get("sym_bool_values", {})}
    inputs = tuple(_names(entry)[0] or "" for entry in graph["inputs"])
    outputs = tuple(argument(output, sizes) for output in graph["outputs"])
    return Body(inputs, outputs, tuple(_call(node, sizes) for node in graph["nodes"]), metas)


def tensor_meta(meta: Json, sizes: Sizes) -> Tensor:
    return Tensor(BY_NUMBER.get(meta["dtype"]), tuple(size_of(size, sizes) for size in meta["sizes"]))


def size_of(size: Json, sizes: Sizes) -> Dim:
    if "as_int" in size:
        return int(size["as_int"])
    return sizes.read(str(size["as_expr"]["expr_str"]))


def argument(arg: Json, sizes: Sizes) -> Any:
    """The value of a tagged argument."""
    ((tag, value),) = [(tag, value) for tag, value in arg.items() if tag.startswith("as_")]
    match tag:
        case "as_none":
            return None
        case "as_tensor" | "as_custom_obj":
            return Ref(value["name"])
        case "as_tensors":
            return [Ref(each["name"]) for each in value]
        case "as_nested_tensors":
            return [[Ref(each["name"]) for each in row] for row in value]
        case "as_optional_tensor" | "as_sym_int" | "as_sym_float" | "as_sym_bool":
            return _optional(value)
        case "as_optional_tensors" | "as_sym_ints" | "as_sym_floats" | "as_sym_bools":
            return [_optional(each) for each in value]
        case "as_scalar_type":
            return BY_NUMBER.get(value, Other(f"scalar type {value}"))
        case "as_memory_format" | "as_layout" | "as_device" | "as_operator":
            return Other(str(value))
        case "as_graph":
            return body_of(value["graph"], sizes)
        case "as_complex":
            return complex(value["real"], value["imag"])
        case "as_float":
            return float(value)
        case "as_floats":
            return [float(each) for each in value]
        case "as_string_to_argument":
            return {key: argument(each, sizes) for key, each in value.items()}
    return value


def _optional(value: Json) -> Any:
    for tag, inner in value.items():
        if tag == "as_tensor":
            return Ref(inner["name"])
        if tag == "as_name":
            return Ref(inner)
        if tag in ("as_int", "as_float", "as_bool"):
            return inner
    return None


def _names(arg: Json) -> list[str | None]:
    """The names that an output of a node, or an input of a graph, makes."""
    for tag, value in arg.items():
        match tag:
            case "as_tensor" | "as_custom_obj" | "as_token":
                return [value["name"]]
            case "as_tensors":
                return [each["name"] for each in value]
            case "as_optional_tensors":
                return [each["as_tensor"]["name"] if "as_tensor" in each else None for each in value]
            case "as_sym_int" | "as_sym_float" | "as_sym_bool":
                return [value.get("as_name")]
            case "as_sym_ints":
                return [each.get("as_name") for each in value]
            case "as_int" | "as_float" | "as_bool" | "as_string" | "as_none":
                return [None]
    return []


def _call(node: Json, sizes: Sizes) -> Call:
    target = str(node["target"]).removeprefix("torch.ops.").removeprefix("_")
    args: dict[str, Any] = {}
    schemaless = not target.count(".") > 1
    for position, entry in enumerate(node["inputs"]):
        name = entry["name"]
        args[str(position) if schemaless or not name else name] = argument(entry["arg"], sizes)
    outputs = tuple(name for output in node["outputs"] for name in _names(output))
    metadata = node.get("metadata") or {}
    name = node.get("name") or next((name for name in outputs if name), target)
    return Call(target, args, outputs, name, metadata.get("stack_trace") or "", _modules(metadata))


def _modules(metadata: Json) -> tuple[str, ...]:
    """The qualified names of the layers around a node, from `key,path,type;key,path,type`."""
    text = metadata.get("nn_module_stack") or ""
    paths: list[str] = []
    for entry in text.split(";"):
        parts = entry.split(",", 2)
        if len(parts) == 3 and not parts[0].startswith("_empty_nn_module_stack"):
            paths.append(_unquoted(parts[1]))
    return tuple(paths)


def _unquoted(path: str) -> str:
    """A path; some versions write it as a subscripted expression such as `L['self'].layer`."""
    if path.startswith("L['self']"):
        path = path.removeprefix("L['self']").replace("['", ".").replace("']", "").replace("[", ".").replace("]", "")
        return path.strip(".").removeprefix("_modules.")
    return str(ast.literal_eval(path)) if path[:1] in ("'", '"') else path


def _entry(spec: Json, weights: Callable[[str, str], Data | None]) -> Entry:
    ((kind, value),) = [(kind, value) for kind, value in spec.items() if value is not None]
    match kind:
        case "user_input":
            name = _names(value["arg"])
            return Entry((name[0] if name else None) or "", "input" if name and name[0] else "unused")
        case "parameter":
            target = value["parameter_name"]
            return Entry(value["arg"]["name"], "parameter", target, weights("weights", target))
        case "buffer":
            target = value["buffer_name"]
            where = "weights" if value.get("persistent", True) else "constants"
            return Entry(value["arg"]["name"], "buffer", target, weights(where, target))
        case "tensor_constant":
            target = value["tensor_constant_name"]
            return Entry(value["arg"]["name"], "constant", target, weights("constants", target))
        case "constant_input":
            return Entry(value["name"], "literal", literal=next(iter(value["value"].values()), None))
    arg = value.get("arg", {})
    return Entry(arg.get("name", ""), "unused")


def _range(limits: Json) -> tuple[float, float]:
    low, high = limits.get("min_val"), limits.get("max_val")
    return (0 if low is None else low), (inf if high is None or high >= 2**62 else high)
