"""Clean a transaction table and derive per-customer features."""
import argparse

import numpy as np
import pandas as pd


def fake_transactions(count, seed):
    rng = np.random.default_rng(seed)
    return pd.DataFrame({
        "customer": rng.integers(0, 5, size=count),
        "amount": rng.lognormal(mean=3.0, size=count).round(2),
        "day": pd.to_datetime("2024-01-01") + pd.to_timedelta(rng.integers(0, 90, size=count), unit="D"),
        "channel": rng.choice(["web", "shop", "phone"], size=count),
    })


def clean(frame: pd.DataFrame) -> pd.DataFrame:
    frame = frame.drop_duplicates()
    frame = frame[frame["amount"] > 0].copy()
    frame["month"] = frame["day"].dt.month
    return frame


def customer_features(frame: pd.DataFrame) -> pd.DataFrame:
    grouped = frame.groupyb("customer")
    features = grouped["amount"].agg(["count", "mean", "max"])
    features["last_day"] = grouped["day"].max()
    return features.reset_index()


def one_hot_channels(frame: pd.DataFrame) -> pd.DataFrame:
    dummies = pd.get_dummies(frame["channel"], prefix="channel")
    return pd.concat([frame[["customer"]], dummies], axis=1).groupby("customer", as_index=False).sum()


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--rows", type=int, default=60)
    parser.add_argument("--seed", type=int, default=0)
    args = parser.parse_args()
    frame = clean(fake_transactions(args.rows, args.seed))
    table = customer_features(frame).merge(one_hot_channels(frame), on="customer")
    print(table.to_string(index=False))


if __name__ == "__main__":
    main()
