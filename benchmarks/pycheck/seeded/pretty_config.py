"""Resolve an experiment file with inheritance and show the outcome."""
import copy
import os
import pprint
import string

EXPERIMENTS = {
    "base": {"model": {"width": 64, "depth": 4}, "data": "$DATA/train", "lr": 0.1},
    "wide": {"inherit": "base", "model": {"width": 128}},
    "wide_slow": {"inherit": "wide", "lr": 0.01, "tags": ["ablation", "slow"]},
}


def inherit(name, seen=()):
    if name in seen:
        raise ValueError(f"circular inheritance: {' -> '.join((*seen, name))}")
    entry = copy.deepcopy(EXPERIMENTS[name])
    parent = entry.pop("inherit", None)
    if parent is None:
        return entry
    merged = inherit(parent, (*seen, name))
    for key, value in entry.items():
        if isinstance(value, dict):
            merged.setdefault(key, {}).update(value)
        else:
            merged[key] = value
    return merged


def expand(node, variables):
    if isinstance(node, dict):
        return {key: expand(value, variables) for key, value in node.items()}
    if isinstance(node, list):
        return [expand(value, variables) for value in node]
    if isinstance(node, str):
        return string.Template(node).safe_substitute(variables)
    return node


def main():
    variables = {"DATA": os.environ.get("DATA", "data")}
    for name in EXPERIMENTS:
        resolved = expand(inherit(name), variables)
        print(f"== {name}")
        pprint(resolved)


if __name__ == "__main__":
    main()
