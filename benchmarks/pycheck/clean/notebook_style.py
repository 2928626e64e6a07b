# %% [markdown]
# # Exploration of a noisy sine

# %%
import numpy as np
import pandas as pd
from sklearn.linear_model import Ridge
from sklearn.preprocessing import PolynomialFeatures

rng = np.random.default_rng(0)
df = pd.DataFrame({"x": rng.uniform(0, 3, 60)})
df["y"] = np.sin(df.x) + rng.normal(scale=0.1, size=len(df))
df.head()

# %%
df["bucket"] = pd.cut(df.x, bins=3, labels=["low", "mid", "high"])
df.groupby("bucket", observed=True).y.mean()

# %%
x = df[["x"]].values
y = df.y.values
x.shape, y.shape

# %%
scores = {}
for degree in range(1, 5):
    features = PolynomialFeatures(degree).fit_transform(x)
    model = Ridge(alpha=1e-3).fit(features, y)
    scores[degree] = model.score(features, y)

scores

# %%
best = max(scores, key=scores.get)
print("best degree", best, "of", degree)

# %%
def predict(values):
    return model.predict(PolynomialFeatures(degree).fit_transform(values))


residual = y - predict(x)
_ = residual.std()
print(round(_, 3))

# %%
x = pd.Series(residual)
y = x.rolling(5).mean().dropna()
print(len(y), float(y.abs().max()) < 1)
if "df" in globals():
    del df
