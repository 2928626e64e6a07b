"""ml_collections, omegaconf and hydra: configurations, made in the program or read from its YAML files."""

from __future__ import annotations

import posixpath
from typing import Any

from mlvet.frontends.python.active import machine
from mlvet.frontends.python.libraries.builtins.constructors import entries
from mlvet.frontends.python.libraries.builtins.effects import text_of
from mlvet.frontends.python.libraries.builtins.settings import setting
from mlvet.frontends.python.libraries.registry import model
from mlvet.frontends.python.libraries.settings.flags import _holder
from mlvet.frontends.python.libraries.stdlib.formats import parsed, yaml_of
from mlvet.frontends.python.libraries.stdlib.typed import effects, truth, typed
from mlvet.frontends.python.values.containers import DictValue, ListValue, is_key
from mlvet.frontends.python.values.numbers import Scalar
from mlvet.frontends.python.values.objects import Object
from mlvet.frontends.python.values.raising import Raised
from mlvet.frontends.python.values.unknown import Reason, Unknown


@model("ml_collections.ConfigDict", "ml_collections.config_dict.ConfigDict", "ml_collections.FrozenConfigDict",
       "ml_collections.config_dict.FrozenConfigDict", "omegaconf.DictConfig")  # fmt: skip
class ConfigDict(Object):
    """A dictionary whose entries are attributes too. Entries that nothing sets come from outside."""

    __slots__ = ()

    def __init__(self, initial_dictionary: Any = None, *rest: Any, **options: Any) -> None:
        del rest, options
        if isinstance(initial_dictionary, Unknown):
            self.cells["@open"] = initial_dictionary
        elif initial_dictionary is not None:
            for key, value in entries(initial_dictionary):
                if is_key(key):
                    self.cells[key] = nested(value)

    def _names(self) -> list[Any]:
        return [name for name in self.cells if not str(name).startswith("@")]

    def as_keywords(self) -> DictValue:
        """What `**config` passes."""
        return DictValue({name: self.cells[name] for name in self._names()})

    def missing(self, name: str) -> Any:
        if name in ("__iter__", "__next__"):
            raise Raised(AttributeError(name))
        return machine().unknown(Reason.EXTERNAL_DATA, f"the setting {name}", name)

    def __getitem__(self, key: Any) -> Any:
        if isinstance(key, str) and "." in key and key not in self.cells:
            head, _, rest = key.partition(".")
            inner = self[head]
            return inner[rest] if isinstance(inner, ConfigDict) else machine().attribute(inner, rest)
        if is_key(key) and key in self.cells:
            return self.cells[key]
        return machine().unknown(Reason.EXTERNAL_DATA, f"the setting {key}", key if isinstance(key, str) else "")

    def __setitem__(self, key: Any, value: Any) -> None:
        if isinstance(key, str):
            setattr(self, key, nested(value))

    def __delitem__(self, key: Any) -> None:
        delattr(self, key)

    def __contains__(self, key: Any) -> Any:
        return True if is_key(key) and key in self.cells else Scalar(bool) if "@open" in self.cells else False

    def length(self) -> Any:
        return len(self._names())

    def iterate(self) -> Any:
        return tuple(self._names())

    def get(self, key: Any, default_value: Any = None) -> Any:
        return self.cells[key] if is_key(key) and key in self.cells else default_value

    def get_ref(self, key: Any) -> Any:
        return self[key]

    def keys(self) -> Any:
        return ListValue(self._names())

    def values(self) -> Any:
        return ListValue(self.cells[name] for name in self._names())

    def items(self) -> Any:
        return ListValue((name, self.cells[name]) for name in self._names())

    def update(self, *others: Any, **keywords: Any) -> None:
        for other in others:
            for key, value in entries(other):
                self[key] = value
        for key, value in keywords.items():
            self[key] = value

    update_from_flattened_dict = update

    def pop(self, key: Any, default: Any = None) -> Any:
        found = self.get(key, default)
        if key in self.cells:
            delattr(self, key)
        return found

    def to_dict(self, *args: Any, **options: Any) -> Any:
        del args, options
        return DictValue({name: plain(self.cells[name]) for name in self._names()})

    def copy_and_resolve_references(self, *args: Any, **options: Any) -> Any:
        del args, options
        return ConfigDict(self.to_dict())

    copy = copy_and_resolve_references

    def lock(self) -> Any:
        return self

    unlock = freeze = lock

    def unlocked(self) -> Any:
        return self

    ignore_type = unlocked

    def __enter__(self) -> Any:
        return self

    def __exit__(self, *details: Any) -> None: ...

    def to_yaml(self, **options: Any) -> Any:
        del options
        return Scalar(str)

    to_json = to_json_best_effort = to_yaml


