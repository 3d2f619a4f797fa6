"""transformers.Trainer: a short run with evaluation and a checkpoint."""

import tempfile

from transformers import BertConfig, BertForSequenceClassification, PrinterCallback, Trainer, TrainingArguments

import torch

torch.manual_seed(0)
config = BertConfig(hidden_size=32, num_hidden_layers=1, num_attention_heads=2, intermediate_size=64, vocab_size=50, num_labels=3)
data = [{"input_ids": torch.randint(3, 50, (8,)), "labels": torch.tensor(k % 3)} for k in range(24)]
with tempfile.TemporaryDirectory() as folder:
    arguments = TrainingArguments(
        output_dir=folder, per_device_train_batch_size=4, num_train_epochs=2, logging_steps=3, report_to=[], seed=3, use_cpu=True,
        save_strategy="epoch", disable_tqdm=True,
    )  # fmt: skip
    trainer = Trainer(model=BertForSequenceClassification(config), args=arguments, train_dataset=data, eval_dataset=data[:8])
    trainer.remove_callback(PrinterCallback)  # prints times
    result = trainer.train()
    print("losses", *(entry["loss"] for entry in trainer.state.log_history if "loss" in entry))
    print("train", result.training_loss, trainer.evaluate()["eval_loss"], result.global_step)
