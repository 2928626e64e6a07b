"""Tensors of one operator on different devices: bugs as people ask about them, and the same programs put right."""

from __future__ import annotations

from pathlib import Path
from textwrap import dedent

import pytest
from judging import judged, line_of

from mlvet.core.finding import Finding
from mlvet.core.fix import Applicability
from mlvet.core.grade import Certainty

RULE = "device-differs"
HEAD = """\
import torch
import torch.nn.functional as F
from torch import nn, optim
from torch.utils.data import DataLoader, TensorDataset
"""
CHOSEN = 'device = torch.device("cuda" if torch.cuda.is_available() else "cpu")\n'
DATA = "data = TensorDataset(torch.randn(100, 10), torch.randint(0, 3, (100,)))\n"

BUGS = {
    "the hidden state is made in forward": (
        CHOSEN
        + """
class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.rnn = nn.LSTM(10, 20, batch_first=True)
    def forward(self, x):
        h = torch.zeros(1, x.size(0), 20)
        c = torch.zeros(1, x.size(0), 20)
        return self.rnn(x, (h, c))  # HERE
net = Net().to(device)
x = torch.randn(4, 7, 10).to(device)
y = net(x)
""",
        ("x.size(0), 20)", "x.size(0), 20).to(x.device)"),
    ),
    "a positional encoding is a plain attribute": (
        CHOSEN
        + """
class Positions(nn.Module):
    def __init__(self, width, longest=50):
        super().__init__()
        pe = torch.zeros(longest, width)
        self.pe = pe.unsqueeze(0)
    def forward(self, x):
        return x + self.pe[:, :x.size(1)]  # HERE
model = Positions(16).to(device)
y = model(torch.randn(2, 10, 16).to(device))
""",
        ("self.pe = pe.unsqueeze(0)", 'self.register_buffer("pe", pe.unsqueeze(0))'),
    ),
    "a causal mask is made in forward": (
        CHOSEN
        + """
class Decoder(nn.Module):
    def __init__(self):
        super().__init__()
        self.q = nn.Linear(8, 8)
    def forward(self, x):
        scores = self.q(x) @ x.transpose(1, 2)
        mask = torch.tril(torch.ones(x.size(1), x.size(1))) == 0
        return scores.masked_fill(mask, float("-inf"))  # HERE
net = Decoder().to(device)
y = net(torch.randn(2, 5, 8, device=device))
""",
        ("x.size(1), x.size(1))", "x.size(1), x.size(1), device=x.device)"),
    ),
    "the weights of a loss stay behind": (
        CHOSEN
        + """
model = nn.Linear(10, 3).to(device)
loss_fn = nn.CrossEntropyLoss(weight=torch.tensor([1.0, 2.0, 3.0]))
x = torch.randn(8, 10, device=device)
y = torch.randint(0, 3, (8,), device=device)
loss = loss_fn(model(x), y)  # HERE
""",
        ("3.0]))", "3.0])).to(device)"),
    ),
    "targets are not moved": (
        CHOSEN
        + DATA
        + """
model = nn.Linear(10, 3).to(device)
opt = optim.SGD(model.parameters(), lr=0.1)
for epoch in range(3):
    for x, y in DataLoader(data, batch_size=16, shuffle=True):
        x = x.to(device)
        opt.zero_grad()
        loss = F.cross_entropy(model(x), y)  # HERE
        loss.backward()
        opt.step()
""",
        ("x = x.to(device)", "x, y = x.to(device), y.to(device)"),
    ),
    "evaluation forgets what training does": (
        CHOSEN
        + DATA
        + """
def train(model, opt):
    for x, y in DataLoader(data, batch_size=16, shuffle=True):
        x, y = x.to(device), y.to(device)
        opt.zero_grad()
        F.cross_entropy(model(x), y).backward()
        opt.step()
def evaluate(model):
    model.eval()
    correct = 0
    with torch.no_grad():
        for x, y in DataLoader(data, batch_size=16):
            x = x.to(device)
            correct += (model(x).argmax(1) == y).sum().item()  # HERE
    return correct
model = nn.Linear(10, 3).to(device)
opt = optim.SGD(model.parameters(), lr=0.1)
for epoch in range(2):
    model.train()
    train(model, opt)
    evaluate(model)
""",
        ("            x = x.to(device)\n", "            x, y = x.to(device), y.to(device)\n"),
    ),
    "layers in a plain list are not moved": (
        CHOSEN
        + """
class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.layers = [nn.Linear(10, 10) for _ in range(3)]
        self.out = nn.Linear(10, 2)
    def forward(self, x):
        for layer in self.layers:
            x = torch.relu(layer(x))  # HERE
        return self.out(x)
y = Net().to(device)(torch.randn(4, 10).to(device))
""",
        ("[nn.Linear(10, 10) for _ in range(3)]", "nn.ModuleList(nn.Linear(10, 10) for _ in range(3))"),
    ),
    "the model is called before it is moved": (
        CHOSEN
        + """
model = nn.Sequential(nn.Linear(10, 5), nn.ReLU(), nn.Linear(5, 1))
out = model(torch.randn(4, 10).to(device))  # HERE
model.to(device)
""",
        ("out = ", "model.to(device)\nout = "),
    ),
    "a layer is replaced after the model has been moved": (
        """
class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.body, self.head = nn.Linear(10, 10), nn.Linear(10, 2)
    def forward(self, x):
        return self.head(self.body(x))  # HERE
net = Net().cuda()
net.head = nn.Linear(10, 5)
y = net(torch.randn(4, 10).cuda())
""",
        ("nn.Linear(10, 5)", "nn.Linear(10, 5).cuda()"),
    ),
    "the result of to is thrown away": (
        """
model = nn.Linear(10, 3).cuda()
x = torch.randn(4, 10)
x.to("cuda")
y = model(x)  # HERE
""",
        ('x.to("cuda")', 'x = x.to("cuda")'),
    ),
    "an array of a tensor on a GPU": (
        """
model = nn.Linear(10, 3).cuda()
y = model(torch.randn(4, 10).cuda()).detach().numpy()  # HERE
""",
        (".detach()", ".detach().cpu()"),
    ),
    "only the model is moved where there is a GPU": (
        """
use_cuda = torch.cuda.is_available()
model = nn.Linear(10, 3)
x = torch.randn(4, 10)
if use_cuda:
    model.cuda()
y = model(x)  # HERE
""",
        ("    model.cuda()", "    model.cuda()\n    x = x.cuda()"),
    ),
    "a tensor that a loop carries starts on the CPU": (
        CHOSEN
        + """
rnn = nn.GRU(10, 20).to(device)
h = torch.zeros(1, 4, 20)
for step in range(100):
    out, h = rnn(torch.randn(7, 4, 10, device=device), h)  # HERE
""",
        ("torch.zeros(1, 4, 20)", "torch.zeros(1, 4, 20, device=device)"),
    ),
    "tensors are joined": (
        """
x = torch.randn(4, 10).cuda()
z = torch.cat([x, torch.ones(4, 1)], dim=1)  # HERE
""",
        ("torch.ones(4, 1)", "x.new_ones(4, 1)"),
    ),
    "numbers of rows on the CPU": (
        CHOSEN
        + """
table = nn.Embedding(10, 3).to(device)
rows = table(torch.arange(5))  # HERE
""",
        ("torch.arange(5)", "torch.arange(5, device=table.weight.device)"),
    ),
    "places on a GPU for a tensor on the CPU": (
        """
x = torch.randn(10, 3)
places = torch.tensor([0, 2], device="cuda")
y = x[places]  # HERE
""",
        ("[places]", "[places.cpu()]"),
    ),
    "a default device for the model alone": (
        """
with torch.device("cuda"):
    model = nn.Linear(3, 2)
x = torch.randn(4, 3)
y = model(x)  # HERE
""",
        ("\nx = ", "\n    x = "),
    ),
    "an option with a default": (
        """
import argparse
parser = argparse.ArgumentParser()
parser.add_argument("--device", default="cuda")
args = parser.parse_args()
model = nn.Linear(10, 3).to(args.device)
y = model(torch.randn(4, 10))  # HERE
""",
        ("torch.randn(4, 10)", "torch.randn(4, 10, device=args.device)"),
    ),
    "an option that only works as it is by default": (
        """
import argparse
parser = argparse.ArgumentParser()
parser.add_argument("--device", default="cpu")
args = parser.parse_args()
model = nn.Linear(10, 3).to(torch.device(args.device))
y = model(torch.randn(4, 10))  # HERE
""",
        ("torch.randn(4, 10)", "torch.randn(4, 10).to(args.device)"),
    ),
    "a flag against GPUs": (
        """
import argparse
parser = argparse.ArgumentParser()
parser.add_argument("--no-cuda", action="store_true", default=False)
args = parser.parse_args()
use_cuda = not args.no_cuda and torch.cuda.is_available()
device = torch.device("cuda" if use_cuda else "cpu")
model = nn.Linear(10, 3).to(device)
mask = torch.ones(4, 3)
y = model(torch.randn(4, 10).to(device)) * mask  # HERE
""",
        ("torch.ones(4, 3)", "torch.ones(4, 3, device=device)"),
    ),
    "a GPU of either maker": (
        """
device = "cuda" if torch.cuda.is_available() else "mps" if torch.backends.mps.is_available() else "cpu"
model = nn.Linear(3, 2).to(device)
y = model(torch.randn(4, 3))  # HERE
""",
        ("torch.randn(4, 3)", "torch.randn(4, 3).to(device)"),
    ),
    "two GPUs": (
        """
x = torch.randn(3, device="cuda:0")
y = torch.randn(3, device="cuda:1")
z = x * y  # HERE
""",
        ("cuda:1", "cuda:0"),
    ),
}


