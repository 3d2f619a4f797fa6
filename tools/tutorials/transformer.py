"""A language model with nn.Transformer: positions, masks, padding, greedy decoding."""

import math

import torch
import torch.nn as nn

torch.manual_seed(0)


class PositionalEncoding(nn.Module):
    def __init__(self, d_model, max_len=64):
        super().__init__()
        position = torch.arange(max_len).unsqueeze(1)
        div_term = torch.exp(torch.arange(0, d_model, 2) * (-math.log(10000.0) / d_model))
        pe = torch.zeros(max_len, 1, d_model)
        pe[:, 0, 0::2] = torch.sin(position * div_term)
        pe[:, 0, 1::2] = torch.cos(position * div_term)
        self.register_buffer("pe", pe)

    def forward(self, x):
        return x + self.pe[: x.size(0)]


class TransformerModel(nn.Module):
    def __init__(self, ntoken, d_model, nhead, d_hid, nlayers):
        super().__init__()
        self.d_model = d_model
        self.pos_encoder = PositionalEncoding(d_model)
        self.transformer_encoder = nn.TransformerEncoder(nn.TransformerEncoderLayer(d_model, nhead, d_hid, dropout=0.0), nlayers)
        self.embedding = nn.Embedding(ntoken, d_model)
        self.linear = nn.Linear(d_model, ntoken)

    def forward(self, src, src_mask=None):
        src = self.pos_encoder(self.embedding(src) * math.sqrt(self.d_model))
        if src_mask is None:
            src_mask = nn.Transformer.generate_square_subsequent_mask(len(src))
        return self.linear(self.transformer_encoder(src, src_mask))


text = torch.arange(200) * 7 % 20
data = text[: 200 // 10 * 10].view(10, -1).t().contiguous()
model = TransformerModel(20, 16, 2, 32, 2)
criterion = nn.CrossEntropyLoss()
optimizer = torch.optim.SGD(model.parameters(), lr=0.5)
scheduler = torch.optim.lr_scheduler.StepLR(optimizer, 1.0, gamma=0.95)
for epoch in range(6):
    for i in range(0, data.size(0) - 1, 5):
        seq_len = min(5, len(data) - 1 - i)
        source, target = data[i : i + seq_len], data[i + 1 : i + 1 + seq_len].reshape(-1)
        loss = criterion(model(source).view(-1, 20), target)
        optimizer.zero_grad()
        loss.backward()
        torch.nn.utils.clip_grad_norm_(model.parameters(), 0.5)
        optimizer.step()
    scheduler.step()
    print(epoch, f"{loss.item():5.3f} ppl {math.exp(loss.item()):8.3f}", scheduler.get_last_lr())

seq2seq = nn.Transformer(16, 2, 2, 2, 32, dropout=0.0, batch_first=True)
src, tgt = torch.randn(3, 6, 16), torch.randn(3, 4, 16)
padding = torch.tensor([[False] * 6, [False] * 4 + [True] * 2, [False] * 3 + [True] * 3])
mask = nn.Transformer.generate_square_subsequent_mask(4)
out = seq2seq(src, tgt, tgt_mask=mask, src_key_padding_mask=padding, memory_key_padding_mask=padding)
print(out.shape, out.sum().item(), out.std().item())
seq2seq.eval()
with torch.no_grad():
    print(
        (seq2seq(src, tgt, tgt_mask=mask, src_key_padding_mask=padding, memory_key_padding_mask=padding) - out).abs().max() < 1e-5
    )
    ys = torch.zeros(1, 1, dtype=torch.long)
    for _ in range(5):
        ys = torch.cat([ys, model.eval()(ys)[-1].argmax(-1, keepdim=True).view(1, 1)])
print(ys.flatten())
attention = nn.MultiheadAttention(16, 4, batch_first=True)
result, weights = attention(src, src, src, key_padding_mask=padding, average_attn_weights=False)
print(result.mean(), weights.shape, weights[1, 0, 0])
