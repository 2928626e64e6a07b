import torch
import torch.nn as nn
import torch.optim as optim

# part of speech tagging: one tag for every word of a padded sentence
VOCAB_SIZE = 1000
TAGSET_SIZE = 12
EMBEDDING_DIM = 50
HIDDEN_DIM = 100
MAX_LEN = 25


class LSTMTagger(nn.Module):
    def __init__(self, embedding_dim, hidden_dim, vocab_size, tagset_size):
        super(LSTMTagger, self).__init__()
        self.word_embeddings = nn.Embedding(vocab_size, embedding_dim, padding_idx=0)
        self.lstm = nn.LSTM(embedding_dim, hidden_dim, batch_first=True, bidirectional=True)
        self.hidden2tag = nn.Linear(2 * hidden_dim, tagset_size)

    def forward(self, sentences):
        embeds = self.word_embeddings(sentences)
        lstm_out, _ = self.lstm(embeds)
        tag_space = self.hidden2tag(lstm_out)
        return tag_space


def batches(n_batches, batch_size):
    for _ in range(n_batches):
        words = torch.randint(1, VOCAB_SIZE, (batch_size, MAX_LEN))
        tags = torch.randint(0, TAGSET_SIZE, (batch_size, MAX_LEN))
        yield words, tags


model = LSTMTagger(EMBEDDING_DIM, HIDDEN_DIM, VOCAB_SIZE, TAGSET_SIZE)
loss_function = nn.CrossEntropyLoss()
optimizer = optim.SGD(model.parameters(), lr=0.1)

for epoch in range(2):
    total = 0.0
    for words, tags in batches(10, 32):
        model.zero_grad()
        tag_scores = model(words)
        loss = loss_function(tag_scores, tags)
        loss.backward()
        optimizer.step()
        total += loss.item()
    print("epoch %d, loss %.3f" % (epoch, total / 10))
