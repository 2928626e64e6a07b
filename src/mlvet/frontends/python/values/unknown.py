"""What the interpreter does not know, and why."""

from __future__ import annotations

from enum import Enum
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from mlvet.core.location import Location


class Reason(Enum):
    """Why a value is unknown. The first seven are the complexities of Python that HARP names [HARP 4.3]."""

    DATA_DEPENDENT_BRANCH = "data-dependent branch"
    UNKNOWN_DISPATCH = "statically unknown dispatch"
    HIGHER_ORDER = "higher-order function"
    OPERATOR_OVERLOADING = "operator overloading"
    DYNAMIC_ATTRIBUTE = "dynamic attribute"
    DYNAMIC_TYPE = "dynamic type change"
    DYNAMIC_CONTAINER = "dynamically typed container"
    UNMODELLED_CALL = "call of a library function without a model"
    UNMODELLED_LIBRARY = "library without a model"
    UNMODELLED_ARGUMENTS = "library function called in a way its model does not know"
    EXTERNAL_DATA = "data from outside the program"
    ENTRY_ARGUMENT = "argument of a function that the program never calls"
    LOOP_VARYING = "value that changes from one iteration to the next"
    RECURSION = "recursion too deep to follow"
    BUDGET = "more work than the analysis allows itself"
    MISSING_NAME = "name that is not defined"
    MISSING_MODULE = "module that was not found"
    GENERATED_CODE = "code made at run time"
    METACLASS = "class made by a metaclass"
    EXCEPTION = "operation that raises"
    TOO_MANY_PATHS = "more alternatives than are kept apart"
    UNSUPPORTED_SYNTAX = "statement that is not followed"


MADE = "@made"
"""The part of an unknown that says by what arithmetic it was made of others."""


class Unknown:
    """Any value at all. `detail` says what was asked, `name` what the program calls it.

    `size`, `tensor` and `parts` remember as what it was used, so that each use of one unknown is the same symbol.
    """

    __slots__ = ("detail", "location", "name", "parts", "reason", "size", "tensor")

    def __init__(self, reason: Reason, detail: str = "", name: str = "", location: Location | None = None) -> None:
        self.reason = reason
        self.detail = detail
        self.name = name
        self.location = location
        self.size: Any = None
        self.tensor: Any = None
        self.parts: dict[Any, Any] = {}

    def __repr__(self) -> str:
        return f"Unknown({self.reason.value}{': ' if self.detail else ''}{self.detail})"


class Undecided(Exception):
    """A library model cannot tell its result because of this unknown, or for this reason."""

    def __init__(self, unknown: Unknown | Reason, detail: str = "") -> None:
        self.unknown = unknown if isinstance(unknown, Unknown) else Unknown(unknown, detail)
        super().__init__(str(self.unknown))
