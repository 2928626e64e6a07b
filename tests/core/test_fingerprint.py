"""A fingerprint survives edits that move a finding, and tells different findings apart."""

from __future__ import annotations

from mlvet.core.finding import Finding
from mlvet.core.fingerprint import enclosing_name, fingerprinted
from mlvet.core.grade import Certainty, Severity
from mlvet.core.location import Location
from mlvet.core.source import Source

PROGRAM = "import os\n\n\nclass Net:\n    def forward(self, x):\n        return self.fc(x)\n"


def at(line: int, *, path: str = "a.py", rule: str = "a-rule", column: int = 1, message: str = "a fact") -> Finding:
    return Finding(rule, "PY999", Severity.ERROR, Certainty.PROVED, message, Location(path, line, column))


def prints(text: str, *findings: Finding) -> list[str]:
    return [each.fingerprint for each in fingerprinted(findings, {"a.py": Source("a.py", text)}, "/p", "/p")]


def test_it_survives_lines_inserted_above() -> None:
    assert prints(PROGRAM, at(6)) == prints("# words\n\n" + PROGRAM, at(8))


def test_it_survives_white_space_and_indentation() -> None:
    assert prints(PROGRAM, at(6)) == prints(PROGRAM.replace("    ", "\t").replace("fc(x)", "fc( x )"), at(6))


def test_it_survives_another_message() -> None:
    assert prints(PROGRAM, at(6)) == prints(PROGRAM, at(6, message="the fact in other words"))


def test_another_scope_makes_another_print() -> None:
    assert prints(PROGRAM, at(6)) != prints(PROGRAM.replace("forward", "backward"), at(6))


def test_another_line_text_makes_another_print() -> None:
    assert prints(PROGRAM, at(6)) != prints(PROGRAM.replace("fc", "head"), at(6))


def test_another_rule_makes_another_print() -> None:
    assert prints(PROGRAM, at(6)) != prints(PROGRAM, at(6, rule="another-rule"))


def test_equal_lines_are_told_apart_by_their_order() -> None:
    both = prints("f()\nf()\n", at(1), at(2))
    assert len(set(both)) == 2
    assert both[0] == prints("f()\n", at(1))[0]


def test_findings_come_in_the_order_of_reports() -> None:
    ordered = fingerprinted([at(2), at(1, column=5), at(1)], {"a.py": Source("a.py", "ab = cd\nf()\n")}, "/p", "/p")
    assert [(each.location.line, each.location.column) for each in ordered] == [(1, 1), (1, 5), (2, 1)]


def test_the_path_counts_from_the_root() -> None:
    def of(path: str, root: str, base: str) -> str:
        return fingerprinted([at(1, path=path)], {path: Source(path, "f()\n")}, root, base)[0].fingerprint

    assert of("src/a.py", "/home/ada", "/home/ada") == of("a.py", "/srv/copy", "/srv/copy/src")
    assert of("src/a.py", "/home/ada", "/home/ada") == of("/srv/copy/src/a.py", "/srv/copy", "/tmp")
    assert of("a.py", "/srv/copy", "/srv/copy") != of("b.py", "/srv/copy", "/srv/copy")


def test_a_line_beyond_the_text_and_a_file_without_text_have_prints() -> None:
    assert prints("f()\n", at(99)) != prints("f()\n", at(1))
    assert all(each.fingerprint for each in fingerprinted([at(1, path="model.onnx")], {}, "/p", "/p"))


def test_a_path_that_is_no_text_has_a_print() -> None:
    assert len(fingerprinted([at(1, path="a\udcff.py")], {}, "/p", "/p")[0].fingerprint) == 20


def test_the_enclosing_name_is_read_from_indentation() -> None:
    lines = [
        "class Outer:",
        "    class Inner:",
        "        async def run(self):",
        "            if self:",
        "                return 1",
        "",
        "    def later(self):",
        "        return 2",
        "x = 3",
    ]
    names = {line: enclosing_name(lines, line) for line in (1, 2, 3, 5, 7, 8, 9)}
    assert names == {
        1: "", 2: "Outer", 3: "Outer.Inner", 5: "Outer.Inner.run", 7: "Outer", 8: "Outer.later", 9: "",
    }  # fmt: skip


def test_the_enclosing_name_works_in_a_broken_file() -> None:
    assert enclosing_name(["def f(:", "    x = = 1"], 2) == "f"


def test_in_a_model_the_node_counts_and_not_the_message() -> None:
    def of(node: str, message: str) -> list[str]:
        location = Location("a.onnx", node=node)
        finding = Finding("a-rule", "NUM999", Severity.ERROR, Certainty.OBSERVED, message, location)
        return [each.fingerprint for each in fingerprinted([finding], {}, "/p", "/p")]

    assert of("head", "receives [0, 1]") == of("head", "receives [0, 2]")
    assert of("head", "receives [0, 1]") != of("neck", "receives [0, 1]")
