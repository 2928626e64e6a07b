"""Whether the arguments of a call fit the parameters of a function, from syntax alone."""

from __future__ import annotations

import ast


def mismatch(function: ast.FunctionDef, call: ast.Call) -> str | None:
    """What does not fit, or None. The first parameter is taken by the instance.

    Calls that unpack `*args` or `**kwargs`, and decorated functions, are taken to fit.
    """
    unpacked = any(isinstance(argument, ast.Starred) for argument in call.args) or any(
        k.arg is None for k in call.keywords
    )
    if unpacked or function.decorator_list:
        return None
    positional = [parameter.arg for parameter in (*function.args.posonlyargs, *function.args.args)][1:]
    by_position_only = {parameter.arg for parameter in function.args.posonlyargs}
    keyword_only = {parameter.arg for parameter in function.args.kwonlyargs}
    given = [keyword.arg for keyword in call.keywords if keyword.arg is not None]
    if len(call.args) > len(positional) and function.args.vararg is None:
        return f"Expected {_count(len(positional))}, got {len(call.args)}"
    taken = set(positional[: len(call.args)])
    for name in given:
        if name in taken:
            return f"Multiple values for argument `{name}`"
        known = (name in positional and name not in by_position_only) or name in keyword_only
        if not known and function.args.kwarg is None:
            return f"Unexpected keyword argument `{name}`"
    optional = set(positional[len(positional) - len(function.args.defaults) :]) if function.args.defaults else set()
    optional |= {
        p.arg for p, default in zip(function.args.kwonlyargs, function.args.kw_defaults, strict=True) if default
    }
    absent = [name for name in (*positional, *keyword_only) if name not in taken | set(given) | optional]
    return f"Missing argument `{absent[0]}`" if absent else None


def _count(number: int) -> str:
    return f"{number} positional argument{'' if number == 1 else 's'}"
