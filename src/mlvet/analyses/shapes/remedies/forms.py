"""How each library writes that a tensor is moved about, gets or loses an axis, or changes its element type."""

from __future__ import annotations

import ast
from collections.abc import Sequence
from math import prod

from mlvet.analyses.shapes.remedies.places import Operand
from mlvet.analyses.text import Text
from mlvet.core.fix import Edit

Edits = tuple[Edit, ...]
_MODULES = {
    "tensorflow": ("tensorflow", "tensorflow.compat.v1"),
    "numpy": ("numpy",),
    "jax": ("jax.numpy",),
}
_TYPES = {
    "torch": {"int64": ".long()", "float32": ".float()"},
    "numpy": {"int64": '.astype("int64")', "float32": '.astype("float32")'},
    "jax": {"int64": '.astype("int32")', "float32": '.astype("float32")'},
}


def module(text: Text, library: str) -> str:
    """What the file calls the module of a library's functions; empty if it does not import it."""
    return text.reference(*_MODULES.get(library, ()))


def layers(text: Text, name: str) -> str:
    """How the file can refer to a layer of Keras; empty if it has no way to."""
    roots = ("keras", "tensorflow.keras", "tf_keras", "tensorflow.compat.v1.keras")
    for root in roots:
        found = text.reference(f"{root}.layers.{name}")
        if found:
            return found
    return ""


def reordered(text: Text, operand: Operand, axes: Sequence[int]) -> Edits:
    """An operand with its axes in another order."""
    node, rank = operand.node, operand.rank
    listed = ", ".join(map(str, axes))
    moved = [axis for place, axis in enumerate(axes) if axis != place]
    swapped = tuple(sorted(moved)) if len(moved) == 2 else ()
    match operand.library:
        case "torch" if rank == 2:
            return text.suffixed(node, ".T")
        case "torch" if swapped:
            return text.suffixed(node, f".transpose({swapped[0]}, {swapped[1]})")
        case "torch":
            return text.suffixed(node, f".permute({listed})")
        case "numpy" | "jax" if rank == 2:
            return text.suffixed(node, ".T")
        case "numpy" | "jax":
            return text.suffixed(node, f".transpose({listed})")
        case "tensorflow" if name := module(text, "tensorflow"):
            return text.wrapped(node, f"{name}.transpose(", ")" if rank == 2 else f", [{listed}])")
        case "keras" if axes[0] == 0 and (name := layers(text, "Permute")):
            return text.wrapped(node, f"{name}(({', '.join(map(str, axes[1:]))}))(", ")")
    return ()


def squeezed(text: Text, operand: Operand, axis: int) -> Edits:
    """An operand without an axis of one element."""
    match operand.library:
        case "torch" | "numpy" | "jax":
            return text.suffixed(operand.node, f".squeeze({axis})")
        case "tensorflow" if name := module(text, "tensorflow"):
            return text.wrapped(operand.node, f"{name}.squeeze(", f", [{axis}])")
        case "keras" if axis > 0 and (name := layers(text, "Reshape")):
            left = [size for place, size in enumerate(operand.dims) if place not in (0, axis)]
            if all(isinstance(size, int) for size in left):
                return text.wrapped(operand.node, f"{name}({_tuple(left)})(", ")")
    return ()


def expanded(text: Text, operand: Operand, axis: int) -> Edits:
    """An operand with a new axis of one element; -1 stands for the last."""
    match operand.library:
        case "torch":
            return text.suffixed(operand.node, f".unsqueeze({axis})")
        case "numpy" | "jax" | "tensorflow":
            if name := module(text, operand.library):
                return text.wrapped(operand.node, f"{name}.expand_dims(", f", {axis})")
            if operand.library != "tensorflow":
                index = "..., None" if axis == -1 else ", ".join([":"] * axis + ["None"])
                return text.suffixed(operand.node, f"[{index}]")
        case "keras" if axis != 0 and (name := layers(text, "Reshape")):
            sizes = list(operand.dims[1:])
            sizes.insert(len(sizes) if axis == -1 else axis - 1, 1)
            if all(isinstance(size, int) for size in sizes):
                return text.wrapped(operand.node, f"{name}({_tuple(sizes)})(", ")")
    return ()


def flattened(text: Text, operand: Operand) -> Edits:
    """An operand of which only the axis of examples is left, and all others are one."""
    sizes = operand.dims[1:]
    count = prod(size for size in sizes if isinstance(size, int)) if all(isinstance(s, int) for s in sizes) else None
    match operand.library:
        case "torch":
            return text.suffixed(operand.node, ".flatten(1)")
        case "numpy" | "jax" if isinstance(operand.node, ast.Name):
            return text.suffixed(operand.node, f".reshape({operand.node.id}.shape[0], -1)")
        case "numpy" | "jax" if count is not None:
            return text.suffixed(operand.node, f".reshape(-1, {count})")
        case "tensorflow" if count is not None and (name := module(text, "tensorflow")):
            return text.wrapped(operand.node, f"{name}.reshape(", f", [-1, {count}])")
        case "keras" | "tensorflow" if name := layers(text, "Flatten"):
            return text.wrapped(operand.node, f"{name}()(", ")")
    return ()


def retyped(text: Text, operand: Operand, element: str) -> Edits:
    """An operand with elements of another type."""
    if operand.library == "tensorflow" and (name := module(text, "tensorflow")):
        return text.wrapped(operand.node, f"{name}.cast(", f", {name}.{element})")
    suffix = _TYPES.get(operand.library, {}).get(element)
    return text.suffixed(operand.node, suffix) if suffix else ()


def _tuple(sizes: Sequence[object]) -> str:
    return f"({', '.join(map(str, sizes))}{',' if len(sizes) == 1 else ''})"