def nested(value: Any) -> Any:
    """Dictionaries within a configuration are configurations."""
    return ConfigDict(value) if isinstance(value, DictValue) else value


def plain(value: Any) -> Any:
    return value.to_dict() if isinstance(value, ConfigDict) else value


@model("ml_collections.config_dict.placeholder", "ml_collections.config_dict.required_placeholder")
def placeholder(field_type: Any, **options: Any) -> Any:
    """An entry that is None until the user sets it."""
    del options
    return Scalar(field_type if isinstance(field_type, type) else str, "", None, True)


@model("ml_collections.config_dict.create")
def create(**kwargs: Any) -> Any:
    return ConfigDict(DictValue(kwargs))


@model("ml_collections.FieldReference", "ml_collections.config_dict.FieldReference")
class FieldReference(Object):
    """A value that several entries share."""

    __slots__ = ()

    def __init__(self, default: Any = None, field_type: Any = None) -> None:
        del field_type
        self.cells["value"] = default

    def get(self) -> Any:
        return self.cells["value"]

    def set(self, value: Any) -> None:
        self.value = value


@model("ml_collections.config_flags.DEFINE_config_file", "ml_collections.config_flags.DEFINE_config_dict")
def define_config(name: Any, default: Any = None, *rest: Any, **options: Any) -> Any:
    """A configuration that a Python file of the program makes in `get_config`."""
    del rest, options
    return _holder(str(name), _from_file(default) if not isinstance(default, ConfigDict) else default, default)


def _from_file(path: Any) -> Any:
    if isinstance(path, str) and path.partition(":")[0].endswith(".py"):
        from mlvet.frontends.python.interpretation.imports import module

        file, _, argument = path.partition(":")
        dotted = file.removesuffix(".py").replace("/", ".").strip(".")
        found = module(machine(), dotted)
        if not getattr(found, "of_library", True):
            return machine().send(found, "get_config", *([argument] if argument else []))
    return ConfigDict(Unknown(Reason.EXTERNAL_DATA, "a configuration file"))


class OmegaConf(Object):
    """omegaconf.OmegaConf: makes configurations of dictionaries, texts and files."""

    __slots__ = ()

    @staticmethod
    def create(obj: Any = None, *rest: Any, **options: Any) -> Any:
        del rest, options
        if isinstance(obj, str):
            return nested(parsed(yaml_of, obj, "a configuration"))
        return nested(obj) if obj is not None else ConfigDict()

    @staticmethod
    def load(file_: Any) -> Any:
        return nested(_settings("", parsed(yaml_of, text_of(file_), "a configuration file")))

    @staticmethod
    def structured(obj: Any, *rest: Any, **options: Any) -> Any:
        del rest, options
        return machine().call(obj) if not isinstance(obj, Object) else obj

    @staticmethod
    def merge(*configs: Any) -> Any:
        made = ConfigDict()
        for each in configs:
            _merge(made, each)
        return made

    unsafe_merge = merge

    @staticmethod
    def from_cli(args_list: Any = None) -> Any:
        del args_list
        return ConfigDict()

    from_dotlist = from_cli

    @staticmethod
    def to_container(cfg: Any, **options: Any) -> Any:
        del options
        return plain(cfg)

    to_object = to_container

    @staticmethod
    def to_yaml(cfg: Any, **options: Any) -> Any:
        del cfg, options
        return Scalar(str)

    @staticmethod
    def save(config: Any, f: Any, resolve: Any = False) -> None: ...

    @staticmethod
    def set_struct(conf: Any, value: Any) -> None: ...

    set_readonly = set_struct

    @staticmethod
    def resolve(cfg: Any) -> None: ...

    @staticmethod
    def register_new_resolver(*args: Any, **options: Any) -> None: ...

    register_resolver = register_new_resolver

    @staticmethod
    def update(cfg: Any, key: Any, value: Any = None, **options: Any) -> None:
        del options
        if isinstance(cfg, ConfigDict) and isinstance(key, str):
            cfg[key] = value

    @staticmethod
    def select(cfg: Any, key: Any, default: Any = None, **options: Any) -> Any:
        del options
        return cfg[key] if isinstance(cfg, ConfigDict) and isinstance(key, str) else default

    @staticmethod
    def is_config(obj: Any) -> Any:
        return isinstance(obj, ConfigDict)

    is_dict = is_config

    @staticmethod
    def is_list(obj: Any) -> Any:
        return isinstance(obj, ListValue)


model("omegaconf.OmegaConf")(OmegaConf)


