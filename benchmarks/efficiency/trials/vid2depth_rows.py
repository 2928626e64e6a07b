"""Three frames of a film side by side, joined one by one."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path
from typing import Any

from benchmarks.efficiency.trials import Change, Trial
from benchmarks.efficiency.trials._loading import loaded, stand_in

trial = Trial(
    "tensorflow/models research: training scripts", "vid2depth/dataset/gen_data.py", 185, "growing-concatenation",
    changes=(
        Change(181, 186, (
            "  res_parts = []\n"
            "  for im in seq:\n"
            "    res_parts.append(im)\n"
            "  return np.hstack(res_parts)"
        )),
    ),
)  # fmt: skip
_FRAMES = 40


def prepare(folder: Path) -> Any:
    import os
    import sys
    from types import SimpleNamespace

    import numpy as np
    import scipy
    from PIL import Image

    def resized(picture: Any, size: tuple[int, int]) -> Any:
        return np.array(Image.fromarray(picture).resize(size[::-1], Image.Resampling.BILINEAR))

    stand_in("scipy.misc", "tensorflow")
    files: Any = sys.modules["scipy.misc"]
    files.imread = lambda file: np.array(Image.open(file))
    files.imresize = resized
    files.imsave = lambda file, picture: Image.fromarray(picture).save(file)
    vars(scipy)["misc"] = files
    film = folder / "films" / "first"
    film.mkdir(parents=True, exist_ok=True)
    draw = np.random.default_rng(0)
    for number in range(_FRAMES):
        rough = Image.fromarray(draw.integers(0, 256, (45, 80, 3), dtype=np.uint8))
        rough.resize((1280, 720), Image.Resampling.BICUBIC).save(film / f"{number}.jpg")
    module = loaded(folder / trial.path)
    module.gfile = SimpleNamespace(Exists=os.path.exists, MakeDirs=os.makedirs)
    module.FLAGS(["gen_data", "--dataset_name=bike", f"--dataset_dir={film.parent}", f"--data_dir={folder / 'made'}"])
    module.dataloader = module.dataset_loader.Bike(str(film.parent))
    return module


def run(folder: Path, module: Any) -> Iterable[Any]:
    import numpy as np
    from PIL import Image

    found: dict[str, Any] = {}
    for number in range(_FRAMES):
        module._gen_example(number, found)
    made = sorted((folder / "made").rglob("*.jpg"))
    return [np.array(Image.open(file)) for file in made]
