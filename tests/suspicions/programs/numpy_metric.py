import numpy as np
from sklearn.linear_model import LinearRegression

x = np.random.rand(300, 5)
y = np.random.rand(300, 1)
fitted = LinearRegression().fit(x, y.ravel())
predicted = fitted.predict(x)
# told: loss-broadcasts
# instead: error = np.mean((y[:, 0] - predicted) ** 2)
error = np.mean((y - predicted) ** 2)
print(error)