def found_in(text: str, path: Path) -> list[Finding]:
    return [each for each in judged(HEAD + dedent(text), path) if each.rule == RULE]


@pytest.mark.parametrize("name", BUGS)
def test_a_bug_is_found_once_where_it_fails(name: str, tmp_path: Path) -> None:
    bug, _ = BUGS[name]
    (finding,) = found_in(bug, tmp_path)
    assert finding.location.line == line_of(HEAD + bug)
    assert " on " in finding.message


@pytest.mark.parametrize("name", BUGS)
def test_the_program_put_right_is_not_reported(name: str, tmp_path: Path) -> None:
    bug, (wrong, right) = BUGS[name]
    assert wrong in bug
    assert found_in(bug.replace(wrong, right), tmp_path) == []


SILENT = {
    "numbers without dims come from the CPU": """
x = torch.randn(4, 3).cuda()
y = x * torch.tensor(2.0) + torch.tensor(1)
total = torch.tensor(0.0)
total = total + y.sum()
""",
    "places and masks on the CPU for a tensor on a GPU": """
x = torch.randn(10, 3).cuda()
y = x[torch.tensor([0, 2])]
x[torch.arange(10) > 3] = 0.0
x[0] = torch.zeros(3)
x.copy_(torch.zeros(10, 3))
""",
    "DataParallel spreads what it gets": """
model = nn.DataParallel(nn.Linear(3, 2)).cuda()
y = model(torch.randn(4, 3))
""",
    "something unknown gets the model": """
import somewhere
model = nn.Linear(3, 2)
somewhere.prepare(model)
y = model(torch.randn(4, 3).cuda())
""",
    "accelerate moves what it prepares": """
from accelerate import Accelerator
accelerator = Accelerator()
model = nn.Linear(3, 2)
model = accelerator.prepare(model)
y = model(torch.randn(4, 3).to(accelerator.device))
""",
    "a default device": """
torch.set_default_device("cuda")
model = nn.Linear(3, 2)
y = model(torch.randn(4, 3)) + torch.zeros(4, 2, device="cuda")
""",
    "a default type of tensors": """
torch.set_default_tensor_type("torch.cuda.FloatTensor")
y = nn.Linear(3, 2)(torch.zeros(4, 3))
""",
    "a module of a library, which others move": """
class Attention(nn.Module):
    def __init__(self, width):
        super().__init__()
        self.w = nn.Linear(width, width)
        self.b = nn.Parameter(torch.zeros(width))
        self.register_buffer("scale", torch.ones(width))
    def forward(self, x):
        there = torch.ones(4, self.w.in_features, device="cuda")
        return self.w(there) + self.b * self.scale + x
""",
    "a device that is not known": """
import somewhere
device = somewhere.device()
model = nn.Linear(3, 2).to(device)
y = model(torch.randn(4, 3).cuda())
""",
    "a device that a function gets": """
def run(device):
    model = nn.Linear(3, 2).to(device)
    return model(torch.randn(4, 3))
""",
    "new tensors beside others": """
x = torch.randn(4, 3).cuda()
y = x + torch.zeros_like(x) + x.new_zeros(3) + torch.rand_like(x) + torch.full_like(x, 2.0)
z = torch.ones(4, 3).to(x) + torch.ones(4, 3).type_as(x) + torch.ones(4, 3, device=x.device)
""",
    "data moved in place": """
w = torch.zeros(3)
w.data = w.data.cuda()
y = w + torch.ones(3).cuda()
""",
    "a tensor that one path moves": """
def run(there: bool):
    x = torch.zeros(3)
    if there:
        x = x.cuda()
    y = torch.ones(3).to(x.device)
    return x + y
run(torch.cuda.is_available())
""",
    "tensors on the meta device have no data": """
with torch.device("meta"):
    model = nn.Linear(3, 2)
model.to_empty(device="cuda")
y = model(torch.randn(4, 3, device="cuda"))
""",
}


