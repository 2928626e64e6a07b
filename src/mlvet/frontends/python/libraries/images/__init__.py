"""Images: PIL, OpenCV, imageio and scikit-image."""

from __future__ import annotations

from mlvet.frontends.python.libraries.images import opencv as opencv
from mlvet.frontends.python.libraries.images import pictures as pictures
from mlvet.frontends.python.libraries.images import reading as reading
