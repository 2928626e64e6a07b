class Linear:
    def __init__(self, slope):
        self.slope = slope

    def __call__(self, x):
        return self.slope * x


class Quadratic(Linear):
    def __call__(self, x):
        return self.slope * x * x
