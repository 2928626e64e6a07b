"""Reads the text form of a graph into its JSON form, by recursive descent over tokens."""

from __future__ import annotations

from collections.abc import Mapping
from math import prod
from typing import Any, TypeAlias

from mlvet.core.errors import UnsupportedInput
from mlvet.domains.dims import Symbol
from mlvet.domains.dtypes import BY_NAME
from mlvet.ir.json_form import DEEPEST, VERSION
from mlvet.ir.json_values import SIZES
from mlvet.ir.sizes import declared, read
from mlvet.ir.text_tokens import Tokens

Json: TypeAlias = dict[str, Any]

_DEEPEST_LITERAL = 50
_INFINITE = ("inf", "-inf", "nan")
_PLACE = ("line", "column", "end_line", "end_column", "cell", "node")


def parse(text: str) -> Json:
    """The JSON form of a text; raises UnsupportedInput with the number of the line that is at fault."""
    return _Parser(text).graph()


class _Parser(Tokens):
    def __init__(self, text: str) -> None:
        super().__init__(text)
        self.symbols: dict[str, Symbol] = {}
        self.defined: dict[str, Json] = {}
        self.used: dict[str, int] = {}
        self.nodes: set[str] = set()
        self.mentioned: dict[str, int] = {}

    def use(self) -> str:
        line = self.tokens[self.position][3]
        name = self.named("value")
        self.used.setdefault(name, line)
        return name

    def mention(self) -> str:
        line = self.tokens[self.position][3]
        name = self.named("node")
        self.mentioned.setdefault(name, line)
        return name

    def graph(self) -> Json:
        self.blank()
        self.take("head")
        if self.whole() != VERSION:
            self.fail(f"only version {VERSION} can be read")
        form: Json = {"version": VERSION, "name": self.string()}
        while self.sees("word"):
            key = self.choice(("path", "format", "producer"))
            self.take("mark", "=")
            form[key] = self.string()
        self.end()
        while not self.sees("end"):
            if not self.accept("line"):
                self.statement(form)
        if "body" not in form:
            self.fail("the graph has no body")
        self.resolve()
        return form

    def statement(self, form: Json) -> None:
        match self.tokens[self.position][1]:
            case "note":
                self.position += 1
                form.setdefault("notes", []).append(self.string())
            case "symbol":
                self.position += 1
                form.setdefault("symbols", []).append(self.symbol())
            case "undefined":
                self.position += 1
                form.setdefault("undefined", []).append(self.value())
            case "parameter":
                self.position += 1
                form.setdefault("parameters", []).append(self.parameter())
            case "function" if self.sees("string", ahead=1):
                self.position += 1
                name = self.string()
                if name in form.setdefault("functions", {}):
                    self.fail(f"function {name} is defined twice")
                form["functions"][name] = self.region(0)
            case "execute":
                self.position += 1
                form.setdefault("executions", []).append(self.execution())
            case "host_loop" if self.sees("string", ahead=1):
                self.position += 1
                form.setdefault("loops", []).append(self.host_loop())
            case _:
                if "body" in form:
                    self.fail(f"expected a statement, but found {self.tokens[self.position][1]!r}")
                form["body"] = self.region(0)
        self.end()

    def resolve(self) -> None:
        for name, line in self.used.items():
            if name not in self.defined:
                self.fail(f"value %{name} is used but not defined", line)
        for name, line in self.mentioned.items():
            if name not in self.nodes:
                self.fail(f"node @{name} is not in the graph", line)

    def symbol(self) -> Json:
        form: Json = {"name": self.string()}
        if self.accept("mark", "="):
            form["symbol"] = self.string()
        for key, before in (("low", "from"), ("high", "to")):
            self.take("word", before)
            form[key] = self.number() if self.sees("number") else self.choice(_INFINITE[:2])
        self.symbols |= declared([form])
        return form

    def region(self, depth: int) -> Json:
        if depth > DEEPEST:
            self.fail(f"regions are nested more than {DEEPEST} deep")
        form: Json = {"kind": self.word()}
        if self.sees("string"):
            form["name"] = self.string()
        self.take("mark", "(")
        inputs = self.several(")", self.value)
        self.take("mark", "{")
        constants: list[Json] = []
        nodes: list[Json] = []
        iterations: list[Json] = []
        while True:
            self.blank()
            if self.accept("word", "return"):
                break
            if self.accept("word", "constant"):
                value = self.value()
                self.take("mark", "=")
                constants.append({"value": value, "data": self.array()})
            elif self.accept("word", "iteration"):
                iterations.append(self.region(depth + 1))
            elif self.sees("word", "do") and nodes:
                self.position += 1
                nodes[-1].setdefault("regions", []).append(self.region(depth + 1))
            else:
                nodes.append(self.node())
            self.end()
        outputs = [self.use()] if self.sees("value") else []
        while outputs and self.accept("mark", ","):
            outputs.append(self.use())
        self.blank()
        self.take("mark", "}")
        if inputs:
            form["inputs"] = inputs
        if constants:
            form["constants"] = constants
        form |= {"nodes": nodes, "outputs": outputs}
        if iterations:
            form["iterations"] = iterations
        return form

    def node(self) -> Json:
        outputs: list[Json] = []
        if not self.accept("word", "_"):
            outputs.append(self.value())
            while self.accept("mark", ","):
                outputs.append(self.value())
        self.take("mark", "=")
        op = self.word()
        self.take("mark", "(")
        inputs = self.several(")", lambda: None if self.accept("word", "_") else self.use())
        attributes = self.fields() if self.accept("mark", "{") else {}
        name = self.named("node")
        if name in self.nodes:
            self.position -= 1
            self.fail(f"node @{name} is defined twice")
        self.nodes.add(name)
        form: Json = {"name": name, "op": op, "inputs": inputs, "outputs": outputs}
        if attributes:
            form["attributes"] = attributes
        while self.sees("word"):
            if self.sees("word", "at"):
                form["location"] = self.location()
                continue
            key = self.choice(("source", "module", "device", "stack", "control", "guards", "loops"))
            self.take("mark", "=")
            match key:
                case "source":
                    form["source_op"] = self.string()
                case "module" | "device":
                    form[key] = self.string()
                case _:
                    self.take("mark", "[")
                    items = {
                        "stack": self.frame,
                        "control": self.mention,
                        "guards": self.guard,
                        "loops": self.iteration,
                    }
                    form[key] = self.several("]", items[key])
        return form

    def frame(self) -> Json:
        return {"function": self.string(), "location": self.location()}

    def guard(self) -> Json:
        holds = not self.accept("word", "not")
        return {"condition": self.string(), "holds": holds}

    def iteration(self) -> Json:
        loop = self.string()
        self.take("mark", "[")
        index = None if self.accept("mark", "*") else self.whole()
        self.take("mark", "]")
        return {"loop": loop, "index": index}

    def parameter(self) -> Json:
        form: Json = {"value": self.value()}
        while self.sees("word"):
            key = self.choice(("name", "module", "init", "data", "frozen"))
            if key == "frozen":
                form["trainable"] = False
                continue
            self.take("mark", "=")
            if key == "data":
                form["data"] = self.array()
            elif key == "init":
                kind = self.word()
                self.take("mark", "(")
                form["initialiser"] = {"name": kind, "figures": self.several(")", self.figure)}
            else:
                form[key] = self.string()
        if "name" not in form:
            self.fail("a parameter must have a name")
        return form

    def figure(self) -> list[Any]:
        name = self.word()
        self.take("mark", "=")
        return [name, self.literal()]

    def execution(self) -> Json:
        form: Json = {"kind": self.string(), "fetches": []}
        while self.sees("word"):
            if self.sees("word", "at"):
                form["location"] = self.location()
                continue
            key = self.choice(("fetches", "feeds", "targets"))
            self.take("mark", "=")
            self.take("mark", "[")
            form[key] = self.several("]", self.mention if key == "targets" else self.use)
        return form

    def host_loop(self) -> Json:
        form: Json = {"name": self.string()}
        while self.sees("word"):
            if self.sees("word", "at"):
                form["location"] = self.location()
                continue
            key = self.choice(("trips", "parent", "carried"))
            self.take("mark", "=")
            match key:
                case "trips" if self.sees("number"):
                    form[key] = self.whole()
                case "trips":
                    form[key] = self.size(self.take("size")[1:-1])
                case "parent":
                    form[key] = self.string()
                case _:
                    self.take("mark", "[")
                    form[key] = self.several("]", self.carried)
        return form

    def carried(self) -> list[str]:
        before = self.use()
        self.take("word", "to")
        return [before, self.use()]

    def location(self) -> Json:
        self.take("word", "at")
        form: Json = {"path": self.string()}
        for key in ("line", "column"):
            if self.accept("mark", ":"):
                form[key] = self.whole()
        if self.accept("mark", "("):
            for key, value in self.several(")", self.figure):
                if key not in _PLACE:
                    self.fail(f"a location has no {key}")
                form[key] = value
        return form

    def value(self) -> Json:
        line = self.tokens[self.position][3]
        name = self.named("value")
        form: Json = {"name": name}
        if self.accept("mark", ":"):
            form["dtype"] = None if self.accept("mark", "?") else self.dtype()
            self.take("mark", "[")
            if self.accept("rest"):
                shape: Json = {"unranked": self.string() if self.sees("string") else name}
                if self.accept("mark", ","):
                    shape["ends"] = self.dims()
                else:
                    self.take("mark", "]")
                form["shape"] = shape
            else:
                form["shape"] = self.dims()
            if self.accept("word", "is"):
                form["value"] = self.array()
        if self.defined.setdefault(name, form) != form:
            self.fail(f"value %{name} is described in two ways", line)
        return form

    def dtype(self) -> str:
        name = self.take("word")
        if name not in BY_NAME:
            self.position -= 1
            self.fail(f"{name} is not a dtype")
        return name

    def dims(self) -> list[int | str]:
        """Sizes up to the bracket that closes the shape."""
        found: list[int | str] = []
        while not self.accept("mark", "]"):
            start, depth = self.position, 0
            while depth or not (self.sees("mark", ",") or self.sees("mark", "]")):
                kind, content, _, _ = self.tokens[self.position]
                if kind in ("line", "end"):
                    self.fail("a shape is not closed")
                depth += {"(": 1, ")": -1}.get(content, 0) if kind == "mark" else 0
                self.position += 1
            found.append(self.size(self.text[self.tokens[start][2] : self.tokens[self.position][2]]))
            self.accept("mark", ",")
        return found

    def size(self, text: str) -> int | str:
        try:
            size = read(text, self.symbols)
        except UnsupportedInput as error:
            self.fail(str(error))
        return size if isinstance(size, int) else text.strip()

    def array(self) -> Json:
        name = SIZES if self.accept("word", SIZES) else self.dtype()
        self.take("mark", "[")
        shape = self.several("]", self.whole)
        if self.accept("rest"):
            return {"dtype": name, "shape": shape}
        self.take("mark", "[")
        elements = self.several("]", self.literal)
        if any(dim < 0 for dim in shape) or prod(shape) != len(elements):
            self.fail(f"{name}{shape} has another number of elements than the {len(elements)} given")
        return {"dtype": name, "shape": shape, "elements": elements}

    def fields(self) -> Json:
        return dict(self.several("}", self.figure))

    def literal(self, depth: int = 0) -> Any:
        if depth > _DEEPEST_LITERAL:
            self.fail(f"an attribute is nested more than {_DEEPEST_LITERAL} deep")
        kind, content, _, _ = self.tokens[self.position]
        if kind == "string":
            return self.string()
        if kind == "number":
            return self.number()
        if kind == "size":
            self.position += 1
            self.size(content[1:-1])
            return {"size": content[1:-1]}
        if self.accept("mark", "("):
            return self.several(")", lambda: self.literal(depth + 1))
        if self.accept("mark", "["):
            return {"list": self.several("]", lambda: self.literal(depth + 1))}
        if self.accept("mark", "{"):
            pairs = self.several("}", lambda: (self.word(), self.take("mark", "="), self.literal(depth + 1)))
            return {"dict": {name: value for name, _, value in pairs}}
        return self.keyword(self.take("word"), depth)

    def keyword(self, word: str, depth: int) -> Any:
        if word in _CONSTANTS:
            return _CONSTANTS[word]
        if word in _INFINITE:
            return {"float": word}
        if word in BY_NAME or word == SIZES:
            if not self.sees("mark", "["):
                return {"dtype": word}
            self.position -= 1
            return {"array": self.array()}
        if word == "complex":
            self.take("mark", "(")
            return {word: self.several(")", lambda: self.literal(depth + 1))}
        if word != "bytes":
            self.position -= 1
            self.fail(f"{word} is not a value")
        self.take("mark", "(")
        content = self.string()
        self.take("mark", ")")
        return {word: content}


_CONSTANTS: Mapping[str, bool | None] = {"none": None, "true": True, "false": False}
