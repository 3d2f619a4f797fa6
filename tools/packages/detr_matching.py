"""Set prediction: boxes matched by SciPy's Hungarian algorithm, generalized IoU, and a small DETR that learns."""

from scipy.optimize import linear_sum_assignment

import torch
import torch.nn as nn
import torch.nn.functional as F

torch.manual_seed(0)


def box_cxcywh_to_xyxy(x):
    x_c, y_c, w, h = x.unbind(-1)
    return torch.stack([x_c - 0.5 * w, y_c - 0.5 * h, x_c + 0.5 * w, y_c + 0.5 * h], dim=-1)


def generalized_box_iou(a, b):
    area_a, area_b = (t[:, 2:] - t[:, :2] for t in (a, b))
    lt, rb = torch.max(a[:, None, :2], b[:, :2]), torch.min(a[:, None, 2:], b[:, 2:])
    inter = (rb - lt).clamp(min=0).prod(2)
    union = area_a.prod(1)[:, None] + area_b.prod(1) - inter
    outer = (torch.max(a[:, None, 2:], b[:, 2:]) - torch.min(a[:, None, :2], b[:, :2])).clamp(min=0).prod(2)
    return inter / union - (outer - union) / outer


class HungarianMatcher(nn.Module):
    @torch.no_grad()
    def forward(self, outputs, targets):
        bs, num_queries = outputs["pred_logits"].shape[:2]
        out_prob = outputs["pred_logits"].flatten(0, 1).softmax(-1)
        out_bbox = outputs["pred_boxes"].flatten(0, 1)
        tgt_ids, tgt_bbox = torch.cat([v["labels"] for v in targets]), torch.cat([v["boxes"] for v in targets])
        cost = 5 * torch.cdist(out_bbox, tgt_bbox, p=1) - out_prob[:, tgt_ids]
        cost = cost - 2 * generalized_box_iou(box_cxcywh_to_xyxy(out_bbox), box_cxcywh_to_xyxy(tgt_bbox))
        sizes = [len(v["boxes"]) for v in targets]
        indices = [linear_sum_assignment(c[i]) for i, c in enumerate(cost.view(bs, num_queries, -1).split(sizes, -1))]
        return [(torch.as_tensor(i, dtype=torch.int64), torch.as_tensor(j, dtype=torch.int64)) for i, j in indices]


class DETR(nn.Module):
    def __init__(self, num_classes=3, num_queries=6, hidden=32):
        super().__init__()
        self.backbone = nn.Sequential(nn.Conv2d(3, 16, 3, 2, 1), nn.ReLU(), nn.Conv2d(16, hidden, 3, 2, 1))
        self.transformer = nn.Transformer(hidden, 4, 1, 2, 64, dropout=0.0)
        self.linear_class, self.linear_bbox = nn.Linear(hidden, num_classes + 1), nn.Linear(hidden, 4)
        self.query_pos = nn.Parameter(torch.rand(num_queries, hidden))
        self.row_embed, self.col_embed = nn.Parameter(torch.rand(8, hidden // 2)), nn.Parameter(torch.rand(8, hidden // 2))

    def forward(self, inputs):
        h = self.backbone(inputs)
        H, W = h.shape[-2:]
        pos = torch.cat(
            [self.col_embed[:W].unsqueeze(0).repeat(H, 1, 1), self.row_embed[:H].unsqueeze(1).repeat(1, W, 1)], dim=-1
        )
        src = pos.flatten(0, 1).unsqueeze(1) + 0.1 * h.flatten(2).permute(2, 0, 1)
        h = self.transformer(src, self.query_pos.unsqueeze(1).repeat(1, len(inputs), 1)).transpose(0, 1)
        return {"pred_logits": self.linear_class(h), "pred_boxes": self.linear_bbox(h).sigmoid()}


def criterion(outputs, targets, indices):
    batch_idx = torch.cat([torch.full_like(src, i) for i, (src, _) in enumerate(indices)])
    src_idx = torch.cat([src for (src, _) in indices])
    target_classes = torch.full(outputs["pred_logits"].shape[:2], 3, dtype=torch.int64)
    target_classes[batch_idx, src_idx] = torch.cat([t["labels"][j] for t, (_, j) in zip(targets, indices)])
    weight = torch.ones(4)
    weight[-1] = 0.1
    loss_ce = F.cross_entropy(outputs["pred_logits"].transpose(1, 2), target_classes, weight)
    src_boxes, target_boxes = (
        outputs["pred_boxes"][batch_idx, src_idx],
        torch.cat([t["boxes"][i] for t, (_, i) in zip(targets, indices)]),
    )
    giou = torch.diag(generalized_box_iou(box_cxcywh_to_xyxy(src_boxes), box_cxcywh_to_xyxy(target_boxes)))
    return {
        "ce": loss_ce,
        "bbox": F.l1_loss(src_boxes, target_boxes, reduction="sum") / len(src_boxes),
        "giou": (1 - giou).mean(),
    }


images = torch.rand(2, 3, 32, 32)
targets = [{"labels": torch.tensor([0, 2]), "boxes": torch.tensor([[0.3, 0.3, 0.2, 0.2], [0.7, 0.6, 0.3, 0.4]])},
           {"labels": torch.tensor([1]), "boxes": torch.tensor([[0.5, 0.5, 0.4, 0.4]])}]  # fmt: skip
model, matcher = DETR(), HungarianMatcher()
groups = [{"params": [p for n, p in model.named_parameters() if "backbone" not in n]},
          {"params": [p for n, p in model.named_parameters() if "backbone" in n], "lr": 1e-4}]  # fmt: skip
optimizer = torch.optim.AdamW(groups, lr=1e-3, weight_decay=1e-4)
for step in range(6):
    outputs = model(images)
    indices = matcher(outputs, targets)
    losses = criterion(outputs, targets, indices)
    loss = losses["ce"] + 5 * losses["bbox"] + 2 * losses["giou"]
    optimizer.zero_grad()
    loss.backward()
    torch.nn.utils.clip_grad_norm_(model.parameters(), 0.1)
    optimizer.step()
    print(step, {k: round(v.item(), 5) for k, v in losses.items()}, [i.tolist() for i, _ in indices])
