"""Average the weights of two runs, of which the second began with the first.

    python training/blend.py --first RUN --second RUN --share 0.75 --out BLEND

`share` is the second's. BLEND is a run like any other for `export.py`.
"""

from __future__ import annotations

import argparse
import json
import shutil
from pathlib import Path

import torch


def main() -> None:
    a = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    a.add_argument("--first", type=Path, required=True)
    a.add_argument("--second", type=Path, required=True)
    a.add_argument("--share", type=float, default=0.75)
    a.add_argument("--out", type=Path, required=True)
    o = a.parse_args()
    one, other = (torch.load(run / "average.pt", weights_only=True) for run in (o.first, o.second))
    o.out.mkdir(parents=True, exist_ok=True)
    mixed = {k: torch.lerp(one[k].float(), v.float(), o.share) for k, v in other.items()}
    torch.save(mixed, o.out / "average.pt")
    for name in ("gazetteer.json", "held_out.json"):
        shutil.copyfile(o.second / name, o.out / name)
    first, second = (
        json.loads((run / "record.json").read_text(encoding="utf-8")) for run in (o.first, o.second)
    )
    record = {**second, "blend": {"share": o.share, "first": first}}
    (o.out / "record.json").write_text(json.dumps(record, indent=1) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
