"""Plot grids of images and curves."""
import io

import matplotlib

matplotlib.use("Agg")
import matplotlib.pyplot as plt
import numpy as np
from matplotlib import cm


def curves(history):
    fig, ax = plt.subplots(figsize=(4, 3))
    ax.plot(history["loss"], color="tab:red", label="loss")
    ax.set_xlabel("epoch")
    twin = ax.twinx()
    twin.plot(history["acc"], color=cm.viridis(0.5))
    twin.set_ylim(0, 1)
    ax.legend()
    fig.tight_layout()
    return fig


def grid(images, rows, cols):
    fig, axes = plt.subplots(rows, cols, squeeze=False, sharex=True)
    for ax, image in zip(axes.flat, images):
        shown = ax.imshow(image, cmap="gray")
        ax.axis("off")
    fig.colorbar(shown, ax=axes[0, 0])
    return fig


def row(images):
    fig, axs = plt.subplots(1, len(images))
    for index, image in enumerate(images):
        axs[index].imshow(image)
        axs[index].set_title(str(index))
    fig, (left, right) = plt.subplots(1, 2)
    left.hist(np.ravel(images), bins=5)
    right.bar(range(3), [1, 2, 3])
    return fig


def save(fig):
    buffer = io.BytesIO()
    fig.savefig(buffer, format="png", dpi=40)
    plt.close(fig)
    return len(buffer.getvalue())


if __name__ == "__main__":
    pictures = np.random.default_rng(0).random((4, 5, 5))
    print(save(curves({"loss": [1.0, 0.5], "acc": [0.3, 0.6]})) > 0)
    print(save(grid(pictures, 2, 2)) > 0, save(row(pictures[:2])) > 0)
    plt.figure()
    plt.subplot(2, 1, 1)
    plt.scatter([1, 2], [3, 4], c=[0.1, 0.9])
    plt.gca().set_aspect("equal")
    print(save(plt.gcf()) > 0)
