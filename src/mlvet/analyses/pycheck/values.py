"""Where a value comes from: how far the type that a checker infers for an expression can be trusted."""

from __future__ import annotations

import ast
import builtins
import sys
from enum import IntEnum

from mlvet.analyses.pycheck.project import Project
from mlvet.analyses.pycheck.tree import Tree, last_name

_DEPTH = 4


class Trust(IntEnum):
    """What an inferred type is worth: nothing, the word of an annotation, or the flow of the program."""

    NONE = 0
    WORD = 1
    FLOW = 2


def trust(project: Project, path: str, expression: ast.expr, depth: int = _DEPTH) -> Trust:
    """How far the type of an expression is to be trusted.

    Checkers take the first assignment of an attribute or global as its type, so one that is assigned elsewhere too may
    be something else at run time. What third-party functions return is known from stubs, which are often too narrow.
    """
    tree = project.tree(path)
    if tree is None or depth == 0:
        return Trust.NONE
    match expression:
        case ast.Constant() | ast.List() | ast.Tuple() | ast.Dict() | ast.Set() | ast.JoinedStr():
            return Trust.FLOW
        case ast.ListComp() | ast.SetComp() | ast.DictComp() | ast.GeneratorExp() | ast.Lambda():
            return Trust.FLOW
        case ast.Name(id="self" | "cls"):
            return Trust.FLOW
        case ast.Name():
            return _of_name(project, path, tree, expression, depth)
        case ast.Attribute(value=owner, attr=attr):
            return min(_of_attribute(project, path, tree, attr, depth), trust(project, path, owner, depth - 1))
        case ast.Call(func=func):
            return _of_call(project, path, tree, func, depth)
        case ast.BinOp(left=left, right=right):
            return min(trust(project, path, left, depth - 1), trust(project, path, right, depth - 1))
        case ast.IfExp(body=body, orelse=orelse):
            return min(trust(project, path, body, depth - 1), trust(project, path, orelse, depth - 1))
    return Trust.NONE


def _of_attribute(project: Project, path: str, tree: Tree, attribute: str, depth: int) -> Trust:
    """An attribute is worth what the one place that assigns it gives; a name of a module or class needs none."""
    places = project.attribute_stores(attribute, path)
    if places == 0:
        return Trust.FLOW
    values = [
        node.value
        for node in tree.nodes
        if isinstance(node, ast.Assign)
        and any(isinstance(target, ast.Attribute) and target.attr == attribute for target in node.targets)
    ]
    return trust(project, path, values[0], depth - 1) if places == 1 and len(values) == 1 else Trust.NONE


def _of_name(project: Project, path: str, tree: Tree, name: ast.Name, depth: int) -> Trust:
    parameter = tree.parameter(name)
    here = tree.binds_here(name)
    if parameter is not None:
        return Trust.WORD if parameter.annotation is not None and not here else Trust.NONE
    if not here and tree.bound_names[name.id] > 1:
        return Trust.NONE
    if name.id in tree.imports or tree.bound_names[name.id] == 0:
        return Trust.FLOW
    if not here and len(project.classes(name.id, path)) == 1:
        return Trust.FLOW
    values = tree.values_of(name)
    return min((trust(project, path, value, depth - 1) for value in values), default=Trust.NONE)


def _of_call(project: Project, path: str, tree: Tree, func: ast.expr, depth: int) -> Trust:
    """A call of the project's, of Python's, or of a method of something that is itself trusted."""
    root = func
    while isinstance(root, (ast.Attribute, ast.Call, ast.Subscript)):
        root = root.func if isinstance(root, ast.Call) else root.value
    if not isinstance(root, ast.Name):
        return Trust.FLOW
    imported = tree.imports.get(root.id, "")
    if imported.split(".")[0] in sys.stdlib_module_names:
        return Trust.FLOW
    if isinstance(func, ast.Attribute) and not imported:
        return trust(project, path, func.value, depth - 1)
    return _of_definition(project, path, last_name(func), known=not imported)


def _of_definition(project: Project, path: str, name: str, *, known: bool) -> Trust:
    """A function of the project is worth its flow, or its annotation; one that is decorated or overloaded, nothing."""
    functions = project.functions(name, path)
    if len(functions) == 1:
        function = functions[0][1]
        if function.decorator_list:
            return Trust.NONE
        return Trust.FLOW if function.returns is None else Trust.WORD
    classes = project.classes(name, path)
    if len(classes) == 1 and not classes[0][1].decorator_list:
        return Trust.FLOW
    return Trust.FLOW if known and not functions and not classes and hasattr(builtins, name) else Trust.NONE


def only_value(project: Project, path: str, expression: ast.expr, depth: int = _DEPTH) -> ast.expr | None:
    """The one expression that gives a name its value, seen through functions of the project that return only one."""
    tree = project.tree(path)
    if tree is None or depth == 0:
        return None
    if isinstance(expression, ast.Name):
        values = tree.values_of(expression)
        return only_value(project, path, values[0], depth - 1) if len(values) == 1 else None
    if isinstance(expression, ast.Call) and isinstance(expression.func, ast.Name):
        found = project.functions(expression.func.id, path)
        if len(found) == 1 and not found[0][1].decorator_list:
            returned = [
                node.value for node in own_statements(found[0][1]) if isinstance(node, ast.Return) and node.value
            ]
            home = project.path_of(found[0][0])
            return only_value(project, home, returned[0], depth - 1) if len(returned) == 1 else expression
    return expression


def own_statements(function: ast.FunctionDef) -> list[ast.AST]:
    """The nodes of a function without those of functions and classes defined in it."""
    found: list[ast.AST] = []
    waiting: list[ast.AST] = list(function.body)
    while waiting:
        node = waiting.pop()
        found.append(node)
        if not isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef, ast.Lambda, ast.ClassDef)):
            waiting.extend(ast.iter_child_nodes(node))
    return found


def constructed(kind: str, project: Project, path: str, expression: ast.expr) -> bool:
    """Whether an expression is surely an instance of just this class: its only value is a call of the class."""
    value = only_value(project, path, expression)
    return isinstance(value, ast.Call) and last_name(value.func) == kind


def gives_nothing(project: Project, path: str, expression: ast.expr) -> bool:
    """Whether None comes from a place that surely gives None: the constant, a function of the project without a return
    value, or a list method that works in place."""
    value = only_value(project, path, expression)
    match value:
        case ast.Constant(value=None):
            return True
        case ast.Call(func=ast.Name(id=name)):
            found = project.functions(name, path)
            return len(found) == 1 and not found[0][1].decorator_list and not _gives_value(found[0][1])
        case ast.Call(func=ast.Attribute(attr="sort" | "append" | "extend" | "reverse" | "shuffle" as name)):
            return not project.functions(name, path)
    return False


def _gives_value(function: ast.FunctionDef) -> bool:
    return any(
        (isinstance(node, ast.Return) and node.value is not None) or isinstance(node, (ast.Yield, ast.YieldFrom))
        for node in own_statements(function)
    )
