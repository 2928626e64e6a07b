"""Object detection inference with compiled post-processing."""
import sys

import cv2
import numpy as np
import torch
import torchvision
from my_cuda_ops import nms as fast_nms
from torchvision import transforms

TRANSFORM = transforms.Compose([
    transforms.ToTensor(),
    transforms.Normalize(mean=[0.5] * 3, std=[0.25] * 3),
])


def read(path):
    image = cv2.imread(path)
    if image is None:
        raise FileNotFoundError(path)
    return cv2.cvtColor(image, cv2.COLOR_BGR2RGB)


def detect(model, image, threshold=0.5):
    with torch.no_grad():
        output = model([TRANSFORM(image)])[0]
    keep = fast_nms(output["boxes"], output["scores"], threshold)
    return output["boxes"][keep].cpu().numpy().astype(np.int32)


def main(paths):
    model = torchvision.models.detection.fasterrcnn_resnet50_fpn(weights=None)
    model.eval()
    for path in paths:
        image = read(path)
        for left, top, right, bottom in detect(model, image):
            cv2.rectangle(image, (left, top), (right, bottom), (255, 0, 0), 2)
        cv2.imwrite(path + ".out.png", image)


if __name__ == "__main__":
    main(sys.argv[1:])
