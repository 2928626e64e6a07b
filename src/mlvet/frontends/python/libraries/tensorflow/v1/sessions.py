"""Placeholders, graphs and sessions. What a session yields has the shape of what it is asked for."""

from __future__ import annotations

from typing import Any

from mlvet.domains import dtypes
from mlvet.domains.dims import Dim, Expr, substitute, symbol
from mlvet.domains.dtypes import DType
from mlvet.domains.tensors import Tensor as Known
from mlvet.domains.tensors import unknown
from mlvet.frontends.python.active import machine
from mlvet.frontends.python.emission import demand_same, source
from mlvet.frontends.python.libraries.binding import as_items
from mlvet.frontends.python.libraries.registry import model
from mlvet.frontends.python.libraries.tensorflow.environment import Scope
from mlvet.frontends.python.libraries.tensorflow.shapes import partial_sizes
from mlvet.frontends.python.libraries.tensorflow.static import is_placeholder, leave_open
from mlvet.frontends.python.libraries.tensorflow.structures import leaves, mapped
from mlvet.frontends.python.libraries.tensorflow.tensor import Tensor, convert, numpy_array, op_of, typed
from mlvet.frontends.python.values.containers import DictValue
from mlvet.frontends.python.values.numbers import Scalar
from mlvet.frontends.python.values.objects import Object
from mlvet.frontends.python.values.tensors import TensorValue, dims_of, dtype_of
from mlvet.frontends.python.values.unknown import Reason, Undecided, Unknown
from mlvet.ir.graph import Execution, Node
from mlvet.ir.program import Run

_DECLARING = ("set_shape", "placeholder_with_default")
_NAMES = {1: ("batch",), 2: ("batch", "features"), 3: ("batch", "steps", "features")}
_IMAGES = ("batch", "height", "width", "channels")


@model("tensorflow.compat.v1.placeholder")
def placeholder(dtype: DType | None = None, shape: Any = None, name: Any = None) -> Tensor:
    """A tensor that the program feeds; sizes that are left open have names."""
    made = _placeholder(dtype, shape, name)
    here = machine()
    here.placeholders[made.graph_value] = here.location
    return made


def _placeholder(dtype: DType | None, shape: Any, name: Any) -> Tensor:
    label = name if isinstance(name, str) else "placeholder"
    try:
        count = len(as_items(shape)) if shape is not None and not isinstance(shape, int | Object) else 1
        sizes = partial_sizes(shape, _NAMES.get(count, _IMAGES))
    except Undecided:
        sizes = None
    made = source(label, unknown(machine().fresh(label), dtype) if sizes is None else Known(dtype, sizes), Tensor)
    made.cells["@name"] = label
    leave_open(made.graph_value, _left_open(shape, sizes))
    return made


def _left_open(shape: Any, sizes: tuple[Dim, ...] | None) -> list[Dim]:
    """The sizes for which the program writes None or -1."""
    if sizes is None or isinstance(shape, Object | Unknown | int):
        return []
    return [size for item, size in zip(as_items(shape), sizes, strict=True) if item is None or item == -1]


@model("tensorflow.compat.v1.sparse_placeholder", "tensorflow.compat.v1.ragged.placeholder")
def sparse_placeholder(dtype: DType | None = None, shape: Any = None, name: Any = None) -> Tensor:
    return _placeholder(dtype, shape, name)


@model("tensorflow.compat.v1.placeholder_with_default")
def placeholder_with_default(input: Any, shape: Any = None, name: Any = None) -> Tensor:
    start = convert(input)
    known = dims_of(start)
    given = partial_sizes(shape)
    made = _placeholder(start.dtype if isinstance(start.dtype, DType) else None, None, name)
    sizes = known if given is None else given
    return made if sizes is None else typed("placeholder_with_default", [start], start.dtype, *sizes)


def executed(kind: str, fetches: Any, feed_dict: Any, whole: bool = True) -> Any:
    """What running the graph yields: arrays for tensors, nothing for operations. Feeds must fit their placeholders.

    A run that is not the `whole` of it gets other feeds elsewhere.
    """
    here = machine()
    asked = leaves(fetches)
    fed = _fed(feed_dict)
    arrays = feed_dict.cells.values() if isinstance(feed_dict, DictValue) else ()
    sources = tuple(each.graph_value for each in arrays if isinstance(each, TensorValue))
    execution = Execution(
        kind,
        tuple(each.graph_value for each in asked if isinstance(each, TensorValue)),
        tuple(key.graph_value for key, _ in fed),
        tuple(node for each in asked if isinstance(each, Operation) for node in each.nodes),
        here.location,
    )
    run = Run(
        execution, tuple(given for _, given in fed), here.path, whole and not here.trying and _is_complete(feed_dict),
        bool(asked) and all(_is_followed(each) for each in asked),
        tuple(here.written_twice.get(id(feed_dict), (None, ()))[1]), sources, len(here.demands),
    )  # fmt: skip
    here.executions.append(execution)
    here.runs.append(run)
    sizes: dict[str, Dim] = {}
    for key, given in fed:
        wanted = dims_of(key)
        got = given.dims if given is not None and given.ranked else None
        if wanted is None or got is None or not _is_declared(key):
            continue
        said = f"a value of shape {list(got)} is fed for `{key.graph_value.name}` of shape {list(wanted)}"
        demand_same(got, wanted, said, "fed-shape-differs", run)
        for open_size, size in zip(wanted, got, strict=False):
            if isinstance(open_size, Expr) and str(open_size).isidentifier():
                sizes[str(open_size)] = size
    return mapped(lambda each: _result(each, sizes), fetches)