@model("omegaconf.ListConfig")
def list_config(content: Any = ()) -> Any:
    return ListValue(machine().items(content))


model("omegaconf.MISSING")("???")


def _merge(into: ConfigDict, other: Any) -> None:
    for key, value in entries(other) if isinstance(other, DictValue | ConfigDict) else ():
        held = into.cells.get(key) if is_key(key) else None
        if isinstance(held, ConfigDict) and isinstance(value, ConfigDict | DictValue):
            _merge(held, value)
        elif is_key(key):
            into[key] = value


def _settings(name: str, value: Any) -> Any:
    """What a configuration file says as settings of the user, integers as symbols of their names."""
    if isinstance(value, DictValue):
        return DictValue({key: _settings(str(key), each) for key, each in value.cells.items()}, value.rest)
    if isinstance(value, int | str | bool) and name and not isinstance(value, float):
        kind = bool if isinstance(value, bool) else int if isinstance(value, int) else str
        return setting(kind, name, value)
    return value


@model("hydra.main")
def main(version_base: Any = None, config_path: Any = None, config_name: Any = None) -> Any:
    """A decorator of the function that gets the configuration of a YAML file."""
    del version_base

    def decorate(function: Any) -> Any:
        return lambda cfg_passthrough=None: machine().call(
            function, cfg_passthrough if cfg_passthrough is not None else composed(config_path, config_name)
        )

    return decorate


def composed(folder: Any, name: Any) -> Any:
    """The configuration of a YAML file with those that its `defaults` name."""
    if not isinstance(name, str):
        return ConfigDict(Unknown(Reason.EXTERNAL_DATA, "a configuration"))
    path = posixpath.join(folder if isinstance(folder, str) else "", name)
    found = parsed(
        yaml_of, text_of(path if path.endswith((".yaml", ".yml")) else f"{path}.yaml"), "a configuration file"
    )
    if not isinstance(found, DictValue):
        return ConfigDict(Unknown(Reason.EXTERNAL_DATA, "a configuration file"))
    made = ConfigDict()
    defaults = found.cells.pop("defaults", None)
    for each in defaults.items if isinstance(defaults, ListValue) and isinstance(defaults.items, tuple) else ():
        for group, chosen in each.cells.items() if isinstance(each, DictValue) else ():
            part = str(group).removeprefix("override ")
            if isinstance(chosen, str) and not part.startswith("hydra"):
                made[part] = composed(posixpath.join(folder if isinstance(folder, str) else "", part), chosen)
    _merge(made, _settings("", found))
    return made


@model("hydra.compose")
def compose(config_name: Any = None, overrides: Any = None, **options: Any) -> Any:
    del overrides, options
    folder = machine().memory.get("hydra", {}).get("folder")
    return composed(folder, config_name)


@model("hydra.initialize", "hydra.initialize_config_dir")
class initialize(Object):
    __slots__ = ()

    def __init__(self, config_path: Any = None, **options: Any) -> None:
        folder = options.get("config_dir", config_path)
        machine().memory.setdefault("hydra", {})["folder"] = folder

    def __enter__(self) -> None: ...

    def __exit__(self, *details: Any) -> None: ...


@model("hydra.utils.instantiate", "hydra.utils.call")
def instantiate(config: Any = None, *args: Any, **kwargs: Any) -> Any:
    """The object that `_target_` of a configuration names."""
    target = config.cells.get("_target_") if isinstance(config, ConfigDict | DictValue) else None
    dotted = target.default if isinstance(target, Scalar) else target
    if not isinstance(dotted, str):
        return machine().unknown(Reason.GENERATED_CODE, "an object that a configuration names")
    from mlvet.frontends.python.interpretation.imports import module

    holder, _, name = dotted.rpartition(".")
    given = {key: value for key, value in config.cells.items() if not str(key).startswith(("_", "@"))}
    return machine().call(machine().attribute(module(machine(), holder), name), *args, **{**given, **kwargs})


@model("hydra.utils.get_class", "hydra.utils.get_method", "hydra.utils.get_object")
def get_class(path: Any) -> Any:
    if not isinstance(path, str):
        return machine().unknown(Reason.GENERATED_CODE, "a class that a configuration names")
    from mlvet.frontends.python.interpretation.imports import module

    holder, _, name = path.rpartition(".")
    return machine().attribute(module(machine(), holder), name)


@model("hydra.utils.to_absolute_path")
def to_absolute_path(path: Any) -> Any:
    return path


typed("hydra.utils", {"get_original_cwd": lambda: Scalar(str)})
typed("hydra.core.hydra_config.HydraConfig", {"initialized": truth})
effects("hydra.core.global_hydra.GlobalHydra", ("clear",))
