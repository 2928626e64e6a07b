from dataclasses import dataclass, field


class Shape:
    sides = 0
    made = []

    def __init__(self, name):
        self.name = name
        Shape.made.append(name)

    def area(self):
        return 0

    @property
    def label(self):
        return f"{self.name}:{self.sides}"

    @classmethod
    def unit(cls, *args):
        return cls(*args)

    @staticmethod
    def double(x):
        return 2 * x

    def __len__(self):
        return self.sides

    def __eq__(self, other):
        return self.area() == other.area()


class Square(Shape):
    sides = 4

    def __init__(self, side):
        super().__init__("square")
        self.side = side

    def area(self):
        return self.side**2

    def __add__(self, other):
        return Square(self.side + other.side)

    def __radd__(self, other):
        return Square(self.side + other)

    def __getitem__(self, index):
        return self.side * index

    def __call__(self, factor=1):
        return self.area() * factor

    def __iter__(self):
        return iter([self.side] * 4)

    def __contains__(self, item):
        return item == self.side


square = Square(3)
name, label, area = square.name, square.label, square.area()
length = len(square)
added = (square + Square(2)).side
reflected = (10 + square).side
indexed = square[5]
called = square(factor=2)
sides = list(square)
inside, outside = 3 in square, 4 in square
unit = Square.unit(1).side
doubled = Square.double(4)
equal = square == Square(3)
made = Shape.made


class Left:
    def who(self):
        return "left"


class Right(Left):
    def who(self):
        return "right " + super().who()


class Both(Right, Left):
    def who(self):
        return "both " + super().who()


who = Both().who()


class Celsius:
    def __init__(self, degrees):
        self._degrees = degrees

    @property
    def degrees(self):
        return self._degrees

    @degrees.setter
    def degrees(self, value):
        self._degrees = value * 10


celsius = Celsius(20)
celsius.degrees = 3
degrees = celsius.degrees


@dataclass
class Config:
    width: int
    depth: int = 2
    names: list = field(default_factory=list)

    def __post_init__(self):
        self.size = self.width * self.depth


config = Config(8)
other = Config(4, depth=3, names=["a"])
config.names.append("x")
sizes = config.size, other.size
names = config.names, other.names


class Wide(Config):
    def total(self):
        return self.size + 1


wide = Wide(5).total()


class Dynamic:
    def __getattr__(self, name):
        return f"no {name}"


dynamic = Dynamic().thing
square.colour = "red"
colour = square.colour
missing = getattr(square, "missing", "default")
has = hasattr(square, "colour"), hasattr(square, "nothing")
is_shape = isinstance(square, Shape), isinstance(square, Left), issubclass(Square, Shape)
