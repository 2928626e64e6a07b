"""Programs that fine-tune published models: from texts to the loss that the program overrides."""

from __future__ import annotations

from looking import seen, violated

from mlvet.frontends.python.program import interpret_text

OWN_CLASS = """
import torch
from transformers import BertConfig, BertModel, PreTrainedModel

class Tagger(PreTrainedModel):
    config_class = BertConfig
    def __init__(self, config):
        super().__init__(config)
        self.bert = BertModel(config)
        self.out = torch.nn.Linear({width}, 4)
    def forward(self, ids):
        return self.out(self.bert(ids)[0])

tags = Tagger.from_pretrained("bert-base-uncased")(torch.zeros(2, 7, dtype=torch.long))
"""
TRAINING = """
from datasets import load_dataset
from torch import nn
from transformers import AutoModelForSequenceClassification, AutoTokenizer, Trainer, TrainingArguments

tokenizer = AutoTokenizer.from_pretrained("distilbert-base-uncased")
data = load_dataset("imdb").map(lambda rows: tokenizer(rows["text"], truncation=True), batched=True)
model = AutoModelForSequenceClassification.from_pretrained("distilbert-base-uncased", num_labels=5)

class Weighted(Trainer):
    def compute_loss(self, model, inputs, return_outputs=False):
        labels = inputs["labels"]
        logits = model(**inputs).logits
        return nn.CrossEntropyLoss()(logits.view(-1, 5), labels)

Weighted(model, TrainingArguments("out"), train_dataset=data["train"], tokenizer=tokenizer).train()
"""


def test_a_class_of_the_program_is_made_of_a_published_model() -> None:
    found = interpret_text(OWN_CLASS.format(width="config.hidden_size"))
    assert seen(found, "tags") == "f32[2, 7, 4]"
    assert violated(found) == []


def test_a_layer_that_does_not_fit_the_published_model_is_a_violation() -> None:
    assert violated(interpret_text(OWN_CLASS.format(width=512))) != []


def test_the_loss_that_a_program_overrides_sees_a_batch_of_the_data() -> None:
    found = interpret_text(TRAINING)
    assert seen(found, "labels") == "i64[batch]"
    assert seen(found, "logits") == "f32[batch, 5]"
    assert violated(found) == []
