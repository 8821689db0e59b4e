"""Small models with random weights and their tokenizers, made on the spot: no network."""

from __future__ import annotations

from pathlib import Path
from typing import Any

MARKERS = ["<|bos|>", "<|eot|>", "<|im_start|>", "<|im_end|>", "[INST]", "</s>", "<pad>"]
HIDDEN_MARKER = "<think>"
"""A marker that the tokenizer does not count as special, as reasoning models have them."""
TEXTS = [
    "The reviewer praises the clear motivation and the careful experiments on frogs.",
    "The reviewer objects that the baseline is weak and the ablation is missing.",
    "The reviewer asks why the third layer was removed from the network.",
    "The reviewer proposes a comparison with manual counts in heavy rain.",
    "A paper was sent to two reviewers. We count frogs in ponds from sound alone.",
]
TEMPLATE = (
    "<|bos|>{% for turn in messages %}<|im_start|>{{ turn.role }}\n{{ turn.content | trim }}"
    "<|im_end|>\n{% endfor %}{% if add_generation_prompt %}<|im_start|>assistant\n{% endif %}"
)


def tokenizer(
    *, template: str | None = TEMPLATE, adds_bos: bool = False, adds_eos: bool = False
) -> Any:
    """A byte-level BPE tokenizer of some 400 tokens with markers and a chat template."""
    from tokenizers import Tokenizer, decoders, models, pre_tokenizers, processors, trainers
    from transformers import PreTrainedTokenizerFast

    made = Tokenizer(models.BPE())
    made.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False)
    made.decoder = decoders.ByteLevel()
    made.train_from_iterator(
        TEXTS,
        trainers.BpeTrainer(
            vocab_size=400,
            special_tokens=MARKERS,
            initial_alphabet=pre_tokenizers.ByteLevel.alphabet(),
            show_progress=False,
        ),
    )
    if adds_bos:
        made.post_processor = processors.TemplateProcessing(
            single="<|bos|> $A <|eot|>" if adds_eos else "<|bos|> $A",
            special_tokens=[("<|bos|>", 0), ("<|eot|>", 1)],
        )
    fast = PreTrainedTokenizerFast(
        tokenizer_object=made, bos_token="<|bos|>", eos_token="<|eot|>", pad_token="<pad>",
        additional_special_tokens=MARKERS[2:6],
    )  # fmt: skip
    fast.add_tokens([HIDDEN_MARKER])
    fast.chat_template = template
    return fast


def causal(folder: Path, *, limit: int = 512, size: int = 32, **of_tokenizer: Any) -> Path:
    """Save a causal model and its tokenizer into a folder.

    Args:
        folder: Where.
        limit: Most tokens it reads.
        size: Width of its layers.
        of_tokenizer: Passed on to `tokenizer`.
    """
    from transformers import LlamaConfig, LlamaForCausalLM

    words = tokenizer(**of_tokenizer)
    _prepare()
    config = LlamaConfig(
        vocab_size=len(words), hidden_size=size, intermediate_size=2 * size, num_hidden_layers=2,
        num_attention_heads=4, num_key_value_heads=2, max_position_embeddings=limit,
        initializer_range=0.2, bos_token_id=0, eos_token_id=1, pad_token_id=6,
    )  # fmt: skip
    LlamaForCausalLM(config).save_pretrained(folder)
    words.save_pretrained(folder)
    return folder


def of_family(family: str) -> Any:
    """A causal model of another family; those with a window see 40 tokens back in some layers."""
    import transformers

    _prepare()
    words = tokenizer()
    settings = {
        "vocab_size": len(words), "hidden_size": 32, "num_hidden_layers": 2,
        "max_position_embeddings": 512, "initializer_range": 0.2, "bos_token_id": 0,
        "eos_token_id": 1, "pad_token_id": 6,
    }  # fmt: skip
    heads = {"num_attention_heads": 4, "num_key_value_heads": 2, "head_dim": 8,
             "intermediate_size": 64, "sliding_window": 40}  # fmt: skip
    if family in ("Gemma3Text", "Mistral"):
        settings |= heads
    if family == "GPT2":
        settings["num_attention_heads"] = 4
    config = getattr(transformers, f"{family}Config")(**settings)
    return transformers.AutoModelForCausalLM.from_config(config).eval()


def seq2seq(folder: Path, *, limit: int = 128) -> Path:
    """Save a BART-like model whose tokenizer puts tokens around each text."""
    from transformers import BartConfig, BartForConditionalGeneration

    words = tokenizer(template=None, adds_bos=True, adds_eos=True)
    _prepare()
    config = BartConfig(
        vocab_size=len(words), d_model=16, encoder_layers=1, decoder_layers=1,
        encoder_attention_heads=2, decoder_attention_heads=2, encoder_ffn_dim=32,
        decoder_ffn_dim=32, max_position_embeddings=limit, init_std=0.5, bos_token_id=0,
        eos_token_id=1, pad_token_id=6, decoder_start_token_id=1, forced_eos_token_id=1,
    )  # fmt: skip
    BartForConditionalGeneration(config).save_pretrained(folder)
    words.save_pretrained(folder)
    return folder


def encoder(folder: Path, *, limit: int = 64) -> Path:
    """Save a BERT-like encoder."""
    from transformers import BertConfig, BertModel

    words = tokenizer(template=None, adds_bos=True, adds_eos=True)
    words.model_max_length = limit
    _prepare()
    config = BertConfig(
        vocab_size=len(words), hidden_size=16, num_hidden_layers=2, num_attention_heads=2,
        intermediate_size=32, max_position_embeddings=limit, initializer_range=0.5, pad_token_id=6,
    )  # fmt: skip
    BertModel(config).save_pretrained(folder)
    words.save_pretrained(folder)
    return folder


def _prepare() -> None:
    """Weights that are the same each time, on one thread: so small a model waits for others."""
    import torch

    torch.manual_seed(1)
    torch.set_num_threads(1)
