"""accelerate: devices and processes handled for the program; what is prepared stays what it is."""

from __future__ import annotations

from typing import Any

from mlvet.domains.dims import symbol
from mlvet.frontends.python.active import machine
from mlvet.frontends.python.libraries import torch as torch
from mlvet.frontends.python.libraries.registry import find, model
from mlvet.frontends.python.libraries.torch.nn.clipping import total_norm
from mlvet.frontends.python.libraries.torch.services import Scope
from mlvet.frontends.python.libraries.torch.training import derived
from mlvet.frontends.python.values.numbers import Scalar
from mlvet.frontends.python.values.objects import Object


@model("accelerate.Accelerator", "accelerate.accelerator.Accelerator")
class Accelerator(Object):
    __slots__ = ()

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        self.sync_gradients, self.is_main_process, self.is_local_main_process = True, True, True
        self.num_processes, self.process_index, self.local_process_index = symbol("world_size", 1), 0, 0
        self.mixed_precision = Scalar(str, "mixed_precision")
        self.gradient_accumulation_steps = kwargs.get("gradient_accumulation_steps", 1)

    @property
    def device(self) -> Any:
        return machine().call(find("torch.device"), "cuda")

    def prepare(self, *args: Any, **kwargs: Any) -> Any:
        return args if len(args) != 1 else args[0]

    def prepare_model(self, model: Any, *args: Any, **kwargs: Any) -> Any:
        return model

    prepare_data_loader = prepare_model
    prepare_optimizer = prepare_model
    prepare_scheduler = prepare_model
    unwrap_model = prepare_model
    gather = prepare_model
    gather_for_metrics = prepare_model
    reduce = prepare_model
    pad_across_processes = prepare_model

    def get_state_dict(self, model: Any, *args: Any, **kwargs: Any) -> Any:
        return machine().send(model, "state_dict")

    def clip_grad_norm_(self, parameters: Any, max_norm: Any, norm_type: Any = 2) -> Any:
        return total_norm()

    def accumulate(self, *models: Any) -> Any:
        return Scope()

    def autocast(self, *args: Any, **kwargs: Any) -> Any:
        return Scope()

    no_sync = autocast
    main_process_first = autocast
    local_main_process_first = autocast
    join_uneven_inputs = autocast

    def backward(self, loss: Any = None, *args: Any, **kwargs: Any) -> None:
        derived(loss)

    def clip_grad_value_(self, *args: Any, **kwargs: Any) -> None:
        pass

    wait_for_everyone = clip_grad_value_
    print = clip_grad_value_
    log = clip_grad_value_
    save = clip_grad_value_
    save_state = clip_grad_value_
    load_state = clip_grad_value_
    save_model = clip_grad_value_
    init_trackers = clip_grad_value_
    end_training = clip_grad_value_
    free_memory = clip_grad_value_
    clear = clip_grad_value_
    register_for_checkpointing = clip_grad_value_


@model("accelerate.utils.set_seed", "accelerate.logging.get_logger", "accelerate.notebook_launcher")
def nothing(*args: Any, **kwargs: Any) -> None:
    pass
