"""torch.fx: graphs of modules. A traced module computes what the module computes; graphs themselves stay closed."""

from __future__ import annotations

from typing import Any

from mlvet.domains.dims import symbol
from mlvet.frontends.python.active import machine
from mlvet.frontends.python.libraries.registry import alias, model
from mlvet.frontends.python.libraries.torch.nn.module import Module
from mlvet.frontends.python.libraries.torch.services import Scope
from mlvet.frontends.python.values.containers import DictValue, ListValue, Repeated
from mlvet.frontends.python.values.numbers import Scalar
from mlvet.frontends.python.values.objects import BoundMethod, Object
from mlvet.frontends.python.values.unknown import Reason, Undecided


@model("torch.fx.Node")
class Node(Object):
    """One step of a traced module."""

    __slots__ = ()

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        self.op, self.name, self.users = Scalar(str, "op"), Scalar(str, "name"), DictValue()
        self.args, self.kwargs = (
            ListValue(Repeated(Scalar(str, "argument"), symbol(machine().fresh("count")))),
            DictValue(),
        )

    def replace_all_uses_with(self, *args: Any, **kwargs: Any) -> None:
        pass

    replace_input_with = replace_all_uses_with
    append = replace_all_uses_with
    prepend = replace_all_uses_with


@model("torch.fx.Graph")
class Graph(Object):
    """All steps of a traced module."""

    __slots__ = ()

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        """Whatever it is told."""

    @property
    def nodes(self) -> Any:
        return ListValue(Repeated(Node(), symbol(machine().fresh("nodes"))))

    def create_node(self, *args: Any, **kwargs: Any) -> Any:
        return Node()

    placeholder = create_node
    call_function = create_node
    call_module = create_node
    call_method = create_node
    get_attr = create_node
    output = create_node
    node_copy = create_node

    def inserting_after(self, *args: Any) -> Any:
        return Scope()

    inserting_before = inserting_after

    def lint(self, *args: Any, **kwargs: Any) -> None:
        pass

    erase_node = lint
    print_tabular = lint
    eliminate_dead_code = lint


@model("torch.fx.GraphModule")
class GraphModule(Module):
    """A module made of a graph; what it computes hangs on the graph."""

    __slots__ = ()

    def __init__(self, root: Any, graph: Any = None, class_name: Any = "GraphModule") -> None:
        super().__init__()
        self.root, self.graph = root, graph

    def forward(self, *args: Any, **kwargs: Any) -> Any:
        raise Undecided(Reason.GENERATED_CODE, "a module made of a graph")

    def recompile(self) -> None:
        pass

    delete_all_unused_submodules = recompile

    @property
    def code(self) -> Any:
        return Scalar(str, "code")


class Traced(GraphModule):
    """A module as it was traced, whose graph the program may change."""

    __slots__ = ()

    def forward(self, *args: Any, **kwargs: Any) -> Any:
        return machine().call(self.root, *args, **kwargs)

    def missing(self, name: str) -> Any:
        return machine().attribute(self.cells["root"], name)


@model("torch.fx.symbolic_trace")
def symbolic_trace(root: Any, concrete_args: Any = None) -> Any:
    return Traced(root, Graph())


@model("torch.fx.Tracer")
class Tracer(Object):
    __slots__ = ()

    def trace(self, root: Any, concrete_args: Any = None) -> Any:
        return Graph()

    def is_leaf_module(self, m: Any, module_qualified_name: Any) -> Any:
        return Scalar(bool, "leaf")

    def path_of_module(self, mod: Any) -> Any:
        return Scalar(str, "path")

    def create_node(self, *args: Any, **kwargs: Any) -> Any:
        return Node()

    def create_proxy(self, *args: Any, **kwargs: Any) -> Any:
        return Proxy()

    call_module = create_proxy


@model("torch.fx.proxy.GraphAppendingTracer")
class GraphAppendingTracer(Tracer):
    __slots__ = ()


@model("torch.fx.Proxy")
class Proxy(Object):
    """What stands for a tensor while a function is traced."""

    __slots__ = ()

    def __init__(self, node: Any = None, tracer: Any = None) -> None:
        self.node = Node() if node is None else node

    def __getitem__(self, index: Any) -> Any:
        return Proxy()

    def missing(self, name: str) -> Any:
        return BoundMethod(self, lambda receiver, *args, **kwargs: Proxy(), name)


@model("torch.fx.node.map_arg", "torch.fx.map_arg")
def map_arg(a: Any, fn: Any) -> Any:
    return a


@model("torch.fx.replace_pattern", "torch.fx.subgraph_rewriter.replace_pattern")
def replace_pattern(gm: Any, pattern: Any, replacement: Any) -> Any:
    return ListValue()


alias("torch.fx.graph", "torch.fx")
alias("torch.fx.graph_module", "torch.fx")
alias("torch.fx.proxy", "torch.fx")
alias("torch.fx.node", "torch.fx")
