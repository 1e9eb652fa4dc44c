from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from kg.assemble.names import abbreviates, fold, is_acronym, is_coined, slug, spaced, unslug

SAME = [
    ("SQuAD", "squad"),
    ("Llama 3.1", "LLaMA-3.1"),
    ("Llama 3.1", "Llama3.1"),
    ("fine-tuning", "Fine Tuning"),
    ("fine-tuning", "finetuning"),
    ("MoEs", "MoE"),
    ("GNNs", "GNN"),
    ("Transformers", "Transformer"),
    ("diffusion models", "diffusion model"),
    ("ResNet-50", "ResNet50"),
    ("MS\u00a0MARCO", "MS MARCO"),
    ("Llama\u200b", "Llama"),
    ("\uff2c\uff4c\uff41\uff4d\uff41", "Llama"),
    ("cafe\u0301", "caf\u00e9"),
    ("Chain\u2010of\u2011Thought", "chain-of-thought"),
    ("\u201cReAct\u201d", "ReAct"),
    ("GLUE benchmark", "GLUE"),
    ("F1 score", "F1-scores"),
    ("beta-VAE", "β-VAE"),
    ("summarisation", "summarization"),
    ("queries", "query"),
    ("SQuAD v2.0", "SQuAD 2.0"),
    ("topic modelling", "topic modeling"),
    ("sequence labelling", "Sequence Labeling"),
]
DIFFERENT = [
    ("GPT-2", "GPT-3"),
    ("BERT-base", "BERT-large"),
    ("CIFAR-10", "CIFAR-100"),
    ("MNIST", "Fashion-MNIST"),
    ("LSTM", "BiLSTM"),
    ("ROUGE-1", "ROUGE-2"),
    ("ROUGE-1", "ROUGE-L"),
    ("Llama-3", "Llama-3-70B"),
    ("Llama-3", "Llama-37"),
    ("WMT14 En-De", "WMT14 En-Fr"),
    ("GSM8K", "GSM-Hard"),
    ("MMLU", "MMLU-Pro"),
    ("C", "C++"),
    ("VAE", "β-VAE"),
    ("diffusion model", "diffusion"),
    ("Pass@1", "Pass@10"),
    ("T5", "mT5"),
    ("bias", "bia"),
    ("GPT-4 1", "GPT-41"),
    ("CaMEL", "CaMeLS"),
    ("DINOv2", "DINO 2"),
]


@pytest.mark.parametrize(("a", "b"), SAME)
def test_spellings_of_one_name_fold_alike(a: str, b: str) -> None:
    assert fold(a) == fold(b)


@pytest.mark.parametrize(("a", "b"), DIFFERENT)
def test_versions_sizes_and_variants_stay_apart(a: str, b: str) -> None:
    assert fold(a) != fold(b)


@pytest.mark.parametrize(
    "word", ["supervised", "exercise", "promise", "compromised", "denoising", "pairwise", "premise"]
)
def test_words_that_are_not_british_stay(word: str) -> None:
    assert spaced(word) == word


def test_readable_form_keeps_words_apart() -> None:
    assert spaced("Chain of Thought") == "chain-of-thought"
    assert spaced("GPT-4 32k") == "gpt4-32k"


@given(st.text(max_size=40))
def test_folding_is_total_and_stable(name: str) -> None:
    assert fold(name) == fold(name.strip())
    assert fold(spaced(name)) == fold(spaced(spaced(name)))
    assert all(c.isalnum() or c in "._+-" for c in slug(spaced(name)))


@given(st.text(max_size=12), st.text(max_size=12))
def test_slugs_of_different_forms_differ(a: str, b: str) -> None:
    assert a == b or slug(a) != slug(b)
    assert unslug(slug(a)) == a


@pytest.mark.parametrize(
    ("short", "long"),
    [
        ("RAG", "retrieval-augmented generation"),
        ("BERT", "Bidirectional Encoder Representations from Transformers"),
        ("MoEs", "Mixture of Experts"),
        ("LoRA", "Low-Rank Adaptation"),
        ("CoT", "Chain-of-Thought"),
        ("SQuAD", "Stanford Question Answering Dataset"),
    ],
)
def test_abbreviation_fits_its_expansion(short: str, long: str) -> None:
    assert abbreviates(short, long)


@pytest.mark.parametrize(
    ("short", "long"),
    [
        ("NMT", "machine translation"),
        ("QA", "extractive question answering"),
        ("VT", "Transformer"),
        ("IE", "IE"),
        ("A", "attention"),
    ],
)
def test_abbreviation_does_not_fit_another_name(short: str, long: str) -> None:
    assert not abbreviates(short, long)


def test_kinds_of_names() -> None:
    assert is_acronym("RAG")
    assert is_acronym("MoEs")
    assert not is_acronym("Transformer")
    assert is_coined("SQuAD")
    assert is_coined("T5")
    assert not is_coined("Question Answering")
