"""Classes whose attributes come from machinery."""
import operator


class Registry(dict):
    def register(self, name=None):
        def decorate(item):
            self[name or item.__name__.lower()] = item
            return item
        return decorate


MODELS = Registry()


class Countable(type):
    def __new__(mcs, name, bases, namespace, **kwargs):
        cls = super().__new__(mcs, name, bases, namespace, **kwargs)
        cls.created = 0
        return cls

    @property
    def label(cls):
        return cls.__name__.upper()


class Positive:
    def __set_name__(self, owner, name):
        self.name = "_" + name

    def __get__(self, instance, owner=None):
        return self if instance is None else getattr(instance, self.name)

    def __set__(self, instance, value):
        if value <= 0:
            raise ValueError(self.name)
        setattr(instance, self.name, value)


class Layer(metaclass=Countable):
    subclasses = []
    width = Positive()

    def __init_subclass__(cls, kind="plain", **kwargs):
        super().__init_subclass__(**kwargs)
        cls.kind = kind
        Layer.subclasses.append(cls)

    def __init__(self, width):
        self.width = width
        type(self).created += 1


@MODELS.register()
class Dense(Layer, kind="affine"):
    @property
    def scale(self):
        return self.__dict__.get("scale_", 1)

    @scale.setter
    def scale(self, value):
        self.scale_ = value


@MODELS.register("conv")
class Convolution(Layer):
    pass


class Point:
    __slots__ = ("x", "y")

    def __init__(self, **values):
        for name in self.__slots__:
            setattr(self, name, values.get(name, 0))


if __name__ == "__main__":
    layer = MODELS["dense"](width=3)
    layer.scale = 4
    print(layer.scale * layer.width, layer.kind, Dense.created, Dense.label, Layer.subclasses)
    point = Point(x=2)
    print(MODELS["conv"](1).kind, point.x + point.y, operator.attrgetter("kind")(layer))
