"""Names, letter by letter: a recurrent network that names their language, and one that writes new ones."""

import string
import unicodedata

import torch
import torch.nn as nn

torch.manual_seed(0)
all_letters = string.ascii_letters + " .,;'-"
n_letters = len(all_letters) + 1
names = {"Irish": ["O'Neal", "Kavanagh", "Ó Briain", "Brady"], "Italian": ["Rossi", "Bianchi", "Esposito", "Ricci"],
         "Polish": ["Nowak", "Wójcik", "Kowalczyk", "Zieliński"]}  # fmt: skip
categories = list(names)


def unicodeToAscii(s):
    return "".join(c for c in unicodedata.normalize("NFD", s) if unicodedata.category(c) != "Mn" and c in all_letters)


print(unicodeToAscii("Ślusàrski"))


def lineToTensor(line):
    tensor = torch.zeros(len(line), 1, n_letters)
    for li, letter in enumerate(line):
        tensor[li][0][all_letters.find(letter)] = 1
    return tensor


class RNN(nn.Module):
    def __init__(self, input_size, hidden_size, output_size):
        super().__init__()
        self.hidden_size = hidden_size
        self.i2h = nn.Linear(input_size, hidden_size)
        self.h2h = nn.Linear(hidden_size, hidden_size)
        self.h2o = nn.Linear(hidden_size, output_size)
        self.softmax = nn.LogSoftmax(dim=1)

    def forward(self, input, hidden):
        hidden = torch.tanh(self.i2h(input) + self.h2h(hidden))
        return self.softmax(self.h2o(hidden)), hidden


rnn = RNN(n_letters, 32, 3)
criterion = nn.NLLLoss()
for epoch in range(6):
    total = 0
    for index, category in enumerate(categories):
        for name in names[category]:
            line_tensor, hidden = lineToTensor(unicodeToAscii(name)), torch.zeros(1, 32)
            rnn.zero_grad()
            for i in range(line_tensor.size(0)):
                output, hidden = rnn(line_tensor[i], hidden)
            loss = criterion(output, torch.tensor([index]))
            loss.backward()
            nn.utils.clip_grad_norm_(rnn.parameters(), 3)
            for p in rnn.parameters():
                p.data.add_(p.grad.data, alpha=-0.05)
            total += loss.item()
    print(epoch, total / 12)
print(output, [categories[int(k)] for k in output.topk(2)[1][0]])

packed = nn.utils.rnn.pack_sequence([lineToTensor(unicodeToAscii(n)).squeeze(1) for n in names["Polish"]], enforce_sorted=False)
lstm = nn.LSTM(n_letters, 16, num_layers=2, bidirectional=True)
out, (h, c) = lstm(packed)
padded, lengths = nn.utils.rnn.pad_packed_sequence(out)
print(padded.shape, lengths, h.sum(), c.abs().sum())

writer = nn.GRU(n_letters, 32)
head = nn.Linear(32, n_letters)
optimizer = torch.optim.Adam([*writer.parameters(), *head.parameters()], lr=0.01)
for _ in range(30):
    loss = 0
    for name in names["Italian"]:
        line = lineToTensor(name)
        target = torch.tensor([all_letters.find(letter) for letter in name[1:]] + [n_letters - 1])
        loss = loss + nn.functional.cross_entropy(head(writer(line)[0].squeeze(1)), target)
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
print(loss.item())
with torch.no_grad():
    letter, hidden, written = "R", None, "R"
    while len(written) < 12:
        output, hidden = writer(lineToTensor(letter), hidden)
        k = int(head(output).argmax())
        if k == n_letters - 1:
            break
        letter = all_letters[k]
        written += letter
print(written)
