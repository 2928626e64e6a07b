"""Use a package that loads its parts on demand."""
import zoo
from zoo import Linear, load


def main():
    model = Linear(2.0)
    print(model(3.0), zoo.Quadratic(2.0)(3.0), load("linear", 1.0)(4.0))
    print(zoo.MODEL_COUNT, sorted(name for name in dir(zoo) if not name.startswith("_")))
    print(zoo.models.Linear is Linear, hasattr(zoo, "Cubic"))


if __name__ == "__main__":
    main()
