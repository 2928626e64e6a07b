"""The variables that TF-Slim makes and finds again by their names."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any

from mlvet.frontends.python.active import machine, store
from mlvet.frontends.python.libraries.binding import as_items
from mlvet.frontends.python.libraries.registry import model
from mlvet.frontends.python.libraries.tensorflow.slim.scopes import scoped
from mlvet.frontends.python.libraries.tensorflow.tensor import Tensor, convert
from mlvet.frontends.python.libraries.tensorflow.v1.variables import (
    full_name,
    get_collection,
    get_variable,
    kept_variables,
    new_variable,
)  # fmt: skip
from mlvet.frontends.python.values.containers import ListValue
from mlvet.frontends.python.values.tensors import dims_of, dtype_of
from mlvet.frontends.python.values.unknown import Reason, Undecided

scoped("tf_slim.model_variable")(get_variable)
model("tf_slim.variable")(get_variable)


@model("tf_slim.local_variable")
def local_variable(
    initial_value: Any, validate_shape: Any = True, name: Any = None, use_resource: Any = None
) -> Tensor:
    del validate_shape, use_resource
    start = convert(initial_value)
    made = new_variable(full_name(name), dims_of(start), dtype_of(start), False)
    store(made.cells, "local", True)
    return made


def name_of(variable: Any) -> str:
    name = variable.cells.get("@name")
    if not isinstance(name, str):
        raise Undecided(Reason.UNKNOWN_DISPATCH, "the name of a variable")
    return name


def _texts(*patterns: Any) -> None:
    """Only patterns that are known can be looked for."""
    if not all(isinstance(each, str) for each in patterns):
        raise Undecided(Reason.UNKNOWN_DISPATCH, "variables by a name that is not known")


@model("tf_slim.get_variables")
def get_variables(scope: Any = None, suffix: Any = None, collection: Any = "global_variables") -> Any:
    found = get_collection(collection, scope)
    if suffix is None:
        return found
    _texts(suffix)
    return ListValue(each for each in as_items(found) if name_of(each).endswith(suffix))


def _of_kind(kind: str) -> Callable[..., Any]:
    def function(scope: Any = None, suffix: Any = None) -> Any:
        return get_variables(scope, suffix, f"{kind}_variables")

    return function


for _kind in ("model", "local", "trainable"):
    model(f"tf_slim.get_{_kind}_variables")(_of_kind(_kind))


@model("tf_slim.get_variables_by_suffix")
def get_variables_by_suffix(suffix: Any, scope: Any = None) -> Any:
    return get_variables(scope, suffix)


@model("tf_slim.get_variables_by_name")
def get_variables_by_name(given_name: Any, scope: Any = None) -> Any:
    _texts(given_name)
    found = kept_variables("global", scope)
    return ListValue(each for each in found if f"/{name_of(each)}".endswith(f"/{given_name}"))


@model("tf_slim.get_variables_to_restore")
def get_variables_to_restore(include: Any = None, exclude: Any = None) -> Any:
    wanted = None if include is None else as_items(include)
    unwanted = () if exclude is None else as_items(exclude)
    _texts(*(wanted or ()), *unwanted)
    return ListValue(
        each
        for each in kept_variables()
        if (wanted is None or name_of(each).startswith(tuple(wanted)))
        and not (unwanted and name_of(each).startswith(tuple(unwanted)))
    )


@model("tf_slim.filter_variables")
def filter_variables(
    var_list: Any, include_patterns: Any = None, exclude_patterns: Any = None, reg_search: bool = True
) -> Any:
    wanted, unwanted = (() if each is None else as_items(each) for each in (include_patterns, exclude_patterns))
    _texts(*wanted, *unwanted)
    look = re.search if machine().truth(reg_search) else re.match

    def fits(name: str, patterns: Any) -> bool:
        return any(look(pattern, name) is not None for pattern in patterns)

    given = [(name_of(each), each) for each in as_items(var_list)]
    return ListValue(each for name, each in given if (not wanted or fits(name, wanted)) and not fits(name, unwanted))
