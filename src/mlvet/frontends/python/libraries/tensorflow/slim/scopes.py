"""arg_scope: defaults of arguments for the functions that are named, as long as the scope lasts."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from mlvet.frontends.python.active import machine, store
from mlvet.frontends.python.libraries.binding import as_items, bind, signature
from mlvet.frontends.python.libraries.registry import model
from mlvet.frontends.python.libraries.tensorflow.v1.variables import all_variables, memory
from mlvet.frontends.python.values.choices import Choice, resolved
from mlvet.frontends.python.values.objects import Object
from mlvet.frontends.python.values.unknown import Reason, Undecided

Defaults = dict[int, dict[str, Any]]
"""By the identity of a function, the arguments that it is given unless the call says otherwise."""
Held = tuple[tuple[int, tuple[tuple[str, Any], ...]], ...]
"""The same as tuples, which branches and loops join part by part."""


def current() -> Defaults:
    """The defaults at this point."""
    return {function: dict(given) for function, given in _held()}


def _held() -> Held:
    found = memory().get("arg_scope", ())
    held = resolved(found, machine()) if isinstance(found, Choice) else found
    if not isinstance(held, tuple):
        raise Undecided(Reason.LOOP_VARYING, "arguments of a scope")
    return held


def with_defaults(function: Callable[..., Any], keywords: Mapping[str, Any], taken: int) -> dict[str, Any]:
    """The arguments of a call by name, with the defaults of the scope for those that it leaves out."""
    wanted = signature(function).parameters
    first = {parameter.name for parameter in wanted[:taken]}
    scoped = {name: value for name, value in current().get(id(function), {}).items() if name not in first}
    return {**scoped, **keywords}


def scoped(*names: str) -> Callable[[Callable[..., Any]], Callable[..., Any]]:
    """Register a layer whose arguments scopes may give."""

    def register(function: Callable[..., Any]) -> Callable[..., Any]:
        def layer(*args: Any, **keywords: Any) -> Any:
            positional, named = bind(function, args, with_defaults(function, keywords, len(args)))
            before = len(all_variables())
            made = function(*positional, **named)
            for variable in all_variables()[before:]:
                store(variable.cells, "model", True)
            return made

        layer.__name__ = function.__name__
        layer.inner = function  # type: ignore[attr-defined]
        return model(*names)(layer)

    return register


@model("tf_slim.add_arg_scope")
def add_arg_scope(func: Any) -> Any:
    """A function of the program to which scopes may give arguments."""

    def call(*args: Any, **keywords: Any) -> Any:
        return machine().call(func, *args, **{**current().get(id(call), {}), **keywords})

    return call


@model("tf_slim.arg_scope")
class ArgScope(Object):
    """A scope; what it yields can be entered again."""

    def __init__(self, list_ops_or_scope: Any, **kwargs: Any) -> None:
        self.defaults: Any
        if isinstance(list_ops_or_scope, ArgScope):
            self.defaults = list_ops_or_scope.defaults
        else:
            made = current()
            for function in as_items(list_ops_or_scope):
                key = id(getattr(function, "inner", function))
                made[key] = {**made.get(key, {}), **kwargs}
            self.defaults = tuple((function, tuple(given.items())) for function, given in made.items())
        self.before: Any = ()

    def __enter__(self) -> Any:
        self.before = _held()
        store(memory(), "arg_scope", self.defaults)
        return self

    def __exit__(self, *error: Any) -> None:
        store(memory(), "arg_scope", self.before)


@model("tf_slim.current_arg_scope")
def current_arg_scope() -> Any:
    return ArgScope(())


@model("tf_slim.has_arg_scope")
def has_arg_scope(func: Any) -> Any:
    return hasattr(func, "inner")


@model("tf_slim.arg_scope_func_key", "tf_slim.arg_scoped_arguments")
def arg_scope_func_key(op: Any) -> Any:
    del op
    raise Undecided(Reason.UNMODELLED_CALL, "the key of a function in a scope")
