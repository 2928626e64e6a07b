"""Functions that rules may call, as `@name(...)`. They read nothing but their arguments and change nothing."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import clingo

_LEARNING = ("backward", "step", "train", "optim", "learn", "grad", "minimi", "fit", "penalty")


class HostFunctions:
    """What `@` means in rules; nothing else of Python can be reached from there."""

    def product(self, *sizes: clingo.Symbol) -> clingo.Symbol:
        """The product of whole numbers, or the largest number there is."""
        import clingo

        found = 1
        for each in sizes:
            found *= each.number
        return clingo.Number(min(found, 2**31 - 1))

    def attribute(self, name: clingo.Symbol) -> clingo.Symbol:
        """A name as facts write that of an attribute."""
        import clingo

        return clingo.String(f".{name.string}")

    def starts(self, text: clingo.Symbol, beginning: clingo.Symbol) -> clingo.Symbol:
        """1 if a text begins with another, else 0."""
        import clingo

        return clingo.Number(int(text.string.startswith(beginning.string)))

    def ends(self, text: clingo.Symbol, end: clingo.Symbol) -> clingo.Symbol:
        """1 if a text ends with another, else 0."""
        import clingo

        return clingo.Number(int(text.string.endswith(end.string)))

    def lower_last(self, name: clingo.Symbol) -> clingo.Symbol:
        """1 if the last part of a dotted name is that of a function rather than of a class, else 0."""
        import clingo

        return clingo.Number(int(name.string.rpartition(".")[2][:1].islower()))

    def may_learn(self, name: clingo.Symbol) -> clingo.Symbol:
        """1 if a function of that name may compute gradients of what it is given, else 0."""
        import clingo

        last = name.string.rpartition(".")[2].lower()
        return clingo.Number(int(any(word in last for word in _LEARNING)))

    def broadcasts(self, one: clingo.Symbol, other: clingo.Symbol) -> clingo.Symbol:
        """1 if two sizes fit each other under broadcasting, else 0."""
        import clingo

        return clingo.Number(int(one == other or one.number == 1 or other.number == 1))

    def format(self, text: clingo.Symbol, *given: clingo.Symbol) -> clingo.Symbol:
        """A text with each `{}` replaced by an argument, in order."""
        import clingo

        found = text.string
        for each in given:
            word = each.string if each.type is clingo.SymbolType.String else str(each)
            found = found.replace("{}", word, 1)
        return clingo.String(found)
