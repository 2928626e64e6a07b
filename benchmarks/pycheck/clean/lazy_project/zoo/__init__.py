"""Names are imported when they are first asked for."""
import importlib

_LAZY = {"Linear": "models", "Quadratic": "models", "load": "factory"}


def __getattr__(name):
    if name in _LAZY:
        module = importlib.import_module("." + _LAZY[name], __name__)
        value = getattr(module, name)
        globals()[name] = value
        return value
    if name == "MODEL_COUNT":
        return 2
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")


def __dir__():
    return [*globals(), *_LAZY]
