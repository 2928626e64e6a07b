"""functools and operator."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from mlvet.frontends.python.active import machine
from mlvet.frontends.python.libraries.builtins.arithmetic import BINARY, COMPARISONS, binary, compared, in_place, unary
from mlvet.frontends.python.libraries.builtins.numbers import magnitude
from mlvet.frontends.python.libraries.builtins.operators import contains, delete_item
from mlvet.frontends.python.libraries.builtins.sequences import length
from mlvet.frontends.python.libraries.registry import model
from mlvet.frontends.python.values.containers import DictValue, Repeated
from mlvet.frontends.python.values.numbers import Scalar
from mlvet.frontends.python.values.objects import BoundMethod, ClassValue, FunctionValue, Object
from mlvet.frontends.python.values.raising import Raised
from mlvet.frontends.python.values.unknown import Reason, Undecided

_NOTHING = object()


@model("functools.partial")
class partial(Object):
    """A function with some of its arguments."""

    __slots__ = ()

    def __init__(self, func: Any, /, *args: Any, **keywords: Any) -> None:
        if isinstance(func, partial):
            inner = func.cells
            args = (*inner["args"], *args)
            keywords = {**inner["keywords"].cells, **keywords}
            func = inner["func"]
        self.cells.update(func=func, args=args, keywords=DictValue(keywords))

    def __call__(self, /, *args: Any, **keywords: Any) -> Any:
        cells = self.cells
        return machine().call(cells["func"], *cells["args"], *args, **{**cells["keywords"].cells, **keywords})


@model("functools.partialmethod")
class partialmethod(Object):
    """A method with some of its arguments."""

    __slots__ = ()

    def __init__(self, func: Any, /, *args: Any, **keywords: Any) -> None:
        self.cells.update(func=func, args=args, keywords=DictValue(keywords))

    def bound(self, receiver: Any) -> Any:
        cells = self.cells
        return partial(BoundMethod(receiver, cells["func"]), *cells["args"], **cells["keywords"].cells)


@model("functools.reduce")
def reduce(function: Any, iterable: Any, initial: Any = _NOTHING, /) -> Any:
    items = machine().items(iterable)
    if isinstance(items, Repeated):
        start = items.element if initial is _NOTHING else initial
        return machine().call(function, start, items.element)
    pending = items if initial is _NOTHING else (initial, *items)
    if not pending:
        raise Raised(TypeError("reduce() of empty iterable with no initial value"))
    found = pending[0]
    for each in pending[1:]:
        found = machine().call(function, found, each)
    return found


def _itself(function: Any) -> Any:
    return function


@model("functools.wraps")
def wraps(wrapped: Any, assigned: Any = (), updated: Any = ()) -> Any:
    del assigned, updated

    def named(wrapper: Any) -> Any:
        return update_wrapper(wrapper, wrapped)

    return named


@model("functools.update_wrapper")
def update_wrapper(wrapper: Any, wrapped: Any, assigned: Any = (), updated: Any = ()) -> Any:
    del assigned, updated
    if isinstance(wrapper, FunctionValue):
        wrapper.cells.setdefault("__wrapped__", wrapped)
        if isinstance(wrapped, FunctionValue):
            wrapper.cells.setdefault("__name__", wrapped.name)
    return wrapper


@model("functools.lru_cache", "functools.cache")
def lru_cache(maxsize: Any = 128, typed: Any = False) -> Any:
    """A cache of results, which changes none; it is given the function or its own size."""
    del typed
    if isinstance(maxsize, FunctionValue | BoundMethod | ClassValue) or callable(maxsize):
        return maxsize
    return _itself


@model("functools.total_ordering", "functools.singledispatch", "functools.singledispatchmethod")
def undisturbed(function: Any, /) -> Any:
    return function


@model("functools.cached_property")
class cached_property(Object):
    """A property that is computed once."""

    __slots__ = ()

    def __init__(self, func: Any) -> None:
        self.cells["func"] = func

    def bound(self, receiver: Any) -> Any:
        found = machine().call(self.cells["func"], receiver)
        if isinstance(receiver, Object) and isinstance(self.cells["func"], FunctionValue):
            setattr(receiver, self.cells["func"].name, found)
        return found


@model("functools.cmp_to_key")
def cmp_to_key(mycmp: Any) -> Any:
    """A key whose order the program's function decides; the order is left open."""
    del mycmp

    def key(item: Any) -> Any:
        del item
        return Scalar(float)

    return key


