"""Distil a wide teacher into a narrow student."""
import torch
import torch.nn.functional as F
from torch import nn

TEMPERATURE = 2.0


def mlp(width, inputs=10, outputs=3):
    return nn.Sequential(nn.Linear(inputs, width), nn.ReLU(), nn.Linear(width, outputs))


def sample(batch_size):
    x = torch.randn(batch_size, 10)
    return x, x[:, :3].argmax(dim=1)


def train_teacher(teacher, steps):
    optimizer = torch.optim.Adam(teacher.parameters(), lr=1e-2)
    for _ in range(steps):
        x, labels = sample(32)
        loss = F.cross_entropy(teacher(x), labels)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
    return teacher.eval()


def distillation_loss(student_logits, teacher_logits, labels, alpha):
    soft = F.kl_div(
        F.log_softmax(student_logits / TEMPERATURE, dim=1),
        F.softmax(teacher_logits / TEMPERATURE, dim=1),
        reduction="batchmean",
    )
    hard = F.cross_entropy(student_logits)
    return alpha * TEMPERATURE**2 * soft + (1 - alpha) * hard


def distill(student, teacher, steps, alpha=0.7):
    optimizer = torch.optim.Adam(student.parameters(), lr=1e-2)
    for step in range(steps):
        x, labels = sample(32)
        with torch.no_grad():
            targets = teacher(x)
        loss = distillation_loss(student(x), targets, labels, alpha)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        if step % 2 == 0:
            print("step", step, "loss", loss.item())


if __name__ == "__main__":
    torch.manual_seed(0)
    teacher_net = train_teacher(mlp(64), steps=10)
    distill(mlp(8), teacher_net, steps=6)
