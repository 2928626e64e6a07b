import torch
import torch.nn as nn
from torch.utils.data import DataLoader, TensorDataset

# The loop runs for some time and stops with an error at the end of the first epoch
batch_size = 50
n_samples = 1020
seq_length, n_features, hidden_dim, n_layers = 20, 4, 32, 2

sequences = torch.randn(n_samples, seq_length, n_features)
targets = torch.randn(n_samples, 1)
train_loader = DataLoader(TensorDataset(sequences, targets), batch_size=batch_size, shuffle=True)


class WeatherRNN(nn.Module):
    def __init__(self):
        super().__init__()
        self.rnn = nn.LSTM(n_features, hidden_dim, n_layers, batch_first=True)
        self.fc = nn.Linear(hidden_dim, 1)

    def init_hidden(self, size):
        return torch.zeros(n_layers, size, hidden_dim), torch.zeros(n_layers, size, hidden_dim)

    def forward(self, x, hidden):
        out, hidden = self.rnn(x, hidden)
        return self.fc(out[:, -1]), hidden


model = WeatherRNN()
criterion = nn.MSELoss()
optimizer = torch.optim.Adam(model.parameters(), lr=0.01)

for epoch in range(2):
    hidden = model.init_hidden(batch_size)
    losses = []
    for inputs, labels in train_loader:
        hidden = tuple(h.detach() for h in hidden)
        optimizer.zero_grad()
        output, hidden = model(inputs, hidden)
        loss = criterion(output, labels)
        loss.backward()
        nn.utils.clip_grad_norm_(model.parameters(), 5)
        optimizer.step()
        losses.append(loss.item())
    print("epoch", epoch, sum(losses) / len(losses))
