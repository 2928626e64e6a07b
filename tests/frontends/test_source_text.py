"""Python text in any encoding that Python itself reads, or the reason why not."""

from __future__ import annotations

from pathlib import Path

import pytest

from mlvet.core.errors import UnsupportedInput
from mlvet.frontends import source as frontend
from mlvet.frontends.source import decode, read_source


def test_utf_8_is_the_default() -> None:
    source = decode("x = 'é𝄞'\n".encode(), "a.py")
    assert (source.path, source.text, source.verbatim) == ("a.py", "x = 'é𝄞'\n", True)


def test_a_byte_order_mark_is_no_part_of_the_text() -> None:
    source = decode(b"\xef\xbb\xbfx = 1\n", "a.py")
    assert (source.text, source.verbatim) == ("x = 1\n", True)


@pytest.mark.parametrize("cookie", ["latin-1", "iso-8859-15", "cp1252"])
def test_a_declared_encoding_is_read_but_not_written_back(cookie: str) -> None:
    source = decode(f"# -*- coding: {cookie} -*-\nx = 'é'\n".encode(cookie), "a.py")
    assert source.lines[1] == "x = 'é'"
    assert not source.verbatim


def test_the_second_line_may_declare_it() -> None:
    assert decode(b"#!/usr/bin/env python\n# vim: fileencoding=latin-1\nx = '\xe9'\n", "a.py").lines[2] == "x = 'é'"


@pytest.mark.parametrize("end", ["\n", "\r\n", "\r"])
def test_line_ends_stay(end: str) -> None:
    source = decode(f"a = 1{end}b = 2{end}".encode(), "a.py")
    assert source.text == f"a = 1{end}b = 2{end}"
    assert source.lines == ["a = 1", "b = 2"]


@pytest.mark.parametrize(
    ("data", "reason"),
    [
        (b"x = 1\ny = '\xe9'\n", "not UTF-8 text: byte 0xe9 in line 2"),
        (b"\xff\xfex\x00", "a binary file, not Python source"),
        (b"x = 1\0\n", "holds NUL bytes"),
        (b"# coding: no-such-encoding\n", "not readable as text: unknown encoding"),
        (b"\xef\xbb\xbf# coding: latin-1\n", "not readable as text"),
        (b"# coding: ascii\nx = '\xe9'\n", "not ASCII text: byte 0xe9 in line 2"),
        ("# coding: utf-16\nx = 1\n".encode("ascii"), "not"),
    ],
)
def test_other_bytes_have_a_reason(data: bytes, reason: str) -> None:
    with pytest.raises(UnsupportedInput, match=reason):
        decode(data, "a.py")


@pytest.mark.parametrize("cookie", ["rot13", "hex", "zlib", "bz2", "base64", "undefined"])
def test_a_codec_that_is_no_encoding_of_text_has_a_reason(cookie: str) -> None:
    with pytest.raises(UnsupportedInput, match="not readable as text"):
        decode(f"# coding: {cookie}\nx = 1\n".encode(), "a.py")


def test_a_file_that_has_vanished_has_a_reason(tmp_path: Path) -> None:
    with pytest.raises(UnsupportedInput, match="no such file"):
        read_source(tmp_path / "gone.py", "gone.py")


def test_a_folder_has_a_reason(tmp_path: Path) -> None:
    with pytest.raises(UnsupportedInput, match="is a directory"):
        read_source(tmp_path, "folder.py")


def test_a_huge_file_is_not_read(tmp_path: Path) -> None:
    with (tmp_path / "huge.py").open("wb") as file:
        file.truncate(frontend.LARGEST + 1)
    with pytest.raises(UnsupportedInput, match="32 MB is more than mlvet reads"):
        read_source(tmp_path / "huge.py", "huge.py")
