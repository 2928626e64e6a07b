"""Configuration objects whose attributes are data."""
import argparse


class EasyDict(dict):
    def __init__(self, mapping=None, **kwargs):
        super().__init__()
        for key, value in dict(mapping or {}, **kwargs).items():
            self[key] = EasyDict(value) if isinstance(value, dict) else value

    def __getattr__(self, name):
        try:
            return self[name]
        except KeyError:
            raise AttributeError(name) from None

    def __setattr__(self, name, value):
        self[name] = value


class Bunch:
    def __init__(self, **entries):
        self.__dict__.update(entries)


cfg = EasyDict()
cfg.TRAIN = EasyDict()
cfg.TRAIN.LR = 0.01
cfg.TRAIN.STEPS = [10, 20]
cfg.MODEL = EasyDict({"NAME": "vgg", "HEAD": {"DIM": 16}})


def merge(config, overrides):
    for dotted, value in overrides.items():
        node = config
        *parents, leaf = dotted.split(".")
        for part in parents:
            node = getattr(node, part)
        setattr(node, leaf, value)


def parse(argv):
    parser = argparse.ArgumentParser()
    parser.add_argument("--lr", type=float, default=0.1)
    parser.add_argument("--data-dir", dest="data", default="data")
    args, unknown = parser.parse_known_args(argv)
    args.world_size = 1
    args.distributed = args.world_size > 1
    args.__dict__.update({"rank": 0})
    return args, unknown


if __name__ == "__main__":
    merge(cfg, {"TRAIN.LR": 0.5, "MODEL.HEAD.DIM": 32})
    print(cfg.TRAIN.LR, cfg.MODEL.HEAD.DIM, cfg.TRAIN.STEPS[0], cfg.MODEL.NAME.upper())
    options, rest = parse(["--lr", "0.3", "--extra"])
    print(options.lr, options.data, options.distributed, options.rank, rest)
    bunch = Bunch(depth=3, **cfg.MODEL)
    bunch.width = bunch.depth * bunch.HEAD.DIM
    print(bunch.width, bunch.NAME)
