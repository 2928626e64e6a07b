"""Two-layer perceptron with manual backpropagation in NumPy."""
import numpy as np


def sigmoid(z):
    return 1.0 / (1.0 + np.exp(-z))


class Perceptron:
    def __init__(self, inputs, hidden, seed=0):
        rng = np.random.default_rng(seed)
        self.w1 = rng.normal(scale=0.5, size=(inputs, hidden))
        self.b1 = np.zeros(hidden)
        self.w2 = rng.normal(scale=0.5, size=(hidden, 1))
        self.b2 = np.zeros(1)

    def forward(self, x):
        self.x = x
        self.h = np.tanh(x @ self.w1 + self.b1)
        self.out = sigmoid(self.h @ self.w2 + self.b2)
        return self.out

    def backward(self, target, lr):
        delta = (self.out - target) / len(target)
        hidden_delta = delta @ self.w2.T * (1 - self.h**2)
        self.w2 -= lr * self.h.T @ delta
        self.b2 -= lr * delta.sum(axis=0)
        self.w1 -= lr * self.x.T @ hidden_delta
        self.b1 -= lr * hidden_delta.sum(axis=0)


def cross_entropy(out, target, eps=1e-12):
    return -np.mean(target * np.log(out + eps) + (1 - target) * np.log(1 - out + eps))


def xor_data():
    x = np.array([[0, 0], [0, 1], [1, 0], [1, 1]], dtype=np.float)
    y = np.logical_xor(x[:, :1], x[:, 1:]).astype(np.float64)
    return x, y


def main(epochs=200, lr=0.5):
    x, y = xor_data()
    net = Perceptron(inputs=2, hidden=6)
    for epoch in range(epochs):
        out = net.forward(x)
        net.backward(y, lr)
        if epoch % 50 == 0:
            print(f"epoch {epoch:4d} loss {cross_entropy(out, y):.4f}")
    print(net.forward(x).round(2).ravel())


if __name__ == "__main__":
    main()
