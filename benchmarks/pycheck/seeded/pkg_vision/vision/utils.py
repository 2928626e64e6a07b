"""Meters and counters."""


class AverageMeter:
    def __init__(self, name):
        self.name = name
        self.total = 0.0
        self.count = 0

    def update(self, value, n=1):
        self.total += value * n
        self.count += n

    @property
    def average(self):
        return self.total / max(1, self.count)

    def __str__(self):
        return f"{self.name} {self.average:.4f}"


def count_parameters(model):
    return sum(p.numel() for p in model.parameters() if p.requires_grad)
