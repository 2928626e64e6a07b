"""What is suggested for public repositories, and what somebody who read the source found of the first hundred."""

from __future__ import annotations

import json
import subprocess
import sys
from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

from benchmarks.shapes.classification import Verdict, line_hash, verdicts
from benchmarks.shapes.corpora import Corpus
from benchmarks.table import Table

COMMAND = "python -m benchmarks.efficiency --corpora DIR --only repositories"
FIRST = 100
HERE = Path(__file__).parent

_RESEARCH = (
    "adversarial_text", "attention_ocr", "autoaugment", "cognitive_planning", "cvt_text", "deep_speech", "lfads",
    "lstm_object_detection", "pcl_rl", "rebar", "vid2depth",
)  # fmt: skip

CORPORA = (
    Corpus("pytorch/examples", "pytorch+examples"),
    Corpus("keras-io/examples", "keras-team+keras-io/examples"),
    Corpus("karpathy/nanoGPT", "karpathy+nanoGPT"),
    Corpus("karpathy/minGPT", "karpathy+minGPT"),
    Corpus("karpathy/makemore", "karpathy+makemore"),
    Corpus("karpathy/build-nanogpt", "karpathy+build-nanogpt"),
    Corpus("karpathy/llama2.c", "karpathy+llama2.c"),
    Corpus("sherjilozair/char-rnn-tensorflow", "sherjilozair+char-rnn-tensorflow"),
    Corpus("anishathalye/neural-style", "anishathalye+neural-style"),
    Corpus("devsisters/DQN-tensorflow", "devsisters+DQN-tensorflow"),
    Corpus("aitorzip/PyTorch-CycleGAN", "aitorzip+PyTorch-CycleGAN"),
    Corpus(
        "tensorflow/models research: slim, delf, deeplab", "tensorflow+models/research", ("slim", "delf", "deeplab")
    ),
    Corpus("eriklindernoren/PyTorch-GAN", "eriklindernoren+PyTorch-GAN"),
    Corpus("graykode/nlp-tutorial", "graykode+nlp-tutorial"),
    Corpus("yunjey/pytorch-tutorial", "yunjey+pytorch-tutorial"),
    Corpus("MorvanZhou/PyTorch-Tutorial", "MorvanZhou+PyTorch-Tutorial"),
    Corpus("MorvanZhou/Reinforcement-learning-with-tensorflow", "MorvanZhou+Reinforcement-learning-with-tensorflow"),
    Corpus("seungeunrho/minimalRL", "seungeunrho+minimalRL"),
    Corpus("hwalsuklee/tensorflow-generative-model-collections", "hwalsuklee+tensorflow-generative-model-collections"),
    Corpus("openai/spinningup", "openai+spinningup"),
    Corpus("vwxyzjn/cleanrl", "vwxyzjn+cleanrl"),
    Corpus("tensorflow/models research: training scripts", "tensorflow+models/research", _RESEARCH),
    Corpus("kuangliu/pytorch-cifar", "kuangliu+pytorch-cifar"),
    Corpus("jcjohnson/pytorch-examples", "jcjohnson+pytorch-examples"),
    Corpus("hunkim/PyTorchZeroToAll", "hunkim+PyTorchZeroToAll"),
    Corpus("milesial/Pytorch-UNet", "milesial+Pytorch-UNet"),
    Corpus("jadore801120/attention-is-all-you-need-pytorch", "jadore801120+attention-is-all-you-need-pytorch"),
    Corpus("tkipf/pygcn", "tkipf+pygcn"),
    Corpus("Diego999/pyGAT", "Diego999+pyGAT"),
    Corpus("ikostrikov/pytorch-a3c", "ikostrikov+pytorch-a3c"),
    Corpus("sfujim/TD3", "sfujim+TD3"),
    Corpus("wiseodd/generative-models", "wiseodd+generative-models"),
    Corpus("carpedm20/DCGAN-tensorflow", "carpedm20+DCGAN-tensorflow"),
    Corpus("golbin/TensorFlow-Tutorials", "golbin+TensorFlow-Tutorials"),
    Corpus("aymericdamien/TensorFlow-Examples", "aymericdamien+TensorFlow-Examples"),
    Corpus("Khrylx/PyTorch-RL", "Khrylx+PyTorch-RL"),
    Corpus("ShangtongZhang/DeepRL", "ShangtongZhang+DeepRL"),
    Corpus("hunkim/DeepLearningZeroToAll", "hunkim+DeepLearningZeroToAll"),
    Corpus("weiaicunzai/pytorch-cifar100", "weiaicunzai+pytorch-cifar100"),
    Corpus("L1aoXingyu/pytorch-beginner", "L1aoXingyu+pytorch-beginner"),
    Corpus("MorvanZhou/Tensorflow-Tutorial", "MorvanZhou+Tensorflow-Tutorial"),
    Corpus("znxlwm/pytorch-generative-model-collections", "znxlwm+pytorch-generative-model-collections"),
    Corpus("dragen1860/TensorFlow-2.x-Tutorials", "dragen1860+TensorFlow-2.x-Tutorials"),
)


