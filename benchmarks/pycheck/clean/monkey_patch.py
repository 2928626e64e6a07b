"""Attributes that arrive after the fact."""
import json
import math
import types


class Model:
    def __init__(self, slope):
        self.slope = slope

    def predict(self, x):
        return self.slope * x


class Args:
    pass


def loud(self, x):
    value = self.quiet_predict(x)
    self.calls += 1
    return value


def counted(function):
    def wrapper(*args):
        wrapper.count += 1
        return function(*args)
    wrapper.count = 0
    return wrapper


@counted
def loss(a, b):
    return (a - b) ** 2


def patch(model):
    model.calls = 0
    model.quiet_predict = model.predict
    model.predict = types.MethodType(loud, model)
    return model


def add_summary(cls):
    cls.summary = lambda self: f"{type(self).__name__}(slope={self.slope})"
    return cls


if __name__ == "__main__":
    add_summary(Model)
    model = patch(Model(2.0))
    print(loss(model.predict(3.0), 5.0), model.calls, model.summary())
    print(loss.count)

    args = Args()
    args.lr = 0.1
    args.epochs = 3
    print(vars(args), args.lr * args.epochs)

    math.tau_half = math.tau / 2
    print(math.tau_half == math.pi)
    json.dumps.used = True
    print(json.dumps({"used": json.dumps.used}))

    namespace = types.SimpleNamespace(step=0)
    namespace.best = float("inf")
    for namespace.step in range(3):
        namespace.best = min(namespace.best, 1 / (1 + namespace.step))
    print(namespace.step, namespace.best)
