"""click, typer and fire: functions of the program as commands, their parameters as settings."""

from __future__ import annotations

from typing import Any

from mlvet.frontends.python.active import machine
from mlvet.frontends.python.libraries.builtins.settings import kind_of, setting, several
from mlvet.frontends.python.libraries.registry import model
from mlvet.frontends.python.libraries.stdlib.typed import effects, text, truth, typed
from mlvet.frontends.python.values.containers import ListValue
from mlvet.frontends.python.values.numbers import Scalar
from mlvet.frontends.python.values.objects import FunctionValue, Object
from mlvet.frontends.python.values.unknown import Reason

effects("click", ("echo", "secho", "clear", "pause"))
typed("click", {"confirm": truth, "prompt": text, "style": text})


class Command(Object):
    """A function that gets its parameters from the command line."""

    __slots__ = ()

    def __init__(self, function: Any, parameters: dict[str, Any]) -> None:
        self.cells.update({"@function": function, "@parameters": parameters, "callback": function})

    def __call__(self, *args: Any, **keywords: Any) -> Any:
        options = {name: value for name, value in self.cells["@parameters"].items() if name not in keywords}
        keywords.pop("standalone_mode", None)
        return machine().call(self.cells["@function"], **options, **keywords) if not args else self._given(args)

    def _given(self, args: tuple[Any, ...]) -> Any:
        items = machine().items(args[0])
        return machine().call(self.cells["@function"], **self.cells["@parameters"]) if items is not None else None

    main = __call__

    def command(self, *args: Any, **keywords: Any) -> Any:
        return command(*args, **keywords)

    group = command

    def add_command(self, cmd: Any, name: Any = None) -> None: ...


def parameters_of(function: Any) -> dict[str, Any]:
    """The options that decorators have given to a function so far."""
    if isinstance(function, Command):
        found: dict[str, Any] = function.cells["@parameters"]
        return found
    held = function.cells.get("@click", {}) if isinstance(function, FunctionValue) else {}
    return dict(held)


def _adding(name: str, value: Any) -> Any:
    def decorate(function: Any) -> Any:
        if isinstance(function, Command):
            function.cells["@parameters"][name] = value
        elif isinstance(function, FunctionValue):
            function.cells["@click"] = {**function.cells.get("@click", {}), name: value}
        return function

    return decorate


@model("click.option")
def option(*param_decls: Any, **attrs: Any) -> Any:
    names = [each for each in param_decls if isinstance(each, str)]
    plain = next((each for each in names if not each.startswith("-")), None)
    longest = max((each.split("/")[0] for each in names if each.startswith("-")), key=len, default="option")
    name = plain or longest.lstrip("-").replace("-", "_").lower()
    is_flag = attrs.get("is_flag") is True or any("/" in each for each in names)
    return _adding(name, _value(name, attrs, is_flag))


@model("click.argument")
def argument(*param_decls: Any, **attrs: Any) -> Any:
    name = str(param_decls[0]).lower().replace("-", "_") if param_decls else "argument"
    return _adding(name, _value(name, attrs, False))


def _value(name: str, attrs: dict[str, Any], is_flag: bool) -> Any:
    default = attrs.get("default")
    if is_flag:
        return setting(bool, name, default if isinstance(default, bool) else False)
    kind = attrs.get("type")
    if isinstance(kind, Choice):
        return setting(str, name, default, given="default" in attrs, choices=kind.cells["choices"])
    if isinstance(kind, ParamType):
        kind = kind.cells["kind"]
    found = kind if kind in (int, float, str, bool) else kind_of(default) or (str if kind is None else None)
    if attrs.get("multiple") is True or attrs.get("nargs") == -1:
        return default if isinstance(default, ListValue | tuple) else several(found or str, name)
    nargs = attrs.get("nargs")
    if isinstance(nargs, int) and nargs > 1:
        return (
            default
            if isinstance(default, tuple)
            else tuple(setting(found or str, f"{name}_{n}", given=False) for n in range(nargs))
        )
    if isinstance(default, ListValue | tuple):
        return default
    if found is None:
        return machine().unknown(Reason.EXTERNAL_DATA, name, name)
    required = "default" not in attrs and (attrs.get("required") is True or found is int)
    return setting(found, name, default, given=not required)


@model("click.command", "click.group")
def command(*args: Any, **attrs: Any) -> Any:
    del attrs
    if args and isinstance(args[0], FunctionValue | Command):
        return Command(args[0], parameters_of(args[0]))
    return lambda function: Command(function, parameters_of(function))


@model("click.pass_context", "click.pass_obj")
def pass_context(function: Any) -> Any:
    return function


@model("click.version_option", "click.help_option", "click.password_option", "click.confirmation_option")
def plain_option(*args: Any, **attrs: Any) -> Any:
    del args, attrs
    return lambda function: function


class ParamType(Object):
    """A type of parameters."""

    __slots__ = ()

    def __init__(self, kind: Any = str) -> None:
        self.cells["kind"] = kind


@model("click.Choice")
class Choice(ParamType):
    __slots__ = ()

    def __init__(self, choices: Any = (), case_sensitive: Any = True) -> None:
        del case_sensitive
        items = machine().items(choices)
        self.cells.update(kind=str, choices=items if isinstance(items, tuple) else None)


def _types() -> None:
    for name, kind in {"INT": int, "FLOAT": float, "STRING": str, "BOOL": bool}.items():
        model(f"click.{name}")(kind)
    for name, kind in {
        "Path": str,
        "File": object,
        "IntRange": int,
        "FloatRange": float,
        "DateTime": str,
        "Tuple": object,
    }.items():
        model(f"click.{name}")(_typed(kind))


def _typed(kind: type) -> Any:
    def make(*args: Any, **options: Any) -> Any:
        del args, options
        return ParamType(kind)

    return make


_types()
model("click.ClickException")(type("ClickException", (Exception,), {}))
model("click.UsageError")(type("UsageError", (Exception,), {}))
model("click.BadParameter")(type("BadParameter", (Exception,), {}))


@model("fire.Fire", "typer.run")
def fire(component: Any = None, *rest: Any, **options: Any) -> Any:
    """Calls a function whose defaults the command line may change."""
    del rest, options
    if not isinstance(component, FunctionValue):
        return None
    arguments = component.node.args
    positional = [*arguments.posonlyargs, *arguments.args]
    required = positional[: len(positional) - len(component.defaults)]
    given = {each.arg: Scalar(str, each.arg) for each in required}
    for each, default in zip(positional[len(required) :], component.defaults, strict=True):
        kind = kind_of(default)
        given[each.arg] = default if kind is None else setting(kind, each.arg, default)
    return machine().call(component, **given)