@dataclass(frozen=True, slots=True)
class Suggestion:
    """One suggestion for a file of a repository, as the JSON report has it."""

    corpus: Corpus
    report: Mapping[str, Any]

    @property
    def path(self) -> str:
        return str(self.report["location"]["path"])

    @property
    def line(self) -> int:
        return int(self.report["location"]["line"])

    @property
    def rule(self) -> str:
        return str(self.report["rule"])

    def verdict(self, corpora: Path, known: Mapping[Any, Verdict]) -> Verdict | None:
        file = corpora / self.corpus.folder / self.path
        return known.get((self.corpus.name, self.path, self.rule, line_hash(file, self.line)))


@cache
def suggestions(corpora: Path, most: int | None = FIRST) -> tuple[Suggestion, ...]:
    """The first suggestions, in the order of the repositories, files and lines."""
    found: list[Suggestion] = []
    for corpus in CORPORA:
        found += _of(corpora, corpus)
        if most is not None and len(found) >= most:
            break
    return tuple(found[:most])


@cache
def _of(corpora: Path, corpus: Corpus) -> tuple[Suggestion, ...]:
    folder = corpora / corpus.folder
    if not folder.is_dir():
        raise SystemExit(f"{corpus.folder} is not among the checkouts")
    command = [sys.executable, "-m", "mlvet", "check", "--select", "EFF", "--jobs", "2", "--exit-zero"]
    done = subprocess.run(
        [*command, "--output-format", "json", *corpus.parts], cwd=folder, capture_output=True, text=True, check=False
    )
    findings = [each for each in json.loads(done.stdout)["findings"] if not each["location"]["path"].endswith(".ipynb")]
    return tuple(Suggestion(corpus, each) for each in sorted(findings, key=_place))


def _place(finding: Mapping[str, Any]) -> tuple[str, int, str]:
    return finding["location"]["path"], finding["location"]["line"], finding["rule"]


def main(corpora: Path) -> Table:
    """One row per repository, with the verdicts on the first hundred suggestions."""
    known = verdicts(HERE / "classified.json")
    found = suggestions(corpora)
    rows = [_row(corpora, corpus, [each for each in found if each.corpus is corpus], known) for corpus in CORPORA]
    judged = Counter(_judgement(each, corpora, known) for each in found)
    looked = judged["true"] + judged["false"]
    share = judged["true"] / looked if looked else 0.0
    said = (
        f"The first {len(found)} suggestions: {judged['true']} true, {judged['false']} false, "
        f"{judged['unclassified']} not classified; precision {share:.0%} (asked: 85 %). Verdicts and reasons are in "
        "`benchmarks/efficiency/classified.json`.",
        "\n".join(_remarks(corpora, found, known)),
    )
    columns = ("repository", "files", "suggestions", "true", "false", "unclassified", "rules")
    return Table(
        "efficiency-repositories", "Efficiency: suggestions for public repositories", COMMAND, columns, rows, said
    )


def _row(corpora: Path, corpus: Corpus, told: list[Suggestion], known: Mapping[Any, Verdict]) -> tuple[object, ...]:
    judged = Counter(_judgement(each, corpora, known) for each in told)
    rules = ", ".join(f"{rule} {count}" for rule, count in Counter(each.rule for each in told).most_common())
    files = corpus.files(corpora)
    verdicts_ = (judged["true"], judged["false"], judged["unclassified"])
    return (corpus.name, len(files), len(told), *verdicts_, rules or "-")


def _judgement(suggestion: Suggestion, corpora: Path, known: Mapping[Any, Verdict]) -> str:
    verdict = suggestion.verdict(corpora, known)
    return verdict.verdict if verdict is not None else "unclassified"


def _remarks(corpora: Path, found: tuple[Suggestion, ...], known: Mapping[Any, Verdict]) -> Iterator[str]:
    """A line for each suggestion that is not true."""
    for each in found:
        verdict = each.verdict(corpora, known)
        if verdict is None or verdict.verdict != "true":
            reason = f"{verdict.verdict}; {verdict.reason}" if verdict else f"unclassified; {each.report['message']}"
            yield f"- {each.corpus.name} `{each.path}:{each.line}` {each.rule}: {reason}"
