"""A recurrent network and a convolution by hand in NumPy, with their gradients."""

import numpy as np

STEPS = 10
INPUTS = 6
HIDDEN = 8
CLASSES = 3
FILTERS = 5


def sigmoid(x):
    return 1 / (1 + np.exp(-x))


def softmax(x):
    e = np.exp(x - x.max(axis=1, keepdims=True))
    return e / e.sum(axis=1, keepdims=True)


class Parameters:
    def __init__(self, rng):
        self.filters = rng.normal(0, 0.3, (3 * INPUTS, FILTERS))
        self.wx = rng.normal(0, 0.3, (FILTERS, 4 * HIDDEN))
        self.wh = rng.normal(0, 0.3, (HIDDEN, 4 * HIDDEN))
        self.b = np.zeros((4 * HIDDEN,))
        self.out = rng.normal(0, 0.3, (HIDDEN, CLASSES))
        self.out_b = np.zeros((CLASSES,))


def windows(x):
    """Each step with its two neighbours, side by side."""
    padded = np.pad(x, ((0, 0), (1, 1), (0, 0)))
    stacked = np.stack([padded[:, k : k + STEPS] for k in range(3)], axis=2)
    return stacked.reshape(-1, STEPS, 3 * INPUTS)


def forward(p, x):
    columns = windows(x)
    features = np.maximum(columns @ p.filters, 0)
    by_time = features.transpose(1, 0, 2)
    h = np.zeros((x.shape[0], HIDDEN))
    c = np.zeros((x.shape[0], HIDDEN))
    memory = []
    for step in range(STEPS):
        gates = by_time[step] @ p.wx + h @ p.wh + p.b
        i, f, o, g = np.split(gates, 4, axis=1)
        i, f, o, g = sigmoid(i), sigmoid(f), sigmoid(o), np.tanh(g)
        before, previous = h, c
        c = f * c + i * g
        h = o * np.tanh(c)
        memory.append((before, previous, c, i, f, o, g))
    scores = np.dot(h, p.out) + p.out_b
    return softmax(scores), h, by_time, memory


def backward(p, probabilities, onehot, h, by_time, memory):
    count = onehot.shape[0]
    delta = (probabilities - onehot) / count
    grads = {"out": np.dot(h.T, delta), "out_b": delta.sum(axis=0)}
    dh = np.dot(delta, p.out.T)
    dc = np.zeros((count, HIDDEN))
    grads["wx"], grads["wh"], grads["b"] = np.zeros_like(p.wx), np.zeros_like(p.wh), np.zeros_like(p.b)
    for step in reversed(range(STEPS)):
        before, previous, c, i, f, o, g = memory[step]
        tanh_c = np.tanh(c)
        dc = dc + dh * o * (1 - tanh_c**2)
        di, df, dg, do = dc * g, dc * previous, dc * i, dh * tanh_c
        gates = np.concatenate([di * i * (1 - i), df * f * (1 - f), do * o * (1 - o), dg * (1 - g**2)], axis=1)
        grads["wx"] += by_time[step].T @ gates
        grads["wh"] += before.T @ gates
        grads["b"] += gates.sum(axis=0)
        dh = gates @ p.wh.T
        dc = dc * f
    return grads


def make_data(rng, count):
    labels = rng.integers(0, CLASSES, count)
    time = np.arange(STEPS).reshape(1, STEPS, 1)
    waves = np.sin(time * (1 + labels.reshape(-1, 1, 1)) / 3)
    x = waves + 0.2 * rng.standard_normal((count, STEPS, INPUTS))
    return x, np.eye(CLASSES)[labels]


def main():
    rng = np.random.default_rng(0)
    p = Parameters(rng)
    for epoch in range(5):
        x, onehot = make_data(rng, 32)
        probabilities, h, by_time, memory = forward(p, x)
        loss = -np.mean(np.sum(onehot * np.log(probabilities), axis=1))
        for name, grad in backward(p, probabilities, onehot, h, by_time, memory).items():
            setattr(p, name, getattr(p, name) - 0.5 * grad)
        print(f"epoch {epoch} loss {loss:.4f}")
    x, onehot = make_data(rng, 10)
    probabilities = forward(p, x)[0]
    confusion = np.dot(onehot.T, probabilities).reshape(CLASSES, CLASSES)
    print(confusion.round(2))


if __name__ == "__main__":
    main()
