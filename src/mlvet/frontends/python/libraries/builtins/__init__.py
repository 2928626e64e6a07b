"""Python's builtin functions, and the methods of its builtin types."""

from mlvet.frontends.python.libraries.builtins import (
    classes,
    dictionaries,
    effects,
    element_types,
    lists,
    names,
    numbers,
    scalars,
    sequences,
    sets,
    texts,
)

__all__ = [
    "classes", "dictionaries", "effects", "element_types", "lists", "names", "numbers", "scalars", "sequences",
    "sets", "texts",
]  # fmt: skip
