"""A BERT or MPNet encoder in plain PyTorch, with the published weights of a sentence encoder.

    python training/encoder.py ARTIFACT DIR

Unpacks an encoder to a folder with `model.safetensors`, `config.json` and `vocab.txt`, which the
other scripts take as `--encoder`. ARTIFACT is a Java artifact of LangChain4j, which carries the
encoder as ONNX, or a zip of the files of an MPNet, whose weights are put into BERT's order: its
vocabulary is BERT's, and what it has more is a bias of attention by the distance of two pieces.
"""

from __future__ import annotations

import json
import math
import sys
import zipfile
from pathlib import Path
from typing import Any

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

    def __init__(self, width: int, heads: int, inner: int, dropout: float, eps: float) -> None:
        super().__init__()
        self.heads = heads
        self.drop1, self.drop2 = CheapDropout(dropout), CheapDropout(dropout)
        self.qkv = nn.Linear(width, 3 * width)
        self.out = nn.Linear(width, width)
        self.norm1 = nn.LayerNorm(width, eps=eps)
        self.up = nn.Linear(width, inner)
        self.down = nn.Linear(inner, width)
        self.norm2 = nn.LayerNorm(width, eps=eps)

    def forward(self, x: Tensor, mask: Tensor | None) -> Tensor:
        b, n, w = x.shape
        if torch.onnx.is_in_onnx_export() and mask is None:
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
    """Word pieces (batch, n) to vectors (batch, n, width)."""

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
        eps, heads = config.get("layer_norm_eps", 1e-12), config["num_attention_heads"]
        self.norm = nn.LayerNorm(w, eps=eps)
        self.drop = CheapDropout(dropout)
        buckets = config.get("relative_attention_num_buckets")
        self.far = nn.Embedding(buckets, heads) if buckets else None
        self.layers = nn.ModuleList(
            Layer(w, heads, config["intermediate_size"], dropout, eps)
            for _ in range(config["num_hidden_layers"])
        )

    def mask(self, n: int, lengths: Tensor | None) -> Tensor | None:
        """What attention takes: where there are pieces, (batch, 1, 1, n), or, of an MPNet, its bias
        by distance there, (batch or 1, heads, n, n); None if neither is needed."""
        there = None
        if lengths is not None:
            there = (torch.arange(n)[None] < lengths[:, None])[:, None, None, :]
        if self.far is None:
            return there
        at = torch.arange(n)
        bias = self.far(distances(at[None] - at[:, None], self.far.num_embeddings))
        bias = bias.permute(2, 0, 1)[None]
        return bias if there is None else bias.masked_fill(~there, -1e4)

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
        if self.far is not None:
            self.far.requires_grad_(False)

    def train(self, mode: bool = True) -> Encoder:
        super().train(mode)
        for layer in self.layers[: self.frozen]:
            layer.eval()
        return self


def distances(steps: Tensor, buckets: int) -> Tensor:
    """Numbers of the buckets of steps to the right: half of them for steps to the left and none,
    half for those to the right; of each half the first half one step wide, the others wider and
    wider, up to 128 steps (Raffel et al. 2020, as MPNet has it)."""
    half = buckets // 2
    near = half // 2
    size = steps.abs()
    wide = near + (size.clamp(min=1) / near).log() / math.log(128 / near) * (half - near)
    number = torch.where(size < near, size, wide.long().clamp(max=half - 1))
    return number + (steps > 0) * half


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
        for own, names in _published(e).items()
    }
    state["kind"] = state["kind"][0]
    e.load_state_dict(state)
    e.freeze()
    return e


def _published(encoder: Encoder) -> dict[str, list[str]]:
    """Our names of the weights, and those that they are made of in a folder's file."""
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
    if encoder.far is not None:
        names["far.weight"] = ["encoder.relative_attention_bias.weight"]
    for i in range(len(encoder.layers)):
        for own, theirs in parts.items():
            for k in ("weight", "bias"):
                names[f"layers.{i}.{own}.{k}"] = [f"encoder.layer.{i}.{n}.{k}" for n in theirs]
    return names


