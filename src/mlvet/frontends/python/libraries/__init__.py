"""What mlvet knows of libraries: models that run on abstract values in place of the library's own functions."""

from __future__ import annotations

from mlvet.frontends.python.libraries.registry import PACKAGES

PACKAGES.update({
    "builtins": "builtins", "torch": "torch", "torchvision": "torchvision", "torchaudio": "torchaudio",
    "torchtext": "torchtext", "numpy": "numpy", "scipy": "scipy", "tensorflow": "tensorflow",
    "tensorflow_datasets": "tensorflow_datasets",
    "tensorflow_hub": "tensorflow_hub", "tf_keras": "keras", "keras": "keras", "keras_hub": "keras_hub",
    "keras_cv": "keras_hub", "keras_nlp": "keras_hub", "tf_slim": "tensorflow", "jax": "jax", "flax": "flax",
    "optax": "optax", "einops": "einops", "sklearn": "sklearn", "transformers": "transformers", "datasets": "datasets",
    "evaluate": "datasets", "pytorch_lightning": "lightning", "lightning": "lightning", "accelerate": "accelerate",
    "ucimlrepo": "pandas", "trimesh": "meshes",
    "pandas": "pandas", "PIL": "images", "cv2": "images", "imageio": "images", "skimage": "images",
    "matplotlib": "plotting", "seaborn": "plotting", "IPython": "plotting",
    "tqdm": "progress", "absl": "settings", "click": "settings", "hydra": "settings", "omegaconf": "settings",
    "ml_collections": "settings", "fire": "settings", "typer": "settings", "gymnasium": "gym", "gym": "gym",
    "six": "six", "gin": "settings",
    "keras_rs": "keras_rs", "tensorflow_addons": "tensorflow_addons", "tensorflow_io": "tensorflow_addons",
    "tensorflow_probability": "tensorflow_probability", "tiktoken": "language", "tokenizers": "language",
    "sentencepiece": "language", "nltk": "language", "peft": "language", "nlp": "datasets",
    "wandb": "services", "tensorboard": "services", "tensorboardX": "torch", "ipywidgets": "services",
    "mpl_toolkits": "services", "tensorflow_docs": "services", "pydot": "services", "graphviz": "services",
    "mlflow": "services", "comet_ml": "services", "neptune": "services", "torchviz": "services", "visdom": "services",
    "torchsummary": "services", "torchinfo": "services", "boto3": "services", "gdown": "services",
    "kagglehub": "services", "huggingface_hub": "services", "imutils": "services",
})  # fmt: skip

STANDARD = (
    "abc argparse array ast asyncio atexit base64 binascii bisect bz2 cmath codecs collections colorsys "
    "concurrent contextlib copy csv ctypes dataclasses datetime decimal difflib enum faulthandler fnmatch "
    "fractions functools gc getpass glob gzip hashlib heapq html importlib inspect io itertools json keyword "
    "locale logging lzma marshal math multiprocessing numbers operator os pathlib pickle pkgutil platform "
    "posixpath pprint queue random re resource secrets shelve shlex shutil signal socket statistics string struct "
    "subprocess sys tarfile tempfile textwrap threading time timeit tomllib traceback types typing "
    "typing_extensions unicodedata unittest urllib uuid warnings weakref zipfile zlib zoneinfo tomli toml yaml "
    "requests joblib dill cloudpickle "
)
PACKAGES.update(dict.fromkeys(STANDARD.split(), "stdlib"))
