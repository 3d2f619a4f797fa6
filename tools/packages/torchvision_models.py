"""torchvision: models with random weights, transforms, and operators that are written in Python."""

import torchvision
from torchvision.ops import box_iou, generalized_box_iou, sigmoid_focal_loss
from torchvision.transforms import v2

import torch

torch.manual_seed(0)
for name in ("resnet18", "mobilenet_v2", "densenet121", "vit_b_32", "convnext_tiny", "googlenet"):
    options = (
        {"image_size": 64}
        if name.startswith("vit")
        else {"init_weights": False, "aux_logits": False}
        if name == "googlenet"
        else {}
    )
    model = torchvision.models.get_model(name, weights=None, num_classes=5, **options)
    x = torch.randn(2, 3, 64, 64)
    loss = torch.nn.functional.cross_entropy(model(x), torch.tensor([0, 3]))
    loss.backward()
    print(name, loss.item(), sum(p.grad.abs().sum() for p in model.parameters() if p.grad is not None).log().item())
image = torch.randint(0, 256, (3, 40, 50), dtype=torch.uint8)
chain = v2.Compose([
    v2.ToDtype(torch.float32, scale=True), v2.RandomResizedCrop(32, antialias=True), v2.RandomHorizontalFlip(),
    v2.ColorJitter(0.2, 0.2, 0.2), v2.GaussianBlur(3), v2.Normalize([0.5] * 3, [0.2] * 3), v2.RandomErasing(1.0),
])  # fmt: skip
print("transforms", chain(image).mean().item(), v2.functional.rotate(image, 30.0).float().mean().item())
boxes = torch.rand(6, 4).sort(-1).values * 20
print("boxes", box_iou(boxes[:3], boxes[3:]).sum().item(), generalized_box_iou(boxes[:3], boxes[3:]).sum().item())
print("focal", sigmoid_focal_loss(torch.randn(8), torch.ones(8), reduction="mean").item())
