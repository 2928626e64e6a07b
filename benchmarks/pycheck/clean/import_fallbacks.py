"""Optional dependencies with fallbacks."""
import importlib.util

try:
    import cPickle as pickle
except ImportError:
    import pickle

try:
    import ujson as json
except ImportError:
    import json

try:
    from nonexistent_progress_bar import tqdm
except ImportError:
    def tqdm(iterable, desc=None, **kwargs):
        return iterable

try:
    import nonexistent_tracker
    HAS_TRACKER = True
except ImportError:
    nonexistent_tracker = None
    HAS_TRACKER = False

try:
    from functools import cached_property
except ImportError:
    cached_property = property

try:
    import torch
except ImportError:
    torch = None


class Experiment:
    @cached_property
    def settings(self):
        return json.loads('{"steps": 3, "lr": 0.1}')

    def log(self, step, loss):
        if HAS_TRACKER:
            nonexistent_tracker.log({"loss": loss}, step=step)
        else:
            print(step, loss)

    def run(self):
        x = 1.0
        for step in tqdm(range(self.settings["steps"]), desc="train"):
            x -= self.settings["lr"] * 2 * x
            self.log(step, x * x)
        return x


def device():
    if torch is not None and torch.cuda.is_available():
        return "cuda"
    return "cpu"


if __name__ == "__main__":
    experiment = Experiment()
    copy = pickle.loads(pickle.dumps({"x": experiment.run(), "device": device()}))
    print(copy, importlib.util.find_spec("nonexistent_tracker"))
