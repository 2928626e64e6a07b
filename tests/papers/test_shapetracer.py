"""The seven situations of ShapeTracer as programs of our own, the three that it misses among them, and their cures."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

import pytest

from mlvet.core.finding import Finding
from mlvet.core.grade import Certainty, Severity
from mlvet.core.source import Source
from mlvet.programs import Program, vet_program

PROGRAMS = Path(__file__).parent / "shapetracer"


def text_of(name: str) -> str:
    return (PROGRAMS / f"{name}.txt").read_text(encoding="utf-8")


def found_in(text: str, folder: Path, models: Mapping[str, Path] | None = None) -> list[Finding]:
    """The shape findings of a program in a folder."""
    path = folder / "program.py"
    path.write_text(text, encoding="utf-8")
    return vet_program(Program(path, Source("program.py", text), folder, models or {})).findings


def only(findings: list[Finding]) -> Finding:
    assert len(findings) == 1, [f"{each.location}: {each.message}" for each in findings]
    return findings[0]


def line_of(text: str, part: str) -> int:
    """The number of the one line that has a part."""
    (found,) = [number for number, line in enumerate(text.splitlines(), 1) if part in line]
    return found


def says(finding: Finding, *words: str) -> None:
    for each in words:
        assert each in finding.message


# 1. A classifier whose reshape is wrong by a factor: the loss broadcasts only if the batch has one row.


@pytest.mark.parametrize("run", ["sess.run(train_step, ", "train_step.run("])
def test_1_an_option_without_default_must_be_one(run: str, tmp_path: Path) -> None:
    text = text_of("1_classifier").replace("default=32", "required=True").replace("sess.run(train_step, ", run)
    finding = only(found_in(text, tmp_path))
    assert finding.rule == "restricted-setting"
    assert finding.location.line == line_of(text, "softmax_cross_entropy_with_logits")
    assert (finding.severity, finding.certainty) == (Severity.WARNING, Certainty.PROVED)
    says(finding, "batch_size must be 1", "f32[4*batch_size, 10]", "f32[batch_size, 10]")


@pytest.mark.parametrize("run", ["sess.run(train_step, ", "train_step.run(", "sess.run([train_step, loss], "])
def test_1_an_option_whose_default_fails(run: str, tmp_path: Path) -> None:
    text = text_of("1_classifier").replace("sess.run(train_step, ", run)
    finding = only(found_in(text, tmp_path))
    assert finding.rule == "broadcast-mismatch"
    assert finding.location.line == line_of(text, "softmax_cross_entropy_with_logits")
    assert (finding.severity, finding.certainty) == (Severity.ERROR, Certainty.LIKELY)
    says(finding, "the default batch_size = 32", "batch_size must be 1")
    assert line_of(text, run) in [each.location.line for each in finding.related if each.location is not None]


@pytest.mark.parametrize("cure", [("1568", "6272"), ("default=32", "default=1")])
def test_1_corrected(cure: tuple[str, str], tmp_path: Path) -> None:
    findings = found_in(text_of("1_classifier").replace(*cure), tmp_path)
    assert [each.rule for each in findings if each.severity is Severity.ERROR] == []
    if cure[0] == "1568":
        assert findings == []


# 2. A tensor of wholly unknown shape is a factor of one tensor of rank 4 and of one of rank 3.

OLD = 'assert tf.__version__ == "1.8.0"\n'


def test_2_two_ranks_at_once(tmp_path: Path) -> None:
    text = text_of("2_attention")
    finding = only(found_in(text, tmp_path))
    assert finding.rule == "rank-differs"
    assert finding.location.line == line_of(text, "tf.matmul(weights")
    assert (finding.severity, finding.certainty) == (Severity.ERROR, Certainty.PROVED)
    says(finding, "`behavior_input` f32[...]", "== 4", f"line {line_of(text, 'tf.matmul(behavior_input')}")


def test_2_without_a_version_it_hangs_on_the_version(tmp_path: Path) -> None:
    finding = only(found_in(text_of("2_attention").replace(OLD, ""), tmp_path))
    assert finding.certainty is Certainty.LIKELY
    assert [each.text for each in finding.assumptions] == ["TensorFlow is older than 1.14"]


@pytest.mark.parametrize(
    "cure",
    [("[-1, 1, 8]", "[-1, 4, 1, 8]"), ("1.8.0", "1.15.0"), (f"tf\n\n{OLD}", "tf\n\ntf = tf.compat.v1\n")],
)
def test_2_corrected(cure: tuple[str, str], tmp_path: Path) -> None:
    text = text_of("2_attention").replace(*cure)
    assert text != text_of("2_attention")
    assert found_in(text, tmp_path) == []


# 3. Labels and predictions of different rank, which one of two losses takes.


def test_3_the_path_that_fails(tmp_path: Path) -> None:
    text = text_of("3_loss_of_a_path")
    finding = only(found_in(text, tmp_path))
    assert finding.location.line == line_of(text, "absolute_difference")
    assert (finding.severity, finding.certainty) == (Severity.ERROR, Certainty.PROVED)
    says(finding, "`labels` i32[batch]", "`pred` f32[batch_2, 5]")
    assert 'on the path where args.loss_type == "mae"' in [each.message for each in finding.related]


def test_3_corrected(tmp_path: Path) -> None:
    text = text_of("3_loss_of_a_path")
    assert found_in(text.replace("(labels, pred)", "(labels, tf.argmax(pred, 1))"), tmp_path) == []


# 4. A function of a platform, of which a file of the project says what it yields.


@pytest.fixture
def platform(tmp_path: Path) -> dict[str, Path]:
    path = tmp_path / "platform_model.py"
    path.write_text(text_of("4_platform_model"), encoding="utf-8")
    return {"cloud_platform": path}


def test_4_the_value_that_works(tmp_path: Path, platform: dict[str, Path]) -> None:
    text = text_of("4_platform").replace("default=64", "required=True")
    finding = only(found_in(text, tmp_path, platform))
    assert finding.rule == "restricted-setting"
    assert finding.location.line == line_of(text, "tf.reshape")
    assert (finding.severity, finding.certainty) == (Severity.WARNING, Certainty.PROVED)
    says(finding, "batch_size must be 50", "f32[batch_size, 256]", "[50, 16, 16]")


def test_4_a_default_that_fails(tmp_path: Path, platform: dict[str, Path]) -> None:
    finding = only(found_in(text_of("4_platform"), tmp_path, platform))
    assert (finding.rule, finding.certainty) == ("reshape-size", Certainty.LIKELY)
    says(finding, "the default batch_size = 64", "batch_size must be 50")


def test_4_corrected(tmp_path: Path, platform: dict[str, Path]) -> None:
    assert found_in(text_of("4_platform").replace("[50,", "[args.batch_size,"), tmp_path, platform) == []


def test_4_nothing_is_known_without_the_file(tmp_path: Path) -> None:
    assert found_in(text_of("4_platform"), tmp_path) == []


# 5. A network built in a loop, where the third iteration is the first to fail; the paper unrolls two.


def test_5_the_third_iteration(tmp_path: Path) -> None:
    text = text_of("5_residual")
    finding = only(found_in(text, tmp_path))
    assert finding.rule == "broadcast-mismatch"
    assert finding.location.line == line_of(text, "out + layers[-2]")
    assert (finding.severity, finding.certainty) == (Severity.ERROR, Certainty.PROVED)
    says(finding, "f32[batch, 32, 32, 32]", "f32[batch, 32, 32, 16]")


def test_5_two_iterations_are_fine(tmp_path: Path) -> None:
    assert found_in(text_of("5_residual").replace("range(4)", "range(2)"), tmp_path) == []


def test_5_corrected(tmp_path: Path) -> None:
    text = text_of("5_residual")
    assert found_in(text.replace("out + layers[-2]", "out + tf.layers.conv2d(layers[-2], width, 1)"), tmp_path) == []


# 6. Sizes of a configuration, which the paper does not read.

ITEMS = 'build(config["features"], config["hidden"], config["classes"])'
FIELDS = "build(config.features, config.hidden, config.classes)"
CONFIGURATIONS = {
    "json": ('import json\n\nwith open("config.json") as file:\n    config = json.load(file)\n', ITEMS),
    "yaml": ('import yaml\n\nwith open("config.yaml") as file:\n    config = yaml.safe_load(file)\n', ITEMS),
    "argparse": (
        "import argparse\n\nparser = argparse.ArgumentParser()\n"
        'parser.add_argument("--features", type=int, default=784)\n'
        'parser.add_argument("--hidden", type=int, default=128)\n'
        'parser.add_argument("--classes", type=int, default=10)\n'
        "config = parser.parse_args()\n",
        FIELDS,
    ),
    "absl": (
        "from absl import flags\n\nconfig = flags.FLAGS\n"
        'flags.DEFINE_integer("features", 784, "")\n'
        'flags.DEFINE_integer("hidden", 128, "")\n'
        'flags.DEFINE_integer("classes", 10, "")\n',
        FIELDS,
    ),
    "dataclass": (
        "from dataclasses import dataclass\n\n\n@dataclass\nclass Config:\n"
        "    features: int = 784\n    hidden: int = 128\n    classes: int = 10\n\n\nconfig = Config()\n",
        FIELDS,
    ),
    "hydra": (
        "import hydra\n",
        '@hydra.main(version_base=None, config_path=".", config_name="config")\n'
        f"def main(config):\n    {FIELDS}\n\n\nmain()\n",
    ),
}


def configured(kind: str, folder: Path) -> str:
    (folder / "config.json").write_text('{"features": 784, "hidden": 128, "classes": 10}\n', encoding="utf-8")
    (folder / "config.yaml").write_text("features: 784\nhidden: 128\nclasses: 10\n", encoding="utf-8")
    reading, building = CONFIGURATIONS[kind]
    return text_of("6_configured").replace("{reading}", reading).replace("{building}", building)


@pytest.mark.parametrize("kind", CONFIGURATIONS)
def test_6_sizes_of_a_configuration(kind: str, tmp_path: Path) -> None:
    text = configured(kind, tmp_path)
    finding = only(found_in(text, tmp_path))
    assert finding.rule == "matmul-inner-dims"
    assert finding.location.line == line_of(text, "tf.nn.relu")
    assert (finding.severity, finding.certainty) == (Severity.ERROR, Certainty.PROVED)
    free = kind in ("argparse", "absl", "hydra")
    says(
        finding,
        "f32[2*hidden, classes]" if free else "f32[256, 10]",
        "hidden is not 2*hidden" if free else "128 is not",
    )


@pytest.mark.parametrize("kind", CONFIGURATIONS)
def test_6_corrected(kind: str, tmp_path: Path) -> None:
    assert found_in(configured(kind, tmp_path).replace("hidden * 2", "hidden"), tmp_path) == []


# 7. A shape built by slicing a list, which the paper misses.


@pytest.mark.parametrize("shape", ["x.shape.as_list()[1:] + [heads]", "x.shape[1:] + [heads]", "[*x.shape[1:], heads]"])
def test_7_a_sliced_shape(shape: str, tmp_path: Path) -> None:
    text = text_of("7_sliced_shape").replace("x.shape.as_list()[1:] + [heads]", shape)
    finding = only(found_in(text, tmp_path))
    assert finding.rule == "broadcast-mismatch"
    assert finding.location.line == line_of(text, "flat + weights")
    assert (finding.severity, finding.certainty) == (Severity.ERROR, Certainty.PROVED)
    says(finding, "`flat` f32[8, 6, 4]", "`weights` f32[8, 4, 6]")
    assert found_in(text.replace("[8, heads, 6]", "[8, 6, heads]"), tmp_path) == []
