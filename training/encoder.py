"""A BERT encoder in plain PyTorch, with the published weights of a small sentence encoder.

    python training/encoder.py ARTIFACT.jar DIR

Unpacks an encoder that a Java artifact of LangChain4j carries as ONNX to a folder with
`model.safetensors`, `config.json` and `vocab.txt`, which the other scripts take as `--encoder`.
"""

from __future__ import annotations

import json
import sys
import zipfile
from pathlib import Path

import torch
import torch.nn.functional as fn
from torch import Tensor, nn

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


class Attention(torch.autograd.Function):
    """Attention of several heads, for export: one operator of ONNX Runtime, where plain ones take
    twice as long."""

    @staticmethod
    def forward(ctx, q: Tensor, k: Tensor, v: Tensor, heads: int) -> Tensor:
        b, n, w = q.shape
        q, k, v = (x.view(b, n, heads, w // heads).transpose(1, 2) for x in (q, k, v))
        return fn.scaled_dot_product_attention(q, k, v).transpose(1, 2).reshape(b, n, w)

    @staticmethod
    def symbolic(g, q, k, v, heads: int):
        out = g.op("com.microsoft::MultiHeadAttention", q, k, v, num_heads_i=heads)
        out.setType(q.type())
        return out


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
        if torch.onnx.is_in_onnx_export():
            a = Attention.apply(*self.qkv(x).chunk(3, -1), self.heads)
        else:
            q, k, v = self.qkv(x).view(b, n, 3, self.heads, w // self.heads).permute(2, 0, 3, 1, 4)
            a = fn.scaled_dot_product_attention(q, k, v, attn_mask=mask)
            a = a.transpose(1, 2).reshape(b, n, w)
        a = self.out(a)
        x = self.norm1(x + self.drop1(a))
        h = self.down(fn.gelu(self.up(x)))
        return self.norm2(x + self.drop2(h))


class Encoder(nn.Module):
    """Word pieces (batch, n) to vectors (batch, n, 384)."""

    def __init__(
        self, config: dict, dropout: float = 0.1, frozen: int = 3, features_at: int | None = None
    ) -> None:
        """`frozen`: how many of the lowest layers keep their published weights. `features_at`: the
        layer, counted from 0, whose input takes what is known of each word; the first that is
        trained by default."""
        super().__init__()
        w = config["hidden_size"]
        self.width, self.frozen = w, frozen
        self.features_at = frozen if features_at is None else features_at
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
        """The trained layers, on the frozen ones' output and what is known of each word."""
        mask = self.mask(x.shape[1], lengths)
        for k in range(self.frozen, len(self.layers)):
            if k == self.features_at:
                x = self.drop(x + extra)
            x = self.layers[k](x, mask)
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


def pretrained(
    folder: Path,
    layers: int = 0,
    frozen: int = 3,
    dropout: float = 0.1,
    features_at: int | None = None,
) -> Encoder:
    """The encoder with its published weights, from a folder.

    `layers`: how many of its layers to take, from below (0: all). `frozen`, `features_at`: see
    :class:`Encoder`.
    """
    from safetensors.torch import load_file

    config = json.loads((folder / "config.json").read_text())
    if layers:
        config["num_hidden_layers"] = layers
    raw = {k.removeprefix("bert."): v for k, v in load_file(folder / "model.safetensors").items()}
    e = Encoder(config, dropout, frozen, features_at)
    state = {
        own: torch.cat([raw[n] for n in names]) if len(names) > 1 else raw[names[0]]
        for own, names in _published(len(e.layers)).items()
    }
    state["kind"] = state["kind"][0]
    e.load_state_dict(state)
    e.freeze()
    return e


def _published(layers: int) -> dict[str, list[str]]:
    """Our names of the weights, and those that they are made of in a published BERT."""
    names = {
        "words.weight": ["embeddings.word_embeddings.weight"],
        "places.weight": ["embeddings.position_embeddings.weight"],
        "kind": ["embeddings.token_type_embeddings.weight"],
        "norm.weight": ["embeddings.LayerNorm.weight"],
        "norm.bias": ["embeddings.LayerNorm.bias"],
    }
    parts = {
        "qkv": [f"attention.self.{n}" for n in ("query", "key", "value")],
        "out": ["attention.output.dense"],
        "norm1": ["attention.output.LayerNorm"],
        "up": ["intermediate.dense"],
        "down": ["output.dense"],
        "norm2": ["output.LayerNorm"],
    }
    for i in range(layers):
        for own, theirs in parts.items():
            for k in ("weight", "bias"):
                names[f"layers.{i}.{own}.{k}"] = [f"encoder.layer.{i}.{n}.{k}" for n in theirs]
    return names


def store(encoder: Encoder, folder: Path, out: Path) -> None:
    """Write an encoder that came from `folder` as a folder that :func:`pretrained` reads."""
    from safetensors.torch import save_file

    state = dict(encoder.state_dict())
    state["kind"] = state["kind"].expand(2, -1)
    raw = {}
    for own, names in _published(len(encoder.layers)).items():
        raw |= zip(names, state[own].chunk(len(names)), strict=True)
    config = json.loads((folder / "config.json").read_text())
    config["num_hidden_layers"] = len(encoder.layers)
    out.mkdir(parents=True, exist_ok=True)
    save_file({k: v.contiguous().clone() for k, v in raw.items()}, str(out / "model.safetensors"))
    (out / "config.json").write_text(json.dumps(config, indent=1) + "\n")
    (out / "vocab.txt").write_bytes((folder / "vocab.txt").read_bytes())


def unpack(artifact: Path, folder: Path) -> None:
    """Write the encoder that the artifact holds as ONNX into a folder, with its vocabulary."""
    import onnx
    from onnx import numpy_helper
    from safetensors.numpy import save_file

    with zipfile.ZipFile(artifact) as z:
        (model,) = (n for n in z.namelist() if n.endswith(".onnx"))
        (tokenizer,) = (n for n in z.namelist() if n.endswith("tokenizer.json"))
        graph = onnx.load_model_from_string(z.read(model)).graph
        vocabulary = json.loads(z.read(tokenizer))["model"]["vocab"]
    weights = {t.name: numpy_helper.to_array(t) for t in graph.initializer}
    state = {k: v for k, v in weights.items() if v.dtype == "float32" and v.ndim and ":" not in k}
    for node in graph.node:
        # the export keeps matrices without their names, transposed; the node says whose it is
        nameless = [i for i in node.input if i.startswith("onnx::")]
        if node.op_type == "MatMul" and nameless:
            name = node.name.strip("/").removesuffix("/MatMul").replace("/", ".")
            state[name + ".weight"] = weights[nameless[0]].T.copy()
    layers = {k.split(".")[2] for k in state if k.startswith("encoder.layer.")}
    words = state["embeddings.word_embeddings.weight"]
    config = {
        "hidden_size": words.shape[1],
        "vocab_size": words.shape[0],
        "max_position_embeddings": len(state["embeddings.position_embeddings.weight"]),
        "num_attention_heads": words.shape[1] // 32,
        "num_hidden_layers": len(layers),
        "intermediate_size": len(state["encoder.layer.0.intermediate.dense.bias"]),
    }
    folder.mkdir(parents=True, exist_ok=True)
    save_file({k: v.copy() for k, v in state.items()}, str(folder / "model.safetensors"))
    (folder / "config.json").write_text(json.dumps(config, indent=1) + "\n")
    rows = sorted(vocabulary, key=vocabulary.__getitem__)
    (folder / "vocab.txt").write_text("\n".join(rows) + "\n", encoding="utf-8")


if __name__ == "__main__":
    unpack(Path(sys.argv[1]), Path(sys.argv[2]))
