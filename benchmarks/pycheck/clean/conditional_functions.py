"""One name, several possible definitions."""
import os
import sys

FAST = os.environ.get("FAST", "0") == "1"

if FAST:
    def reduce_mean(values):
        return sum(values) / len(values)
else:
    def reduce_mean(values, start=0.0):
        for value in values:
            start += value
        return start / len(values)

if sys.version_info >= (3, 0):
    def iteritems(mapping):
        return iter(mapping.items())
else:
    def iteritems(mapping):
        return mapping.iteritems()

if sys.platform == "win32":
    import winreg

    def cache_folder():
        return winreg.QueryValue(winreg.HKEY_CURRENT_USER, "cache")
else:
    def cache_folder():
        return os.path.join(os.path.expanduser("~"), ".cache")

try:
    from nonexistent_kernels import fused_gelu as gelu
except ImportError:
    def gelu(x):
        return 0.5 * x * (1 + (x > 0))


class Runner:
    if FAST:
        batch_size = 64
    else:
        batch_size = 8

    def __init__(self, verbose):
        if verbose:
            self.report = print
        else:
            self.report = lambda *args: None

    def run(self):
        self.report("batch", self.batch_size)
        return [gelu(x) for x in range(3)]


def make_step(kind):
    if kind == "sgd":
        def step(w, g):
            return w - 0.1 * g
    elif kind == "sign":
        def step(w, g):
            return w - 0.1 * (1 if g > 0 else -1)
    else:
        raise ValueError(kind)
    return step


if __name__ == "__main__":
    print(reduce_mean([1, 2, 3]), dict(iteritems({"a": 1})), os.path.basename(cache_folder()))
    print(Runner(verbose=True).run(), make_step("sgd")(1.0, 2.0), make_step("sign")(1.0, 2.0))
    reduce_mean = max
    print(reduce_mean(1, 2))
