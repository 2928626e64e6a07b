"""Python's builtin functions, and the methods of its builtin types."""

from mlvet.frontends.python.libraries.builtins import (
    classes,
    dictionaries,
    effects,
    lists,
    names,
    numbers,
    scalars,
    sequences,
    sets,
    texts,
)

__all__ = [
    "classes", "dictionaries", "effects", "lists", "names", "numbers", "scalars", "sequences", "sets", "texts",
]  # fmt: skip
