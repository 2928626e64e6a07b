def add(a, b=2, *rest, scale=1, **named):
    return (a + b + sum(rest)) * scale + len(named)


plain = add(1)
positional = add(1, 5, 6, 7)
by_name = add(b=3, a=4, scale=2)
extra = add(1, x=1, y=2)
spread = add(*[1, 2, 3], scale=10)


def counter():
    count = 0

    def step(by=1):
        nonlocal count
        count += by
        return count

    return step


step = counter()
first, second, third = step(), step(5), step()

total = 0


def accumulate(n):
    global total
    total += n


for n in range(5):
    accumulate(n)

double = lambda x, y=2: x * y
doubled = double(21)
composed = (lambda f, g: lambda x: f(g(x)))(lambda x: x + 1, double)(5)


def factorial(n):
    return 1 if n <= 1 else n * factorial(n - 1)


five = factorial(5)


def traced(function):
    def wrapper(*args, **kwargs):
        return ("traced", function(*args, **kwargs))

    return wrapper


def repeated(times):
    def decorate(function):
        def wrapper(x):
            for _ in range(times):
                x = function(x)
            return x

        return wrapper

    return decorate


@traced
def one():
    return 1


@repeated(3)
def increment(x):
    return x + 1


decorated = one()
thrice = increment(10)


def only_keyword(a, /, b, *, c):
    return a, b, c


kinds = only_keyword(1, b=2, c=3)
defaults_are_shared = []


def append_to(item, to=defaults_are_shared):
    to.append(item)
    return to


append_to(1)
append_to(2)
