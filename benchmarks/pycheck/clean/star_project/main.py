"""Everything by star import."""
from helpers import *
from helpers.constants import *
from math import *


def schedule(step):
    warm = min(1.0, (step + 1) / WARMUP)
    return BASE_LR * warm * (1 + cos(pi * step / TOTAL)) / 2


def main():
    meter = Meter()
    for step in range(TOTAL):
        meter.add(schedule(step))
    print(describe(meter), sqrt(meter.mean), helper_version)


if __name__ == "__main__":
    main()
