"""The argument parser of all commands."""

from __future__ import annotations

import argparse
from typing import TYPE_CHECKING, NoReturn

from mlvet.cli.streams import put
from mlvet.core.errors import UsageError

if TYPE_CHECKING:
    from _typeshed import SupportsWrite


class Parser(argparse.ArgumentParser):
    """An ArgumentParser whose complaints are one line."""

    def error(self, message: str) -> NoReturn:
        raise UsageError(f"{message} (`{self.prog} --help` shows the options)")

    def print_help(self, file: SupportsWrite[str] | None = None) -> None:
        del file
        put(self.format_help())
