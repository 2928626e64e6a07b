"""Methods and attributes of numbers and iterators."""

from __future__ import annotations

from operator import attrgetter
from typing import Any

from mlvet.domains.dims import Expr, bounds
from mlvet.frontends.python.libraries.builtins.elements import integer
from mlvet.frontends.python.libraries.builtins.sequences import taken
from mlvet.frontends.python.libraries.registry import model
from mlvet.frontends.python.values.numbers import Scalar
from mlvet.frontends.python.values.raising import Raised
from mlvet.frontends.python.values.ratios import Ratio


@model("builtins.int.bit_length")
def bit_length(self: Any, /) -> Any:
    if isinstance(self, int):
        return self.bit_length()
    low, high = bounds(self) if isinstance(self, Expr) else (0, float("inf"))
    return integer(
        "bits", int(low).bit_length() if low > 0 else 0, high if high == float("inf") else int(high).bit_length()
    )


@model("builtins.int.bit_count")
def bit_count(self: Any, /) -> Any:
    return self.bit_count() if isinstance(self, int) else integer("bits")


@model("builtins.int.to_bytes")
def to_bytes(self: Any, length: Any = 1, byteorder: Any = "big", *, signed: Any = False) -> Any:
    if isinstance(self, int) and isinstance(length, int) and isinstance(byteorder, str):
        try:
            return self.to_bytes(length, byteorder, signed=bool(signed))  # type: ignore[arg-type]
        except (OverflowError, ValueError) as error:
            raise Raised(error) from error
    return Scalar(bytes)


@model("builtins.int.from_bytes")
def from_bytes(bytes: Any, byteorder: Any = "big", *, signed: Any = False) -> Any:
    del bytes, byteorder, signed
    return integer("n")


@model("builtins.int.conjugate", "builtins.float.conjugate", "builtins.complex.conjugate")
def conjugate(self: Any, /) -> Any:
    return self.conjugate() if isinstance(self, int | float | complex) else self


@model("builtins.float.is_integer", "builtins.int.is_integer")
def is_integer(self: Any, /) -> Any:
    if isinstance(self, float | int):
        return float(self).is_integer()
    if isinstance(self, Expr) or (isinstance(self, Ratio) and self.denominator == 1):
        return True
    return Scalar(bool)


@model("builtins.float.as_integer_ratio", "builtins.int.as_integer_ratio")
def as_integer_ratio(self: Any, /) -> Any:
    if isinstance(self, float | int):
        return self.as_integer_ratio()
    return (integer("numerator"), integer("denominator", 1))


@model("builtins.float.hex")
def hexadecimal(self: Any, /) -> Any:
    return self.hex() if isinstance(self, float) else Scalar(str)


@model("builtins.float.fromhex")
def from_hexadecimal(string: Any, /) -> Any:
    return float.fromhex(string) if isinstance(string, str) else Scalar(float)


def _real(self: Any) -> Any:
    return self.real if isinstance(self, complex) else Scalar(float) if _is_complex(self) else self


def _imaginary(self: Any) -> Any:
    return self.imag if isinstance(self, int | float | complex) else Scalar(float) if _is_complex(self) else 0


def _is_complex(self: Any) -> bool:
    return isinstance(self, Scalar) and self.kind is complex


for _kind in ("int", "float", "complex"):
    model(f"builtins.{_kind}.real")(property(_real))
    model(f"builtins.{_kind}.imag")(property(_imaginary))
model("builtins.int.numerator")(property(lambda self: self))
model("builtins.int.denominator")(property(lambda self: 1))
for _name in ("start", "stop", "step"):
    model(f"builtins.range.{_name}")(property(attrgetter(_name)))


@model("builtins.range.index")
def place_in_range(self: Any, value: Any, /) -> Any:
    if isinstance(value, int):
        try:
            return self.index(value)
        except ValueError as error:
            raise Raised(error) from error
    return integer("index", 0, len(self) - 1)


@model("builtins.range.count")
def count_in_range(self: Any, value: Any, /) -> Any:
    return self.count(value) if isinstance(value, int) else integer("count", 0, 1)


@model("builtins.iterator.__next__")
def following(self: Any, /) -> Any:
    return taken(self)


@model("builtins.iterator.__iter__")
def itself(self: Any, /) -> Any:
    return self


@model("builtins.iterator.send")
def send(self: Any, value: Any, /) -> Any:
    del value
    return taken(self)


@model("builtins.iterator.close")
def close(self: Any, /) -> None:
    self.items = ()


@model("builtins.iterator.throw")
def throw(self: Any, error: Any, *rest: Any) -> Any:
    del self, rest
    raise Raised(error() if isinstance(error, type) else error)
