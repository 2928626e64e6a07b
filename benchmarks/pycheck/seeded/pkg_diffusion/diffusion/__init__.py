from .process import Schedule, denoise
from .sampler import Sampler
