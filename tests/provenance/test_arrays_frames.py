"""Columns of pandas with places: arithmetic, filters, merges and groups keep the identity of rows."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest
from array_checks import check

from mlvet.runtime.provenance.arrays import install, uninstall

pd = pytest.importorskip("pandas")
INPUTS = np.random.default_rng(3).uniform(0.5, 2, 12)
WINDOWS = "sum mean min max median std var".split()
KEYS = ["a", "b", "a", "c", "b", "a"]


@pytest.fixture(autouse=True)
def replaced() -> Iterator[None]:
    install()
    yield
    uninstall()


def frame(x: Any) -> Any:
    return pd.DataFrame({"key": KEYS, "x": x[:6], "y": x[6:], "z": np.arange(6.0)})


def merged(x: Any) -> Any:
    other = pd.DataFrame({"key": ["a", "b", "d"], "w": x[:3]})
    joined = frame(x).merge(other, on="key", how="left")
    inner = frame(x).merge(other, on="key")
    return (joined["x"] * joined["w"]).fillna(0.0).to_numpy(), (inner["w"] / inner["y"]).values


def grouped(x: Any) -> Any:
    groups = frame(x).groupby("key")
    table = groups.agg(total=("x", "sum"), mean=("y", "mean"), top=("x", "max"), low=("y", "min"))
    return (
        [table[each].to_numpy() for each in table],
        groups["x"].std().fillna(0).to_numpy(),
        groups[["x", "y"]].sum().to_numpy(),
    )


def transformed(x: Any) -> Any:
    table = frame(x)
    table["share"] = table["x"] / table.groupby("key")["x"].transform("sum")
    table["run"] = table.groupby("key")["y"].cumsum()
    table.loc[table["x"] > 1.0, "share"] = table["y"] * 2
    return table["share"].to_numpy(), table["run"].to_numpy()


CASES = {
    "arithmetic": lambda x: ((frame(x)["x"] * frame(x)["y"] + 2.0) / frame(x)["z"].add(1)).to_numpy(),
    "filter": lambda x: (frame(x).query("x > 1")["y"].to_numpy(), frame(x)[frame(x)["x"] > 1]["y"].values * 3),
    "reductions": lambda x: (
        frame(x)["x"].sum(),
        frame(x)["x"].mean(),
        frame(x)["y"].std(),
        frame(x)["y"].max(),
        frame(x)["x"].median(),
    ),
    "of frames": lambda x: (frame(x)[["x", "y", "z"]].sum().to_numpy(), frame(x)[["x", "y"]].mean(axis=0).to_numpy()),
    "merge": merged,
    "group": grouped,
    "transform": transformed,
    "order": lambda x: (frame(x).sort_values("x")["y"].to_numpy(), frame(x)["x"].nlargest(3).to_numpy()),
    "joined": lambda x: pd.concat([frame(x), frame(x)])["x"].to_numpy(),
    "ufuncs": lambda x: (
        np.exp(frame(x)["x"]).to_numpy(),
        np.log(frame(x)[["x", "y"]]).to_numpy(),
        np.where(frame(x)["x"] > 1, frame(x)["y"], 0.0),
    ),
    "values": lambda x: (
        frame(x)[["x", "y"]].values @ np.array([1.0, 2.0]),
        frame(x)["x"].tolist(),
    ),
    "lists": lambda x: pd.Series([x[0] * 2, x[1], 3.0]).to_numpy(),
    "records": lambda x: pd.DataFrame([{"p": x[0], "q": 1.0}, {"p": x[1], "q": 2.0}])["p"].to_numpy(),
    "matrix": lambda x: (pd.DataFrame(x.reshape(6, 2), columns=["p", "q"])["q"] * 2).to_numpy(),
    "scalars": lambda x: (pd.DataFrame({"p": [1.0, 2.0]}) * x[0])["p"].to_numpy(),
    "series": lambda x: (pd.Series([1.0, 2.0]) * x[0] + x[1]).to_numpy(),
    "map": lambda x: (
        frame(x)["x"].map(lambda each: each * each).to_numpy(),
        frame(x)["y"].apply(lambda each: each + 1).to_numpy(),
    ),
    "map by a dictionary": lambda x: (
        (frame(x)["key"].map({"a": x[0], "b": x[1], "c": 2.0}) * frame(x)["y"]).to_numpy(),
        frame(x)["key"].map(lambda each: x[2] if each == "a" else 0.5).to_numpy(),
    ),
    "rolling": lambda x: (
        *(getattr(frame(x)["x"].rolling(3), each)().fillna(0).to_numpy() for each in WINDOWS),
        frame(x)[["x", "y"]].rolling(2, min_periods=1).mean().to_numpy(),
        frame(x)["x"].rolling(3, center=True).var(ddof=0).fillna(0).to_numpy(),
        frame(x)["x"].rolling(2, step=2).sum().fillna(0).to_numpy(),
    ),
    "rolling in groups": lambda x: frame(x).groupby("key")["x"].rolling(2, min_periods=1).sum().to_numpy(),
    "expanding": lambda x: (
        *(getattr(frame(x)["x"].expanding(), each)().fillna(0).to_numpy() for each in WINDOWS),
        frame(x)["y"].shift(1).expanding().mean().fillna(0).to_numpy(),
    ),
    "weighted windows": lambda x: (
        frame(x)["x"].ewm(alpha=0.4).mean().to_numpy(),
        frame(x)["x"].shift(1).ewm(span=3, adjust=False).mean().fillna(0).to_numpy(),
        frame(x)[["x", "y"]].ewm(halflife=2).sum().to_numpy(),
    ),
    "correlations": lambda x: frame(x)[["x", "y", "z"]].corr().to_numpy(),
    "running": lambda x: (
        frame(x)["x"].cumsum().to_numpy(),
        frame(x)["x"].shift(1).fillna(0).to_numpy(),
        frame(x)["x"].diff().fillna(0).to_numpy(),
    ),
    "dot": lambda x: (frame(x)["x"].dot(frame(x)["y"]), frame(x)["x"].clip(upper=1.2).to_numpy()),
}


@pytest.mark.parametrize("name", CASES)
def test_frames(name: str) -> None:
    check(CASES[name], INPUTS)


def test_printing() -> None:
    from mlvet.runtime.provenance.arrays import wrap_array

    plain = frame(INPUTS)
    traced = frame(wrap_array(INPUTS.copy()))
    assert repr(traced) == repr(plain)
    assert repr(traced["x"]) == repr(plain["x"])
    assert traced.to_csv() == plain.to_csv()
    assert traced.describe().to_string() == plain.describe().to_string()
