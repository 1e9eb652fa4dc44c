"""Make the files that ship from a training run.

    python training/export.py --run RUN --encoder DIR --to kg/extract/model/data
        [--settings settings.json] [--gold train.jsonl]

Writes reader.onnx (int8), heads.onnx (int8), vocab.txt, names.tsv.gz and model.json (settings and
the training record). `--exact` keeps 32-bit weights, to compare.
"""

from __future__ import annotations

import argparse
import gzip
import hashlib
import json
import shutil
import sys
import tempfile
from pathlib import Path

import torch
from torch import Tensor, nn

sys.path.insert(0, str(Path(__file__).parent.parent))
from data import gazetteer, load
from network import WORD, Heads, Reader
from train import Model, build

from kg.extract.model.features import FLAGS, SPAN_FEATURES, WIDTH
from kg.extract.model.nodes import PAIR_FEATURES

READER_INPUTS = ("ids", "home", "first", "pool", "hashes", "flags", "known")
HEAD_INPUTS = (
    "words",
    "start",
    "end",
    "node",
    "info",
    "kind",
    "near",
    "stand",
    "f_stand",
    "f_near",
)
HEAD_OUTPUTS = ("types", "introduced", "relations", "attention", "figures", "links")


class OneText(nn.Module):
    """The reader for a single text: no padding, no masks, no batch axis."""

    def __init__(self, reader: Reader) -> None:
        super().__init__()
        self.reader = reader

    def forward(
        self,
        ids: Tensor,
        home: Tensor,
        first: Tensor,
        pool: Tensor,
        hashes: Tensor,
        flags: Tensor,
        known: Tensor,
    ) -> tuple[Tensor, Tensor]:
        ones = flags[None, :, 0] * 0 + 1
        x, s = self.reader(
            ids[None],
            None,
            home[None],
            first[None],
            pool[None],
            hashes[None],
            flags[None],
            known[None],
            ones,
        )
        return x[0], s[0]


class OneGraph(nn.Module):
    """The heads for a single text."""

    def __init__(self, heads: Heads) -> None:
        super().__init__()
        self.heads = heads

    def forward(
        self,
        words: Tensor,
        start: Tensor,
        end: Tensor,
        node: Tensor,
        info: Tensor,
        kind: Tensor,
        near: Tensor,
        stand: Tensor,
        f_stand: Tensor,
        f_near: Tensor,
    ) -> tuple[Tensor, ...]:
        ones = words[None, :, 0] * 0 + 1
        out = self.heads(
            words[None],
            ones,
            start[None],
            end[None],
            node[None],
            info[None],
            kind[None],
            near[None],
            stand[None],
            f_stand[None],
            f_near[None],
        )
        return tuple(x[0] for x in out)


def to_onnx(model: Model, folder: Path) -> None:
    """Write reader.onnx and heads.onnx with 32-bit weights."""
    model.eval()
    p, n, m, e, f = 21, 15, 9, 5, 3
    reader_in = (
        torch.randint(0, 999, (p,)),
        torch.randint(0, n, (p,)),
        torch.randint(0, p, (n,)),
        torch.rand(n, p),
        torch.randint(0, 999, (n, 3)),
        torch.rand(n, FLAGS),
        torch.rand(n, WIDTH, SPAN_FEATURES),
    )
    torch.onnx.export(
        OneText(model.reader),
        reader_in,
        str(folder / "reader.onnx"),
        input_names=list(READER_INPUTS),
        output_names=["words", "spans"],
        opset_version=17,
        dynamo=False,
        dynamic_axes={
            "ids": {0: "p"},
            "home": {0: "p"},
            "first": {0: "n"},
            "pool": {0: "n", 1: "p"},
            "hashes": {0: "n"},
            "flags": {0: "n"},
            "known": {0: "n"},
            "words": {0: "n"},
            "spans": {0: "n"},
        },
    )
    node = torch.zeros(e + f, m)
    node[1:5, :4] = torch.eye(4)
    node[5:8, 4:7] = torch.eye(3)
    kind = torch.tensor([0] + [1] * (e - 1) + [2] * f)
    start = torch.randint(0, n, (m,))
    head_in = (
        torch.rand(n, WORD),
        start,
        torch.clamp(start + 1, max=n - 1),
        node,
        torch.rand(e + f, 11),
        kind,
        torch.randint(0, 26, (e, n)),
        torch.rand(e, e, PAIR_FEATURES),
        torch.rand(f, e, PAIR_FEATURES),
        torch.randint(0, 26, (f, e)),
    )
    torch.onnx.export(
        OneGraph(model.heads),
        head_in,
        str(folder / "heads.onnx"),
        input_names=list(HEAD_INPUTS),
        output_names=list(HEAD_OUTPUTS),
        opset_version=17,
        dynamo=False,
        dynamic_axes={
            "words": {0: "n"},
            "start": {0: "m"},
            "end": {0: "m"},
            "node": {0: "t", 1: "m"},
            "info": {0: "t"},
            "kind": {0: "t"},
            "near": {0: "e", 1: "n"},
            "stand": {0: "e", 1: "e"},
            "f_stand": {0: "f", 1: "e"},
            "f_near": {0: "f", 1: "e"},
            "types": {0: "e"},
            "introduced": {0: "e"},
            "relations": {0: "e", 1: "e"},
            "attention": {0: "e", 1: "e", 2: "n"},
            "figures": {0: "f"},
            "links": {0: "f", 1: "e1"},
        },
    )


