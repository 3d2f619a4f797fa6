"""transformers: models from a configuration with random weights: forward, loss, backward, and generation with a cache."""

from transformers import (
    BertConfig,
    BertForMaskedLM,
    GPT2Config,
    GPT2LMHeadModel,
    LlamaConfig,
    LlamaForCausalLM,
    MixtralConfig,
    MixtralForCausalLM,
    T5Config,
    T5ForConditionalGeneration,
    ViTConfig,
    ViTForImageClassification,
    WhisperConfig,
    WhisperForConditionalGeneration,
)

import torch


def train(name, model, **inputs):
    model.train(False)
    optimizer = torch.optim.AdamW(model.parameters(), lr=1e-3)
    losses = []
    for _ in range(3):
        loss = model(**inputs).loss
        optimizer.zero_grad()
        loss.backward()
        norm = torch.nn.utils.clip_grad_norm_(model.parameters(), 1.0)
        optimizer.step()
        losses.append(loss.item())
    print(name, *losses, norm.item())


torch.manual_seed(0)
tokens = torch.randint(3, 90, (2, 12))
mask = torch.ones_like(tokens)
mask[1, 8:] = 0
small = {"hidden_size": 32, "num_hidden_layers": 2, "num_attention_heads": 4, "intermediate_size": 64, "vocab_size": 99}
train("bert", BertForMaskedLM(BertConfig(**small)), input_ids=tokens, attention_mask=mask, labels=tokens)
gpt2 = GPT2LMHeadModel(GPT2Config(n_embd=32, n_layer=2, n_head=4, vocab_size=99, n_positions=64, bos_token_id=1, eos_token_id=2))
train("gpt2", gpt2, input_ids=tokens, attention_mask=mask, labels=tokens)
print("gpt2 greedy", gpt2.generate(tokens[:1], max_new_tokens=8, do_sample=False, pad_token_id=0)[0, 12:].tolist())
torch.manual_seed(1)
print("gpt2 sample", gpt2.generate(tokens[:1], max_new_tokens=8, do_sample=True, top_k=20, pad_token_id=0)[0, 12:].tolist())
print("gpt2 beams", gpt2.generate(tokens[:1], max_new_tokens=8, num_beams=3, pad_token_id=0)[0, 12:].tolist())
llama = LlamaForCausalLM(LlamaConfig(**small, num_key_value_heads=2, max_position_embeddings=64))
train("llama", llama, input_ids=tokens, attention_mask=mask, labels=tokens)
left = torch.cat([torch.zeros(1, 3, dtype=torch.long), torch.ones(1, 9, dtype=torch.long)], 1)
print("llama greedy", llama.generate(tokens[:1], attention_mask=left, max_new_tokens=8, do_sample=False)[0, 12:].tolist())
mixtral = MixtralForCausalLM(MixtralConfig(**small, num_key_value_heads=2, num_local_experts=4, max_position_embeddings=64))
train("mixtral", mixtral, input_ids=tokens, attention_mask=mask, labels=tokens)
t5 = T5ForConditionalGeneration(
    T5Config(d_model=32, d_kv=8, d_ff=64, num_layers=2, num_heads=4, vocab_size=99, decoder_start_token_id=0)
)
train("t5", t5, input_ids=tokens, attention_mask=mask, labels=tokens[:, :6].contiguous())
print("t5 greedy", t5.generate(tokens[:1], max_new_tokens=6)[0].tolist())
vision = {"hidden_size": 32, "num_hidden_layers": 2, "num_attention_heads": 4, "intermediate_size": 64, "num_labels": 5}
vit = ViTForImageClassification(ViTConfig(**vision, image_size=32, patch_size=8))
train("vit", vit, pixel_values=torch.randn(2, 3, 32, 32), labels=torch.tensor([1, 3]))
speech = WhisperConfig(
    d_model=32, encoder_layers=2, decoder_layers=2, encoder_attention_heads=4, decoder_attention_heads=4, encoder_ffn_dim=64,
    decoder_ffn_dim=64, vocab_size=99, num_mel_bins=8, max_source_positions=20, max_target_positions=20, pad_token_id=0,
    bos_token_id=1, eos_token_id=2, decoder_start_token_id=1, suppress_tokens=None, begin_suppress_tokens=None,
)  # fmt: skip
train("whisper", WhisperForConditionalGeneration(speech), input_features=torch.randn(2, 8, 40), labels=tokens[:, :6].contiguous())
