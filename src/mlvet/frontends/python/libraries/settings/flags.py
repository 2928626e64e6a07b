"""absl.flags and absl.app: flags are settings of the user."""

from __future__ import annotations

from typing import Any

from mlvet.frontends.python.active import machine
from mlvet.frontends.python.libraries.builtins.settings import setting, several
from mlvet.frontends.python.libraries.registry import model
from mlvet.frontends.python.libraries.stdlib.messages import Logger
from mlvet.frontends.python.libraries.stdlib.typed import effects, text, typed, whole
from mlvet.frontends.python.values.containers import DictValue, ListValue, Repeated
from mlvet.frontends.python.values.numbers import Scalar
from mlvet.frontends.python.values.objects import Object
from mlvet.frontends.python.values.unknown import Reason, Undecided


def _defined() -> dict[Any, Any]:
    """The flags of the program under interpretation, by name."""
    return machine().memory.setdefault("absl.flags", {})


@model("absl.flags.FlagValues")
class FlagValues(Object):
    """FLAGS: every flag by its name."""

    __slots__ = ()

    def missing(self, name: str) -> Any:
        if name in _defined():
            return _defined()[name]
        raise Undecided(Reason.EXTERNAL_DATA, f"the flag {name}")

    def __setattr__(self, name: str, value: Any) -> None:
        _defined()[name] = value

    def assigned(self, name: str, value: Any) -> None:
        """A flag that the program itself sets holds what it was set to."""
        self.cells.pop(name, None)
        _defined()[name] = value

    def __getitem__(self, name: Any) -> Any:
        made = FlagHolder()
        made.cells.update(name=name, value=_defined().get(name), default=None)
        return made

    def __contains__(self, name: Any) -> Any:
        return name in _defined()

    def __call__(self, argv: Any = None, *rest: Any) -> Any:
        del rest
        return argv

    def flag_values_dict(self) -> Any:
        return DictValue(_defined())

    def flags_into_string(self) -> Any:
        return Scalar(str)

    def mark_as_parsed(self) -> None: ...

    unparse_flags = remove_flag_values = mark_as_parsed

    def is_parsed(self) -> Any:
        return True

    def set_default(self, name: Any, value: Any) -> None: ...

    def iterate(self) -> Any:
        return tuple(_defined())


@model("absl.flags.FlagHolder")
class FlagHolder(Object):
    """What a definition of a flag yields."""

    __slots__ = ()


model("absl.flags.FLAGS")(FlagValues())


def _holder(name: str, value: Any, default: Any) -> FlagHolder:
    _defined()[name] = value
    made = FlagHolder()
    made.cells.update(name=name, value=value, default=default)
    return made


def _define(kind: type, *names: str) -> None:
    def define(name: Any, default: Any = None, help: Any = None, *rest: Any, **options: Any) -> Any:
        del help, rest
        low, high = options.get("lower_bound"), options.get("upper_bound")
        given = default is not None or options.get("required") is not True
        return _holder(str(name), setting(kind, str(name), default, given=given, low=low, high=high), default)

    model(*(f"absl.flags.{name}" for name in names))(define)


_define(int, "DEFINE_integer")
_define(float, "DEFINE_float")
_define(bool, "DEFINE_bool", "DEFINE_boolean")
_define(str, "DEFINE_string")


@model("absl.flags.DEFINE_enum")
def define_enum(name: Any, default: Any, enum_values: Any, help: Any = None, *rest: Any, **options: Any) -> Any:
    del help, rest, options
    values = machine().items(enum_values)
    choices = values if isinstance(values, tuple) else None
    return _holder(str(name), setting(str, str(name), default, choices=choices), default)


@model("absl.flags.DEFINE_enum_class")
def define_enum_class(name: Any, default: Any, enum_class: Any, help: Any = None, **options: Any) -> Any:
    del help, options
    if isinstance(default, str):
        default = machine().attribute(enum_class, default)
    return _holder(str(name), default, default)


def _define_list(kind: type, *names: str) -> None:
    def define(name: Any, default: Any = None, help: Any = None, *rest: Any, **options: Any) -> Any:
        del help, rest, options
        if isinstance(default, str):
            default = ListValue(default.split(","))
        value = default if isinstance(default, ListValue | tuple) else several(kind, str(name))
        return _holder(str(name), ListValue(value) if isinstance(value, tuple) else value, default)

    model(*(f"absl.flags.{name}" for name in names))(define)


_define_list(str, "DEFINE_list", "DEFINE_spaceseplist", "DEFINE_multi_string", "DEFINE_multi_enum", "DEFINE_multi")
_define_list(int, "DEFINE_multi_integer")
_define_list(float, "DEFINE_multi_float")


@model("absl.flags.DEFINE_alias")
def define_alias(name: Any, original_name: Any, *rest: Any, **options: Any) -> Any:
    del rest, options
    value = _defined().get(original_name)
    return _holder(str(name), value, None)


effects("absl.flags", (
    "mark_flag_as_required", "mark_flags_as_required", "register_validator", "declare_key_flag",
    "adopt_module_key_flags", "mark_flags_as_mutual_exclusive", "mark_bool_flags_as_mutual_exclusive",
    "disclaim_key_flags", "set_default",
))  # fmt: skip
typed("absl.flags", {"text_wrap": text, "get_help_width": whole("width")})


@model("absl.flags.validator", "absl.flags.multi_flags_validator", "absl.flags.register_multi_flags_validator")
def validator(*args: Any, **options: Any) -> Any:
    del args, options
    return lambda function: function


for _name in ("Error", "ValidationError", "IllegalFlagValueError", "DuplicateFlagError", "UnparsedFlagAccessError"):
    model(f"absl.flags.{_name}")(type(_name, (Exception,), {}))
model("absl.app.UsageError")(type("UsageError", (Exception,), {}))


@model("absl.app.run")
def run(main: Any, argv: Any = None, flags_parser: Any = None) -> None:
    """Calls the program's main function with the arguments of the command line."""
    del flags_parser
    from mlvet.frontends.python.libraries.builtins.elements import integer

    given = ListValue(Repeated(Scalar(str), integer("arguments", 1))) if argv is None else argv
    machine().call(main, given)


effects("absl.logging", (
    "info", "warning", "warn", "error", "debug", "fatal", "exception", "log", "vlog", "set_verbosity",
    "use_absl_handler", "set_stderrthreshold", "log_first_n", "log_every_n", "log_if", "flush",
    "log_every_n_seconds", "use_python_logging",
))  # fmt: skip
for _level, _name in enumerate(("FATAL", "ERROR", "WARNING", "INFO", "DEBUG"), -3):
    model(f"absl.logging.{_name}")(_level)
typed(
    "absl.logging",
    {"get_verbosity": lambda: Scalar(int), "get_absl_handler": Logger, "level_debug": lambda: Scalar(bool)},
)
effects("absl.testing.absltest", ("main",))
