from . import models


def load(name, *args):
    return getattr(models, name.capitalize())(*args)
