"""torchvision.datasets: what one sample is, and how many there are."""

from __future__ import annotations

from typing import Any, ClassVar

from mlvet.domains import dtypes
from mlvet.domains.dims import Dim, symbol
from mlvet.domains.tensors import Tensor as Type
from mlvet.frontends.python.active import machine
from mlvet.frontends.python.emission import source
from mlvet.frontends.python.libraries.binding import TENSORS, Size, Sizes
from mlvet.frontends.python.libraries.registry import alias, model
from mlvet.frontends.python.libraries.torch.data.datasets import Dataset
from mlvet.frontends.python.libraries.torch.placement import on_cpu
from mlvet.frontends.python.libraries.torch.tensor import Tensor
from mlvet.frontends.python.libraries.torchvision.pictures import sized, somewhere
from mlvet.frontends.python.values.containers import DictValue, ListValue, Repeated
from mlvet.frontends.python.values.numbers import Scalar
from mlvet.frontends.python.values.unknown import Reason, Unknown


@model("torchvision.datasets.VisionDataset", "torchvision.datasets.vision.VisionDataset")
class VisionDataset(Dataset):
    """Images with targets; the transforms are those of the program."""

    __slots__ = ()

    def __init__(
        self, root: Any = None, transforms: Any = None, transform: Any = None, target_transform: Any = None
    ) -> None:
        self._prepare(root, transform, target_transform, transforms)

    def _prepare(self, root: Any, transform: Any, target_transform: Any, transforms: Any = None) -> None:
        self.root, self.transform, self.target_transform, self.transforms = (
            root,
            transform,
            target_transform,
            transforms,
        )

    def __getitem__(self, index: Any) -> Any:
        return self._transformed(self._image(), self._target())

    def _transformed(self, image: Any, target: Any) -> Any:
        here = machine()
        if self.cells.get("transforms") is not None:
            return here.call(self.transforms, image, target)
        if self.cells.get("transform") is not None:
            image = here.call(self.transform, image)
        if self.cells.get("target_transform") is not None:
            target = here.call(self.target_transform, target)
        return image, target

    def _image(self) -> Any:
        return somewhere("RGB")

    def _target(self) -> Any:
        return Unknown(Reason.EXTERNAL_DATA, "a target", "target")


class Labelled(VisionDataset):
    """Images of one extent, each of one of some classes."""

    __slots__ = ()
    side: ClassVar[int] = 32
    mode: ClassVar[str] = "RGB"
    count: ClassVar[int] = 10
    sizes: ClassVar[tuple[int, int]] = (60000, 10000)

    def __init__(
        self, root: Any, train: bool = True, transform: Any = None, target_transform: Any = None, download: Any = False
    ) -> None:
        self._prepare(root, transform, target_transform)
        self.train = train

    def _image(self) -> Any:
        return sized(self.side, self.side, self.mode)

    def _target(self) -> Any:
        return symbol(machine().fresh("label"), 0, self.count - 1)

    def length(self) -> Any:
        return self.sizes[0] if self.cells.get("train", True) else self.sizes[1]

    @property
    def classes(self) -> Any:
        return ListValue(Scalar(str, "class") for _ in range(self.count))

    @property
    def class_to_idx(self) -> Any:
        return DictValue({}, rest=symbol(machine().fresh("label"), 0, self.count - 1))


class Greyscale(Labelled):
    """Data sets in the form of MNIST, whose elements are tensors."""

    __slots__ = ()
    side: ClassVar[int] = 28
    mode: ClassVar[str] = "L"

    @property
    def data(self) -> Any:
        return on_cpu(source("data", Type(dtypes.u8, (self.length(), self.side, self.side)), Tensor))

    @property
    def targets(self) -> Any:
        return on_cpu(source("targets", Type(dtypes.i64, (self.length(),)), Tensor))

    train_data = data
    test_data = data
    train_labels = targets
    test_labels = targets


@model("torchvision.datasets.MNIST")
class MNIST(Greyscale):
    __slots__ = ()


@model("torchvision.datasets.FashionMNIST")
class FashionMNIST(Greyscale):
    __slots__ = ()


@model("torchvision.datasets.KMNIST")
class KMNIST(Greyscale):
    __slots__ = ()


@model("torchvision.datasets.QMNIST")
class QMNIST(Greyscale):
    __slots__ = ()

    def __init__(self, root: Any, what: Any = None, compat: Any = True, train: bool = True, **kwargs: Any) -> None:
        self._prepare(root, kwargs.get("transform"), kwargs.get("target_transform"))
        self.train = train


