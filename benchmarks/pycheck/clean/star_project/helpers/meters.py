__all__ = ["Meter", "describe"]


class Meter:
    def __init__(self):
        self.values = []

    def add(self, value):
        self.values.append(value)

    @property
    def mean(self):
        return sum(self.values) / len(self.values)


def describe(meter):
    return f"{len(meter.values)} values, mean {_round(meter.mean)}"


def _round(value):
    return round(value, 4)
