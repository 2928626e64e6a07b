"""Code kept alive across Python 2 and 3."""
from __future__ import absolute_import, division, print_function, unicode_literals

import sys

PY2 = sys.version_info[0] == 2

try:
    unicode
except NameError:
    unicode = str

try:
    xrange
except NameError:
    xrange = range

try:
    basestring
except NameError:
    basestring = (str, bytes)

try:
    input = raw_input
except NameError:
    pass

try:
    from itertools import izip
except ImportError:
    izip = zip

try:
    from urllib.parse import urlparse
except ImportError:
    from urlparse import urlparse

if PY2:
    reload(sys)
    sys.setdefaultencoding("utf-8")
    string_types = basestring,
    text_type = unicode
    long_type = long
else:
    string_types = str,
    text_type = str
    long_type = int


class Shape(object):
    def __init__(self, sides):
        super(Shape, self).__init__()
        self.sides = sides

    def __nonzero__(self):
        return self.sides > 0

    __bool__ = __nonzero__


def to_text(value):
    if isinstance(value, bytes):
        return value.decode("utf-8")
    return unicode(value)


def lookup(mapping, key):
    if PY2:
        return mapping[key] if mapping.has_key(key) else None
    return mapping.get(key)


if __name__ == "__main__":
    print(to_text(b"abc"), to_text(3), [i for i in xrange(2)], list(izip("ab", [1, 2])))
    print(isinstance("x", string_types), text_type(1), long_type(2), bool(Shape(0)), lookup({"a": 1}, "a"))
    print(urlparse("file:///data/train").path, isinstance("x", basestring), callable(input))
