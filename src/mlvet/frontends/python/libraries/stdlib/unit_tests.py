"""unittest and its kin: tests of the program, which assert what is taken to hold or to fail."""

from __future__ import annotations

from typing import Any

from mlvet.frontends.python.active import machine
from mlvet.frontends.python.libraries.registry import model
from mlvet.frontends.python.libraries.stdlib.messages import CatchWarnings, nothing_of
from mlvet.frontends.python.libraries.stdlib.typed import effects
from mlvet.frontends.python.values.numbers import Scalar
from mlvet.frontends.python.values.objects import Object
from mlvet.frontends.python.values.raising import Raised
from mlvet.frontends.python.values.unknown import Reason, Undecided

effects("unittest", ("main",))


class ExpectedError(Object):
    """A block that is meant to fail; what is found wrong in it, or in its test before it, is no defect.

    A test of TensorFlow 1 builds a graph first, and only running it is what fails.
    """

    __slots__ = ()

    def __enter__(self) -> Any:
        here = machine()
        self.cells["@before"] = len(here.demands) if here.entered is None else here.entered
        self.cells["@runs"] = len(here.runs)
        return self

    def __exit__(self, *error: Any) -> None:
        demands, before = machine().demands, self.cells.get("@before", 0)
        demands[before:] = [each for each in demands[before:] if each.constraint.decided is not False]
        del machine().runs[self.cells.get("@runs", 0) :]

    def swallows(self, error: Any) -> bool:
        return not isinstance(error, SystemExit)


@model("unittest.TestCase", "absl.testing.absltest.TestCase", "absl.testing.parameterized.TestCase")
class TestCase(Object):
    """A test of the program. What it asserts is taken to hold."""

    __slots__ = ()

    def missing(self, name: str) -> Any:
        """Assertions: those that a block is under are entered, all others yield nothing."""
        if name.startswith(("assertRaises", "assertWarns", "assertLogs", "subTest")):
            return ExpectedError if name.startswith("assertRaises") else CatchWarnings
        if name.startswith("assert") or name in ("setUp", "tearDown", "addCleanup"):
            return nothing_of
        raise Undecided(Reason.DYNAMIC_ATTRIBUTE, name)

    def create_tempdir(self, *args: Any, **keywords: Any) -> Any:
        del args, keywords
        return Scalar(str)

    get_temp_dir = id = create_tempdir

    def fail(self, msg: Any = None) -> None:
        raise Raised(AssertionError(*(() if not isinstance(msg, str) else (msg,))))

    def skipTest(self, reason: Any = None) -> None:
        del reason
        raise Raised(AssertionError("skipped"))


@model(
    "unittest.skip", "unittest.skipIf", "unittest.skipUnless", "absl.testing.absltest.skip",
    "absl.testing.absltest.skipIf", "absl.testing.parameterized.parameters",
    "absl.testing.parameterized.named_parameters", "absl.testing.parameterized.product",
)  # fmt: skip
def marked(*args: Any, **keywords: Any) -> Any:
    del args, keywords
    return _itself


def _itself(function: Any) -> Any:
    return function
