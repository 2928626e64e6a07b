"""Optimisers: groups of parameters with their settings. A step changes elements, never shapes."""

from __future__ import annotations

from typing import Any

from mlvet.frontends.python.active import machine
from mlvet.frontends.python.libraries.binding import Number
from mlvet.frontends.python.libraries.registry import alias, model
from mlvet.frontends.python.libraries.torch.nn.module import Handle
from mlvet.frontends.python.libraries.torch.training import optimised
from mlvet.frontends.python.values.containers import DictValue, ListValue, Repeated
from mlvet.frontends.python.values.objects import Object
from mlvet.frontends.python.values.unknown import Unknown
from mlvet.ir.program import Act


@model("torch.optim.Optimizer", "torch.optim.optimizer.Optimizer")
class Optimizer(Object):
    """What all optimisers share."""

    __slots__ = ()

    def __init__(self, params: Any, defaults: Any = None) -> None:
        settings = dict(defaults.cells) if isinstance(defaults, DictValue) else {}
        self._prepare(params, settings)

    def _prepare(self, params: Any, settings: dict[str, Any]) -> None:
        self.defaults, self.state = DictValue(settings), DictValue()
        items = params if isinstance(params, Unknown) else machine().items(params)
        if not isinstance(items, Unknown | Repeated) and items and all(isinstance(each, DictValue) for each in items):
            groups = [DictValue({**settings, **each.cells}) for each in items]
        else:
            listed = ListValue(items) if not isinstance(items, Unknown) else items
            groups = [DictValue({"params": listed, **settings})]
        self.param_groups = ListValue(groups)
        optimised(Act.MADE, self)

    def step(self, closure: Any = None) -> Any:
        result = None if closure is None else machine().call(closure)
        optimised(Act.STEPPED, self)
        return result

    def zero_grad(self, set_to_none: Any = True) -> None:
        optimised(Act.CLEARED, self)

    def add_param_group(self, param_group: Any) -> None:
        groups = self.param_groups
        if isinstance(groups, ListValue) and isinstance(groups.items, tuple) and isinstance(param_group, DictValue):
            groups.items = (*groups.items, DictValue({**self.defaults.cells, **param_group.cells}))

    def state_dict(self) -> Any:
        return DictValue({"state": self.state, "param_groups": self.param_groups})

    def load_state_dict(self, state_dict: Any) -> None:
        pass

    def register_step_pre_hook(self, hook: Any) -> Any:
        return Handle()

    def register_step_post_hook(self, hook: Any) -> Any:
        return Handle()

    def train(self) -> None:
        pass

    eval = train


@model("torch.optim.SGD")
class SGD(Optimizer):
    __slots__ = ()

    def __init__(
        self, params: Any, lr: Number = 1e-3, momentum: Number = 0, dampening: Number = 0, weight_decay: Number = 0,
        nesterov: bool = False, *, maximize: bool = False, foreach: Any = None, differentiable: bool = False,
        fused: Any = None,
    ) -> None:  # fmt: skip
        settings = {"lr": lr, "momentum": momentum, "dampening": dampening, "weight_decay": weight_decay}
        self._prepare(params, {**settings, "nesterov": nesterov, "maximize": maximize})


class Adaptive(Optimizer):
    """Optimisers with two decay rates."""

    __slots__ = ()

    def __init__(
        self, params: Any, lr: Number = 1e-3, betas: Any = (0.9, 0.999), eps: Number = 1e-8, weight_decay: Number = 0,
        amsgrad: bool = False, **kwargs: Any,
    ) -> None:  # fmt: skip
        settings = {"lr": lr, "betas": betas, "eps": eps, "weight_decay": weight_decay, "amsgrad": amsgrad}
        self._prepare(params, {**settings, **kwargs})


@model("torch.optim.Adam")
class Adam(Adaptive):
    __slots__ = ()


@model("torch.optim.AdamW")
class AdamW(Adaptive):
    __slots__ = ()

    def __init__(
        self, params: Any, lr: Number = 1e-3, betas: Any = (0.9, 0.999), eps: Number = 1e-8,
        weight_decay: Number = 1e-2, amsgrad: bool = False, **kwargs: Any,
    ) -> None:  # fmt: skip
        super().__init__(params, lr, betas, eps, weight_decay, amsgrad, **kwargs)


@model("torch.optim.Adamax", "torch.optim.NAdam", "torch.optim.RAdam", "torch.optim.SparseAdam")
class Adamax(Optimizer):
    __slots__ = ()

    def __init__(
        self, params: Any, lr: Number = 2e-3, betas: Any = (0.9, 0.999), eps: Number = 1e-8, weight_decay: Number = 0,
        **kwargs: Any,
    ) -> None:  # fmt: skip
        self._prepare(params, {"lr": lr, "betas": betas, "eps": eps, "weight_decay": weight_decay, **kwargs})


@model("torch.optim.Adadelta")
class Adadelta(Optimizer):
    __slots__ = ()

    def __init__(
        self, params: Any, lr: Number = 1.0, rho: Number = 0.9, eps: Number = 1e-6, weight_decay: Number = 0,
        **kwargs: Any,
    ) -> None:  # fmt: skip
        self._prepare(params, {"lr": lr, "rho": rho, "eps": eps, "weight_decay": weight_decay, **kwargs})


@model("torch.optim.Adagrad")
class Adagrad(Optimizer):
    __slots__ = ()

    def __init__(
        self, params: Any, lr: Number = 1e-2, lr_decay: Number = 0, weight_decay: Number = 0,
        initial_accumulator_value: Number = 0, eps: Number = 1e-10, **kwargs: Any,
    ) -> None:  # fmt: skip
        self._prepare(params, {"lr": lr, "lr_decay": lr_decay, "weight_decay": weight_decay, "eps": eps, **kwargs})


@model("torch.optim.RMSprop")
class RMSprop(Optimizer):
    __slots__ = ()

    def __init__(
        self, params: Any, lr: Number = 1e-2, alpha: Number = 0.99, eps: Number = 1e-8, weight_decay: Number = 0,
        momentum: Number = 0, centered: bool = False, **kwargs: Any,
    ) -> None:  # fmt: skip
        settings = {"lr": lr, "alpha": alpha, "eps": eps, "weight_decay": weight_decay, "momentum": momentum}
        self._prepare(params, {**settings, "centered": centered, **kwargs})


@model("torch.optim.ASGD", "torch.optim.Rprop", "torch.optim.Adafactor", "torch.optim.Muon")
class Other(Optimizer):
    """Optimisers of which only the learning rate matters."""

    __slots__ = ()

    def __init__(self, params: Any, lr: Number = 1e-2, *args: Any, **kwargs: Any) -> None:
        self._prepare(params, {"lr": lr, **kwargs})


@model("torch.optim.LBFGS")
class LBFGS(Optimizer):
    __slots__ = ()

    def __init__(
        self, params: Any, lr: Number = 1, max_iter: Any = 20, max_eval: Any = None, tolerance_grad: Number = 1e-7,
        tolerance_change: Number = 1e-9, history_size: Any = 100, line_search_fn: Any = None,
    ) -> None:  # fmt: skip
        self._prepare(params, {"lr": lr, "max_iter": max_iter, "history_size": history_size})


for module in ("sgd", "adam", "adamw", "adamax", "adadelta", "adagrad", "rmsprop", "lbfgs"):
    alias(f"torch.optim.{module}", "torch.optim")
