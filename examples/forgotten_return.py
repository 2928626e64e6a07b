"""A factory function that builds an optimiser and then forgets it."""


class Momentum:
    def __init__(self, lr, beta):
        self.lr = lr
        self.beta = beta
        self.velocity = 0.0

    def step(self, weight, grad):
        self.velocity = self.beta * self.velocity + grad
        return weight - self.lr * self.velocity


def build_optimizer(name, lr):
    if name == "momentum":
        optimizer = Momentum(lr, beta=0.9)
    else:
        optimizer = Momentum(lr, beta=0.0)
    print("using", name, "with lr", optimizer.lr)


def main():
    optimizer = build_optimizer("momentum", lr=0.05)
    weight = 3.0
    for _ in range(20):
        weight = optimizer.step(weight, 2 * weight)  # BUG: build_optimizer returns nothing
    print("weight", weight)


if __name__ == "__main__":
    main()
