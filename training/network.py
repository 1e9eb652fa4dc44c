"""The network: one reading of the abstract, on it spans, entities, relations and figures.

`Reader` sees the text (word pieces, the look of the words, known names) and gives a vector for each
word and scores for each span. `Heads` sees the word vectors and the places of the nodes (the paper,
entities, figures) and decides on types, the introduced flag, relations and figures. The two are
separate because between them the nodes are chosen, and because they are exported separately.
"""

from __future__ import annotations

import torch
import torch.nn.functional as fn
from encoder import CheapDropout, Encoder
from torch import Tensor, nn

from kg.extract.model.features import BUCKETS, FLAGS, HASHES, SPAN_FEATURES, WIDTH
from kg.extract.model.nodes import PAIR_FEATURES

WORD = 256
NODE = 256
SPAN = 160
LOOK = 48
RELATIONS = 8
LINKS = 4


def start_at_none(linear: nn.Linear, row: int, value: float) -> None:
    """Begin with the answer that is right most often."""
    nn.init.zeros_(linear.bias)
    with torch.no_grad():
        linear.bias[row] = value


class Reader(nn.Module):
    def __init__(self, encoder: Encoder, dropout: float = 0.2) -> None:
        super().__init__()
        self.encoder = encoder
        e = encoder.width
        self.looks = nn.ModuleList(nn.Embedding(n, LOOK) for n in HASHES)
        look = len(HASHES) * LOOK + FLAGS
        self.inject = nn.Linear(look, e)
        nn.init.zeros_(self.inject.weight)
        nn.init.zeros_(self.inject.bias)
        for m in self.looks:
            nn.init.normal_(m.weight, std=0.3)
        self.word = nn.Linear(2 * e + look, WORD)
        self.word_norm = nn.LayerNorm(WORD)
        self.mix = nn.ModuleList(nn.Linear(3 * WORD, WORD) for _ in range(2))
        self.mix_norm = nn.ModuleList(nn.LayerNorm(WORD) for _ in range(2))
        self.drop = CheapDropout(dropout)
        self.left = nn.Linear(WORD, SPAN)
        self.right = nn.Linear(WORD, SPAN)
        self.middle = nn.Linear(WORD, SPAN)
        self.width = nn.Embedding(WIDTH, SPAN)
        self.known = nn.Linear(SPAN_FEATURES, SPAN)
        self.hidden = nn.Linear(SPAN, SPAN)
        self.out = nn.Linear(SPAN, 7)
        start_at_none(self.out, 0, 5.0)

    def forward(
        self,
        ids: Tensor,
        lengths: Tensor | None,
        home: Tensor,
        first: Tensor,
        pool: Tensor,
        hashes: Tensor,
        flags: Tensor,
        known: Tensor,
        mask: Tensor,
        low: Tensor | None = None,
    ) -> tuple[Tensor, Tensor]:
        """Read a batch of b texts of n words in p pieces.

        Takes (b, p) piece ids, (b,) lengths, (b, p) each piece's word + 1 (0: none), (b, n) first
        pieces, (b, n, p) means over pieces, (b, n, 3) hashes, (b, n, FLAGS),
        (b, n, WIDTH, SPAN_FEATURES), (b, n) 1 for words, and (b, p, d) the frozen layers' output if
        it is known. Returns word vectors (b, n, WORD) and span scores (b, n, WIDTH, 7).
        """
        look = torch.cat([m(hashes[..., k]) for k, m in enumerate(self.looks)] + [flags], -1)
        look = self.drop(look)
        extra = self.inject(look)
        extra = torch.cat([torch.zeros_like(extra[:, :1]), extra], 1)
        extra = torch.gather(extra, 1, home[..., None].expand(-1, -1, extra.shape[-1]))
        if low is None:
            low = self.encoder.lower(ids, lengths)
        y = self.encoder.upper(low, lengths, extra)
        start = torch.gather(y, 1, first[..., None].expand(-1, -1, y.shape[-1]))
        x = torch.cat([start, pool @ y, look], -1)
        x = self.word_norm(fn.gelu(self.word(x))) * mask[..., None]
        for linear, norm in zip(self.mix, self.mix_norm, strict=True):
            zero = torch.zeros_like(x[:, :1])
            near = torch.cat(
                [torch.cat([zero, x[:, :-1]], 1), x, torch.cat([x[:, 1:], zero], 1)], -1
            )
            x = norm(x + self.drop(fn.gelu(linear(near)))) * mask[..., None]
        h = self.drop(x)
        n = h.shape[1]
        total = fn.pad(self.middle(h).float().cumsum(1), (0, 0, 1, 0))
        at = torch.arange(n, device=h.device)
        wide = torch.arange(WIDTH, device=h.device)
        end = torch.clamp(at[:, None] + wide[None], max=n - 1)
        flat = end.reshape(-1)
        mean = (total.index_select(1, flat + 1).view(-1, n, WIDTH, SPAN) - total[:, :n, None]) / (
            end - at[:, None] + 1
        )[None, :, :, None]
        z = (
            self.left(h)[:, :, None]
            + self.right(h).index_select(1, flat).view(-1, n, WIDTH, SPAN)
            + mean
            + self.width.weight[None, None]
            + self.known(known)
        )
        z = fn.gelu(z)
        z = fn.gelu(self.hidden(z)) + z
        return x, self.out(z).float()


