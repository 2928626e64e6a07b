"""time, datetime, timeit, calendar."""

from __future__ import annotations

from typing import Any

from mlvet.frontends.python.libraries.builtins.elements import integer
from mlvet.frontends.python.libraries.registry import model
from mlvet.frontends.python.libraries.stdlib.typed import effects, number, text, typed, whole
from mlvet.frontends.python.values.numbers import Scalar
from mlvet.frontends.python.values.objects import Object

typed("time", dict.fromkeys(
    ("time", "perf_counter", "monotonic", "process_time", "thread_time", "clock", "mktime"), number
))  # fmt: skip
typed("time", dict.fromkeys(("time_ns", "perf_counter_ns", "monotonic_ns", "process_time_ns"), whole("nanoseconds")))
typed("time", dict.fromkeys(("strftime", "ctime", "asctime"), text))
effects("time", ("sleep", "tzset"))
typed("timeit", dict.fromkeys(("default_timer", "timeit"), number))


class _Moment(Object):
    """A date, a time or a duration, of which nothing is known but its kind."""

    __slots__ = ()

    def __init__(self, *args: Any, **keywords: Any) -> None:
        del args, keywords
        for name in (
            "year",
            "month",
            "day",
            "hour",
            "minute",
            "second",
            "microsecond",
            "days",
            "seconds",
            "microseconds",
        ):
            self.cells[name] = integer(name)

    def strftime(self, format: Any) -> Any:
        del format
        return Scalar(str)

    def isoformat(self, *args: Any, **keywords: Any) -> Any:
        del args, keywords
        return Scalar(str)

    def __str__(self) -> Any:
        return Scalar(str)

    ctime = isoformat

    def timestamp(self) -> Any:
        return Scalar(float)

    total_seconds = timestamp

    def weekday(self) -> Any:
        return integer("weekday", 0, 6)

    isoweekday = toordinal = weekday

    def timetuple(self) -> Any:
        return (integer("year"), *(integer(name) for name in ("month", "day", "hour", "minute", "second")))

    def replace(self, *args: Any, **keywords: Any) -> Any:
        del args, keywords
        return self

    astimezone = replace

    def date(self) -> Any:
        return date()

    def time(self) -> Any:
        return clock_time()

    def _compared(self, other: Any) -> Any:
        del other
        return Scalar(bool)

    __lt__ = __le__ = __gt__ = __ge__ = _compared

    def __add__(self, other: Any) -> Any:
        del other
        return self

    __radd__ = __add__

    def __sub__(self, other: Any) -> Any:
        return timedelta() if isinstance(other, _Moment) else self

    def __mul__(self, other: Any) -> Any:
        del other
        return self

    __rmul__ = __mul__

    def __truediv__(self, other: Any) -> Any:
        return Scalar(float) if isinstance(other, _Moment) else self

    def __floordiv__(self, other: Any) -> Any:
        return integer("times") if isinstance(other, _Moment) else self


@model("datetime.timedelta")
class timedelta(_Moment):
    __slots__ = ()


@model("datetime.date")
class date(_Moment):
    __slots__ = ()

    @classmethod
    def today(cls) -> Any:
        return _of(cls)

    @classmethod
    def fromtimestamp(cls, *args: Any) -> Any:
        del args
        return _of(cls)

    @classmethod
    def fromisoformat(cls, *args: Any) -> Any:
        del args
        return _of(cls)


@model("datetime.datetime")
class datetime(date):
    __slots__ = ()

    @classmethod
    def now(cls, tz: Any = None) -> Any:
        del tz
        return _of(cls)

    @classmethod
    def utcnow(cls) -> Any:
        return _of(cls)

    @classmethod
    def strptime(cls, *args: Any) -> Any:
        del args
        return _of(cls)

    @classmethod
    def combine(cls, *args: Any) -> Any:
        del args
        return _of(cls)

    @classmethod
    def utcfromtimestamp(cls, *args: Any) -> Any:
        del args
        return _of(cls)


@model("datetime.time")
class clock_time(_Moment):
    __slots__ = ()


@model("datetime.timezone", "datetime.tzinfo", "zoneinfo.ZoneInfo")
class timezone(_Moment):
    __slots__ = ()


def _of(kind: Any) -> Any:
    return kind() if isinstance(kind, type) else datetime()


@model("datetime.UTC")
class UTC(timezone):
    __slots__ = ()


typed("time", {"localtime": datetime, "gmtime": datetime, "strptime": datetime})
