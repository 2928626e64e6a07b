from .meters import *

helper_version = "1.0"
