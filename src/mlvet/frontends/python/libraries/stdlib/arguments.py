"""argparse: options of the command line become settings, integers among them symbols."""

from __future__ import annotations

import argparse
from typing import Any

from mlvet.frontends.python.active import machine
from mlvet.frontends.python.libraries.builtins.elements import preset
from mlvet.frontends.python.libraries.builtins.settings import kind_of, setting, several
from mlvet.frontends.python.libraries.registry import model
from mlvet.frontends.python.libraries.stdlib.typed import constants
from mlvet.frontends.python.values.containers import DictValue, ListValue, Repeated
from mlvet.frontends.python.values.numbers import Scalar
from mlvet.frontends.python.values.objects import Object
from mlvet.frontends.python.values.raising import Raised
from mlvet.frontends.python.values.unknown import Reason, Unknown

constants(
    argparse, ["ArgumentError", "ArgumentTypeError", "SUPPRESS", "REMAINDER", "OPTIONAL", "ZERO_OR_MORE", "ONE_OR_MORE"]
)
_UNSET = "@unset"
_KINDS = (int, float, str, bool)


@model("argparse.Namespace")
class Namespace(Object):
    """The values of all options by name."""

    __slots__ = ()

    def __init__(self, **kwargs: Any) -> None:
        self.cells.update(kwargs)

    def __contains__(self, key: Any) -> bool:
        return key in self.cells


@model("argparse.Action")
class Action(Object):
    """What an option does with its argument; classes of the program derive from it."""

    __slots__ = ()


@model("argparse.BooleanOptionalAction")
class BooleanOptionalAction(Action):
    __slots__ = ()


class _Option:
    """One option as it was added."""

    __slots__ = ("action", "choices", "const", "default", "dest", "kind", "location", "nargs", "positional", "required")

    def __init__(self, names: tuple[Any, ...], options: dict[str, Any]) -> None:
        texts = [name for name in names if isinstance(name, str)]
        self.positional = not texts or not texts[0].startswith("-")
        self.action = options.get("action", "store")
        self.required = options.get("required") is True
        self.nargs = options.get("nargs")
        self.const = options.get("const")
        self.kind = options.get("type")
        self.default = options.get("default", _UNSET)
        choices = options.get("choices")
        items = machine().items(choices) if choices is not None else None
        self.choices = items if isinstance(items, tuple) else None
        self.dest = options.get("dest") or _dest(texts)
        self.location = machine().location


def _dest(names: list[str]) -> str:
    longest = next((name for name in names if name.startswith("--")), names[0] if names else "argument")
    return longest.lstrip("-").replace("-", "_")


class _Adding(Object):
    """What options can be added to: a parser, or a group of one."""

    __slots__ = ()

    def _parser(self) -> ArgumentParser:
        raise NotImplementedError

    def add_argument(self, *name_or_flags: Any, **kwargs: Any) -> Any:
        parser = self._parser()
        option = _Option(name_or_flags, kwargs)
        shared = parser.cells["@shared"]
        setattr(shared, "@options", (*shared.cells["@options"], option))
        made = Action()
        made.cells["dest"] = option.dest
        return made

    def add_argument_group(self, *args: Any, **kwargs: Any) -> Any:
        del args, kwargs
        return ArgumentGroup(self._parser())

    def add_mutually_exclusive_group(self, **kwargs: Any) -> Any:
        del kwargs
        return ArgumentGroup(self._parser())

    def set_defaults(self, **kwargs: Any) -> None:
        shared = self._parser().cells["@shared"]
        setattr(shared, "@defaults", {**shared.cells["@defaults"], **kwargs})

    def get_default(self, dest: Any) -> Any:
        shared = self._parser().cells["@shared"]
        if dest in shared.cells["@defaults"]:
            return shared.cells["@defaults"][dest]
        options = {option.dest: option for option in shared.cells["@options"]}
        found = options[dest].default if dest in options else None
        return None if found is _UNSET else found


