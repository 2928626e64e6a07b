"""The three ways a run can go wrong, told apart by whose affair they are."""


class MlvetError(Exception):
    """Base of every error that the command line turns into one line."""


class UsageError(MlvetError):
    """The user asked for something that cannot be: a bad option, path, key or rule name."""


class UnsupportedInput(MlvetError):
    """An input that mlvet cannot read; the message names the input and the defect."""


class InternalError(MlvetError):
    """A defect of mlvet itself; caught only at the edge of the command line."""
