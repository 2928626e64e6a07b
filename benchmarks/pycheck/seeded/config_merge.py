"""Layered experiment configuration: defaults, then file, then command line."""
import argparse
import json
import sys
from collections import Mapping, OrderedDict

DEFAULTS = OrderedDict(
    model=OrderedDict(name="resnet", depth=18, pretrained=False),
    optimizer=OrderedDict(name="sgd", lr=0.1, momentum=0.9),
    epochs=90,
)


def deep_update(base, override):
    """A copy of `base` in which the values of `override` win, at every depth."""
    merged = OrderedDict(base)
    for key, value in override.items():
        if isinstance(value, Mapping) and isinstance(merged.get(key), Mapping):
            merged[key] = deep_update(merged[key], value)
        else:
            merged[key] = value
    return merged


def parse_value(text):
    try:
        return json.loads(text)
    except ValueError:
        return text


def parse_override(text):
    dotted, _, value = text.partition("=")
    node = result = {}
    *parents, leaf = dotted.split(".")
    for parent in parents:
        node = node.setdefault(parent, {})
    node[leaf] = parse_value(value)
    return result


def main(argv):
    parser = argparse.ArgumentParser()
    parser.add_argument("overrides", nargs="*", default=["optimizer.lr=0.01", "model.depth=50"])
    args = parser.parse_args(argv)
    config = DEFAULTS
    for text in args.overrides:
        config = deep_update(config, parse_override(text))
    print(json.dumps(config, indent=2))


if __name__ == "__main__":
    main(sys.argv[1:])
