"""What happens to the bytes of a file."""

from __future__ import annotations

from random import Random

from .words import RAW


def damaged(random: Random, raw: bytes, splice: bytes) -> tuple[bytes, int, int]:
    """Return ``raw`` after some accidents, and the part of ``raw`` that they touched.

    Parameters
    ----------
    splice : another file, of which pieces are put in.
    """
    first, last = len(raw), 0
    edits = []
    for _ in range(random.randint(1, 3)):
        at = random.randint(0, len(raw))
        to = min(len(raw), at + random.choice((0, 1, 1, 4, 40, 400)))
        edits.append((at, to))
    edits.sort()
    pieces, done = [], 0
    for at, to in edits:
        if at < done:
            continue
        pieces += [raw[done:at], _new(random, raw[at:to], splice)]
        first, last, done = min(first, at), max(last, to), to
    pieces.append(raw[done:])
    out = b"".join(pieces)
    if random.random() < 0.1:  # the file is cut off
        cut = random.randint(0, len(raw))
        if cut <= first:
            out, first = raw[:cut], cut
        else:
            out = out[: len(out) - (len(raw) - max(cut, last))]
        last = len(raw)
    return out, first, last


def _new(random: Random, old: bytes, splice: bytes) -> bytes:
    what = random.randrange(9)
    if what == 0:
        return b""
    if what == 1:
        return old + bytes([random.randrange(256)])
    if what == 2:
        return bytes(byte ^ (1 << random.randrange(8)) for byte in old)
    if what == 3:
        return random.choice(RAW)
    if what == 4:
        return old + b"".join(random.choices(RAW, k=random.randint(1, 5)))
    if what == 5:
        return old * random.randint(2, 20)
    if what == 6:
        at = random.randint(0, len(splice))
        return splice[at : at + random.randint(1, 800)]
    if what == 7 and random.random() < 0.1:
        piece = b"".join(random.choices(RAW, k=random.randint(1, 2)))
        return piece * int(10 ** random.uniform(1, 5))
    return random.randbytes(random.randint(1, 8))


def whole(random: Random, raw: bytes) -> bytes:
    """Return ``raw`` after something that touches all of it: its encoding, its line ends."""
    what = random.randrange(6)
    if what == 0:
        return raw.replace(b"\n", random.choice((b"\r\n", b"\r", b"\n\n", b"\n \n", b"")))
    if what == 1:
        return random.choice((b"\xef\xbb\xbf", b"\xff\xfe", b"\xfe\xff", b"\xff\xfe\0\0")) + raw
    if what == 2:
        encoding = random.choice(("utf-16", "utf-16-le", "utf-16-be", "utf-32", "cp1252", "utf-7"))
        return raw.decode("utf-8", "replace").encode(encoding, "replace")
    if what == 3:  # UTF-8 that was taken for Windows-1252
        return raw.decode("cp1252", "replace").encode("utf-8", "replace")
    if what == 4:
        return raw.swapcase()
    return b"".join(b"\r\n" if c == 10 and random.random() < 0.5 else bytes([c]) for c in raw)
