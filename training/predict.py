"""Extract from abstracts with a model, one JSON object a line.

    python training/predict.py PAPERS.jsonl > PREDICTED.jsonl

PAPERS has ``id`` and ``text``; the output has the annotated files' form. Prints papers a second.
"""

from __future__ import annotations

import argparse
import json
import sys
import time
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent.parent))
from kg.extract.model.extractor import Extractor
from kg.extract.model.folder import SHIPPED


def main() -> None:
    a = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    a.add_argument("papers", type=Path)
    a.add_argument("--model", type=Path, default=SHIPPED)
    a.add_argument("--threads", type=int, default=1)
    o = a.parse_args()
    extractor = Extractor.load(o.model, threads=o.threads)
    docs = [json.loads(x) for x in o.papers.read_text(encoding="utf-8").splitlines() if x.strip()]
    begun = time.time()
    for d in docs:
        got = {"id": d["id"], "text": d["text"], **extractor.predict(d["text"])}
        print(json.dumps(got, ensure_ascii=False))
    print(f"{len(docs) / (time.time() - begun):.1f} papers a second", file=sys.stderr)


if __name__ == "__main__":
    main()
