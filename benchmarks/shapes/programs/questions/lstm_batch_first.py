import torch
import torch.nn as nn

INPUT_SIZE = 7
HIDDEN_SIZE = 64
NUM_LAYERS = 2
SEQ_LENGTH = 30
BATCH_SIZE = 20


class StockLSTM(nn.Module):
    def __init__(self, input_size, hidden_size, num_layers):
        super(StockLSTM, self).__init__()
        self.hidden_size = hidden_size
        self.num_layers = num_layers
        self.lstm = nn.LSTM(input_size, hidden_size, num_layers)
        self.linear = nn.Linear(hidden_size, 1)

    def forward(self, x):
        # x has shape (batch, seq, features)
        h0 = torch.zeros(self.num_layers, x.size(0), self.hidden_size)
        c0 = torch.zeros(self.num_layers, x.size(0), self.hidden_size)
        out, (hn, cn) = self.lstm(x, (h0, c0))
        return self.linear(out[:, -1, :])


prices = torch.randn(BATCH_SIZE * 10, SEQ_LENGTH, INPUT_SIZE)
next_close = torch.randn(BATCH_SIZE * 10, 1)

model = StockLSTM(INPUT_SIZE, HIDDEN_SIZE, NUM_LAYERS)
criterion = nn.MSELoss()
optimizer = torch.optim.Adam(model.parameters(), lr=0.001)

for epoch in range(5):
    for b in range(10):
        xs = prices[b * BATCH_SIZE:(b + 1) * BATCH_SIZE]
        ys = next_close[b * BATCH_SIZE:(b + 1) * BATCH_SIZE]
        optimizer.zero_grad()
        pred = model(xs)
        loss = criterion(pred, ys)
        loss.backward()
        optimizer.step()
    print("epoch", epoch, "loss", loss.item())
