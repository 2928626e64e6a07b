"""What programs call for its effect on the process, not on tensors: processes, profilers, checkpoints, scopes."""

from __future__ import annotations

from typing import Any

from mlvet.frontends.python.active import machine
from mlvet.frontends.python.libraries.registry import model
from mlvet.frontends.python.values.objects import Object


class Scope(Object):
    """A `with` that changes nothing that can be seen; also a decorator."""

    __slots__ = ()

    def __enter__(self) -> Any:
        return self

    def __exit__(self, *error: Any) -> None:
        pass

    def __call__(self, function: Any = None, *args: Any, **kwargs: Any) -> Any:
        return function


@model("torch.profiler.profile", "torch.autograd.profiler.profile")
class Profile(Scope):
    __slots__ = ()

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        """Whatever it is told."""

    def step(self) -> None:
        pass

    start = step
    stop = step

    def key_averages(self, *args: Any, **kwargs: Any) -> Any:
        return self

    def table(self, *args: Any, **kwargs: Any) -> Any:
        return ""

    def export_chrome_trace(self, path: Any) -> None:
        pass


@model("torch.profiler.record_function", "torch.autograd.profiler.record_function")
class RecordFunction(Scope):
    __slots__ = ()

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        """Whatever it is told."""


@model("torch.profiler.schedule", "torch.profiler.tensorboard_trace_handler")
def nothing(*args: Any, **kwargs: Any) -> None:
    pass


for activity in ("CPU", "CUDA", "XPU"):
    model(f"torch.profiler.ProfilerActivity.{activity}")(activity)


@model("torch.utils.checkpoint.checkpoint")
def checkpoint(function: Any, *args: Any, use_reentrant: Any = None, **kwargs: Any) -> Any:
    for setting in ("preserve_rng_state", "context_fn", "determinism_check", "debug", "early_stop"):
        kwargs.pop(setting, None)
    return machine().call(function, *args, **kwargs)


@model("torch.utils.checkpoint.checkpoint_sequential")
def checkpoint_sequential(functions: Any, segments: Any, input: Any, use_reentrant: Any = None, **kwargs: Any) -> Any:
    for function in machine().items(functions):  # type: ignore[union-attr]
        input = machine().call(function, input)
    return input


@model(
    "torch.utils.tensorboard.SummaryWriter",
    "torch.utils.tensorboard.writer.SummaryWriter",
    "tensorboardX.SummaryWriter",
)
class SummaryWriter(Scope):
    """A log of scalars and images, which takes anything and yields nothing."""

    __slots__ = ()

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        """Whatever it is told."""

    def add_scalar(self, *args: Any, **kwargs: Any) -> None:
        pass

    add_scalars = add_scalar
    add_image = add_scalar
    add_images = add_scalar
    add_figure = add_scalar
    add_histogram = add_scalar
    add_text = add_scalar
    add_graph = add_scalar
    add_embedding = add_scalar
    add_hparams = add_scalar
    add_video = add_scalar
    add_audio = add_scalar
    add_pr_curve = add_scalar
    flush = add_scalar
    close = add_scalar


@model("torch.utils.benchmark.Timer")
class Timer(Object):
    __slots__ = ()


@model(
    "torch.amp.GradScaler",
    "torch.cuda.amp.GradScaler",
    "torch.cuda.amp.grad_scaler.GradScaler",
    "torch.distributed.fsdp.sharded_grad_scaler.ShardedGradScaler",
)
class GradScaler(Object):
    """Scales losses before the backward pass, and gradients back before a step."""

    __slots__ = ()

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        """Whatever it is told."""

    def scale(self, outputs: Any) -> Any:
        return outputs

    def unscale_(self, optimizer: Any) -> None:
        pass

    def step(self, optimizer: Any, *args: Any, **kwargs: Any) -> None:
        if isinstance(optimizer, Object):
            machine().send(optimizer, "step")

    def update(self, new_scale: Any = None) -> None:
        pass

    def get_scale(self) -> Any:
        from mlvet.frontends.python.values.numbers import Scalar

        return Scalar(float, "scale")

    def is_enabled(self) -> bool:
        return True

    def state_dict(self) -> Any:
        from mlvet.frontends.python.values.containers import DictValue

        return DictValue()

    def load_state_dict(self, state_dict: Any) -> None:
        pass
