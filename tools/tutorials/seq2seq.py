"""Translation with a recurrent network and attention, on a few sentences."""

import random

import torch
import torch.nn as nn
import torch.nn.functional as F
from torch import optim
from torch.utils.data import DataLoader, RandomSampler, TensorDataset

SOS_token, EOS_token, MAX_LENGTH = 0, 1, 8
pairs = [("je suis froid", "i am cold"), ("il est grand", "he is tall"), ("elle est ici", "she is here"),
         ("nous sommes seuls", "we are alone"), ("tu es jeune", "you are young"), ("je suis ici", "i am here"),
         ("il est seul", "he is alone"), ("elle est jeune", "she is young")]  # fmt: skip
random.seed(0)
torch.manual_seed(0)


class Lang:
    def __init__(self):
        self.word2index, self.index2word, self.n_words = {}, {0: "SOS", 1: "EOS"}, 2

    def addSentence(self, sentence):
        for word in sentence.split(" "):
            if word not in self.word2index:
                self.word2index[word] = self.n_words
                self.index2word[self.n_words] = word
                self.n_words += 1


class EncoderRNN(nn.Module):
    def __init__(self, input_size, hidden_size):
        super().__init__()
        self.embedding = nn.Embedding(input_size, hidden_size)
        self.gru = nn.GRU(hidden_size, hidden_size, batch_first=True)

    def forward(self, input):
        output, hidden = self.gru(self.embedding(input))
        return output, hidden


class BahdanauAttention(nn.Module):
    def __init__(self, hidden_size):
        super().__init__()
        self.Wa, self.Ua, self.Va = (
            nn.Linear(hidden_size, hidden_size),
            nn.Linear(hidden_size, hidden_size),
            nn.Linear(hidden_size, 1),
        )

    def forward(self, query, keys):
        scores = self.Va(torch.tanh(self.Wa(query) + self.Ua(keys)))
        scores = scores.squeeze(2).unsqueeze(1)
        weights = F.softmax(scores, dim=-1)
        return torch.bmm(weights, keys), weights


class AttnDecoderRNN(nn.Module):
    def __init__(self, hidden_size, output_size):
        super().__init__()
        self.embedding = nn.Embedding(output_size, hidden_size)
        self.attention = BahdanauAttention(hidden_size)
        self.gru = nn.GRU(2 * hidden_size, hidden_size, batch_first=True)
        self.out = nn.Linear(hidden_size, output_size)

    def forward(self, encoder_outputs, encoder_hidden, target_tensor=None):
        decoder_input = torch.empty(encoder_outputs.size(0), 1, dtype=torch.long).fill_(SOS_token)
        decoder_hidden, decoder_outputs, attentions = encoder_hidden, [], []
        for i in range(MAX_LENGTH):
            embedded = self.embedding(decoder_input)
            context, attn_weights = self.attention(decoder_hidden.permute(1, 0, 2), encoder_outputs)
            output, decoder_hidden = self.gru(torch.cat((embedded, context), dim=2), decoder_hidden)
            output = self.out(output)
            decoder_outputs.append(output)
            attentions.append(attn_weights)
            if target_tensor is not None:
                decoder_input = target_tensor[:, i].unsqueeze(1)
            else:
                _, topi = output.topk(1)
                decoder_input = topi.squeeze(-1).detach()
        return F.log_softmax(torch.cat(decoder_outputs, dim=1), dim=-1), decoder_hidden, torch.cat(attentions, dim=1)


lang_in, lang_out = Lang(), Lang()
for source, target in pairs:
    lang_in.addSentence(source)
    lang_out.addSentence(target)
ids = torch.zeros(2, len(pairs), MAX_LENGTH, dtype=torch.long)
for k, pair in enumerate(pairs):
    for side, (lang, sentence) in enumerate(zip((lang_in, lang_out), pair)):
        words = [lang.word2index[word] for word in sentence.split(" ")] + [EOS_token]
        ids[side, k, : len(words)] = torch.tensor(words)
data = TensorDataset(ids[0], ids[1])
loader = DataLoader(data, sampler=RandomSampler(data), batch_size=4)
encoder, decoder = EncoderRNN(lang_in.n_words, 16), AttnDecoderRNN(16, lang_out.n_words)
encoder_optimizer, decoder_optimizer = optim.Adam(encoder.parameters(), lr=0.01), optim.Adam(decoder.parameters(), lr=0.01)
criterion = nn.NLLLoss()
for epoch in range(1, 13):
    total_loss = 0
    for input_tensor, target_tensor in loader:
        encoder_optimizer.zero_grad()
        decoder_optimizer.zero_grad()
        encoder_outputs, encoder_hidden = encoder(input_tensor)
        decoder_outputs, _, _ = decoder(encoder_outputs, encoder_hidden, target_tensor)
        loss = criterion(decoder_outputs.view(-1, decoder_outputs.size(-1)), target_tensor.view(-1))
        loss.backward()
        encoder_optimizer.step()
        decoder_optimizer.step()
        total_loss += loss.item()
    if epoch % 3 == 0:
        print(f"{epoch} {total_loss / len(loader):.4f}")
with torch.no_grad():
    outputs, _, attentions = decoder(*encoder(ids[0, :1]))
    words = [lang_out.index2word[int(word)] for word in outputs.topk(1)[1].squeeze()]
print(" ".join(words), attentions.shape, attentions[0, 0, :4])
