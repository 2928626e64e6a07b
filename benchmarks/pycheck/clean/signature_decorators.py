"""The visible signature is not the one that is called."""
import contextlib
import functools
import random


def with_rng(function):
    """Supplies the first argument."""
    @functools.wraps(function)
    def wrapper(*args, seed=0, **kwargs):
        return function(random.Random(seed), *args, **kwargs)
    return wrapper


def option(name, default):
    def decorate(function):
        @functools.wraps(function)
        def wrapper(**kwargs):
            kwargs.setdefault(name, default)
            return function(**kwargs)
        return wrapper
    return decorate


def repeated(times):
    def decorate(function):
        return lambda *args: [function(*args) for _ in range(times)]
    return decorate


def singleton(cls):
    return cls()


class validated:
    def __init__(self, function):
        self.function = function
        functools.update_wrapper(self, function)

    def __call__(self, *args):
        return self.function(*(abs(arg) for arg in args))

    def __get__(self, instance, owner):
        return functools.partial(self.__call__, instance) if instance else self


@with_rng
def noise(rng, count):
    return [round(rng.random(), 3) for _ in range(count)]


@option("lr", 0.1)
@option("epochs", 2)
def train(lr, epochs):
    return lr * epochs


@repeated(3)
def flip(side):
    return side.upper()


@singleton
class Settings:
    depth = 4


@validated
def area(width, height):
    return width * height


@contextlib.contextmanager
def phase(name):
    yield name.title()


if __name__ == "__main__":
    print(noise(2), noise(2, seed=1), noise(count=1))
    print(train(), train(lr=1.0), flip("heads"))
    print(Settings.depth, area(-2, 3), area.__name__)
    with phase("warm up") as title:
        print(title)
