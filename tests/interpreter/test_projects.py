"""Programs of several files: imports, configuration files, and model files that the project adds."""

from __future__ import annotations

from pathlib import Path

from looking import seen

from mlvet.frontends.python.program import Interpreted, interpret
from mlvet.frontends.source import read_source


def interpreted(folder: Path, files: dict[str, str], script: str = "train.py", **models: Path) -> Interpreted:
    for name, text in files.items():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_text(text, encoding="utf-8")
    path = folder / script
    return interpret(read_source(path, script), path, folder, models=models)


def test_imports_are_followed_across_files(tmp_path: Path) -> None:
    found = interpreted(
        tmp_path,
        {
            "train.py": "import torch\nfrom nets.encoder import Encoder\nimport nets.sizes as s\n"
            "y = Encoder(s.WIDTH)(torch.zeros(2, s.WIDTH))\n",
            "nets/__init__.py": "",
            "nets/sizes.py": "WIDTH = 12\n",
            "nets/encoder.py": "from torch import nn\nfrom .sizes import *\nclass Encoder(nn.Module):\n"
            "    def __init__(self, n):\n        super().__init__()\n        self.f = nn.Linear(n, WIDTH // 2)\n"
            "    def forward(self, x):\n        return self.f(x)\n",
        },
    )
    assert seen(found, "y") == "f32[2, 6]"
    assert {each.name for each in found.graph.parameters} == {"f.weight", "f.bias"}


def test_a_folder_that_holds_the_script_is_a_package_without_a_mark(tmp_path: Path) -> None:
    files = {
        "jobs/small/train.py": "from jobs.small import sizes\nfrom jobs import other\nx = sizes.WIDTH + other.MORE\n",
        "jobs/small/sizes.py": "WIDTH = 12\n",
        "jobs/other.py": "MORE = 1\n",
    }
    assert interpreted(tmp_path, files, "jobs/small/train.py").names["x"] == 13


def test_circular_imports_end(tmp_path: Path) -> None:
    found = interpreted(
        tmp_path,
        {"train.py": "import a\nx = a.one\n", "a.py": "import b\none = 1\n", "b.py": "import a\ntwo = 2\n"},
    )
    assert found.names["x"] == 1


def test_configuration_files_are_read(tmp_path: Path) -> None:
    found = interpreted(
        tmp_path,
        {
            "train.py": "import json, torch\nwith open('config.json') as f:\n    config = json.load(f)\n"
            "x = torch.zeros(config['batch'], config['sizes'][1])\n",
            "config.json": '{"batch": 8, "sizes": [1, 5]}',
        },
    )
    assert seen(found, "x") == "f32[8, 5]"


def test_a_file_outside_the_project_is_not_read(tmp_path: Path) -> None:
    (tmp_path / "secret.json").write_text('{"n": 3}', encoding="utf-8")
    found = interpreted(
        tmp_path / "project",
        {"train.py": "import json\nn = json.load(open('../secret.json'))['n']\n", "pyproject.toml": ""},
    )
    assert found.names["n"] != 3


def test_a_file_of_the_project_stands_in_for_a_library(tmp_path: Path) -> None:
    files = {
        "train.py": "import acme\nx = acme.load_batch(16)\ny = x.mean(1)\n",
        "vet/acme.py": "import torch\ndef load_batch(size):\n    return torch.zeros(size, 3, 8, 8)\n",
    }
    found = interpreted(tmp_path, files, acme=tmp_path / "vet/acme.py")
    assert seen(found, "y") == "f32[16, 8, 8]"


def test_what_nobody_calls_is_analysed_with_unknown_arguments(tmp_path: Path) -> None:
    found = interpreted(
        tmp_path,
        {
            "train.py": "import torch\nfrom torch import nn\nclass Net(nn.Module):\n"
            "    def __init__(self, width: int):\n"
            "        super().__init__()\n        self.conv = nn.Conv2d(3, width, 3, padding=1)\n"
            "    def forward(self, images):\n        y = self.conv(images)\n        return y\n"
        },
    )
    assert seen(found, "y") == "f32[batch, width, height, width_2]"
    assert found.reached == found.statements


def test_a_version_check_kills_no_path(tmp_path: Path) -> None:
    found = interpreted(
        tmp_path,
        {"train.py": "import torch\nassert torch.__version__ >= '99'\nx = torch.zeros(3)\n"},
    )
    assert seen(found, "x") == "f32[3]"


def test_programs_of_a_librarys_own_checkout_are_read_with_its_model(tmp_path: Path) -> None:
    files = {
        "pyproject.toml": '[project]\nname = "einops"\n',
        "einops/__init__.py": "def rearrange(x, pattern, **sizes):\n    return None\n",
        "examples/use.py": "import torch\nfrom einops import rearrange\n"
        "y = rearrange(torch.zeros(2, 6), 'a b -> b a')\n",
    }
    assert seen(interpreted(tmp_path, files, "examples/use.py"), "y") == "f32[6, 2]"
    other = {**files, "pyproject.toml": '[project]\nname = "mine"\n'}
    assert seen(interpreted(tmp_path, other, "examples/use.py"), "y") != "f32[6, 2]"