@pytest.mark.parametrize("name", SILENT)
def test_what_runs_is_not_reported(name: str, tmp_path: Path) -> None:
    assert found_in(SILENT[name], tmp_path) == []


def test_what_every_path_has_is_proved(tmp_path: Path) -> None:
    (finding,) = found_in("y = torch.zeros(3) + torch.zeros(3).cuda()\n", tmp_path)
    assert finding.certainty is Certainty.PROVED
    assert finding.message.endswith("so it cannot run")


def test_what_hangs_on_the_machine_is_likely_and_says_so(tmp_path: Path) -> None:
    (finding,) = found_in(CHOSEN + "y = torch.zeros(3) + torch.ones(3).to(device)\n", tmp_path)
    assert finding.certainty is Certainty.LIKELY
    assert finding.message.endswith("so it cannot run where CUDA is available")


def test_an_option_is_told_with_its_default(tmp_path: Path) -> None:
    (finding,) = found_in(BUGS["an option with a default"][0], tmp_path)
    assert finding.certainty is Certainty.LIKELY
    assert "where device is cuda, as by default" in finding.message


def test_both_tensors_are_told_with_their_devices_and_where_they_got_them(tmp_path: Path) -> None:
    bug = BUGS["the hidden state is made in forward"][0]
    (finding,) = found_in(bug, tmp_path)
    assert "`self.rnn` gets `x` f32[4, 7, 10] on cuda and `h` f32[1, 4, 20] on cpu" in finding.message
    told = {each.location.line: each.message for each in finding.related if each.location is not None}
    assert told[line_of(HEAD + bug, "h = torch.zeros")] == "`h` is on cpu: made by `torch.zeros` without a device"


