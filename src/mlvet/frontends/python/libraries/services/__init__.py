"""Services around training: dashboards, downloads, widgets and plots of models, which shapes do not hang on."""

from __future__ import annotations

from typing import Any

from mlvet.domains.dims import symbol
from mlvet.frontends.python.active import machine, store
from mlvet.frontends.python.libraries.plotting.figures import Inert
from mlvet.frontends.python.libraries.registry import model
from mlvet.frontends.python.values.containers import DictValue, ListValue, Repeated
from mlvet.frontends.python.values.numbers import Scalar
from mlvet.frontends.python.values.objects import Object
from mlvet.frontends.python.values.unknown import Reason, Unknown

_SHOWN = {
    "wandb": "Image Table Video Audio Histogram Html Artifact Settings Api Run sweep agent alert watch save",
    "tensorboard": "program notebook",
    "ipywidgets": "HBox VBox Layout HTML Box Image GridBox Button Output IntSlider FloatSlider Dropdown interact",
    "ipywidgets.widgets": "HBox VBox Layout HTML Box Image GridBox Button Output IntSlider FloatSlider Dropdown",
    "mpl_toolkits.axes_grid1": "make_axes_locatable ImageGrid", "mpl_toolkits.mplot3d": "Axes3D art3d",
    "mpl_toolkits.axes_grid1.inset_locator": "mark_inset zoomed_inset_axes inset_axes",
    "tensorflow_docs.vis.embed": "embed_file embed_data", "pydot": "Dot Node Edge Cluster",
    "graphviz": "Digraph Graph Source", "mlflow": "start_run log_metric log_param log_params log_artifact",
    "comet_ml": "Experiment", "neptune": "init_run init", "torchviz": "make_dot", "visdom": "Visdom",
    "torchsummary": "summary", "torchinfo": "summary", "boto3": "client resource",
}  # fmt: skip


@model(*(f"{module}.{name}" for module, names in _SHOWN.items() for name in names.split()))
class Shown(Inert):
    """Something on a screen or a server."""

    __slots__ = ()

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        """Whatever it is told."""


@model(
    "wandb.log", "wandb.finish", "wandb.login", "kagglehub.login", "huggingface_hub.login",
    "huggingface_hub.notebook_login",
)  # fmt: skip
def nothing(*args: Any, **kwargs: Any) -> None:
    """Tells a service something."""


@model("wandb.init")
class Dashboard(Inert):
    """A run on a dashboard, with the settings that it was given."""

    __slots__ = ()

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        store(self.cells, "config", settings(kwargs.get("config")))


class Config(Object):
    """Settings by name or key."""

    __slots__ = ()

    def __init__(self, known: DictValue) -> None:
        store(self.cells, "@known", known)

    def missing(self, name: str) -> Any:
        known = self.cells["@known"].cells
        return known[name] if name in known else Unknown(Reason.EXTERNAL_DATA, f"config.{name}", name)

    def __getitem__(self, key: Any) -> Any:
        return self.missing(key) if isinstance(key, str) else Unknown(Reason.EXTERNAL_DATA, "a setting")

    def assigned(self, name: str, value: Any) -> None:
        self.cells["@known"].put(name, value)

    def update(self, other: Any, *args: Any, **kwargs: Any) -> None:
        if isinstance(other, DictValue):
            for key, value in other.cells.items():
                self.cells["@known"].put(key, value)


def settings(given: Any) -> Config:
    return Config(DictValue(given.cells) if isinstance(given, DictValue) else DictValue())


@model(
    "gdown.download", "kagglehub.model_download", "kagglehub.dataset_download", "kagglehub.competition_download",
    "huggingface_hub.hf_hub_download", "huggingface_hub.snapshot_download", "huggingface_hub.hf_hub_url",
)  # fmt: skip
def path(*args: Any, **kwargs: Any) -> Any:
    return Scalar(str, "path")


@model("imutils.paths.list_images", "imutils.paths.list_files")
def list_images(*args: Any, **kwargs: Any) -> Any:
    return ListValue(Repeated(Scalar(str, "path"), symbol(machine().fresh("files"))))
