"""inspect, types, weakref, importlib: programs that look at themselves."""

from __future__ import annotations

import types
from typing import Any

from mlvet.frontends.python.active import machine
from mlvet.frontends.python.libraries.builtins.classes import is_instance
from mlvet.frontends.python.libraries.builtins.constructors import CONSTRUCTORS, make_set
from mlvet.frontends.python.libraries.builtins.elements import integer
from mlvet.frontends.python.libraries.registry import model
from mlvet.frontends.python.libraries.stdlib.typed import constants, effects, listed, nothing, text, typed
from mlvet.frontends.python.values.containers import DictValue, ListValue, Repeated
from mlvet.frontends.python.values.numbers import Scalar
from mlvet.frontends.python.values.objects import BoundMethod, ClassValue, FunctionValue, ModuleValue, Object
from mlvet.frontends.python.values.unknown import Reason, Undecided

constants(types, [
    "FunctionType", "LambdaType", "ModuleType", "GeneratorType", "BuiltinFunctionType", "NoneType", "TracebackType",
    "CodeType", "UnionType", "GenericAlias", "EllipsisType", "MethodType",
])  # fmt: skip
CONSTRUCTORS[types.MethodType] = lambda function, instance, /: BoundMethod(instance, function)


@model("types.SimpleNamespace")
class SimpleNamespace(Object):
    __slots__ = ()

    def __init__(self, mapping: Any = None, /, **kwargs: Any) -> None:
        self.cells.update({**getattr(mapping, "cells", {}), **kwargs})


def _is(*kinds: type) -> Any:
    def run(object: Any) -> Any:
        return is_instance(object, kinds)

    return run


model("inspect.isfunction")(_is(types.FunctionType))
model("inspect.isroutine")(_is(types.FunctionType, types.MethodType, types.BuiltinFunctionType))
model("inspect.ismethod")(_is(types.MethodType))
model("inspect.isclass")(_is(type))
model("inspect.ismodule")(_is(types.ModuleType))
typed("inspect", {"isgeneratorfunction": lambda: Scalar(bool), "iscoroutinefunction": lambda: Scalar(bool)})
typed("inspect", dict.fromkeys(("getsource", "getfile", "getsourcefile", "getdoc", "cleandoc"), text))
typed("inspect", {"stack": listed(nothing, "frames")})


@model("inspect.Parameter")
class Parameter(Object):
    """A parameter of a function."""

    __slots__ = ()
    empty = type("empty", (), {})
    POSITIONAL_ONLY = 0
    POSITIONAL_OR_KEYWORD = 1
    VAR_POSITIONAL = 2
    KEYWORD_ONLY = 3
    VAR_KEYWORD = 4


@model("inspect.Signature")
class Signature(Object):
    """The parameters of a function by name."""

    __slots__ = ()
    empty = Parameter.empty

    def __init__(self, parameters: Any = None) -> None:
        self.cells["parameters"] = parameters if parameters is not None else DictValue()


@model("inspect.signature")
def signature(obj: Any, **options: Any) -> Any:
    del options
    function = _function(obj)
    arguments = function.node.args
    bound = 1 if isinstance(obj, BoundMethod | ClassValue) else 0
    positional = [*arguments.posonlyargs, *arguments.args]
    found: dict[str, Any] = {}
    for place, each in enumerate(positional):
        default = place - (len(positional) - len(function.defaults))
        found[each.arg] = _parameter(each.arg, 1, function.defaults[default] if default >= 0 else Parameter.empty)
    if arguments.vararg is not None:
        found[arguments.vararg.arg] = _parameter(arguments.vararg.arg, 2, Parameter.empty)
    for each in arguments.kwonlyargs:
        found[each.arg] = _parameter(each.arg, 3, function.keyword_defaults.get(each.arg, Parameter.empty))
    if arguments.kwarg is not None:
        found[arguments.kwarg.arg] = _parameter(arguments.kwarg.arg, 4, Parameter.empty)
    return Signature(DictValue(dict(list(found.items())[bound:])))


def _function(obj: Any) -> FunctionValue:
    """The function of the program behind a callable."""
    match obj:
        case FunctionValue():
            return obj
        case BoundMethod() if isinstance(obj.function, FunctionValue):
            return obj.function
        case ClassValue():
            for owner in obj.order:
                found = owner.cells.get("__init__") if isinstance(owner, ClassValue) else None
                if isinstance(found, FunctionValue):
                    return found
    raise Undecided(Reason.HIGHER_ORDER, "the signature of a library function")


def _parameter(name: str, kind: int, default: Any) -> Parameter:
    made = Parameter()
    made.cells.update(name=name, kind=kind, default=default, annotation=Parameter.empty)
    return made


@model("inspect.getfullargspec", "inspect.getargspec")
def argument_names(func: Any) -> Any:
    arguments = _function(func).node.args
    made = Object()
    names = ListValue(each.arg for each in (*arguments.posonlyargs, *arguments.args))
    made.cells.update(args=names, kwonlyargs=ListValue(each.arg for each in arguments.kwonlyargs))
    made.cells["varargs"] = arguments.vararg.arg if arguments.vararg else None
    made.cells["varkw"] = made.cells["keywords"] = arguments.kwarg.arg if arguments.kwarg else None
    return made


@model("inspect.getmembers")
def members(object: Any, predicate: Any = None) -> Any:
    if not isinstance(object, ModuleValue | ClassValue | Object) or (
        isinstance(object, ModuleValue) and object.of_library
    ):
        return ListValue(
            Repeated((Scalar(str), machine().unknown(Reason.DYNAMIC_ATTRIBUTE, "getmembers")), integer("members"))
        )
    found = [(name, value) for name, value in sorted(object.cells.items()) if not name.startswith("@")]
    if predicate is not None:
        found = [each for each in found if machine().truth(machine().call(predicate, each[1])) is not False]
    return ListValue(found)


@model("weakref.ref", "weakref.proxy", "weakref.finalize")
def reference(object: Any, callback: Any = None) -> Any:
    del callback
    return lambda: object


@model("weakref.WeakKeyDictionary", "weakref.WeakValueDictionary")
def weak_dictionary(dict: Any = None) -> Any:
    return DictValue(getattr(dict, "cells", None))


@model("weakref.WeakSet")
def weak_set(data: Any = ()) -> Any:
    return make_set(data)


@model("importlib.import_module", "importlib.reload")
def import_module(name: Any, package: Any = None) -> Any:
    del package
    if isinstance(name, ModuleValue):
        return name
    if not isinstance(name, str) or name.startswith("."):
        raise Undecided(Reason.GENERATED_CODE, "a module by a name made at run time")
    from mlvet.frontends.python.interpretation.imports import module

    return module(machine(), name)


typed("importlib.util", {"find_spec": lambda: machine().unknown(Reason.MISSING_MODULE, "find_spec")})
typed("importlib.metadata", {"version": text})
typed("pkgutil", {"get_data": lambda: Scalar(bytes), "iter_modules": listed(nothing, "modules")})
effects("ctypes", ("memmove",))
effects("timeit", ("repeat",))