def store(encoder: Encoder, folder: Path, out: Path) -> None:
    """Write an encoder that came from `folder` as a folder that :func:`pretrained` reads."""
    state = dict(encoder.state_dict())
    state["kind"] = state["kind"].expand(2, -1)
    raw = {}
    for own, names in _published(encoder).items():
        raw |= zip(names, (p.numpy() for p in state[own].chunk(len(names))), strict=True)
    config = json.loads((folder / "config.json").read_text())
    config["num_hidden_layers"] = len(encoder.layers)
    _write(out, raw, config, (folder / "vocab.txt").read_text(encoding="utf-8"))


def _write(folder: Path, weights: dict[str, Any], config: dict, vocabulary: str) -> None:
    from safetensors.numpy import save_file

    folder.mkdir(parents=True, exist_ok=True)
    save_file({k: v.copy() for k, v in weights.items()}, str(folder / "model.safetensors"))
    (folder / "config.json").write_text(json.dumps(config, indent=1) + "\n")
    (folder / "vocab.txt").write_text(vocabulary, encoding="utf-8")


def unpack(artifact: Path, folder: Path) -> None:
    """Write the encoder that the artifact holds into a folder, with its vocabulary."""
    with zipfile.ZipFile(artifact) as z:
        is_onnx = any(n.endswith(".onnx") for n in z.namelist())
        state, vocabulary, more = _of_onnx(z) if is_onnx else _of_mpnet(z)
    layers = {k.split(".")[2] for k in state if k.startswith("encoder.layer.")}
    words = state["embeddings.word_embeddings.weight"]
    config = {
        "hidden_size": words.shape[1],
        "vocab_size": words.shape[0],
        "max_position_embeddings": len(state["embeddings.position_embeddings.weight"]),
        "num_attention_heads": words.shape[1] // 32,
        "num_hidden_layers": len(layers),
        "intermediate_size": len(state["encoder.layer.0.intermediate.dense.bias"]),
        **more,
    }
    _write(folder, state, config, "\n".join(vocabulary) + "\n")


Unpacked = tuple[dict[str, Any], list[str], dict[str, Any]]
"""Weights by BERT's names, the vocabulary, and what else the configuration says."""


def _of_onnx(z: zipfile.ZipFile) -> Unpacked:
    import onnx
    from onnx import numpy_helper

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
    return state, sorted(vocabulary, key=vocabulary.__getitem__), {}


def _of_mpnet(z: zipfile.ZipFile) -> Unpacked:
    from safetensors.numpy import load

    (model,) = (n for n in z.namelist() if n.endswith("model.safetensors"))
    home = model.removesuffix("model.safetensors")
    config = json.loads(z.read(home + "config.json"))
    # four pieces of its own, those of BERT in BERT's order, and the mask
    begin, pad, end, _, *vocabulary, mask = z.read(home + "vocab.txt").decode("utf-8").split()
    if (begin, pad, end, mask) != ("<s>", "<pad>", "</s>", "<mask>"):
        raise SystemExit(f"{z.filename}: no vocabulary of an MPNet")
    state = {k: v for k, v in load(z.read(model)).items() if v.dtype == "float32"}
    words = state["embeddings.word_embeddings.weight"]
    rows = list(range(4, 4 + len(vocabulary)))
    for piece, row in (("[PAD]", 1), ("[CLS]", 0), ("[SEP]", 2), ("[MASK]", len(words) - 1)):
        rows[vocabulary.index(piece)] = row
    state["embeddings.word_embeddings.weight"] = words[rows]
    places = state["embeddings.position_embeddings.weight"]
    state["embeddings.position_embeddings.weight"] = places[2:]  # it counts from 2
    state["embeddings.token_type_embeddings.weight"] = 0 * words[:2]
    new = {"attn.q": "self.query", "attn.k": "self.key", "attn.v": "self.value"}
    new |= {"attn.o": "output.dense", "LayerNorm": "output.LayerNorm"}
    for name in [k for k in state if ".attention." in k]:
        old = name.partition(".attention.")[2].rpartition(".")[0]
        state[name.replace(old, new[old])] = state.pop(name)
    kept = ("num_attention_heads", "layer_norm_eps", "relative_attention_num_buckets")
    return state, vocabulary, {k: config[k] for k in kept}


if __name__ == "__main__":
    unpack(Path(sys.argv[1]), Path(sys.argv[2]))
