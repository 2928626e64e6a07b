"""Where iterations of loops begin, told to the tape of a replay, which looks there for rows that repeat.

A mark costs a call, so only loops whose iterations are long have one: those that are outermost in their function and
hold a loop, a comprehension or a call of one of the program's own functions, and inner ones that hold two such levels.
"""

from __future__ import annotations

import ast
from itertools import count
from typing import Any

from mlvet.runtime.provenance.counting import COMPREHENSIONS, LOOPS, called_name
from mlvet.runtime.provenance.tape import TAPE

TURN = "__mlvet_turn__"
HELPERS: dict[str, Any] = {TURN: TAPE.open.turn}
_SCOPES = (ast.FunctionDef, ast.AsyncFunctionDef, ast.Lambda, ast.ClassDef)
_NUMBERS = count()
"""Of loops, one for each of the process."""


def marked(tree: ast.Module) -> ast.Module:
    """The tree, changed in place, with a mark at the beginning of each iteration of its loops."""
    own = frozenset(each.name for each in ast.walk(tree) if isinstance(each, ast.FunctionDef))
    imported = (each for each in ast.walk(tree) if isinstance(each, ast.ImportFrom))
    _mark(tree, own.union(name.asname or name.name for each in imported for name in each.names), inside=False)
    return tree


def _mark(node: ast.AST, known: frozenset[str], inside: bool) -> int:
    """How many levels of loops a node holds, itself included."""
    if isinstance(node, _SCOPES):
        inside = False
    loop = isinstance(node, LOOPS)
    levels = max((_mark(each, known, inside or loop) for each in ast.iter_child_nodes(node)), default=0)
    if isinstance(node, LOOPS):
        if levels > inside:
            call = ast.Call(ast.Name(TURN, ast.Load()), [ast.Constant(next(_NUMBERS))], [])
            node.body.insert(0, ast.fix_missing_locations(ast.copy_location(ast.Expr(call), node)))
        return levels + 1
    if isinstance(node, _SCOPES):
        return 0
    if isinstance(node, COMPREHENSIONS):
        return levels + 1
    return max(levels, int(isinstance(node, ast.Call) and called_name(node) in known))
