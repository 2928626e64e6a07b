"""Record types of every flavour."""
import collections
import dataclasses
import enum
from dataclasses import InitVar, dataclass, field
from typing import Any, ClassVar, NamedTuple, TypedDict

Sample = collections.namedtuple("Sample", "image label weight", defaults=[1.0])
Legacy = collections.namedtuple("Legacy", ["x", "y"])


class Metric(NamedTuple):
    name: str
    value: float = 0.0

    def better(self, other):
        return self.value > other.value


class Mode(str, enum.Enum):
    TRAIN = "train"
    EVAL = "eval"

    @classmethod
    def parse(cls, text):
        return cls(text.lower())


class Capability(enum.IntFlag):
    CPU = enum.auto()
    GPU = enum.auto()
    BOTH = CPU | GPU


class Row(TypedDict, total=False):
    loss: float
    note: str


@dataclass
class Base:
    registry: ClassVar[dict] = {}
    seed: int = 0

    def __init_subclass__(cls, **kwargs):
        super().__init_subclass__(**kwargs)
        cls.registry[cls.__name__] = cls


@dataclass
class Config(Base):
    lr: float = 0.1
    layers: list = field(default_factory=lambda: [8, 8])
    scale: InitVar[float] = 1.0
    derived: float = field(init=False, repr=False)

    def __post_init__(self, scale):
        self.derived = self.lr * scale


@dataclass(frozen=True, order=True)
class Version:
    major: int
    minor: int = 0
    extra: Any = field(default=None, compare=False)


if __name__ == "__main__":
    config = Config(1, lr=0.5, scale=4.0)
    print(config, config.derived, dataclasses.replace(config, seed=3, scale=1.0).seed)
    print(Sample("img", 3).weight, Sample._make(["a", 1, 2.0])._asdict(), Legacy(1, 2)._replace(x=5).x)
    print(Metric("f1", 0.7).better(Metric("f1")), *Metric("acc", 1.0))
    print(Mode.parse("TRAIN").value.upper(), Mode["EVAL"].name, list(Mode), Mode.TRAIN == "train")
    print(Capability.BOTH & Capability.GPU, Capability.CPU in Capability.BOTH)
    row: Row = {"loss": 0.1}
    print(row.get("note"), Version(1) < Version(1, 2, extra="x"), Base.registry["Config"] is Config)
