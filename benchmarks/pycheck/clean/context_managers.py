"""Resources and modes handled by with statements."""
import contextlib
import tempfile
import time

import torch


class Timer:
    elapsed = None

    def __enter__(self):
        self.start = time.perf_counter()
        return self

    def __exit__(self, kind, value, trace):
        self.elapsed = time.perf_counter() - self.start
        self.failed = kind is not None
        return kind is ValueError


@contextlib.contextmanager
def evaluating(model):
    was_training = model.training
    model.eval()
    try:
        yield model
    finally:
        model.train(was_training)


class Ema(contextlib.ContextDecorator):
    active = 0

    def __enter__(self):
        Ema.active += 1

    def __exit__(self, *exc_info):
        Ema.active -= 1


@Ema()
def inside():
    return Ema.active


def maybe_autocast(enabled):
    return torch.autocast("cpu", dtype=torch.bfloat16) if enabled else contextlib.nullcontext()


def main():
    model = torch.nn.Dropout(0.5)
    with evaluating(model) as frozen, torch.no_grad(), maybe_autocast(False):
        same = torch.equal(frozen(torch.ones(4)), torch.ones(4))
    with Timer() as timer:
        value = int("not a number")
    if not timer.failed:
        print(value)
    print(same, model.training, timer.elapsed >= 0, timer.failed, inside(), Ema.active)
    with contextlib.ExitStack() as stack:
        files = [stack.enter_context(tempfile.TemporaryFile("w+")) for _ in range(2)]
        for index, handle in enumerate(files):
            handle.write(str(index))
            handle.seek(0)
        text = "".join(handle.read() for handle in files)
    with contextlib.suppress(ZeroDivisionError, KeyError):
        text = {}["missing"]
    print(text)


if __name__ == "__main__":
    main()