class ArgumentGroup(_Adding):
    """A group of options, which are options of its parser."""

    __slots__ = ()

    def __init__(self, parser: ArgumentParser) -> None:
        self.cells["@parser"] = parser

    def _parser(self) -> ArgumentParser:
        parser: ArgumentParser = self.cells["@parser"]
        return parser


@model("argparse.ArgumentParser")
class ArgumentParser(_Adding):
    """A parser of the command line."""

    __slots__ = ()

    def __init__(
        self, prog: Any = None, usage: Any = None, description: Any = None, parents: Any = (), **kwargs: Any
    ) -> None:
        del usage, kwargs
        shared = Object()
        shared.cells.update({"@options": (), "@defaults": {}})
        self.cells.update({"@shared": shared, "prog": prog, "description": description})
        found = machine().items(parents)
        for parent in found if isinstance(found, tuple) else ():
            if isinstance(parent, ArgumentParser):
                theirs = parent.cells["@shared"].cells
                shared.cells["@options"] += theirs["@options"]
                shared.cells["@defaults"] |= theirs["@defaults"]

    def _parser(self) -> ArgumentParser:
        return self

    def add_subparsers(self, **kwargs: Any) -> Any:
        return Subparsers(self, kwargs.get("dest"))

    def parse_args(self, args: Any = None, namespace: Any = None) -> Any:
        shared = self.cells["@shared"].cells
        plain = args is not None and _is_empty(args)
        made = namespace if isinstance(namespace, Object) else Namespace()
        for option in shared["@options"]:
            if option.action in ("help", "version") or option.default is argparse.SUPPRESS:
                continue
            default = shared["@defaults"].get(option.dest, option.default)
            setattr(made, option.dest, _plain_default(option, default) if plain else _value(option, default))
        for name, default in shared["@defaults"].items():
            if not any(option.dest == name for option in shared["@options"]):
                setattr(made, name, default)
        return made

    def parse_known_args(self, args: Any = None, namespace: Any = None) -> Any:
        from mlvet.frontends.python.libraries.builtins.elements import integer

        return self.parse_args(args, namespace), ListValue(Repeated(Scalar(str), integer("other_arguments")))

    parse_intermixed_args = parse_args

    def print_help(self, file: Any = None) -> None: ...

    def print_usage(self, file: Any = None) -> None: ...

    def format_help(self) -> Any:
        return Scalar(str)

    def error(self, message: Any) -> None:
        raise Raised(SystemExit(2))

    def exit(self, status: Any = 0, message: Any = None) -> None:
        raise Raised(SystemExit(status))

    def register(self, *args: Any) -> None: ...

    def convert_arg_line_to_args(self, arg_line: Any) -> Any:
        return ListValue((arg_line,))


class Subparsers(Object):
    """The parsers of subcommands, whose options are all taken to be there."""

    __slots__ = ()

    def __init__(self, parser: ArgumentParser, dest: Any) -> None:
        self.cells.update({"@parser": parser, "@dest": dest, "@names": ()})

    def add_parser(self, name: Any, **kwargs: Any) -> Any:
        parser = self.cells["@parser"]
        made = ArgumentParser(name, None, None, kwargs.get("parents", ()))
        own = made.cells["@shared"].cells
        shared = parser.cells["@shared"]
        setattr(shared, "@options", (*shared.cells["@options"], *own["@options"]))
        made.cells["@shared"] = shared
        setattr(self, "@names", (*self.cells["@names"], name))
        if isinstance(self.cells["@dest"], str):
            choices = ListValue(self.cells["@names"])
            kept = [option for option in shared.cells["@options"] if option.dest != self.cells["@dest"]]
            option = _Option((self.cells["@dest"],), {"choices": choices})
            setattr(shared, "@options", (option, *kept))
        return made


def _is_empty(args: Any) -> bool:
    items = machine().items(args)
    return isinstance(items, tuple) and not items


