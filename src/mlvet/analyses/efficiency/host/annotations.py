"""What calls of libraries do beside yielding a value, by their dotted names.

A call is `pure` if it yields the same for the same arguments and changes nothing, `random` if it draws, `io` if it
reads or writes what is outside the program, `state` if it changes or reads something that lasts, and `unknown` if
nobody has said.
"""

from __future__ import annotations

from functools import cache

_RANDOM = (
    "torch.rand", "torch.randn", "torch.randint", "torch.randperm", "torch.bernoulli", "torch.multinomial",
    "torch.normal", "torch.poisson", "torch.rand_like", "torch.randn_like", "torch.randint_like",
    "torch.nn.functional.dropout", "torch.nn.functional.dropout2d", "torch.nn.functional.gumbel_softmax",
    "numpy.random.", "random.", "tensorflow.random.", "tensorflow.nn.dropout", "keras.random.", "secrets.", "uuid.",
    "tensorflow.compat.v1.random.", "tensorflow.compat.v1.random_normal", "tensorflow.compat.v1.random_uniform",
    "torch.empty", "torch.empty_like", "torch.Tensor", "torch.FloatTensor", "torch.LongTensor", "torch.DoubleTensor",
    "numpy.empty", "numpy.empty_like",
)  # fmt: skip
_IO = (
    "print", "input", "open", "logging.", "os.", "sys.", "time.", "datetime.", "shutil.", "subprocess.", "pickle.load",
    "pickle.dump", "json.load", "json.dump", "torch.save", "torch.load", "numpy.save", "numpy.load", "numpy.savetxt",
    "numpy.loadtxt", "numpy.genfromtxt", "tqdm.", "matplotlib.", "pandas.read_", "PIL.Image.open", "cv2.imread",
    "tensorflow.io.", "tensorflow.print", "wandb.", "warnings.",
)  # fmt: skip
_READS = (
    "open", "pickle.load", "json.load", "torch.load", "numpy.load", "numpy.loadtxt", "numpy.genfromtxt", "pandas.read_",
    "PIL.Image.open", "cv2.imread", "os.listdir", "os.path.", "os.walk", "glob.glob",
)  # fmt: skip
_PURE = (
    "abs", "all", "any", "bool", "bytes", "chr", "complex", "dict", "divmod", "float", "format",
    "frozenset", "hash", "hex", "int", "isinstance", "issubclass", "len", "list", "max", "min", "ord", "pow", "range",
    "repr", "round", "set", "slice", "sorted", "str", "sum", "tuple", "type", "math.", "operator.",
    "torch.", "numpy.", "jax.", "tensorflow.", "keras.", "scipy.", "einops.", "str.", "functools.partial", "re.",
    "collections.Counter", "copy.copy", "copy.deepcopy", "torchvision.transforms.functional.",
)  # fmt: skip
_STATE = (
    "torch.manual_seed", "torch.cuda.", "torch.set_", "torch.backends.", "torch.distributed.", "torch.optim.",
    "torch.autograd.backward", "torch.Tensor.backward", "torch.nn.init.", "torch.nn.utils.clip_grad",
    "torch.utils.tensorboard.", "torch.no_grad", "torch.enable_grad", "torch.inference_mode", "torch.set_grad_enabled",
    "torch.profiler.", "numpy.random.seed", "numpy.seterr", "numpy.copyto", "numpy.put", "tensorflow.Variable",
    "tensorflow.keras.", "keras.Model", "keras.models.", "keras.optimizers.", "keras.metrics.", "keras.backend.",
    "keras.callbacks.", "tensorflow.GradientTape", "tensorflow.compat.v1.", "tensorflow.function", "jax.jit",
    "tensorflow.data.", "torch.utils.data.", "torch.compile", "torch.jit.", "next", "iter", "map", "filter", "zip",
    "enumerate", "reversed", "setattr",
    "delattr", "globals", "locals", "vars", "exec", "eval", "super", "tensorflow.train.", "tensorflow.summary.",
    "keras.utils.", "tensorflow.config.", "keras.datasets.", "id", "callable", "hasattr", "getattr", "torch.hub.",
    "torch.onnx.", "torch.fx.", "torch.export.", "jax.profiler.", "jax.device_put", "keras.saving.", "keras.Sequential",
    "keras.layers.", "torch.nn.Module", "torch.Generator", "tensorflow.Graph", "tensorflow.Session", "torch.nn.",
)  # fmt: skip
_FUNCTIONAL = ("torch.nn.functional.", "keras.ops.", "keras.activations.", "keras.losses.", "tensorflow.keras.losses.")
_TENSOR_METHODS_OF_STATE = frozenset(("backward", "register_hook", "retain_grad", "detach_", "share_memory_"))


@cache
def effect(name: str) -> str:
    """What a call of a library function does, by its dotted name."""
    name = name.removeprefix("builtins.")
    method = name.rpartition(".")[2]
    if _named(name, _RANDOM) or method in ("uniform_", "normal_", "bernoulli", "multinomial"):
        return "random"
    if _named(name, _IO):
        return "io"
    if name.startswith(("torch.Tensor.", "tensorflow.Tensor.", "numpy.ndarray.", "jax.Array.")):
        changes = method in _TENSOR_METHODS_OF_STATE or (method.endswith("_") and not method.endswith("__"))
        return "state" if changes else "pure"
    if _named(name, _FUNCTIONAL):
        return "pure"
    if _named(name, _STATE):
        return "state"
    return "pure" if _named(name, _PURE) else "unknown"


@cache
def reads(name: str) -> bool:
    """Whether a call reads a file or folder, which yields the same as long as nobody writes it."""
    return _named(name.removeprefix("builtins."), _READS)


def _named(name: str, prefixes: tuple[str, ...]) -> bool:
    """Whether a name is among some names and beginnings of names, which end with a dot or an underscore."""
    return any(name.startswith(each) if each[-1] in "._" else name == each for each in prefixes)
