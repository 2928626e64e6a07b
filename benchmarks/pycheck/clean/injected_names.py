"""Names that no assignment statement creates."""
import sys

DEFAULTS = {"LEARNING_RATE": 0.1, "EPOCHS": 3}
globals().update(DEFAULTS)

exec("def cube(x):\n    return x ** 3\n\nLIMIT = 10")

for _name, _factor in (("double", 2), ("triple", 3)):
    globals()[_name] = (lambda factor: lambda value: value * factor)(_factor)

setattr(sys.modules[__name__], "VERSION", (1, 2))


class Registry:
    for _key in ("alpha", "beta"):
        locals()[_key] = property(lambda self, key=_key: self.values[key])
    del _key

    def __init__(self):
        self.values = {"alpha": 1, "beta": 2}


class Lazy:
    def __getattr__(self, name):
        if name.startswith("load_"):
            return lambda *args: (name[5:], *args)
        raise AttributeError(name)


def override(arguments):
    for argument in arguments:
        key, _, value = argument.partition("=")
        if key in globals():
            globals()[key] = type(globals()[key])(value)


def main():
    override(["EPOCHS=5"])
    print(LEARNING_RATE * EPOCHS, cube(2), LIMIT)
    print(double(4), triple(4), VERSION)
    registry = Registry()
    print(registry.alpha + registry.beta)
    lazy = Lazy()
    print(lazy.load_model("a.pt"), lazy.load_data())
    print(__name__, __doc__.split()[0], __file__.endswith(".py"))


if __name__ == "__main__":
    main()
