"""gymnasium and its predecessor gym: environments by the shapes of their observations and actions."""

from __future__ import annotations

from mlvet.frontends.python.libraries import numpy as numpy
from mlvet.frontends.python.libraries.gym import environments as environments
from mlvet.frontends.python.libraries.gym import spaces as spaces
from mlvet.frontends.python.libraries.gym import vectors as vectors
from mlvet.frontends.python.libraries.gym import wrappers as wrappers
from mlvet.frontends.python.libraries.registry import alias

alias("gym", "gymnasium")
alias("gymnasium.core", "gymnasium")
alias("gymnasium.envs.registration", "gymnasium")
