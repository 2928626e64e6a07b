"""What the elements of well-known data sets are, and how many there are."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

from mlvet.domains import dtypes
from mlvet.domains.dtypes import DType

Size = int | str
Feature = tuple[DType, tuple[Size, ...]]

TEXT: Feature = (dtypes.text, ())
LABEL: Feature = (dtypes.i64, ())
NUMBER: Feature = (dtypes.f32, ())


@dataclass(frozen=True, slots=True)
class Entry:
    """A data set: features by name (a dictionary within is one too), input and target, sizes of splits, classes."""

    features: dict[str, Any]
    supervised: tuple[Any, ...] = ("image", "label")
    counts: dict[str, int] = field(default_factory=dict)
    classes: int | None = None


def image(height: Size = "height", width: Size = "width", channels: Size = 3) -> Feature:
    """A picture; sizes that differ from picture to picture have names."""
    return (dtypes.u8, (height, width, channels))


def _pictures(sizes: tuple[Size, ...], classes: int | None, train: int = 0, test: int = 0, **more: Any) -> Entry:
    counts = {name: count for name, count in (("train", train), ("test", test)) if count}
    return Entry({"image": image(*sizes), "label": LABEL, **more}, counts=counts, classes=classes)


_ANY: tuple[Size, ...] = ()
_OBJECTS = {
    "bbox": (dtypes.f32, ("boxes", 4)),
    "label": (dtypes.i64, ("boxes",)),
    "is_difficult": (dtypes.bool_, ("boxes",)),
    "is_truncated": (dtypes.bool_, ("boxes",)),
    "pose": (dtypes.i64, ("boxes",)),
    "is_crowd": (dtypes.bool_, ("boxes",)),
    "area": (dtypes.i64, ("boxes",)),
    "id": (dtypes.i64, ("boxes",)),
}
_RATINGS = {
    "movie_id": TEXT, "movie_title": TEXT, "movie_genres": (dtypes.i64, ("genres",)), "user_id": TEXT,
    "user_rating": NUMBER, "timestamp": LABEL, "raw_user_age": NUMBER, "bucketized_user_age": NUMBER,
    "user_gender": (dtypes.bool_, ()), "user_occupation_label": LABEL, "user_occupation_text": TEXT,
    "user_zip_code": TEXT,
}  # fmt: skip
_WINE = (
    "alcohol", "chlorides", "citric acid", "density", "fixed acidity", "free sulfur dioxide", "pH", "residual sugar",
    "sulphates", "total sulfur dioxide", "volatile acidity",
)  # fmt: skip

CATALOGUE: dict[str, Entry] = {
    "mnist": _pictures((28, 28, 1), 10, 60000, 10000),
    "fashion_mnist": _pictures((28, 28, 1), 10, 60000, 10000),
    "kmnist": _pictures((28, 28, 1), 10, 60000, 10000),
    "emnist": _pictures((28, 28, 1), None),
    "cifar10": _pictures((32, 32, 3), 10, 50000, 10000, id=TEXT),
    "cifar10_corrupted": _pictures((32, 32, 3), 10, 0, 10000),
    "cifar100": _pictures((32, 32, 3), 100, 50000, 10000, coarse_label=LABEL, id=TEXT),
    "svhn_cropped": _pictures((32, 32, 3), 10, 73257, 26032),
    "stl10": Entry(
        {"image": image(96, 96), "label": LABEL}, counts={"train": 5000, "test": 8000, "unlabelled": 100000}, classes=10
    ),
    "omniglot": _pictures((105, 105, 3), 1623, alphabet=LABEL, alphabet_char_id=LABEL),
    "cats_vs_dogs": Entry(
        {"image": image(), "image/filename": TEXT, "label": LABEL}, counts={"train": 23262}, classes=2
    ),
    "tf_flowers": Entry({"image": image(), "label": LABEL}, counts={"train": 3670}, classes=5),
    "oxford_flowers102": Entry(
        {"image": image(), "label": LABEL, "file_name": TEXT},
        counts={"train": 1020, "test": 6149, "validation": 1020},
        classes=102,
    ),
    "stanford_dogs": _pictures(
        _ANY, 120, 12000, 8580, **{"image/filename": TEXT, "objects": {"bbox": (dtypes.f32, ("boxes", 4))}}
    ),
    "caltech_birds2011": _pictures(
        _ANY,
        200,
        5994,
        5794,
        bbox=(dtypes.f32, (4,)),
        label_name=TEXT,
        segmentation_mask=image("height", "width", 1),
        **{"image/filename": TEXT},
    ),
    "caltech101": _pictures(_ANY, 102, 3060, 6084, **{"image/file_name": TEXT}),
    "food101": Entry({"image": image(), "label": LABEL}, counts={"train": 75750, "validation": 25250}, classes=101),
    "imagenet2012": Entry(
        {"image": image(), "label": LABEL, "file_name": TEXT},
        counts={"train": 1281167, "validation": 50000},
        classes=1000,
    ),
    "imagenette": Entry({"image": image(), "label": LABEL}, classes=10),
    "imagewang": Entry({"image": image(), "label": LABEL}, classes=20),
    "beans": Entry(
        {"image": image(500, 500), "label": LABEL}, counts={"train": 1034, "validation": 133, "test": 128}, classes=3
    ),
    "horses_or_humans": _pictures((300, 300, 3), 2, 1027, 256),
    "rock_paper_scissors": _pictures((300, 300, 3), 3, 2520, 372),
    "malaria": Entry({"image": image(), "label": LABEL}, counts={"train": 27558}, classes=2),
    "eurosat": Entry({"image": image(64, 64), "label": LABEL, "filename": TEXT}, counts={"train": 27000}, classes=10),
    "patch_camelyon": _pictures((96, 96, 3), 2, 262144, 32768, id=TEXT),
    "deep_weeds": Entry({"image": image(256, 256), "label": LABEL}, counts={"train": 17509}, classes=9),
    "colorectal_histology": Entry(
        {"image": image(150, 150), "label": LABEL, "filename": TEXT}, counts={"train": 5000}, classes=8
    ),
    "plant_village": Entry({"image": image(), "label": LABEL}, classes=38),
    "citrus_leaves": Entry({"image": image(), "label": LABEL}, classes=4),
    "uc_merced": Entry({"image": image(), "label": LABEL, "filename": TEXT}, counts={"train": 2100}, classes=21),
    "cycle_gan": _pictures(_ANY, 2),
    "div2k": Entry(
        {"hr": image(), "lr": image("low_height", "low_width")}, ("lr", "hr"), {"train": 800, "validation": 100}
    ),
    "oxford_iiit_pet": Entry(
        {
            "image": image(),
            "label": LABEL,
            "species": LABEL,
            "file_name": TEXT,
            "segmentation_mask": image("height", "width", 1),
        },
        counts={"train": 3680, "test": 3669},
        classes=37,
    ),
    "voc": Entry(
        {
            "image": image(),
            "image/filename": TEXT,
            "labels": (dtypes.i64, ("classes",)),
            "labels_no_difficult": (dtypes.i64, ("classes",)),
            "objects": _OBJECTS,
        },
        (),
        {"train": 2501, "validation": 2510, "test": 4952},
    ),
    "coco": Entry({"image": image(), "image/filename": TEXT, "image/id": LABEL, "objects": _OBJECTS}, ()),
    "imdb_reviews": Entry(
        {"text": TEXT, "label": LABEL}, ("text", "label"), {"train": 25000, "test": 25000, "unsupervised": 50000}, 2
    ),
    "yelp_polarity_reviews": Entry(
        {"text": TEXT, "label": LABEL}, ("text", "label"), {"train": 560000, "test": 38000}, 2
    ),
    "ag_news_subset": Entry(
        {"title": TEXT, "description": TEXT, "label": LABEL},
        ("description", "label"),
        {"train": 120000, "test": 7600},
        4,
    ),
    "snli": Entry({"premise": TEXT, "hypothesis": TEXT, "label": LABEL}, ()),
    "reddit_tifu": Entry(
        {
            "documents": TEXT,
            "title": TEXT,
            "tldr": TEXT,
            "ups": NUMBER,
            "score": NUMBER,
            "num_comments": NUMBER,
            "upvote_ratio": NUMBER,
        },
        ("documents", "title"),
    ),
    "samsum": Entry({"dialogue": TEXT, "summary": TEXT, "id": TEXT}, ("dialogue", "summary")),
    "cnn_dailymail": Entry({"article": TEXT, "highlights": TEXT, "id": TEXT}, ("article", "highlights")),
    "mtnt": Entry({"src": TEXT, "dst": TEXT}, ("src", "dst")),
    "movielens": Entry(_RATINGS, ()),
    "wine_quality": Entry(
        {"features": dict.fromkeys(_WINE, NUMBER), "quality": (dtypes.i32, ())},
        ("features", "quality"),
        {"train": 4898},
    ),
    "iris": Entry({"features": (dtypes.f32, (4,)), "label": LABEL}, ("features", "label"), {"train": 150}, 3),
}
"""By the name without version and configuration."""