def test_a_model_that_stays_behind_is_one_report(tmp_path: Path) -> None:
    text = """
    first, second = nn.Linear(3, 4), nn.Linear(4, 2)
    x, y = torch.zeros(5, 3).cuda(), torch.zeros(5, 4).cuda()
    a = first(x)
    b = second(y)
    """
    assert len(found_in(text, tmp_path)) == 1


def edited(text: str, finding: Finding) -> str:
    assert finding.fix is not None
    assert finding.fix.applicability is Applicability.SAFE
    (edit,) = finding.fix.edits
    place, lines = edit.location, text.splitlines(keepends=True)
    assert place.line is not None
    assert place.column is not None
    assert place.end_column is not None
    line = lines[place.line - 1]
    lines[place.line - 1] = line[: place.column - 1] + edit.content + line[place.end_column - 1 :]
    return "".join(lines)


@pytest.mark.parametrize(
    "name",
    [
        "a causal mask is made in forward",
        "an array of a tensor on a GPU",
        "numbers of rows on the CPU",
        "a flag against GPUs",
        "a tensor that a loop carries starts on the CPU",
    ],
)
def test_a_certain_edit_cures_it(name: str, tmp_path: Path) -> None:
    text = HEAD + BUGS[name][0]
    (finding,) = [each for each in judged(text, tmp_path) if each.rule == RULE]
    assert [each for each in judged(edited(text, finding), tmp_path) if each.rule == RULE] == []


def test_a_shape_error_hides_no_device_and_none_hides_it(tmp_path: Path) -> None:
    program = (
        HEAD
        + CHOSEN
        + """
net = nn.Sequential(nn.Linear(10, 20), nn.Linear(30, 3)).to(device)
state = torch.zeros(4, 10)
y = net(torch.randn(4, 10).to(device) + state)
"""
    )
    found = judged(program, tmp_path)
    assert sorted(each.rule for each in found) == [RULE, "matmul-inner-dims"]
