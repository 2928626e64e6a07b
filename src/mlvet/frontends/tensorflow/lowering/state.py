"""Operators that read and write variables, print, check, or call Python."""

from __future__ import annotations

from collections.abc import Sequence

from mlvet.frontends.tensorflow.site import Lowering, Site
from mlvet.ir.graph import Value


def _read(site: Site) -> Sequence[Value]:
    """A variable that nothing writes is as good as a constant; of a mere handle only the read tells the shape."""
    if site.inputs and site.rank(site.inputs[0]) is None and site.rank_of_result() is not None:
        shape = tuple(dim if isinstance(dim, int) else -1 for dim in site.declared[0].dims)
        return site.emit("read_variable", site.inputs[:1], {"shape": shape, "dtype": site.dtype()})
    return site.emit("read_variable" if site.written else "identity", site.inputs[:1])


def _update(op: str) -> Lowering:
    """The variable and what goes into it; the result is the new value, if anything can take it."""

    def lower(site: Site) -> Sequence[Value] | None:
        if len(site.inputs) != 2:
            return None
        attributes = {"validate_shape": site.attributes.bool("validate_shape", True)} if op == "assign" else {}
        if op == "assign" and site.step.op == "AssignVariableOp":
            attributes = {}
        results = site.emit(op, attributes=attributes, outputs=1)
        return results if site.step.results else []

    return lower


def _descend(site: Site) -> Sequence[Value] | None:
    """One step of gradient descent: the variable less the rate times the gradient."""
    if len(site.inputs) != 3:
        return None
    variable, rate, gradient = site.inputs
    results = site.emit("assign_sub", [variable, site.extra("mul", rate, gradient)], outputs=1)
    return results if site.step.results else []


def _optimise(site: Site) -> Sequence[Value] | None:
    """A step of an optimiser, or an update of some rows: the result is the variable, if anything can take it."""
    if not site.inputs:
        return None
    method = site.step.op.removeprefix("Resource")
    results = site.emit("apply_update", attributes={"method": method}, outputs=1)
    return results if site.step.results else []


def _initialised(site: Site) -> Sequence[Value] | None:
    return site.emit("is_initialized") if len(site.inputs) == 1 else None


def _assert(site: Site) -> Sequence[Value]:
    return site.emit("assert", outputs=0)


def _print(site: Site) -> Sequence[Value]:
    """The first version passes its first operand on."""
    if site.step.op == "PrintV2":
        return site.emit("print", outputs=0)
    site.add("print", site.inputs, [], {})
    return site.emit("identity", site.inputs[:1])


def _summary(site: Site) -> Sequence[Value]:
    return site.emit("summary")


def _python(site: Site) -> Sequence[Value]:
    return site.emit("py_func", attributes={"token": site.attributes.text("token")})


_METHODS = (
    "Adadelta Adagrad AdagradDA AdagradV2 AdaMax Adam AdamWithAmsgrad AddSign CenteredRMSProp Ftrl FtrlV2 "
    "GradientDescent KerasMomentum Momentum PowerSign ProximalAdagrad ProximalGradientDescent RMSProp"
)
_ROWS = "Add Div Max Min Mul NdAdd NdSub NdUpdate Sub Update"


def _updates() -> dict[str, Lowering]:
    names = [f"{kind}Apply{name}" for kind in ("", "Sparse") for name in _METHODS.split()]
    names += [f"Scatter{name}" for name in _ROWS.split()]
    return {f"{prefix}{name}": _optimise for prefix in ("", "Resource") for name in names}


TABLE: dict[str, Lowering] = {
    **_updates(),
    "IsVariableInitialized": _initialised,
    "VarIsInitializedOp": _initialised,
    "ReadVariableOp": _read,
    "Assign": _update("assign"),
    "AssignAdd": _update("assign_add"),
    "AssignSub": _update("assign_sub"),
    "AssignVariableOp": _update("assign"),
    "AssignAddVariableOp": _update("assign_add"),
    "AssignSubVariableOp": _update("assign_sub"),
    "ApplyGradientDescent": _descend,
    "ResourceApplyGradientDescent": _descend,
    "Assert": _assert,
    "Print": _print,
    "PrintV2": _print,
    "ScalarSummary": _summary,
    "HistogramSummary": _summary,
    "ImageSummary": _summary,
    "AudioSummaryV2": _summary,
    "TensorSummaryV2": _summary,
    "MergeSummary": _summary,
    "PyFunc": _python,
    "PyFuncStateless": _python,
    "EagerPyFunc": _python,
}
