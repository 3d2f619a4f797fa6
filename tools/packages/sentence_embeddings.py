"""sentence-transformers: a transformer with pooling and a loss, from a configuration with random weights."""

from sentence_transformers import util
from sentence_transformers.models import Dense, Normalize, Pooling

import torch

torch.manual_seed(0)
pooling = Pooling(16, pooling_mode="mean")
features = {"token_embeddings": torch.randn(3, 5, 16), "attention_mask": torch.tensor([[1, 1, 1, 0, 0]] * 3)}
for module in (pooling, Dense(16, 8), Normalize()):
    features = module(features)
embeddings = features["sentence_embedding"]
print("embeddings", embeddings.sum().item(), util.cos_sim(embeddings, embeddings).sum().item())
print("search", [hit["corpus_id"] for hit in util.semantic_search(embeddings[:1], embeddings, top_k=3)[0]])
