"""Classes of the frameworks that programs derive from, and the attributes that they provide.

A network class whose base is not installed, or that answers any attribute name as `torch.nn.Module` does, is a blank
page to a type checker. The public names of these bases are few and stable, so they are written down here.
"""

from __future__ import annotations

import ast
from collections.abc import Iterable
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


@dataclass(frozen=True, slots=True)
class Base:
    """A framework class: the public attributes that it gives, whether it may give private ones, and the method that a
    call runs with the caller's own arguments (Keras adds and drops some, so it has none)."""

    attributes: frozenset[str]
    private: bool
    call: str | None


# With the torch backend a Keras layer is a torch module too.
_TORCH = Base(frozenset(_MODULE.split()), private=False, call="forward")
_KERAS_LAYER = Base(frozenset((_LAYER + _MODULE).split()), private=True, call=None)
_KERAS_MODEL = Base(frozenset((_LAYER + _MODEL + _MODULE).split()), private=True, call=None)
_TORCH_PRIVATE = frozenset(
    {"_apply", "_buffers", "_modules", "_parameters", "_get_name", "_load_from_state_dict", "_save_to_state_dict",
     "_forward_hooks", "_forward_pre_hooks", "_backward_hooks", "_version", "_named_members", "_call_impl",
     "_non_persistent_buffers_set", "_register_load_state_dict_pre_hook", "_register_state_dict_hook"}
)  # fmt: skip


def base_of(qualified: str) -> Base | None:
    """The framework class of a dotted name such as `torch.nn.Module` or `tensorflow.keras.layers.Layer`."""
    parts = qualified.split(".")
    if parts[0] == "torch" and qualified.endswith("nn.Module"):
        return _TORCH
    if parts[0] in ("keras", "tf_keras", "tensorflow") and parts[-1] == "Layer":
        return _KERAS_LAYER
    if parts[0] in ("keras", "tf_keras", "tensorflow") and parts[-1] == "Model":
        return _KERAS_MODEL
    return None


def provides(base: Base, attribute: str) -> bool:
    """Whether an instance may have the attribute from its framework base."""
    if attribute.startswith("__") or attribute in base.attributes:
        return True
    return attribute.startswith("_") and (base.private or attribute in _TORCH_PRIVATE)


def provided_somewhere(attribute: str) -> bool:
    """Whether any of the framework bases provides the attribute."""
    return any(provides(base, attribute) for base in (_TORCH, _KERAS_MODEL))


def aliases(nodes: Iterable[ast.AST]) -> dict[str, str]:
    """What the imported names of a file stand for: `nn` for `torch.nn`."""
    found: dict[str, str] = {}
    for node in nodes:
        if isinstance(node, ast.Import):
            for alias in node.names:
                found[alias.asname or alias.name.split(".")[0]] = (
                    alias.name if alias.asname else alias.name.split(".")[0]
                )
        elif isinstance(node, ast.ImportFrom) and node.module and not node.level:
            for alias in node.names:
                found[alias.asname or alias.name] = f"{node.module}.{alias.name}"
    return found


def dotted(node: ast.expr, names: dict[str, str]) -> str:
    """A dotted expression with its first name replaced by what it stands for; empty for anything else."""
    parts: list[str] = []
    while isinstance(node, ast.Attribute):
        parts.append(node.attr)
        node = node.value
    if not isinstance(node, ast.Name):
        return ""
    return ".".join([names.get(node.id, node.id), *reversed(parts)])