NAMES = {
    "add": "+", "sub": "-", "mul": "*", "truediv": "/", "floordiv": "//", "mod": "%", "pow": "**", "matmul": "@",
    "and_": "&", "or_": "|", "xor": "^", "lshift": "<<", "rshift": ">>", "concat": "+",
    "lt": "<", "le": "<=", "gt": ">", "ge": ">=", "eq": "==", "ne": "!=", "is_": "is", "is_not": "is not",
}  # fmt: skip


def _operator(sign: str) -> Callable[[Any, Any], Any]:
    if sign in COMPARISONS:
        return lambda a, b: compared(sign, a, b)
    return lambda a, b: binary(sign, a, b)


def _in_place(sign: str) -> Callable[[Any, Any], Any]:
    return lambda a, b: in_place(sign, a, b)


for _name, _sign in NAMES.items():
    _special = () if _sign.startswith("is") else (f"operator.__{_name.rstrip('_')}__",)
    model(f"operator.{_name}", *_special)(_operator(_sign))
    if _sign in BINARY:
        model(f"operator.i{_name.rstrip('_')}")(_in_place(_sign))
for _name, _sign in {"neg": "-", "pos": "+", "inv": "~", "invert": "~"}.items():
    model(f"operator.{_name}")(lambda a, sign=_sign: unary(sign, a))
model("operator.abs")(magnitude)
model("operator.length_hint")(length)


@model("operator.not_")
def negation(a: Any, /) -> Any:
    truth = machine().truth(a)
    return not truth if isinstance(truth, bool) else Scalar(bool)


@model("operator.truth")
def truth_of(a: Any, /) -> Any:
    return machine().truth(a)


@model("operator.contains")
def has(a: Any, b: Any, /) -> Any:
    found = contains(a, b)
    return Scalar(bool) if found is None else found


@model("operator.getitem")
def getitem(a: Any, b: Any, /) -> Any:
    from mlvet.frontends.python.interpretation.subscripts import subscript

    return subscript(machine(), a, b)


@model("operator.setitem")
def setitem(a: Any, b: Any, c: Any, /) -> None:
    from mlvet.frontends.python.interpretation.subscripts import set_subscript

    set_subscript(machine(), a, b, c)


@model("operator.delitem")
def delitem(a: Any, b: Any, /) -> None:
    delete_item(a, b)


@model("operator.index")
def index(a: Any, /) -> Any:
    from mlvet.frontends.python.libraries.binding import as_size

    return as_size(a)


@model("operator.itemgetter")
def itemgetter(*items: Any) -> Any:
    def get(obj: Any, /) -> Any:
        found = tuple(getitem(obj, each) for each in items)
        return found[0] if len(found) == 1 else found

    return get


@model("operator.attrgetter")
def attrgetter(*attrs: Any) -> Any:
    def get(obj: Any, /) -> Any:
        found = tuple(_path(obj, each) for each in attrs)
        return found[0] if len(found) == 1 else found

    return get


def _path(obj: Any, dotted: Any) -> Any:
    if not isinstance(dotted, str):
        raise Undecided(Reason.DYNAMIC_ATTRIBUTE, "attrgetter")
    for name in dotted.split("."):
        obj = machine().attribute(obj, name)
    return obj


@model("operator.methodcaller")
def methodcaller(name: Any, /, *args: Any, **kwargs: Any) -> Any:
    def send(obj: Any, /) -> Any:
        return machine().send(obj, name, *args, **kwargs)

    return send
