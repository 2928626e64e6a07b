"""Exported programs of torch: what they become, that archives read like live ones, and that they compute the same."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch
from torch import nn
from torch.nn import functional as F  # noqa: N812

from mlvet.analyses.shapes.inference import infer
from mlvet.domains.dims import bounds
from mlvet.frontends.torch_export import from_torch, read_pt2
from mlvet.ir.graph import OPAQUE, Graph
from mlvet.ir.verify import verify
from mlvet.ops import REGISTRY
from mlvet.ops.danger import AllAt, GradientAt
from mlvet.runtime.reference import evaluate

HERE = Path(__file__).name
CHECKS = "run-time checks added by the exporter are left out"


class Net(nn.Module):
    """A little of everything: parameters, buffers, a constant, a computed shape."""

    def __init__(self) -> None:
        super().__init__()
        self.conv = nn.Conv2d(3, 4, 3, padding="same")
        self.norm = nn.BatchNorm2d(4)
        self.head = nn.Sequential(nn.Linear(4, 5), nn.GELU())
        self.scale = torch.full((5,), 2.0)

    def forward(self, x: Any) -> Any:
        y = self.norm(self.conv(x)).relu()
        y = y.mean((2, 3))  # the marked line
        z = self.head(y) * self.scale
        return z.reshape(x.shape[0] * 5, -1) + 1


class Wrapped(nn.Module):
    def __init__(self, function: Callable[..., Any], *layers: nn.Module) -> None:
        super().__init__()
        self.function = function
        self.layers = nn.ModuleList(layers)

    def forward(self, *operands: Any) -> Any:
        return self.function(*self.layers, *operands)


def batch() -> Any:
    return torch.export.Dim("batch", min=2, max=64)


def net() -> tuple[Any, Any]:
    torch.manual_seed(0)
    images = torch.randn(4, 3, 8, 8)
    return torch.export.export(Net().eval(), (images,), dynamic_shapes={"x": {0: batch()}}, strict=False), images


def opaque(graph: Graph) -> list[str]:
    return [node.source_op for node in graph.nodes() if node.op == OPAQUE]


def structure(graph: Graph) -> list[Any]:
    nodes = [
        (node.name, node.op, [str(value) for value in node.inputs], [str(value.declared) for value in node.outputs],
         dict(node.attributes), node.location, node.module)
        for node in graph.nodes()
    ]  # fmt: skip
    return [nodes, [(p.name, p.module, p.trainable, str(p.value.declared)) for p in graph.parameters]]


def check_shapes(graph: Graph) -> None:
    """The graph is sound, and what the shape rules infer is what the program says."""
    assert not verify(graph)
    found = infer(graph)
    assert not found.violated
    assert not found.disagreements
    assert not found.failures
    wrong = {
        node.name: (str(found.type_of(value)), str(value.declared))
        for node in graph.nodes()
        for value in node.outputs
        if value.declared.ranked and str(found.type_of(value)) != str(value.declared)
    }
    assert not wrong


def check_numbers(graph: Graph, program: Any, *operands: Any) -> None:
    """The references of the operators compute what torch computes."""
    results = evaluate(graph, {value.name: x.numpy() for value, x in zip(graph.inputs, operands, strict=True)})
    expected = torch.utils._pytree.tree_leaves(program.module()(*operands))
    assert len(expected) == len(graph.outputs)
    for value, wanted in zip(graph.outputs, expected, strict=True):
        array = wanted.detach().numpy()
        assert results[value.name].dtype == array.dtype
        np.testing.assert_allclose(results[value.name], array, rtol=1e-3, atol=1e-4, err_msg=value.name)


def test_a_module_becomes_canonical_operators_with_its_names() -> None:
    graph = from_torch(net()[0])
    assert [node.op for node in graph.nodes()][:4] == ["dim", "conv", "batch_normalization", "relu"]
    assert [value.name for value in graph.inputs] == ["x"]
    parameters = {parameter.name: parameter for parameter in graph.parameters}
    assert parameters["head.0.weight"].module == "head.0"
    assert parameters["head.0.weight"].trainable
    assert not parameters["norm.running_mean"].trainable
    assert [str(item.value) for item in graph.body.constants if item.value.name == "scale"] == ["%scale"]
    conv = next(node for node in graph.nodes() if node.op == "conv")
    assert conv.module == "conv"
    assert conv.source_op == "aten.conv2d.padding"
    assert conv.attributes["pads"] == (1, 1, 1, 1)


def test_dynamic_dims_keep_the_name_and_the_range_that_the_user_gave() -> None:
    images = torch.randn(4, 3, 8, 8)
    graph = from_torch(Net().eval(), (images,), {"x": {0: batch()}})
    size = graph.inputs[0].declared.dims[0]
    assert str(size) == "batch"
    assert bounds(size) == (2, 64)
    assert str(graph.outputs[0].declared) == "f32[5*batch, 1]"


def test_nodes_know_the_line_and_the_calls_that_made_them() -> None:
    graph = from_torch(net()[0])
    line = next(
        number for number, text in enumerate(Path(__file__).read_text().splitlines(), 1) if "the marked line" in text
    )
    mean = next(node for node in graph.nodes() if node.op == "reduce_mean")
    assert mean.location is not None
    assert mean.location.line == line
    assert mean.location.path.endswith(HERE)
    linear = next(node for node in graph.nodes() if node.op == "linear")
    assert linear.location is not None
    assert linear.location.line == line + 1
    assert linear.module == "head.0"
    assert next(frame.function for frame in linear.stack) == "forward"


def test_an_archive_reads_like_the_live_program_and_maps_its_weights(tmp_path: Path) -> None:
    program, _ = net()
    torch.export.save(program, tmp_path / "net.pt2")
    live, read = from_torch(program), read_pt2(tmp_path / "net.pt2", "net.pt2")
    assert structure(read) == structure(live)
    assert read.path == "net.pt2"
    assert read.format == "pt2"
    assert not read.notes
    for ours, theirs in zip(read.parameters, live.parameters, strict=True):
        assert ours.data is not None
        assert theirs.data is not None
        array = ours.data.load()
        assert np.array_equal(array, theirs.data.load())
        assert not array.flags.writeable
        assert array.size == 0 or not array.flags.owndata


def test_the_net_has_the_shapes_and_the_numbers_of_torch() -> None:
    program, images = net()
    graph = from_torch(program)
    check_shapes(graph)
    check_numbers(graph, program, images)


def _inplace(x: Any) -> Any:
    y = x.clone()
    y[0] = 1.0
    y[:, 1:2] = 0
    flat = y.view(-1)
    y += 1
    flat.mul_(2)
    y[y > 3] = 5.0
    return y, flat


def _attention(q: Any) -> Any:
    mask = torch.ones(5, 5, dtype=torch.bool).tril()
    attend = F.scaled_dot_product_attention
    return attend(q, q, q), attend(q, q, q, is_causal=True), attend(q, q, q, attn_mask=mask)


vector, image, signal = torch.randn(3, 6), torch.randn(2, 4, 8, 8), torch.randn(2, 4, 16)
labels, places = torch.tensor([1, 0, 2]), torch.tensor([0, 2, 1])
PROGRAMS: dict[str, tuple[Callable[..., Any], list[nn.Module], list[Any]]] = {
    "conv1d": (lambda m, x: m(x), [nn.Conv1d(4, 6, 3, stride=2, padding=1, groups=2)], [signal]),
    "medians": (lambda x: (x.median(), *x.median(1), *x.median(0, keepdim=True)), [], [vector]),
    "zero times a logarithm": (
        lambda x: (torch.xlogy(x.relu(), x.relu()), torch.special.xlog1py(x.relu(), x.relu())),
        [],
        [vector],
    ),
    "numbers for failures": (
        lambda x: (torch.nan_to_num(x.log()), torch.nan_to_num(x.relu().log(), nan=1.0, posinf=2.0, neginf=-3.0)),
        [],
        [vector],
    ),
    "transposed": (lambda m, x: m(x), [nn.ConvTranspose2d(4, 2, 3, stride=2, output_padding=1)], [image]),
    "norms": (
        lambda a, b, c, x: (a(x), b(x), c(x)),
        [nn.GroupNorm(2, 4), nn.LayerNorm(8), nn.RMSNorm(8)],
        [image],
    ),
    "pools": (
        lambda x: (
            F.max_pool2d(x, 2),
            F.avg_pool2d(x, 3, 1, 1),
            F.adaptive_avg_pool2d(x, 1),
            F.adaptive_avg_pool2d(x, 3),
            F.adaptive_max_pool2d(x, 2),
        ),
        [],
        [image],
    ),
    "resize": (
        lambda x: (
            F.interpolate(x, scale_factor=2),
            F.interpolate(x, size=(5, 6), mode="bilinear"),
            F.interpolate(x, size=(5, 6), mode="bicubic", align_corners=True),
        ),
        [],
        [image],
    ),
    "pads": (
        lambda x: (F.pad(x, (1, 2, 0, 1), value=3.0), F.pad(x, (1, 1), mode="reflect"), F.pad(x, (-1, 0))),
        [],
        [signal],
    ),
    "layout": (
        lambda x: (
            torch.cat([x, x], 1), torch.stack([x, x], -1), *torch.split(x, 3, 1), *x.chunk(2, 2), *x.unbind(0),
            x[:, -1], x[..., ::2], x.flip(1), x.roll(1, 2), x.permute(0, 2, 3, 1), x.flatten(1), x.squeeze(0),
            x.unflatten(1, (2, 2)), x.repeat(2, 1, 1, 1, 1), x.repeat_interleave(2, 1), x.movedim(1, -1), x.mT,
        ),
        [],
        [image],
    ),
    "indexing": (
        lambda x, i: (x[i], x[:, i], x[i, i], x[:, i, i], x[i, :, i], torch.gather(x, 1, i[:, None, None])),
        [],
        [torch.randn(4, 5, 6), places],
    ),
    "writing": (
        lambda x, i: (
            torch.scatter(x, 1, i[:, None], 2.0), x.scatter_add(0, i[None], x[:1, :3]), x.index_add(1, i, x[:, :3]),
            x.index_put((i, i), torch.tensor(1.0), accumulate=True), x.index_fill(0, i, 1.0), x.masked_fill(x > 0, 0.0),
        ),
        [],
        [vector, places],
    ),
    "in place": (_inplace, [], [vector]),
    "reductions": (
        lambda x: (
            x.sum(), x.mean((0, 1), keepdim=True), x.var(), x.std(1, unbiased=False), x.amax(1), x.prod(1),
            (x > 0).any(), (x > 0).all(1), x.logsumexp(1), x.norm(dim=1), x.norm(3), x.norm(float("inf")),
            torch.linalg.vector_norm(x, ord=0.5, dim=0), x[0, 0].norm(), torch.dist(x, 2 * x), x.std(1),
            x.max(1, keepdim=True), x.argmax(),
            x.argmin(0, keepdim=True), x.cumsum(1), x.topk(2), x.sort(), x.argsort(0, descending=True), (x > 0).sum(),
        ),
        [],
        [vector],
    ),
    "promotion": (
        lambda x: (
            x + 1, 1 - x, x // 2, x % 2, x**2, 2**x, x.long() + 1, x.long() / 2, x.long() // 2, x.long() < 2.5,
            x.half() + x, x.long() + 1.5, torch.tensor(2.0) * x.half(), torch.add(x, x, alpha=2), (x > 0) & (x < 1),
        ),
        [],
        [vector],
    ),
    "activations": (
        lambda x: (
            F.gelu(x), F.gelu(x, approximate="tanh"), F.silu(x), F.elu(x), F.celu(x, 2.0), F.leaky_relu(x), F.relu6(x),
            F.hardswish(x), F.hardsigmoid(x), F.softplus(x, 2), F.mish(x), F.logsigmoid(x), F.softshrink(x),
            F.threshold(x, 0.1, 2.0), F.glu(x), F.softmax(x, -1), F.log_softmax(x, 1), F.normalize(x),
            torch.logit(x.sigmoid()), torch.logit(x, eps=0.1), torch.special.logit(x.abs(), 0.2),
        ),
        [],
        [vector],
    ),
    "lstm": (
        lambda m, x: m(x),
        [nn.LSTM(6, 5, 2, bidirectional=True, batch_first=True)],
        [torch.randn(2, 7, 6)],
    ),
    "gru": (lambda m, x: m(x), [nn.GRU(6, 5)], [torch.randn(7, 2, 6)]),
    "cell": (lambda a, b, x: (a(x), b(x)), [nn.LSTMCell(6, 5), nn.GRUCell(6, 5)], [vector]),
    "attention": (_attention, [], [torch.randn(2, 4, 5, 8)]),
    "complex": (
        lambda x: (x.abs(), x.norm(dim=1), x.conj().abs() + 1),
        [],
        [torch.randn(3, 6, dtype=torch.complex64)],
    ),
    "losses": (
        lambda x, t: (
            F.cross_entropy(x, t), F.nll_loss(F.log_softmax(x, 1), t), F.mse_loss(x, x * 2),
            F.binary_cross_entropy(x.sigmoid(), (x > 0).float()), F.smooth_l1_loss(x, x * 3), F.huber_loss(x, x * 3),
            F.binary_cross_entropy_with_logits(x, x.sigmoid(), pos_weight=torch.tensor(2.0)),
            F.kl_div(F.log_softmax(x, 1), x.softmax(1), reduction="batchmean"), F.cross_entropy(x, x.softmax(1)),
        ),
        [],
        [vector, labels],
    ),
    "creation": (
        lambda x: (torch.arange(1.0, 3.0, 0.5), torch.full((2,), 3), torch.ones_like(x).tril(), torch.eye(3)),
        [],
        [vector],
    ),
}  # fmt: skip


@pytest.mark.parametrize("decomposed", [False, True], ids=["training IR", "core ATen"])
@pytest.mark.parametrize("name", PROGRAMS)
def test_lowering_computes_what_torch_computes(name: str, decomposed: bool) -> None:
    function, layers, operands = PROGRAMS[name]
    program = torch.export.export(Wrapped(function, *layers).eval(), tuple(operands), strict=False)
    if decomposed:
        program = program.run_decompositions()
    graph = from_torch(program)
    assert not opaque(graph)
    assert set(graph.notes) <= {CHECKS}
    check_shapes(graph)
    check_numbers(graph, program, *operands)


class Branch(nn.Module):
    def forward(self, x: Any) -> Any:
        return torch.cond(x.sum() > 0, lambda y: y.sin(), lambda y: y.cos(), (x,))


class Loop(nn.Module):
    def forward(self, x: Any) -> Any:
        from torch._higher_order_ops.while_loop import while_loop

        return while_loop(lambda i, _: i < 3, lambda i, y: (i + 1, y * 2 + x), (torch.tensor(0), x))


class Scanned(nn.Module):
    def forward(self, x: Any) -> Any:
        from torch._higher_order_ops.scan import scan

        return scan(lambda state, row: (state + row, state * 2), torch.zeros(4), x)


class Quiet(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.layer = nn.Linear(4, 4)

    def forward(self, x: Any) -> Any:
        with torch.no_grad():
            y = self.layer(x)
        return y + self.layer(x)


@pytest.mark.parametrize(("module", "op"), [(Branch, "if"), (Loop, "while"), (Scanned, "scan"), (Quiet, "linear")])
def test_control_flow_becomes_regions_and_wrappers_are_inlined(module: Any, op: str, tmp_path: Path) -> None:
    x = torch.rand(5, 4)
    program = torch.export.export(module(), (x,), strict=False)
    graph = from_torch(program)
    assert op in [node.op for node in graph.body.nodes]
    assert not opaque(graph)
    check_shapes(graph)
    check_numbers(graph, program, x)
    torch.export.save(program, tmp_path / "m.pt2")
    assert structure(read_pt2(tmp_path / "m.pt2", "m.pt2")) == structure(graph)


@pytest.mark.parametrize("upper", [False, True])
def test_a_cholesky_factor_is_that_of_torch(upper: bool) -> None:
    square = vector @ vector.T + torch.eye(3)
    program = torch.export.export(Wrapped(lambda x: torch.linalg.cholesky(x, upper=upper)), (square,), strict=False)
    graph = from_torch(program)
    assert [node.op for node in graph.body.nodes] == ["cholesky"]
    check_numbers(graph, program, square)


def test_statistics_of_a_batch_in_training_come_from_the_operator() -> None:
    layer = nn.BatchNorm1d(6)
    program = torch.export.export(layer, (vector,), strict=False)
    graph = from_torch(program)
    norm = next(node for node in graph.nodes() if node.op == "batch_normalization")
    assert norm.attributes["training_mode"] == 1
    assert len(norm.outputs) == 3
    assert norm.attributes["momentum"] == pytest.approx(0.9)


def test_an_operator_that_no_table_knows_stays_opaque_with_its_name_and_shape() -> None:
    graph = from_torch(Wrapped(lambda x: torch.fft.rfft(x).abs()), (vector,))
    assert opaque(graph) == ["aten.fft_rfft.default"]
    node = next(node for node in graph.nodes() if node.op == OPAQUE)
    assert str(node.outputs[0].declared) == "c64[3, 4]"


def test_checks_that_the_exporter_adds_are_left_out_and_told() -> None:
    class Item(nn.Module):
        def forward(self, x: Any) -> Any:
            count = x.sum().int().item()
            torch._check(count >= 0)
            torch._check(count <= 50)
            return torch.zeros(count) + 1

    graph = from_torch(Item(), (torch.rand(5, 4),))
    assert not opaque(graph)
    assert graph.notes == (CHECKS,)


def _transformers() -> dict[str, Any]:
    import transformers

    sizes = {"vocab_size": 50, "hidden_size": 32, "num_hidden_layers": 2, "num_attention_heads": 4}
    bert = transformers.BertConfig(**sizes, intermediate_size=64, max_position_embeddings=64)
    gpt = transformers.GPT2Config(
        vocab_size=50, n_embd=32, n_layer=2, n_head=4, n_positions=64, use_cache=False, bos_token_id=0, eos_token_id=0
    )
    llama = transformers.LlamaConfig(**sizes, num_key_value_heads=2, intermediate_size=64, use_cache=False)
    return {
        "bert": lambda: transformers.BertModel(bert),
        "gpt2": lambda: transformers.GPT2LMHeadModel(gpt),
        "llama": lambda: transformers.LlamaForCausalLM(llama),
    }


@pytest.mark.parametrize("name", ["bert", "gpt2", "llama"])
def test_transformers_are_lowered_whole_with_the_shapes_and_numbers_of_torch(name: str, tmp_path: Path) -> None:
    torch.manual_seed(0)
    ids = torch.randint(0, 50, (2, 8))
    dims = {"input_ids": {0: torch.export.Dim("batch", max=64), 1: torch.export.Dim("seq", min=2, max=32)}}
    model = _transformers()[name]().eval()
    program = torch.export.export(model, (), {"input_ids": ids}, dynamic_shapes=dims, strict=False)
    graph = from_torch(program, dynamic_shapes=dims)
    assert not opaque(graph)
    assert str(graph.inputs[0].declared) == "i64[batch, seq]"
    check_shapes(graph)
    results = evaluate(graph, {"input_ids": ids.numpy()})
    expected = torch.utils._pytree.tree_leaves(program.module()(input_ids=ids))
    for value, wanted in zip(graph.outputs, expected, strict=True):
        np.testing.assert_allclose(results[value.name], wanted.detach().numpy(), rtol=1e-3, atol=1e-4)
    torch.export.save(program, tmp_path / "m.pt2")
    assert structure(read_pt2(tmp_path / "m.pt2", "m.pt2"))[0] == structure(from_torch(program))[0]


@pytest.mark.parametrize(
    "function", [torch.norm, torch.linalg.vector_norm, lambda x: x.norm(3), torch.std, lambda x: torch.dist(x, 2 * x)]
)
def test_norms_that_torch_gives_a_gradient_at_zero_are_not_dangerous_there(function: Callable[..., Any]) -> None:
    zeros = torch.zeros(2, 3, requires_grad=True)
    function(zeros).backward()
    assert zeros.grad is not None
    assert not zeros.grad.any()
    graph = from_torch(torch.export.export(Wrapped(function), (torch.zeros(2, 3),), strict=False))
    assert not opaque(graph)
    dangers = [danger for node in graph.nodes() for danger in REGISTRY[node.op].danger or ()]
    assert not [danger for danger in dangers if isinstance(danger, AllAt | GradientAt)]
