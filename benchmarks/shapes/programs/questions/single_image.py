import torch
import torch.nn as nn
import torch.nn.functional as F


class DigitNet(nn.Module):
    def __init__(self, num_classes=10):
        super(DigitNet, self).__init__()
        self.conv1 = nn.Conv2d(1, 20, 5)
        self.conv2 = nn.Conv2d(20, 50, 5)
        self.fc1 = nn.Linear(4 * 4 * 50, 500)
        self.fc2 = nn.Linear(500, num_classes)

    def forward(self, x):
        x = F.max_pool2d(F.relu(self.conv1(x)), 2)
        x = F.max_pool2d(F.relu(self.conv2(x)), 2)
        x = x.view(x.size(0), -1)
        x = F.relu(self.fc1(x))
        return F.log_softmax(self.fc2(x), dim=1)


train_x = torch.randn(256, 1, 28, 28)
train_y = torch.randint(0, 10, (256,))
test_x = torch.randn(16, 1, 28, 28)

model = DigitNet()
optimizer = torch.optim.SGD(model.parameters(), lr=0.01)
model.train()
for start in range(0, 256, 32):
    data, target = train_x[start:start + 32], train_y[start:start + 32]
    optimizer.zero_grad()
    output = model(data)
    loss = F.nll_loss(output, target)
    loss.backward()
    optimizer.step()

# training works, but the prediction for one picture does not
model.eval()
with torch.no_grad():
    image = test_x[3]
    output = model(image)
    prediction = output.argmax(dim=1)
    print("predicted digit:", prediction.item())