@model("torchvision.datasets.EMNIST")
class EMNIST(Greyscale):
    __slots__ = ()
    count: ClassVar[int] = 62

    def __init__(
        self, root: Any, split: Any = "balanced", train: bool = True, transform: Any = None,
        target_transform: Any = None, download: Any = False, **kwargs: Any,
    ) -> None:  # fmt: skip
        self._prepare(root, transform, target_transform)
        self.train = train

    def length(self) -> Any:
        return Dataset.length(self)


@model("torchvision.datasets.USPS")
class USPS(Labelled):
    __slots__ = ()
    side: ClassVar[int] = 16
    mode: ClassVar[str] = "L"
    sizes: ClassVar[tuple[int, int]] = (7291, 2007)


@model("torchvision.datasets.CIFAR10")
class CIFAR10(Labelled):
    __slots__ = ()
    sizes: ClassVar[tuple[int, int]] = (50000, 10000)

    @property
    def data(self) -> Any:
        dims = (self.length(), self.side, self.side, 3)
        return source("data", Type(dtypes.u8, dims), TENSORS.get("numpy", Tensor))

    @property
    def targets(self) -> Any:
        return ListValue(Repeated(self._target(), self.length()))


@model("torchvision.datasets.CIFAR100")
class CIFAR100(CIFAR10):
    __slots__ = ()
    count: ClassVar[int] = 100


class Split(Labelled):
    """Data sets whose parts go by name."""

    __slots__ = ()
    lengths: ClassVar[dict[str, int]] = {}

    def __init__(
        self, root: Any, split: Any = "train", transform: Any = None, target_transform: Any = None,
        download: Any = False, **kwargs: Any,
    ) -> None:  # fmt: skip
        self._prepare(root, transform, target_transform)
        self.split = split

    def length(self) -> Any:
        split = self.cells.get("split")
        return self.lengths[split] if isinstance(split, str) and split in self.lengths else Dataset.length(self)


@model("torchvision.datasets.SVHN")
class SVHN(Split):
    __slots__ = ()
    lengths: ClassVar[dict[str, int]] = {"train": 73257, "test": 26032, "extra": 531131}


@model("torchvision.datasets.STL10")
class STL10(Split):
    __slots__ = ()
    side: ClassVar[int] = 96
    lengths: ClassVar[dict[str, int]] = {"train": 5000, "test": 8000, "unlabeled": 100000}

    def __init__(
        self, root: Any, split: Any = "train", folds: Any = None, transform: Any = None, target_transform: Any = None,
        download: Any = False,
    ) -> None:  # fmt: skip
        super().__init__(root, split, transform, target_transform)


@model("torchvision.datasets.FakeData")
class FakeData(Labelled):
    __slots__ = ()

    def __init__(
        self, size: Size = 1000, image_size: Sizes = (3, 224, 224), num_classes: Size = 10, transform: Any = None,
        target_transform: Any = None, random_offset: Any = 0,
    ) -> None:  # fmt: skip
        self._prepare(None, transform, target_transform)
        self.size, self.image_size, self.num_classes = size, image_size, num_classes

    def _image(self) -> Any:
        channels, height, width = self.image_size
        return sized(height, width, "L" if channels == 1 else "RGB")

    def _target(self) -> Any:
        return symbol(machine().fresh("label"), 0)

    def length(self) -> Any:
        return self.size


class Unsized(Labelled):
    """Labelled images of any extent, any number of them."""

    __slots__ = ()
    count: ClassVar[int] = 1000

    def _image(self) -> Any:
        return somewhere("RGB")

    def _target(self) -> Any:
        return symbol(machine().fresh("label"), 0)

    def length(self) -> Any:
        return Dataset.length(self)

    @property
    def classes(self) -> Any:
        return ListValue(Repeated(Scalar(str, "class"), self._classes()))

    @property
    def class_to_idx(self) -> Any:
        return DictValue({}, rest=symbol(machine().fresh("label"), 0))

    @property
    def targets(self) -> Any:
        return ListValue(Repeated(self._target(), self.length()))

    @property
    def imgs(self) -> Any:
        return ListValue(Repeated((Scalar(str, "path"), self._target()), self.length()))

    samples = imgs

    def _classes(self) -> Dim:
        if "@classes" not in self.cells:
            self.cells["@classes"] = symbol(machine().fresh("classes"), 1)
        found: Dim = self.cells["@classes"]
        return found


@model("torchvision.datasets.ImageFolder", "torchvision.datasets.DatasetFolder")
class ImageFolder(Unsized):
    __slots__ = ()

    def __init__(
        self, root: Any, transform: Any = None, target_transform: Any = None, loader: Any = None,
        is_valid_file: Any = None, allow_empty: Any = False, **kwargs: Any,
    ) -> None:  # fmt: skip
        self._prepare(root, transform, target_transform)


