"""peft: LoRA, DoRA and IA3 on a small language model; saved, loaded and merged."""

import tempfile

from peft import IA3Config, LoraConfig, PeftModel, get_peft_model
from transformers import GPT2Config, GPT2LMHeadModel

import torch


def base():
    torch.manual_seed(0)
    return GPT2LMHeadModel(
        GPT2Config(n_embd=32, n_layer=2, n_head=4, vocab_size=99, n_positions=64, bos_token_id=1, eos_token_id=2)
    )


tokens = torch.randint(3, 90, (2, 12), generator=torch.Generator().manual_seed(0))
for name, config in (
    ("lora", LoraConfig(r=4, lora_alpha=8, target_modules=["c_attn"], fan_in_fan_out=True, task_type="CAUSAL_LM")),
    ("dora", LoraConfig(r=4, use_dora=True, target_modules=["c_attn"], fan_in_fan_out=True, task_type="CAUSAL_LM")),
    ("ia3", IA3Config(target_modules=["c_attn"], feedforward_modules=[], fan_in_fan_out=True, task_type="CAUSAL_LM")),
):
    model = get_peft_model(base(), config).train(False)
    optimizer = torch.optim.AdamW([p for p in model.parameters() if p.requires_grad], lr=1e-2)
    losses = []
    for _ in range(3):
        loss = model(input_ids=tokens, labels=tokens).loss
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        losses.append(loss.item())
    trained, total = model.get_nb_trainable_parameters()
    with tempfile.TemporaryDirectory() as folder:
        model.save_pretrained(folder)
        again = PeftModel.from_pretrained(base(), folder).eval()
        expected = model(input_ids=tokens).logits
        print(name, trained, total, *losses, (again(input_ids=tokens).logits - expected).abs().max().item() < 1e-5)
        merged = again.merge_and_unload()
        print(name, "merged", (merged(input_ids=tokens).logits - expected).abs().max().item() < 1e-4)