def _plain_default(option: _Option, default: Any) -> Any:
    """What an option is when the command line is empty."""
    if default is not _UNSET:
        return _converted(option.kind, default)
    return {"store_true": False, "store_false": True}.get(option.action) if isinstance(option.action, str) else None


def _converted(kind: Any, default: Any) -> Any:
    """A default written as text goes through the type, as a command line argument would."""
    if isinstance(default, str) and kind not in (None, str):
        return machine().call(kind, default)
    return default


def _value(option: _Option, default: Any) -> Any:
    """What is known of an option's value."""
    given = default is not _UNSET
    default = _converted(option.kind, default) if given else None
    match option.action:
        case "store_true" | "store_false":
            off = option.action == "store_false"
            return setting(bool, option.dest, default if isinstance(default, bool) else off, where=option.location)
        case "store_const" | "append_const":
            kind = kind_of(option.const) or kind_of(default)
            return (
                machine().unknown(Reason.EXTERNAL_DATA, option.dest, option.dest)
                if kind is None
                else setting(kind, option.dest, default)
            )
        case "count":
            return setting(int, option.dest, default if isinstance(default, int) else 0, where=option.location)
        case "append" | "extend":
            return default if _is_list(default) else several(_kind(option, default) or str, option.dest)
        case "store" | None:
            return _stored(option, default, given)
    if option.action is BooleanOptionalAction:
        return setting(bool, option.dest, default, given=given)
    return default if default is not None else machine().unknown(Reason.EXTERNAL_DATA, option.dest, option.dest)


def _stored(option: _Option, default: Any, given: bool) -> Any:
    nargs = preset(option.nargs)
    kind = _kind(option, default)
    if nargs is not None and nargs != "?":
        if _is_list(default):
            return default
        if isinstance(nargs, int):
            return ListValue(setting(kind or str, f"{option.dest}_{place}", given=False) for place in range(nargs))
        return several(kind or str, option.dest)
    if _is_list(default) or isinstance(default, DictValue | Object | Unknown):
        return default
    if kind is None:
        return machine().unknown(Reason.EXTERNAL_DATA, option.dest, option.dest)
    required = (option.positional or option.required) and nargs is None
    if kind is str and not given and not required:
        given = True
    if kind in (int, float, bool) and not given and not required:
        given, default = True, None
    return setting(
        kind, option.dest, preset(default), given=given and not required, choices=option.choices, where=option.location
    )


def _kind(option: _Option, default: Any) -> type | None:
    """The type of an option: by its `type`, or by its default where that is a function of the program."""
    if option.kind in _KINDS:
        found: type = option.kind
        if found is bool and isinstance(default, int) and not isinstance(default, bool):
            return int
        if found is int and isinstance(default, float):
            return float
        return found
    by_default = kind_of(default)
    if option.kind is None:
        by_choice = kind_of(option.choices[0]) if option.choices else None
        return by_default or by_choice or str
    if by_default is not None:
        return by_default
    if isinstance(option.kind, FileType):
        return None
    result = machine().call(option.kind, Scalar(str, option.dest))
    return kind_of(result)


def _is_list(value: Any) -> bool:
    return isinstance(value, ListValue | tuple)


@model("argparse.FileType")
class FileType(Object):
    __slots__ = ()

    def __init__(self, mode: Any = "r", *rest: Any) -> None:
        del rest
        self.cells["mode"] = mode

    def __call__(self, string: Any) -> Any:
        from mlvet.frontends.python.libraries.builtins.effects import File

        return File(string, self.cells["mode"])


def _formatters() -> None:
    for name in (
        "HelpFormatter", "RawDescriptionHelpFormatter", "RawTextHelpFormatter", "ArgumentDefaultsHelpFormatter",
        "MetavarTypeHelpFormatter",
    ):  # fmt: skip
        model(f"argparse.{name}")(type(name, (Object,), {"__slots__": (), "__module__": __name__}))


_formatters()