class Heads(nn.Module):
    def __init__(self, dropout: float = 0.2) -> None:
        super().__init__()
        self.drop = CheapDropout(dropout)
        self.heads = 4
        self.mention = nn.Linear(3 * WORD, NODE)
        self.node = nn.Linear(2 * NODE + 7 + 4, NODE)
        self.kind = nn.Embedding(3, NODE)
        self.ask_paper = nn.Linear(WORD, self.heads)
        self.paper = nn.Linear(self.heads * WORD, NODE)
        self.norm0 = nn.LayerNorm(NODE)
        self.rounds = nn.ModuleList(Round(NODE, 4, dropout) for _ in range(2))
        self.decide = nn.Sequential(nn.Linear(NODE, NODE), nn.GELU(), nn.Linear(NODE, 7))
        self.introduced = nn.Sequential(
            nn.Linear(NODE + 7, NODE // 2), nn.GELU(), nn.Linear(NODE // 2, 1)
        )
        self.typed = nn.Linear(8, NODE)
        self.q_head, self.q_tail = nn.Linear(NODE, NODE), nn.Linear(NODE, NODE)
        self.key, self.value = nn.Linear(WORD, NODE), nn.Linear(WORD, NODE)
        self.near_head = nn.Embedding(BUCKETS, self.heads)
        self.near_tail = nn.Embedding(BUCKETS, self.heads)
        nn.init.zeros_(self.near_head.weight)
        nn.init.zeros_(self.near_tail.weight)
        self.head, self.tail = nn.Linear(NODE, NODE), nn.Linear(NODE, NODE)
        self.small = nn.Linear(NODE, NODE)
        self.product = nn.Linear(NODE, NODE)
        self.answer = nn.Linear(NODE, NODE)
        self.hist_head, self.hist_tail = nn.Linear(BUCKETS, NODE), nn.Linear(BUCKETS, NODE)
        self.stand = nn.Linear(PAIR_FEATURES, NODE)
        self.relation = nn.Sequential(nn.Linear(NODE, NODE), nn.GELU(), nn.Linear(NODE, RELATIONS))
        self.role = nn.Sequential(nn.Linear(NODE, NODE // 2), nn.GELU(), nn.Linear(NODE // 2, 12))
        self.f_left, self.f_right = nn.Linear(NODE, NODE), nn.Linear(NODE, NODE)
        self.f_near = nn.Embedding(BUCKETS, NODE)
        self.f_stand = nn.Linear(PAIR_FEATURES, NODE)
        self.f_product = nn.Linear(NODE, NODE)
        self.link = nn.Linear(NODE, LINKS)
        self.no_link = nn.Linear(NODE, LINKS)
        start_at_none(self.relation[-1], 0, 3.0)
        start_at_none(self.role[-1], 0, 1.0)

    def forward(
        self,
        x: Tensor,
        mask: Tensor,
        m_start: Tensor,
        m_end: Tensor,
        m_node: Tensor,
        node_info: Tensor,
        node_kind: Tensor,
        near: Tensor,
        stand: Tensor,
        f_stand: Tensor,
        f_near: Tensor,
    ) -> tuple[Tensor, ...]:
        """Answer for a batch of b texts of n words, t nodes (e of them the paper and entities).

        Takes (b, n, WORD) words and (b, n) 1 for words; places (b, m) first and last word, and
        (b, t, m) which belong to a node: rows sum to 1; node 0, the paper, has none, entities are 1
        to e - 1, figures stand from e on; (b, t, 11) span probabilities and place features; (b, t)
        kind: 0 paper, 1 entity, 2 figure, 3 padding; (b, e, n) buckets; (b, e, e, k) and
        (b, f, e, k) pair features; (b, f, e) buckets of the figures.

        Returns types (b, e, 7), introduced (b, e), relations (b, e, e, 8), attention (b, e, e, n),
        figure answers (b, f, 12) and links (b, f, e + 1, 4), the last row for none.
        """
        b, n, _ = x.shape
        e = near.shape[1]
        h = self.drop(x)
        total = fn.pad(h.float().cumsum(1), (0, 0, 1, 0))

        def wide(i: Tensor) -> Tensor:
            return i[..., None].expand(-1, -1, WORD)

        first, last = torch.gather(h, 1, wide(m_start)), torch.gather(h, 1, wide(m_end))
        mean = (torch.gather(total, 1, wide(m_end + 1)) - torch.gather(total, 1, wide(m_start))) / (
            m_end - m_start + 1
        )[..., None]
        v = fn.gelu(self.mention(torch.cat([first, last, mean.to(first.dtype)], -1)))
        belongs = (m_node > 0).to(v.dtype)
        top = torch.where(
            m_node[..., None] > 0, v[:, None], torch.full_like(v[:, None], -10.0)
        ).amax(2)
        top = top * belongs.amax(-1, keepdim=True)
        nodes = self.node(torch.cat([m_node.to(v.dtype) @ v, top, node_info.to(v.dtype)], -1))
        ask = self.ask_paper(h).float().masked_fill(mask[..., None] == 0, -1e4).softmax(1)
        paper = self.paper((ask.transpose(1, 2).to(h.dtype) @ h).reshape(b, -1))
        is_paper = (node_kind == 0)[..., None].to(nodes.dtype)
        nodes = nodes * (1 - is_paper) + paper[:, None] * is_paper
        nodes = self.norm0(nodes + self.kind(node_kind.clamp(max=2)))
        real = (node_kind != 3)[:, None, None, :]
        for r in self.rounds:
            nodes = r(nodes, real)
        ent, fig = nodes[:, :e], nodes[:, e:]
        types = self.decide(self.drop(ent)).float()
        kinds = types.softmax(-1).to(ent.dtype)
        intro = self.introduced(torch.cat([self.drop(ent), kinds], -1)).float()[..., 0]
        g = ent + self.typed(torch.cat([kinds, torch.sigmoid(intro)[..., None].to(ent.dtype)], -1))
        g = self.drop(g)

        d = NODE // self.heads
        qh = self.q_head(g).view(b, e, self.heads, d)
        qt = self.q_tail(g).view(b, e, self.heads, d)
        k = self.key(h).view(b, n, self.heads, d)
        val = self.value(h).view(b, n, self.heads, d)
        sh = torch.einsum("behd,bnhd->behn", qh, k).float() * d**-0.5
        st = torch.einsum("behd,bnhd->behn", qt, k).float() * d**-0.5
        sh = sh + self.near_head(near).permute(0, 1, 3, 2)
        st = st + self.near_tail(near).permute(0, 1, 3, 2)
        score = sh[:, :, None] + st[:, None]
        score = score.masked_fill((mask == 0)[:, None, None, None], -1e4)
        att = score.softmax(-1).to(h.dtype)
        got = torch.einsum("bijhn,bnhd->bijhd", att, val).reshape(b, e, e, NODE)
        seen = att.mean(3)
        spot = fn.one_hot(near, BUCKETS).to(h.dtype)
        hist_h = torch.einsum("bijn,bink->bijk", seen, spot)
        hist_t = torch.einsum("bijn,bjnk->bijk", seen, spot)
        small = self.small(g)
        z = (
            self.head(g)[:, :, None]
            + self.tail(g)[:, None]
            + self.product(small[:, :, None] * small[:, None])
            + self.answer(self.drop(got))
            + self.hist_head(hist_h)
            + self.hist_tail(hist_t)
            + self.stand(stand)
        )
        relations = self.relation(self.drop(fn.gelu(z))).float()

        answers = self.role(self.drop(fig)).float()
        fl, fr = self.f_left(fig), self.f_right(g)
        zf = fn.gelu(
            fl[:, :, None]
            + fr[:, None]
            + self.f_near(f_near)
            + self.f_stand(f_stand)
            + self.f_product(fl[:, :, None] * fr[:, None])
        )
        links = torch.cat([self.link(self.drop(zf)), self.no_link(fig)[:, :, None]], 2).float()
        return types, intro, relations, seen.float(), answers, links


class Round(nn.Module):
    """Nodes look at each other: one pre-norm transformer layer."""

    def __init__(self, width: int, heads: int, dropout: float) -> None:
        super().__init__()
        self.heads = heads
        self.norm1, self.norm2 = nn.LayerNorm(width), nn.LayerNorm(width)
        self.qkv, self.out = nn.Linear(width, 3 * width), nn.Linear(width, width)
        self.up, self.down = nn.Linear(width, 2 * width), nn.Linear(2 * width, width)
        self.drop = CheapDropout(dropout)

    def forward(self, x: Tensor, real: Tensor) -> Tensor:
        b, n, w = x.shape
        q, k, v = (
            self.qkv(self.norm1(x))
            .view(b, n, 3, self.heads, w // self.heads)
            .permute(2, 0, 3, 1, 4)
        )
        s = (q @ k.transpose(-1, -2)).float() * (w // self.heads) ** -0.5
        a = s.masked_fill(~real, -1e4).softmax(-1).to(v.dtype) @ v
        x = x + self.drop(self.out(a.transpose(1, 2).reshape(b, n, w)))
        return x + self.drop(self.down(fn.gelu(self.up(self.norm2(x)))))
