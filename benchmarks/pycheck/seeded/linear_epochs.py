"""Linear regression by stochastic gradient descent, standard library only."""
import random

TRUE_WEIGHTS = (2.0, -3.0)
TRUE_BIAS = 0.5


def make_samples(count, rng):
    samples = []
    for _ in range(count):
        x = [rng.uniform(-1, 1) for _ in TRUE_WEIGHTS]
        y = sum(w * v for w, v in zip(TRUE_WEIGHTS, x)) + TRUE_BIAS + rng.gauss(0, 0.01)
        samples.append((x, y))
    return samples


class LinearRegression:
    def __init__(self, features):
        self.weights = [0.0] * features
        self.bias = 0.0

    def predict(self, x):
        return sum(w * v for w, v in zip(self.weights, x)) + self.bias

    def update(self, x, y, lr):
        error = self.predict(x) - y
        self.weights = [w - lr * error * v for w, v in zip(self.weights, x)]
        self.bias -= lr * error
        return error * error


def train(samples, rng, lr=0.1):
    num_epochs = 5
    model = LinearRegression(features=len(TRUE_WEIGHTS))
    for epoch in num_epochs:
        rng.shuffle(samples)
        squared = [model.update(x, y, lr) for x, y in samples]
        print(f"epoch {epoch}: mse {sum(squared) / len(squared):.5f}")
    return model


def main():
    rng = random.Random(0)
    samples = make_samples(50, rng)
    model = train(samples, rng)
    print("weights", [round(w, 2) for w in model.weights], "bias", round(model.bias, 2))


if __name__ == "__main__":
    main()