def _result(fetched: Any, sizes: dict[str, Dim]) -> Any:
    """What a session gives for one fetch, with the sizes of what was fed."""
    if isinstance(fetched, Operation):
        return None
    if isinstance(fetched, TensorValue):
        dims = dims_of(fetched)
        exact = None if dims is None else tuple(substitute(dim, sizes) for dim in dims)
        same = exact is None or exact == dims
        return numpy_array(
            op_of("identity", fetched) if same else typed("run", [fetched], dtype_of(fetched), *(exact or ()))
        )
    if isinstance(fetched, str):
        return Unknown(Reason.UNKNOWN_DISPATCH, "a tensor by its name")
    return fetched


def _is_declared(fed: TensorValue) -> bool:
    """Whether the shape of what is fed is one that the program declares.

    Of other tensors a graph may know less than interpretation does: batches of a data set have any number of rows.
    """
    node = machine().builder.maker(fed.graph_value)
    return is_placeholder(fed.graph_value) or (node is not None and node.source_op in _DECLARING)


def _is_followed(fetched: Any) -> bool:
    """Whether it is known what a fetch is computed from."""
    return isinstance(fetched, TensorValue) or (isinstance(fetched, Operation) and bool(fetched.nodes))


def _is_complete(feed_dict: Any) -> bool:
    """Whether nothing but the tensors that are keys can be fed."""
    if not isinstance(feed_dict, DictValue):
        return feed_dict is None
    return feed_dict.rest is None and all(_is_known(key) for key in feed_dict.cells)


def _is_known(key: Any) -> bool:
    """Whether a key of the feeds is a tensor that the program is known to have made; one found by its name is not."""
    if not isinstance(key, TensorValue):
        return False
    return is_placeholder(key.graph_value) or machine().builder.maker(key.graph_value) is not None


def _fed(feed_dict: Any) -> list[tuple[TensorValue, Known | None]]:
    """The placeholders that are fed, and what is fed as far as that is known."""
    fed: list[tuple[TensorValue, Known | None]] = []
    for key, given in feed_dict.cells.items() if isinstance(feed_dict, DictValue) else ():
        if isinstance(key, TensorValue):
            try:
                known = None if isinstance(given, Unknown) else convert(given, hint=key.graph_value.declared.dtype)
            except Undecided:
                known = None
            fed.append((key, None if known is None else known.graph_value.declared.without_value()))
    return fed


@model("tensorflow.Operation")
class Operation(Object):
    """Something that a session runs for its effect: a step of training, an initialisation.

    Of the tensors that it is made from the session computes those first.
    """

    def __init__(self, *args: Any, **keywords: Any) -> None:
        parts = [leaf for each in (*args, *keywords.values()) for leaf in leaves(each)]
        made = machine().builder.makers(each.graph_value for each in parts if isinstance(each, TensorValue))
        before = [node for each in parts if isinstance(each, Operation) for node in each.nodes]
        self.cells["@nodes"] = (*before, *made)

    @property
    def nodes(self) -> tuple[Node, ...]:
        return tuple(self.cells["@nodes"])

    def run(self, feed_dict: Any = None, session: Any = None) -> None:
        del session
        executed("run", self, feed_dict)

    @property
    def name(self) -> Any:
        return Scalar(str, "operation")

    @property
    def type(self) -> Any:
        return Scalar(str, "type")


def operation(*args: Any, **keywords: Any) -> Any:
    """A node that yields no tensor."""
    return Operation(*args, **keywords)


for _name in (
    "global_variables_initializer local_variables_initializer tables_initializer initialize_all_variables "
    "initialize_local_variables initialize_variables variables_initializer summary.initialize"
).split():
    model(f"tensorflow.compat.v1.{_name}")(operation)
model("tensorflow.group")(operation)


