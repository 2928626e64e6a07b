"""Classes of the frameworks that programs derive from, and the attributes that they provide.

A network class whose base is not installed, or that answers any attribute name as `torch.nn.Module` does, is a blank
page to a type checker. The public names of these bases are few and stable, so they are written down here.
"""

from __future__ import annotations

from dataclasses import dataclass

_MODULE = """
    T_destination add_module apply bfloat16 buffers call_super_init children compile cpu cuda double dump_patches
    eval extra_repr float forward get_buffer get_extra_state get_parameter get_submodule half ipu load_state_dict
    modules mtia named_buffers named_children named_modules named_parameters parameters register_backward_hook
    register_buffer register_forward_hook register_forward_pre_hook register_full_backward_hook
    register_full_backward_pre_hook register_load_state_dict_post_hook register_load_state_dict_pre_hook
    register_module register_parameter register_state_dict_post_hook register_state_dict_pre_hook requires_grad_
    set_extra_state set_submodule share_memory state_dict to to_empty train training type xpu zero_grad
"""
_LAYER = """
    activity_regularizer add_loss add_metric add_update add_variable add_weight autocast build build_from_config
    built call compute_dtype compute_mask compute_output_shape compute_output_signature compute_output_spec
    count_params dtype dtype_policy dynamic finalize_state from_config get_build_config get_config get_input_at
    get_input_mask_at get_input_shape_at get_output_at get_output_mask_at get_output_shape_at get_weights
    inbound_nodes input input_dtype input_mask input_shape input_spec load_own_variables losses metrics
    metrics_variables name name_scope non_trainable_variables non_trainable_weights outbound_nodes output
    output_mask output_shape path quantization_mode quantize quantized_build quantized_call rematerialized_call
    save_own_variables set_weights stateful stateless_call submodules supports_jit supports_masking symbolic_call
    trainable trainable_variables trainable_weights updates variable_dtype variables weights with_name_scope
"""
_MODEL = """
    compile compile_from_config compiled compiled_loss compiled_metrics compute_loss compute_metrics
    distribute_reduction_method distribute_strategy evaluate evaluate_generator export fit fit_generator
    get_compile_config get_layer get_metrics_result get_state_tree history inputs input_names jit_compile layers
    load_weights loss loss_functions loss_weights make_predict_function make_test_function make_train_function
    metrics_names optimizer output_names outputs predict predict_function predict_generator predict_on_batch
    predict_step reset_metrics reset_states run_eagerly sample_weight save save_spec save_weights set_state_tree
    state_updates stateless_compute_loss steps_per_execution stop_training summary test_function test_on_batch
    test_step to_json to_yaml total_loss train_function train_on_batch train_step
"""


_CALLBACK = "model params validation_data set_model set_params"
_SEQUENCE = "workers use_multiprocessing max_queue_size on_epoch_end num_batches on_epoch_begin"
_LINEN = """
    apply bind clone copy get_variable has_rng has_variable init init_with_output is_initializing
    is_mutable_collection lazy_init make_rng module_paths name param parent path perturb put_variable scope setup sow
    tabulate unbind variable variables
"""
_NNX = """
    eval train set_attributes sow perturb iter_modules iter_children
"""


@dataclass(frozen=True, slots=True)
class Base:
    """A framework class: the public attributes that it gives, whether it may give private ones, and the method that a
    call runs with the caller's own arguments (Keras adds and drops some, so it has none)."""

    attributes: frozenset[str]
    private: bool
    call: str | None = None


_TORCH = Base(frozenset(_MODULE.split()), private=False, call="forward")
_TORCH_PRIVATE = frozenset(
    {"_apply", "_buffers", "_modules", "_parameters", "_get_name", "_load_from_state_dict", "_save_to_state_dict",
     "_forward_hooks", "_forward_pre_hooks", "_backward_hooks", "_version", "_named_members", "_call_impl",
     "_non_persistent_buffers_set", "_register_load_state_dict_pre_hook", "_register_state_dict_hook"}
)  # fmt: skip
_DATASET = Base(frozenset(), private=False)
_FLAX = Base(frozenset((_LINEN + _NNX).split()), private=True)
# With the torch backend a Keras layer is a torch module too.
_KERAS = {
    "Layer": Base(frozenset((_LAYER + _MODULE).split()), private=True),
    "Model": Base(frozenset((_LAYER + _MODEL + _MODULE).split()), private=True),
    "Callback": Base(frozenset(_CALLBACK.split()), private=True),
    "Sequence": Base(frozenset(_SEQUENCE.split()), private=True),
    "PyDataset": Base(frozenset(_SEQUENCE.split()), private=True),
}


def base_of(qualified: str) -> Base | None:
    """The framework class of a dotted name such as `torch.nn.Module` or `tensorflow.keras.layers.Layer`."""
    top, _, rest = qualified.partition(".")
    last = rest.rpartition(".")[2]
    if top == "torch" and last == "Module":
        return _TORCH
    if top == "torch" and last in ("Dataset", "IterableDataset"):
        return _DATASET
    if top == "flax" and last == "Module":
        return _FLAX
    return _KERAS.get(last) if top in ("keras", "tf_keras", "tensorflow") else None


def provides(base: Base, attribute: str) -> bool:
    """Whether an instance may have the attribute from its framework base."""
    if attribute.startswith("__") or attribute in base.attributes:
        return True
    return attribute.startswith("_") and (base.private or attribute in _TORCH_PRIVATE)


def provided_in(text: str) -> list[Base]:
    """The bases that the classes of a text may derive from, judged by the frameworks that it mentions."""
    found = [_TORCH, _DATASET] if "torch" in text else []
    found += list(_KERAS.values()) if "keras" in text or "tensorflow" in text else []
    return found + ([_FLAX] if "flax" in text else [])
