"""Damaged, hostile and foreign files in place of `.pt2` archives: one clear sentence each, no pickle is loaded."""

from __future__ import annotations

import io
import json
import pickle
import random
import zipfile
from pathlib import Path
from typing import Any

import pytest
import torch
from torch import nn

from mlvet.core.errors import UnsupportedInput
from mlvet.frontends.torch_export import read_pt2
from mlvet.frontends.torch_export.archive import LARGEST_JSON


@pytest.fixture(scope="module")
def good(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("pt2") / "m.pt2"
    torch.export.save(torch.export.export(nn.Linear(4, 2), (torch.randn(3, 4),), strict=False), path)
    return path


def members(path: Path) -> dict[str, bytes]:
    with zipfile.ZipFile(path) as archive:
        return {name: archive.read(name) for name in archive.namelist()}


def written(path: Path, contents: dict[str, bytes], compression: int = zipfile.ZIP_STORED) -> Path:
    with zipfile.ZipFile(path, "w", compression) as archive:
        for name, data in contents.items():
            archive.writestr(name, data)
    return path


def refusal(path: Path) -> str:
    with pytest.raises(UnsupportedInput) as caught:
        read_pt2(path, path.name)
    return str(caught.value)


class Bomb:
    """A pickle that leaves a mark when it is loaded."""

    def __init__(self, mark: Path) -> None:
        self.mark = mark

    def __reduce__(self) -> Any:
        return Path.touch, (self.mark,)


def test_a_pickle_within_is_never_loaded(good: Path, tmp_path: Path) -> None:
    mark = tmp_path / "loaded"
    bomb = pickle.dumps(Bomb(mark))
    contents = members(good)
    config = next(name for name in contents if name.endswith("model_weights_config.json"))
    document = json.loads(contents[config])
    for entry in document["config"].values():
        entry["use_pickle"] = True
    contents[config] = json.dumps(document).encode()
    for name in contents:
        if "/weights/weight_" in name or name.endswith(".pt"):
            contents[name] = bomb
    graph = read_pt2(written(tmp_path / "m.pt2", contents), "m.pt2")
    assert [parameter.data for parameter in graph.parameters] == [None, None]
    assert any("pickle" in note for note in graph.notes)
    assert not mark.exists()
    pickle.loads(bomb)
    assert mark.exists()


def test_the_older_layout_is_read_without_its_pickled_weights(good: Path, tmp_path: Path) -> None:
    contents = members(good)
    model = next(data for name, data in contents.items() if name.endswith("models/model.json"))
    old = {"serialized_exported_program.json": model, "serialized_state_dict.pt": b"\x80\x02.", "version": b"8.2"}
    graph = read_pt2(written(tmp_path / "old.pt2", old, zipfile.ZIP_DEFLATED), "old.pt2")
    assert [node.op for node in graph.nodes()] == ["linear"]
    assert [str(parameter.value.declared) for parameter in graph.parameters] == ["f32[2, 4]", "f32[2]"]
    assert [parameter.data for parameter in graph.parameters] == [None, None]
    assert graph.notes == ("some weights are not in the archive, or only as pickles, which are never loaded",)


def test_weights_of_the_other_byte_order_are_left_out(good: Path, tmp_path: Path) -> None:
    contents = members(good)
    name = next(name for name in contents if name.endswith("byteorder"))
    graph = read_pt2(written(tmp_path / "m.pt2", contents | {name: b"big"}), "m.pt2")
    assert [parameter.data for parameter in graph.parameters] == [None, None]
    assert graph.notes == ("the weights lie in big-endian order, which mlvet does not read",)


def test_checkpoints_and_torchscript_are_named(tmp_path: Path) -> None:
    torch.save({"w": torch.ones(2)}, tmp_path / "new.pt")
    torch.save({"w": torch.ones(2)}, tmp_path / "legacy.pt", _use_new_zipfile_serialization=False)
    torch.jit.save(torch.jit.script(nn.Linear(2, 2)), str(tmp_path / "script.pt"))
    assert "pickled checkpoint" in refusal(tmp_path / "new.pt")
    assert "pickled checkpoint" in refusal(tmp_path / "legacy.pt")
    assert "TorchScript" in refusal(tmp_path / "script.pt")


def test_files_that_are_no_archive_are_named(tmp_path: Path) -> None:
    (tmp_path / "text.pt2").write_text("hello")
    (tmp_path / "empty.pt2").write_bytes(b"")
    assert "no zip archive" in refusal(tmp_path / "text.pt2")
    assert "no zip archive" in refusal(tmp_path / "empty.pt2")
    assert "without an exported program" in refusal(written(tmp_path / "other.pt2", {"a/readme": b""}))
    assert refusal(tmp_path / "missing.pt2") == "no such file or directory"


def test_a_truncated_archive_is_named(good: Path, tmp_path: Path) -> None:
    data = good.read_bytes()
    for share in (0.1, 0.5, 0.9):
        (tmp_path / "cut.pt2").write_bytes(data[: int(len(data) * share)])
        assert "truncated or damaged" in refusal(tmp_path / "cut.pt2")


def test_a_zip_bomb_is_refused_before_it_is_unpacked(tmp_path: Path) -> None:
    bomb = written(tmp_path / "bomb.pt2", {"m/models/model.json": b" " * (64 << 20)}, zipfile.ZIP_DEFLATED)
    assert "times its size" in refusal(bomb)


def test_a_description_that_lies_about_its_size_is_refused(tmp_path: Path) -> None:
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w") as archive:
        archive.writestr("m/models/model.json", b"{}")
    data = bytearray(buffer.getvalue())
    at = data.rfind(b"PK\x01\x02")
    data[at + 24 : at + 28] = (LARGEST_JSON + 1).to_bytes(4, "little")
    (tmp_path / "liar.pt2").write_bytes(data)
    assert "more than mlvet reads" in refusal(tmp_path / "liar.pt2")


def test_weights_that_do_not_fit_their_member_are_refused_when_asked_for(good: Path, tmp_path: Path) -> None:
    contents = members(good)
    for name in contents:
        if "/weights/weight_" in name:
            contents[name] = contents[name][:3]
    graph = read_pt2(written(tmp_path / "m.pt2", contents), "m.pt2")
    data = graph.parameters[0].data
    assert data is not None
    with pytest.raises(UnsupportedInput, match="3 bytes where 32 are needed"):
        data.load()


@pytest.mark.parametrize("text", [b"{", b"[]", b"{}", b'{"graph_module": 5}', b"[" * 100_000])
def test_descriptions_that_are_no_program_are_refused(text: bytes, tmp_path: Path) -> None:
    assert refusal(written(tmp_path / "m.pt2", {"m/models/model.json": text}))


def test_random_damage_is_refused_or_read_but_never_breaks(good: Path, tmp_path: Path) -> None:
    chance = random.Random(0)
    contents = members(good)
    model = next(name for name in contents if name.endswith("models/model.json"))
    junk = [None, 0, -1, 2**70, 1e300, "x", [], {}, True, {"as_int": 5}, {"as_tensor": {"name": "x"}}]
    read = 0
    sentences: list[str] = []
    for _ in range(150):
        document = json.loads(contents[model])
        place: Any = document
        while isinstance(place, dict | list) and place and chance.random() < 0.9:
            inner = chance.choice(list(place) if isinstance(place, dict) else range(len(place)))
            if not isinstance(place[inner], dict | list) or chance.random() < 0.1:
                place[inner] = chance.choice(junk)
                break
            place = place[inner]
        path = written(tmp_path / "m.pt2", contents | {model: json.dumps(document).encode()})
        try:
            read_pt2(path, "m.pt2")
            read += 1
        except UnsupportedInput as error:
            sentences.append(str(error))
    assert 0 < read < 150
    assert all(sentence and "\n" not in sentence for sentence in sentences)