def quantize(source: Path, to: Path) -> None:
    """Store weights as int8, per channel; activations are quantised as they come."""
    from onnxruntime.quantization import QuantType, quantize_dynamic
    from onnxruntime.quantization.shape_inference import quant_pre_process

    with tempfile.TemporaryDirectory() as t:
        ready = Path(t) / "ready.onnx"
        quant_pre_process(str(source), str(ready), skip_symbolic_shape=True)
        quantize_dynamic(
            str(ready),
            str(to),
            weight_type=QuantType.QInt8,
            per_channel=True,
            reduce_range=False,
            op_types_to_quantize=["MatMul", "Gather", "Gemm"],
            extra_options={"MatMulConstBOnly": True},
        )


def main() -> None:
    a = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    a.add_argument("--run", type=Path, required=True)
    a.add_argument("--encoder", type=Path, required=True, help="the folder that it began with")
    a.add_argument("--to", type=Path, required=True)
    a.add_argument("--settings", type=Path)
    a.add_argument("--gold", type=Path, help="count names in all of these papers, held out or not")
    a.add_argument("--exact", action="store_true")
    o = a.parse_args()
    o.to.mkdir(parents=True, exist_ok=True)
    record = json.loads((o.run / "record.json").read_text())
    made = record["settings"]
    features_at = int(made.get("features_at", made["frozen"]))
    model = build(o.encoder, int(made["layers"]), int(made["frozen"]), features_at)
    model.load_state_dict(torch.load(o.run / "average.pt", weights_only=True))
    with tempfile.TemporaryDirectory() as t:
        to_onnx(model, Path(t))
        for name in ("reader.onnx", "heads.onnx"):
            if o.exact:
                shutil.copyfile(Path(t) / name, o.to / name)
            else:
                quantize(Path(t) / name, o.to / name)
    shutil.copyfile(o.encoder / "vocab.txt", o.to / "vocab.txt")
    names = json.loads((o.run / "gazetteer.json").read_text())
    if o.gold:
        names = gazetteer(load(o.gold))[0]
    rows = "".join("\t".join([k, *map(str, v)]) + "\n" for k, v in sorted(names.items()))
    with (
        (o.to / "names.tsv.gz").open("wb") as raw,
        gzip.GzipFile(fileobj=raw, mode="wb", mtime=0, filename="") as g,
    ):
        g.write(rows.encode("utf-8"))
    settings = json.loads(o.settings.read_text()) if o.settings else {}
    files = ("reader.onnx", "heads.onnx", "vocab.txt", "names.tsv.gz")
    sums = {f: hashlib.sha256((o.to / f).read_bytes()).hexdigest() for f in files}
    version = hashlib.sha256(json.dumps([sums, settings], sort_keys=True).encode()).hexdigest()[:12]
    about: dict = {"format": 1, "version": version, "settings": settings, "files": sums}
    about["training"] = record
    if o.settings and o.settings.with_suffix(".record.json").is_file():
        about["tuning"] = json.loads(o.settings.with_suffix(".record.json").read_text())
    (o.to / "model.json").write_text(json.dumps(about, indent=1) + "\n")
    print({f: (o.to / f).stat().st_size for f in files}, version)


if __name__ == "__main__":
    main()
