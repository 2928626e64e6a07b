from . import SuccessiveHalving


def main():
    search = SuccessiveHalving(count=8, budget=2)
    print("best", search.run())
    for count, budget, loss in search.trace:
        print(f"{count} configurations, budget {budget}, best loss {loss:.4f}")
    print("total budget", search.total_budget())


if __name__ == "__main__":
    main()
