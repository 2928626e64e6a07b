"""What the efficiency engine is asked: which speculations it may make, and which rules the user adds."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from mlvet.analyses.efficiency.reasoning.solving import RuleText
from mlvet.analyses.efficiency.speculation import Speculation
from mlvet.core.config import Config
from mlvet.core.errors import UsageError


@dataclass(frozen=True, slots=True)
class EfficiencyRequest:
    """The classes of things that may be taken for granted, and the user's own rules."""

    speculations: tuple[Speculation, ...] = tuple(Speculation)
    rules: tuple[RuleText, ...] = ()


def request_of(config: Config) -> EfficiencyRequest:
    """The request that the settings make; rules that cannot be read or understood are an error of the user."""
    rules = tuple(_read(config))
    if rules:
        from mlvet.analyses.efficiency.analysis import SCHEMA, shipped
        from mlvet.analyses.efficiency.reasoning.own_rules import check

        problem = check(rules, shipped(), SCHEMA)
        if problem is not None:
            raise UsageError(str(problem))
    return EfficiencyRequest(_allowed(config), rules)


def _allowed(config: Config) -> tuple[Speculation, ...]:
    """The classes that are switched on and not off; one that is named both ways is an error."""
    both = sorted(set(config.speculate) & set(config.no_speculate))
    if both:
        raise UsageError(f"`{both[0]}` is both in `speculate` and in `no-speculate`")
    wanted = frozenset(config.speculate or ("all",))
    refused = frozenset(config.no_speculate)
    if "all" in refused:
        return tuple(each for each in Speculation if each.value in wanted)
    return tuple(each for each in Speculation if wanted & {"all", each.value} and each.value not in refused)


def _read(config: Config) -> Sequence[RuleText]:
    found = []
    for path in config.efficiency_rules:
        try:
            found.append(RuleText(str(path), path.read_text(encoding="utf-8")))
        except (OSError, UnicodeDecodeError) as error:
            reason = error.strerror if isinstance(error, OSError) else "not UTF-8"
            raise UsageError(f"{path}: cannot read the rules: {reason}") from error
    return found