@model("tensorflow.compat.v1.Session")
class Session(Object):
    def __init__(self, target: Any = "", graph: Any = None, config: Any = None, **rest: Any) -> None:
        del target, config, rest
        self.graph = graph if isinstance(graph, Graph) else Graph()

    def run(self, fetches: Any, feed_dict: Any = None, options: Any = None, run_metadata: Any = None) -> Any:
        del options, run_metadata
        return executed("session", fetches, feed_dict)

    def partial_run(self, handle: Any, fetches: Any, feed_dict: Any = None) -> Any:
        del handle
        return executed("session", fetches, feed_dict, whole=False)

    def make_callable(self, fetches: Any, feed_list: Any = None, accept_options: Any = False) -> Any:
        del feed_list, accept_options

        def run(*args: Any) -> Any:
            del args
            return executed("session", fetches, None, whole=False)

        return run

    def as_default(self) -> Any:
        return self

    def close(self) -> None:
        """Closed."""

    def should_stop(self) -> Any:
        return Scalar(bool, "should_stop")

    def __enter__(self) -> Any:
        return self

    def __exit__(self, *error: Any) -> None:
        """Closed."""


model("tensorflow.compat.v1.InteractiveSession")(type("InteractiveSession", (Session,), {}))


@model("tensorflow.compat.v1.train.MonitoredTrainingSession", "tensorflow.compat.v1.train.MonitoredSession")
@model("tensorflow.compat.v1.train.SingularMonitoredSession")
def monitored_session(*args: Any, **keywords: Any) -> Any:
    del args, keywords
    return Session()


@model("tensorflow.compat.v1.get_default_session")
def get_default_session() -> Any:
    return Session()


@model("tensorflow.Graph")
class Graph(Object):
    def __init__(self) -> None:
        self.seed = None

    def as_default(self) -> Any:
        return self

    def __enter__(self) -> Any:
        return self

    def __exit__(self, *error: Any) -> None:
        """Left."""

    def finalize(self) -> None:
        """Nothing is added any more."""

    def as_graph_def(self, *args: Any, **keywords: Any) -> Any:
        del args, keywords
        return Unknown(Reason.UNMODELLED_CALL, "Graph.as_graph_def")

    def device(self, name: Any) -> Any:
        return Scope(name)

    def name_scope(self, name: Any) -> Any:
        return Scope(name)

    def control_dependencies(self, control_inputs: Any) -> Any:
        del control_inputs
        return Scope()

    def get_tensor_by_name(self, name: Any) -> Tensor:
        del name
        raise Undecided(Reason.UNKNOWN_DISPATCH, "a tensor by its name")

    def get_collection(self, name: Any, scope: Any = None) -> Any:
        from mlvet.frontends.python.libraries.tensorflow.v1.variables import get_collection

        return get_collection(name, scope)

    def add_to_collection(self, name: Any, value: Any) -> None:
        from mlvet.frontends.python.libraries.tensorflow.v1.variables import add_to_collection

        add_to_collection(name, value)

    def get_operations(self) -> Any:
        return Unknown(Reason.UNMODELLED_CALL, "Graph.get_operations")


@model("tensorflow.compat.v1.get_default_graph")
def get_default_graph() -> Any:
    return Graph()


@model("tensorflow.compat.v1.ConfigProto", "tensorflow.compat.v1.GPUOptions", "tensorflow.compat.v1.RunOptions")
@model("tensorflow.compat.v1.RunMetadata", "tensorflow.compat.v1.GraphOptions", "tensorflow.compat.v1.OptimizerOptions")
@model("tensorflow.compat.v1.GraphDef", "tensorflow.compat.v1.Summary")
class Config(Object):
    """Settings of a session."""

    def __init__(self, *args: Any, **keywords: Any) -> None:
        del args
        self.gpu_options = Object()
        self.graph_options = Object()
        for name, value in keywords.items():
            setattr(self, name, value)

    def ParseFromString(self, text: Any) -> Any:
        """Read from text."""


@model("tensorflow.compat.v1.assign", "tensorflow.compat.v1.assign_add", "tensorflow.compat.v1.assign_sub")
def assign(ref: Any, value: Any, validate_shape: Any = None, use_locking: Any = None, name: Any = None) -> Any:
    del use_locking, name
    if not isinstance(ref, TensorValue):
        return ref
    made = convert(value, hint=ref.graph_value.declared.dtype)
    wanted, got = dims_of(ref), dims_of(made)
    if wanted is not None and got is not None and validate_shape is not False:
        demand_same(got, wanted, f"a value of shape {list(got)} for a variable of {list(wanted)}")
    return ref


@model("tensorflow.compat.v1.report_uninitialized_variables")
def report_uninitialized_variables(*args: Any, **keywords: Any) -> Tensor:
    del args, keywords
    return typed("report_uninitialized_variables", [], dtypes.text, symbol(machine().fresh("variables")))


@model("tensorflow.compat.v1.app.run")
def run(main: Any = None, argv: Any = None) -> None:
    """Calls the program's `main`, if there is one, with its arguments."""
    here = machine()
    function = main if main is not None else here.modules["__main__"].cells.get("main")
    if function is not None:
        here.call(function, argv if argv is not None else Unknown(Reason.EXTERNAL_DATA, "the command line"))