@model("torchvision.datasets.ImageNet", "torchvision.datasets.Imagenette", "torchvision.datasets.Food101",
    "torchvision.datasets.DTD", "torchvision.datasets.FGVCAircraft", "torchvision.datasets.Country211",
    "torchvision.datasets.Flowers102", "torchvision.datasets.GTSRB", "torchvision.datasets.StanfordCars",
    "torchvision.datasets.OxfordIIITPet", "torchvision.datasets.PCAM", "torchvision.datasets.Places365",
    "torchvision.datasets.INaturalist", "torchvision.datasets.RenderedSST2")  # fmt: skip
class ImageNet(Unsized):
    __slots__ = ()

    def __init__(
        self, root: Any, split: Any = "train", transform: Any = None, target_transform: Any = None,
        download: Any = False, **kwargs: Any,
    ) -> None:  # fmt: skip
        self._prepare(root, transform, target_transform)


@model("torchvision.datasets.LSUN", "torchvision.datasets.Caltech101", "torchvision.datasets.Caltech256",
    "torchvision.datasets.SEMEION", "torchvision.datasets.EuroSAT", "torchvision.datasets.Omniglot",
    "torchvision.datasets.SUN397")  # fmt: skip
class LSUN(Unsized):
    __slots__ = ()

    def __init__(
        self, root: Any, classes: Any = "train", transform: Any = None, target_transform: Any = None, **kwargs: Any
    ) -> None:
        self._prepare(root, transform, target_transform)


@model("torchvision.datasets.CelebA")
class CelebA(Unsized):
    """Faces with what is known of them, attributes unless something else is asked for."""

    __slots__ = ()

    def __init__(
        self, root: Any, split: Any = "train", target_type: Any = "attr", transform: Any = None,
        target_transform: Any = None, download: Any = False,
    ) -> None:  # fmt: skip
        self._prepare(root, transform, target_transform)
        self.target_type = target_type

    def _image(self) -> Any:
        return sized(218, 178, "RGB")

    def _target(self) -> Any:
        sizes = {"attr": (40,), "bbox": (4,), "landmarks": (10,), "identity": ()}
        kind = self.target_type
        if isinstance(kind, str) and kind in sizes:
            return on_cpu(source(kind, Type(dtypes.i64, sizes[kind]), Tensor))
        return Unknown(Reason.EXTERNAL_DATA, "a target", "target")


@model("torchvision.datasets.CocoDetection", "torchvision.datasets.CocoCaptions")
class CocoDetection(VisionDataset):
    __slots__ = ()

    def __init__(
        self,
        root: Any,
        annFile: Any = None,
        transform: Any = None,
        target_transform: Any = None,
        transforms: Any = None,
    ) -> None:
        self._prepare(root, transform, target_transform, transforms)

    def _target(self) -> Any:
        element = DictValue({}, rest=Unknown(Reason.EXTERNAL_DATA, "an annotation"))
        return ListValue(Repeated(element, symbol(machine().fresh("objects"))))


@model("torchvision.datasets.VOCDetection")
class VOCDetection(VisionDataset):
    __slots__ = ()

    def __init__(
        self, root: Any, year: Any = "2012", image_set: Any = "train", download: Any = False, transform: Any = None,
        target_transform: Any = None, transforms: Any = None,
    ) -> None:  # fmt: skip
        self._prepare(root, transform, target_transform, transforms)

    def _target(self) -> Any:
        return DictValue({}, rest=Unknown(Reason.EXTERNAL_DATA, "an annotation"))


@model("torchvision.datasets.VOCSegmentation", "torchvision.datasets.SBDataset")
class VOCSegmentation(VOCDetection):
    """Images with a mask of the same extent."""

    __slots__ = ()

    def __getitem__(self, index: Any) -> Any:
        image = somewhere("RGB")
        return self._transformed(image, sized(image.height, image.width, "P"))


@model("torchvision.datasets.Cityscapes", "torchvision.datasets.Kitti", "torchvision.datasets.Kinetics",
    "torchvision.datasets.UCF101", "torchvision.datasets.HMDB51")  # fmt: skip
class Other(VisionDataset):
    """Data sets of which only the images are known."""

    __slots__ = ()

    def __init__(self, root: Any, *args: Any, **kwargs: Any) -> None:
        self._prepare(root, kwargs.get("transform"), kwargs.get("target_transform"), kwargs.get("transforms"))


for part in ("mnist", "cifar", "folder", "imagenet", "coco", "voc", "svhn", "celeba"):
    alias(f"torchvision.datasets.{part}", "torchvision.datasets")


@model("torchvision.datasets.folder.default_loader", "torchvision.datasets.folder.pil_loader")
def default_loader(path: Any) -> Any:
    return somewhere("RGB")
