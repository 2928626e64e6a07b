"""json, yaml, toml, pickle, csv: small files of the program itself are read; other data is from outside."""

from __future__ import annotations

import ast
import csv
import json
import pickle
import tomllib
from collections.abc import Callable
from importlib import import_module
from typing import Any

from mlvet.frontends.python.active import machine
from mlvet.frontends.python.libraries.builtins.effects import File, text_of
from mlvet.frontends.python.libraries.builtins.elements import integer
from mlvet.frontends.python.libraries.registry import model
from mlvet.frontends.python.libraries.stdlib.typed import constants, data, effects, text, typed, wrapped
from mlvet.frontends.python.values.containers import DictValue, ListValue, Repeated
from mlvet.frontends.python.values.numbers import Scalar
from mlvet.frontends.python.values.objects import Object
from mlvet.frontends.python.values.raising import Raised
from mlvet.frontends.python.values.unknown import Reason

constants(json, ["JSONDecodeError", "JSONEncoder", "JSONDecoder"])
constants(json, ["JSONDecodeError"], "json.decoder")
constants(pickle, ["PickleError", "UnpicklingError", "PicklingError", "HIGHEST_PROTOCOL", "DEFAULT_PROTOCOL"])
effects("json", ("dump",))
typed("json", {"dumps": text})
effects("pickle", ("dump",))
typed("pickle", {"dumps": data})
effects("toml", ("dump",))
typed("toml", {"dumps": text})
Parser = Callable[[str], Any]


def outside(what: str) -> Any:
    """Data that a file decides."""
    return machine().unknown(Reason.EXTERNAL_DATA, what)


def parsed(parse: Parser, content: Any, what: str) -> Any:
    """The structure that a text describes, as constants of the program; data from outside if the text is not known."""
    if isinstance(content, bytes):
        content = content.decode("utf-8", "replace")
    if not isinstance(content, str):
        return outside(what)
    try:
        return wrapped(parse(content))
    except (ValueError, TypeError, RecursionError):
        return outside(what)


def content_of(stream: Any) -> Any:
    """The text of an open file."""
    if isinstance(stream, File):
        return stream.read()
    return stream if isinstance(stream, str | bytes) else None


def yaml_of(content: str) -> Any:
    """A YAML text as plain data; None where YAML cannot be read."""
    try:
        yaml = import_module("yaml")
    except ImportError as error:
        raise ValueError("YAML cannot be read here") from error
    try:
        return yaml.safe_load(content)
    except yaml.YAMLError as error:
        raise ValueError(str(error)) from error


def _format(module: str, parse: Parser, readers: tuple[str, ...], texts: tuple[str, ...]) -> None:
    def load(fp: Any, *rest: Any, **options: Any) -> Any:
        del rest, options
        return parsed(parse, content_of(fp), f"{module}.load")

    def loads(s: Any, *rest: Any, **options: Any) -> Any:
        del rest, options
        return parsed(parse, s, f"{module}.loads")

    for name in readers:
        model(f"{module}.{name}")(load)
    for name in texts:
        model(f"{module}.{name}")(loads)


_format("json", json.loads, ("load",), ("loads",))
_format("tomllib", tomllib.loads, ("load",), ("loads",))
_format("tomli", tomllib.loads, ("load",), ("loads",))
_format("yaml", yaml_of, ("load", "safe_load", "full_load", "unsafe_load"), ())


@model("toml.load")
def toml_load(f: Any) -> Any:
    return parsed(tomllib.loads, content_of(f) if isinstance(f, File) else text_of(f), "toml.load")


@model("toml.loads")
def toml_loads(s: Any) -> Any:
    return parsed(tomllib.loads, s, "toml.loads")


@model("yaml.load_all", "yaml.safe_load_all")
def yaml_documents(stream: Any, *rest: Any) -> Any:
    del stream, rest
    return ListValue(Repeated(outside("yaml.load_all"), integer("documents")))


@model("yaml.dump", "yaml.safe_dump")
def yaml_dump(data: Any, stream: Any = None, *rest: Any, **options: Any) -> Any:
    del data, rest, options
    return Scalar(str) if stream is None else None


class Loader(Object):
    __slots__ = ()


for _name in ("Loader", "SafeLoader", "FullLoader", "UnsafeLoader", "CLoader", "CSafeLoader", "Dumper", "SafeDumper"):
    model(f"yaml.{_name}")(type(_name, (Loader,), {"__slots__": (), "__module__": __name__}))
model("yaml.YAMLError")(type("YAMLError", (Exception,), {}))
effects("yaml", ("add_constructor", "add_representer"))


@model("pickle.load", "pickle.loads", "joblib.load", "dill.load", "cloudpickle.load", "shelve.open", "marshal.load")
def unpickle(file: Any, *rest: Any, **options: Any) -> Any:
    del file, rest, options
    return outside("pickle.load")


effects("joblib", ("dump",))


@model("ast.literal_eval")
def literal(node_or_string: Any) -> Any:
    if isinstance(node_or_string, str):
        try:
            return wrapped(ast.literal_eval(node_or_string))
        except (ValueError, SyntaxError) as error:
            raise Raised(error) from error
    return machine().unknown(Reason.EXTERNAL_DATA, "ast.literal_eval")


class Rows(Object):
    """csv.reader and csv.DictReader: rows of texts."""

    __slots__ = ()

    def __init__(self, row: Any, rows: Any = None) -> None:
        self.cells.update({"@row": row, "@rows": rows, "line_num": integer("line"), "fieldnames": _texts()})

    def iterate(self) -> Any:
        rows = self.cells["@rows"]
        return Repeated(self.cells["@row"], integer("rows")) if rows is None else rows

    def __next__(self) -> Any:
        return self.cells["@row"]


def _texts() -> Any:
    return ListValue(Repeated(Scalar(str), integer("columns")))


@model("csv.reader")
def reader(csvfile: Any, *rest: Any, **options: Any) -> Any:
    known = content_of(csvfile) if not options and not rest else None
    rows = tuple(wrapped(row) for row in csv.reader(known.splitlines())) if isinstance(known, str) else None
    return Rows(_texts(), rows)


@model("csv.DictReader")
def dict_reader(f: Any, *rest: Any, **options: Any) -> Any:
    del f, rest, options
    return Rows(DictValue(rest=Scalar(str)))


@model("csv.writer", "csv.DictWriter")
class Writer(Object):
    __slots__ = ()

    def writerow(self, row: Any) -> Any:
        del row
        return integer("written")

    def writerows(self, rows: Any) -> None: ...

    def writeheader(self) -> Any:
        return integer("written")


effects("csv", ("field_size_limit", "register_dialect"))
for _name in ("QUOTE_ALL", "QUOTE_MINIMAL", "QUOTE_NONE", "QUOTE_NONNUMERIC"):
    model(f"csv.{_name}")(getattr(csv, _name))
constants(csv, ["Error"])
