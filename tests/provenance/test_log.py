"""The log: whole records or none, whatever is done to the file, and nothing of it is ever executed."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from mlvet.core.errors import UnsupportedInput, UsageError
from mlvet.runtime.provenance.log import read
from mlvet.runtime.provenance.log_writer import CHECKPOINT, EVENT, FOOTER, FORMAT, HEADER, MAGIC, Writer, framed
from mlvet.runtime.provenance.outcomes import runs_of

HEAD = {
    "mlvet": "0", "format": FORMAT, "python": "3", "platform": "linux", "script": "/s.py", "argv": ["s.py"], "cwd": "/",
    "path": [], "hash_seed": "7", "flags": [], "mode": "default", "inputs": [], "delta": 0.001, "max_derivative": 1.0,
}  # fmt: skip
POINT = {
    "fold": 1, "module": "__main__", "function": "f", "line": 3, "checksum": "00", "values": {"x": 0.1},
    "stdout_bytes": 0, "stdout_crc": 0,
}  # fmt: skip
END = {
    "how": "end", "status": 0, "exception": None, "folds": 1, "checksum": "00", "stdout_bytes": 0, "stdout_crc": 0,
    "counts": {},
}  # fmt: skip


def written(path: Path, events: int = 5) -> bytes:
    writer = Writer(os.fspath(path))
    writer.write(HEADER, HEAD)
    for number in range(events):
        writer.write(EVENT, {"kind": "urandom", "data": number})
    writer.write(CHECKPOINT, POINT)
    writer.write(FOOTER, END)
    writer.close()
    return path.read_bytes()


def test_what_is_written_is_read(tmp_path: Path) -> None:
    written(tmp_path / "log")
    log = read(tmp_path / "log")
    assert [each.data for each in log.events] == [0, 1, 2, 3, 4]
    assert log.header.argv == ("s.py",)
    assert log.checkpoints[0].values == {"x": 0.1}
    assert log.footer is not None
    assert (log.cut, log.ending) == (None, "exit status 0")


def test_a_log_cut_anywhere_is_read_up_to_its_last_whole_record(tmp_path: Path) -> None:
    data = written(tmp_path / "log")
    first = len(MAGIC) + len(framed(HEADER, HEAD))
    seen = set()
    for length in range(len(MAGIC), len(data)):
        cut = tmp_path / "cut"
        cut.write_bytes(data[:length])
        if length < first:
            with pytest.raises(UnsupportedInput, match="cut before its first record"):
                read(cut)
            continue
        log = read(cut)
        assert [each.data for each in log.events] == list(range(len(log.events)))
        assert log.footer is None
        assert log.cut is None or log.cut <= length
        seen.add((len(log.events), log.cut is None))
    assert {events for events, _ in seen} == set(range(6))
    assert {whole for _, whole in seen} == {True, False}


def test_a_flipped_byte_ends_the_log_there(tmp_path: Path) -> None:
    data = bytearray(written(tmp_path / "log"))
    data[-30] ^= 1
    (tmp_path / "log").write_bytes(data)
    log = read(tmp_path / "log")
    assert log.footer is None
    assert log.cut is not None


def test_another_file_is_no_log(tmp_path: Path) -> None:
    (tmp_path / "log").write_bytes(b"something else")
    with pytest.raises(UnsupportedInput, match="not a log of `mlvet trace`"):
        read(tmp_path / "log")
    with pytest.raises(UsageError, match="no such file"):
        read(tmp_path / "nothing")


def test_a_log_of_another_format_is_named(tmp_path: Path) -> None:
    writer = Writer(os.fspath(tmp_path / "log"))
    writer.write(HEADER, {**HEAD, "format": 99})
    with pytest.raises(UnsupportedInput, match="format 99"):
        read(tmp_path / "log")


def test_a_closed_descriptor_is_never_written_to(tmp_path: Path) -> None:
    """A program may close descriptors it did not open, and get the number again for a file of its own."""
    writer = Writer(os.fspath(tmp_path / "log"))
    number = writer._descriptor
    os.close(number)
    other = os.open(tmp_path / "users", os.O_WRONLY | os.O_CREAT)
    os.dup2(other, number)
    writer.write(EVENT, {"kind": "x"})
    assert writer.failure == "the program closed its descriptor"
    assert (tmp_path / "users").read_bytes() == b""
    os.close(other)
    os.close(number)


def test_a_full_disk_ends_the_writing_and_nothing_else() -> None:
    if not os.path.exists("/dev/full"):
        pytest.skip("this system has no /dev/full")
    writer = Writer("/dev/full")
    writer.write(EVENT, {"kind": "x"})
    assert writer.failure == "No space left on device"


@pytest.mark.parametrize(
    ("coded", "runs"),
    [
        (b"\x01\x05", ((True, 5),)),
        (b"\x00\x01\x02\x03", ((False, 1), (True, 2), (False, 3))),
        (b"\x01\x80\x01", ((True, 128),)),
    ],
)
def test_runs(coded: bytes, runs: tuple[tuple[bool, int], ...]) -> None:
    assert runs_of(coded) == runs
