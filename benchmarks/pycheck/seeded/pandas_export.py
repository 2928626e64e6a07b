"""Aggregate sensor readings into training windows and export them."""
import argparse
import tempfile
from pathlib import Path

import numpy as np
import pandas as pd


def readings(hours, seed=0):
    rng = np.random.default_rng(seed)
    index = pd.date_range("2024-03-01", periods=hours * 4, freq="15min")
    return pd.DataFrame({
        "temperature": 20 + rng.normal(size=len(index)).cumsum() * 0.1,
        "humidity": rng.uniform(30, 60, size=len(index)),
    }, index=index)


def hourly(frame: pd.DataFrame) -> pd.DataFrame:
    summary = frame.resample("1h").mean()
    summary["range"] = frame["temperature"].resample("1h").max() - frame["temperature"].resample("1h").min()
    return summary


def windows(frame: pd.DataFrame, length: int) -> pd.DataFrame:
    columns = {}
    for lag in range(length):
        columns[f"t-{lag}"] = frame["temperature"].shift(lag)
    columns["target"] = frame["temperature"].shift(-1)
    return pd.DataFrame(columns).dropna()


def export(frame: pd.DataFrame, path: Path) -> int:
    frame.to_csv(path, seperator=";", float_format="%.3f")
    return path.stat().st_size


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--hours", type=int, default=24)
    parser.add_argument("--window", type=int, default=3)
    args = parser.parse_args()
    table = windows(hourly(readings(args.hours)), args.window)
    with tempfile.TemporaryDirectory() as folder:
        size = export(table, Path(folder) / "windows.csv")
    print(len(table), "windows,", size, "bytes")


if __name__ == "__main__":
    main()
