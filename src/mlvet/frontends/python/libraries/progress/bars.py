"""Progress bars: a loop over one sees what it is of."""

from __future__ import annotations

from typing import Any

from mlvet.frontends.python.active import machine
from mlvet.frontends.python.libraries.registry import alias, model
from mlvet.frontends.python.values.objects import Object


@model("tqdm.tqdm")
class tqdm(Object):
    """A progress bar over an iterable, or by hand."""

    def __init__(
        self, iterable: Any = None, desc: Any = None, total: Any = None, leave: Any = True, **keywords: Any
    ) -> None:
        self.iterable = iterable
        self.total = total
        self.n = 0

    def iterate(self) -> Any:
        return machine().items(self.iterable)

    def length(self) -> Any:
        from mlvet.frontends.python.libraries.registry import find

        return machine().call(find("builtins.len"), self.iterable) if self.iterable is not None else self.total

    def __enter__(self) -> Any:
        return self

    def __exit__(self, *args: Any) -> None:
        """Ends the bar."""

    def update(self, n: Any = 1) -> None:
        """Moves the bar on."""

    def set_description(self, desc: Any = None, refresh: Any = True) -> None:
        """Says what is done."""

    def set_description_str(self, desc: Any = None, refresh: Any = True) -> None:
        """Says what is done."""

    def set_postfix(self, ordered_dict: Any = None, refresh: Any = True, **keywords: Any) -> None:
        """Shows figures."""

    def set_postfix_str(self, s: Any = "", refresh: Any = True) -> None:
        """Shows figures."""

    def close(self) -> None:
        """Ends the bar."""

    def refresh(self, *args: Any, **keywords: Any) -> None:
        """Draws the bar."""

    def reset(self, total: Any = None) -> None:
        """Begins again."""

    def clear(self, *args: Any, **keywords: Any) -> None:
        """Removes the bar."""

    @staticmethod
    def write(s: Any, *args: Any, **keywords: Any) -> None:
        """Prints above the bar."""


@model("tqdm.trange")
def trange(*args: Any, **keywords: Any) -> Any:
    bar = tqdm()
    tqdm.__init__(bar, machine().call(range, *args), **keywords)
    return bar


for _module in ("auto", "notebook", "autonotebook", "std", "rich", "gui"):
    alias(f"tqdm.{_module}", "tqdm")
