"""Notebooks become one Python text in which every line and column stays in its place."""

from __future__ import annotations

import ast
import json
from typing import Any

import pytest

from mlvet.core.errors import UnsupportedInput
from mlvet.core.source import Source
from mlvet.frontends.notebook import python_lines, read_notebook


def code(text: str | list[str]) -> dict[str, Any]:
    return {"cell_type": "code", "source": text}


def notebook(*cells: dict[str, Any], **metadata: Any) -> Source:
    document = {"nbformat": 4, "metadata": metadata, "cells": list(cells)}
    return read_notebook(json.dumps(document).encode(), "n.ipynb")


def plain(text: str) -> list[str]:
    return list(python_lines(text))


def test_cells_are_numbered_with_those_of_text_between() -> None:
    words = {"cell_type": "markdown", "source": "# Words"}
    source = notebook(code(["import os\n", "a = 1"]), words, code("b = 2"))
    assert source.text == "import os\na = 1\nb = 2\n"
    assert source.cells == ((1, 1), (3, 3))
    assert str(source.location(3, 1)) == "n.ipynb:cell 3:1:1"
    assert not source.verbatim


def test_an_empty_cell_keeps_its_number() -> None:
    source = notebook(code(""), code("b = 2"))
    assert source.cells == ((1, 1), (2, 2))
    assert str(source.location(2, 1)) == "n.ipynb:cell 2:1:1"


def test_a_notebook_without_code_is_an_empty_text() -> None:
    assert notebook().text == ""
    assert notebook({"cell_type": "markdown", "source": "x"}).lines == []


@pytest.mark.parametrize(
    "line", ["%matplotlib inline", "!pip install torch", "?torch", "torch.nn?", "torch.nn.Linear??", "%%unknown"]
)
def test_what_only_ipython_understands_becomes_pass(line: str) -> None:
    assert plain(f"{line}\nx = 1") in (["pass", "x = 1"], ["pass", "pass"])
    assert plain(f"if x:\n    {line.replace('%%', '%')}\ny = 1") == ["if x:", "    pass", "y = 1"]


@pytest.mark.parametrize("magic", ["%%time", "%%timeit -n 3", "%%capture out", "%%prun"])
def test_a_cell_under_a_magic_that_runs_it_is_python(magic: str) -> None:
    assert plain(f"{magic}\nx = 1\n%ls\ny = x") == ["pass", "x = 1", "pass", "y = x"]


@pytest.mark.parametrize("magic", ["%%bash", "%%html", "%%writefile train.py", "%%javascript"])
def test_a_cell_in_another_language_is_not(magic: str) -> None:
    assert plain(f"{magic}\nfor f in *; do\n  echo $f\ndone") == ["pass"] * 4


def test_magics_can_be_nested() -> None:
    assert plain("%%time\n%%capture\nx = 1") == ["pass", "pass", "x = 1"]


def test_a_continuation_line_that_starts_with_a_percent_sign_is_python() -> None:
    text = 'message = (\n    "%d"\n    % 3\n)\n%ls'
    assert plain(text) == ["message = (", '    "%d"', "    % 3", ")", "pass"]


def test_a_shell_line_can_go_on() -> None:
    assert plain("!pip install \\\n  torch\nx = 1") == ["pass", "pass", "x = 1"]
    assert plain("if x:\n    !pip install \\\n  torch\n    y = 1") == ["if x:", "    pass", "    pass", "    y = 1"]


@pytest.mark.parametrize("line", ["files = !ls", "run = %timeit -o f()"])
def test_an_assigned_magic_still_binds_its_name(line: str) -> None:
    name = line.split()[0]
    assert plain(f"{line}\nprint({name})") == [f"{name} = get_ipython()", f"print({name})"]


@pytest.mark.parametrize("line", ['print("(")', "print('[')", "x = 1  # (", 'print("\\"(")', "print('it', \"{\")"])
def test_brackets_in_text_do_not_hide_magics(line: str) -> None:
    assert plain(f"{line}\n!ls\nx = 1") == [line, "pass", "x = 1"]


def test_the_text_of_a_cell_with_magics_is_valid_python() -> None:
    source = notebook(code("%load_ext x\nfiles = !ls *.py\nfor f in files:\n    !cat {f}\n"), code("%%bash\nls | wc"))
    ast.parse(source.text)


def test_lines_stay_in_place_whatever_ends_them() -> None:
    source = notebook(code("a = 1\r\nb = 2"), code('c = "x\x0cy\x1cz"'))
    assert [str(source.location(line)) for line in (1, 2, 3)] == [
        "n.ipynb:cell 1:1",
        "n.ipynb:cell 1:2",
        "n.ipynb:cell 2:1",
    ]
    assert len(source.lines) == 3


def test_the_older_format() -> None:
    document = {
        "nbformat": 3,
        "metadata": {},
        "worksheets": [{"cells": [{"cell_type": "code", "language": "python", "input": ["a = 1\n", "b = 2"]}]}],
    }
    assert read_notebook(json.dumps(document).encode(), "n.ipynb").text == "a = 1\nb = 2\n"


@pytest.mark.parametrize("language", ["R", "julia"])
def test_a_notebook_in_another_language_is_named(language: str) -> None:
    with pytest.raises(UnsupportedInput, match=f"a notebook in {language}, not Python"):
        notebook(code("x <- 1"), kernelspec={"language": language})


@pytest.mark.parametrize(
    "metadata", [{}, {"kernelspec": {"name": "x"}}, {"kernelspec": {"language": "Python"}}, {"kernelspec": {}}]
)
def test_python_is_assumed(metadata: dict[str, Any]) -> None:
    assert notebook(code("x = 1"), **metadata).text == "x = 1\n"


@pytest.mark.parametrize(
    "data",
    [
        b"",
        b"{}",
        b"[]",
        b"null",
        b"\xff",
        b"not json",
        b'{"cells": 3}',
        b'{"cells": [3]}',
        b'{"cells": [{"cell_type": "code"}]}',
        b'{"cells": [{"cell_type": "code", "source": 3}]}',
        b'{"cells": [{"cell_type": "code", "source": [3]}]}',
        b'{"cells": [], "metadata": 3}',
        b'{"cells": [], "metadata": {"kernelspec": {"language": 3}}}',
        b'{"worksheets": []}',
        b"[" * 100_000,
    ],
)
def test_what_is_no_notebook_says_so(data: bytes) -> None:
    with pytest.raises(UnsupportedInput, match="not a Jupyter notebook"):
        read_notebook(data, "n.ipynb")


def test_a_byte_order_mark_is_no_part_of_a_notebook() -> None:
    document = {"metadata": {}, "cells": [code("x = 1")]}
    assert read_notebook(b"\xef\xbb\xbf" + json.dumps(document).encode(), "n.ipynb").text == "x = 1\n"
